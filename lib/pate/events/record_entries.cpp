#include "pate/events/record_entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/exact_account.hpp"
#include "pate/accounting/pld_account.hpp"
#include "pate/accounting/run_curve.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/divergence/rdp/step_composition.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/margin.hpp"

namespace pate {

namespace {

// Of outcomes whose events named no common order beforehand; each has an equal share of delta.
constexpr std::array kPublicOrders{2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 32.0};

using AtOrders = std::function<std::vector<double>(std::span<const double>)>;

// RDP of all events together.
RunCurve curve_of(const RecordQuestion& asked, const AtOrders& rdp) {
  return {asked.orders, [rdp](std::span<const double> orders) {
            const std::vector<double> all = rdp(orders);
            std::vector<RunCost> costs;
            for (std::size_t j = 0; j < orders.size(); ++j) {
              costs.push_back({.order = orders[j], .joint = all[j]});
            }
            return costs;
          }};
}

// Of Gaussian and pure events together, or of pure ones of several epsilons.
void add_mixture(const RecordQuestion& asked, std::vector<CostEntry>& entries) {
  const auto its = asked.sums.mixture();
  if (!its || its->pure.empty() || !asked.converts()) return;
  if (its->squared_mu == 0.0 && its->pure.size() == 1) return;
  const auto hint = std::ranges::find_if(entries, [](const CostEntry& entry) {
    return entry.conversion == EpsilonMethod::improved && entry.order;
  });
  if (hint == entries.end()) return;
  const auto epsilon =
      mixture_epsilon(std::sqrt(its->squared_mu), its->pure, asked.search().conversion_delta(),
                      {*hint->order, hint->epsilon});
  if (epsilon) {
    entries.push_back(
        data_independent_entry(EpsilonMethod::profile, *epsilon, asked.delta, "steps"));
  }
}

// An epsilon of the outcome from RDP at orders that were fixed beforehand, with an equal share of
// delta each.
void fill_outcome(const RecordQuestion& asked, std::span<const double> orders,
                  std::span<const double> rdp, CostEntry& entry, std::vector<Notice>& notices) {
  const double delta =
      asked.search().conversion_delta() / static_cast<double>(orders.size()) * (1.0 - 1e-15);
  entry.epsilon = kInfinity;
  entry.delta = asked.delta;
  entry.promise = Promise::outcome;
  for (std::size_t j = 0; j < orders.size(); ++j) {
    const double epsilon =
        rdp[j] > 0.0 ? epsilon_from_rdp(rdp_conversion(entry.conversion), rdp[j], orders[j], delta)
                     : 0.0;
    if (!(epsilon < entry.epsilon)) continue;
    entry.epsilon = std::max(epsilon, 0.0);
    entry.order = orders[j];
    entry.parts = {{"steps", rdp[j]}, {"delta", entry.epsilon - rdp[j]}};
  }
  if (!std::isfinite(entry.epsilon)) {
    notices.push_back(
        {"epsilon_infinite", fmt::format("{}: the cost is infinite at every order", label(entry))});
  }
}

std::vector<double> outcome_orders(const std::optional<double>& named) {
  if (named) return {*named};
  return {kPublicOrders.begin(), kPublicOrders.end()};
}

}  // namespace

RecordQuestion question_of(RecordSums& sums, const RecordSettings& settings, double delta) {
  RecordQuestion asked{
      sums, delta, sums.delta_apart(), settings.threads, {}, settings.orders.has_value()};
  // All of it is claimed, as far as rounding tells.
  if (asked.apart > delta && asked.apart <= delta * (1.0 + 4.0 * kSumMargin)) asked.apart = delta;
  asked.orders = settings.orders
                     ? validated_orders(*settings.orders)
                     : std::vector<double>(default_orders().begin(), default_orders().end());
  if (settings.orders) return asked;
  for (const Event& event : sums.events()) {
    // Where a cap ends RDP jumps: just there is often the best order.
    if (event.open.cap) asked.orders.push_back(event.open.cap->order);
    if (event.open.foreign) {
      const auto& told = event.open.foreign->orders;
      asked.orders.insert(asked.orders.end(), told.begin(), told.end());
    }
    if (!event.facts.curves) continue;
    const auto& more = event.facts.curves->orders;
    asked.orders.insert(asked.orders.end(), more.begin(), more.end());
  }
  asked.orders = validated_orders(std::move(asked.orders));
  return asked;
}

std::vector<CostEntry> any_votes_entries(const RecordQuestion& asked,
                                         std::vector<Notice>& notices) {
  const auto steps = asked.sums.only_steps();
  if (steps && asked.converts()) {
    std::vector<CostEntry> entries =
        data_independent_entries(*steps, asked.orders, asked.search(), notices);
    add_mixture(asked, entries);
    return entries;
  }
  std::vector<CostEntry> entries;
  const AtOrders rdp = [&](std::span<const double> orders) {
    std::vector<double> result;
    for (const double order : orders) result.push_back(asked.sums.any_votes(order));
    return result;
  };
  RunCurve curve = curve_of(asked, rdp);
  const bool is_known = std::ranges::any_of(
      curve.on_grid(), [](const RunCost& cost) { return std::isfinite(cost.joint); });
  if (is_known && asked.converts()) {
    CostEntry like{Bound::data_independent, GuaranteeKind::worst_case};
    like.releasable = true;
    entries = curve.entries(like, fixed_conversions(asked.apart), asked.search(), notices);
  }
  if (const auto squared_mu = asked.sums.squared_mu(); squared_mu && asked.converts()) {
    entries.push_back(data_independent_entry(
        EpsilonMethod::gdp,
        gaussian_dp_epsilon(std::sqrt(*squared_mu), asked.search().conversion_delta()), asked.delta,
        "steps"));
  } else {
    if (const auto pure = asked.sums.pure_steps()) {
      const std::size_t first = entries.size();
      add_pure_entries(*pure, asked.search(), "steps", entries);
      // A single claim is what it claims: nothing was added or rounded.
      const Event& alone = asked.sums.events().front();
      if (asked.sums.events().size() == 1 && alone.times == 1 && alone.open.claim &&
          alone.open.claim->count == 1) {
        CostEntry& entry = entries[first];
        entry = data_independent_entry(EpsilonMethod::pure, alone.open.claim->epsilon, entry.delta,
                                       "steps");
      }
    }
    add_mixture(asked, entries);
  }
  return entries;
}

const CostEntry* least_public(std::span<const CostEntry> entries) {
  const CostEntry* least = nullptr;
  for (const CostEntry& entry : entries) {
    if (!entry.releasable || entry.promise != Promise::fixed || entry.data_dependent) continue;
    if (least == nullptr || entry.epsilon < least->epsilon) least = &entry;
  }
  return least;
}

std::vector<CostEntry> tradeoff_entries(const RecordQuestion& asked, std::vector<double>& curve,
                                        std::vector<Notice>& notices) {
  if (!asked.sums.has_votes() || !asked.converts()) return {};
  RunCurve of_votes =
      curve_of(asked, [&](std::span<const double> orders) { return asked.sums.tradeoff(orders); });
  curve.clear();
  for (const RunCost& cost : of_votes.on_grid()) curve.push_back(cost.joint);
  CostEntry like{Bound::tradeoff, GuaranteeKind::joint};
  like.data_dependent = true;
  return of_votes.entries(like, fixed_conversions(asked.apart), asked.search(), notices);
}

std::vector<CostEntry> expected_entries(const RecordQuestion& asked, Bound bound,
                                        std::vector<Notice>& notices) {
  if (!asked.sums.has_expected(bound) || !asked.converts()) return {};
  RunCurve curve(asked.orders, [&](std::span<const double> orders) {
    std::vector<RunCost> costs;
    for (const EventCosts::Spent& its : asked.sums.expected(bound, orders)) {
      costs.push_back({.order = orders[costs.size()],
                       .selection = its.selection,
                       .noisy_max_expected = its.noisy_max,
                       .spent_variance = its.variance});
    }
    return costs;
  });
  CostEntry like{bound, GuaranteeKind::expected};
  like.data_dependent = true;
  like.promise = Promise::none;
  std::vector<CostEntry> entries =
      curve.entries(like, fixed_conversions().last(2), asked.search(), notices);
  for (CostEntry& entry : entries) {
    if (!asked.sums.steps().has_checks()) break;
    entry.sd = entry.order ? std::sqrt(curve.at(*entry.order).spent_variance) : 0.0;
  }
  return entries;
}

void sum_directly(const RecordQuestion& asked, Bound bound, GuaranteeKind reading, double order,
                  std::span<CostEntry> entries) {
  if (reading == GuaranteeKind::realized) return;  // is summed so already
  double rdp = 0.0;
  if (reading == GuaranteeKind::joint) {
    rdp = asked.sums.tradeoff(std::span(&order, 1), QuerySum::direct).front();
  } else {
    const EventCosts::Spent its =
        asked.sums.expected(bound, std::span(&order, 1), QuerySum::direct).front();
    rdp = its.selection + its.noisy_max;
  }
  for (CostEntry& entry : entries) {
    if (entry.bound != bound || entry.reading != reading || entry.order != order) continue;
    set_parts(entry, {{"steps", rdp}}, asked.search());
  }
}

std::vector<CostEntry> realized_entries(const RecordQuestion& asked, std::vector<Notice>& notices) {
  std::vector<CostEntry> entries;
  if (!asked.sums.tells_answers() || !asked.converts()) return entries;
  const std::vector<double> orders = outcome_orders(asked.sums.named_order());
  std::vector<double> rdp;
  for (const EventCosts::Spent& its : asked.sums.realized(orders)) {
    rdp.push_back(its.selection + its.noisy_max);
  }
  for (const auto conversion : {EpsilonMethod::improved, EpsilonMethod::classic}) {
    CostEntry entry{Bound::tradeoff, GuaranteeKind::realized, conversion};
    entry.data_dependent = true;
    fill_outcome(asked, orders, rdp, entry, notices);
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::optional<CostEntry> counted_entry(const RecordQuestion& asked, std::vector<Notice>& notices) {
  if (!asked.sums.counts_answers() || !asked.converts()) return std::nullopt;
  const std::vector<double> orders = outcome_orders(asked.sums.counted_order());
  std::vector<double> rdp;
  for (const double order : orders) rdp.push_back(asked.sums.counted(order));
  CostEntry entry{Bound::data_independent, GuaranteeKind::realized, EpsilonMethod::improved};
  entry.releasable = true;
  fill_outcome(asked, orders, rdp, entry, notices);
  return entry;
}

std::vector<CostEntry> exact_record_entries(const RecordQuestion& asked,
                                            std::span<const CostEntry> bounds,
                                            std::optional<ProfileCurve>& curve,
                                            std::vector<Notice>& notices,
                                            std::vector<PessimisticProfile>* profiles) {
  if (!asked.sums.has_exact() || !asked.converts()) return {};
  if (asked.apart > 0.0) {
    notices.push_back({"bound_left_out",
                       "exact costs are not added to those of events whose deltas are "
                       "apart: they are not in the sum"});
    return {};
  }
  auto [entries, best, spent] = directed_costs(
      Bound::exact, [&](std::span<const double> orders) { return asked.sums.exact(orders); },
      {asked.delta, asked.grid_only}, asked.orders, bounds, notices);
  const double most = entries.front().epsilon;
  const auto profiled = asked.sums.profiled();
  if (profiled && !spent) {
    entries.push_back(profile_entry(Bound::exact, asked.delta, 0.0, 0.0));
  } else if (profiled) {
    ProfileSettings settings{.delta = asked.delta};
    if (profiles != nullptr) settings.told_apart = kToldApart * most + 1.0;
    auto profile =
        run_profile(profiled->runs, {best[0], best[1]}, settings, profiled->mu, asked.threads);
    if (profile) {
      // The lower end knows nothing of events beside.
      const double upper = std::min(profile->upper.larger(), most);
      entries.push_back(profile_entry(Bound::exact, asked.delta, upper,
                                      std::min(profile->lower.larger(), upper)));
      note_interval(entries.back(), notices);
      curve = std::move(profile->curve);
      if (profiles != nullptr) *profiles = std::move(profile->profiles);
    } else {
      notices.push_back(no_profile());
    }
  }
  notices.push_back(exact_private());
  return entries;
}

}  // namespace pate
