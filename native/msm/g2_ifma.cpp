#include "msm/affine_ifma.hpp"

namespace cuzk::ifma {

bool add_points(Additions<G2Limbs> additions, Upcoming<G2Limbs> upcoming, void* workspace) {
  return Batch<G2Limbs, Fp2Lanes>(additions, upcoming, workspace).run();
}

void to_montgomery(G2Limbs* points, std::size_t count) { rows_to_montgomery(points, count); }

}  // namespace cuzk::ifma
