#include "pate/mechanisms/aggregator.hpp"

#include "pate/base/require.hpp"

namespace pate {

std::string_view Aggregator::name() const {
  if (!selection) return noisy_max.names().aggregator;
  return interactive ? "interactive" : "confident";
}

void validate(const Aggregator& aggregator) {
  validate(aggregator.noisy_max);
  if (aggregator.selection) {
    validate(*aggregator.selection);
    require(aggregator.is_gaussian(),
            "a threshold check goes with Gaussian noise (sigma2), not with Laplace");
  } else {
    require(!aggregator.interactive, "the interactive aggregator needs a threshold and sigma1");
  }
}

}  // namespace pate
