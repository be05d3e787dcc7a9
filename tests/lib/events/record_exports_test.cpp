#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "pate/accounting/cost_entries.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/divergence/rdp/step_composition.hpp"
#include "pate/events/account_record.hpp"
#include "pate/events/foreign_step.hpp"
#include "pate/events/record_exports.hpp"
#include "support/events.hpp"
#include "support/temp_directory.hpp"

using namespace pate;
using namespace pate::test;

namespace {

constexpr double kDelta = 1e-5;

const CostEntry* entry_of(const RecordAccount& account, Bound bound, GuaranteeKind reading) {
  for (const CostEntry& cost : account.costs) {
    if (cost.bound == bound && cost.reading == reading) return &cost;
  }
  return nullptr;
}

Record foreign_record(Random& random, double& mu, std::vector<double>& claims) {
  ForeignStep step;
  step.mu = mu = random.log_uniform(0.05, 3.0);
  Event gaussian = foreign_event("g", "test", step);
  gaussian.open.delta = kDelta;
  Record record{gaussian};
  claims.clear();
  for (std::int64_t k = random.integer(0, 6); k > 0; --k) {
    claims.push_back(random.log_uniform(0.01, 1.0));
    record =
        join(record,
             {foreign_event("p" + std::to_string(k), "test", PrivacyClaim{claims.back(), 0.0, 1})});
  }
  return record;
}

// delta of a Gaussian mechanism and randomized responses: over all their answers.
double true_delta(double mu, const std::vector<double>& claims, double epsilon) {
  double total = 0.0;
  for (std::size_t answers = 0; answers < (std::size_t{1} << claims.size()); ++answers) {
    double probability = 1.0;
    double loss = 0.0;
    for (std::size_t k = 0; k < claims.size(); ++k) {
      const bool likely = (answers >> k & 1U) == 0;
      const double less = 1.0 / (1.0 + std::exp(claims[k]));
      probability *= likely ? 1.0 - less : less;
      loss += likely ? claims[k] : -claims[k];
    }
    const double left = epsilon - loss;
    total += probability *
             (left >= 0.0 ? std::exp(log_gaussian_dp_delta(mu, left))
                          : -std::expm1(left) + std::exp(left + log_gaussian_dp_delta(mu, -left)));
  }
  return total;
}

double sum_of(const LossDistribution& losses) {
  double total = losses.infinity_mass;
  for (const double mass : losses.masses) total += mass;
  return total;
}

}  // namespace

