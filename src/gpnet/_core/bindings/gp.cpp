// Bindings of the Gaussian processes.
#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>
#include <optional>

#include "bindings/bindings.hpp"
#include "bindings/checks.hpp"
#include "bindings/gp_checks.hpp"
#include "gp/cover.hpp"
#include "gp/factor.hpp"
#include "gp/gram.hpp"
#include "gp/likelihood.hpp"
#include "gp/matern.hpp"
#include "gp/modes.hpp"
#include "gp/noise_profile.hpp"
#include "gp/panel_rows.hpp"
#include "gp/profile.hpp"
#include "gp/residuals.hpp"
#include "gp/statistics.hpp"

namespace nb = nanobind;
using namespace gpnet;
using nb::arg;
using Release = nb::call_guard<nb::gil_scoped_release>;
using Cube = nb::ndarray<nb::numpy, double, nb::ndim<3>, nb::c_contig>;

static Cube squared_exponential_gram_array(const Vector& z, double theta, int order) {
  check_between("order", order, 0, 2);
  const size_t n = z.size(), layers = order + 1;
  auto buffer = std::make_unique<double[]>(layers * n * n);
  {
    nb::gil_scoped_release release;
    squared_exponential_gram(z, theta, order, buffer.get());
  }
  double* data = buffer.release();
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  return Cube(data, {layers, n, n}, owner);
}

using ShapeAndScale = std::pair<double, double>;

static Prior make_prior(const ShapeAndScale& given) { return {given.first, given.second}; }

static void init_statistics(Statistics* self, Index n_rows, double log_shortest,
                            double band_width, double mean_sd, bool amplitude, double line,
                            bool line_parameter, const std::vector<ShapeAndScale>& given,
                            ShapeAndScale noise, double slope_variance, const Vector& sums,
                            const Vector& squares) {
  std::vector<Prior> priors;
  for (const auto& one : given) priors.push_back(make_prior(one));
  const Form form{amplitude, line, line_parameter};
  check_statistics(n_rows, log_shortest, band_width, mean_sd, form, priors, make_prior(noise),
                   slope_variance, sums, squares);
  new (self) Statistics(n_rows, log_shortest, band_width, mean_sd, form, priors,
                        make_prior(noise), slope_variance, sums, squares);
}

// The values stay where they are, in memory of Python's that lives as long as this.
using ColumnOfTable = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu, nb::ro>;

static void init_panel_rows(PanelRows* self, const ColumnOfTable& z, const Eigen::VectorXi& panel,
                            const Eigen::VectorXi& starts, const Rows& nodes, const Rows& weights,
                            const Numbers& kept, const Rows& values) {
  const Index n_rows = static_cast<Index>(z.shape(0));
  check_panel_rows(n_rows, panel, starts, nodes, weights, kept, values);
  const Column column(z.data(), n_rows, Eigen::InnerStride<>(z.stride(0)));
  new (self) PanelRows(column, {panel.begin(), panel.end()},
                       {{starts.begin(), starts.end()}, nodes, weights}, kept, values);
}

static void check_rows(const Numbers& rows, Index n_rows) {
  for (const Index row : rows) check_index("rows", row, n_rows);
}

static Rows some_rows(const PanelRows& self, const Numbers& rows) {
  check_rows(rows, self.n_rows());
  return self.some(rows);
}

static Numbers starts_of(const PanelRows& self, const Numbers& rows) {
  Numbers found(rows.size());
  for (Index i = 0; i < rows.size(); ++i) {
    check_index("rows", rows[i], self.n_rows());
    found[i] = self.start(rows[i]);
  }
  return found;
}

static void add_products(const PanelRows& self, Index first, const Eigen::Ref<const Rows>& columns,
                         Eigen::Ref<Rows> sums) {
  check_between<Index>("first", first, 0, self.n_rows() - columns.rows());
  const Index least = self.last_start() + self.width();
  expect(sums.rows() >= least && sums.cols() == columns.cols(), "sums: expected ", least,
         " rows or more, and as many columns as of columns, found (", sums.rows(), ", ",
         sums.cols(), ")");
  self.add_products(first, columns, sums);
}

