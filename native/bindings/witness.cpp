// Compiled circuits: the bytes of their rows, and the execution of their witness programs.
#include <nanobind/stl/tuple.h>

#include "bindings/module.hpp"
#include "witness/executor.hpp"
#include "witness/rows.hpp"

namespace cuzk::bindings {
namespace {

using Words = Array<const u64, nb::shape<-1>>;
using Indices = Array<const std::uint32_t, nb::shape<-1>>;
using Bytes = Array<std::uint8_t, nb::shape<-1>>;

using Matrix = std::tuple<Words, Indices, Indices>;  // row_ptr, cols, coeff

SparseRows rows_of(const Matrix& matrix, const FrIn& table) {
  const auto& [row_ptr, cols, coeff] = matrix;
  return {.row_ptr = {row_ptr.data(), row_ptr.size()},
          .cols = {cols.data(), cols.size()},
          .coeff = {coeff.data(), coeff.size()},
          .table = {table.data(), table.size()}};
}

void encode(const Matrix& a, const Matrix& b, const Matrix& c, FrIn table, u64 num_inputs, std::size_t begin,
            std::size_t end, Bytes out) {
  nb::gil_scoped_release release;
  encode_rows({rows_of(a, table), rows_of(b, table), rows_of(c, table)}, num_inputs, begin, end,
              {out.data(), out.size()});
}

using Bitmap = Array<u64, nb::shape<-1>>;
using Extents = Array<const std::uint32_t, nb::shape<-1, 5>>;

Extent extent_of(const std::uint32_t* numbers) {
  return {.rows = numbers[0], .inputs = numbers[1], .aux = numbers[2], .wide = numbers[3], .data = numbers[4]};
}

void create_plan(WitnessPlan* self, FrIn coefficients, Extents total) {
  require(total.shape(0) == 1, "witness plan: one extent is needed");
  new (self) WitnessPlan({coefficients.data(), coefficients.size()}, extent_of(total.data()));
}

std::size_t add_program(WitnessPlan& plan, Array<const Word, nb::shape<-1>> code, std::uint32_t field_registers,
                        std::uint32_t bit_registers, Array<const bool, nb::shape<-1>> formal_is_bit, Extents extent) {
  require(extent.shape(0) == 1, "witness plan: one extent is needed");
  return plan.add_program(
      {.code = {code.data(), code.data() + code.size()},
       .field_registers = field_registers,
       .bit_registers = bit_registers,
       .formal_is_bit = std::vector<bool>(formal_is_bit.data(), formal_is_bit.data() + formal_is_bit.size()),
       .extent = extent_of(extent.data())});
}

void add_group(WitnessPlan& plan, std::size_t level, std::size_t program, Extents begins,
               Array<const std::uint32_t, nb::shape<-1, -1>> bindings) {
  InstanceGroup group{
      .program = program, .begins = {}, .bindings = {bindings.data(), bindings.data() + bindings.size()}};
  group.begins.reserve(begins.shape(0));
  for (std::size_t i = 0; i < begins.shape(0); ++i) group.begins.push_back(extent_of(begins.data() + 5 * i));
  plan.add_group(level, std::move(group));
}

void run_plan(const WitnessPlan& plan, FrIn data, FrInOut inputs, FrInOut values, Bitmap bits, FrInOut a, FrInOut b,
              int threads) {
  nb::gil_scoped_release release;
  plan.run({.data = {data.data(), data.size()},
            .inputs = {inputs.data(), inputs.size()},
            .values = {values.data(), values.size()},
            .bits = {bits.data(), bits.size()},
            .a = {a.data(), a.size()},
            .b = {b.data(), b.size()}},
           threads);
}

}  // namespace

void register_witness(nb::module_& module) {
  module.def("encode_rows", &encode, nb::arg("a"), nb::arg("b"), nb::arg("c"), nb::arg("table"), nb::arg("num_inputs"),
             nb::arg("begin"), nb::arg("end"), nb::arg("out"));
  nb::class_<WitnessPlan>(module, "WitnessPlan")
      .def("__init__", &create_plan, nb::arg("coefficients"), nb::arg("total"))
      .def("add_program", &add_program, nb::arg("code"), nb::arg("field_registers"), nb::arg("bit_registers"),
           nb::arg("formal_is_bit"), nb::arg("extent"))
      .def("add_group", &add_group, nb::arg("level"), nb::arg("program"), nb::arg("begins"), nb::arg("bindings"))
      .def("run", &run_plan, nb::arg("data"), nb::arg("inputs"), nb::arg("values"), nb::arg("bits"), nb::arg("a"),
           nb::arg("b"), nb::arg("threads"));
}

}  // namespace cuzk::bindings
