#include "mcmc/partition_order.hpp"

#include <algorithm>
#include <cmath>

#include "mcmc/order.hpp"
#include "mcmc/partition.hpp"

namespace gpnet {

namespace {

// Places nodes one by one; those whose parents are all placed are ready.
class Placing {
 public:
  Placing(const uint8_t* dag, int n) : dag_(dag), n_(n), n_waiting_(n, 0), weights_(n) {
    for (int v = 0; v < n; ++v) {
      const std::vector<uint8_t> reached = reached_from(dag, n, v);
      weights_[v] = static_cast<double>(std::count(reached.begin(), reached.end(), 1));
      for (int u = 0; u < n; ++u) n_waiting_[v] += dag[u * n + v];
    }
    for (int v = 0; v < n; ++v) {
      if (n_waiting_[v] == 0) ready_.push_back(v);
    }
  }

  double total() const {
    double sum = 0.0;
    for (const int v : ready_) sum += weights_[v];
    return sum;
  }

  int draw(Random& random) const {
    double left = random.uniform() * total();
    size_t i = 0;
    while (i + 1 < ready_.size() && (left -= weights_[ready_[i]]) > 0) ++i;
    return ready_[i];
  }

  // Returns the log probability that just this node would be drawn.
  double place(int node) {
    const double log_probability = std::log(weights_[node] / total());
    ready_.erase(std::find(ready_.begin(), ready_.end(), node));
    for (int child = 0; child < n_; ++child) {
      if (dag_[node * n_ + child] && --n_waiting_[child] == 0) ready_.push_back(child);
    }
    return log_probability;
  }

 private:
  const uint8_t* dag_;
  int n_;
  std::vector<int> n_waiting_, ready_;
  std::vector<double> weights_;
};

}  // namespace

double draw_order(const uint8_t* dag, int n, Random& random, std::vector<int>* order) {
  Placing placing(dag, n);
  double log_probability = 0.0;
  order->clear();
  for (int i = 0; i < n; ++i) {
    order->push_back(placing.draw(random));
    log_probability += placing.place(order->back());
  }
  return log_probability;
}

double log_probability_of_order(const uint8_t* dag, int n, const std::vector<int>& order) {
  Placing placing(dag, n);
  double log_probability = 0.0;
  for (const int node : order) log_probability += placing.place(node);
  return log_probability;
}

bool trade(Replica& one, Replica& other, Random& random) {
  auto& partition = dynamic_cast<PartitionReplica&>(one);  // std::bad_cast for another kind
  auto& ordered = dynamic_cast<OrderReplica&>(other);
  const int n = static_cast<int>(ordered.order().size());
  Edges mine(static_cast<size_t>(n) * n, 0), theirs(static_cast<size_t>(n) * n, 0);
  partition.draw(random, mine.data());
  ordered.draw(random, theirs.data());
  std::vector<int> order;
  const double log_mine = draw_order(mine.data(), n, random, &order);
  const double log_theirs = log_probability_of_order(theirs.data(), n, ordered.order());
  if (random.log_uniform() >= log_theirs - log_mine) return false;
  partition.arrange(levels_of(theirs.data(), n));
  ordered.arrange(order);
  return true;
}

}  // namespace gpnet
