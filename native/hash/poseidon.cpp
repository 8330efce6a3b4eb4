#include "hash/poseidon.hpp"

#include <algorithm>

#include "field/canonical.hpp"
#include "field/fr.hpp"
#include "util/errors.hpp"
#include "util/isa.hpp"
#include "util/parallel.hpp"

namespace cuzk {
namespace {

constexpr std::size_t WORDS = Fr::LIMBS;

void append(std::vector<u64>& all, std::span<const u64> constants) {
  all.insert(all.end(), constants.begin(), constants.end());
}

void append_columns(std::vector<u64>& all, std::span<const u64> matrix, std::size_t width) {
  for (std::size_t j = 0; j < width; ++j)
    for (std::size_t i = 0; i < width; ++i) append(all, matrix.subspan(WORDS * (i * width + j), WORDS));
}

}  // namespace

Poseidon::Poseidon(PoseidonShape shape, std::span<const u64> round_constants, std::span<const u64> mds,
                   std::span<const u64> pre_sparse, std::span<const u64> sparse)
    : shape_(shape) {
  const auto [width, full_rounds, partial_rounds] = shape;
  require(width >= 2 && width <= MAX_POSEIDON_WIDTH, "poseidon: the width is not in 2..64");
  require(full_rounds >= 4 && full_rounds % 2 == 0, "poseidon: the number of full rounds is not even, or below 4");
  require(round_constants.size() == WORDS * (full_rounds * width + partial_rounds),
          "poseidon: wrong number of round constants");
  require(mds.size() == WORDS * width * width && pre_sparse.size() == mds.size(),
          "poseidon: a matrix has the wrong size");
  require(sparse.size() == WORDS * partial_rounds * (2 * width - 1), "poseidon: wrong number of sparse matrix entries");

  std::vector<u64> all;
  append(all, round_constants);
  append_columns(all, mds, width);
  append_columns(all, pre_sparse, width);
  append(all, sparse);
  require_canonical<Fr>(all.data(), all.size() / WORDS, "poseidon: constants", 1);

  prepared_.push_back({&PORTABLE_POSEIDON_KERNEL, {}});
#if defined(CUZK_HAS_IFMA_KERNELS)
  if (isa_available(Isa::avx512ifma)) prepared_.push_back({&IFMA_POSEIDON_KERNEL, {}});
#endif
  for (auto& [kernel, constants] : prepared_) {
    constants.resize(all.size() / WORDS * kernel->constant_size);
    kernel->prepare(all.data(), all.size() / WORDS, constants.data());
  }
}

void Poseidon::hash(std::span<const u64> domain_tag, std::span<const u64> preimages, std::span<u64> digests,
                    int threads) const {
  const std::size_t count = digests.size() / WORDS, preimage_words = WORDS * arity();
  require(domain_tag.size() == WORDS, "poseidon: one domain tag is needed");
  require(preimages.size() == preimage_words * count, "poseidon: preimages and digests differ in number");
  require_canonical<Fr>(domain_tag.data(), 1, "domain", 1);
  require_canonical<Fr>(preimages.data(), count * arity(), "preimages", threads);

  // Even a single preimage takes no longer in eight lanes.
  const Prepared& active = active_isa() == Isa::portable ? prepared_.front() : prepared_.back();
  const std::size_t lanes = active.kernel->lanes;
  parallel_for((count + lanes - 1) / lanes, threads, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t first = begin * lanes; first < std::min(count, end * lanes); first += lanes)
      active.kernel->hash(shape_, active.constants.data(), domain_tag.data(), preimages.data() + first * preimage_words,
                          std::min(lanes, count - first), digests.data() + first * WORDS);
  });
}

}  // namespace cuzk
