// Exact sums over all DAGs of up to 20 nodes: sums over sets, each with its own power of two.
//
//   A_v(S) = sum of w_v(Pa) over Pa within S
//   Z(U)   = sum over nonempty R in U of (-1)^(|R|+1) Z(U\R) prod_{v in R} A_v(U\R)
//   B(W)   = sum over nonempty R outside W of (-1)^(|R|+1) B(W+R) prod_{v in R} A_v(W)
//
// Z(U) is the weight of all DAGs on U, B(W) that of all ways to add the other nodes to those of W.
#pragma once

#include <cstdint>
#include <cstring>
#include <shared_mutex>
#include <vector>

namespace gpnet {

using Mask = std::uint32_t;  // a set of nodes

constexpr int kMostNodes = 20;
constexpr double kMostLogWeight = 1e7;  // either way: powers of two are kept as 32-bit integers
constexpr int kNothing = -(1 << 30);  // the exponent of a sum that has no term

// 2^e for e up to 1023; 0 where it would not be a normal number.
inline double power_of_two(int e) {
  const std::uint64_t bits = static_cast<std::uint64_t>((e < -1022 ? -1023 : e) + 1023) << 52;
  double result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

// m 2^e with m in [0.5, 1), or 0 and kNothing.
struct Wide {
  double mantissa = 0.0;
  int exponent = kNothing;
};

Wide wide(double mantissa, int exponent);
Wide wide_exp(double log_value);
Wide add(Wide a, Wide b);
double log_of(Wide value);

// The weights of one node's parent sets.
class NodeWeights {
 public:
  // `universe` holds all members of the sets; only draws need the sets themselves.
  NodeWeights(Mask universe, const std::vector<Mask>& sets, const double* log_weights,
              bool keep_sets);

  Wide sum_within(Mask nodes) const {  // A(S)
    const Mask i = place(nodes);
    return {mantissas_[i], exponents_[i]};
  }

  struct Set {
    Mask parents;
    Wide weight;
  };
  const std::vector<Set>& sets() const { return sets_; }  // heaviest first
  bool keeps_sets() const { return keeps_sets_; }
  Mask universe() const { return universe_; }

 private:
  Mask place(Mask nodes) const { return low_[nodes & 1023] | high_[nodes >> 10]; }
  void fill_places();
  void sum_over_subsets(int n_members);

  Mask universe_;
  bool keeps_sets_;
  std::vector<Mask> low_, high_;  // where the members of S stand in the universe
  std::vector<double> mantissas_;  // by place: those of A, then
  std::vector<int> exponents_;     // its exponents
  std::vector<Set> sets_;
};

// A node that can be added to W, with A_v(W).
struct Newcomer {
  int node;
  Wide sum;
};

class ExactDags {
 public:
  explicit ExactDags(int n_nodes);

  void add_node(NodeWeights weights);
  int n_added() const { return static_cast<int>(nodes_.size()); }

  // Z for all sets; returns the steps done so far, out of 3^n. Call until all are.
  std::int64_t forward(std::int64_t n_steps);
  // B for all sets and what follows from it, likewise; needs Z.
  std::int64_t backward(std::int64_t n_steps);
  // The weights of the last layer; draws need them.
  void prepare_draws();

  bool forward_done() const { return next_forward_ > all_; }
  bool backward_done() const { return n_pulled_ > all_; }
  bool any_dag() const { return sums_[all_].sum > 0.0; }  // has a weight; needs Z
  bool sets_kept() const;
  bool draws_prepared() const { return !last_layer_.empty(); }

  int n_nodes() const { return n_; }
  double log_normaliser() const;
  double log_backward_normaliser() const;  // the same number by the other recursion
  double forward_error() const;            // of log_normaliser: eps sum_W sum |terms| / Z(W)
  const std::vector<double>& edges() const { return edges_; }              // [parent, child]
  const std::vector<double>& descendants() const { return descendants_; }  // [ancestor, node]
  double mass_error() const;  // by how much a node's probabilities miss their sum, which is 1

  // For draws: the sum over DAGs on U, as sums[U] 2^exponents[U].
  Wide normaliser_of(Mask U) const { return {sums_[U].sum, exponents_[U]}; }
  const NodeWeights& node(int v) const { return nodes_[v]; }
  const std::vector<double>& last_layer() const { return last_layer_; }
  double last_layer_noise() const { return last_layer_noise_; }

  mutable std::shared_mutex in_use;  // for who lets threads at it

 private:
  struct Sum {
    double sum = 0.0, size = 0.0;  // of terms, and of their absolute values
  };

  void start_forward();
  void start_backward();
  void push(Mask W);
  void add_term(Mask U, double mantissa, int exponent) {
    const double term = mantissa * power_of_two(exponent - exponents_[U]);
    sums_[U].sum += term;
    sums_[U].size += term < 0.0 ? -term : term;
  }
  void pull(Mask W);
  void list_newcomers(Mask W);
  int multiply_out(Mask W, double mantissa, int exponent);
  void record(Mask W, int node, double probability);
  void resize_work();

  int n_;
  Mask all_;
  std::vector<NodeWeights> nodes_;
  std::vector<Sum> sums_;        // Z(U) 2^-exponents[U]
  std::vector<int> exponents_;
  std::vector<double> backward_;  // B(W) 2^-backward_exponents[W]
  std::vector<int> backward_exponents_;
  std::int64_t forward_steps_ = 0, backward_steps_ = 0;
  Mask next_forward_ = 0, n_pulled_ = 0;
  double forward_error_ = 0.0;
  std::vector<double> edges_, descendants_, masses_, last_layer_;
  double last_layer_noise_ = 0.0;
  // Room for the products over all R of one W.
  std::vector<Newcomer> newcomers_;
  std::vector<double> products_;
  std::vector<int> product_exponents_;
  std::vector<Mask> unions_;
};

}  // namespace gpnet