using BandTuple = std::tuple<Index, Matrix, Matrix>;  // size, root, log_left

static void set_variable(Statistics& self, int index, std::shared_ptr<const PanelRows> rows,
                         const Matrix& coordinates, const std::vector<BandTuple>& bands,
                         const Vector& line, const Vector& ones, const Matrix& targets) {
  Variable variable{std::move(rows), coordinates, {}, line, ones, targets, {}};
  for (const auto& [size, root, log_left] : bands) variable.bands.push_back({size, root, log_left});
  check_variable(self, index, variable);
  self.set(index, std::move(variable));
}

static Problem checked(const Statistics& data, int node, Parents parents, Parents lines) {
  Problem problem{data, node, std::move(parents), std::move(lines)};
  check_problem(problem);
  return problem;
}

using Answer = std::tuple<double, Vector, Matrix, Index, bool>;

static Answer evaluate_once(const Statistics& self, int node, Parents parents, const Vector& u,
                            int order, Parents lines) {
  const Problem problem = checked(self, node, std::move(parents), std::move(lines));
  check_parameters("u", problem, u);
  check_between("order", order, 0, 2);
  Evaluation e = evaluate(problem, u, order);
  return {e.value, std::move(e.gradient), std::move(e.hessian), e.rank, e.clamped};
}

static Vector values(const Statistics& self, int node, Parents parents, const Rows& points,
                     Parents lines) {
  const Problem problem = checked(self, node, std::move(parents), std::move(lines));
  check_points("points", problem, points);
  Vector result(points.rows());
  for (Index i = 0; i < points.rows(); ++i) {
    result[i] = evaluate(problem, points.row(i).transpose(), 0).value;
  }
  return result;
}

// F, then D and D2 of the log lengthscale, as in factor.hpp.
static std::tuple<Matrix, Matrix, Matrix> factor_once(const Statistics& self, int variable,
                                                      const Vector& u, double tolerance) {
  check_factor(self, variable, u, tolerance);
  Factor f = factor(self, variable, u.data(), 2, {tolerance, 0.0});
  return {std::move(f.F), std::move(f.first[0]), std::move(f.second[0][0])};
}

// Each mode: u, value, Hessian, Laplace evidence, converged, clamped.
using ModeAnswer = std::tuple<Vector, double, Matrix, double, bool, bool>;

static ModeAnswer answer(const Mode& mode) {
  return {mode.u, mode.value, mode.hessian, mode.log_laplace, mode.converged, mode.clamped};
}

static std::pair<std::vector<ModeAnswer>, int> find_modes_once(const Statistics& self, int node,
                                                               Parents parents, const Rows& seeds,
                                                               Parents lines) {
  const Problem problem = checked(self, node, std::move(parents), std::move(lines));
  check_points("seeds", problem, seeds);
  expect(seeds.rows() > 0 || problem.parents.size() == 1,
         "seeds: expected one or more, unless for one parent alone, found none");
  const Modes modes = find_modes(problem, seeds);
  std::vector<ModeAnswer> answers;
  for (const Mode& mode : modes.found) answers.push_back(answer(mode));
  return {answers, modes.n_evaluations};
}

static std::pair<ModeAnswer, int> climb_once(const Statistics& self, int node, Parents parents,
                                             const Vector& start, int fixed) {
  const Problem problem = checked(self, node, std::move(parents), {});
  check_parameters("start", problem, start);
  check_fixed(problem, fixed);
  int n_evaluations = 0;
  const Mode mode = climb(problem, start, fixed, {}, &n_evaluations);
  return {answer(mode), n_evaluations};
}

using ModeArgument = std::tuple<Vector, double, Matrix>;  // u, value, Hessian

static void init_cover(Cover* self, const Statistics& data, int node, Parents parents,
                       const std::vector<ModeArgument>& given,
                       const std::vector<std::vector<double>>& grids, Parents lines) {
  std::vector<Mode> modes;
  for (const auto& [u, value, hessian] : given) {
    modes.push_back({u, value, hessian, true, false, 0});
  }
  nb::gil_scoped_release release;
  const Problem problem = checked(data, node, std::move(parents), std::move(lines));
  check_cover(problem, modes, grids);
  new (self) Cover(problem, modes, grids);
}

