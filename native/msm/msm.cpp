#include "msm/msm.hpp"

#include <algorithm>
#include <bit>

#include "util/parallel.hpp"

namespace cuzk {
namespace {

constexpr int SCALAR_BITS = 255;

int window_width(std::size_t terms) { return std::clamp(static_cast<int>(std::bit_width(terms)) - 3, 2, 14); }

std::size_t window_at(const u64* scalar, int offset, int width) {
  u64 bits = scalar[offset / 64] >> offset % 64;
  if (offset % 64 + width > 64 && offset / 64 + 1 < Fr::LIMBS) bits |= scalar[offset / 64 + 1] << (64 - offset % 64);
  return bits & ((u64{1} << width) - 1);
}

// Pippenger's buckets over one range of the terms.
template <class Group>
Jacobian<typename Group::Coordinate> sum_of_products(const byte* bases, const Scalars& scalars,
                                                     std::span<const Term> terms) {
  using Sum = Jacobian<typename Group::Coordinate>;
  const int width = window_width(terms.size());
  std::vector<typename Group::Point> points(terms.size());
  for (std::size_t i = 0; i < terms.size(); ++i) points[i] = decode_at<Group>(bases, terms[i].base);
  Sum total;
  for (int offset = (SCALAR_BITS - 1) / width * width; offset >= 0; offset -= width) {
    for (int i = 0; i < width; ++i) total = total.doubled();
    std::vector<Sum> buckets(std::size_t{1} << width);
    for (std::size_t i = 0; i < terms.size(); ++i)
      buckets[window_at(scalars.words(terms[i].scalar), offset, width)] += points[i];
    Sum running;
    for (std::size_t digit = buckets.size(); digit-- > 1;) {
      running += buckets[digit];
      total += running;
    }
  }
  return total;
}

}  // namespace

template <class Group>
typename Group::Point msm(const byte* bases, const Scalars& scalars, int threads) {
  using Sum = Jacobian<typename Group::Coordinate>;
  const Selection selection = select(scalars);
  std::vector<Sum> parts(static_cast<std::size_t>(std::max(threads, 1)));
  const std::span terms(selection.terms);
  parallel_for(terms.size(), threads, [&](int thread, std::size_t begin, std::size_t end) {
    parts[thread] += sum_of_products<Group>(bases, scalars, terms.subspan(begin, end - begin));
  });
  parallel_for(selection.ones.size(), threads, [&](int thread, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) parts[thread] += decode_at<Group>(bases, selection.ones[i]);
  });
  Sum total;
  for (const Sum& part : parts) total += part;
  return total.to_affine();
}

template G1::Point msm<G1>(const byte*, const Scalars&, int);
template G2::Point msm<G2>(const byte*, const Scalars&, int);

}  // namespace cuzk
