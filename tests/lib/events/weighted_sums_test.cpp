// Sums of runs whose votes count by weights: their exact RDP.

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "pate/accounting/weighted_account.hpp"
#include "pate/base/json.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/events/account_record.hpp"
#include "pate/events/run_events.hpp"
#include "pate/reports/record_json.hpp"
#include "support/accuracy.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/npy_writer.hpp"

using namespace pate;
using namespace pate_test;

namespace {

constexpr double kDelta = 1e-3;
constexpr std::size_t kClasses = 3;
const std::vector<double> kOrders{1.5, 3.0, 8.0, 30.0};

// Three teachers on one query.
struct SmallRun {
  std::vector<std::int64_t> ids, weights;
  double sigma = 2.0;

  [[nodiscard]] Probabilities outcomes(const std::vector<std::int64_t>& votes) const {
    Counts counts(kClasses, 0);
    for (std::size_t t = 0; t < votes.size(); ++t) {
      counts[static_cast<std::size_t>(votes[t])] += static_cast<std::int32_t>(weights[t]);
    }
    return gaussian_outcomes(counts, sigma);
  }

  // The largest divergences of what it answers from that with another vote of a teacher.
  [[nodiscard]] BothDirections cost_of(std::size_t teacher, double order) const {
    BothDirections result{0.0, 0.0};
    const Probabilities p = outcomes(ids);
    for (std::int64_t to = 0; to < static_cast<std::int64_t>(kClasses); ++to) {
      auto neighbour = ids;
      neighbour[teacher] = to;
      const Probabilities n = outcomes(neighbour);
      result.forward = std::max(result.forward, renyi_divergence(p, n, order));
      result.reverse = std::max(result.reverse, renyi_divergence(n, p, order));
    }
    return result;
  }

  // As an event of an analysis with exact costs at the orders; with equal weights of one.
  [[nodiscard]] Event event() const {
    const PredictionVotes votes(
        pate::test::integer_table({1, static_cast<std::int64_t>(ids.size())}, ids),
        PredictionLayout::queries_by_teachers, kClasses);
    AccountSettings settings;
    settings.delta = kDelta;
    settings.models.insert(Bound::exact);
    settings.orders = kOrders;
    settings.threads = 1;
    const Run run{
        .votes = votes,
        .rows = RowSelection::all(1),
        .aggregator = Aggregator{.selection = {}, .noisy_max = NoisyMax{GaussianNoisyMax{sigma}}},
        .neighbours = {},
        .decisions = {},
        .labels = {}};
    if (weights == std::vector<std::int64_t>(ids.size(), 1)) {
      return analysed_run(account(run, settings));
    }
    Account found = account_weighted(run, votes, {weights, 1.0}, settings).account;
    found.notices.push_back({"teacher_weights", "votes count by weights"});
    return analysed_run(found);
  }
};

RecordAccount account_of(const Record& record) {
  RecordSettings settings;
  settings.delta = kDelta;
  settings.orders = kOrders;
  settings.threads = 1;
  return account_record(record, settings);
}

double exact_epsilon(const RecordAccount& account) {
  const auto entry = std::ranges::find_if(account.costs, [](const CostEntry& its) {
    return its.bound == Bound::exact && its.conversion == EpsilonMethod::optimal;
  });
  REQUIRE(entry != account.costs.end());
  return entry->epsilon;
}

}  // namespace

TEST_SUITE("weighted_sums") {
  TEST_CASE("no teacher pays more than a sum says: all ensembles, runs with and without weights") {
    bool is_reached = false;
    for (std::int64_t code = 0; code < 27; code += 2) {
      const std::vector<std::int64_t> ids{code % 3, code / 3 % 3, code / 9};
      const std::vector<SmallRun> runs{{ids, {1, 2, 4}, 4.0},
                                       {{ids[2], ids[0], 0}, {3, 1, 1}, 3.0},
                                       {{ids[1], 0, ids[0]}, {1, 1, 1}, 2.5}};
      Record record;
      for (const SmallRun& run : runs) record.push_back(run.event());
      CHECK(record[0].open.origin.weighted);
      CHECK(!record[2].open.origin.weighted);
      const double told = exact_epsilon(account_of(record));
      double most = 0.0;
      for (std::size_t t = 0; t < 3; ++t) {
        double least[2] = {1e300, 1e300};
        for (const double order : kOrders) {
          BothDirections sum{0.0, 0.0};
          for (const SmallRun& run : runs) {
            const BothDirections its = run.cost_of(t, order);
            sum.forward += its.forward;
            sum.reverse += its.reverse;
          }
          least[0] =
              std::min(least[0], epsilon_from_rdp(Conversion::optimal, sum.forward, order, kDelta));
          least[1] =
              std::min(least[1], epsilon_from_rdp(Conversion::optimal, sum.reverse, order, kDelta));
        }
        most = std::max({most, least[0], least[1]});
      }
      CHECK(told >= most * (1.0 - 1e-10));
      is_reached = is_reached || told < 1.4 * most;
      // And it is below the bound that knows q alone, which was all that a sum had.
      for (const CostEntry& cost : account_of(record).costs) {
        if (cost.bound == Bound::tradeoff && cost.conversion == EpsilonMethod::optimal) {
          CHECK(told <= cost.epsilon);
        }
      }
    }
    CHECK(is_reached);
  }

  TEST_CASE("the order of a sum and its nesting change no bit, nor does a file") {
    const std::vector<SmallRun> runs{
        {{0, 1, 1}, {1, 2, 4}, 4.0}, {{2, 0, 0}, {3, 1, 1}, 3.0}, {{0, 0, 2}, {1, 1, 1}, 2.5}};
    Record record;
    for (const SmallRun& run : runs) record.push_back(run.event());
    const auto bits = [](const Record& of) {
      return std::bit_cast<std::uint64_t>(exact_epsilon(account_of(of)));
    };
    const std::uint64_t expected = bits(record);
    std::vector<std::size_t> places{0, 1, 2};
    do {
      const Record other{record[places[0]], record[places[1]], record[places[2]]};
      CHECK(bits(other) == expected);
      CHECK(bits(join(join({other[0]}, {other[1]}), {other[2]})) == expected);
    } while (std::ranges::next_permutation(places).found);
    reports::FieldWriter report;
    reports::write_record(report, record);
    const Record read =
        reports::read_record(io::JsonValue::parse(report.text(), "sum.json").at("record"));
    CHECK(bits(read) == expected);
  }

  TEST_CASE("alone it costs what a teacher pays whose vote costs most, of any weight") {
    const SmallRun run{{0, 1, 1}, {1, 2, 4}, 4.0};
    const double told = exact_epsilon(account_of({run.event()}));
    double most = 0.0;
    for (std::size_t t = 0; t < 3; ++t) {
      for (int d = 0; d < 2; ++d) {
        double least = 1e300;
        for (const double order : kOrders) {
          const BothDirections its = run.cost_of(t, order);
          least =
              std::min(least, epsilon_from_rdp(Conversion::optimal,
                                               d == 0 ? its.forward : its.reverse, order, kDelta));
        }
        most = std::max(most, least);
      }
    }
    CHECK(told >= most * (1.0 - 1e-10));
    CHECK(relative_error(told, most) < 1e-8);
  }
}
