#include "pate/reports/read_mechanism.hpp"

#include "pate/error.hpp"

namespace pate {

Aggregator read_aggregator(const JsonValue& mechanism) {
  const JsonValue name = mechanism.at("name");
  const std::string kind = name.text();
  Aggregator aggregator;
  const bool has_selection = kind == "confident" || kind == "interactive";
  bool known = false;
  for (std::size_t k = 0; k < kNoiseKinds && !known; ++k) {
    const NoiseNames& names = noise_of(k, 1.0).names();
    known = kind == names.aggregator || (has_selection && noise_of(k, 1.0).is_gaussian());
    if (known) aggregator.noisy_max = noise_of(k, mechanism.at(names.parameter).number());
  }
  if (!known) name.fail("lnmax, gnmax, confident or interactive");
  if (has_selection) {
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
