// Portable arithmetic for multi-scalar multiplication: affine points in Montgomery form over 64-bit words.
//
// A point (x, y) is held as (x / R, y / (R S)), R = 2^384 and S = 2^192, a point of an isomorphic curve whose
// Montgomery form is (x, y / S): read from a file with half a reduction (see limb_point.hpp, which does the same).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "curve/groups.hpp"
#include "msm/eisenstein.hpp"
#include "msm/entry.hpp"

namespace cuzk {

template <class Group>
struct PortableArithmetic {
  using F = typename Group::Coordinate;
  using Point = Affine<F>;
  static constexpr const char* LAYOUT = "portable-1";

  static Affine<F> to_affine(const Point& point) {
    return {mapped(point.x, [](const Fp& v) { return Fp::from_canonical(v.words); }),
            mapped(point.y, [](const Fp& v) { return Fp::from_canonical(v.words) * S; })};
  }
  static Point from_affine(const Affine<F>& point) {
    return {mapped(point.x, [](const Fp& v) { return Fp{v.to_canonical()}; }),
            mapped(point.y, [](const Fp& v) { return divided(Fp{v.to_canonical()}); })};
  }

  static void convert(const byte* encoded, const std::uint32_t* indices, std::size_t count, Point* out) {
    for (std::size_t i = 0; i < count; ++i) out[i] = read(encoded + indices[i] * Group::POINT_SIZE);
  }

  // x, beta x, beta^2 x with the same y, named by entries as ifma::LimbImages are (limb_point.hpp).
  struct Images {
    F x[3], y;
  };
  static void make_images(const Point* points, std::size_t count, Images* images) {
    for (std::size_t i = 0; i < count; ++i) {
      const F& x = points[i].x;
      const F turned = x * BETA<Group>;
      images[i] = {{x, turned, -(x + turned)}, points[i].y};
    }
  }

  class Sums {
   public:
    explicit Sums(std::size_t capacity)
        : sums_(capacity), addends_(capacity), denominators_(capacity), prefixes_(capacity), states_(capacity, EMPTY) {}

    void clear(std::size_t count) { std::fill_n(states_.begin(), count, EMPTY); }

    void add(const byte* points, const Entry* entries, const Entry* upcoming, std::size_t count) {
      add_each(count, [=](std::size_t i, Point& addend) {
        if (upcoming && upcoming[i] != ABSENT)
          prefetch(points + index_of(upcoming[i]) * Group::POINT_SIZE, Group::POINT_SIZE);
        if (entries[i] == ABSENT) return false;
        addend = signed_point(read(points + index_of(entries[i]) * Group::POINT_SIZE), entries[i]);
        return true;
      });
    }
    void add(const Point* points, const Entry* entries, const Entry* upcoming, std::size_t count) {
      add_each(count, [=](std::size_t i, Point& addend) {
        if (upcoming && upcoming[i] != ABSENT) prefetch(&points[index_of(upcoming[i])], sizeof(Point));
        if (entries[i] == ABSENT) return false;
        addend = signed_point(points[index_of(entries[i])], entries[i]);
        return true;
      });
    }
    void add(const Images* images, const Entry* entries, const Entry* upcoming, std::size_t count) {
      add_each(count, [=](std::size_t i, Point& addend) {
        if (upcoming && upcoming[i] != ABSENT) prefetch(&images[index_of(upcoming[i]) / 4], sizeof(Images));
        if (entries[i] == ABSENT) return false;
        const Images& image = images[index_of(entries[i]) / 4];
        addend = signed_point({image.x[index_of(entries[i]) % 4], image.y}, entries[i]);
        return true;
      });
    }
    void add(Sums& others, std::size_t count) {
      add_each(count, [&](std::size_t i, Point& addend) {
        addend = others.sums_[i];
        return others.states_[i] != EMPTY;
      });
    }

