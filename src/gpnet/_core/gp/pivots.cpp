#include "gp/pivots.hpp"

#include <algorithm>
#include <cmath>

namespace gpnet {
namespace {

// In units of the lengthscales.
Matrix scaled(const Matrix& z, const PairCovariance& k) {
  return z * k.lengthscales.cwiseInverse().asDiagonal();
}

// K of one row with those from `first` on; z is scaled.
Vector covariances(const Matrix& z, const PairCovariance& k, Index row, Index first) {
  const Index n = z.rows() - first;
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(n), squares = Eigen::ArrayXd::Zero(n), one(n);
  for (Index i = 0; i < z.cols(); ++i) {
    one = (-0.5 * (z.col(i).tail(n).array() - z(row, i)).square()).exp();
    sum += one;
    squares += one.square();
  }
  return k.constant + k.main * sum + 0.5 * k.pair * (sum.square() - squares);
}

}  // namespace

Pivots choose_pivots(const Matrix& unscaled, const PairCovariance& k, double tolerance, Index most) {
  const Matrix z = scaled(unscaled, k);
  const Index n = z.rows(), p = z.cols();
  most = std::min(most, n);
  Vector left = Vector::Constant(n, k.constant + k.main * p + k.pair * 0.5 * p * (p - 1));
  Pivots found{{}, Matrix(n, most), left.sum()};
  for (Index m = 0; m < most && found.left > tolerance; ++m) {
    Index row;
    const double largest = left.maxCoeff(&row);
    Vector column = covariances(z, k, row, 0);
    column.noalias() -= found.root.leftCols(m) * found.root.row(row).head(m).transpose();
    column /= std::sqrt(largest);
    for (const Index chosen : found.rows) column[chosen] = 0;  // as it is but for rounding
    column[row] = std::sqrt(largest);
    left = (left - column.cwiseAbs2()).cwiseMax(0.0);
    left[row] = 0;
    found.root.col(m) = column;
    found.rows.push_back(row);
    found.left = left.sum();
  }
  found.root.conservativeResize(n, static_cast<Index>(found.rows.size()));
  return found;
}

double log_likelihood(const PivotRows& rows, const PairCovariance& k, double variance) {
  const Matrix z = scaled(rows.z, k);
  const Index m = z.rows();
  Matrix S(m, m);
  for (Index j = 0; j < m; ++j) {
    S.col(j).tail(m - j) = covariances(z, k, j, j) + variance * rows.noise.col(j).tail(m - j);
  }
  const Eigen::LLT<Eigen::Ref<Matrix>> llt(S);
  if (llt.info() != Eigen::Success) return -INFINITY;
  const double log_determinant = 2 * S.diagonal().array().log().sum();
  const double explained = llt.matrixL().solve(rows.target).squaredNorm();
  const double outside = rows.n_left * std::log(variance) + rows.rest / variance;
  return -0.5 * (outside + log_determinant + explained);
}

}  // namespace gpnet
