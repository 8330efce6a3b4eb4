// The Poseidon hash over Fr in neptune's optimised form (https://eprint.iacr.org/2019/458, appendix B;
// argumentcomputer/neptune src/poseidon.rs): round constants pushed back through the linear layers, and one sparse
// matrix for each partial round.
#pragma once

#include <span>
#include <vector>

#include "field/fr.hpp"

namespace cuzk {

class Poseidon {
 public:
  static constexpr std::size_t MAX_WIDTH = 64;

  struct Shape {
    std::size_t width, full_rounds, partial_rounds;
  };

  // All constants in Montgomery form. `round_constants`: full_rounds * width + partial_rounds of them, in the order of
  // use. `mds`, `pre_sparse`: width * width, row by row. `sparse`: for each partial round the first column (width
  // entries), then the first row without its first entry (width - 1 entries).
  Poseidon(Shape shape, std::vector<Fr> round_constants, const std::vector<Fr>& mds, const std::vector<Fr>& pre_sparse,
           std::vector<Fr> sparse);

  std::size_t arity() const { return shape_.width - 1; }

  Fr hash(const Fr& domain_tag, std::span<const Fr> preimage) const;

 private:
  using State = std::array<Fr, MAX_WIDTH>;

  const Fr* full_round(State& state, const Fr* constants, const std::vector<Fr>& matrix) const;
  void multiply(State& state, const std::vector<Fr>& matrix) const;

  Shape shape_;
  std::vector<Fr> round_constants_;
  std::vector<Fr> mds_columns_;         // transposed, so that a product walks memory in order
  std::vector<Fr> pre_sparse_columns_;  // likewise
  std::vector<Fr> sparse_;
};

}  // namespace cuzk
