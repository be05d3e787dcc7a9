#include "pate/reports/read_mechanism.hpp"

#include "pate/error.hpp"

namespace pate {

Aggregator read_aggregator(const JsonValue& mechanism) {
  const JsonValue name = mechanism.at("name");
  const std::string kind = name.text();
  Aggregator aggregator;
  if (kind == "lnmax") {
    aggregator.noisy_max = LaplaceNoisyMax{mechanism.at("laplace_scale").number()};
  } else if (kind == "gnmax" || kind == "confident" || kind == "interactive") {
    aggregator.noisy_max = GaussianNoisyMax{mechanism.at("sigma2").number()};
  } else {
    name.fail("lnmax, gnmax, confident or interactive");
  }
  if (kind == "confident" || kind == "interactive") {
    aggregator.selection =
        ThresholdCheck{mechanism.at("threshold").number(), mechanism.at("sigma1").number()};
    aggregator.interactive = kind == "interactive";
  }
  try {
    validate(aggregator);
  } catch (const parameter_error& error) {
    mechanism.fail(std::string("a mechanism within its domain (") + error.what() + ")");
  }
  return aggregator;
}

}  // namespace pate
