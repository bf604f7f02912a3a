#include "gp/modes.hpp"

#include <algorithm>
#include <cmath>

#include "gp/profile.hpp"

namespace gpnet {
namespace {

constexpr double kWithin = 8.0;   // nats of Laplace evidence: modes further down do not count
constexpr double kElsewhere = 0.5;  // in log units: a start so far from a mode may lead to another
constexpr double kHopeless = 8.0;  // nats: a start so far below a mode is not worth a climb
constexpr double kFlat = 0.7;  // nats: a plateau around a mode
constexpr int kMaxScans = 2;
constexpr int kMaxClimbs = 2;  // from one list of starts
constexpr double kArriving = 0.2;  // in log units: a climb this near a known mode is given up
constexpr int kMaxSteps = 60;
// Where a mode is scanned along one log lengthscale; short ones cost most, and matter seldom.
const double kScan[] = {-1.6, -1.0, -0.6, -0.3, 0.0, 0.3, 0.6, 0.9, 1.2, 1.6, 2.0};

double laplace(const Mode& mode) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(-mode.hessian, Eigen::EigenvaluesOnly);
  const auto precisions = eigen.eigenvalues().cwiseMax(1e-3).array();
  return mode.value + 0.5 * (kLog2Pi - precisions.log()).sum();
}

// The Newton step among the free coordinates, eigenvalues of -H floored in absolute value.
struct Step {
  Vector step;
  bool concave;
};

Step newton_step(const Evaluation& e, int fixed) {
  const Index d = e.gradient.size();
  std::vector<Index> free;
  for (Index a = 0; a < d; ++a)
    if (a != fixed) free.push_back(a);
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(-e.hessian(free, free));
  const Vector along = eigen.eigenvectors().transpose() * e.gradient(free);
  const Vector sizes = eigen.eigenvalues().cwiseAbs().cwiseMax(1e-2);
  Step result{Vector::Zero(d), eigen.eigenvalues()[0] > 0};
  result.step(free) = eigen.eigenvectors() * along.cwiseQuotient(sizes);
  return result;
}

double distance(const Vector& u, const std::vector<Mode>& modes) {
  double nearest = INFINITY;
  for (const Mode& mode : modes) {
    nearest = std::min(nearest, (mode.u - u).cwiseAbs().maxCoeff());
  }
  return nearest;
}

// Converged modes if there are any, within reach of the best; best first.
std::vector<Mode> near_best(std::vector<Mode> modes) {
  const auto converged = [](const Mode& m) { return m.converged; };
  const auto failed = [](const Mode& m) { return !m.converged; };
  if (std::any_of(modes.begin(), modes.end(), converged)) {
    modes.erase(std::remove_if(modes.begin(), modes.end(), failed), modes.end());
  }
  std::stable_sort(modes.begin(), modes.end(),
                   [](const Mode& a, const Mode& b) { return a.log_laplace > b.log_laplace; });
  while (modes.size() > 1 && modes.back().log_laplace < modes.front().log_laplace - kWithin) {
    modes.pop_back();
  }
  return modes;
}

struct Start {
  double value;
  Vector u;
};

void sort_by_value(std::vector<Start>* starts) {
  std::stable_sort(starts->begin(), starts->end(),
                   [](const Start& a, const Start& b) { return a.value > b.value; });
}

bool leads_elsewhere(const Start& start, const std::vector<Mode>& modes) {
  for (const Mode& mode : modes) {
    if (start.value < mode.value - kHopeless) return false;
  }
  return distance(start.u, modes) > kElsewhere;
}

// One parent: the peaks of the profile over lengthscales, the noise at its best on a grid.
std::vector<Start> scan_one_parent(const Problem& problem, int* n_evaluations) {
  constexpr int kGrid = 22;
  const double sigmas[] = {0.08, 0.2, 0.35, 0.5, 0.7, 0.95};
  std::vector<Start> profile;
  for (int k = 0; k < kGrid; ++k) {
    Start best{-INFINITY, Vector::Zero(problem.n_dims())};
    Vector u = best.u;
    u[0] = std::log(0.11) + k * std::log(1.35);
    for (double sigma : sigmas) {
      u[u.size() - 1] = std::log(sigma);
      const double value = evaluate(problem, u, 0).value;
      ++*n_evaluations;
      if (value > best.value) best = {value, u};
    }
    profile.push_back(best);
  }
  std::vector<Start> peaks;
  for (int k = 0; k < kGrid; ++k) {
    const bool above = (k == 0 || profile[k].value > profile[k - 1].value) &&
                       (k + 1 == kGrid || profile[k].value > profile[k + 1].value);
    if (above) peaks.push_back(profile[k]);
  }
  sort_by_value(&peaks);
  return peaks;
}

std::vector<Start> screen_seeds(const Problem& problem, const Rows& seeds, int* n_evaluations) {
  std::vector<Start> starts;
  for (Index i = 0; i < seeds.rows(); ++i) {
    const Vector u = seeds.row(i).transpose();
    starts.push_back({evaluate(problem, u, 0).value, u});
    ++*n_evaluations;
  }
  sort_by_value(&starts);
  return starts;
}

// The profile of one parent's lengthscale through a mode: its other peaks, and the far ends of the
// plateau around the mode, beyond which another mode may hide.
void scan_along(const Problem& problem, const Mode& mode, int parent, Modes* modes,
                std::vector<Start>* starts) {
  const Profile profile(problem, mode.u, parent);
  const Index axis = parent * problem.data.form.size();
  std::vector<Start> line{{mode.value, mode.u}};
  for (double place : kScan) {
    Vector u = mode.u;
    u[axis] = place;
    line.push_back({profile.value(place), u});
    ++modes->n_evaluations;
  }
  std::sort(line.begin(), line.end(),
            [axis](const Start& a, const Start& b) { return a.u[axis] < b.u[axis]; });
  const int last = static_cast<int>(line.size()) - 1;
  const auto value = [&](int k) { return k < 0 || k > last ? -INFINITY : line[k].value; };
  for (int k = 0; k <= last; ++k) {
    const bool peak = value(k) > std::max(value(k - 1), value(k + 1));
    const int outwards = line[k].u[axis] < mode.u[axis] ? k - 1 : k + 1;
    const bool end = value(k) > mode.value - kFlat && value(outwards) <= mode.value - kFlat;
    if (peak || end) starts->push_back(line[k]);
  }
}

// A mode differs from the next mostly in one parent: wiggly or smooth, there or switched off.
std::vector<Start> scan(const Problem& problem, const Mode& mode, Modes* modes) {
  std::vector<Start> starts;
  for (int i = 0; i < static_cast<int>(problem.parents.size()); ++i) {
    scan_along(problem, mode, i, modes, &starts);
  }
  sort_by_value(&starts);
  return starts;
}

void climb_all(const Problem& problem, const std::vector<Start>& starts, int most, Modes* modes) {
  for (const Start& start : starts) {
    if (most == 0) return;
    if (!leads_elsewhere(start, modes->found)) continue;
    const Mode mode = climb(problem, start.u, -1, modes->found, &modes->n_evaluations);
    const bool fresh = distance(mode.u, modes->found) > kArriving;
    if (fresh && std::isfinite(mode.value)) modes->found.push_back(mode);
    --most;
  }
}

}  // namespace

