#include "pate/numerics/bernoulli_pair.hpp"

#include "pate/numerics/log_space.hpp"

namespace pate {

namespace {

double log_outcome_excess(double log_neighbour, double log_ratio, double order) {
  // An outcome impossible for the neighbour and for the votes adds nothing.
  if (log_ratio == 0.0) return -kInfinity;
  return log_neighbour + log_power_excess(log_ratio, order);
}

}  // namespace

double log_bernoulli_excess(const LogBernoulliPair& pair, double order) {
  return log_add(log_outcome_excess(pair.log_p_neighbour, pair.log_ratio, order),
                 log_outcome_excess(pair.log_not_p_neighbour, pair.log_not_ratio, order));
}

LogBernoulliPair reversed(const LogBernoulliPair& pair) {
  return {pair.log_p_neighbour, pair.log_not_p_neighbour, pair.log_p,
          pair.log_not_p,       -pair.log_ratio,          -pair.log_not_ratio};
}

}  // namespace pate
