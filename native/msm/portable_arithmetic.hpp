// Portable arithmetic for the accumulator: affine points in Montgomery form over 64-bit words.
#pragma once

#include <cstdint>
#include <vector>

#include "curve/groups.hpp"
#include "msm/accumulator.hpp"

namespace cuzk {

template <class Group>
struct PortableArithmetic {
  using F = typename Group::Coordinate;
  using Point = Affine<F>;

  // What the batch needs between its two passes.
  struct Workspace {
    explicit Workspace(std::size_t capacity) : denominators(capacity), prefixes(capacity) {}
    std::vector<F> denominators, prefixes;
  };

  static void copy(Point& target, const Point& source, bool negate) { target = negate ? -source : source; }
  static Affine<F> to_affine(const Point& point) { return point; }
  static Point from_affine(const Affine<F>& point) { return point; }

  // Decodes the points at the given indices; is_infinity tells which are infinity.
  static void load(const byte* bases, const std::uint32_t* indices, std::size_t count, Point* out, bool* is_infinity) {
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = decode_at<Group>(bases, indices[i]);
      is_infinity[i] = out[i].is_infinity();
    }
  }

  // Chord and tangent: lambda = (y2 - y1) / (x2 - x1), or 3 x^2 / 2 y for equal points; x3 = lambda^2 - x1 - x2,
  // y3 = lambda (x1 - x3) - y1. All denominators are inverted at once (Montgomery's trick).
  static bool add(std::vector<Addition<Point>>& additions, const std::vector<Addition<Point>>& upcoming,
                  Workspace& workspace) {
    bool any_emptied = false;
    F product = F::one();
    for (std::size_t i = 0; i < additions.size(); ++i) {
      if (i < upcoming.size()) prefetch(upcoming[i]);
      Addition<Point>& addition = additions[i];
      const Point& p = *addition.target;
      const Point& q = *addition.addend;
      F denominator = q.x - p.x;
      if (denominator.is_zero()) {
        const bool equal = p.y == (addition.negate ? -q.y : q.y) && !p.y.is_zero();
        denominator = equal ? p.y.doubled() : F::one();
        addition.emptied = !equal;
        any_emptied |= !equal;
      }
      workspace.denominators[i] = denominator;
      workspace.prefixes[i] = product;
      product *= denominator;
    }
    F inverse = product.inverse();
    for (std::size_t i = additions.size(); i-- > 0;) {
      Point& p = *additions[i].target;
      const Point& q = *additions[i].addend;
      const F reciprocal = inverse * workspace.prefixes[i];
      inverse *= workspace.denominators[i];
      F numerator;
      if (p.x == q.x) {
        const F square = p.x.squared();
        numerator = square.doubled() + square;
      } else {
        numerator = (additions[i].negate ? -q.y : q.y) - p.y;
      }
      const F lambda = numerator * reciprocal;
      const F x3 = lambda.squared() - p.x - q.x;
      p.y = lambda * (p.x - x3) - p.y;
      p.x = x3;
    }
    return any_emptied;
  }

 private:
  static void prefetch(const Addition<Point>& addition) {
    for (std::size_t offset = 0; offset < sizeof(Point); offset += 64) {
      __builtin_prefetch(reinterpret_cast<const char*>(addition.target) + offset, 1);
      __builtin_prefetch(reinterpret_cast<const char*>(addition.addend) + offset);
    }
  }
};

}  // namespace cuzk
