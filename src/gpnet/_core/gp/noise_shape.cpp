#include "gp/noise_shape.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gpnet {
namespace {

constexpr int kMostSteps = 50;       // of Newton's
constexpr double kDecrement = 1e-6;  // where Newton stops: nats to gain, twice
constexpr double kHopeless = -5.0;   // nats: a family that one step leaves here has no say
constexpr double kNarrow = 0.05;     // a residual as exact as this is a point
constexpr int kPieces = 9;           // that any other is cut into

// With counts n_g on the grid and p_g the probability of a place under the density:
//   f(c) = n's - N log Z - c'c / 2,   H = -f'' = I + N root'(diag p - p p')root
// f is concave: Newton's steps, halved where f falls, lead to its one peak.
class Tilt {
 public:
  Tilt(const ShapeFamily& family, const Vector& log_base, const Vector& counts)
      : root_(family.root),
        log_base_(log_base),
        n_(counts.sum()),
        sums_(family.root.transpose() * counts),
        c_(Vector::Zero(family.root.cols())) {
    value_ = value(c_, &p_);
  }

  // Laplace's approximation of the log of the integral of exp f(c) N(c; 0, I).
  double log_integral(double base_ratio) {
    double decrement = step();
    // What one step promises, before it is taken in full.
    if (base_ratio + promise_ < kHopeless) return promise_;
    for (int k = 1; k < kMostSteps && decrement > kDecrement; ++k) decrement = step();
    return value_ - 0.5 * factorise();
  }

 private:
  double value(const Vector& c, Vector* p) const {
    *p = log_base_ + root_ * c;
    const double most = p->maxCoeff();
    *p = (p->array() - most).exp();
    const double sum = p->sum();
    *p /= sum;
    return sums_.dot(c) - n_ * (most + std::log(sum)) - 0.5 * c.squaredNorm();
  }

  // The Cholesky root of H; log |H|.
  double factorise() {
    const Vector mean = root_.transpose() * p_;
    Matrix H = Matrix::Identity(c_.size(), c_.size());
    const Matrix half = p_.cwiseSqrt().asDiagonal() * root_;
    H.selfadjointView<Eigen::Lower>().rankUpdate(half.transpose(), n_);
    H.selfadjointView<Eigen::Lower>().rankUpdate(mean, -n_);
    llt_.compute(H);
    return 2 * llt_.matrixLLT().diagonal().array().log().sum();
  }

  double step() {
    const double log_determinant = factorise();
    const Vector gradient = sums_ - n_ * (root_.transpose() * p_) - c_;
    const Vector direction = llt_.solve(gradient);
    const double decrement = gradient.dot(direction);
    promise_ = value_ + 0.5 * (decrement - log_determinant);
    Vector p;
    for (double size = 1; size > 1e-4; size /= 2) {
      const double found = value(c_ + size * direction, &p);
      if (found < value_ - 1e-10) continue;
      c_ += size * direction;
      value_ = found;
      p_ = p;
      break;
    }
    return decrement;
  }

  const Matrix& root_;
  const Vector& log_base_;
  const double n_;
  const Vector sums_;
  Vector c_, p_;
  double value_, promise_ = 0;
  Eigen::LLT<Matrix> llt_;
};

}  // namespace

ShapeFamily::ShapeFamily(double degrees, Matrix root)
    : degrees(degrees), root(std::move(root)), constant_(0) {
  if (std::isinf(degrees)) return;
  constant_ = std::lgamma((degrees + 1) / 2) - std::lgamma(degrees / 2) -
              0.5 * std::log(std::acos(-1.0) * (degrees - 2));
}

// The t density is scaled to a variance of 1.
double ShapeFamily::log_base_ratio(double e) const {
  if (std::isinf(degrees)) return 0;
  return constant_ - (degrees + 1) / 2 * std::log1p(e * e / (degrees - 2)) +
         0.5 * (e * e + kLog2Pi);
}

NoiseShapes::NoiseShapes(double reach, std::vector<ShapeFamily> families)
    : reach_(reach), families_(std::move(families)) {
  const Index n_places = families_.front().root.rows();
  step_ = 2 * reach_ / (n_places - 1);
  for (const ShapeFamily& family : families_) {
    Vector log_base(n_places);
    for (Index g = 0; g < n_places; ++g) {
      const double t = -reach_ + step_ * g, e = std::sinh(t);
      log_base[g] = family.log_base_ratio(e) - 0.5 * (e * e + kLog2Pi) +
                    std::log(std::cosh(t) * step_);
    }
    log_base_.push_back(std::move(log_base));
  }
}

// Each piece of a residual is shared by the two places around it.
Vector NoiseShapes::counts(const Vector& residuals, const Vector& widths) const {
  const Index n_places = families_.front().root.rows();
  Vector found = Vector::Zero(n_places);
  for (Index i = 0; i < residuals.size(); ++i) {
    const int n_pieces = widths[i] > kNarrow ? kPieces : 1;
    for (int piece = 0; piece < n_pieces; ++piece) {
      const double offset = n_pieces > 1 ? ((piece + 0.5) / n_pieces - 0.5) * widths[i] : 0.0;
      const double x = (std::asinh(residuals[i] + offset) + reach_) / step_;
      const double inside = std::clamp(x, 0.0, static_cast<double>(n_places - 1));
      const Index below = std::min(static_cast<Index>(inside), n_places - 2);
      found[below] += (below + 1 - inside) / n_pieces;
      found[below + 1] += (inside - below) / n_pieces;
    }
  }
  return found;
}

Vector NoiseShapes::log_ratios(const Vector& residuals, const Vector& widths) const {
  const Vector found = counts(residuals, widths);
  Vector result(n_families());
  for (Index k = 0; k < n_families(); ++k) {
    double base_ratio = 0;
    for (const double e : residuals) base_ratio += families_[k].log_base_ratio(e);
    result[k] = base_ratio + Tilt(families_[k], log_base_[k], found).log_integral(base_ratio);
  }
  return result;
}

}  // namespace gpnet
