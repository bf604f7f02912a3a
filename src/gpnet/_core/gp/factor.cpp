#include "gp/factor.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gpnet {
namespace {

// Where a lengthscale lies: its band, and there the Chebyshev polynomials T_k with their
// derivatives in u = log lengthscale, K x (order + 1).
struct Place {
  int band;
  bool clamped;
  Matrix polynomials;
};

Place place(const Statistics& data, const Variable& variable, double u, int order) {
  const int n_bands = static_cast<int>(variable.bands.size());
  const double steps = (u - data.log_shortest) / data.band_width;
  Place at;
  at.clamped = !(steps >= 0 && steps <= n_bands);
  // 0 for nan as well, which is no band.
  const double inside = steps > 0 ? std::min(steps, static_cast<double>(n_bands)) : 0.0;
  at.band = std::min(static_cast<int>(inside), n_bands - 1);
  const double x = 2 * (inside - at.band) - 1;
  const Index K = variable.bands[at.band].root.cols();
  Matrix& T = at.polynomials;
  T = Matrix::Zero(K, order + 1);
  T(0, 0) = 1;
  T(1, 0) = x;
  if (order >= 1) T(1, 1) = 1;
  for (Index k = 2; k < K; ++k) {
    T(k, 0) = 2 * x * T(k - 1, 0) - T(k - 2, 0);
    if (order >= 1) T(k, 1) = 2 * T(k - 1, 0) + 2 * x * T(k - 1, 1) - T(k - 2, 1);
    if (order >= 2) T(k, 2) = 4 * T(k - 1, 1) + 2 * x * T(k - 1, 2) - T(k - 2, 2);
  }
  const double slope = at.clamped ? 0.0 : 2 / data.band_width;  // dx/du
  for (int k = 1; k <= order; ++k) T.col(k) *= std::pow(slope, k);
  return at;
}

// How many columns of L are needed.
Index rank(const Vector& log_left, double tolerance) {
  const double enough = std::log(tolerance);
  Index r = 0;
  while (r < log_left.size() && log_left[r] > enough) ++r;
  return r;
}

// The leading r columns of L, or of its derivative, down to row m; T weighs the coefficients.
template <typename Weights>
void fill(const Band& band, const Weights& T, Index m, Index r, Eigen::Ref<Matrix> L) {
  Index entry = 0;
  for (Index c = 0; c < r; ++c) {
    L.col(c).head(c).setZero();
    L.col(c).segment(c, m - c).noalias() = band.root.middleRows(entry, m - c) * T;
    entry += band.size - c;
  }
}

// How many rows of L are needed, the triangle above at least.
Index rows_needed(const Matrix& L, double tolerance) {
  Index m = L.rows();
  double left = 0;
  while (m > std::max<Index>(L.cols(), 2) && (left += L.row(m - 1).squaredNorm()) < tolerance) --m;
  return m;
}

const Root* find_kept(const Variable& variable, double log_lengthscale) {
  for (const Root& root : variable.kept) {
    if (root.log_lengthscale == log_lengthscale) return &root;
  }
  return nullptr;
}

// The leading columns of L that are needed, and L'L: from what is kept, or from the coefficients.
struct Curve {
  Matrix L, gram;
};

Curve curve(const Variable& variable, const Place& at, double log_lengthscale, double tolerance) {
  if (const Root* kept = find_kept(variable, log_lengthscale)) {
    const Index r = rank(kept->log_left, tolerance);
    return {kept->L.leftCols(r), kept->gram.topLeftCorner(r, r)};
  }
  const Band& band = variable.bands[at.band];
  const auto T = at.polynomials.col(0);
  Matrix L(band.size, rank(band.log_left * T, tolerance));
  fill(band, T, band.size, L.cols(), L);
  return {L, L.transpose() * L};
}

// With L1 the leading r rows of L:  E = L1^{-1} L1',  D = E + E',  and
// E2 = L1^{-1} L1'',  D2 = E2 + E2' + 2 E E'.
struct Changes {
  Matrix first, second;
};

Changes changes(const Band& band, const Matrix& T, const Matrix& L) {
  const Index r = L.cols();
  const bool both = T.cols() > 2;
  Matrix E(r, both ? 2 * r : r);
  fill(band, T.col(1), r, r, E.leftCols(r));
  if (both) fill(band, T.col(2), r, r, E.rightCols(r));
  L.topRows(r).triangularView<Eigen::Lower>().solveInPlace(E);
  const auto E1 = E.leftCols(r), E2 = E.rightCols(r);
  Changes result{E1 + E1.transpose(), {}};
  if (both) {
    result.second = E2 + E2.transpose();
    result.second.noalias() += 2 * E1 * E1.transpose();
  }
  return result;
}

// A matrix among the columns of the curve, in the space of all columns.
Matrix padded(Matrix D, Index r) {
  if (D.rows() == r) return D;
  Matrix all = Matrix::Zero(r, r);
  all.topLeftCorner(D.rows(), D.cols()) = D;
  return all;
}

}  // namespace

