#include "gp/likelihood.hpp"

#include <algorithm>
#include <cmath>

#include "gp/model.hpp"

namespace gpnet {
namespace {

// Adds log p(u) with its derivatives; the Hessian is diagonal.
void add_priors(const Problem& problem, const Vector& u, Evaluation* e) {
  const Index d = u.size();
  for (Index a = 0; a < d; ++a) {
    const Prior& prior = problem.prior(a);
    const double tail = prior.scale * std::exp(-u[a]);
    e->value += prior.log_density(u[a]);
    if (e->gradient.size() > 0) e->gradient[a] += tail - prior.shape;
    if (e->hessian.size() > 0) e->hessian(a, a) -= tail;
  }
}

// What derivatives need of a model, with gamma = B^{-1} c, Z = I - sigma^2 B^{-1}, and for each
// parameter a of parent i its D_a:
//   t1 = tr Sigma^{-1} = (N - r)/sigma^2 + tr B^{-1},  a2 = |Sigma^{-1}x|^2
struct Slopes {
  Matrix inverse;            // B^{-1}
  Vector gamma;
  double t1, a2;
  std::vector<Matrix> P;     // Z_:i D_a
  std::vector<Vector> pull;  // D_a gamma_i
};

Matrix inverse_of(const Eigen::LLT<Eigen::Ref<Matrix>>& llt) {
  const Index r = llt.rows();
  Matrix root = Matrix::Identity(r, r);
  llt.matrixL().solveInPlace(root);
  Matrix inverse = Matrix::Zero(r, r);
  inverse.selfadjointView<Eigen::Lower>().rankUpdate(root.transpose());
  inverse.triangularView<Eigen::StrictlyUpper>() = inverse.transpose();
  return inverse;
}

// g_a = (gamma_i'D_a gamma_i - <Z_ii, D_a>) / 2,   g_s = sigma^2 (a2 - t1)
Vector gradient(const Model& model, const Slopes& s, int n) {
  const Index d = static_cast<Index>(s.P.size()) + 1;
  Vector g(d);
  for (Index a = 0; a + 1 < d; ++a) {
    const int i = static_cast<int>(a / n);
    const Index at = model.start[i], ri = model.width(i);
    g[a] = 0.5 * (s.gamma.segment(at, ri).dot(s.pull[a]) - s.P[a].middleRows(at, ri).trace());
  }
  g[d - 1] = model.variance * (s.a2 - s.t1);
  return g;
}

// H_ab = tr(Z_ij D_b Z_ji D_a) / 2 - (D_a gamma_i)'Z_ij (D_b gamma_j)
//        + [i = j] (gamma_i'D_ab gamma_i - <Z_ii, D_ab>) / 2
double curvature(const Model& model, const Slopes& s, int n, Index a, Index b) {
  const int i = static_cast<int>(a / n), j = static_cast<int>(b / n);
  const Index at_i = model.start[i], ri = model.width(i);
  const Index at_j = model.start[j], rj = model.width(j);
  const auto left = s.P[a].middleRows(at_j, rj), right = s.P[b].middleRows(at_i, ri);
  // Z = I - sigma^2 B^{-1}
  const auto inverse_ij = s.inverse.block(at_i, at_j, ri, rj);
  double h = 0.5 * right.cwiseProduct(left.transpose()).sum() +
             model.variance * s.pull[a].dot(inverse_ij * s.pull[b]);
  if (i != j) return h;
  h -= s.pull[a].dot(s.pull[b]);
  const Matrix& second = model.factors[i].second[a % n][b % n];
  if (second.size() == 0) return h;
  const auto gamma = s.gamma.segment(at_i, ri);
  const double inside = second.trace() - model.variance * inverse_ij.cwiseProduct(second).sum();
  return h + 0.5 * (gamma.dot(second * gamma) - inside);
}

// H_as = sigma^2 <(B^{-1}Z)_ii, D_a> - 2 sigma^2 (D_a gamma_i)'gamma2_i,  gamma2 = B^{-1} gamma
// H_ss = 2 sigma^4 t2 - 4 sigma^4 a3 - 2 sigma^2 t1 + 2 sigma^2 a2,  with
// t2 = tr Sigma^{-2} = (N - r)/sigma^4 + |B^{-1}|_F^2  and  a3 = x'Sigma^{-3}x
Matrix hessian(const Problem& problem, const Model& model, const Slopes& s) {
  const int n = problem.data.form.size();
  const Index d = problem.n_dims();
  const double variance = model.variance;
  const Vector gamma2 = s.inverse * s.gamma;
  Matrix H(d, d);
  for (Index a = 0; a + 1 < d; ++a) {
    const int i = static_cast<int>(a / n);
    const Index at = model.start[i], ri = model.width(i);
    for (Index b = 0; b <= a; ++b) H(a, b) = H(b, a) = curvature(model, s, n, a, b);
    const double spread = s.inverse.middleCols(at, ri).cwiseProduct(s.P[a]).sum();
    H(a, d - 1) = H(d - 1, a) =
        variance * (spread - 2 * s.pull[a].dot(gamma2.segment(at, ri)));
  }
  const double t2 = (problem.data.n_rows - model.rank()) / (variance * variance) +
                    s.inverse.squaredNorm();
  const double a3 = (s.a2 - s.gamma.dot(gamma2)) / variance;
  H(d - 1, d - 1) = 2 * variance * (variance * (t2 - 2 * a3) - s.t1 + s.a2);
  return H;
}

Slopes slopes(const Problem& problem, const Model& model,
              const Eigen::LLT<Eigen::Ref<Matrix>>& llt, const Vector& half, double unexplained) {
  const int n = problem.data.form.size();
  const Index r = model.rank(), d = problem.n_dims();
  Slopes s;
  s.inverse = inverse_of(llt);
  s.gamma = llt.matrixU().solve(half);
  s.t1 = (problem.data.n_rows - r) / model.variance + s.inverse.trace();
  s.a2 = (unexplained - model.variance * s.gamma.squaredNorm()) / (model.variance * model.variance);
  for (Index a = 0; a + 1 < d; ++a) {
    const int i = static_cast<int>(a / n);
    const Index at = model.start[i], ri = model.width(i);
    const Matrix& D = model.factors[i].first[a % n];
    Matrix P = -model.variance * s.inverse.middleCols(at, ri) * D;
    P.middleRows(at, ri) += D;
    s.P.push_back(std::move(P));
    s.pull.push_back(D * s.gamma.segment(at, ri));
  }
  return s;
}

Evaluation no_density(Index d) {
  return {-INFINITY, Vector::Constant(d, NAN), Matrix::Constant(d, d, NAN), 0, false};
}

}  // namespace

// log|Sigma| = (N - r) log sigma^2 + log|B|,   x'Sigma^{-1}x = (x'x - c'gamma) / sigma^2
Evaluation evaluate(const Problem& problem, const Vector& u, int order) {
  const Statistics& data = problem.data;
  const Index d = problem.n_dims();
  const double s = u[d - 1];
  const Model model = build_model(problem, u, order);
  Normal normal = normal_equations(problem, model);
  const Eigen::LLT<Eigen::Ref<Matrix>> llt(normal.B);
  if (llt.info() != Eigen::Success || !std::isfinite(model.variance) || model.variance == 0) {
    return no_density(d);
  }
  const Vector half = llt.matrixL().solve(normal.c);
  const double log_determinant = 2 * normal.B.diagonal().array().log().sum() +
                                 (data.n_rows - model.rank()) * 2 * s;
  const double unexplained = data.target_squares[problem.node] - half.squaredNorm();

  Evaluation e;
  e.rank = model.rank();
  e.clamped = std::any_of(model.factors.begin(), model.factors.end(),
                          [](const Factor& f) { return f.clamped; });
  e.value = -0.5 * (log_determinant + unexplained / model.variance + data.n_rows * kLog2Pi);
  if (order >= 1) {
    const Slopes at = slopes(problem, model, llt, half, unexplained);
    e.gradient = gradient(model, at, data.form.size());
    if (order >= 2) e.hessian = hessian(problem, model, at);
  }
  add_priors(problem, u, &e);
  return e;
}

}  // namespace gpnet
