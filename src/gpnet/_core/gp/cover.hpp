// Importance sampling of log p(x, u | parents) from a mixture of split-t distributions (see
// gp/proposal.py).
#pragma once

#include <cstdint>

#include "gp/modes.hpp"

namespace gpnet {

// u = centre + axes (sds * z), with z_k a t variable times a scale that depends on its sign.
struct SplitT {
  SplitT(const Problem& problem, const Mode& mode, double least_precision, double widest);
  void place(const double* uniforms, Vector* u) const;
  double log_density(const Vector& u) const;

  Vector centre, sds, up, down;
  Matrix axes;
  double log_mass;
};

using Bits = Eigen::Matrix<int64_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Parts at all modes, then at the shoulders that these leave uncovered.
class Cover {
 public:
  Cover(Problem problem, const std::vector<Mode>& modes,
        const std::vector<std::vector<double>>& grids);

  // Row r: log weights of the points of a digital net (m x (d + 1)) under shift r (R x (d + 1)).
  // The first coordinate chooses the part, the others the place. Each weight is an evaluation.
  Matrix log_weights(const Bits& net, const Bits& shifts, int n_bits) const;

  double log_density(const Vector& u) const;
  Index n_parts() const { return static_cast<Index>(parts_.size()); }
  const Problem& problem() const { return problem_; }
  int n_evaluations = 0;

 private:
  void add(SplitT part);
  void cover_shoulder(const Mode& mode, Index axis, const std::vector<double>& grid);
  Problem problem_;
  std::vector<SplitT> parts_;
  std::vector<double> log_weights_, bounds_;  // of the parts; their weights summed up
};

}  // namespace gpnet
