#include "bindings/module.hpp"

namespace {

// Raises cuzk.errors.InputError for the kernels' InputError.
void translate(const std::exception_ptr& error, void*) {
  try {
    std::rethrow_exception(error);
  } catch (const cuzk::InputError& input_error) {
    const auto type = nanobind::module_::import_("cuzk.errors").attr("InputError");
    PyErr_SetString(type.ptr(), input_error.what());
  }
}

}  // namespace

NB_MODULE(_native, module) {
  using namespace cuzk::bindings;
  nb::register_exception_translator(translate);
  register_isa(module);
  register_bench(module);
  register_field(module);
  register_ntt(module);
  register_sparse(module);
  register_hash(module);
  register_sha256(module);
  register_witness(module);
  register_curve(module);
  register_msm(module);
}
