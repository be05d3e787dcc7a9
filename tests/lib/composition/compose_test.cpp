#include "pate/composition/compose.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "pate/accounting/cost_entries.hpp"
#include "pate/error.hpp"
#include "pate/exact/exact_run.hpp"
#include "pate/rdp/conversion.hpp"
#include "support/accuracy.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

// A round of the Confident aggregator with random curves on the orders.
Part confident(const std::string& name, std::uint64_t seed,
               const std::vector<double>& orders = {2.0, 4.0, 8.0, 16.0}) {
  Random random(seed);
  Part part;
  part.name = name;
  part.mechanism = "confident";
  part.votes = VotesIdentity{250, 10, "votes", name};
  part.queries = 100;
  part.answered_expected = 40.0;
  part.answered_sd = 3.0;
  part.delta = 1e-5;
  part.steps.threshold_checks[150.0] = 100;
  part.steps.maxima[{GaussianNoisyMax{40.0}}] = 100;
  part.orders = orders;
  for (const Bound bound : {Bound::published, Bound::tradeoff}) {
    RdpCurves& curves = part.curves[bound];
    for (const double order : orders) {
      curves.selection.push_back(order * random.uniform(1e-4, 2e-4));
      curves.noisy_max.push_back(order * random.uniform(1e-3, 2e-3));
      curves.spent_variance.push_back(random.uniform(1e-6, 2e-6));
      if (bound == Bound::tradeoff) curves.joint.push_back(order * random.uniform(2e-3, 3e-3));
    }
  }
  return part;
}

Part gnmax(const std::string& name, std::uint64_t seed) {
  Part part = confident(name, seed);
  part.mechanism = "gnmax";
  part.steps.threshold_checks.clear();
  for (auto& entry : part.curves) {
    entry.second.selection.assign(4, 0.0);
    entry.second.spent_variance.clear();
    if (entry.first == Bound::tradeoff) entry.second.joint = entry.second.noisy_max;
  }
  return part;
}

Part planned(double sigma2, std::int64_t queries) {
  Part part;
  part.name = "plan";
  part.mechanism = "gnmax";
  part.queries = queries;
  part.delta = 1e-5;
  part.steps.maxima[{GaussianNoisyMax{sigma2}}] = queries;
  return part;
}

Part released(double epsilon, double delta) {
  Part part;
  part.name = "release";
  part.mechanism = "gnmax";
  part.queries = 10;
  part.released = Released{epsilon, delta};
  return part;
}

bool has_notice(const Composition& sum, const std::string& code) {
  for (const Notice& notice : sum.notices) {
    if (notice.code == code) return true;
  }
  return false;
}

template <class Call>
void check_refused(const Call& call, const std::string& message) {
  try {
    static_cast<void>(call());
    FAIL_CHECK("not refused: " << message);
  } catch (const error& error) {
    CHECK_MESSAGE(std::string(error.what()).find(message) != std::string::npos, error.what());
  }
}

}  // namespace

