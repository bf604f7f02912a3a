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

// Q_i'V, to the finest band of i.
Matrix across_all(const Problem& others, const Model& model, int variable) {
  const Variable& own = others.data.variables[variable];
  const Index m = own.bands[0].size;
  Matrix result(m, model.rank());
  result.col(0) = others.data.mean_sd * own.ones.head(m);
  for (size_t j = 0; j < model.factors.size(); ++j) {
    const Factor& other = model.factors[j];
    result.middleCols(model.start[j], other.F.cols()) =
        across(others.data, variable, 0, m, others.variable(j), other);
  }
  return result;
}

}  // namespace

Profile::Profile(const Problem& problem, const Vector& u, int parent)
    : problem_(problem),
      u_(u),
      variable_(problem.parents[parent]),
      at_(static_cast<Index>(parent) * problem.data.form.size()) {
  const Problem others = without(problem, parent);
  const Model model = build_model(others, without(u, at_, problem.data.form.size()), 0);
  Normal normal = normal_equations(others, model);
  variance_ = model.variance;
  across_ = across_all(others, model, variable_);
  root_ = normal.B.llt().matrixL();
  half_ = root_.triangularView<Eigen::Lower>().solve(normal.c);
  log_determinant_ = 2 * root_.diagonal().array().log().sum();
}

// With C = F'(Q_i'V), W = root^{-1}C' and the Schur complement A = F'F + sigma^2 I - W'W:
// |B| = |B_others| |A|, and the new columns explain (c_i - W'half)'A^{-1}(c_i - W'half).
double Profile::value(double log_lengthscale) const {
  const Statistics& data = problem_.data;
  Vector u = u_;
  u[at_] = log_lengthscale;
  const Factor own = factor(data, variable_, u.data() + at_, 0, tolerance(variance_));
  const Matrix& F = own.F;
  const Index m = F.rows();
  const Variable& variable = data.variables[variable_];
  Matrix W = across_.topRows(m).transpose() * F;
  root_.triangularView<Eigen::Lower>().solveInPlace(W);
  Matrix A = F.transpose() * F;
  A.noalias() -= W.transpose() * W;
  A.diagonal().array() += variance_;
  const Eigen::LLT<Eigen::Ref<Matrix>> llt(A);
  if (llt.info() != Eigen::Success) return -INFINITY;
  const Vector c = F.transpose() * variable.targets.col(problem_.node).head(m) -
                   W.transpose() * half_;
  const double explained = half_.squaredNorm() + llt.matrixL().solve(c).squaredNorm();
  const Index r = root_.rows() + F.cols();
  const double log_determinant = log_determinant_ + 2 * A.diagonal().array().log().sum() +
                                 (data.n_rows - r) * std::log(variance_);
  const double unexplained = data.target_squares[problem_.node] - explained;
  double value = -0.5 * (log_determinant + unexplained / variance_ + data.n_rows * kLog2Pi);
  for (Index a = 0; a < u.size(); ++a) value += problem_.prior(a).log_density(u[a]);
  return value;
}

}  // namespace gpnet
