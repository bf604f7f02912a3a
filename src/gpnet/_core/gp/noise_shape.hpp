// How much better than a normal density a smooth density of another shape explains residuals.
#pragma once

#include <vector>

#include "gp/types.hpp"

namespace gpnet {

// Densities b(e) exp(s(e)) / Z of a standardised residual e, where b is a normal or a t density of
// variance 1 and s = root c on a grid over t = asinh(e), with c ~ N(0, I).
struct ShapeFamily {
  // Not for several threads at once: lgamma writes the sign into a global variable.
  ShapeFamily(double degrees, Matrix root);
  double log_base_ratio(double e) const;  // log b(e) - log N(e; 0, 1)

  double degrees;  // of freedom of b; infinite for the normal density
  Matrix root;     // G x K

 private:
  double constant_;
};

class NoiseShapes {
 public:
  // The grid has G = root.rows() places from -reach to reach, the same for all families.
  NoiseShapes(double reach, std::vector<ShapeFamily> families);

  // For each family, log p(residuals) less that under N(0, 1), with c integrated out by Laplace's
  // approximation. Residual i is spread evenly over widths[i], the resolution of its column.
  Vector log_ratios(const Vector& residuals, const Vector& widths) const;

  Index n_families() const { return static_cast<Index>(families_.size()); }

 private:
  Vector counts(const Vector& residuals, const Vector& widths) const;
  double reach_, step_;
  std::vector<ShapeFamily> families_;
  std::vector<Vector> log_base_;  // of each family at the grid, with the weight of the quadrature
};

}  // namespace gpnet
