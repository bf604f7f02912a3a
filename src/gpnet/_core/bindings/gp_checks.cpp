#include "bindings/gp_checks.hpp"

#include <string>

#include "bindings/checks.hpp"

namespace gpnet {

namespace {

void check_shape(const char* what, Index rows, Index columns, Index n_rows, Index n_columns) {
  expect(rows == n_rows && columns == n_columns, what, ": expected shape (", n_rows, ", ",
         n_columns, "), found (", rows, ", ", columns, ")");
}

void check_finite(const char* what, double found, bool right, const char* expected) {
  expect(std::isfinite(found) && right, what, ": expected ", expected, ", found ", found);
}

void check_prior(const char* what, const Prior& prior) {
  check_finite(what, prior.shape, prior.shape > 0, "a shape above 0");
  check_finite(what, prior.scale, prior.scale > 0, "a scale above 0");
}

void check_set(const char* what, const Statistics& data, int variable) {
  expect_turn(data.is_set(variable), what, ": expected set_variable for it first, found variable ",
              variable, " without its basis");
}

// The columns of L, each from its diagonal down.
void check_band(const Band& band, Index number, Index most) {
  const std::string what = text("bands: number ", number);
  expect(band.size >= 1 && band.size <= most, what, ": expected a size from 1 to ", most,
         ", that of the band before, found ", band.size);
  const Index r = band.log_left.rows(), K = band.log_left.cols();
  expect(r <= band.size, what, ": expected log_left of at most ", band.size, " rows, found ", r);
  expect(K >= 2, what, ": expected log_left of 2 columns or more, found ", K);
  const Index entries = r * band.size - r * (r - 1) / 2;
  expect(band.root.rows() == entries && band.root.cols() == K, what, ": expected root of shape (",
         entries, ", ", K, "), found (", band.root.rows(), ", ", band.root.cols(), ")");
}

// The rows of panels that keep theirs, each once, in order.
void check_kept(const Eigen::VectorXi& panel, const Rows& weights, const Numbers& kept) {
  Index next = 0;
  for (Index row = 0; row < panel.size(); ++row) {
    if (weights(panel[row], 0) != 0) continue;
    expect(next < kept.size() && kept[next] == row,
           "kept: expected all rows of panels without weights, in order, found no row ", row);
    ++next;
  }
  check_length("kept", kept.size(), next, "one for each row of panels without weights");
}

}  // namespace

void check_statistics(Index n_rows, double log_shortest, double band_width, double mean_sd,
                      const Form& form, const std::vector<Prior>& priors, const Prior& noise,
                      double slope_variance, const Vector& sums, const Vector& squares) {
  expect(n_rows >= 1, "n_rows: expected 1 or more, found ", n_rows);
  check_finite("log_shortest", log_shortest, true, "a number");
  check_finite("band_width", band_width, band_width > 0, "a number above 0");
  check_finite("mean_sd", mean_sd, mean_sd >= 0, "0 or more");
  check_finite("line", form.line, form.line >= 0, "0 or more");
  check_finite("slope_variance", slope_variance, slope_variance >= 0, "0 or more");
  check_length("priors", priors.size(), form.size(), "one for each parameter of a parent");
  for (const Prior& prior : priors) check_prior("priors", prior);
  check_prior("noise", noise);
  expect(sums.size() >= 1, "target_sums: expected one or more, found none");
  check_length("target_squares", squares.size(), sums.size(), "one for each variable");
}

void check_panel_rows(Index n_rows, const Eigen::VectorXi& panel, const Eigen::VectorXi& starts,
                      const Rows& nodes, const Rows& weights, const Numbers& kept,
                      const Rows& values) {
  const Index p = values.cols(), n_panels = starts.size();
  expect(n_panels >= 1, "starts: expected one or more, found none");
  expect(p >= 1, "values: expected a column or more, found none");
  check_length("panel", panel.size(), n_rows, "one for each row");
  for (const int one : panel) check_index("panel", one, n_panels);
  for (Index k = 0; k < n_panels; ++k) {
    expect(k ? starts[k] > starts[k - 1] : starts[k] == 0,
           "starts: expected 0 first, then larger ones, found ", starts[k], " at ", k);
  }
  check_shape("nodes", nodes.rows(), nodes.cols(), n_panels, p);
  check_shape("weights", weights.rows(), weights.cols(), n_panels, p);
  check_kept(panel, weights, kept);
  check_shape("values", values.rows(), p, kept.size(), p);
}

void check_variable(const Statistics& data, int index, const Variable& variable) {
  check_index("index", index, data.n_variables());
  expect_turn(!data.is_set(index), "set_variable: expected each variable once, found ", index,
              " again");
  const Index m = variable.coordinates.cols();
  check_length("rows", variable.rows->n_rows(), data.n_rows, "one for each row of the table");
  const Index least = variable.rows->last_start() + variable.rows->width();
  expect(variable.coordinates.rows() >= least, "coordinates: expected ", least,
         " rows or more, so that the last panel ends within, found ", variable.coordinates.rows());
  expect(!variable.bands.empty(), "bands: expected one or more, found none");
  Index most = m;
  for (size_t k = 0; k < variable.bands.size(); ++k) {
    check_band(variable.bands[k], static_cast<Index>(k), most);
    most = variable.bands[k].size;
  }
  check_length("line", variable.line.size(), m, "one for each column of coordinates");
  check_length("ones", variable.ones.size(), m, "one for each column of coordinates");
  check_shape("targets", variable.targets.rows(), variable.targets.cols(), m, data.n_variables());
}

void check_problem(const Problem& problem) {
  const int n = problem.data.n_variables();
  check_index("node", problem.node, n);
  std::vector<int> all = problem.parents;
  all.insert(all.end(), problem.lines.begin(), problem.lines.end());
  check_nodes("parents, lines", all, n, problem.node);
  for (const int parent : all) check_set("parents, lines", problem.data, parent);
}

void check_parameters(const char* what, const Problem& problem, const Vector& u) {
  check_length(what, u.size(), problem.n_dims(), "the parameters of each parent and log sigma");
  check_no_nan(what, u.data(), u.size());
}

void check_points(const char* what, const Problem& problem, const Rows& points) {
  check_shape(what, points.rows(), points.cols(), points.rows(), problem.n_dims());
  check_no_nan(what, points.data(), points.size());
}

void check_factor(const Statistics& data, int variable, const Vector& u, double tolerance) {
  check_index("variable", variable, data.n_variables());
  check_set("variable", data, variable);
  check_length("u", u.size(), data.form.size(), "the parameters of one parent");
  check_no_nan("u", u.data(), u.size());
  expect(tolerance >= 0, "tolerance: expected 0 or more, found ", tolerance);
}

void check_fixed(const Problem& problem, int fixed) {
  const int d = static_cast<int>(problem.n_dims());
  check_between("fixed", fixed, -1, d - 1);
  expect(fixed < 0 || d > 1, "fixed: expected a coordinate beside it, found it alone");
}

void check_cover(const Problem& problem, const std::vector<Mode>& modes,
                 const std::vector<std::vector<double>>& grids) {
  const Index d = problem.n_dims();
  expect(!modes.empty(), "modes: expected one or more, found none");
  for (const Mode& mode : modes) {
    check_parameters("modes", problem, mode.u);
    check_finite("modes", mode.value, true, "a finite value");
    check_shape("modes: Hessian", mode.hessian.rows(), mode.hessian.cols(), d, d);
    check_no_nan("modes: Hessian", mode.hessian.data(), mode.hessian.size());
  }
  check_length("grids", grids.size(), d - 1, "one for each parameter but log sigma");
  for (const auto& grid : grids) {
    expect(!grid.empty(), "grids: expected one or more places in each, found none");
    check_no_nan("grids", grid.data(), grid.size());
  }
}

void check_bits(const Problem& problem, const Bits& net, const Bits& shifts, int n_bits) {
  const Index d = problem.n_dims() + 1;
  check_between("n_bits", n_bits, 1, 62);
  check_shape("net", net.rows(), net.cols(), net.rows(), d);
  check_shape("shifts", shifts.rows(), shifts.cols(), shifts.rows(), d);
  for (const Bits* bits : {&net, &shifts}) {
    for (Index i = 0; i < bits->size(); ++i) {
      expect(bits->data()[i] >> n_bits == 0, bits == &net ? "net" : "shifts",
             ": expected integers from 0 to 2^", n_bits, " - 1, found ", bits->data()[i]);
    }
  }
}

void check_pair_covariance(const PairCovariance& k, const Matrix& z) {
  expect(z.rows() >= 1, "z: expected a row or more, found none");
  check_no_nan("z", z.data(), z.size());
  check_length("lengthscales", k.lengthscales.size(), z.cols(), "one for each column of z");
  for (const double one : k.lengthscales) {
    check_finite("lengthscales", one, one > 0, "numbers above 0");
  }
  check_finite("constant", k.constant, k.constant >= 0, "0 or more");
  check_finite("main", k.main, k.main >= 0, "0 or more");
  check_finite("pair", k.pair, k.pair >= 0, "0 or more");
}

void check_pivot_rows(const PivotRows& rows) {
  const Index m = rows.z.rows();
  expect(m >= 1, "z: expected a row or more, found none");
  check_no_nan("z", rows.z.data(), rows.z.size());
  check_shape("noise", rows.noise.rows(), rows.noise.cols(), m, m);
  check_no_nan("noise", rows.noise.data(), rows.noise.size());
  check_length("target", rows.target.size(), m, "one for each row of z");
  check_no_nan("target", rows.target.data(), rows.target.size());
  check_finite("n_left", rows.n_left, rows.n_left >= 0, "0 or more");
  check_finite("rest", rows.rest, rows.rest >= 0, "0 or more");
}

}  // namespace gpnet
