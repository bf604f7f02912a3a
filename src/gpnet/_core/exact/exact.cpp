#include "exact/exact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace gpnet {

Wide wide(double mantissa, int exponent) {
  if (mantissa == 0.0) return {};
  int shift;
  const double m = std::frexp(mantissa, &shift);
  return {m, exponent + shift};
}

Wide wide_exp(double log_value) {
  if (!(log_value > -std::numeric_limits<double>::infinity())) return {};
  const double bits = log_value / M_LN2, whole = std::floor(bits);
  return wide(std::exp2(bits - whole), static_cast<int>(whole));
}

Wide add(Wide a, Wide b) {
  if (a.exponent < b.exponent) std::swap(a, b);
  return wide(a.mantissa + b.mantissa * power_of_two(b.exponent - a.exponent), a.exponent);
}

double log_of(Wide value) { return std::log(value.mantissa) + value.exponent * M_LN2; }

// Nodes

NodeWeights::NodeWeights(Mask universe, const std::vector<Mask>& sets, const double* log_weights,
                         bool keep_sets)
    : universe_(universe), keeps_sets_(keep_sets) {
  fill_places();
  const int n_members = __builtin_popcount(universe);
  mantissas_.assign(std::size_t{1} << n_members, 0.0);
  exponents_.assign(std::size_t{1} << n_members, kNothing);
  if (keep_sets) sets_.reserve(sets.size());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const Wide weight = wide_exp(log_weights[i]);
    mantissas_[place(sets[i])] = weight.mantissa;
    exponents_[place(sets[i])] = weight.exponent;
    if (keep_sets && weight.mantissa > 0.0) sets_.push_back({sets[i], weight});
  }
  sum_over_subsets(n_members);
  std::stable_sort(sets_.begin(), sets_.end(), [](const Set& a, const Set& b) {
    return a.weight.exponent != b.weight.exponent ? a.weight.exponent > b.weight.exponent
                                                  : a.weight.mantissa > b.weight.mantissa;
  });
}

void NodeWeights::fill_places() {
  low_.assign(1024, 0);
  high_.assign(1024, 0);
  int members = 0;
  for (int v = 0; v < kMostNodes; ++v) {
    if (!(universe_ >> v & 1)) continue;
    std::vector<Mask>& half = v < 10 ? low_ : high_;
    for (Mask i = 0; i < 1024; ++i) {
      if (i >> (v % 10) & 1) half[i] |= Mask{1} << members;
    }
    ++members;
  }
}

void NodeWeights::sum_over_subsets(int n_members) {
  const Mask size = Mask{1} << n_members;
  for (Mask bit = 1; bit < size; bit <<= 1) {
    for (Mask i = 0; i < size; ++i) {
      if (!(i & bit)) continue;
      const Mask j = i ^ bit;
      const Wide sum = add({mantissas_[i], exponents_[i]}, {mantissas_[j], exponents_[j]});
      mantissas_[i] = sum.mantissa;
      exponents_[i] = sum.exponent;
    }
  }
}

// Both recursions

// Before anything is shifted by it.
static int checked(int n_nodes) {
  if (n_nodes >= 1 && n_nodes <= kMostNodes) return n_nodes;
  throw std::invalid_argument("n_nodes: expected from 1 to " + std::to_string(kMostNodes) +
                              ", found " + std::to_string(n_nodes));
}

ExactDags::ExactDags(int n_nodes) : n_(checked(n_nodes)), all_((Mask{1} << n_nodes) - 1) {
  nodes_.reserve(n_nodes);
}

void ExactDags::add_node(NodeWeights weights) { nodes_.push_back(std::move(weights)); }

bool ExactDags::sets_kept() const {
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [](const NodeWeights& node) { return node.keeps_sets(); });
}

void ExactDags::resize_work() {
  products_.resize(std::size_t{1} << n_);
  product_exponents_.resize(std::size_t{1} << n_);
  unions_.resize(std::size_t{1} << n_);
}

// Those outside W that have a parent set within W.
void ExactDags::list_newcomers(Mask W) {
  newcomers_.clear();
  for (int v = 0; v < n_; ++v) {
    if (W >> v & 1) continue;
    const Wide sum = nodes_[v].sum_within(W);
    if (sum.mantissa > 0.0) newcomers_.push_back({v, sum});
  }
}

// start prod_{v in R} -A_v(W) for all sets R of newcomers, the empty one first; returns how many.
int ExactDags::multiply_out(Mask W, double mantissa, int exponent) {
  products_[0] = mantissa;
  product_exponents_[0] = exponent;
  unions_[0] = W;
  int size = 1;
  for (const Newcomer& newcomer : newcomers_) {
    const double m = -newcomer.sum.mantissa;
    const int e = newcomer.sum.exponent;
    const Mask bit = Mask{1} << newcomer.node;
    for (int i = 0; i < size; ++i) {
      products_[size + i] = products_[i] * m;
      product_exponents_[size + i] = product_exponents_[i] + e;
      unions_[size + i] = unions_[i] | bit;
    }
    size *= 2;
  }
  return size;
}

// The exponent of Z(U) is that of its heaviest order, max_v e(U\v) + exponent of A_v(U\v). As A_v
// grows with its argument, no term of Z(U) has a larger one: terms can be added as they are.
void ExactDags::start_forward() {
  resize_work();
  sums_.assign(std::size_t{1} << n_, {});
  exponents_.assign(std::size_t{1} << n_, kNothing);
  sums_[0].sum = sums_[0].size = 1.0;
  exponents_[0] = 0;
  for (Mask W = 0; W <= all_; ++W) {
    if (exponents_[W] == kNothing) continue;
    list_newcomers(W);
    for (const Newcomer& newcomer : newcomers_) {
      int& e = exponents_[W | Mask{1} << newcomer.node];
      e = std::max(e, exponents_[W] + newcomer.sum.exponent);
    }
  }
}