TEST_SUITE("composition") {
  TEST_CASE("RDP adds at each order, and the order is then the best of the grid") {
    const std::vector<Part> parts{confident("a", 1), confident("b", 2), gnmax("c", 3)};
    const Composition sum = compose(parts, {});
    CHECK(sum.queries == 300);
    CHECK(sum.teachers == 250);
    CHECK(sum.classes == 10);
    CHECK(sum.answered_expected == 120.0);
    CHECK(relative_error(sum.answered_sd, std::sqrt(27.0)) < 1e-15);
    double best = kInfinity;
    for (std::size_t j = 0; j < 4; ++j) {
      double joint = 0.0;
      for (const Part& part : parts) joint += part.curves.at(Bound::tradeoff).joint[j];
      CHECK(relative_error(sum.curves.at(Bound::tradeoff).joint[j], joint) < 1e-15);
      best = std::min(best, epsilon_from_rdp(Conversion::improved, joint, sum.orders[j], 1e-5));
    }
    const CostEntry& headline = sum.costs[sum.headline];
    CHECK(headline.bound == Bound::tradeoff);
    CHECK(headline.reading == Reading::joint);
    CHECK(headline.data_dependent);
    CHECK(!headline.releasable);
    CHECK(relative_error(headline.epsilon, best) < 1e-14);
    // The published bound has no joint reading, the expected one a standard deviation.
    for (const CostEntry& cost : sum.costs) {
      CHECK(!(cost.bound == Bound::published && cost.reading == Reading::joint));
      CHECK(cost.sd.has_value() == (cost.reading == Reading::expected));
      double parts_sum = 0.0;
      for (const auto& part : cost.parts) parts_sum += part.second;
      CHECK(relative_error(parts_sum, cost.epsilon) < 1e-12);
    }
    REQUIRE(sum.trajectory.size() == 3);
    CHECK(sum.trajectory[1].queries == 200);
    CHECK(sum.trajectory[1].epsilon < sum.trajectory[2].epsilon);
    CHECK(sum.trajectory[2].epsilon == headline.epsilon);
    CHECK(has_notice(sum, "private_number"));
  }

  TEST_CASE("the order of parts does not matter, and parts of parts are parts") {
    const std::vector<Part> parts{confident("a", 1), confident("b", 2)};
    const std::vector<Part> reversed{parts[1], parts[0]};
    const Composition sum = compose(parts, {});
    const Composition other = compose(reversed, {});
    REQUIRE(sum.costs.size() == other.costs.size());
    for (std::size_t i = 0; i < sum.costs.size(); ++i) {
      CHECK(relative_error(sum.costs[i].epsilon, other.costs[i].epsilon) < 1e-14);
    }
    const Composition one = compose(std::span(parts).first(1), {});
    CHECK(one.curves.at(Bound::tradeoff).joint == parts[0].curves.at(Bound::tradeoff).joint);
  }

  TEST_CASE("noisy steps add as counts, and compose exactly") {
    const std::vector<Part> parts{planned(40.0, 400), planned(40.0, 600)};
    const Composition sum = compose(parts, {});
    CHECK(sum.steps.maxima.at({GaussianNoisyMax{40.0}}) == 1000);
    const CostEntry& headline = sum.costs[sum.headline];
    CHECK(headline.conversion == ReportedConversion::gdp);
    CHECK(headline.releasable);
    CHECK(covers(headline.epsilon, 4.98330640597));
    CHECK(!sum.teachers);
    CHECK(!sum.answered_expected);
    CHECK(sum.trajectory.front().queries == 400);
  }

  TEST_CASE("a plan adds its data-independent RDP to every bound") {
    const std::vector<Part> parts{confident("a", 1), planned(40.0, 10)};
    const Composition sum = compose(parts, {});
    for (std::size_t j = 0; j < sum.orders.size(); ++j) {
      const double planned_rdp = parts[1].steps.rdp(sum.orders[j]).total();
      CHECK(relative_error(sum.curves.at(Bound::tradeoff).joint[j],
                           parts[0].curves.at(Bound::tradeoff).joint[j] + planned_rdp) < 1e-15);
      CHECK(relative_error(sum.curves.at(Bound::published).noisy_max[j],
                           parts[0].curves.at(Bound::published).noisy_max[j] + planned_rdp) <
            1e-15);
    }
  }

  TEST_CASE("a released part adds its epsilon and its delta to every cost") {
    const std::vector<Part> parts{confident("a", 1), released(0.5, 2e-5)};
    const Composition with = compose(parts, {});
    const Composition without = compose(std::span(parts).first(1), {});
    REQUIRE(with.costs.size() == without.costs.size());
    for (std::size_t i = 0; i < with.costs.size(); ++i) {
      CHECK(with.costs[i].epsilon >= without.costs[i].epsilon + 0.5);
      CHECK(relative_error(with.costs[i].epsilon, without.costs[i].epsilon + 0.5) < 1e-14);
      CHECK(relative_error(with.costs[i].delta, 3e-5) < 1e-14);
      CHECK(with.costs[i].parts.back().first == "released");
    }
    CHECK(with.delta >= 3e-5);
    CHECK(with.conversion_delta == 1e-5);
    // Releases alone need no conversion.
    const std::vector<Part> releases{released(0.5, 2e-5), released(0.25, 1e-5)};
    const Composition sum = compose(releases, {});
    REQUIRE(sum.costs.size() == 1);
    CHECK(sum.costs[0].epsilon >= 0.75);
    CHECK(sum.costs[0].epsilon <= 0.75 * (1.0 + 1e-15));
    CHECK(sum.costs[0].releasable);
    CHECK(!sum.conversion_delta);
    check_refused(
        [] {
          const std::vector<Part> much{released(0.5, 0.6), released(0.5, 0.6)};
          return compose(much, {});
        },
        "the deltas of the reports add up to 1.2");
  }

  TEST_CASE("realized costs add where every part knows its decisions") {
    std::vector<Part> parts{confident("a", 1), confident("b", 2), gnmax("c", 3)};
    parts[0].answered_realized = 44;
    for (auto& entry : parts[0].curves) entry.second.noisy_max_realized = entry.second.noisy_max;
    const auto has_realized = [](const Composition& sum) {
      for (const CostEntry& cost : sum.costs) {
        if (cost.reading == Reading::realized) return true;
      }
      return false;
    };
    CHECK(!has_realized(compose(parts, {})));
    parts[1].answered_realized = 39;
    for (auto& entry : parts[1].curves) entry.second.noisy_max_realized = entry.second.noisy_max;
    ComposeSettings settings;
    settings.reading = Reading::realized;
    const Composition sum = compose(parts, settings);
    CHECK(has_realized(sum));
    CHECK(sum.answered_realized == 44 + 39 + 100);
    CHECK(sum.costs[sum.headline].reading == Reading::realized);
    CHECK(has_notice(sum, "realized_order"));
  }

  TEST_CASE("a bound that one part lacks is left out and told") {
    std::vector<Part> parts{confident("a", 1), confident("b", 2)};
    parts[1].curves.erase(Bound::published);
    const Composition sum = compose(parts, {});
    CHECK(sum.curves.size() == 1);
    CHECK(has_notice(sum, "bound_left_out"));
  }

  TEST_CASE("exact curves add, order by order and direction by direction, but for those of PTR") {
    std::vector<Part> parts{gnmax("a", 1), gnmax("b", 2), planned(40.0, 10)};
    parts[0].exact = ExactCurves{{0.5, 0.25, 0.125, 1.0}, {0.25, 0.5, 0.75, 2.0}};
    parts[1].exact = ExactCurves{{1.0, 2.0, 3.0, 4.0}, {4.0, 3.0, 2.0, 1.0}};
    const Composition sum = compose(parts, {});
    REQUIRE(sum.exact);
    CHECK(!has_notice(sum, "bound_left_out"));
    for (std::size_t j = 0; j < 4; ++j) {
      // What is not known exactly is at most its data-independent cost.
      const double rest = 10.0 * sum.orders[j] / 1600.0;
      CHECK(relative_error(sum.exact->forward[j],
                           parts[0].exact->forward[j] + parts[1].exact->forward[j] + rest) < 1e-9);
      CHECK(relative_error(sum.exact->reverse[j],
                           parts[0].exact->reverse[j] + parts[1].exact->reverse[j] + rest) < 1e-9);
    }
    // However little: what costs something is not nothing.
    std::vector<Part> little{parts[0]};
    little[0].exact = ExactCurves{{0.01, 0.02, 0.04, 0.08}, {0.02, 0.03, 0.05, 0.09}};
    const Composition cheap = compose(little, {});
    int exact_costs = 0;
    for (const CostEntry& cost : cheap.costs) {
      if (cost.bound != Bound::exact) continue;
      ++exact_costs;
      // No order's conversion of the smaller direction is less.
      CHECK(cost.epsilon > 0.2);
      CHECK(cost.epsilon < 1.0);
    }
    CHECK(exact_costs > 0);
    parts[2].steps.maxima.clear();
    parts[2].steps.maxima[{TestedPlurality{1e-9}}] = 10;
    const Composition tested = compose(parts, {});
    CHECK(!tested.exact);
    CHECK(has_notice(tested, "bound_left_out"));
    parts[0].exact.reset();
    parts[1].exact.reset();
    CHECK(!has_notice(compose(parts, {}), "bound_left_out"));
  }

  TEST_CASE("queries that are known compose by their profile, but not where limits stop them") {
    const Aggregator aggregator{std::nullopt, GaussianNoisyMax{9.0}, false};
    const ExactMechanism mechanism(aggregator, 250);
    const std::vector<std::int32_t> counts{120, 110, 20};
    Part part = gnmax("a", 1);
    part.profiled.push_back({aggregator, 40, {{mechanism.group(counts, {}), 40}}});
    ExactRun run(mechanism, part.profiled[0].distinct, 1);
    part.exact.emplace();
    for (const BothDirections& rdp : run.rdp(part.orders)) {
      part.exact->forward.push_back(rdp.forward);
      part.exact->reverse.push_back(rdp.reverse);
    }
    part.provenance.fixed_order = 8.0;
    const auto by_profile = [](const Composition& sum) -> const CostEntry* {
      for (const CostEntry& cost : sum.costs) {
        if (cost.conversion == ReportedConversion::profile) return &cost;
      }
      return nullptr;
    };
    std::vector<Part> parts{part};
    const Composition sum = compose(parts, {});
    REQUIRE(by_profile(sum) != nullptr);
    double best = kInfinity;
    for (std::size_t j = 0; j < part.orders.size(); ++j) {
      const double rdp = std::max(part.exact->forward[j], part.exact->reverse[j]);
      best = std::min(best, epsilon_from_rdp(Conversion::improved, rdp, part.orders[j], 1e-5));
    }
    CHECK(by_profile(sum)->epsilon < best);
    CHECK(by_profile(sum)->epsilon > 0.5 * best);
    parts[0].provenance.limited = true;
    CHECK(by_profile(compose(parts, {})) == nullptr);
    parts[0].provenance.limited = false;
    parts[0].provenance.adaptive_rounds = true;
    CHECK(by_profile(compose(parts, {})) == nullptr);
  }

  TEST_CASE("classes are those of all parts, or none") {
    std::vector<Part> parts{gnmax("a", 1)};
    CHECK(compose(parts, {}).classes == 10);
    parts.push_back(gnmax("b", 2));
    parts[1].votes->classes = 20;
    CHECK(!compose(parts, {}).classes);
    std::swap(parts[0], parts[1]);
    CHECK(!compose(parts, {}).classes);
  }

  TEST_CASE("only orders that all parts share count") {
    const std::vector<Part> parts{confident("a", 1, {2.0, 4.0, 8.0, 16.0}),
                                  confident("b", 2, {4.0, 5.0, 16.0, 20.0})};
    const Composition sum = compose(parts, {});
    CHECK(sum.orders == std::vector<double>{4.0, 16.0});
    CHECK(sum.curves.at(Bound::tradeoff).joint[1] ==
          parts[0].curves.at(Bound::tradeoff).joint[3] +
              parts[1].curves.at(Bound::tradeoff).joint[2]);
    ComposeSettings settings;
    settings.orders = {16.0};
    const Composition fixed = compose(parts, settings);
    CHECK(fixed.costs[fixed.headline].order == 16.0);
    CHECK(!has_notice(fixed, "order_at_end"));
    settings.orders = {4.0, 8.0};
    check_refused([&] { return compose(parts, settings); },
                  "b: rdp.orders: expected all of the given orders, found 1 of 2");
    const std::vector<Part> apart{confident("a", 1, {2.0, 4.0}), confident("b", 2, {3.0, 5.0})};
    check_refused([&] { return compose(apart, {}); }, "b: rdp.orders: expected an order");
  }

  TEST_CASE(
      "rounds that depend on each other's answers hold at the one order named in all of them") {
    std::vector<Part> parts{confident("a", 1), confident("b", 2)};
    CHECK(!has_notice(compose(parts, {}), "adaptive_rounds"));
    CHECK(!compose(parts, {}).costs.front().order_chosen_after);
    parts[1].provenance.adaptive = true;
    const Composition open = compose(parts, {});
    CHECK(has_notice(open, "adaptive_rounds"));
    CHECK(open.costs[open.headline].order_chosen_after);
    CHECK(open.provenance.adaptive_rounds);
    CHECK(!has_notice(compose(std::span(parts).last(1), {}), "adaptive_rounds"));
    // An order that is named afterwards, or in one of them only, is chosen after the answers too.
    ComposeSettings settings;
    settings.orders = {8.0};
    CHECK(compose(parts, settings).costs.front().order_chosen_after);
    parts[0].provenance.fixed_order = 8.0;
    CHECK(compose(parts, settings).costs.front().order_chosen_after);
    parts[1].provenance.fixed_order = 4.0;
    CHECK(compose(parts, {}).costs.front().order_chosen_after);
    parts[1].provenance.fixed_order = 8.0;
    const Composition fixed = compose(parts, {});
    CHECK(!has_notice(fixed, "adaptive_rounds"));
    CHECK(!fixed.costs.front().order_chosen_after);
    CHECK(fixed.costs.front().order == 8.0);
    CHECK(fixed.costs.front().epsilon >= open.costs.front().epsilon);
    // What holds for any votes may have any order.
    for (const CostEntry& cost : fixed.costs) {
      if (cost.bound == Bound::data_independent) CHECK(cost.order != 8.0);
    }
    // Added up again it is what it was.
    Part sum = parts[0];
    sum.provenance = open.provenance;
    CHECK(compose({&sum, 1}, {}).costs.front().order_chosen_after);
  }

  TEST_CASE("runs with limits add up at the order that they fixed, or not at all") {
    std::vector<Part> parts{confident("a", 1, {8.0}), confident("b", 2)};
    parts[0].provenance = {{}, {}, 8.0, true};
    const Composition sum = compose(parts, {});
    CHECK(sum.costs.front().order == 8.0);
    CHECK(!sum.costs.front().order_chosen_after);
    CHECK(sum.provenance.limited);
    CHECK(sum.provenance.fixed_order == 8.0);
    CHECK(has_notice(sum, "stopped_rounds"));
    parts[1] = confident("b", 2, {4.0});
    parts[1].provenance = {{}, {}, 4.0, true};
    const Composition apart = compose(parts, {});
    CHECK(has_notice(apart, "orders_differ"));
    CHECK(apart.curves.empty());
    for (const CostEntry& cost : apart.costs) CHECK(cost.bound == Bound::data_independent);
  }

  TEST_CASE("realized costs add up at the order that the runs fixed, or are left out") {
    std::vector<Part> parts{confident("a", 1), confident("b", 2), gnmax("c", 3)};
    for (Part& part : parts) {
      part.answered_realized = 40;
      for (auto& entry : part.curves) entry.second.noisy_max_realized = entry.second.noisy_max;
    }
    const auto realized = [&]() -> const CostEntry* {
      static Composition sum;
      sum = compose(parts, {});
      for (const CostEntry& cost : sum.costs) {
        if (cost.reading == Reading::realized) return &cost;
      }
      CHECK(has_notice(sum, "realized_orders"));
      return nullptr;
    };
    const double best = realized()->epsilon;
    CHECK(realized()->order_chosen_after);
    parts[0].provenance.fixed_order = 4.0;
    CHECK(realized()->order == 4.0);
    CHECK(realized()->order_chosen_after);
    parts[1].provenance.fixed_order = 4.0;
    CHECK_FALSE(realized()->order_chosen_after);
    CHECK(realized()->epsilon >= best);
    parts[1].provenance.fixed_order = 8.0;
    CHECK(realized() == nullptr);
    parts[0].provenance.fixed_order = parts[1].provenance.fixed_order = 7.0;
    CHECK(realized() == nullptr);
  }

  TEST_CASE("a sum has the weakest of its parts, and says so") {
    std::vector<Part> parts{released(0.5, 2e-5), released(0.25, 1e-5), planned(40.0, 10)};
    parts[0].provenance.parameters_chosen = false;
    parts[0].provenance.confidence = 0.99;
    const Composition good = compose(std::span(parts).first(1), {});
    CHECK(good.costs[good.headline].releasable);
    CHECK(good.provenance.parameters_chosen == false);
    CHECK(good.provenance.confidence == 0.99);
    parts[1].provenance.parameters_chosen = true;
    parts[1].provenance.confidence = 0.5;
    const Composition sum = compose(parts, {});
    CHECK(sum.provenance.parameters_chosen == true);
    CHECK(sum.provenance.confidence == 0.5);
    CHECK(has_notice(sum, "parameters_from_votes"));
    CHECK(has_notice(sum, "not_a_bound"));
    for (const CostEntry& cost : sum.costs) {
      CHECK(cost.bound == Bound::released);
      CHECK(cost.reading == Reading::released);
      CHECK(!cost.releasable);
    }
    CHECK(sum.trajectory.size() == 3);
  }

  TEST_CASE("of a part that may be published nothing that depends on the votes is left") {
    Part part = confident("votes.json", 1);
    part.answered_realized = 44;
    part.exact = ExactCurves{part.orders, part.orders};
    part.released = Released{0.5, 2e-5};
    const Part left = public_part(part, 3);
    CHECK(left.name == "part 3");
    CHECK(left.curves.empty());
    CHECK(left.profiled.empty());
    CHECK_FALSE(left.exact);
    CHECK_FALSE(left.answered_expected);
    CHECK_FALSE(left.answered_realized);
    CHECK(left.answered_sd == 0.0);
    CHECK(left.queries == part.queries);
    CHECK(left.steps.maxima == part.steps.maxima);
    CHECK(left.released->epsilon == 0.5);
  }

  TEST_CASE("what costs nothing has no order, and is not uncertain") {
    Part part = confident("a", 1);
    for (auto& entry : part.curves) {
      RdpCurves& curves = entry.second;
      for (auto* const curve : {&curves.selection, &curves.noisy_max, &curves.joint}) {
        curve->assign(curve->size(), 0.0);
      }
    }
    const std::vector<Part> parts{part};
    int expected = 0;
    for (const CostEntry& cost : compose(parts, {}).costs) {
      if (cost.reading != Reading::expected) continue;
      ++expected;
      CHECK(cost.epsilon == 0.0);
      CHECK_FALSE(cost.order);
      CHECK(cost.sd == 0.0);
    }
    CHECK(expected > 0);
  }

  TEST_CASE("any bound may be the headline") {
    std::vector<Part> parts{confident("a", 1), planned(40.0, 10)};
    ComposeSettings settings;
    settings.bound = Bound::data_independent;
    const Composition sum = compose(parts, settings);
    const CostEntry& headline = sum.costs[sum.headline];
    CHECK(headline.bound == Bound::data_independent);
    for (const CostEntry& cost : sum.costs) {
      if (cost.bound == Bound::data_independent) CHECK(headline.epsilon <= cost.epsilon);
    }
    settings.bound = Bound::published;
    const Composition published = compose(parts, settings);
    CHECK(published.costs[published.headline].reading == Reading::expected);
    settings.bound = Bound::exact;
    check_refused([&] { return compose(parts, settings); }, "no cost has bound exact");
  }

  TEST_CASE("what cannot be added is refused with the names of the parts") {
    std::vector<Part> parts{confident("a", 1), confident("b", 2)};
    check_refused([] { return compose({}, {}); }, "at least one part");
    parts[1].delta = 1e-6;
    check_refused([&] { return compose(parts, {}); }, "b: delta: expected 1e-05 as in a, found");
    ComposeSettings settings;
    settings.delta = 1e-4;
    CHECK(compose(parts, settings).delta == 1e-4);
    settings.delta = 0.0;
    check_refused([&] { return compose(parts, settings); }, "delta must be > 0 and < 1");
    parts[1].delta = 1e-5;
    parts[1].votes->sha256 = "others";
    check_refused([&] { return compose(parts, {}); }, "add --same-teachers");
    settings = {};
    settings.same_teachers = true;
    CHECK_NOTHROW(static_cast<void>(compose(parts, settings)));
    parts[1].votes->teachers = 100;
    check_refused([&] { return compose(parts, settings); },
                  "b: teachers: expected 250 as in a, found 100");
    parts[1] = confident("b", 2);
    // The same counts in another file are the same votes.
    parts[1].votes->sha256 = "others";
    parts[1].votes->digest = "a";
    CHECK_NOTHROW(static_cast<void>(compose(parts, {})));
    settings = {};
    settings.conversion = ReportedConversion::kov;
    check_refused([&] { return compose(parts, settings); }, "no cost has conversion kov");
  }
}
