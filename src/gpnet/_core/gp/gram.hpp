// Gram matrices of one-dimensional kernels.
#pragma once

#include "gp/types.hpp"

namespace gpnet {


// Writes order + 1 matrices (n x n each) to out: the Gram matrix and its derivatives.
void squared_exponential_gram(const Vector& z, double theta, int order, double* out);

}  // namespace gpnet