std::int64_t ExactDags::forward(std::int64_t n_steps) {
  if (next_forward_ == 0 && forward_steps_ == 0) start_forward();
  const std::int64_t until = forward_steps_ + n_steps;
  for (; next_forward_ <= all_ && forward_steps_ < until; ++next_forward_) {
    push(next_forward_);
    forward_steps_ += std::int64_t{1} << (n_ - __builtin_popcount(next_forward_));
  }
  return forward_steps_;
}

// Adds the terms with U\R = W to each Z(U); those of Z(W) itself are all there.
void ExactDags::push(Mask W) {
  const Sum here = sums_[W];
  if (!(here.sum > 0.0)) return;
  forward_error_ += std::numeric_limits<double>::epsilon() * here.size / here.sum;
  list_newcomers(W);
  if (newcomers_.empty()) return;
  // The last newcomer doubles the number of sets R; those with it need not be written down.
  const Newcomer last = newcomers_.back();
  newcomers_.pop_back();
  const int size = multiply_out(W, -here.sum, exponents_[W]);
  for (int i = 0; i < size; ++i) {
    if (i > 0) add_term(unions_[i], products_[i], product_exponents_[i]);
    add_term(unions_[i] | Mask{1} << last.node, -products_[i] * last.sum.mantissa,
             product_exponents_[i] + last.sum.exponent);
  }
}

double ExactDags::log_normaliser() const { return log_of({sums_[all_].sum, exponents_[all_]}); }

double ExactDags::forward_error() const { return forward_error_; }

// The same for B, whose exponent is max_v exponent of A_v(W) + e(W+v).
void ExactDags::start_backward() {
  resize_work();
  backward_.assign(std::size_t{1} << n_, 0.0);
  backward_exponents_.assign(std::size_t{1} << n_, kNothing);
  edges_.assign(n_ * n_, 0.0);
  descendants_.assign(n_ * n_, 0.0);
  masses_.assign(n_, 0.0);
  backward_[all_] = 1.0;
  backward_exponents_[all_] = 0;
}

std::int64_t ExactDags::backward(std::int64_t n_steps) {
  if (n_pulled_ == 0) {
    start_backward();
    n_pulled_ = backward_steps_ = 1;
  }
  const std::int64_t until = backward_steps_ + n_steps;
  for (; n_pulled_ <= all_ && backward_steps_ < until; ++n_pulled_) {
    const Mask W = all_ - n_pulled_;
    pull(W);
    backward_steps_ += std::int64_t{1} << (n_ - __builtin_popcount(W));
  }
  return backward_steps_;
}

// B(W), and P(v has exactly the non-descendants W) = Z(W)/Z * sum of the terms of B(W) with v in R:
// by inclusion and exclusion the others then all come after v.
void ExactDags::pull(Mask W) {
  list_newcomers(W);
  int e = kNothing;
  for (const Newcomer& newcomer : newcomers_) {
    const int after = backward_exponents_[W | Mask{1} << newcomer.node];
    if (after != kNothing) e = std::max(e, newcomer.sum.exponent + after);
  }
  backward_exponents_[W] = e;
  if (e == kNothing) return;
  int size = multiply_out(W, -1.0, -e);
  products_[0] = 0.0;
  double total = 0.0;
  for (int i = 1; i < size; ++i) {
    const Mask U = unions_[i];
    products_[i] *= power_of_two(product_exponents_[i] + backward_exponents_[U]) * backward_[U];
    total += products_[i];
  }
  backward_[W] = total;
  if (!(sums_[W].sum > 0.0)) return;
  const double share = sums_[W].sum / sums_[all_].sum *
                       power_of_two(exponents_[W] + e - exponents_[all_]);
  // Sums of the terms with each newcomer: those of the last are the upper half; then fold.
  for (auto last = newcomers_.rbegin(); last != newcomers_.rend(); ++last) {
    size /= 2;
    double with_last = 0.0;
    for (int i = 0; i < size; ++i) {
      with_last += products_[size + i];
      products_[i] += products_[size + i];
    }
    record(W, last->node, share * with_last);
  }
}

// P(u -> v | non-descendants W) = 1 - A_v(W\u) / A_v(W).
void ExactDags::record(Mask W, int v, double probability) {
  masses_[v] += probability;
  for (int u = 0; u < n_; ++u) {
    if (!(W >> u & 1) && u != v) descendants_[v * n_ + u] += probability;
  }
  const NodeWeights& node = nodes_[v];
  const Wide all = node.sum_within(W);
  for (Mask rest = W & node.universe(); rest; rest &= rest - 1) {
    const int u = __builtin_ctz(rest);
    const Wide without = node.sum_within(W ^ Mask{1} << u);
    const double ratio =
        without.mantissa / all.mantissa * power_of_two(without.exponent - all.exponent);
    edges_[u * n_ + v] += probability * (1.0 - ratio);
  }
}

double ExactDags::mass_error() const {
  double most = 0.0;
  for (double mass : masses_) most = std::max(most, std::abs(mass - 1.0));
  return most;
}

double ExactDags::log_backward_normaliser() const {
  return log_of({backward_[0], backward_exponents_[0]});
}

}  // namespace gpnet
