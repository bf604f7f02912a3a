#include "gp/modes.hpp"

#include <algorithm>
#include <cmath>

#include "gp/noise_profile.hpp"
#include "gp/profile.hpp"

namespace gpnet {
namespace {

constexpr double kWithin = 8.0;   // nats of Laplace evidence: modes further down do not count
// In log units: a start so far from a mode may lead to another.
constexpr double kElsewhere = 0.5;
constexpr double kHopeless = 8.0;  // nats: a start so far below a mode is given up
// Where functions go through every row, values change by hundreds of nats over short distances.
constexpr double kElsewhereThere = 0.3, kHopelessThere = 300.0;
constexpr double kFlat = 0.7;  // nats: a plateau around a mode
constexpr int kMaxScans = 2;
// Climbs from one list of starts, for sets of one parent, of two, and of more.
const int kFirstClimbs[] = {5, 4, 1}, kMoreClimbs[] = {2, 4, 2};
// Two for pairs: a function through every row may hide a better one with noise.
const int kSureClimbs[] = {1, 2, 1};
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

// Whether functions of two parents go through every row, with next to no noise.
bool interpolates(const Problem& problem, const Mode& mode) {
  return problem.parents.size() == 2 && mode.u[mode.u.size() - 1] < kInterpolates;
}

bool near_known(const Problem& problem, const Start& start, const std::vector<Mode>& modes) {
  for (const Mode& mode : modes) {
    const double apart = interpolates(problem, mode) ? kElsewhereThere : kElsewhere;
    if ((mode.u - start.u).cwiseAbs().maxCoeff() <= apart) return true;
  }
  return false;
}

bool hopeless(const Problem& problem, const Start& start, const std::vector<Mode>& modes) {
  for (const Mode& mode : modes) {
    const double below = interpolates(problem, mode) ? kHopelessThere : kHopeless;
    if (start.value < mode.value - below) return true;
  }
  return false;
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
// is tried together with a noise that suits it, and the best also half way to the noise of the mode.
// Of each kind the best is a start.
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
  u = best.u;
  u[u.size() - 1] = 0.5 * (u[u.size() - 1] + mode.u[u.size() - 1]);
  const double half_way = evaluate(problem, u, 0).value;
  ++modes->n_evaluations;
  if (half_way > best.value) best = {half_way, u};
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
  if (interpolates(problem, mode)) scan_two(problem, mode, modes, &starts);
  sort_by_value(&starts);
  return starts;
}

// The first few, `sure` of them, are not given up however low they begin.
void climb_all(const Problem& problem, const std::vector<Start>& starts, int sure, int most,
               Modes* modes) {
  int n = 0;
  for (const Start& start : starts) {
    if (n == most) return;
    if (near_known(problem, start, modes->found)) continue;
    if (n >= sure && hopeless(problem, start, modes->found)) continue;
    const Mode mode = climb(problem, start.u, -1, modes->found, &modes->n_evaluations);
    const bool fresh = distance(mode.u, modes->found) > kArriving;
    if (fresh && std::isfinite(mode.value)) modes->found.push_back(mode);
    ++n;
  }
}

}  // namespace

Modes find_modes(const Problem& problem, const Rows& seeds) {
  Modes modes{{}, 0};
  const size_t kind = std::min<size_t>(problem.parents.size(), 3) - 1;
  climb_all(problem,
            kind == 0 ? scan_one_parent(problem, &modes.n_evaluations)
                      : screen_seeds(problem, seeds, &modes.n_evaluations),
            kSureClimbs[kind], kFirstClimbs[kind], &modes);
  std::vector<Vector> scanned;
  for (int k = 0; k < kMaxScans; ++k) {
    modes.found = near_best(std::move(modes.found));
    if (modes.found.empty()) break;
    const Mode best = modes.found.front();
    if (std::find(scanned.begin(), scanned.end(), best.u) != scanned.end()) break;
    scanned.push_back(best.u);
    climb_all(problem, scan(problem, best, &modes), 0, kMoreClimbs[kind], &modes);
  }
  modes.found = near_best(std::move(modes.found));
  return modes;
}

}  // namespace gpnet
