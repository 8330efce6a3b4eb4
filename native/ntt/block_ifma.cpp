// The 8-lane arithmetic of AVX-512 IFMA, lazily reduced; bounds are those of block_kernels.hpp, in multiples of r.
#include "field/fr_ifma.hpp"
#include "ntt/block_kernels.hpp"

namespace cuzk::ntt_detail {
namespace {

using namespace cuzk::ifma;

struct IfmaLanes {
  using Vector = Fr8;
  using LaneFactor = ifma::LaneFactor;
  static constexpr std::size_t FACTOR_WORDS = 2 * FR_LIMBS;
  static constexpr int PRODUCT_LOG2 = FrModulus::LOG2_R;

  static void prepare_factors(const u64* scalars, std::size_t count, u64* factors) {
    for (std::size_t begin = 0; begin < count; begin += LANES) {
      const std::size_t lanes = count - begin < LANES ? count - begin : LANES;
      u64 words[LANES * SCALAR_WORDS]{}, columns[FACTOR_WORDS][LANES];
      for (std::size_t i = 0; i < lanes * SCALAR_WORDS; ++i) words[i] = scalars[begin * SCALAR_WORDS + i];
      const LaneFactor factor = prepare(load(words, SCALAR_WORDS));
      for (std::size_t j = 0; j < FR_LIMBS; ++j) {
        _mm512_storeu_si512(columns[j], factor.values.limb[j]);
        _mm512_storeu_si512(columns[FR_LIMBS + j], factor.quotients.limb[j]);
      }
      for (std::size_t lane = 0; lane < lanes; ++lane)
        for (std::size_t j = 0; j < FACTOR_WORDS; ++j) factors[(begin + lane) * FACTOR_WORDS + j] = columns[j][lane];
    }
  }
  CUZK_INLINE static LaneFactor prepare(const Vector& x) { return prepared(x); }
  CUZK_INLINE static Vector value(const LaneFactor& factor) { return factor.values; }

  CUZK_INLINE static Vector times(const Vector& x, const LaneFactor& factor) {
    return times_columns(carried(x), factor);
  }
  CUZK_INLINE static Vector times(const Vector& x, const u64* factor) {
    return times_columns(carried(x), CommonFactor{factor});
  }
  // x y / 2^260 + r is up to 34 * 34 / 35 + 1 < 34.
  CUZK_INLINE static Vector product(const Vector& x, const Vector& y) {
    return weakly_reduced(product_columns(carried(x), carried(y)));
  }
  CUZK_INLINE static Vector difference(const Vector& x, const Vector& y) {
    return ifma::difference(weakly_reduced(x), y, 2);
  }
  CUZK_INLINE static Vector canonical(const Vector& x) { return reduced_below_r(weakly_reduced(x)); }

  CUZK_INLINE static Vector load(const u64* from, std::size_t stride) { return load_words(from, stride); }
  CUZK_INLINE static void store(const Vector& x, u64* to, std::size_t stride) {
    store_words(masked(carried(x)), to, stride);
  }

  // Up to 2 -> up to 4.
  CUZK_INLINE static void radix2_first(Vector& a, Vector& b) {
    const Vector sum = plus(a, b);
    b = ifma::difference(a, b, 2);
    a = sum;
  }

  // Up to 4, or anything if they are reduced (to 2) -> a and b up to 16, c and d up to 10.
  template <bool reduce>
  CUZK_INLINE static void radix4_first(Vector& a, Vector& b, Vector& c, Vector& d, const u64* fourth_root) {
    if constexpr (reduce) {
      a = weakly_reduced(a);
      b = weakly_reduced(b);
      c = weakly_reduced(c);
      d = weakly_reduced(d);
    }
    const Vector first = plus(a, c), second = plus(b, d);                 // up to 8
    const Vector third = ifma::difference(a, c, 4);                       // up to 8
    const Vector fourth = times(ifma::difference(b, d, 4), fourth_root);  // 2
    a = plus(first, second);
    b = ifma::difference(first, second, 8);
    c = plus(third, fourth);
    d = ifma::difference(third, fourth, 2);
  }

  // Two layers: each adds 2 to the largest of the bounds.
  CUZK_INLINE static void radix4(Vector& a, Vector& b, Vector& c, Vector& d, const u64* w1, const u64* w2,
                                 const u64* w3) {
    butterfly(b, d, w1);  // the longer way to the second layer first
    butterfly(a, c, w1);
    butterfly(a, b, w2);
    butterfly(c, d, w3);
  }

 private:
  CUZK_INLINE static void butterfly(Vector& x, Vector& y, const u64* w) {
    const Vector product = times(y, w);
    y = ifma::difference(x, product, 2);
    x = plus(x, product);
  }
};

}  // namespace

const Kernels IFMA_KERNELS = BlockKernels<IfmaLanes>::kernels();

}  // namespace cuzk::ntt_detail
