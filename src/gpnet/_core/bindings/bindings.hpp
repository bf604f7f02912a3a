// Bindings between Python and the core: arguments checked, shapes in and out, the GIL released.
#pragma once

#include <nanobind/nanobind.h>

void bind_gp(nanobind::module_& m);
void bind_pivots(nanobind::module_& m);
void bind_noise(nanobind::module_& m);
void bind_exact(nanobind::module_& m);
void bind_parent_tables(nanobind::module_& m);
void bind_chains(nanobind::module_& m);
