#include "pate/mechanisms/aggregator.hpp"

#include "pate/base/error.hpp"
#include "pate/mechanisms/supports.hpp"

namespace pate {

std::string_view Aggregator::name() const {
  if (!selection) return noisy_max.names().aggregator;
  return interactive ? "interactive" : "confident";
}

void validate(const Aggregator& aggregator) {
  validate(aggregator.noisy_max);
  validate(aggregator.neighbours);
  if (aggregator.noisy_max.is_of_two_classes()) require(Asked::one_noise, aggregator.neighbours);
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
