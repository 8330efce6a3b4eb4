// The one error that kernels raise for bad arguments; Python sees it as cuzk.errors.InputError (a ValueError).
#pragma once

#include <stdexcept>
#include <string>

namespace cuzk {

struct InputError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

inline void require(bool condition, const char* message) {
  if (!condition) throw InputError(message);
}

}  // namespace cuzk
