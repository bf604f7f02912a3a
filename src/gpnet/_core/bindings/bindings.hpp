// Bindings between Python and the core: shapes in and out, the GIL released, nothing else.
#pragma once

#include <nanobind/nanobind.h>

void bind_gp(nanobind::module_& m);
void bind_exact(nanobind::module_& m);
void bind_chains(nanobind::module_& m);
