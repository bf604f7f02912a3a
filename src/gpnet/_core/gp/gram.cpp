// Gram matrices of one-dimensional kernels, with derivatives in the log lengthscale.
#include "gp/gram.hpp"

#include <cmath>

namespace gpnet {

// With q = (z_i - z_j)^2 / theta^2:  k = exp(-q/2),  k' = q k,  k'' = q (q - 2) k.
// Only the lower triangle is computed; the columns of a symmetric matrix are its rows.
void squared_exponential_gram(const Vector& z, double theta, int order, double* out) {
  const Eigen::Index n = z.size();
  for (int k = 0; k <= order; ++k) {
    Eigen::Map<Matrix>(out + k * n * n, n, n).diagonal().setConstant(k == 0 ? 1.0 : 0.0);
  }
  Eigen::ArrayXd q(n), value(n);
  for (Eigen::Index j = 0; j + 1 < n; ++j) {
    const Eigen::Index rest = n - j - 1;
    q.head(rest) = ((z.tail(rest).array() - z[j]) / theta).square();
    value.head(rest) = (-0.5 * q.head(rest)).exp();
    for (int k = 0; k <= order; ++k) {
      Eigen::Map<Matrix> gram(out + k * n * n, n, n);
      auto below = gram.col(j).tail(rest);
      if (k == 0) below = value.head(rest);
      if (k == 1) below = q.head(rest) * value.head(rest);
      if (k == 2) below = q.head(rest) * (q.head(rest) - 2.0) * value.head(rest);
      gram.row(j).tail(rest) = below.transpose();
    }
  }
}

}  // namespace gpnet
