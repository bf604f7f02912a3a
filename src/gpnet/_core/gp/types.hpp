// The words of the core.
#pragma once

#include <Eigen/Dense>
#include <vector>

namespace gpnet {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;  // by columns
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
using Numbers = Eigen::Matrix<Index, Eigen::Dynamic, 1>;  // of rows
using Parents = std::vector<int>;

constexpr double kLog2Pi = 1.8378770664093454836;

}  // namespace gpnet
