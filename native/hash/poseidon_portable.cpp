// Poseidon on any processor.
#include "field/lanes_portable.hpp"
#include "hash/poseidon_lanes.hpp"

namespace cuzk {

const PoseidonKernel PORTABLE_POSEIDON_KERNEL = poseidon_kernel<PortableLanes<1>>();

}  // namespace cuzk
