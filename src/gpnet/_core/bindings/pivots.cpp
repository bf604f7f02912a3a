// Bindings of rows that stand for all.
#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <cmath>

#include "bindings/bindings.hpp"
#include "bindings/checks.hpp"
#include "bindings/gp_checks.hpp"
#include "gp/pivots.hpp"

namespace nb = nanobind;
using namespace gpnet;
using nb::arg;
using Release = nb::call_guard<nb::gil_scoped_release>;

static std::tuple<Numbers, Matrix, double> pivots_once(const Matrix& z, const Vector& lengthscales,
                                                       double constant, double main, double pair,
                                                       double tolerance, Index most) {
  const PairCovariance k{lengthscales, constant, main, pair};
  check_pair_covariance(k, z);
  expect(tolerance > 0, "tolerance: expected above 0, found ", tolerance);
  expect(most >= 1, "most: expected 1 or more, found ", most);
  Pivots found = choose_pivots(z, k, tolerance, most);
  const Numbers rows = Eigen::Map<Numbers>(found.rows.data(), found.rows.size());
  return {rows, std::move(found.root), found.left};
}

static void init_pivot_rows(PivotRows* self, const Matrix& z, const Matrix& noise,
                            const Vector& target, double n_left, double rest) {
  check_pivot_rows({z, noise, target, n_left, rest});
  new (self) PivotRows{z, noise, target, n_left, rest};
}

static double pivot_log_likelihood(const PivotRows& self, const Vector& lengthscales,
                                   double constant, double main, double pair, double variance) {
  const PairCovariance k{lengthscales, constant, main, pair};
  check_pair_covariance(k, self.z);
  expect(variance > 0 && std::isfinite(variance), "variance: expected above 0 and finite, found ",
         variance);
  return log_likelihood(self, k, variance);
}

void bind_pivots(nb::module_& m) {
  m.def("choose_pivots", &pivots_once, arg("z"), arg("lengthscales"), arg("constant"), arg("main"),
        arg("pair"), arg("tolerance"), arg("most"), Release(),
        "Rows that stand for all, a root of the covariance, and the trace that it leaves out.");
  nb::class_<PivotRows>(m, "PivotRows", "Rows that stand for all, with a noise of their own.")
      .def("__init__", &init_pivot_rows, arg("z"), arg("noise"), arg("target"), arg("n_left"),
           arg("rest"))
      .def("log_likelihood", &pivot_log_likelihood, arg("lengthscales"), arg("constant"),
           arg("main"), arg("pair"), arg("variance"), Release(),
           "Of all rows, less a constant; minus infinity where it cannot be computed.");
}
