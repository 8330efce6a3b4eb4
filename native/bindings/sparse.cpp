// Sparse rows times a vector, and transposed.
#include "sparse/sparse.hpp"

#include "bindings/module.hpp"

namespace cuzk::bindings {
namespace {

using Words = Array<const u64, nb::shape<-1>>;
using Indices = Array<const std::uint32_t, nb::shape<-1>>;

SparseRows rows_of(const Words& row_ptr, const Indices& cols, const Indices& coeff, const FrIn& table) {
  return {.row_ptr = {row_ptr.data(), row_ptr.size()},
          .cols = {cols.data(), cols.size()},
          .coeff = {coeff.data(), coeff.size()},
          .table = {table.data(), table.size()}};
}

void times(Words row_ptr, Indices cols, Indices coeff, FrIn table, FrIn z, FrInOut out, int threads) {
  const SparseRows matrix = rows_of(row_ptr, cols, coeff, table);
  require(out.shape(0) + 1 == row_ptr.size(), "out needs one entry for each row");
  nb::gil_scoped_release release;
  require_valid(matrix, z.shape(0), threads);
  sparse_times(matrix, {z.data(), z.size()}, out.data(), threads);
}

void accumulate_transposed(Words row_ptr, Indices cols, Indices coeff, FrIn table, FrIn weights, FrInOut out,
                           int threads) {
  const SparseRows matrix = rows_of(row_ptr, cols, coeff, table);
  require(weights.shape(0) + 1 == row_ptr.size(), "weights needs one entry for each row");
  nb::gil_scoped_release release;
  require_valid(matrix, out.shape(0), threads);
  sparse_accumulate_transposed(matrix, {weights.data(), weights.size()}, out.data(), out.shape(0), threads);
}

}  // namespace

void register_sparse(nb::module_& module) {
  module.def("sparse_times", &times, nb::arg("row_ptr"), nb::arg("cols"), nb::arg("coeff"), nb::arg("table"),
             nb::arg("z"), nb::arg("out"), nb::arg("threads"));
  module.def("sparse_accumulate_transposed", &accumulate_transposed, nb::arg("row_ptr"), nb::arg("cols"),
             nb::arg("coeff"), nb::arg("table"), nb::arg("weights"), nb::arg("out"), nb::arg("threads"));
}

}  // namespace cuzk::bindings
