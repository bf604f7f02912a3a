#include "gp/climb.hpp"

#include <algorithm>
#include <cmath>

namespace gpnet {
namespace {

constexpr int kMaxSteps = 60;

double laplace(const Mode& mode) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(-mode.hessian, Eigen::EigenvaluesOnly);
  const auto precisions = eigen.eigenvalues().cwiseMax(1e-3).array();
  return mode.value + 0.5 * (kLog2Pi - precisions.log()).sum();
}

// Coordinates that stay where they are.
using Held = std::vector<bool>;

double lower_bound(const Problem& problem, Index a) {
  const bool lengthscale = a + 1 < problem.n_dims() && a % problem.data.form.size() == 0;
  return lengthscale ? problem.data.log_shortest : -INFINITY;
}

Vector within_tables(const Problem& problem, Vector u) {
  for (Index a = 0; a < u.size(); ++a) u[a] = std::max(u[a], lower_bound(problem, a));
  return u;
}

// Lengthscales at the end of the tables, where the target still rises: they go no further.
Held at_end(const Problem& problem, const Vector& u, const Vector& gradient) {
  Held held(u.size());
  for (Index a = 0; a < u.size(); ++a) {
    held[a] = u[a] <= lower_bound(problem, a) && gradient[a] < 0;
  }
  return held;
}

// The Newton step among the free coordinates, eigenvalues of -H floored in absolute value.
struct Step {
  Vector step;
  bool concave;
};

Step newton_step(const Evaluation& e, const Held& held) {
  const Index d = e.gradient.size();
  std::vector<Index> free;
  for (Index a = 0; a < d; ++a)
    if (!held[a]) free.push_back(a);
  if (free.empty()) return {Vector::Zero(d), true};
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(-e.hessian(free, free));
  const Vector along = eigen.eigenvectors().transpose() * e.gradient(free);
  const Vector sizes = eigen.eigenvalues().cwiseAbs().cwiseMax(1e-2);
  Step result{Vector::Zero(d), eigen.eigenvalues()[0] > 0};
  result.step(free) = eigen.eigenvectors() * along.cwiseQuotient(sizes);
  return result;
}

// At the end of the tables the target falls like exp(-|g| t), whose mass 1/|g| is that of a normal
// with precision 2 pi g^2.
void straighten(const Held& held, Evaluation* e) {
  for (Index a = 0; a < e->gradient.size(); ++a) {
    if (!held[a]) continue;
    e->hessian.row(a).setZero();
    e->hessian.col(a).setZero();
    e->hessian(a, a) = -std::exp(kLog2Pi) * e->gradient[a] * e->gradient[a];
  }
}

}  // namespace

double distance(const Vector& u, const std::vector<Mode>& modes) {
  double nearest = INFINITY;
  for (const Mode& mode : modes) {
    nearest = std::min(nearest, (mode.u - u).cwiseAbs().maxCoeff());
  }
  return nearest;
}

Mode climb(const Problem& problem, const Vector& start, int fixed, const std::vector<Mode>& known,
           int* n_evaluations) {
  Vector u = within_tables(problem, start);
  Evaluation e = evaluate(problem, u, 2);
  ++*n_evaluations;
  double radius = 1;
  bool converged = false;
  Held ends(u.size());
  for (int k = 0; k < kMaxSteps && std::isfinite(e.value); ++k) {
    ends = at_end(problem, u, e.gradient);
    Held held = ends;
    if (fixed >= 0) held[fixed] = true;
    auto [step, concave] = newton_step(e, held);
    if (concave && e.gradient.dot(step) < 2e-6) {
      // The last step is taken on trust: it gains less than 1e-6, and changes H as little.
      u = within_tables(problem, u + step);
      e.value += 0.5 * e.gradient.dot(step);
      converged = true;
      break;
    }
    const double length = step.cwiseAbs().maxCoeff();
    if (length > radius) step *= radius / length;
    step = within_tables(problem, u + step) - u;
    if (concave && distance(u + step, known) < kArriving) break;
    const Evaluation trial = evaluate(problem, u + step, 2);
    ++*n_evaluations;
    const double gain = trial.value - e.value;
    if (gain > -1e-10) {
      const double expected = e.gradient.dot(step) + 0.5 * step.dot(e.hessian * step);
      if (gain > 0.75 * expected) radius = std::min(2.0, 2 * radius);
      if (gain < 0.25 * expected) radius /= 2;
      u += step;
      e = trial;
      if (distance(u, known) < kArriving) break;
    } else {
      radius = std::min(radius, length) / 4;
      if (radius < 1e-7) break;
    }
  }
  const bool clamped = e.clamped || std::count(ends.begin(), ends.end(), true) > 0;
  if (converged) straighten(ends, &e);
  Mode mode{u, e.value, e.hessian, converged, clamped, 0};
  mode.log_laplace = std::isfinite(e.value) ? laplace(mode) : -INFINITY;
  return mode;
}

}  // namespace gpnet
