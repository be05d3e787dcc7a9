#include "pate/accounting/headline.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "support/random.hpp"
#include "support/temp_directory.hpp"

using namespace pate;
using pate::test::message_of;
using pate_test::Random;

namespace {

template <class Value>
Value any_of(Random& random) {
  return kNames<Value>
      .at(static_cast<std::size_t>(random.integer(0, std::ssize(kNames<Value>) - 1)))
      .value;
}

CostEntry any_cost(Random& random) {
  CostEntry cost{any_of<Bound>(random), any_of<GuaranteeKind>(random),
                 any_of<EpsilonMethod>(random), static_cast<double>(random.integer(1, 6)), 1e-5};
  cost.promise = static_cast<Promise>(random.integer(0, 2));
  cost.data_dependent = random.integer(0, 1) == 0;
  cost.releasable = !cost.data_dependent && random.integer(0, 2) > 0;
  if (random.integer(0, 3) == 0) cost.sd = 0.5;
  if (random.integer(0, 9) == 0) cost.epsilon = std::numeric_limits<double>::infinity();
  return cost;
}

template <class Value>
std::optional<Value> perhaps(Random& random, Value value) {
  return random.integer(0, 2) == 0 ? std::optional(value) : std::nullopt;
}

bool allows(const HeadlineChoice& choice, const CostEntry& cost) {
  return cost.bound == choice.bound.value_or(cost.bound) &&
         cost.reading == choice.reading.value_or(cost.reading) &&
         cost.conversion == choice.conversion.value_or(cost.conversion);
}

}  // namespace

TEST_SUITE("headline") {
  TEST_CASE("the smallest fixed epsilon that is allowed, else the first of the outcome, else any") {
    Random random(5401);
    int refused = 0;
    for (int round = 0; round < 2000; ++round) {
      std::vector<CostEntry> costs;
      for (std::int64_t k = random.integer(1, 8); k > 0; --k) costs.push_back(any_cost(random));
      const CostEntry& like =
          costs[static_cast<std::size_t>(random.integer(0, std::ssize(costs) - 1))];
      HeadlineChoice choice{perhaps(random, like.reading), perhaps(random, like.conversion),
                            perhaps(random, like.bound)};
      if (random.integer(0, 4) == 0) choice.bound = any_of<Bound>(random);
      std::vector<std::size_t> allowed;
      for (std::size_t k = 0; k < costs.size(); ++k) {
        if (allows(choice, costs[k])) allowed.push_back(k);
      }
      if (allowed.empty()) {
        ++refused;
        const std::string said =
            message_of<parameter_error>([&] { (void)headline_of(costs, choice); });
        CHECK(said.starts_with("no cost has bound " + std::string(name(*choice.bound))));
        CHECK((said.find(" reading ") != std::string::npos) == choice.reading.has_value());
        CHECK((said.find(" conversion ") != std::string::npos) == choice.conversion.has_value());
        for (const CostEntry& cost : costs) {
          CHECK(said.find(std::string(name(cost.bound)) + "/" + std::string(name(cost.reading))) !=
                std::string::npos);
        }
        continue;
      }
      const std::size_t found = headline_of(costs, choice);
      CHECK(allows(choice, costs[found]));
      for (const std::size_t k : allowed) {
        CHECK(costs[found].promise <= costs[k].promise);
        if (costs[k].promise != costs[found].promise) continue;
        if (costs[found].promise == Promise::fixed) {
          CHECK(costs[found].epsilon <= costs[k].epsilon);
          if (costs[k].epsilon == costs[found].epsilon) CHECK(found <= k);
        } else {
          CHECK(found <= k);
        }
      }
    }
    CHECK(refused > 20);
  }

  TEST_CASE("what is said of a headline follows from what it is") {
    Random random(5402);
    for (int round = 0; round < 2000; ++round) {
      std::vector<CostEntry> costs;
      for (std::int64_t k = random.integer(1, 6); k > 0; --k) costs.push_back(any_cost(random));
      const auto at = static_cast<std::size_t>(random.integer(0, std::ssize(costs) - 1));
      const CostEntry& headline = costs[at];
      std::vector<Notice> notices;
      add_headline_notices(costs, at, notices);
      const auto says = [&](const std::string& code) {
        return std::ranges::any_of(notices, [&](const Notice& its) { return its.code == code; });
      };
      CHECK(says("private_number") == headline.data_dependent);
      CHECK(says("realized_order") == (headline.reading == GuaranteeKind::realized));
      CHECK(says("forward_only") == (headline.bound == Bound::published));
      CHECK(says("expectation") ==
            (headline.reading == GuaranteeKind::expected && headline.sd.has_value()));
      // Of numbers that may be published the smallest finite one is named, wherever two kinds are.
      std::optional<double> least;
      bool fixed = false;
      bool outcome = false;
      double by_votes = std::numeric_limits<double>::infinity();
      bool any_by_votes = false;
      for (const CostEntry& cost : costs) {
        if (cost.data_dependent && cost.promise == Promise::fixed) {
          any_by_votes = true;
          by_votes = std::min(by_votes, cost.epsilon);
        }
        if (!cost.releasable) continue;
        fixed = fixed || cost.promise == Promise::fixed;
        outcome = outcome || cost.promise == Promise::outcome;
        const bool is_finite = cost.epsilon < std::numeric_limits<double>::infinity();
        if (cost.reading != GuaranteeKind::worst_case || !is_finite) continue;
        least = std::min(least.value_or(cost.epsilon), cost.epsilon);
      }
      CHECK(says("which_to_publish") ==
            (least.has_value() && (headline.data_dependent || (fixed && outcome))));
      CHECK(says("any_votes_smaller") ==
            (any_by_votes && headline.epsilon <= by_votes && !headline.data_dependent &&
             headline.reading == GuaranteeKind::worst_case));
    }
  }
}
