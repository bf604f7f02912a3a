// Bindings of densities of the noise.
#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <string>
#include <tuple>
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

// Support by its name, degrees of freedom, ends of the grid, root.
using FamilyTuple = std::tuple<std::string, double, double, double, Matrix>;

static Support support_of(const std::string& name) {
  if (name == "line") return Support::line;
  if (name == "above_edge") return Support::above_edge;
  if (name == "below_edge") return Support::below_edge;
  expect(name == "between_edges", "families: expected line, above_edge, below_edge or ",
         "between_edges, found ", name);
  return Support::between_edges;
}

static void init_shapes(NoiseShapes* self, const std::vector<FamilyTuple>& given) {
  expect(!given.empty(), "families: expected one or more, found none");
  std::vector<ShapeFamily> families;
  for (const auto& [support, degrees, low, high, root] : given) {
    expect(degrees > 2, "families: expected more than 2 degrees of freedom, found ", degrees);
    expect(std::isfinite(low) && std::isfinite(high) && low < high,
           "families: expected a grid from a number to a larger one");
    expect(root.rows() >= 2 && root.cols() > 0, "families: expected roots with 2 or more rows");
    expect(root.allFinite(), "families: expected roots of finite numbers");
    families.emplace_back(support_of(support), degrees, low, high, root);
  }
  new (self) NoiseShapes(std::move(families));
}

static void check_widths(const Vector& residuals, const Vector& widths) {
  check_residuals(residuals);
  check_length("widths", widths.size(), residuals.size(), "one for each residual");
  expect(widths.allFinite() && widths.minCoeff() >= 0, "widths: expected finite, 0 or more");
}

static std::pair<Vector, Matrix> log_ratios_of_rows(const NoiseShapes& self,
                                                    const Vector& residuals,
                                                    const Vector& widths) {
  check_widths(residuals, widths);
  Matrix rows;
  Vector ratios = self.log_ratios(residuals, widths, {}, &rows);
  return {std::move(ratios), std::move(rows)};
}

static Vector log_ratios(const NoiseShapes& self, const Vector& residuals, const Vector& widths,
                         const std::optional<Vector>& counts) {
  check_widths(residuals, widths);
  if (!counts) return self.log_ratios(residuals, widths, {});
  check_length("counts", counts->size(), residuals.size(), "one for each residual");
  expect(counts->allFinite() && counts->minCoeff() >= 0, "counts: expected finite, 0 or more");
  return self.log_ratios(residuals, widths, *counts);
}

static std::pair<double, Vector> varying_scale_once(const Vector& residuals, const Matrix& design,
                                                    const std::optional<Vector>& counts) {
  check_residuals(residuals);
  expect(design.rows() == residuals.size() && design.cols() > 0,
         "design: expected one row for each residual, and columns");
  expect(design.allFinite(), "design: expected finite numbers");
  const Vector each = counts ? *counts : Vector::Ones(residuals.size());
  check_length("counts", each.size(), residuals.size(), "one for each residual");
  expect(each.allFinite() && each.minCoeff() >= 0, "counts: expected finite, 0 or more");
  VaryingScale found = varying_scale(residuals, design, each);
  return {found.log_ratio, std::move(found.log_sd)};
}

void bind_noise(nb::module_& m) {
  nb::class_<NoiseShapes>(m, "NoiseShapes", "Smooth densities of standardised residuals.")
      .def("__init__", &init_shapes, arg("families"))
      .def("log_ratios", &log_ratios, arg("residuals"), arg("widths"), arg("counts") = nb::none(),
           nb::call_guard<nb::gil_scoped_release>(),
           "For each family, log p(residuals) less that under N(0, 1).")
      .def("log_ratios_of_rows", &log_ratios_of_rows, arg("residuals"), arg("widths"),
           nb::call_guard<nb::gil_scoped_release>(),
           "The same, and what each residual (row) adds to it under each family (column).");
  m.def("varying_scale", &varying_scale_once, arg("residuals"), arg("design"), arg("counts") = nb::none(),
        nb::call_guard<nb::gil_scoped_release>(),
        "log p(residuals) with a varying scale less that under N(0, 1), and the log scale.");
}
