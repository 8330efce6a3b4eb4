#include "curve/fixed_base.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "util/parallel.hpp"

namespace cuzk {
namespace {

constexpr int SCALAR_BITS = 255;
constexpr std::size_t BLOCK = 256;  // points normalized with one inversion

// Window width that makes table (2^w points a window) and additions (one a window and scalar) about least.
int window_width(std::size_t count) { return std::clamp(static_cast<int>(std::bit_width(count)) - 4, 2, 14); }

// Bits [offset, offset + width) of a four-word scalar.
std::size_t window_at(const u64* scalar, int offset, int width) {
  u64 bits = scalar[offset / 64] >> offset % 64;
  if (offset % 64 + width > 64 && offset / 64 + 1 < Fr::LIMBS) bits |= scalar[offset / 64 + 1] << (64 - offset % 64);
  return bits & ((u64{1} << width) - 1);
}

template <class F>
std::vector<Affine<F>> multiples_of(const Jacobian<F>& base, std::size_t count) {
  std::vector<Jacobian<F>> multiples(count);
  for (std::size_t i = 1; i < count; ++i) multiples[i] = multiples[i - 1] + base;
  std::vector<Affine<F>> out(count);
  batch_to_affine<F>(multiples, out);
  return out;
}

}  // namespace

template <class Group>
void fixed_base(const typename Group::Point& base, const u64* scalars, std::size_t count, byte* out, int threads) {
  using F = typename Group::Coordinate;
  const int width = window_width(count), windows = (SCALAR_BITS + width - 1) / width;
  std::vector<Jacobian<F>> window_bases(windows, Jacobian<F>(base));
  for (int w = 1; w < windows; ++w) {
    window_bases[w] = window_bases[w - 1];
    for (int i = 0; i < width; ++i) window_bases[w] = window_bases[w].doubled();
  }
  std::vector<std::vector<Affine<F>>> table(windows);
  parallel_for(windows, threads, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t w = begin; w < end; ++w) table[w] = multiples_of(window_bases[w], std::size_t{1} << width);
  });
  parallel_for(count, threads, [&](int, std::size_t begin, std::size_t end) {
    std::vector<Jacobian<F>> products(BLOCK);
    std::vector<Affine<F>> affine(BLOCK);
    for (std::size_t start = begin; start < end; start += BLOCK) {
      const std::size_t size = std::min(BLOCK, end - start);
      for (std::size_t i = 0; i < size; ++i) {
        products[i] = {};
        for (int w = 0; w < windows; ++w)
          products[i] += table[w][window_at(scalars + Fr::LIMBS * (start + i), w * width, width)];
      }
      batch_to_affine<F>(std::span(products).first(size), std::span(affine).first(size));
      for (std::size_t i = 0; i < size; ++i) encode<Group>(affine[i], out + (start + i) * Group::POINT_SIZE);
    }
  });
}

template void fixed_base<G1>(const G1::Point&, const u64*, std::size_t, byte*, int);
template void fixed_base<G2>(const G2::Point&, const u64*, std::size_t, byte*, int);

}  // namespace cuzk
