// log p(x, u | parents) of one node from sufficient statistics, at a cost free of N.
#pragma once

#include "gp/statistics.hpp"

namespace gpnet {

// u = (parameters of the first parent, of the second, ..., log sigma).
struct Evaluation {
  double value;
  Vector gradient;  // for order >= 1
  Matrix hessian;   // for order 2
  Index rank;
  bool clamped;
};

struct Problem {
  const Statistics& data;
  int node;
  Parents parents;
  Parents lines = {};  // further parents, each a straight line and no more: without parameters
  int variable(size_t i) const {  // the parents, then the lines
    return i < parents.size() ? parents[i] : lines[i - parents.size()];
  }
  Index n_dims() const { return static_cast<Index>(parents.size()) * data.form.size() + 1; }
  const Prior& prior(Index a) const {
    return a + 1 < n_dims() ? data.priors[a % data.form.size()] : data.noise;
  }
};

Evaluation evaluate(const Problem& problem, const Vector& u, int order);

}  // namespace gpnet