int band_at(const Statistics& data, int index, double log_lengthscale) {
  return place(data, data.variables[index], log_lengthscale, 0).band;
}

std::vector<Root> kept_roots(const Statistics& data, const Variable& variable) {
  std::vector<Root> roots;
  for (double u : kKept) {
    const Place at = place(data, variable, u, 0);
    const Vector log_left = variable.bands[at.band].log_left * at.polynomials;
    const Curve all = curve(variable, at, u, 0.0);
    roots.push_back({u, all.L, all.gram, log_left});
  }
  return roots;
}

// F = [e^{a/2} L, e^{v/2} z]: the curve's columns, then the line's where there is one.
Factor factor(const Statistics& data, int index, const double* u, int order,
              Tolerance tolerance) {
  const Variable& variable = data.variables[index];
  const Form& form = data.form;
  const Place at = place(data, variable, u[0], order);
  const Band& band = variable.bands[at.band];
  const double amplitude = form.amplitude ? std::exp(u[1]) : 1.0;
  const double line = form.line * (form.line_parameter ? std::exp(u[1 + form.amplitude]) : 1.0);
  const bool straight = form.line > 0;

  Factor result;
  result.band = at.band;
  result.clamped = at.clamped;
  Curve shape = curve(variable, at, u[0], tolerance.columns / amplitude);
  const Index curved = shape.L.cols(), r = curved + straight;
  const Index m = rows_needed(shape.L, tolerance.rows / amplitude);
  result.F.resize(m, r);
  result.F.leftCols(curved) = std::sqrt(amplitude) * shape.L.topRows(m);
  if (straight) {
    result.F.col(curved) = std::sqrt(line) * variable.line.head(m);
    result.gram.noalias() = result.F.transpose() * result.F;
  } else {
    result.gram = amplitude * shape.gram;
  }
  if (order == 0) return result;

  Changes along = changes(band, at.polynomials, shape.L);
  const Matrix whole = padded(Matrix::Identity(curved, curved), r);
  result.first.push_back(padded(std::move(along.first), r));
  if (form.amplitude) result.first.push_back(whole);
  if (form.line_parameter) result.first.push_back(Matrix::Identity(r, r) - whole);
  if (order == 1) return result;

  const int n = form.size();
  result.second.assign(n, std::vector<Matrix>(n));
  result.second[0][0] = padded(std::move(along.second), r);
  if (form.amplitude) {
    result.second[1][0] = result.first[0];
    result.second[1][1] = whole;
  }
  if (form.line_parameter) result.second[n - 1][n - 1] = result.first[n - 1];
  return result;
}

// The coarsest band is enough: a line is smooth.
Factor line_factor(const Statistics& data, int index) {
  const Variable& variable = data.variables[index];
  Factor result;
  result.band = static_cast<int>(variable.bands.size()) - 1;
  const Index m = variable.bands[result.band].size;
  result.F = std::sqrt(data.slope_variance) * variable.line.head(m);
  result.gram = result.F.transpose() * result.F;
  return result;
}

Matrix across(const Statistics& data, int i, int band, Index m, int j, const Factor& other) {
  const Matrix& F = other.F;
  if (i > j) return data.cross(i, band, j, other.band).topLeftCorner(m, F.rows()) * F;
  return data.cross(j, other.band, i, band).topLeftCorner(F.rows(), m).transpose() * F;
}

}  // namespace gpnet
