// What the bindings of the Gaussian processes check.
#pragma once

#include "gp/cover.hpp"
#include "gp/modes.hpp"
#include "gp/pivots.hpp"
#include "gp/statistics.hpp"

namespace gpnet {

// Of the whole table.
void check_statistics(Index n_rows, double log_shortest, double band_width, double mean_sd,
                      const Form& form, const std::vector<Prior>& priors, const Prior& noise,
                      double slope_variance, const Vector& sums, const Vector& squares);

// Rows in panels: one panel for each row, and whatever is kept in order.
void check_panel_rows(Index n_rows, const Eigen::VectorXi& panel, const Eigen::VectorXi& starts,
                      const Rows& nodes, const Rows& weights, const Numbers& kept,
                      const Rows& values);

// One variable, whose sizes must fit to each other and to those of the table.
void check_variable(const Statistics& data, int index, const Variable& variable);

// A node with parents that are other nodes, each once, and have been set.
void check_problem(const Problem& problem);

// One number for each parameter, and none of them nan.
void check_parameters(const char* what, const Problem& problem, const Vector& u);
void check_points(const char* what, const Problem& problem, const Rows& points);

// For a factor: a variable that has been set, and its own parameters.
void check_factor(const Statistics& data, int variable, const Vector& u, double tolerance);

// The coordinate that a climb leaves alone, -1 for none; another must be left.
void check_fixed(const Problem& problem, int fixed);

void check_cover(const Problem& problem, const std::vector<Mode>& modes,
                 const std::vector<std::vector<double>>& grids);
void check_bits(const Problem& problem, const Bits& net, const Bits& shifts, int n_bits);

// A covariance that fits the columns of z (N, p): variances of 0 or more, lengthscales above 0.
void check_pair_covariance(const PairCovariance& k, const Matrix& z);
void check_pivot_rows(const PivotRows& rows);

}  // namespace gpnet
