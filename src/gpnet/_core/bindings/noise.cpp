// Bindings of densities of the noise.
#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <utility>

#include "bindings/bindings.hpp"
#include "bindings/checks.hpp"
#include "gp/noise_scale.hpp"
#include "gp/noise_shape.hpp"

namespace nb = nanobind;
using namespace gpnet;
using nb::arg;

static void check_residuals(const Vector& residuals) {
  expect(residuals.size() > 0, "residuals: expected one or more, found none");
  expect(residuals.allFinite(), "residuals: expected finite numbers");
}

using FamilyTuple = std::pair<double, Matrix>;  // degrees of freedom, root

static void init_shapes(NoiseShapes* self, double reach, const std::vector<FamilyTuple>& given) {
  expect(reach > 0 && std::isfinite(reach), "reach: expected above 0, and finite");
  expect(!given.empty(), "families: expected one or more, found none");
  std::vector<ShapeFamily> families;
  for (const auto& [degrees, root] : given) {
    expect(degrees > 2, "families: expected more than 2 degrees of freedom, found ", degrees);
    expect(root.rows() >= 2 && root.rows() == given.front().second.rows(),
           "families: expected roots with the same 2 or more rows");
    expect(root.cols() > 0 && root.allFinite(), "families: expected roots of finite numbers");
    families.emplace_back(degrees, root);
  }
  new (self) NoiseShapes(reach, std::move(families));
}

static Vector log_ratios(const NoiseShapes& self, const Vector& residuals, const Vector& widths) {
  check_residuals(residuals);
  check_length("widths", widths.size(), residuals.size(), "one for each residual");
  expect(widths.allFinite() && widths.minCoeff() >= 0, "widths: expected finite, 0 or more");
  return self.log_ratios(residuals, widths);
}

static std::pair<double, Vector> varying_scale_once(const Vector& residuals, const Matrix& design) {
  check_residuals(residuals);
  expect(design.rows() == residuals.size() && design.cols() > 0,
         "design: expected one row for each residual, and columns");
  expect(design.allFinite(), "design: expected finite numbers");
  VaryingScale found = varying_scale(residuals, design);
  return {found.log_ratio, std::move(found.log_sd)};
}

void bind_noise(nb::module_& m) {
  nb::class_<NoiseShapes>(m, "NoiseShapes", "Smooth densities of standardised residuals.")
      .def("__init__", &init_shapes, arg("reach"), arg("families"))
      .def("log_ratios", &log_ratios, arg("residuals"), arg("widths"),
           nb::call_guard<nb::gil_scoped_release>(),
           "For each family, log p(residuals) less that under N(0, 1).");
  m.def("varying_scale", &varying_scale_once, arg("residuals"), arg("design"),
        nb::call_guard<nb::gil_scoped_release>(),
        "log p(residuals) with a varying scale less that under N(0, 1), and the log scale.");
}
