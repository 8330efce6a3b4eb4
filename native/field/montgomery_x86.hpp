// Montgomery products for 4 and 6 words on x86-64 processors with BMI2 and ADX: mulx leaves the flags alone and
// adcx / adox keep two carry chains apart, so that the low and the high halves of a row's products are added side by
// side (Intel, "New Instructions Supporting Large Integer Arithmetic", 2012). No compiler makes such code from C++.
#pragma once

#if defined(__x86_64__)

#include <cpuid.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "util/limbs.hpp"

namespace cuzk::x86 {

// CUZK_ADX=0 in the environment of the process turns this path off, for tests of the plain one.
inline bool detect_adx() {
  const char* wanted = std::getenv("CUZK_ADX");
  if (wanted != nullptr && std::string_view(wanted) == "0") return false;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned BMI2 = 1u << 8, ADX = 1u << 19;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & BMI2) && (ebx & ADX);
}
inline const bool HAS_ADX = detect_adx();

// t += x[j] * rdx for one word j: low half into `a`, high half into `b`.
#define CUZK_PRODUCT(x, offset, a, b) \
  "mulxq " #offset "(%[" #x           \
  "]), %[lo], %[hi]\n"                \
  "adoxq %[lo], %[" #a                \
  "]\n"                               \
  "adcxq %[hi], %[" #b "]\n"
#define CUZK_BEGIN_ROW "xorl %k[lo], %k[lo]\n"  // clears both carries
#define CUZK_END_ROW(top) \
  "movl $0, %k[lo]\n"     \
  "adoxq %[lo], %[" #top "]\n"

// One step of CIOS: (t0 .. tn) += a * b[i], then += m * p with m such that t0 becomes 0, ready to be the next top.
#define CUZK_ROW4(x, t0, t1, t2, t3, t4)                                                           \
  CUZK_BEGIN_ROW CUZK_PRODUCT(x, 0, t0, t1) CUZK_PRODUCT(x, 8, t1, t2) CUZK_PRODUCT(x, 16, t2, t3) \
      CUZK_PRODUCT(x, 24, t3, t4) CUZK_END_ROW(t4)
#define CUZK_ROW6(x, t0, t1, t2, t3, t4, t5, t6)                                                   \
  CUZK_BEGIN_ROW CUZK_PRODUCT(x, 0, t0, t1) CUZK_PRODUCT(x, 8, t1, t2) CUZK_PRODUCT(x, 16, t2, t3) \
      CUZK_PRODUCT(x, 24, t3, t4) CUZK_PRODUCT(x, 32, t4, t5) CUZK_PRODUCT(x, 40, t5, t6) CUZK_END_ROW(t6)
#define CUZK_STEP(row, offset, t0, ...)                                                                               \
  "movq " #offset "(%[b]), %%rdx\n" row(a, t0, __VA_ARGS__) "movq %[" #t0 "], %%rdx\n imulq %[inverse], %%rdx\n" row( \
      p, t0, __VA_ARGS__)

// a * b / 2^256 modulo p, below 2 p; negated_inverse = -1 / p mod 2^64.
inline std::array<u64, 4> product(const std::array<u64, 4>& a, const std::array<u64, 4>& b, const std::array<u64, 4>& p,
                                  u64 negated_inverse) {
  u64 t0 = 0, t1 = 0, t2 = 0, t3 = 0, t4 = 0, lo, hi;
  asm(CUZK_STEP(CUZK_ROW4, 0, t0, t1, t2, t3, t4) CUZK_STEP(CUZK_ROW4, 8, t1, t2, t3, t4, t0)
          CUZK_STEP(CUZK_ROW4, 16, t2, t3, t4, t0, t1) CUZK_STEP(CUZK_ROW4, 24, t3, t4, t0, t1, t2)
      : [t0] "+r"(t0), [t1] "+r"(t1), [t2] "+r"(t2), [t3] "+r"(t3), [t4] "+r"(t4), [lo] "=&r"(lo), [hi] "=&r"(hi)
      : [a] "r"(a.data()), [b] "r"(b.data()), [p] "r"(p.data()), [inverse] "m"(negated_inverse), "m"(a), "m"(b), "m"(p)
      : "rdx", "cc");
  return {t4, t0, t1, t2};
}

inline std::array<u64, 6> product(const std::array<u64, 6>& a, const std::array<u64, 6>& b, const std::array<u64, 6>& p,
                                  u64 negated_inverse) {
  u64 t0 = 0, t1 = 0, t2 = 0, t3 = 0, t4 = 0, t5 = 0, t6 = 0, lo, hi;
  asm(CUZK_STEP(CUZK_ROW6, 0, t0, t1, t2, t3, t4, t5, t6) CUZK_STEP(CUZK_ROW6, 8, t1, t2, t3, t4, t5, t6, t0)
          CUZK_STEP(CUZK_ROW6, 16, t2, t3, t4, t5, t6, t0, t1) CUZK_STEP(CUZK_ROW6, 24, t3, t4, t5, t6, t0, t1, t2)
              CUZK_STEP(CUZK_ROW6, 32, t4, t5, t6, t0, t1, t2, t3) CUZK_STEP(CUZK_ROW6, 40, t5, t6, t0, t1, t2, t3, t4)
      : [t0] "+r"(t0), [t1] "+r"(t1), [t2] "+r"(t2), [t3] "+r"(t3), [t4] "+r"(t4), [t5] "+r"(t5), [t6] "+r"(t6),
        [lo] "=&r"(lo), [hi] "=&r"(hi)
      : [a] "r"(a.data()), [b] "r"(b.data()), [p] "r"(p.data()), [inverse] "m"(negated_inverse), "m"(a), "m"(b), "m"(p)
      : "rdx", "cc");
  return {t6, t0, t1, t2, t3, t4};
}

#undef CUZK_STEP
#undef CUZK_ROW4
#undef CUZK_ROW6
#undef CUZK_END_ROW
#undef CUZK_BEGIN_ROW
#undef CUZK_PRODUCT

}  // namespace cuzk::x86

#endif
