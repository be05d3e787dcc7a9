#include "pate/divergence/bounds/cost.hpp"

#include "pate/numerics/log_space.hpp"

namespace pate {

double cost_of_log_excess(double log_excess, double order, double cap, double margin) {
  const double cost = with_margin(log1pexp(log_excess) / (order - 1.0), margin);
  return cost < cap ? cost : cap;
}

}  // namespace pate
