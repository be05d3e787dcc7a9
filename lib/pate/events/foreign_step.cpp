#include "pate/events/foreign_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "pate/base/require.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/events/event_costs.hpp"
#include "pate/numerics/decimal.hpp"
#include "pate/numerics/margin.hpp"

namespace pate {

namespace {

Event named_event(const std::string& name, const std::string& source) {
  require(!name.empty(), "what others did needs a name, got none");
  require(!source.empty(), "{}: the number needs a source, got none", name);
  Event event;
  event.open.kind = EventKind::step;
  event.open.protects_records = true;
  event.open.mechanism = name;
  event.open.source = source;
  return event;
}

}  // namespace

Event foreign_event(const std::string& name, const std::string& source, const ForeignStep& step) {
  Event event = named_event(name, source);
  require_cost(step.mu, "mu");
  require_cost(step.rho, "rho");
  require_cost(step.xi, "xi");
  require(step.count >= 1, "{}: it must be done at least once", name);
  require(step.orders.size() == step.rdp.size(), "{}: {} orders and {} numbers of RDP", name,
          step.orders.size(), step.rdp.size());
  for (std::size_t k = 0; k < step.orders.size(); ++k) {
    const double order = step.orders[k];
    require(order >= kLowestOrder && order <= kHighestOrder,
            "an order must be > 1 and at most {:g}, got {}", kHighestOrder, order);
    if (k > 0) {
      require(order > step.orders[k - 1], "orders must increase, got {} after {}", order,
              step.orders[k - 1]);
    }
    require_cost(step.rdp[k], "RDP");
  }
  require(step.mu > 0.0 || step.rho > 0.0 || step.xi > 0.0 || !step.orders.empty(),
          "one of mu, rho, xi and RDP must be told and not 0, got none");
  event.open.foreign = step;
  return event;
}

Event foreign_event(const std::string& name, const std::string& source, const PrivacyClaim& claim) {
  Event event = named_event(name, source);
  require_cost(claim.epsilon, "epsilon");
  require(claim.delta >= 0.0 && claim.delta < 1.0, "delta must be >= 0 and < 1, got {}",
          claim.delta);
  require(claim.count >= 1, "{}: it must be done at least once", name);
  event.open.claim = claim;
  return event;
}

bool is_foreign(const Event& event) {
  return event.open.kind == EventKind::step && !event.open.source.empty();
}

double foreign_rdp(const ForeignStep& step, double order) {
  double once = step.xi + (step.rho + 0.5 * step.mu * step.mu) * order;
  if (!step.orders.empty()) {
    std::vector<double> least = step.rdp;
    for (std::size_t k = least.size() - 1; k-- > 0;) least[k] = std::min(least[k], least[k + 1]);
    once += chord(step.orders, least, order);
  }
  return with_margin(static_cast<double>(step.count) * once, kSumMargin);
}

std::string foreign_in_words(const Event& event) {
  const PublicEvent& open = event.open;
  std::string told;
  const auto add = [&told](const std::string& its) { told += (told.empty() ? "" : " and ") + its; };
  auto count = static_cast<double>(event.times);
  if (open.claim) {
    add(fmt::format("({}, {})-DP", open.claim->epsilon, decimal(open.claim->delta)));
    count *= static_cast<double>(open.claim->count);
  }
  if (open.foreign) {
    const ForeignStep& step = *open.foreign;
    count *= static_cast<double>(step.count);
    if (step.mu > 0.0) add(fmt::format("Gaussian DP with mu = {}", step.mu));
    if (step.xi > 0.0) {
      add(fmt::format("({}, {})-zCDP", step.xi, step.rho));
    } else if (step.rho > 0.0) {
      add(fmt::format("{}-zCDP", step.rho));
    }
    if (step.orders.size() == 1) {
      add(fmt::format("RDP of {} at order {}", step.rdp.front(), step.orders.front()));
    } else if (!step.orders.empty()) {
      add(fmt::format("RDP at {} orders from {} to {}", step.orders.size(), step.orders.front(),
                      step.orders.back()));
    }
  }
  return fmt::format("{} (source: {}): {}{}", open.mechanism, open.source, told,
                     count > 1 ? fmt::format(", {:.0f} times", count) : "");
}

}  // namespace pate
