#include "pate/mechanisms/aggregator.hpp"

#include "pate/base/error.hpp"

namespace pate {

std::string_view Aggregator::name() const {
  if (!selection) return noisy_max.names().aggregator;
  return interactive ? "interactive" : "confident";
}

Aggregator protecting(Aggregator aggregator, const Neighbours& neighbours) {
  aggregator.noisy_max.neighbours = neighbours;
  if (aggregator.selection) aggregator.selection->neighbours = neighbours;
  return aggregator;
}

void validate(const Aggregator& aggregator) {
  validate(aggregator.noisy_max);
  if (aggregator.selection && aggregator.selection->neighbours != aggregator.neighbours()) {
    throw parameter_error("both steps of an aggregator must be for the same neighbours");
  }
  if (aggregator.selection) {
    validate(*aggregator.selection);
    if (!aggregator.is_gaussian()) {
      throw parameter_error(
          "a threshold check goes with Gaussian noise (sigma2), not with Laplace");
    }
  } else if (aggregator.interactive) {
    throw parameter_error("the interactive aggregator needs a threshold and sigma1");
  }
}

}  // namespace pate