static Matrix log_weights(Cover& self, const Bits& net, const Bits& shifts, int n_bits) {
  Matrix result;
  {
    nb::gil_scoped_release release;
    check_bits(self.problem(), net, shifts, n_bits);
    result = self.log_weights(net, shifts, n_bits);
  }
  self.n_evaluations += static_cast<int>(result.size());  // counted by one thread at a time
  return result;
}

static Vector profile_values(const Statistics& self, int node, Parents parents, const Vector& u,
                             int parent, const Vector& places) {
  const Problem problem = checked(self, node, std::move(parents), {});
  check_parameters("u", problem, u);
  check_index("parent", parent, static_cast<int64_t>(problem.parents.size()));
  check_no_nan("places", places.data(), places.size());
  expect(places.size() > 0, "places: expected one or more, found none");
  const Profile profile(problem, u, parent, places.minCoeff());
  return places.unaryExpr([&](double place) { return profile.value(place); });
}

static Vector noise_profile_values(const Statistics& self, int node, Parents parents,
                                   const Vector& u, const Vector& places) {
  const Problem problem = checked(self, node, std::move(parents), {});
  check_parameters("u", problem, u);
  check_no_nan("places", places.data(), places.size());
  expect(places.size() > 0, "places: expected one or more, found none");
  const NoiseProfile profile(problem, u, std::exp(places.minCoeff()));
  return places.unaryExpr([&](double place) { return profile.value(place); });
}

static std::pair<Vector, Vector> leave_one_out_once(const Statistics& self, int node,
                                                    Parents parents, const Vector& u,
                                                    const Vector& x, Parents lines) {
  const Problem problem = checked(self, node, std::move(parents), std::move(lines));
  check_parameters("u", problem, u);
  check_length("x", x.size(), self.n_rows, "one for each row");
  Residuals found = leave_one_out(problem, u, x);
  return {std::move(found.standardised), std::move(found.sd)};
}

static Matern checked_matern(const Vector& x, const Vector& gaps, double lengthscale,
                             std::optional<Vector> counts, double within) {
  expect(x.size() > 0 && gaps.size() == x.size() - 1,
         "gaps: expected one between each two entries of x");
  check_no_nan("x", x.data(), x.size());
  check_no_nan("gaps", gaps.data(), gaps.size());
  expect(gaps.size() == 0 || gaps.minCoeff() >= 0, "gaps: expected 0 or more");
  expect(lengthscale > 0 && std::isfinite(lengthscale), "lengthscale: expected above 0, and finite");
  if (!counts) counts = Vector::Ones(x.size());
  check_length("counts", counts->size(), x.size(), "one for each place");
  expect(counts->allFinite() && counts->minCoeff() >= 1, "counts: expected finite, 1 or more");
  expect(std::isfinite(within) && within >= 0, "within: expected finite, 0 or more");
  return Matern(x, gaps, lengthscale, {std::move(*counts), within});
}

static double matern_log_likelihood(const Vector& x, const Vector& gaps, double lengthscale,
                                    double log_sigma, std::optional<Vector> counts,
                                    double within) {
  return checked_matern(x, gaps, lengthscale, std::move(counts), within).log_likelihood(log_sigma);
}

static std::pair<double, double> matern_best_noise(const Vector& x, const Vector& gaps,
                                                   double lengthscale, ShapeAndScale noise,
                                                   std::optional<Vector> counts, double within) {
  const Prior prior = make_prior(noise);  // before the lock is released
  nb::gil_scoped_release release;
  return checked_matern(x, gaps, lengthscale, std::move(counts), within).best_noise(prior);
}

