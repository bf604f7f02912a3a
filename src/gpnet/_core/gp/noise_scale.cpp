#include "gp/noise_scale.hpp"

#include <cmath>

namespace gpnet {
namespace {

constexpr int kMostScaleSteps = 50;
constexpr double kScaleDecrement = 1e-6;
constexpr double kHopelessScale = -4.0;  // nats that one step leaves: it will not matter

}  // namespace

// f(c) = -sum n_i h_i - sum e_i^2 exp(-2 h_i) / 2 - c'c / 2 is concave; its gradient has the weights
// w_i = e_i^2 exp(-2 h_i), and -f'' = I + 2 design' diag(w) design.
VaryingScale varying_scale(const Vector& residuals, const Matrix& design, const Vector& counts) {
  const Vector squares = residuals.cwiseAbs2();
  const double reference = 0.5 * squares.sum();
  Vector c = Vector::Zero(design.cols()), h = Vector::Zero(design.rows()), w = squares;
  double value = -reference;
  Eigen::LLT<Matrix> llt;
  const auto factorise = [&] {
    Matrix H = Matrix::Identity(c.size(), c.size());
    const Matrix half = w.cwiseSqrt().asDiagonal() * design;
    H.selfadjointView<Eigen::Lower>().rankUpdate(half.transpose(), 2.0);
    llt.compute(H);
    return 2 * llt.matrixLLT().diagonal().array().log().sum();
  };
  for (int k = 0; k < kMostScaleSteps; ++k) {
    const double log_determinant = factorise();
    const Vector gradient = design.transpose() * (w - counts) - c;
    const Vector direction = llt.solve(gradient);
    const double decrement = gradient.dot(direction);
    const double promise = value + reference + 0.5 * (decrement - log_determinant);
    if (k == 0 && promise < kHopelessScale) return {promise, Vector()};
    const Vector along = design * direction;
    for (double size = 1; size > 1e-4; size /= 2) {
      const Vector tried = h + size * along;
      const Vector weights = squares.array() * (-2 * tried.array()).exp();
      const double prior = 0.5 * (c + size * direction).squaredNorm();
      const double found = -(counts.array() * tried.array()).sum() - 0.5 * weights.sum() - prior;
      if (!(found >= value - 1e-10)) continue;
      c += size * direction;
      h = tried;
      w = weights;
      value = found;
      break;
    }
    if (decrement < kScaleDecrement) break;
  }
  return {value + reference - 0.5 * factorise(), h};
}

}  // namespace gpnet
