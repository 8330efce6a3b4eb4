#include "msm/affine_ifma.hpp"

namespace cuzk::ifma {

bool add_points(Additions<G1Limbs> additions, Upcoming<G1Limbs> upcoming, void* workspace) {
  return Batch<G1Limbs, FpLanes>(additions, upcoming, workspace).run();
}

void to_montgomery(G1Limbs* points, std::size_t count) { rows_to_montgomery(points, count); }

}  // namespace cuzk::ifma
