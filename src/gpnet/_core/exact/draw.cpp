#include "exact/draw.hpp"

#include <algorithm>
#include <cmath>

namespace gpnet {

namespace {

constexpr Mask kNoLayer = ~Mask{0};

// The i-th set of U, for i counting up: i's bits put where U's are.
Mask next_set(Mask set, Mask U) { return (set - U) & U; }

Mask set_at(std::size_t index, Mask U) {
  Mask set = 0;
  for (; U; U &= U - 1, index >>= 1) {
    if (index & 1) set |= U & -U;
  }
  return set;
}

std::size_t index_of(Mask set, Mask U) {
  std::size_t index = 0;
  for (std::size_t bit = 1; U; U &= U - 1, bit <<= 1) {
    if (set & U & -U) index |= bit;
  }
  return index;
}

// The product over v in `children` of A_v(W), times start.
Wide product_of_sums(const ExactDags& exact, Mask children, Mask W, Wide start) {
  for (; children; children &= children - 1) {
    const Wide sum = exact.node(__builtin_ctz(children)).sum_within(W);
    if (sum.mantissa == 0.0) return {};
    start.mantissa *= sum.mantissa;
    start.exponent += sum.exponent;
  }
  return start;
}

double ratio(Wide a, Wide b) {
  if (a.mantissa == 0.0) return 0.0;
  return a.mantissa / b.mantissa * power_of_two(a.exponent - b.exponent);
}

std::size_t pick(const std::vector<double>& running, double uniform) {
  const auto found = std::upper_bound(running.begin(), running.end(), uniform * running.back());
  return std::min<std::size_t>(found - running.begin(), running.size() - 1);
}

struct Draw {
  Stream stream;
  Mask U, layer;  // nodes still without parents, and the sinks among them
  Mask* parents;
  Mask rest() const { return U & ~layer; }
};

// Parents of one node within W: a set with weight w(Pa) cover[X\Pa]; the weights sum to `total`.
// False where none has a weight.
bool draw_parents(const NodeWeights& node, Mask W, Mask X, const std::vector<double>& cover,
                  double total, Stream& stream, Mask* parents) {
  const Wide all = node.sum_within(W);
  double left = stream.uniform() * total;
  bool found = false;
  for (const NodeWeights::Set& set : node.sets()) {
    if (set.parents & ~W) continue;
    const double weight = cover[X ? index_of(X & ~set.parents, X) : 0] * ratio(set.weight, all);
    if (!(weight > 0.0)) continue;
    *parents = set.parents;
    found = true;
    left -= weight;
    if (left < 0.0) break;
  }
  return found;
}

// Parents of the whole layer within W that cover `next`, node by node: what is still uncovered must
// be covered by those to come.
bool draw_layer(const ExactDags& exact, Draw& draw, Mask W, Mask next) {
  Mask X = next, to_come = draw.layer;
  std::vector<double> cover = cover_weights(exact, to_come, W, X);
  double total = cover.back();
  for (; to_come; to_come &= to_come - 1) {
    const int v = __builtin_ctz(to_come);
    cover = cover_weights(exact, to_come & (to_come - 1), W, X);
    const NodeWeights& node = exact.node(v);
    if (!draw_parents(node, W, X, cover, total, draw.stream, &draw.parents[v])) return false;
    const Mask uncovered = X & ~draw.parents[v];
    total = cover[index_of(uncovered, X)];
    X = uncovered;
  }
  return X == 0;
}

void start(const ExactDags& exact, Draw& draw) {
  draw.U = (Mask{1} << exact.n_nodes()) - 1;
  draw.layer = set_at(pick(exact.last_layer(), draw.stream.uniform()), draw.U);
}

// Running weights of all sets of W as the next layer under `layer`.
double next_layers(const ExactDags& exact, Mask layer, Mask W, std::vector<double>& weights) {
  weights = sink_weights(exact, W);
  const std::vector<double> cover = cover_weights(exact, layer, W, W);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    // Both are sums of weights, so that what is below zero is rounding.
    const bool noise = weights[i] < 0.0 || cover[i] < 0.0;
    weights[i] = noise ? -std::abs(weights[i] * cover[i]) : weights[i] * cover[i];
  }
  return accumulate(weights);
}

// One layer more for each draw; those with the same nodes and layer share the table.
void advance(const ExactDags& exact, std::vector<Draw*>& draws, DagDraws& result) {
  std::sort(draws.begin(), draws.end(), [](const Draw* a, const Draw* b) {
    return a->U != b->U ? a->U < b->U : a->layer < b->layer;
  });
  std::vector<double> weights;
  Mask U = 0, layer = kNoLayer;
  double noise = 0.0;
  for (Draw* draw : draws) {
    const Mask W = draw->rest();
    if (draw->U != U || draw->layer != layer) {
      U = draw->U;
      layer = draw->layer;
      noise = next_layers(exact, layer, W, weights);
    }
    const bool possible = weights.back() > 0.0;
    const Mask next = possible ? set_at(pick(weights, draw->stream.uniform()), W) : 0;
    if (possible && draw_layer(exact, *draw, W, next)) {
      result.noise += noise;
      draw->U = W;
      draw->layer = next;
    } else {
      ++result.n_restarts;
      start(exact, *draw);
    }
  }
}

// Those whose layer is the first one have no parents to draw any more.
void leave(std::vector<Draw*>& draws) {
  const auto last = [](Draw* draw) { return draw->rest() == 0; };
  draws.erase(std::remove_if(draws.begin(), draws.end(), last), draws.end());
}

}  // namespace

