#include "bindings/bindings.hpp"

namespace nb = nanobind;

// Whether this machine can run the other build, and that build was made.
static bool has_avx2() {
#ifdef GPNET_HAS_AVX2_BUILD
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

#define DEFINE_MODULE(name, variable) NB_MODULE(name, variable)  // so that the name is expanded

DEFINE_MODULE(GPNET_MODULE, m) {
  m.doc() = "The loops of gpnet that must be fast.";
  m.def("has_avx2", &has_avx2);
  bind_gp(m);
  bind_pivots(m);
  bind_noise(m);
  bind_exact(m);
  bind_parent_tables(m);
  bind_chains(m);
}
