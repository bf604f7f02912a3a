// How much better than a normal density a smooth density of another shape explains residuals.
#pragma once

#include <vector>

#include "gp/types.hpp"

namespace gpnet {

// Where a density may be above 0: everywhere, or from or up to an edge that the residuals show.
enum class Support { line, above_edge, below_edge, between_edges };

// Densities b(e) exp(s(t)) / Z of a standardised residual e, s = root c on a grid over t(e), with
// c ~ N(0, I). What b and t are depends on the support:
//   line           b a normal or a t density of variance 1    t = asinh(e)
//   above_edge     b exponential from the edge on             t = log of the distance to the edge
//   below_edge     the same for -e
//   between_edges  b uniform                                  t = logit of the place between them
struct ShapeFamily {
  // Not for several threads at once: lgamma writes the sign into a global variable.
  ShapeFamily(Support support, double degrees, double low, double high, Matrix root);
  double log_base_ratio(double e) const;  // on the line: log b(e) - log N(e; 0, 1)
  bool has_grid_of(const ShapeFamily& other) const {
    return low == other.low && high == other.high && root.rows() == other.root.rows();
  }

  Support support;
  double degrees;    // of freedom of b on the line; infinite for the normal density
  double low, high;  // of the grid over t
  Matrix root;       // G x K

 private:
  double constant_;
};

class NoiseShapes {
 public:
  explicit NoiseShapes(std::vector<ShapeFamily> families);

  // For each family, log p(residuals) less that under N(0, 1), with c integrated out by Laplace's
  // approximation. Residual i is spread evenly over widths[i], the resolution of its column.
  // Families on the line come first: where none of them is better than the normal density, those
  // with edges are not looked at, and have a ratio that is too low to matter. Residuals that are
  // alike may come as one, with their number; `counts` is empty where each is one. `rows`, if it is
  // asked for, has what each residual (row) adds under each family (column), at its peak.
  Vector log_ratios(const Vector& residuals, const Vector& widths, const Vector& counts,
                    Matrix* rows = nullptr) const;

  Index n_families() const { return static_cast<Index>(families_.size()); }

 private:
  std::vector<ShapeFamily> families_;
  std::vector<Vector> log_base_;  // of each family on its grid, with the weight of a place
};

}  // namespace gpnet
