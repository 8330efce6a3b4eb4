// The Poseidon hash over Fr in neptune's optimised form (https://eprint.iacr.org/2019/458, appendix B;
// argumentcomputer/neptune src/poseidon.rs): round constants pushed back through the linear layers, and one sparse
// matrix for each partial round.
#pragma once

#include <span>
#include <vector>

#include "hash/poseidon_kernel.hpp"
#include "util/limbs.hpp"

namespace cuzk {

class Poseidon {
 public:
  // All constants are canonical, four words each. `round_constants`: full_rounds * width + partial_rounds of them, in
  // the order of use. `mds`, `pre_sparse`: width * width, row by row. `sparse`: for each partial round the first column
  // (width entries), then the first row without its first entry (width - 1 entries).
  Poseidon(PoseidonShape shape, std::span<const u64> round_constants, std::span<const u64> mds,
           std::span<const u64> pre_sparse, std::span<const u64> sparse);

  std::size_t arity() const { return shape_.width - 1; }

  // Hashes preimages of `arity` elements, one after another in `preimages`, canonical throughout. Throws InputError for
  // an element that is not.
  void hash(std::span<const u64> domain_tag, std::span<const u64> preimages, std::span<u64> digests, int threads) const;

 private:
  struct Prepared {
    const PoseidonKernel* kernel;
    std::vector<std::byte> constants;
  };

  PoseidonShape shape_;
  std::vector<Prepared> prepared_;  // for each instruction set that this processor has, the portable one first
};

}  // namespace cuzk
