#include "pate/release/draw.hpp"

#include "pate/sampling/noisy_value.hpp"

namespace pate {

double draw_released_rdp(const ReleasePlan& plan, BitSource& source) {
  const Dyadic scale(plan.numbers.noise_sd);
  const Dyadic location = Dyadic(plan.rdp) + scale * Dyadic(plan.k);
  NoisyValue value(location, scale, exact_normal(source));
  return released_on_grid(value, plan.largest_rdp, source);
}

}  // namespace pate