Mode climb(const Problem& problem, const Vector& start, int fixed, const std::vector<Mode>& known,
           int* n_evaluations) {
  Vector u = start;
  Evaluation e = evaluate(problem, u, 2);
  ++*n_evaluations;
  double radius = 1;
  bool converged = false;
  for (int k = 0; k < kMaxSteps && std::isfinite(e.value); ++k) {
    auto [step, concave] = newton_step(e, fixed);
    if (concave && e.gradient.dot(step) < 2e-6) {
      // The last step is taken on trust: it gains less than 1e-6, and changes H as little.
      u += step;
      e.value += 0.5 * e.gradient.dot(step);
      converged = true;
      break;
    }
    const double length = step.cwiseAbs().maxCoeff();
    if (length > radius) step *= radius / length;
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
  Mode mode{u, e.value, e.hessian, converged, e.clamped, 0};
  mode.log_laplace = std::isfinite(e.value) ? laplace(mode) : -INFINITY;
  return mode;
}

Modes find_modes(const Problem& problem, const Rows& seeds) {
  Modes modes{{}, 0};
  const bool alone = problem.parents.size() == 1;
  climb_all(problem,
            alone ? scan_one_parent(problem, &modes.n_evaluations)
                  : screen_seeds(problem, seeds, &modes.n_evaluations),
            alone ? kMaxClimbs : 1, &modes);
  std::vector<Vector> scanned;
  for (int k = 0; k < kMaxScans; ++k) {
    modes.found = near_best(std::move(modes.found));
    if (modes.found.empty()) break;
    const Mode best = modes.found.front();
    if (std::find(scanned.begin(), scanned.end(), best.u) != scanned.end()) break;
    scanned.push_back(best.u);
    climb_all(problem, scan(problem, best, &modes), kMaxClimbs, &modes);
  }
  modes.found = near_best(std::move(modes.found));
  return modes;
}

}  // namespace gpnet
