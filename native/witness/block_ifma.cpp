// Blocks of eight instances.
#include "field/lanes_ifma.hpp"
#include "witness/machine.hpp"

namespace cuzk {

const BlockKernel IFMA_BLOCK_KERNEL = block_kernel<ifma::IfmaLanes>();

}  // namespace cuzk
