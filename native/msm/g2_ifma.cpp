#include "msm/images_ifma.hpp"
#include "msm/sums_ifma.hpp"

namespace cuzk::ifma {

void add_encoded(SumsView<G2Limbs> sums, const std::uint8_t* points, EntryRange range) {
  add_named(sums, EncodedPoints<G2Limbs>{points}, range);
}

void add_points(SumsView<G2Limbs> sums, const G2Limbs* points, EntryRange range) {
  add_named(sums, LimbPoints<G2Limbs>{points}, range);
}

void add_images(SumsView<G2Limbs> sums, const LimbImages<G2Limbs>* images, EntryRange range) {
  add_named(sums, ImagePoints<G2Limbs>{images}, range);
}

void add_sums(SumsView<G2Limbs> sums, SumsView<G2Limbs> addends, std::size_t groups) {
  add_lanes(sums, addends, groups);
}

void store_group(const LaneSums<G2Limbs>& sums, G2Limbs points[8]) { store_lane_points(sums, points); }

void convert(const std::uint8_t* encoded, const std::uint32_t* indices, std::size_t count, G2Limbs* points) {
  convert_points(encoded, indices, count, points);
}

void make_images(const G2Limbs* points, std::size_t count, const std::uint64_t beta[8], LimbImages<G2Limbs>* images) {
  write_images(points, count, beta, images);
}

}  // namespace cuzk::ifma
