// The portable 8-lane arithmetic: fully reduced, on canonical words.
//
// A transform is linear, so scalars are never converted: canonical words are read as the Montgomery form of x / R, and
// the product with a factor in Montgomery form is again canonical.
#include "field/canonical.hpp"
#include "field/fr.hpp"
#include "ntt/block_kernels.hpp"

namespace cuzk::ntt_detail {
namespace {

struct PortableLanes {
  struct Vector {
    Fr lane[LANES];
  };
  using LaneFactor = Vector;  // in Montgomery form
  static constexpr std::size_t FACTOR_WORDS = Fr::LIMBS;
  static constexpr int PRODUCT_LOG2 = 64 * Fr::LIMBS;

  static void prepare_factors(const u64* scalars, std::size_t count, u64* factors) {
    for (std::size_t i = 0; i < count; ++i)
      std::ranges::copy(Fr::from_canonical(load_words<Fr>(scalars + i * Fr::LIMBS)).words, factors + i * Fr::LIMBS);
  }
  static LaneFactor prepare(const Vector& x) {
    return each([&](std::size_t l) { return Fr::from_canonical(x.lane[l].words); });
  }
  static Vector value(const LaneFactor& factor) {
    return each([&](std::size_t l) { return Fr{factor.lane[l].to_canonical()}; });
  }

  static Vector times(const Vector& x, const LaneFactor& factor) {
    return each([&](std::size_t l) { return x.lane[l] * factor.lane[l]; });
  }
  static Vector times(const Vector& x, const u64* factor) {
    const Fr common{load_words<Fr>(factor)};
    return each([&](std::size_t l) { return x.lane[l] * common; });
  }
  static Vector product(const Vector& x, const Vector& y) { return times(x, y); }
  static Vector difference(const Vector& x, const Vector& y) {
    return each([&](std::size_t l) { return x.lane[l] - y.lane[l]; });
  }
  static Vector canonical(const Vector& x) { return x; }

  static Vector load(const u64* from, std::size_t stride) {
    return each([&](std::size_t l) { return Fr{load_words<Fr>(from + l * stride)}; });
  }
  static void store(const Vector& x, u64* to, std::size_t stride) {
    for (std::size_t l = 0; l < LANES; ++l) std::ranges::copy(x.lane[l].words, to + l * stride);
  }

  static void radix2_first(Vector& a, Vector& b) {
    for (std::size_t l = 0; l < LANES; ++l) butterfly(a.lane[l], b.lane[l], b.lane[l]);
  }
  template <bool reduce>
  static void radix4_first(Vector& a, Vector& b, Vector& c, Vector& d, const u64* fourth_root) {
    const Fr i{load_words<Fr>(fourth_root)};
    for (std::size_t l = 0; l < LANES; ++l) {
      butterfly(a.lane[l], c.lane[l], c.lane[l]);
      butterfly(b.lane[l], d.lane[l], d.lane[l]);
      butterfly(a.lane[l], b.lane[l], b.lane[l]);
      butterfly(c.lane[l], d.lane[l], i * d.lane[l]);
    }
  }
  static void radix4(Vector& a, Vector& b, Vector& c, Vector& d, const u64* w1, const u64* w2, const u64* w3) {
    const Fr first{load_words<Fr>(w1)}, second{load_words<Fr>(w2)}, third{load_words<Fr>(w3)};
    for (std::size_t l = 0; l < LANES; ++l) {
      butterfly(a.lane[l], c.lane[l], first * c.lane[l]);
      butterfly(b.lane[l], d.lane[l], first * d.lane[l]);
      butterfly(a.lane[l], b.lane[l], second * b.lane[l]);
      butterfly(c.lane[l], d.lane[l], third * d.lane[l]);
    }
  }

 private:
  // (x, y) <- (x + product, x - product); product may be y
  static void butterfly(Fr& x, Fr& y, const Fr product) {
    y = x - product;
    x += product;
  }

  template <class Element>
  static Vector each(Element element) {
    Vector result;
    for (std::size_t l = 0; l < LANES; ++l) result.lane[l] = element(l);
    return result;
  }
};

}  // namespace

const Kernels PORTABLE_KERNELS = BlockKernels<PortableLanes>::kernels();

}  // namespace cuzk::ntt_detail
