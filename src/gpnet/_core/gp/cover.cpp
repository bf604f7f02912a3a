#include "gp/cover.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gp/profile.hpp"

namespace gpnet {
namespace {

const double kReaches[] = {1.0, 1.5, 2.0, 3.0, 4.0};  // sds, where scales are taken
constexpr double kLeastWeight = 0.1;                   // of a part in the mixture
const double kLargestRatio = std::log(3.0);  // a scanned point may weigh so much above the average
constexpr double kDeepest = 9.0;             // nats below the mode: no mass that matters
const double kLogT4 =
    std::lgamma(2.5) - std::lgamma(2.0) - 0.5 * std::log(4 * 3.14159265358979323846);

double log_sum_exp(const std::vector<double>& values) {
  const double top = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (double value : values) sum += std::exp(value - top);
  return top + std::log(sum);
}

// The t distribution with 4 degrees of freedom has a quantile in closed form.
double t4_quantile(double p) {
  const double root = 2 * std::sqrt(p * (1 - p));
  const double q = std::cos(std::acos(std::min(root, 1.0)) / 3) / root;
  return std::copysign(2 * std::sqrt(std::max(q - 1, 0.0)), p - 0.5);
}

// Wide enough for the fall of the target along one direction from the mode.
double scale(const Problem& problem, const Mode& mode, const Vector& direction) {
  double widest = 0.3;
  for (double reach : kReaches) {
    const double fall = mode.value - evaluate(problem, mode.u + reach * direction, 0).value;
    widest = std::max(widest, reach / std::sqrt(2 * std::max(fall, 1e-3)));
  }
  return widest;
}

}  // namespace

// -H = E Lambda E' (Lambda floored), sds = Lambda^{-1/2}; each axis points where its largest entry
// is positive, so that it is the same axis everywhere.
SplitT::SplitT(const Problem& problem, const Mode& mode, double least_precision, double widest) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(-mode.hessian);
  const Vector precisions = eigen.eigenvalues().cwiseMax(least_precision);
  const Index d = precisions.size();
  axes = eigen.eigenvectors();
  centre = mode.u;
  sds = precisions.cwiseSqrt().cwiseInverse();
  log_mass = mode.value + 0.5 * (kLog2Pi - precisions.array().log()).sum();
  up.resize(d);
  down.resize(d);
  for (Index k = 0; k < d; ++k) {
    Index largest;
    axes.col(k).cwiseAbs().maxCoeff(&largest);
    if (axes(largest, k) < 0) axes.col(k) *= -1;
    const Vector direction = sds[k] * axes.col(k);
    up[k] = std::min(scale(problem, mode, direction), widest);
    down[k] = std::min(scale(problem, mode, -direction), widest);
  }
}

void SplitT::place(const double* uniforms, Vector* u) const {
  *u = centre;
  for (Index k = 0; k < sds.size(); ++k) {
    const double t = t4_quantile(std::min(std::max(uniforms[k], 1e-12), 1 - 1e-12));
    *u += (t > 0 ? up[k] : down[k]) * t * sds[k] * axes.col(k);
  }
}

// prod_k t4(z_k / scale) / (scale sd_k)
double SplitT::log_density(const Vector& u) const {
  const Vector z = (axes.transpose() * (u - centre)).cwiseQuotient(sds);
  double result = 0;
  for (Index k = 0; k < z.size(); ++k) {
    const double scale = z[k] > 0 ? up[k] : down[k], t = z[k] / scale;
    result += kLogT4 - 2.5 * std::log1p(t * t / 4) - std::log(scale * sds[k]);
  }
  return result;
}

Cover::Cover(Problem problem, const std::vector<Mode>& modes,
             const std::vector<std::vector<double>>& grids)
    : problem_(std::move(problem)) {
  for (const Mode& mode : modes) add(SplitT(problem_, mode, 0.05, 4.0));
  for (const Mode& mode : modes)
    for (size_t axis = 0; axis < grids.size(); ++axis) cover_shoulder(mode, axis, grids[axis]);
}

// Weights by Laplace mass, small ones raised to a least weight.
void Cover::add(SplitT part) {
  n_evaluations += static_cast<int>(2 * std::size(kReaches) * part.sds.size());
  parts_.push_back(std::move(part));
  std::vector<double> masses;
  for (const SplitT& p : parts_) masses.push_back(p.log_mass);
  const double all = log_sum_exp(masses);
  double total = 0;
  for (double& mass : masses) total += mass = std::max(std::exp(mass - all), kLeastWeight);
  log_weights_.clear();
  bounds_.clear();
  for (double mass : masses) {
    log_weights_.push_back(std::log(mass / total));
    bounds_.push_back((bounds_.empty() ? 0.0 : bounds_.back()) + mass / total);
  }
}

double Cover::log_density(const Vector& u) const {
  std::vector<double> terms;
  for (size_t k = 0; k < parts_.size(); ++k) {
    terms.push_back(log_weights_[k] + parts_[k].log_density(u));
  }
  return log_sum_exp(terms);
}

// The scanned point most in need of cover gets a part, once climbed to the top of its slice.
void Cover::cover_shoulder(const Mode& mode, Index axis, const std::vector<double>& grid) {
  const int n = problem_.data.form.size();
  const bool lengthscale = axis % n == 0;
  const double shortest = *std::min_element(grid.begin(), grid.end());
  const Profile profile(problem_, mode.u, static_cast<int>(axis / n), shortest);
  Vector worst;
  double largest = -INFINITY;
  for (double place : grid) {
    Vector u = mode.u;
    u[axis] = place;
    const double value = lengthscale ? profile.value(place) : evaluate(problem_, u, 0).value;
    ++n_evaluations;
    const double log_weight = value - log_density(u);
    if (value >= mode.value - kDeepest && log_weight > largest) {
      largest = log_weight;
      worst = u;
    }
  }
  std::vector<double> masses;
  for (const SplitT& part : parts_) masses.push_back(part.log_mass);
  if (largest < log_sum_exp(masses) + kLargestRatio) return;
  const Mode top = climb(problem_, worst, static_cast<int>(axis), {}, &n_evaluations);
  add(SplitT(problem_, top, 1.0, 2.0));
}

Matrix Cover::log_weights(const Bits& net, const Bits& shifts, int n_bits) const {
  const double unit = std::ldexp(1.0, -n_bits);
  Matrix result(shifts.rows(), net.rows());
  std::vector<double> uniforms(net.cols());
  Vector u(problem_.n_dims());
  for (Index r = 0; r < shifts.rows(); ++r) {
    for (Index i = 0; i < net.rows(); ++i) {
      for (Index k = 0; k < net.cols(); ++k) {
        uniforms[k] = (static_cast<double>(net(i, k) ^ shifts(r, k)) + 0.5) * unit;
      }
      size_t part = 0;
      while (part + 1 < parts_.size() && uniforms[0] >= bounds_[part]) ++part;
      parts_[part].place(uniforms.data() + 1, &u);
      result(r, i) = evaluate(problem_, u, 0).value - log_density(u);
    }
  }
  return result;
}

}  // namespace gpnet
