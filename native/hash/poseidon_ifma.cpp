// Poseidon of eight preimages at once.
#include "field/lanes_ifma.hpp"
#include "hash/poseidon_lanes.hpp"

namespace cuzk {

const PoseidonKernel IFMA_POSEIDON_KERNEL = poseidon_kernel<ifma::IfmaLanes>();

}  // namespace cuzk
