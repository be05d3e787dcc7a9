#include "pate/accounting/set_sums.hpp"

#include <algorithm>
#include <cmath>

#include "pate/numerics/chebyshev.hpp"

namespace pate {

namespace {

// How far a cost may be from what the nodes say of the queries at the ends of a part.
constexpr double kEndTolerance = 1e-10;

}  // namespace

CostPiece Summation::empty_piece(bool in_trajectory) const {
  const std::size_t checkpoints = in_trajectory ? inputs.query_counts().checkpoints.size() : 0;
  return {std::vector<RunCost>(all.size()), std::vector<double>(all.size() * checkpoints, 0.0)};
}

bool PartEnds::determined_by(const QCells::Nodes& values, std::size_t order) const {
  if (!chebyshev::converged(values, *std::ranges::min_element(values))) return false;
  return std::ranges::all_of(std::array{std::size_t{0}, std::size_t{1}}, [&](std::size_t i) {
    const double error = chebyshev::interpolate(weights_[i], values) - costs_[i][order];
    return std::abs(error) <= kEndTolerance * costs_[i][order];
  });
}

}  // namespace pate
