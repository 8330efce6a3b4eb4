// Which instruction set the kernels use, chosen at run time.
//
// A kernel with a vector form keeps it in a file whose name ends in _ifma.cpp: CMake compiles these with AVX-512 IFMA
// on x86-64, and elsewhere they are left out. Such a file must not emit inline functions that other files use too, or
// the linker may keep the copy that an older processor cannot run: it includes no more than it must, and puts what it
// defines in an anonymous namespace.
#pragma once

namespace cuzk {

enum class Isa { portable, avx512ifma };

// The instruction set to use: at first the best that this processor has and that was built, or what the environment
// variable CUZK_ISA names (portable or avx512ifma). Throws InputError for another name or one that cannot run here.
Isa active_isa();

// Changes what active_isa() returns from now on; throws as it does. Tests run every kernel on every path this way.
void set_active_isa(const char* name);

bool isa_available(Isa isa);
const char* isa_name(Isa isa);

}  // namespace cuzk
