#include "msm/images_ifma.hpp"
#include "msm/sums_ifma.hpp"

namespace cuzk::ifma {

void add_encoded(SumsView<G1Limbs> sums, const std::uint8_t* points, EntryRange range) {
  add_named(sums, EncodedPoints<G1Limbs>{points}, range);
}

void add_points(SumsView<G1Limbs> sums, const G1Limbs* points, EntryRange range) {
  add_named(sums, LimbPoints<G1Limbs>{points}, range);
}

void add_images(SumsView<G1Limbs> sums, const LimbImages<G1Limbs>* images, EntryRange range) {
  add_named(sums, ImagePoints<G1Limbs>{images}, range);
}

void add_sums(SumsView<G1Limbs> sums, SumsView<G1Limbs> addends, std::size_t groups) {
  add_lanes(sums, addends, groups);
}

void store_group(const LaneSums<G1Limbs>& sums, G1Limbs points[8]) { store_lane_points(sums, points); }

void convert(const std::uint8_t* encoded, const std::uint32_t* indices, std::size_t count, G1Limbs* points) {
  convert_points(encoded, indices, count, points);
}

void make_images(const G1Limbs* points, std::size_t count, const std::uint64_t beta[8], LimbImages<G1Limbs>* images) {
  write_images(points, count, beta, images);
}

}  // namespace cuzk::ifma