double accumulate(std::vector<double>& weights) {
  double sum = 0.0, negative = 0.0;
  for (double& weight : weights) {
    if (weight > 0.0) {
      sum += weight;
    } else {
      negative -= weight;
    }
    weight = sum;
  }
  return sum > 0.0 ? std::min(1.0, negative / sum) : 0.0;
}

std::vector<double> sink_weights(const ExactDags& exact, Mask U) {
  const std::size_t size = std::size_t{1} << __builtin_popcount(U);
  std::vector<double> f(size, 0.0);
  const Wide all = exact.normaliser_of(U);
  Mask T = 0;
  for (std::size_t i = 1; i < size; ++i) {
    T = next_set(T, U);
    const Wide rest = exact.normaliser_of(U & ~T);
    if (rest.mantissa > 0.0) f[i] = ratio(product_of_sums(exact, T, U & ~T, rest), all);
  }
  for (std::size_t bit = 1; bit < size; bit <<= 1) {
    for (std::size_t i = 0; i < size; ++i) {
      if (!(i & bit)) f[i] -= f[i | bit];
    }
  }
  f[0] = 0.0;
  return f;
}

std::vector<double> cover_weights(const ExactDags& exact, Mask children, Mask W, Mask X) {
  const std::size_t size = std::size_t{1} << __builtin_popcount(X);
  std::vector<double> h(size);
  const Wide all = product_of_sums(exact, children, W, {1.0, 0});
  Mask T = 0;
  for (std::size_t i = 0; i < size; ++i, T = next_set(T, X)) {
    h[i] = ratio(product_of_sums(exact, children, W & ~T, {1.0, 0}), all);
  }
  for (std::size_t bit = 1; bit < size; bit <<= 1) {
    for (std::size_t i = 0; i < size; ++i) {
      if (i & bit) h[i] = h[i ^ bit] - h[i];
    }
  }
  return h;
}

void ExactDags::prepare_draws() {
  last_layer_ = sink_weights(*this, all_);
  last_layer_noise_ = accumulate(last_layer_);
}

DagDraws draw_dags(const ExactDags& exact, std::uint64_t seed, std::int64_t first, int n_draws) {
  const int n = exact.n_nodes();
  DagDraws result;
  result.parents.assign(static_cast<std::size_t>(n_draws) * n, 0);
  result.noise = n_draws * exact.last_layer_noise();
  std::vector<Draw> draws;
  std::vector<Draw*> active;
  draws.reserve(n_draws);
  for (int i = 0; i < n_draws; ++i) {
    const auto number = static_cast<std::uint64_t>(first + i);
    draws.push_back({Stream(seed, number), 0, 0, &result.parents[std::size_t(i) * n]});
    start(exact, draws.back());
    active.push_back(&draws.back());
  }
  for (leave(active); !active.empty(); leave(active)) advance(exact, active, result);
  return result;
}

}  // namespace gpnet
