#include "pate/mechanisms/aggregator.hpp"

#include "pate/base/error.hpp"

namespace pate {

std::string_view Aggregator::name() const {
  if (!selection) return noisy_max.names().aggregator;
  return interactive ? "interactive" : "confident";
}

void validate(const Aggregator& aggregator) {
  validate(aggregator.noisy_max);
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
