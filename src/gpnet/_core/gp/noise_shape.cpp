#include "gp/noise_shape.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace gpnet {
namespace {

constexpr int kMostShapeSteps = 50;       // of Newton's
constexpr double kShapeDecrement = 1e-6;  // where Newton stops: nats to gain, twice
constexpr double kHopelessShape = -5.0;   // nats: a family that one step leaves here has no say
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

  // s at the peak on the grid, less log Z: what the tilt adds to log b.
  Vector log_tilt() const {
    const Vector s = root_ * c_;
    const Vector log_p = log_base_ + s;
    const double most = log_p.maxCoeff();
    return s.array() - most - std::log((log_p.array() - most).exp().sum());
  }

  // Laplace's approximation of the log of the integral of exp f(c) N(c; 0, I).
  double log_integral(double base_ratio, bool near) {
    double decrement = step();
    // What one step promises; far from the peak that is too little, and as much again may come.
    if (base_ratio + promise_ + (near ? 0 : decrement / 2) < kHopelessShape) return promise_;
    for (int k = 1; k < kMostShapeSteps && decrement > kShapeDecrement; ++k) decrement = step();
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

// Residuals in the coordinate t of a family: the counts n_g on its grid.
struct Placed {
  Vector counts;      // G
  double base_ratio;  // sum of log b(e_i) - log N(e_i; 0, 1), and what the edges cost
  std::function<double(double)> t;         // of a residual
  std::function<double(double)> base_row;  // log b(e) - log N(e; 0, 1) of one
};

struct Sample {
  const Vector &e, &widths, &counts;  // counts: empty where each residual is one
  double count(Index i) const { return counts.size() ? counts[i] : 1.0; }
  double size() const { return counts.size() ? counts.sum() : static_cast<double>(e.size()); }
  double mean() const { return counts.size() ? counts.dot(e) / size() : e.mean(); }
  double squares() const { return counts.size() ? counts.dot(e.cwiseAbs2()) : e.squaredNorm(); }
};

struct Extent {
  double low, high;  // just beyond the smallest and the largest residual, as far as these go
};

Extent extent_of(const Sample& x) {
  return {(x.e - x.widths / 2).minCoeff(), (x.e + x.widths / 2).maxCoeff()};
}

// An edge at a, where the density jumps to h: it is known to 1 / (h N), and was anywhere within
// some 3 standard deviations. One more step of that size inside lies what is expected of it.
double cost_of_edge(double n, double jump) { return 1 - std::log(3 * jump * n); }

// Calls place(t, share) for every piece of residual i.
template <typename Coordinate, typename Place>
void for_pieces_of(const Sample& x, Index i, const Coordinate& t, const Place& place) {
  const int n_pieces = x.widths[i] > kNarrow ? kPieces : 1;
  for (int piece = 0; piece < n_pieces; ++piece) {
    const double offset = n_pieces > 1 ? ((piece + 0.5) / n_pieces - 0.5) * x.widths[i] : 0.0;
    place(t(x.e[i] + offset), x.count(i) / n_pieces);
  }
}

// The two places of the grid around t, and how near it is to the upper one.
struct Between {
  Index below;
  double above;
};

Between between(const ShapeFamily& family, double t) {
  const Index n_places = family.root.rows();
  const double step = (family.high - family.low) / (n_places - 1);
  const double x = (t - family.low) / step;
  const double inside = x > 0 ? std::min(x, static_cast<double>(n_places - 1)) : 0.0;
  const Index below = std::min(static_cast<Index>(inside), n_places - 2);
  return {below, inside - below};
}

// Each piece of a residual is shared by the two places around it.
template <typename Coordinate>
Vector counts_of(const ShapeFamily& family, const Sample& sample, const Coordinate& t) {
  Vector found = Vector::Zero(family.root.rows());
  for (Index i = 0; i < sample.e.size(); ++i) {
    for_pieces_of(sample, i, t, [&](double at, double share) {
      const Between place = between(family, at);
      found[place.below] += (1 - place.above) * share;
      found[place.below + 1] += place.above * share;
    });
  }
  return found;
}

// log_density(t) is log b(e(t)) + log |de/dt|.
template <typename LogDensity>
Vector tabulated(const ShapeFamily& family, const LogDensity& log_density) {
  const Index n_places = family.root.rows();
  const double step = (family.high - family.low) / (n_places - 1);
  Vector found(n_places);
  for (Index g = 0; g < n_places; ++g) {
    found[g] = log_density(family.low + step * g) + std::log(step);
  }
  return found;
}

double log_normal(double e) { return -0.5 * (e * e + kLog2Pi); }

double sum_of_log_normal(const Sample& x) { return -0.5 * (x.squares() + x.size() * kLog2Pi); }

Vector counts_on_line(const ShapeFamily& family, const Sample& x) {
  return counts_of(family, x, [](double e) { return std::asinh(e); });
}

double base_ratio_on_line(const ShapeFamily& family, const Sample& x) {
  double sum = 0;
  if (std::isinf(family.degrees)) return sum;
  for (Index i = 0; i < x.e.size(); ++i) sum += x.count(i) * family.log_base_ratio(x.e[i]);
  return sum;
}

// Distances w from an edge below have the mean m: b(w) = exp(-w / m) / m, t = log(w / m).
Placed above_edge(const ShapeFamily& family, const Sample& x) {
  const double n = x.size(), mean = x.mean();
  const double m = (mean - extent_of(x).low) * (1 + 1 / n), edge = mean - m;
  const auto t = [=](double e) { return std::log(std::max(e - edge, 1e-300) / m); };
  return {counts_of(family, x, t),
          cost_of_edge(n, 1 / m) - 0.5 * std::log(n) - n * (1 + std::log(m)) -
              sum_of_log_normal(x),
          t, [=](double e) { return (edge - e) / m - std::log(m) - log_normal(e); }};
}

// The same for the residuals turned about 0.
Placed below_edge(const ShapeFamily& family, const Sample& x) {
  const Vector turned = -x.e;
  Placed found = above_edge(family, {turned, x.widths, x.counts});
  found.t = [t = found.t](double e) { return t(-e); };
  found.base_row = [row = found.base_row](double e) { return row(-e); };
  return found;
}

// v is the place between the edges, from 0 to 1: b uniform, t = log(v / (1 - v)).
Placed between_edges(const ShapeFamily& family, const Sample& sample) {
  const double n = sample.size();
  const Extent extent = extent_of(sample);
  const double beyond = (extent.high - extent.low) / n;
  const double low = extent.low - beyond, high = extent.high + beyond, range = high - low;
  const auto logit = [=](double x) {
    return std::log(std::max(x - low, 1e-300) / std::max(high - x, 1e-300));
  };
  return {counts_of(family, sample, logit),
          2 * cost_of_edge(n, 1 / range) - n * std::log(range) - sum_of_log_normal(sample),
          logit, [=](double e) { return -std::log(range) - log_normal(e); }};
}

Placed with_edges(const ShapeFamily& family, const Sample& x) {
  switch (family.support) {
    case Support::above_edge: return above_edge(family, x);
    case Support::below_edge: return below_edge(family, x);
    default: return between_edges(family, x);
  }
}

// Of each residual, log of the tilted density less log N(e; 0, 1).
Vector ratio_of_rows(const ShapeFamily& family, const Sample& x, const Placed& placed,
                     const Vector& log_tilt) {
  Vector found(x.e.size());
  for (Index i = 0; i < x.e.size(); ++i) {
    double tilt = 0;
    for_pieces_of(x, i, placed.t, [&](double at, double share) {
      const Between place = between(family, at);
      tilt += share * ((1 - place.above) * log_tilt[place.below] +
                       place.above * log_tilt[place.below + 1]);
    });
    found[i] = placed.base_row(x.e[i]) + tilt / x.count(i);
  }
  return found;
}

// log b(e(t)) + log |de/dt| on the grid, for a mean or a range of 1, with the weight of a place.
Vector log_base_of(const ShapeFamily& family) {
  switch (family.support) {
    case Support::line:
      return tabulated(family, [&](double t) {
        const double e = std::sinh(t);
        return family.log_base_ratio(e) + log_normal(e) + std::log(std::cosh(t));
      });
    case Support::between_edges:
      return tabulated(family, [](double t) { return -2 * std::log(2 * std::cosh(t / 2)); });
    default:
      return tabulated(family, [](double t) { return t - std::exp(t); });
  }
}

}  // namespace

ShapeFamily::ShapeFamily(Support support, double degrees, double low, double high, Matrix root)
    : support(support), degrees(degrees), low(low), high(high), root(std::move(root)),
      constant_(0) {
  if (std::isinf(degrees)) return;
  constant_ = std::lgamma((degrees + 1) / 2) - std::lgamma(degrees / 2) -
              0.5 * std::log(std::acos(-1.0) * (degrees - 2));
}

// The t density is scaled to a variance of 1.
double ShapeFamily::log_base_ratio(double e) const {
  if (std::isinf(degrees)) return 0;
  return constant_ - (degrees + 1) / 2 * std::log1p(e * e / (degrees - 2)) - log_normal(e);
}

NoiseShapes::NoiseShapes(std::vector<ShapeFamily> families) : families_(std::move(families)) {
  for (const ShapeFamily& family : families_) log_base_.push_back(log_base_of(family));
}

Vector NoiseShapes::log_ratios(const Vector& residuals, const Vector& widths,
                               const Vector& counts, Matrix* rows) const {
  const Sample sample{residuals, widths, counts};
  Vector result = Vector::Constant(n_families(), kHopelessShape);
  if (rows) *rows = Matrix::Zero(residuals.size(), n_families());
  double best_on_line = -INFINITY;
  Placed found;
  const ShapeFamily* last = nullptr;  // on the line: its counts serve all with the same grid
  for (Index k = 0; k < n_families(); ++k) {
    const ShapeFamily& family = families_[k];
    const bool on_line = family.support == Support::line;
    // A density with an edge is far from normal: smooth shapes see that too, if less well.
    if (!on_line && best_on_line < 0) continue;
    if (!on_line) {
      found = with_edges(family, sample);
    } else {
      if (!last || !last->has_grid_of(family)) {
        found.counts = counts_on_line(family, sample);
      }
      found.base_ratio = base_ratio_on_line(family, sample);
      found.t = [](double e) { return std::asinh(e); };
      found.base_row = [&family](double e) { return family.log_base_ratio(e); };
      last = &family;
    }
    Tilt tilt(family, log_base_[k], found.counts);
    result[k] = found.base_ratio + tilt.log_integral(found.base_ratio, on_line);
    if (rows) rows->col(k) = ratio_of_rows(family, sample, found, tilt.log_tilt());
    if (on_line) best_on_line = std::max(best_on_line, result[k]);
  }
  return result;
}

}  // namespace gpnet
