#include "util/isa.hpp"

#include <atomic>
#include <cstdlib>
#include <string>

#include "util/errors.hpp"

namespace cuzk {
namespace {

bool has_avx512ifma() {
#if defined(CUZK_HAS_IFMA_KERNELS)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512ifma") && __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

Isa parse(const std::string& name) {
  for (const Isa isa : {Isa::portable, Isa::avx512ifma}) {
    if (name != isa_name(isa)) continue;
    if (!isa_available(isa)) throw InputError("the instruction set " + name + " is not available on this machine");
    return isa;
  }
  throw InputError("the instruction set is '" + name + "', expected portable or avx512ifma");
}

Isa initial() {
  if (const char* name = std::getenv("CUZK_ISA"); name != nullptr && *name != '\0') return parse(name);
  return isa_available(Isa::avx512ifma) ? Isa::avx512ifma : Isa::portable;
}

std::atomic<Isa>& current() {
  static std::atomic<Isa> isa{initial()};
  return isa;
}

}  // namespace

bool isa_available(Isa isa) {
  static const bool avx512ifma = has_avx512ifma();
  return isa == Isa::portable || avx512ifma;
}

const char* isa_name(Isa isa) { return isa == Isa::portable ? "portable" : "avx512ifma"; }

Isa active_isa() { return current(); }

void set_active_isa(const char* name) { current() = parse(name); }

}  // namespace cuzk
