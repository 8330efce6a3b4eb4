// Which instruction set is in use.
#include "util/isa.hpp"

#include "bindings/module.hpp"

namespace cuzk::bindings {

void register_isa(nb::module_& module) {
  module.def("isa", [] { return isa_name(active_isa()); });
  module.def("set_isa", &set_active_isa, nb::arg("name"));
  module.def(
      "isa_available",
      [](const char* name) {
        for (const Isa isa : {Isa::portable, Isa::avx512ifma})
          if (std::string_view(name) == isa_name(isa)) return isa_available(isa);
        return false;
      },
      nb::arg("name"));
}

}  // namespace cuzk::bindings
