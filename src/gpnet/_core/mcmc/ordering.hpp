// An order of the nodes with a term of each: what order MCMC and the search for the best order have
// in common.
#pragma once

#include <numeric>
#include <vector>

#include "mcmc/parent_sets.hpp"

namespace gpnet {

// A `term` is a function of a node and its places.
class Ordering {
 public:
  explicit Ordering(int n) : terms(n), order_(n), at_(places_for(n)) {}

  int size() const { return static_cast<int>(order_.size()); }
  const std::vector<int>& order() const { return order_; }
  int node(int place) const { return order_[place]; }
  int place(int node) const { return static_cast<int>(at_[node]); }
  Places places(int node) const { return {at_.data(), at_[node], nobody}; }
  double total() const { return std::accumulate(terms.begin(), terms.end(), 0.0); }

  void put(int node, int place) {
    order_[place] = node;
    at_[node] = place;
  }

  template <class Term>
  void arrange(const std::vector<int>& order, const Term& term) {
    for (int i = 0; i < size(); ++i) put(order[i], i);
    for (const int node : order_) terms[node] = term(node, places(node));
  }

  // The node goes to the front and then step by step to the end; `choose` tells where it stays,
  // given the total with the node at each place.
  template <class Term, class Choose>
  void relocate(int node, const Term& term, const Choose& choose) {
    const int n = size();
    for (int i = place(node); i > 0; --i) exchange(i - 1, term);
    totals_.assign(n, 0.0);
    for (int i = 0; i < n; ++i) {
      totals_[i] = total();
      if (i + 1 < n) exchange(i, term);
    }
    const int stays = choose(totals_);
    for (int i = n - 1; i > stays; --i) exchange(i - 1, term);
  }

  std::vector<double> terms;  // by node

 private:
  // The nodes at `place` and the next change places; their terms follow.
  template <class Term>
  void exchange(int place, const Term& term) {
    const int a = order_[place], b = order_[place + 1];
    put(b, place);
    put(a, place + 1);
    terms[b] = term(b, places(b));
    terms[a] = term(a, places(a));
  }

  std::vector<int> order_;      // the node at each place
  std::vector<double> at_;      // the place of each node
  std::vector<double> totals_;  // of the move under way
};

}  // namespace gpnet
