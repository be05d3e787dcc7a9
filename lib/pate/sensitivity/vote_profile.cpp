#include "pate/sensitivity/vote_profile.hpp"

namespace pate {

UnionBoundTable union_bound_table(const Aggregator& aggregator, std::int64_t teachers) {
  return {[mechanism = aggregator.noisy_max](std::int64_t gap) {
            return std::visit([gap](const auto& m) { return log_pair_probability(m, gap); },
                              mechanism);
          },
          teachers};
}

}  // namespace pate
