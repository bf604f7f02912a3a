#include "gp/profile.hpp"

#include <cmath>

namespace gpnet {
namespace {

Problem without(const Problem& problem, int parent) {
  Problem others = problem;
  others.parents.erase(others.parents.begin() + parent);
  return others;
}

Vector without(const Vector& u, Index at, Index n) {
  Vector rest(u.size() - n);
  rest << u.head(at), u.tail(u.size() - at - n);
  return rest;
}

// Q_i'V, to this band of i.
Matrix across_all(const Problem& others, const Model& model, int variable, int band) {
  const Variable& own = others.data.variables[variable];
  const Index m = own.bands[band].size;
  Matrix result(m, model.rank());
  result.col(0) = others.data.mean_sd * own.ones.head(m);
  for (size_t j = 0; j < model.factors.size(); ++j) {
    const Factor& other = model.factors[j];
    result.middleCols(model.start[j], other.F.cols()) =
        across(others.data, variable, band, m, others.variable(j), other);
  }
  return result;
}

}  // namespace

Profile::Profile(const Problem& problem, const Vector& u, int parent, double shortest)
    : problem_(problem),
      u_(u),
      variable_(problem.parents[parent]),
      at_(static_cast<Index>(parent) * problem.data.form.size()) {
  const Problem others = without(problem, parent);
  const Model model = build_model(others, without(u, at_, problem.data.form.size()), 0);
  Normal normal = normal_equations(others, model);
  variance_ = model.variance;
  const Eigen::LLT<Eigen::Ref<Matrix>> llt(normal.B);
  const int band = band_at(problem.data, variable_, shortest);
  shared_ = across_all(others, model, variable_, band).transpose();
  llt.matrixL().solveInPlace(shared_);
  const Vector half = llt.matrixL().solve(normal.c);
  const auto targets = problem.data.variables[variable_].targets.col(problem.node);
  left_ = targets.head(shared_.cols()) - shared_.transpose() * half;
  explained_ = half.squaredNorm();
  log_determinant_ = 2 * normal.B.diagonal().array().log().sum();
}

// With W = R^{-1}V'Q_i F and the Schur complement A = F'F + sigma^2 I - W'W: |B| = |R R'| |A|, and
// the new columns explain c'A^{-1}c with c = F'left.
double Profile::value(double log_lengthscale) const {
  const Statistics& data = problem_.data;
  Vector u = u_;
  u[at_] = log_lengthscale;
  const Factor own = factor(data, variable_, u.data() + at_, 0, tolerance(variance_, data.n_rows));
  const Matrix& F = own.F;
  const Index m = F.rows();
  const Matrix W = shared_.leftCols(m) * F;
  Matrix A = own.gram;
  A.selfadjointView<Eigen::Lower>().rankUpdate(W.transpose(), -1.0);
  A.diagonal().array() += variance_;
  const Eigen::LLT<Eigen::Ref<Matrix>> llt(A);
  if (llt.info() != Eigen::Success) return -INFINITY;
  const Vector c = F.transpose() * left_.head(m);
  const double explained = explained_ + llt.matrixL().solve(c).squaredNorm();
  const Index r = shared_.rows() + F.cols();
  const double log_determinant = log_determinant_ + 2 * A.diagonal().array().log().sum() +
                                 (data.n_rows - r) * std::log(variance_);
  const double unexplained = data.target_squares[problem_.node] - explained;
  double value = -0.5 * (log_determinant + unexplained / variance_ + data.n_rows * kLog2Pi);
  for (Index a = 0; a < u.size(); ++a) value += problem_.prior(a).log_density(u[a]);
  return value;
}

}  // namespace gpnet
