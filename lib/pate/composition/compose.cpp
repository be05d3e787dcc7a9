#include "pate/composition/compose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/profile_account.hpp"
#include "pate/composition/composed_costs.hpp"
#include "pate/error.hpp"
#include "pate/exact/exact_cost.hpp"
#include "pate/math/decimal.hpp"
#include "pate/math/sums.hpp"
#include "pate/rdp/conversion.hpp"
#include "pate/rdp/orders.hpp"

namespace pate {

namespace {

// The parts are about the same teachers: their number is the same everywhere, and so are their
// votes (the file, or the selected counts) unless `same_teachers` vouches for them.
void check_same_teachers(std::span<const Part> parts, bool same_teachers) {
  const Part* first = nullptr;
  for (const Part& part : parts) {
    if (!part.votes) continue;
    if (first == nullptr) {
      first = &part;
      continue;
    }
    if (part.votes->teachers != first->votes->teachers) {
      throw input_error(fmt::format(
          "{}: teachers: expected {} as in {}, found {}: the costs of different ensembles are not "
          "added up",
          part.name, first->votes->teachers, first->name, part.votes->teachers));
    }
    const auto same = [](const std::string& a, const std::string& b) {
      return !a.empty() && a == b;
    };
    if (same_teachers || same(part.votes->ledger, first->votes->ledger) ||
        same(part.votes->sha256, first->votes->sha256) ||
        same(part.votes->digest, first->votes->digest)) {
      continue;
    }
    for (const Part* its : {first, &part}) {
      const VotesIdentity& votes = *its->votes;
      if (!votes.sha256.empty() || !votes.digest.empty()) continue;
      throw input_error(fmt::format(
          "{}: expected digests of its votes, found none, as in what may be published; add "
          "--same-teachers if the same teachers voted in {}",
          its->name, its == first ? part.name : first->name));
    }
    throw input_error(
        fmt::format("{}: {}: expected the votes of {}, found others; add "
                    "--same-teachers if the same teachers voted in both",
                    part.name, part.votes->sha256.empty() ? "votes_digest" : "inputs.votes.sha256",
                    first->name));
  }
}

// All parts protect a teacher, or all a record.
void check_one_unit(std::span<const Part> parts) {
  const auto unit = [](const Part& part) {
    return part.provenance.records ? "one record of the data" : "one teacher's votes";
  };
  for (const Part& part : parts) {
    if (part.provenance.records == parts.front().provenance.records) continue;
    throw input_error(
        fmt::format("{}: expected a report that protects {} as {}, found one that protects {}: "
                    "costs of the two do not add up",
                    part.name, unit(parts.front()), parts.front().name, unit(part)));
  }
}

// The delta at which all parts tell their costs, or `given`; none where no part has one: nothing is
// to be converted then.
std::optional<double> common_delta(std::span<const Part> parts, std::optional<double> given) {
  if (given) {
    validate_delta(*given);
    return given;
  }
  const Part* first = nullptr;
  for (const Part& part : parts) {
    if (!part.delta) continue;
    if (first == nullptr) first = &part;
    if (*part.delta != *first->delta) {
      throw input_error(
          fmt::format("{}: delta: expected {} as in {}, found {}; add --delta, at which the sum is "
                      "to be told",
                      part.name, *first->delta, first->name, *part.delta));
    }
  }
  return first == nullptr ? std::nullopt : first->delta;
}

// The orders at which all parts know their RDP; the common grid where none has curves. With `given`
// these, which all must have.
std::vector<double> common_orders(std::span<const Part> parts,
                                  const std::optional<std::vector<double>>& given) {
  std::optional<std::vector<double>> orders;
  if (given) orders = validated_orders(*given);
  for (const Part& part : parts) {
    if (part.curves.empty() && !part.exact) continue;
    if (!orders) {
      orders = part.orders;
      continue;
    }
    std::vector<double> shared;
    std::set_intersection(orders->begin(), orders->end(), part.orders.begin(), part.orders.end(),
                          std::back_inserter(shared));
    if (given && shared.size() != orders->size()) {
      throw input_error(
          fmt::format("{}: rdp.orders: expected all of the given orders, found {} of "
                      "{}",
                      part.name, shared.size(), orders->size()));
    }
    if (shared.empty()) {
      throw input_error(fmt::format(
          "{}: rdp.orders: expected an order that the reports before have too, found none",
          part.name));
    }
    orders = std::move(shared);
  }
  if (orders) return *orders;
  return {default_orders().begin(), default_orders().end()};
}

// The order that all parts fixed which `takes` chooses; none where one fixed none or another, and
// where there is no such part.
template <class Takes>
std::optional<double> common_fixed(std::span<const Part> parts, const Takes& takes) {
  std::optional<double> order;
  bool first = true;
  for (const Part& part : parts) {
    if (part.curves.empty() || !takes(part)) continue;
    const auto its = part.provenance.fixed_order;
    if (!its || (!first && order != its)) return std::nullopt;
    order = its;
    first = false;
  }
  return order;
}

Provenance weakest(std::span<const Part> parts) {
  Provenance sum;
  for (const Part& part : parts) {
    const Provenance& its = part.provenance;
    if (its.parameters_chosen) {
      sum.parameters_chosen = sum.parameters_chosen.value_or(false) || *its.parameters_chosen;
    }
    if (its.confidence) sum.confidence = std::min(sum.confidence.value_or(1.0), *its.confidence);
    sum.limited = sum.limited || its.limited;
    sum.stopped = sum.stopped || its.stopped;
    sum.adaptive = sum.adaptive || its.adaptive;
    sum.adaptive_rounds = sum.adaptive_rounds || its.adaptive_rounds;
    sum.records = its.records;  // of all the same
  }
  sum.adaptive_rounds = sum.adaptive_rounds || (sum.adaptive && parts.size() > 1);
  sum.fixed_order = common_fixed(parts, [&](const Part& part) {
    return part.provenance.limited || sum.adaptive_rounds || !sum.limited;
  });
  return sum;
}

// The parts, without the costs that depend on the votes where runs with limits fixed orders at
// which others have none.
std::vector<Part> summable(std::span<const Part> parts, std::vector<Notice>& notices) {
  std::vector<Part> result(parts.begin(), parts.end());
  const auto limited = std::ranges::find_if(
      result, [](const Part& part) { return part.provenance.limited && !part.curves.empty(); });
  if (limited == result.end()) return result;
  const double order = *limited->provenance.fixed_order;
  const auto lacks = std::ranges::find_if(result, [&](const Part& part) {
    return !part.curves.empty() && !std::ranges::binary_search(part.orders, order);
  });
  if (lacks == result.end()) return result;
  notices.push_back(
      {"orders_differ",
       fmt::format("{}: limits could stop this run, so its costs that depend on the votes hold at "
                   "the order it fixed, {}, where {} has none: they are left out of the sum; name "
                   "one order for all (pate label --order, pate analyze --orders)",
                   limited->name, order, lacks->name)});
  for (Part& part : result) {
    part.curves.clear();
    part.exact.reset();
    part.profiled.clear();
  }
  return result;
}

// Steps, releases and numbers of queries.
void add_counts(std::span<const Part> parts, Composition& sum) {
  double variance = 0.0;
  bool all_expected = true;
  bool any_realized = false;
  bool all_realized = true;
  double expected = 0.0;
  std::int64_t realized = 0;
  for (const Part& part : parts) {
    sum.queries += part.queries;
    sum.steps.add(part.steps);
    variance += part.answered_sd * part.answered_sd;
    all_expected = all_expected && part.answered_expected.has_value();
    expected += part.answered_expected.value_or(0.0);
    any_realized = any_realized || part.answered_realized.has_value();
    // Without a selection every query is answered.
    const bool known = part.answered_realized.has_value() ||
                       (part.votes && !part.curves.empty() && !part.steps.has_checks());
    all_realized = all_realized && known;
    realized += part.answered_realized.value_or(part.queries);
    if (part.released) {
      if (!sum.released) sum.released.emplace();
      sum.released->epsilon = sum_upwards(sum.released->epsilon, part.released->epsilon);
      sum.released->delta = decimal_sum(sum.released->delta, part.released->delta);
    }
    if (!part.votes) continue;
    if (!sum.teachers) sum.teachers = part.votes->teachers;
    if (!sum.classes) sum.classes = part.votes->classes;
    if (sum.classes != part.votes->classes) sum.classes = 0;
  }
  if (sum.classes == 0) sum.classes.reset();
  if (all_expected) {
    sum.answered_expected = expected;
    sum.answered_sd = std::sqrt(variance);
  }
  if (any_realized && all_realized) sum.answered_realized = realized;
}

// Where realized costs are told: at the order that the runs with a selection fixed, of which all
// parts know their costs; nowhere, with a notice, where they fixed different ones. Where none was
// fixed at all orders, where not by all at that of the others: chosen after the answers then.
RealizedOrders realized_orders(std::span<const Part> parts, Composition& sum) {
  const auto chooses = [](const Part& part) { return part.steps.has_checks(); };
  const auto fixes = [&](const Part& part) {
    return chooses(part) && part.provenance.fixed_order.has_value();
  };
  const auto counts = [&](const auto& takes) {
    return std::ranges::count_if(
        parts, [&](const Part& part) { return !part.curves.empty() && takes(part); });
  };
  RealizedOrders result{sum.orders, counts(fixes) < counts(chooses)};
  if (counts(fixes) == 0) return result;
  const std::optional<double> order = common_fixed(parts, fixes);
  result.orders.clear();
  if (order && std::ranges::binary_search(sum.orders, *order)) {
    result.orders.push_back(*order);
  } else if (sum.answered_realized) {
    sum.notices.push_back(
        {"realized_orders",
         "realized costs hold at the order that a run fixed, which is not the same in all parts: "
         "they are left out of the sum; name one by --order of pate label"});
  }
  return result;
}

// The costs of parts at given orders; without notices of its own.
Composition sum_of(std::span<const Part> parts, std::vector<double> orders,
                   std::optional<double> delta, bool grid_only,
                   const std::optional<CostEntry>& profile = std::nullopt) {
  Composition sum;
  sum.orders = std::move(orders);
  add_counts(parts, sum);
  sum.conversion_delta = delta;
  sum.delta = decimal_sum(delta.value_or(0.0), sum.released ? sum.released->delta : 0.0);
  sum.provenance = weakest(parts);
  sum.curves = summed_curves(parts, sum.orders, sum.notices);
  sum.exact = summed_exact_curves(parts, sum.orders, sum.notices);
  if (sum.exact && sum.steps.delta() > 0.0) {
    sum.exact.reset();
    sum.notices.push_back({"bound_left_out",
                           "exact costs are not added to those of PTR, whose deltas are apart: "
                           "they are not in the sum"});
  }
  sum.query_delta = sum.steps.delta();
  sum.costs =
      composed_costs(sum, realized_orders(parts, sum), delta, grid_only, profile, sum.notices);
  return sum;
}

// The steps of parts without votes as one Gaussian mechanism, in standard deviations, where every
// part with votes tells its queries; none where the parts have no profile together.
std::optional<double> gaussian_beside(std::span<const Part> parts) {
  const Provenance provenance = weakest(parts);
  if (provenance.adaptive_rounds || provenance.limited) return std::nullopt;
  StepCounts steps;
  bool any = false;
  for (const Part& part : parts) {
    any = any || !part.profiled.empty();
    if (part.profiled.empty() && part.votes && !part.curves.empty()) return std::nullopt;
    if (part.profiled.empty()) steps.add(part.steps);
  }
  if (!any || steps.delta() > 0.0) return std::nullopt;
  const auto squared_mu = steps.squared_mu();
  return squared_mu ? std::optional(std::sqrt(*squared_mu)) : std::nullopt;
}

// The privacy profile of all queries together.
std::optional<CostEntry> add_profile(std::span<const Part> parts, std::span<const double> orders,
                                     double delta, unsigned threads, Composition& sum) {
  std::vector<Notice> told_elsewhere;
  const auto exact = summed_exact_curves(parts, orders, told_elsewhere);
  const auto mu = gaussian_beside(parts);
  if (!exact || !mu) return std::nullopt;
  const ExactOptima found = exact_optima(*exact, orders, delta);
  std::deque<ExactMechanism> mechanisms;  // which runs point to
  std::deque<ExactRun> runs;
  std::vector<ExactRun*> all;
  for (const Part& part : parts) {
    for (const ProfiledQueries& its : part.profiled) sum.profiled.push_back(its);
  }
  for (const Part& part : parts) {
    for (const ProfiledQueries& its : part.profiled) {
      mechanisms.emplace_back(its.aggregator, part.votes->teachers);
      all.push_back(&runs.emplace_back(mechanisms.back(), its.distinct, threads));
    }
  }
  CostEntry entry{Bound::exact, Reading::joint, ReportedConversion::profile, 0.0, delta};
  entry.data_dependent = true;
  entry.lower = 0.0;
  if (!found.spent) return entry;
  auto profile = run_profile(all, {found.best[2], found.best[3]}, {.delta = delta}, *mu, threads);
  if (!profile) return std::nullopt;
  entry.epsilon = profile->upper.larger();
  // The lower end knows nothing of the start.
  entry.lower = profile->lower.larger();
  sum.profile = std::move(profile->curve);
  return entry;
}

std::vector<TrajectoryPoint> trajectory_of(std::span<const Part> parts, const Composition& sum,
                                           std::optional<double> delta, bool grid_only) {
  const CostEntry& headline = sum.costs[sum.headline];
  std::vector<TrajectoryPoint> points;
  for (std::size_t k = 1; k <= parts.size(); ++k) {
    const Composition first =
        k == parts.size() ? sum : sum_of(parts.first(k), sum.orders, delta, grid_only);
    const auto entry =
        std::find_if(first.costs.begin(), first.costs.end(), [&](const CostEntry& cost) {
          // Before anything was released a sum with what was is a sum without.
          const bool is_public = headline.bound == Bound::released && !cost.data_dependent;
          return cost.conversion == headline.conversion &&
                 (is_public || (cost.bound == headline.bound && cost.reading == headline.reading));
        });
    if (entry == first.costs.end()) continue;
    const double answered =
        headline.reading == Reading::realized && first.answered_realized
            ? static_cast<double>(*first.answered_realized)
            : first.answered_expected.value_or(std::numeric_limits<double>::quiet_NaN());
    points.push_back({first.queries, answered, entry->epsilon, entry->order.value_or(0.0)});
  }
  return points;
}

// What a reader of a sum must know of its parts.
void note_provenance(std::span<const Part> parts, Composition& sum) {
  const Provenance& its = sum.provenance;
  const auto add = [&](const char* code, std::string message) {
    sum.notices.push_back({code, std::move(message)});
  };
  const auto first = [&](const auto& has) {
    const auto found =
        std::ranges::find_if(parts, [&](const Part& part) { return has(part.provenance); });
    if (found == parts.end()) throw std::logic_error("no part is what the sum says of its parts");
    return found->name;
  };
  // Without the names of files: these are for readers of what is published, too.
  if (its.parameters_chosen == true) {
    add("parameters_from_votes",
        "parameters of a release in this sum were chosen from votes, which its released epsilon, "
        "and so the sum, does not allow for");
  }
  if (its.confidence && *its.confidence <= 0.5) {
    add("not_a_bound",
        "a released epsilon in this sum is an unbiased estimate, not a bound: half of the time it "
        "is too small");
  }
  if (!sum.costs[sum.headline].data_dependent) return;
  if (its.adaptive_rounds && !its.fixed_order) {
    add("adaptive_rounds",
        fmt::format(
            "{}: where queries or the student's scores come from answers of another report, "
            "the sum of costs that depend on the votes is a guarantee only at an order that was "
            "fixed before the rounds; name the one by --orders in all of them",
            first([](const Provenance& part) { return part.adaptive || part.adaptive_rounds; })));
  }
  if (its.limited && !sum.curves.empty()) {
    add("stopped_rounds",
        fmt::format("{}: limits could stop this run, so costs that depend on the votes are told at "
                    "the order that it fixed, {}",
                    first([](const Provenance& part) { return part.limited; }),
                    sum.orders.front()));
  }
}

}  // namespace

Guarantee guarantee_of(const Composition& sum) {
  Guarantee result = guarantee_of(sum.costs[sum.headline], "all that these rounds put out");
  if (!sum.provenance.records) return result;
  protect_records(result);
  result.assumes = {
      "what the reports say of their teachers: how private each is on its own, with coins of its "
      "own and new ones for every query, and how many of them a record reaches",
      "the weights of their objectives were not taken from these votes"};
  return result;
}

Part public_part(Part part, std::size_t number) {
  part.name = fmt::format("part {}", number);
  part.curves.clear();
  part.exact.reset();
  part.profiled.clear();
  part.answered_expected.reset();
  part.answered_sd = 0.0;
  part.answered_realized.reset();
  return part;
}

Composition compose(std::span<const Part> parts, const ComposeSettings& settings) {
  if (parts.empty()) throw parameter_error("composing needs at least one part, got none");
  check_one_unit(parts);
  check_same_teachers(parts, settings.same_teachers);
  const std::optional<double> delta = common_delta(parts, settings.delta);
  const bool grid_only = settings.orders.has_value();
  std::vector<Notice> left_out;
  const std::vector<Part> summed = summable(parts, left_out);
  std::vector<double> orders = common_orders(summed, settings.orders);
  const Provenance provenance = weakest(summed);
  if (const auto fixed = provenance.fixed_order;
      provenance.adaptive_rounds && fixed && std::ranges::binary_search(orders, *fixed)) {
    orders = {*fixed};
  }
  Composition with_profile;
  std::optional<CostEntry> profile;
  if (delta) profile = add_profile(summed, orders, *delta, settings.threads, with_profile);
  Composition sum = sum_of(summed, std::move(orders), delta, grid_only, profile);
  sum.profiled = std::move(with_profile.profiled);
  sum.profile = std::move(with_profile.profile);
  sum.notices.insert(sum.notices.begin(), left_out.begin(), left_out.end());
  if (!(sum.delta < 1.0)) {
    throw input_error(
        fmt::format("the deltas of the reports add up to {}: expected less than 1", sum.delta));
  }
  sum.headline = headline_of(sum.costs, {settings.reading, settings.conversion, settings.bound});
  sum.trajectory = trajectory_of(summed, sum, delta, grid_only);
  // One order was fixed on purpose.
  if (sum.orders.size() > 1) add_order_notices(sum.costs, sum.orders, grid_only, sum.notices);
  if (sum.released) {
    sum.notices.push_back(
        {"counts_released",
         fmt::format("every cost counts {}, the epsilons that were released for parts, with "
                     "their deltas: they are what became public of costs that depend on the votes",
                     sum.released->epsilon)});
  }
  note_provenance(summed, sum);
  add_headline_notices(sum.costs, sum.headline, sum.notices);
  return sum;
}

}  // namespace pate
