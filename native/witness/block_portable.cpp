// Blocks on any processor.
#include "field/lanes_portable.hpp"
#include "witness/machine.hpp"

namespace cuzk {

const BlockKernel PORTABLE_BLOCK_KERNEL = block_kernel<PortableLanes<4>>();

}  // namespace cuzk
