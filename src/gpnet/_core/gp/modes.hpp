// The modes of log p(x, u | parents): climbs from several starts.
#pragma once

#include "gp/climb.hpp"

namespace gpnet {

struct Modes {
  std::vector<Mode> found;  // best first, none far below the best
  int n_evaluations;
};

// One parent: starts from a scan over lengthscale and noise. More: from the best of `seeds` (k x d),
// which are modes without one parent, with that parent's own parameters put in. Then the best mode
// is scanned along each lengthscale, and another that this makes the best once more.
Modes find_modes(const Problem& problem, const Rows& seeds);

}  // namespace gpnet
