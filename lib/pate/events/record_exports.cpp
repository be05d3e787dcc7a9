#include "pate/events/record_exports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pate/accounting/cost_entries.hpp"
#include "pate/base/error.hpp"
#include "pate/events/record_sums.hpp"
#include "pate/numerics/decimal.hpp"

namespace pate {

namespace {

[[noreturn]] void refuse_kind(const CostEntry& entry) {
  throw input_error(
      fmt::format("{}: expected a cost that other accountants can add to theirs, for any votes, by "
                  "the trade-off bound or exact, and fixed; 'pate compose' of the report with "
                  "\1bound data-independent, tradeoff or exact reports such a one first",
                  label(entry)));
}

void require_fixed(const CostEntry& entry) {
  if (entry.promise != Promise::fixed || entry.reading == GuaranteeKind::realized) {
    refuse_kind(entry);
  }
}

// The exact profiles of a record, forward and reverse; none where they are not known.
std::vector<PessimisticProfile> exact_profiles(const RecordQuestion& asked) {
  std::vector<Notice> ignored;
  std::vector<double> curve;
  std::optional<ProfileCurve> profile;
  std::vector<PessimisticProfile> result;
  std::vector<CostEntry> bounds = tradeoff_entries(asked, curve, ignored);
  std::ranges::move(any_votes_entries(asked, ignored), std::back_inserter(bounds));
  const auto entries = exact_record_entries(asked, bounds, profile, ignored, &result);
  return entries.empty() ? std::vector<PessimisticProfile>{} : result;
}

// What holds for any votes, the same in both directions.
std::optional<PessimisticProfile> public_profile(const RecordQuestion& asked,
                                                 ProfileSettings settings) {
  const auto mixture = asked.sums.mixture();
  if (!mixture) {
    throw input_error(
        "an event is known by its RDP alone, which has no privacy loss distribution: export RDP");
  }
  std::vector<Notice> ignored;
  for (const CostEntry& entry : any_votes_entries(asked, ignored)) {
    if (entry.conversion != EpsilonMethod::improved || !entry.order) continue;
    settings.told_apart = kToldApart * entry.epsilon + 1.0;
    return mixture_profile(std::sqrt(mixture->squared_mu) * (1.0 + 1e-12), mixture->pure, settings,
                           {*entry.order, entry.epsilon});
  }
  return std::nullopt;
}

}  // namespace

RecordRdp record_rdp(const Record& record, const CostEntry& entry, const RecordSettings& settings) {
  require_fixed(entry);
  RecordSums sums(record, settings.threads);
  const RecordQuestion asked = question_of(sums, settings, entry.delta);
  if (asked.apart > 0.0) {
    throw input_error(
        fmt::format("deltas of {} in all are apart from RDP, which does not tell them: export the "
                    "privacy loss distribution of what holds for any votes, \1bound "
                    "data-independent \1export-pld FILE",
                    decimal(asked.apart)));
  }
  RecordRdp result{asked.orders, {}};
  switch (entry.bound) {
    case Bound::data_independent:
      for (const double order : asked.orders) result.rdp.push_back(sums.any_votes(order));
      break;
    case Bound::tradeoff:
      result.rdp = sums.tradeoff(asked.orders);
      break;
    case Bound::exact:
      for (const BothDirections& its : sums.exact(asked.orders)) {
        result.rdp.push_back(its.larger());
      }
      break;
    default:
      refuse_kind(entry);
  }
  if (std::ranges::none_of(result.rdp, [](double rdp) { return std::isfinite(rdp); })) {
    throw validity_error("the cost is infinite at every order: there is no RDP to export");
  }
  return result;
}

RecordLosses record_losses(const Record& record, const CostEntry& entry,
                           const RecordSettings& settings) {
  require_fixed(entry);
  RecordSums sums(record, settings.threads);
  const RecordQuestion asked = question_of(sums, settings, entry.delta);
  if (entry.bound == Bound::exact) {
    const std::vector<PessimisticProfile> both = exact_profiles(asked);
    if (both.size() == 2) {
      return {loss_distribution(both[0], 0.0), loss_distribution(both[1], 0.0)};
    }
    throw input_error(
        "the exact privacy loss distribution of these events is not known: export RDP, or add "
        "\1bound data-independent to pate compose of the report");
  }
  if (entry.bound != Bound::data_independent) {
    throw input_error(
        fmt::format("{}: the bound is one of RDP, which has no privacy loss distribution: add "
                    "\1exact, or export RDP",
                    label(entry)));
  }
  if (!asked.converts()) {
    throw input_error(fmt::format(
        "{}: expected a delta above {}, which the events have of their own, for the grid of a "
        "privacy loss distribution, found {}: leave out \1conversion pure, add \1delta with more, "
        "or export RDP",
        label(entry), decimal(asked.apart), decimal(asked.delta)));
  }
  const auto profile = public_profile(asked, {.delta = entry.delta});
  if (!profile) {
    throw input_error(
        "the privacy loss distribution of these events would be too much work: export RDP");
  }
  const LossDistribution both = loss_distribution(*profile, asked.apart);
  return {both, both};
}

}  // namespace pate
