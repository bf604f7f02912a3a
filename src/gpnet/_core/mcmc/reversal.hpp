// Moves from DAG to DAG: the new edge reversal of Grzegorczyk & Husmeier (2008), and new parents of
// one node, as of Goudie & Mukherjee (2016).
#pragma once

#include "mcmc/replica.hpp"

namespace gpnet {

struct Reversal {
  Edges dag;         // empty where there was no edge to reverse or no set that fits
  double log_ratio;  // of acceptance, at temperature 1
};

// An edge i -> j is drawn, both nodes lose their parents, then i gets new ones with j among them,
// then j, each from their distribution given that no cycle arises. With E edges before, E' after,
//   ratio = E / E'  *  Z(i; with j) / Z(j; with i)  *  Z(j | new parents of i) / Z(i | old of j).
Reversal propose_reversal(const ParentSums& sums, const Edges& dag, Random& random);

// Gives a node parents from their distribution given all edges into other nodes.
void redraw_parents(const ParentSums& sums, Edges& dag, int node, Random& random);

}  // namespace gpnet