void bind_gp(nb::module_& m) {
  m.def("matern_log_likelihood", &matern_log_likelihood, arg("x"), arg("gaps"),
        arg("lengthscale"), arg("log_sigma"), arg("counts") = nb::none(), arg("within") = 0.0,
        Release(),
        "Of a Matern process of order 3/2 with noise, at places with these gaps between them.");
  m.def("matern_best_noise", &matern_best_noise, arg("x"), arg("gaps"), arg("lengthscale"),
        arg("noise"), arg("counts") = nb::none(), arg("within") = 0.0,
        "The largest log likelihood plus log prior over the noise, and its log sigma.");
  m.def("squared_exponential_gram", &squared_exponential_gram_array, arg("z"), arg("theta"),
        arg("order"), "Gram matrix and derivatives in log theta, shape (order + 1, n, n).");
  nb::class_<PanelRows>(m, "PanelRows", "Rows of a variable in the coordinates of its panels.")
      .def("__init__", &init_panel_rows, arg("z").noconvert(), arg("panel").noconvert(),
           arg("starts").noconvert(), arg("nodes"), arg("weights"), arg("kept"), arg("values"),
           nb::keep_alive<1, 2>())
      .def("some", &some_rows, arg("rows"), Release(), "Rows of these numbers, (k, p).")
      .def("add_products", &add_products, arg("first"), arg("columns").noconvert(),
           arg("sums").noconvert(), Release(),
           "Add the products of rows from `first` on with columns (k, c) to sums (M + p, c).")
      .def("starts", &starts_of, arg("rows"), "The first coordinates of these rows' panels.")
      .def_prop_ro("n_rows", &PanelRows::n_rows)
      .def_prop_ro("n_kept", &PanelRows::n_kept)
      .def_prop_ro("width", &PanelRows::width);
  nb::class_<Statistics>(m, "Statistics", "Sufficient statistics of a table under one kernel.")
      .def("__init__", &init_statistics, arg("n_rows"), arg("log_shortest"), arg("band_width"),
           arg("mean_sd"), arg("amplitude"), arg("line"), arg("line_parameter"), arg("priors"),
           arg("noise"), arg("slope_variance"), arg("target_sums"), arg("target_squares"))
      .def("set_variable", &set_variable, arg("index"), arg("rows"), arg("coordinates"),
           arg("bands"), arg("line"), arg("ones"), arg("targets"))
      .def("evaluate", &evaluate_once, arg("node"), arg("parents"), arg("u"), arg("order"),
           arg("lines") = Parents{}, Release(),
           "Value, gradient, Hessian, rank, and whether a lengthscale was clamped.")
      .def("factor", &factor_once, arg("variable"), arg("u"), arg("tolerance"), Release(),
           "F with S = F F', and D, D2 with S' = F D F', S'' = F D2 F'.")
      .def("values", &values, arg("node"), arg("parents"), arg("points"),
           arg("lines") = Parents{}, Release(), "The value at each row of points.")
      .def("find_modes", &find_modes_once, arg("node"), arg("parents"), arg("seeds"),
           arg("lines") = Parents{}, Release(),
           "Modes as (u, value, Hessian, Laplace, converged, clamped), and the evaluations spent.")
      .def("climb", &climb_once, arg("node"), arg("parents"), arg("start"), arg("fixed"),
           Release(), "The mode above a start, and the evaluations spent.")
      .def("noise_profile", &noise_profile_values, arg("node"), arg("parents"), arg("u"),
           arg("places"), Release(), "The value with each log sigma.")
      .def("leave_one_out", &leave_one_out_once, arg("node"), arg("parents"), arg("u"), arg("x"),
           arg("lines") = Parents{}, Release(),
           "Of each row given all others: the standardised residual, and its standard deviation.")
      .def("profile", &profile_values, arg("node"), arg("parents"), arg("u"), arg("parent"),
           arg("places"), Release(), "The value with one parent's log lengthscale at each place.");
  nb::class_<Cover>(m, "Cover", "A mixture of split-t distributions over one node's target.")
      .def("__init__", &init_cover, arg("statistics"), arg("node"), arg("parents"), arg("modes"),
           arg("grids"), arg("lines") = Parents{}, nb::keep_alive<1, 2>())
      .def("log_weights", &log_weights, arg("net").noconvert(), arg("shifts").noconvert(),
           arg("n_bits"),
           "Log importance weights (R, m) of a digital net (m, d + 1) under shifts (R, d + 1).")
      .def_prop_ro("n_parts", &Cover::n_parts)
      .def_prop_ro("n_evaluations", [](const Cover& self) { return self.n_evaluations; });
}