    template <class Take>
    void for_each(std::size_t count, Take take) const {
      for (std::size_t i = 0; i < count; ++i)
        if (states_[i] != EMPTY) take(i, sums_[i]);
    }

   private:
    enum State : std::uint8_t { EMPTY, FILLED, ADDING, DOUBLING };

    // Chord and tangent: lambda = (y2 - y1) / (x2 - x1), or 3 x^2 / 2 y for equal points; x3 = lambda^2 - x1 - x2,
    // y3 = lambda (x1 - x3) - y1. All denominators are inverted at once (Montgomery's trick).
    template <class Fetch>
    void add_each(std::size_t count, Fetch fetch) {
      F product = F::one();
      for (std::size_t i = 0; i < count; ++i) {
        Point& q = addends_[i];
        if (!fetch(i, q)) continue;
        if (states_[i] == EMPTY) {
          sums_[i] = q;
          states_[i] = FILLED;
          continue;
        }
        const Point& p = sums_[i];
        F denominator = q.x - p.x;
        states_[i] = ADDING;
        if (denominator.is_zero()) {
          denominator = p.y.doubled();
          states_[i] = p.y == q.y && !denominator.is_zero() ? DOUBLING : EMPTY;
          if (states_[i] == EMPTY) continue;
        }
        denominators_[i] = denominator;
        prefixes_[i] = product;
        product *= denominator;
      }
      F inverse = product.inverse();
      for (std::size_t i = count; i-- > 0;) {
        if (states_[i] != ADDING && states_[i] != DOUBLING) continue;
        Point& p = sums_[i];
        const Point& q = addends_[i];
        const F reciprocal = inverse * prefixes_[i];
        inverse *= denominators_[i];
        F numerator = q.y - p.y;
        if (states_[i] == DOUBLING) {
          const F square = p.x.squared();
          numerator = square.doubled() + square;
        }
        const F lambda = numerator * reciprocal;
        const F x3 = lambda.squared() - p.x - q.x;
        p.y = lambda * (p.x - x3) - p.y;
        p.x = x3;
        states_[i] = FILLED;
      }
    }

    std::vector<Point> sums_, addends_;
    std::vector<F> denominators_, prefixes_;
    std::vector<State> states_;
  };

 private:
  static constexpr int HALF = Fp::LIMBS / 2;
  static constexpr Fp S = Fp::from_canonical([] {
    Fp::Words words{};
    words[HALF] = 1;
    return words;
  }());

  static Fp divided(const Fp& value) { return value.template divided_by_words<HALF>(); }

  template <class Function>
  static Fp mapped(const Fp& value, Function function) {
    return function(value);
  }
  template <class Function>
  static Fp2 mapped(const Fp2& value, Function function) {
    return {function(value.c0), function(value.c1)};
  }

  // A finite point that is known to be canonical; c1 comes before c0.
  static Point read(const byte* encoded) {
    if constexpr (sizeof(Point) == 2 * sizeof(Fp)) {
      return {read_integer(encoded), divided(read_integer(encoded + 48))};
    } else {
      return {{read_integer(encoded + 48), read_integer(encoded)},
              {divided(read_integer(encoded + 144)), divided(read_integer(encoded + 96))}};
    }
  }

  static Fp read_integer(const byte* big_endian) {
    Fp out;
    for (int i = 0; i < Fp::LIMBS; ++i) {
      u64 word = 0;
      for (int j = 0; j < 8; ++j) word = word << 8 | big_endian[8 * i + j];
      out.words[Fp::LIMBS - 1 - i] = word;
    }
    return out;
  }

  static Point signed_point(const Point& point, Entry e) { return is_negated(e) ? -point : point; }

  static void prefetch(const void* data, std::size_t size) {
    for (std::size_t offset = 0; offset < size; offset += 64)
      __builtin_prefetch(static_cast<const char*>(data) + offset);
    __builtin_prefetch(static_cast<const char*>(data) + size - 1);
  }
};

}  // namespace cuzk
