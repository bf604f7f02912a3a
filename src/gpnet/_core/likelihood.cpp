#include "likelihood.hpp"

#include <algorithm>
#include <cmath>

#include "factor.hpp"

namespace gpnet {
namespace {

constexpr double kResidual = 1e-7;  // of the trace of S, in units of min(1, sigma^2)

// B = sigma^2 I + V'V and c = V'x for V = [s 1, Q_1 F_1, Q_2 F_2, ...].
struct Normal {
  Matrix B;  // lower triangle
  Vector c;
  std::vector<Index> start;  // of each parent's block; the last is the rank
};

Normal normal_equations(const Problem& problem, const std::vector<Factor>& factors,
                        double variance) {
  const Statistics& data = problem.data;
  const int p = static_cast<int>(factors.size());
  Normal n;
  n.start.push_back(1);
  for (const Factor& f : factors) n.start.push_back(n.start.back() + f.F.cols());
  const Index r = n.start.back();
  n.B.resize(r, r);
  n.c.resize(r);
  const double s = data.mean_sd;
  n.B(0, 0) = s * s * data.n_rows;
  n.c[0] = s * data.target_sums[problem.node];
  for (int i = 0; i < p; ++i) {
    const Matrix& F = factors[i].F;
    const Index m = F.rows(), ri = F.cols(), at = n.start[i];
    const Variable& variable = data.variables[problem.parents[i]];
    n.B.col(0).segment(at, ri).noalias() = s * (F.transpose() * variable.ones.head(m));
    n.c.segment(at, ri).noalias() = F.transpose() * variable.targets.col(problem.node).head(m);
    n.B.block(at, at, ri, ri).noalias() = F.transpose() * F;
    for (int j = 0; j < i; ++j) {
      const Matrix& other = factors[j].F;
      const Matrix& cross = data.cross(problem.parents[i], factors[i].octave, problem.parents[j],
                                       factors[j].octave);
      const Matrix half = cross.topLeftCorner(m, other.rows()) * other;
      n.B.block(at, n.start[j], ri, other.cols()).noalias() = F.transpose() * half;
    }
  }
  n.B.diagonal().array() += variance;
  return n;
}

double add_prior(const Prior& prior, double u, double* slope, double* curve) {
  const double tail = prior.scale * std::exp(-u);
  *slope += tail - prior.shape;
  *curve -= tail;
  return prior.shape * std::log(prior.scale) - std::lgamma(prior.shape) - prior.shape * u - tail;
}

// Adds log p(u); the Hessian is diagonal.
void add_priors(const Problem& problem, const Vector& u, int order, Evaluation* e) {
  const Index d = u.size();
  const int n = problem.data.form.size();
  Vector slopes = Vector::Zero(d), curves = Vector::Zero(d);
  for (Index a = 0; a < d; ++a) {
    const Prior& prior = a + 1 < d ? problem.data.priors[a % n] : problem.data.noise;
    e->value += add_prior(prior, u[a], &slopes[a], &curves[a]);
  }
  if (order >= 1) e->gradient += slopes;
  if (order >= 2) e->hessian.diagonal() += curves;
}

}  // namespace

// With B as above, gamma = B^{-1} c, Z = I - sigma^2 B^{-1}, D_a as in factor.hpp:
//   log|Sigma| = (N - r) log sigma^2 + log|B|,   x'Sigma^{-1}x = (x'x - c'gamma) / sigma^2
//   t1 = tr Sigma^{-1} = (N - r)/sigma^2 + tr B^{-1},     a2 = |Sigma^{-1}x|^2
//   t2 = tr Sigma^{-2} = (N - r)/sigma^4 + |B^{-1}|_F^2,  a3 = x'Sigma^{-3}x
//   g_a = (gamma_i'D_a gamma_i - <Z_ii, D_a>) / 2,   g_s = sigma^2 (a2 - t1)
//   H_ab = tr(Z_ij D_b Z_ji D_a) / 2 - (D_a gamma_i)'Z_ij (D_b gamma_j)
//          + [i = j] (gamma_i'D_ab gamma_i - <Z_ii, D_ab>) / 2
//   H_as = sigma^2 <W_ii, D_a> - 2 sigma^2 (D_a gamma_i)'gamma2_i,  W = B^{-1} - sigma^2 B^{-2}
//   H_ss = 2 sigma^4 t2 - 4 sigma^4 a3 - 2 sigma^2 t1 + 2 sigma^2 a2
Evaluation evaluate(const Problem& problem, const Vector& u, int order) {
  const Statistics& data = problem.data;
  const int p = static_cast<int>(problem.parents.size()), n = data.form.size();
  const Index d = problem.n_dims();
  const double s = u[d - 1], variance = std::exp(2 * s);
  const double xx = data.target_squares[problem.node];

  Evaluation e;
  e.clamped = false;
  std::vector<Factor> factors;
  factors.reserve(p);
  for (int i = 0; i < p; ++i) {
    factors.push_back(factor(data, problem.parents[i], u.data() + i * n, order,
                             kResidual * std::min(1.0, variance)));
    e.clamped |= factors.back().clamped;
  }
  Normal normal = normal_equations(problem, factors, variance);
  const std::vector<Index>& start = normal.start;
  const Index r = e.rank = start.back();
  const Eigen::LLT<Eigen::Ref<Matrix>> llt(normal.B);
  if (llt.info() != Eigen::Success || !std::isfinite(variance) || variance == 0) {
    e.value = -INFINITY;
    e.gradient = Vector::Constant(d, NAN);
    e.hessian = Matrix::Constant(d, d, NAN);
    return e;
  }
  const double log_determinant =
      2 * normal.B.diagonal().array().log().sum() + (data.n_rows - r) * 2 * s;
  const Vector half = llt.matrixL().solve(normal.c);
  const double unexplained = xx - half.squaredNorm();
  e.value = -0.5 * (log_determinant + unexplained / variance + data.n_rows * kLog2Pi);
  if (order == 0) {
    add_priors(problem, u, 0, &e);
    return e;
  }

  Matrix inverse = Matrix::Identity(r, r);
  llt.matrixL().solveInPlace(inverse);
  inverse = inverse.triangularView<Eigen::Lower>().transpose() * inverse;
  const Vector gamma = llt.matrixU().solve(half);
  const double t1 = (data.n_rows - r) / variance + inverse.trace();
  const double a2 = (unexplained - variance * gamma.squaredNorm()) / (variance * variance);
  Matrix Z = -variance * inverse;
  Z.diagonal().array() += 1;

  e.gradient = Vector::Zero(d);
  std::vector<Vector> pulls(d - 1);  // D_a gamma_i
  for (Index a = 0; a + 1 < d; ++a) {
    const int i = static_cast<int>(a / n);
    const Index ri = factors[i].F.cols();
    const Matrix& D = factors[i].first[a % n];
    const auto gamma_i = gamma.segment(start[i], ri);
    pulls[a] = D * gamma_i;
    e.gradient[a] =
        0.5 * (gamma_i.dot(pulls[a]) - Z.block(start[i], start[i], ri, ri).cwiseProduct(D).sum());
  }
  e.gradient[d - 1] = variance * (a2 - t1);
  if (order == 1) {
    add_priors(problem, u, 1, &e);
    return e;
  }

  const Vector gamma2 = llt.solve(gamma);
  const double t2 = (data.n_rows - r) / (variance * variance) + inverse.squaredNorm();
  const double a3 = (a2 - gamma.dot(gamma2)) / variance;
  e.hessian = Matrix::Zero(d, d);
  for (Index a = 0; a + 1 < d; ++a) {
    const int i = static_cast<int>(a / n);
    const Index ri = factors[i].F.cols();
    const Matrix& D = factors[i].first[a % n];
    const auto gamma_i = gamma.segment(start[i], ri);
    const auto Zii = Z.block(start[i], start[i], ri, ri);
    for (Index b = 0; b <= a; ++b) {
      const int j = static_cast<int>(b / n);
      const Index rj = factors[j].F.cols();
      const auto Zij = Z.block(start[i], start[j], ri, rj);
      const Matrix right = Zij * factors[j].first[b % n];  // Z_ij D_b
      const Matrix left = D * Zij;                         // (Z_ji D_a)'
      double h = 0.5 * right.cwiseProduct(left).sum() - pulls[a].dot(Zij * pulls[b]);
      if (i == j) {
        const Matrix& second = factors[i].second[a % n][b % n];
        if (second.size() > 0) {
          h += 0.5 * (gamma_i.dot(second * gamma_i) - Zii.cwiseProduct(second).sum());
        }
      }
      e.hessian(a, b) = e.hessian(b, a) = h;
    }
    Matrix W = inverse.block(start[i], start[i], ri, ri);
    W.noalias() -= variance * (inverse.middleRows(start[i], ri) * inverse.middleCols(start[i], ri));
    e.hessian(a, d - 1) = e.hessian(d - 1, a) =
        variance * W.cwiseProduct(D).sum() -
        2 * variance * pulls[a].dot(gamma2.segment(start[i], ri));
  }
  e.hessian(d - 1, d - 1) =
      2 * variance * (variance * (t2 - 2 * a3) - t1 + a2);
  add_priors(problem, u, 2, &e);
  return e;
}

}  // namespace gpnet
