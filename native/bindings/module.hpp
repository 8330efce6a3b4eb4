// What the binding files share: array types at the boundary, and one function a family of kernels to register it.
//
// Scalars are uint64[n, 4], canonical little-endian limbs. Points are uint8[n, 96] (G1) or uint8[n, 192] (G2),
// uncompressed big-endian as in parameter files. Every array is C-contiguous and lives on the CPU.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>

#include "util/errors.hpp"

namespace cuzk::bindings {

namespace nb = nanobind;

template <class T, class... Shape>
using Array = nb::ndarray<T, nb::numpy, nb::device::cpu, nb::c_contig, Shape...>;
using FrIn = Array<const std::uint64_t, nb::shape<-1, 4>>;
using FrInOut = Array<std::uint64_t, nb::shape<-1, 4>>;
using FpIn = Array<const std::uint64_t, nb::shape<-1, 6>>;
using BitmapIn = Array<const std::uint64_t, nb::ndim<1>>;

void register_isa(nb::module_& module);
void register_bench(nb::module_& module);
void register_field(nb::module_& module);
void register_ntt(nb::module_& module);
void register_sparse(nb::module_& module);
void register_hash(nb::module_& module);
void register_sha256(nb::module_& module);
void register_witness(nb::module_& module);
void register_curve(nb::module_& module);
void register_msm(nb::module_& module);

}  // namespace cuzk::bindings
