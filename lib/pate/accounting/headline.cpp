#include "pate/accounting/headline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>

#include "pate/accounting/cost_entries.hpp"
#include "pate/base/error.hpp"

namespace pate {

std::size_t headline_of(std::span<const CostEntry> costs, const HeadlineChoice& choice) {
  const CostEntry* best = nullptr;
  for (const CostEntry& cost : costs) {
    if (choice.bound && cost.bound != *choice.bound) continue;
    if (choice.reading && cost.reading != *choice.reading) continue;
    if (choice.conversion && cost.conversion != *choice.conversion) continue;
    // Kinds of promises are in their order; among fixed ones the smallest holds, of others the
    // smallest would be a choice by the outcome.
    const bool is_better = best == nullptr || cost.promise < best->promise ||
                           (cost.promise == Promise::fixed && best->promise == Promise::fixed &&
                            cost.epsilon < best->epsilon);
    if (is_better) best = &cost;
  }
  if (best != nullptr) return static_cast<std::size_t>(best - costs.data());
  std::string computed;
  for (const CostEntry& cost : costs) computed += (computed.empty() ? "" : ", ") + label(cost);
  throw parameter_error(fmt::format(
      "no cost has{}{}{}{}{}{}; computed are {}", choice.bound ? " bound " : "",
      choice.bound ? name(*choice.bound) : "", choice.reading ? " reading " : "",
      choice.reading ? name(*choice.reading) : "", choice.conversion ? " conversion " : "",
      choice.conversion ? name(*choice.conversion) : "", computed));
}

std::size_t settled_headline(std::span<const CostEntry> costs, const HeadlineChoice& choice,
                             const std::function<void(Bound, GuaranteeKind, double)>& settle) {
  std::set<std::tuple<Bound, GuaranteeKind, double>> settled;
  for (;;) {
    const std::size_t headline = headline_of(costs, choice);
    const CostEntry& its = costs[headline];
    const bool has_sum = its.bound == Bound::tradeoff || its.bound == Bound::published;
    // Sums that moved in their last digits may have made another cost the smallest.
    if (!has_sum || !its.order) return headline;
    if (!settled.emplace(its.bound, its.reading, *its.order).second) return headline;
    settle(its.bound, its.reading, *its.order);
  }
}

namespace {

// The notice of a run whose queries followed answers.
constexpr const char* kFollowsAnswers = "rows_from_answers";

// The smallest cost that holds for any votes, if any is finite.
const CostEntry* least_public(std::span<const CostEntry> costs) {
  const CostEntry* least = nullptr;
  for (const CostEntry& cost : costs) {
    if (!cost.releasable || cost.reading != GuaranteeKind::worst_case) continue;
    if (std::isfinite(cost.epsilon) && (least == nullptr || cost.epsilon < least->epsilon)) {
      least = &cost;
    }
  }
  return least;
}

}  // namespace

void follow_answers(Account& account) {
  for (CostEntry& cost : account.costs) {
    if (cost.data_dependent && cost.promise == Promise::fixed) cost.promise = Promise::none;
  }
  // These have no promise beside them that could say so.
  account.per_teacher.reset();
  account.profile.reset();
  account.headline = headline_of(account.costs, {});
  std::erase_if(account.notices,
                [](const Notice& notice) { return notice.code == "any_votes_smaller"; });
  account.notices.push_back(
      {kFollowsAnswers,
       "the queries follow answers: what these votes cost is a number of this outcome and promises "
       "nothing, for other answers lead to other queries; what any votes cost holds"});
}

bool follows_answers(const Account& account) {
  return std::ranges::find(account.notices, kFollowsAnswers, &Notice::code) !=
         account.notices.end();
}

void add_publishable_notice(std::span<const CostEntry> costs, std::vector<Notice>& notices) {
  const CostEntry* const least = least_public(costs);
  if (least == nullptr) return;
  notices.push_back(
      {"which_to_publish",
       fmt::format("{}, {}, may always be published; which of two numbers is published must be "
                   "fixed before looking",
                   label(*least), least->epsilon)});
}

void add_headline_notices(std::span<const CostEntry> costs, std::size_t headline_index,
                          std::vector<Notice>& notices) {
  const CostEntry& headline = costs[headline_index];
  const auto add = [&](const char* code, std::string message) {
    notices.push_back({code, std::move(message)});
  };
  if (headline.data_dependent) {
    add("private_number",
        "the headline depends on the votes: it is for the owner of the data and must not be "
        "published as it is");
  }
  const auto may = [&](Promise promise) {
    return std::ranges::any_of(costs, [promise](const CostEntry& cost) {
      return cost.releasable && cost.promise == promise;
    });
  };
  if (headline.data_dependent || (may(Promise::fixed) && may(Promise::outcome))) {
    add_publishable_notice(costs, notices);
  }
  std::optional<double> least_by_votes;
  for (const CostEntry& cost : costs) {
    if (!cost.data_dependent || cost.promise != Promise::fixed) continue;
    least_by_votes = std::min(least_by_votes.value_or(cost.epsilon), cost.epsilon);
  }
  if (least_by_votes && headline.epsilon <= *least_by_votes && !headline.data_dependent &&
      headline.reading == GuaranteeKind::worst_case) {
    add("any_votes_smaller",
        "the number that holds for any votes is smaller here, and may be published");
  }
  if (headline.reading == GuaranteeKind::expected && headline.sd) {
    add("expectation",
        "the headline is an expectation over the selection noise, not a guarantee for a run");
  }
  if (headline.reading == GuaranteeKind::realized) {
    add("realized_order",
        "a realized cost is an epsilon of what came out, and one only at an order that was fixed "
        "before the run (\1orders with that one)");
  }
  if (headline.bound == Bound::published) {
    add("forward_only",
        "the published bounds cover one of the two directions that (epsilon, delta) speaks of");
  }
}

}  // namespace pate
