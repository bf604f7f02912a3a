// The door between Python and the core: checks shapes, releases the GIL, calls.
#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>

#include "gram.hpp"

namespace nb = nanobind;
using Cube = nb::ndarray<nb::numpy, double, nb::ndim<3>, nb::c_contig>;

static Cube squared_exponential_gram(const gpnet::Vector& z, double theta, int order) {
  if (order < 0 || order > 2) throw nb::value_error("order must be 0, 1 or 2");
  const size_t n = z.size(), layers = order + 1;
  auto buffer = std::make_unique<double[]>(layers * n * n);
  {
    nb::gil_scoped_release release;
    gpnet::squared_exponential_gram(z, theta, order, buffer.get());
  }
  double* data = buffer.release();
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  return Cube(data, {layers, n, n}, owner);
}

NB_MODULE(_core, m) {
  m.doc() = "The loops of gpnet that must be fast.";
  m.def("squared_exponential_gram", &squared_exponential_gram, nb::arg("z"), nb::arg("theta"),
        nb::arg("order"), "Gram matrix and derivatives in log theta, shape (order + 1, n, n).");
}
