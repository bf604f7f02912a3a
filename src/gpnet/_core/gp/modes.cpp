#include "gp/modes.hpp"

#include <algorithm>
#include <cmath>

#include "gp/noise_profile.hpp"
#include "gp/profile.hpp"

namespace gpnet {
namespace {

constexpr double kWithin = 8.0;   // nats of Laplace evidence: modes further down do not count
constexpr double kElsewhere = 0.5;  // in log units: a start so far from a mode may lead to another
constexpr double kHopeless = 8.0;  // nats: a start so far below a mode is given up
// Where functions go through every row, values change by hundreds of nats over short distances.
constexpr double kHopelessThere = 300.0;
constexpr double kFlat = 0.7;  // nats: a plateau around a mode
constexpr int kMaxScans = 2;
// Climbs from one list of starts, for sets of one parent, of two, and of more.
const int kFirstClimbs[] = {5, 4, 1}, kMoreClimbs[] = {2, 4, 2};
constexpr double kArriving = 0.2;  // in log units: a climb this near a known mode is given up
constexpr int kMaxSteps = 60;
// The grid for one parent: from the shortest lengthscale of the tables to kLongest, and of sigma.
const double kLongest = std::log(60.0), kStep = std::log(1.3);
constexpr double kLeastNoise = 0.01;
const double kNoiseStep = std::log(1.35);
constexpr int kNoises = 17;
// Where a mode is scanned along one log lengthscale; short ones cost most, and matter seldom.
const double kScan[] = {-1.6, -1.0, -0.6, -0.3, 0.0, 0.3, 0.6, 0.9, 1.2, 1.6, 2.0};

// Log lengthscales of two parents at a mode whose log sigma lies below kInterpolates.
const double kShort[] = {-3.2, -2.6, -2.0, -1.5, -1.0, -0.5};
const double kInterpolates = std::log(0.1);
// Shorter lengthscales with less noise, longer ones with more: half way towards 1, as log sigma goes.
struct Exchange {
  double (*log_noise)(double);
  std::vector<double> lengthscales;
};
const Exchange kExchanges[] = {{[](double s) { return s - 1; }, {-2.3, -1.6, -1.0}},
                               {[](double s) { return s / 2; }, {-1.4, 0.0, 1.6}}};

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

bool leads_elsewhere(const Problem& problem, const Start& start, const std::vector<Mode>& modes) {
  for (const Mode& mode : modes) {
    const bool there = problem.parents.size() == 2 && mode.u[mode.u.size() - 1] < kInterpolates;
    if (start.value < mode.value - (there ? kHopelessThere : kHopeless)) return false;
  }
  return distance(start.u, modes) > kElsewhere;
}

double noise_at(int j) { return std::log(kLeastNoise) + j * kNoiseStep; }

bool is_peak(const Matrix& values, Index k, Index j) {
  const Index top = std::max<Index>(k - 1, 0), left = std::max<Index>(j - 1, 0);
  const Index rows = std::min(k + 2, values.rows()) - top;
  const Index columns = std::min(j + 2, values.cols()) - left;
  return values(k, j) >= values.block(top, left, rows, columns).maxCoeff();
}

// One parent: the peaks of the target on a grid of lengthscale and noise. Between two explanations,
// wiggly with little noise and smooth with more, the noise that fits best jumps: so a peak is one
// among its neighbours in both directions.
std::vector<Start> scan_one_parent(const Problem& problem, int* n_evaluations) {
  const int n_places = 1 + static_cast<int>((kLongest - problem.data.log_shortest) / kStep);
  std::vector<NoiseProfile> profiles;
  Matrix values(n_places, kNoises);
  Vector u = Vector::Zero(problem.n_dims());
  for (int k = 0; k < n_places; ++k) {
    u[0] = problem.data.log_shortest + k * kStep;
    profiles.emplace_back(problem, u, kLeastNoise);
    ++*n_evaluations;
    for (int j = 0; j < kNoises; ++j) values(k, j) = profiles[k].value(noise_at(j));
  }
  std::vector<Start> peaks;
  for (int k = 0; k < n_places; ++k) {
    for (int j = 0; j < kNoises; ++j) {
      if (!is_peak(values, k, j)) continue;
      u[0] = problem.data.log_shortest + k * kStep;
      u[u.size() - 1] = profiles[k].peak(noise_at(j - 1), noise_at(j + 1));
      peaks.push_back({profiles[k].value(u[u.size() - 1]), u});
    }
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
  const Profile profile(problem, mode.u, parent, kScan[0]);
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

// What a wigglier function would explain is noise at a mode, and the other way round: a lengthscale
// is tried together with a noise that suits it. Of each kind the best is a start.
void scan_with_noise(const Problem& problem, const Mode& mode, int parent, const Exchange& exchange,
                     Modes* modes, std::vector<Start>* starts) {
  const Index axis = parent * problem.data.form.size();
  Vector u = mode.u;
  u[u.size() - 1] = exchange.log_noise(u[u.size() - 1]);
  const Profile profile(problem, u, parent, exchange.lengthscales[0]);
  Start best{-INFINITY, u};
  for (double place : exchange.lengthscales) {
    u[axis] = std::max(place, problem.data.log_shortest);
    const double value = profile.value(u[axis]);
    ++modes->n_evaluations;
    if (value > best.value) best = {value, u};
  }
  starts->push_back(best);
}

// Two parents at a mode with next to no noise, where functions go through every row: there are many
// ways to share that between the parents. The peaks over both lengthscales are starts.
void scan_two(const Problem& problem, const Mode& mode, Modes* modes, std::vector<Start>* starts) {
  const Index n = std::size(kShort), axis = problem.data.form.size();
  Matrix values(n, n);
  Vector u = mode.u;
  for (Index k = 0; k < n; ++k) {
    u[0] = kShort[k];
    const Profile profile(problem, u, 1, kShort[0]);
    for (Index j = 0; j < n; ++j) values(k, j) = profile.value(kShort[j]);
  }
  modes->n_evaluations += static_cast<int>(n * n);
  for (Index k = 0; k < n; ++k) {
    for (Index j = 0; j < n; ++j) {
      u[0] = kShort[k];
      u[axis] = kShort[j];
      if (is_peak(values, k, j)) starts->push_back({values(k, j), u});
    }
  }
}

// A mode differs from the next mostly in one parent: wiggly or smooth, there or switched off. Pairs
// are looked at more closely, as larger sets start from their modes and there are few of them.
std::vector<Start> scan(const Problem& problem, const Mode& mode, Modes* modes) {
  std::vector<Start> starts;
  for (int i = 0; i < static_cast<int>(problem.parents.size()); ++i) {
    scan_along(problem, mode, i, modes, &starts);
    if (problem.parents.size() != 2) continue;
    for (const Exchange& exchange : kExchanges) {
      scan_with_noise(problem, mode, i, exchange, modes, &starts);
    }
  }
  const bool next_to_no_noise = mode.u[mode.u.size() - 1] < kInterpolates;
  if (problem.parents.size() == 2 && next_to_no_noise) scan_two(problem, mode, modes, &starts);
  sort_by_value(&starts);
  return starts;
}

void climb_all(const Problem& problem, const std::vector<Start>& starts, int most, Modes* modes) {
  for (const Start& start : starts) {
    if (most == 0) return;
    if (!leads_elsewhere(problem, start, modes->found)) continue;
    const Mode mode = climb(problem, start.u, -1, modes->found, &modes->n_evaluations);
    const bool fresh = distance(mode.u, modes->found) > kArriving;
    if (fresh && std::isfinite(mode.value)) modes->found.push_back(mode);
    --most;
  }
}

}  // namespace

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

Modes find_modes(const Problem& problem, const Rows& seeds) {
  Modes modes{{}, 0};
  const size_t kind = std::min<size_t>(problem.parents.size(), 3) - 1;
  climb_all(problem,
            kind == 0 ? scan_one_parent(problem, &modes.n_evaluations)
                      : screen_seeds(problem, seeds, &modes.n_evaluations),
            kFirstClimbs[kind], &modes);
  std::vector<Vector> scanned;
  for (int k = 0; k < kMaxScans; ++k) {
    modes.found = near_best(std::move(modes.found));
    if (modes.found.empty()) break;
    const Mode best = modes.found.front();
    if (std::find(scanned.begin(), scanned.end(), best.u) != scanned.end()) break;
    scanned.push_back(best.u);
    climb_all(problem, scan(problem, best, &modes), kMoreClimbs[kind], &modes);
  }
  modes.found = near_best(std::move(modes.found));
  return modes;
}

}  // namespace gpnet
