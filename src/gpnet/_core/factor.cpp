#include "factor.hpp"

#include <algorithm>
#include <cmath>

namespace gpnet {
namespace {

const double kLog2 = std::log(2.0);

// Chebyshev polynomials T_k and their derivatives in u = log lengthscale: K x (order + 1).
struct Place {
  int octave;
  bool clamped;
  Matrix polynomials;
};

Place place(const Statistics& data, const Variable& variable, double u, int order) {
  const int n_octaves = static_cast<int>(variable.octaves.size());
  const double steps = (u - data.log_shortest) / kLog2;
  Place at;
  at.clamped = !(steps >= 0 && steps <= n_octaves);
  const double inside = std::min(std::max(steps, 0.0), static_cast<double>(n_octaves));
  at.octave = std::min(static_cast<int>(inside), n_octaves - 1);
  const double x = 2 * (inside - at.octave) - 1;
  const Index K = variable.octaves[at.octave].diagonal.cols();
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
  const double slope = at.clamped ? 0.0 : 2 / kLog2;  // dx/du
  for (int k = 1; k <= order; ++k) T.col(k) *= std::pow(slope, k);
  return at;
}

}  // namespace

// Pivoted Cholesky of S. Only the pivots' columns of the table are ever evaluated. With F_p the
// pivots' rows of F, D = F_p^{-1} S'_pp F_p^{-T}.
Factor factor(const Statistics& data, int index, const double* u, int order, double tolerance) {
  const Variable& variable = data.variables[index];
  const Form& form = data.form;
  const Place at = place(data, variable, u[0], order);
  const double amplitude = form.amplitude ? std::exp(u[1]) : 1.0;
  const double line = form.line * (form.line_parameter ? std::exp(u[1 + form.amplitude]) : 1.0);
  const Matrix T = amplitude * at.polynomials;
  const Octave& octave = variable.octaves[at.octave];
  const Index m = octave.size;
  const auto z = variable.line.head(m);

  Vector left = octave.diagonal * T.col(0);
  if (line > 0) left += line * z.cwiseAbs2();
  const double smallest = 1e-14 * std::max(1.0, left.sum());
  Matrix F(m, m), slopes(m, order >= 1 ? m : 0), curves(m, order >= 2 ? m : 0);
  std::vector<Index> pivots;
  Matrix column(m, order + 1);
  Index r = 0;
  for (; r < m; ++r) {
    Index pivot;
    const double largest = left.maxCoeff(&pivot);
    if (left.sum() < tolerance || largest <= smallest) break;
    column.noalias() = octave.columns[pivot] * T;
    if (order >= 1) slopes.col(r) = column.col(1);
    if (order >= 2) curves.col(r) = column.col(2);
    auto fresh = F.col(r);
    fresh = column.col(0);
    if (line > 0) fresh += line * z[pivot] * z;
    fresh.noalias() -= F.leftCols(r) * F.row(pivot).head(r).transpose();
    fresh /= std::sqrt(largest);
    fresh[pivot] = std::sqrt(largest);
    for (Index earlier : pivots) fresh[earlier] = 0;
    pivots.push_back(pivot);
    left = (left - fresh.cwiseAbs2()).cwiseMax(0.0);
    left[pivot] = 0;
  }

  Factor result;
  result.octave = at.octave;
  result.clamped = at.clamped;
  result.F = F.leftCols(r);
  if (order == 0) return result;

  Matrix Fp(r, r), z_pivots(r, 1);
  for (Index a = 0; a < r; ++a) {
    Fp.row(a) = result.F.row(pivots[a]);
    z_pivots(a, 0) = z[pivots[a]];
  }
  const auto triangle = Fp.triangularView<Eigen::Lower>();
  auto pulled_back = [&](const Matrix& S) -> Matrix {  // F_p^{-1} S F_p^{-T}
    Matrix half = triangle.solve(S);
    half.transposeInPlace();
    triangle.solveInPlace(half);
    return 0.5 * (half + half.transpose());
  };
  auto at_pivots = [&](const Matrix& columns) {
    Matrix S(r, r);
    for (Index b = 0; b < r; ++b)
      for (Index a = 0; a < r; ++a) S(a, b) = columns(pivots[a], b);
    return S;
  };
  const int n = form.size();
  const Matrix along = pulled_back(at_pivots(slopes));  // e^a T'
  Matrix whole, straight;                                // e^a T and e^v z z'
  if (line > 0) {
    const Matrix half = triangle.solve(z_pivots);
    straight = line * half * half.transpose();
  }
  if (form.amplitude) {
    whole = Matrix::Identity(r, r);  // F_p^{-1} S_pp F_p^{-T} = I
    if (line > 0) whole -= straight;
  }
  result.first.push_back(along);
  if (form.amplitude) result.first.push_back(whole);
  if (form.line_parameter) result.first.push_back(straight);
  if (order == 1) return result;

  result.second.assign(n, std::vector<Matrix>(n));
  result.second[0][0] = pulled_back(at_pivots(curves));
  if (form.amplitude) {
    result.second[1][0] = along;
    result.second[1][1] = whole;
  }
  if (form.line_parameter) result.second[n - 1][n - 1] = straight;
  return result;
}

}  // namespace gpnet