TEST_SUITE("record exports") {
  TEST_CASE("losses of Gaussian and pure steps are never below the truth, and tight") {
    Random random(4301);
    for (int round = 0; round < 60; ++round) {
      double mu = 0.0;
      std::vector<double> claims;
      const Record record = foreign_record(random, mu, claims);
      const RecordAccount account = account_record(record, {});
      const RecordLosses losses = record_losses(
          record, *entry_of(account, Bound::data_independent, GuaranteeKind::worst_case), {});
      CHECK(losses.forward.masses.size() <= kMostMasses);
      CHECK(sum_of(losses.forward) >= 1.0 - 1e-9);
      CHECK(sum_of(losses.forward) <= 1.0 + 1e-6);
      CHECK(*std::ranges::min_element(losses.forward.masses) >= 0.0);
      for (int k = 0; k < 12; ++k) {
        const double epsilon = random.uniform(-1.0, 6.0 * mu + 1.0);
        const double truth = true_delta(mu, claims, epsilon);
        const double told = losses.forward.delta(epsilon);
        CAPTURE(mu);
        CAPTURE(claims);
        CAPTURE(epsilon);
        CHECK(told >= truth * (1.0 - 1e-12));
        if (truth > 1e-11) CHECK(told <= truth * 1.02 + 1e-13);
      }
    }
  }

  TEST_CASE("deltas that are apart are infinite losses") {
    Random random(4302);
    for (int round = 0; round < 20; ++round) {
      double mu = 0.0;
      std::vector<double> claims;
      Record record = foreign_record(random, mu, claims);
      const double apart = random.log_uniform(1e-9, 1e-6);
      const RecordAccount before = account_record(record, {});
      const CostEntry* const entry =
          entry_of(before, Bound::data_independent, GuaranteeKind::worst_case);
      const RecordLosses without = record_losses(record, *entry, {});
      record = join(record, {foreign_event("d", "test", PrivacyClaim{0.0, apart, 1})});
      const RecordLosses with = record_losses(record, *entry, {});
      CHECK(with.forward.infinity_mass >= apart);
      for (const double epsilon : {0.0, 0.5, 2.0}) {
        CHECK(with.forward.delta(epsilon) >=
              (true_delta(mu, claims, epsilon) + apart) * (1.0 - 1e-12));
        CHECK(with.forward.delta(epsilon) <= (without.forward.delta(epsilon) + apart) * 1.03);
      }
      CHECK_THROWS_AS((void)record_rdp(record, *entry, {}), input_error);
    }
  }

  TEST_CASE("exact losses are within the certified profile in each direction") {
    Random random(4303);
    int compared = 0;
    for (int round = 0; round < 12; ++round) {
      const SmallRun run = random_run(random, random.integer(3, 12), 3, 4);
      const Record record{analysis_of(run, kDelta, true)};
      const RecordAccount account = account_record(record, {.threads = 1});
      const CostEntry* const entry = entry_of(account, Bound::exact, GuaranteeKind::joint);
      if (entry == nullptr || !account.profile || !(entry->epsilon > 0.0)) continue;
      const RecordLosses losses = record_losses(record, *entry, {.threads = 1});
      for (std::size_t k = 0; k < account.profile->epsilons.size(); ++k) {
        const double epsilon = account.profile->epsilons[k];
        const ProfileEnds& ends = account.profile->delta_at[k];
        for (std::size_t d = 0; d < 2; ++d) {
          const double told = (d == 0 ? losses.forward : losses.reverse).delta(epsilon);
          // Losses below 0 are told apart more closely than for a report: it may be smaller.
          CHECK(told >= ends.lower.at(d));
          CHECK(told <= ends.upper.at(d) * 1.001 + 1e-12);
          ++compared;
        }
      }
      // RDP of the same: what is read back gives no smaller epsilon than this one at its orders.
      const RecordRdp curve = record_rdp(record, *entry, {.threads = 1});
      CHECK(curve.orders.size() == curve.rdp.size());
      CHECK(std::ranges::is_sorted(curve.orders));
    }
    CHECK(compared > 50);
  }

  TEST_CASE("RDP that is exported gives the epsilon that it is exported for") {
    Random random(4305);
    int compared = 0;
    for (int round = 0; round < 6; ++round) {
      const SmallRun run = random_run(random, random.integer(3, 8), 3, 2);
      const Record record{analysis_of(run, kDelta, true)};
      const RecordAccount account = account_record(record, {.threads = 1});
      for (const CostEntry& entry : account.costs) {
        const bool is_fixed =
            entry.promise == Promise::fixed && entry.reading != GuaranteeKind::realized;
        if (!is_fixed || !entry.order || entry.conversion == EpsilonMethod::profile) continue;
        const RecordRdp told =
            record_rdp(record, entry, {.orders = {{*entry.order}}, .threads = 1});
        REQUIRE(told.orders == std::vector<double>{*entry.order});
        CAPTURE(name(entry.bound));
        CAPTURE(name(entry.conversion));
        const double epsilon = epsilon_from_rdp(rdp_conversion(entry.conversion), told.rdp.front(),
                                                told.orders.front(), entry.delta);
        CHECK(std::max(epsilon, 0.0) == doctest::Approx(entry.epsilon).epsilon(1e-8));
        compared |= 1 << static_cast<int>(entry.bound);
      }
    }
    for (const Bound bound : {Bound::data_independent, Bound::tradeoff, Bound::exact}) {
      CHECK((compared & 1 << static_cast<int>(bound)) != 0);
    }
  }

  TEST_CASE("exact losses of a few queries give the delta of their profile, or are refused") {
    const auto losses_of = [](const Record& record, Bound bound) {
      const RecordAccount account = account_record(record, {.delta = kDelta, .threads = 1});
      const CostEntry* const entry = entry_of(account, bound, GuaranteeKind::joint);
      REQUIRE(entry != nullptr);
      return std::pair(record_losses(record, *entry, {.threads = 1}), account);
    };
    const auto [losses, account] =
        losses_of({analysis_of({gnmax(4.0), {{4, 1}}}, kDelta, true)}, Bound::exact);
    REQUIRE(account.profile);
    for (std::size_t k = 0; k < account.profile->epsilons.size(); ++k) {
      const double epsilon = account.profile->epsilons[k];
      for (std::size_t d = 0; d < 2; ++d) {
        const double told = (d == 0 ? losses.forward : losses.reverse).delta(epsilon);
        CHECK(told >= account.profile->delta_at[k].lower.at(d));
        CHECK(told <= account.profile->delta_at[k].upper.at(d) * 1.001 + 1e-12);
      }
    }
  }

  TEST_CASE("losses that no profile tells apart are refused by what to do instead") {
    const auto refused = [](const Record& record, Bound bound) {
      const RecordAccount account = account_record(record, {.delta = kDelta, .threads = 1});
      const auto entry = std::ranges::find(account.costs, bound, &CostEntry::bound);
      REQUIRE(entry != account.costs.end());
      return message_of<input_error>([&] { (void)record_losses(record, *entry, {.threads = 1}); });
    };
    const Record sharp{analysis_of({gnmax(0.01), {{9, 1, 0}, {5, 5, 0}}}, kDelta, true)};
    CHECK(refused(sharp, Bound::exact)
              .starts_with("the exact privacy loss distribution of these events is not known"));
    CHECK(refused(sharp, Bound::tradeoff)
              .find("the bound is one of RDP, which has no privacy loss distribution") !=
          std::string::npos);
    // Of pure steps: an epsilon of 58 is exported, and none of 7,250.
    for (const std::int64_t count : {2, 250}) {
      const Record claims{foreign_event("p", "test", PrivacyClaim{29.0, 0.0, count})};
      const std::string said = refused(claims, Bound::data_independent);
      CAPTURE(count);
      CHECK(said == (count == 2 ? "[no exception]"
                                : "the privacy loss distribution of these events would be too "
                                  "much work: export RDP"));
    }
  }

  TEST_CASE("what others cannot go on with is refused") {
    Random random(4304);
    ForeignStep curve;
    curve.orders = {2.0, 8.0};
    curve.rdp = {0.1, 0.4};
    Event event = foreign_event("a", "b", curve);
    event.open.delta = kDelta;
    const RecordAccount account = account_record({event}, {});
    const CostEntry& any = account.costs[account.headline];
    CHECK_THROWS_AS((void)record_losses({event}, any, {}), input_error);
    CHECK(record_rdp({event}, any, {.orders = {{2.0, 8.0}}}).rdp[1] >= 0.4);
    for (const auto& [bound, reading] : {std::pair(Bound::published, GuaranteeKind::expected),
                                         std::pair(Bound::tradeoff, GuaranteeKind::realized),
                                         std::pair(Bound::released, GuaranteeKind::released)}) {
      CostEntry other = any;
      other.bound = bound;
      other.reading = reading;
      if (reading == GuaranteeKind::expected) other.promise = Promise::none;
      CHECK_THROWS_AS((void)record_rdp({event}, other, {}), input_error);
      CHECK_THROWS_AS((void)record_losses({event}, other, {}), input_error);
    }
  }
}
