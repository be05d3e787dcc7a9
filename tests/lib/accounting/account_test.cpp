#include "pate/accounting/account.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "pate/accounting/bound_at_orders.hpp"
#include "pate/accounting/direct_costs.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/exact/exact_cost.hpp"
#include "pate/votes/tables/votes_digest.hpp"
#include "support/npy_writer.hpp"
#include "support/random.hpp"

using namespace pate;
using pate_test::Random;

namespace {

constexpr std::int64_t kQueries = 150;
constexpr std::int64_t kTeachers = 30;
constexpr std::int64_t kClasses = 4;

// Counts how many elements of a table are read.
class CountingTable final : public NumericTable {
 public:
  explicit CountingTable(std::shared_ptr<const NumericTable> table) : table_(std::move(table)) {}

  [[nodiscard]] const std::string& name() const override { return table_->name(); }
  [[nodiscard]] int dimensions() const override { return table_->dimensions(); }
  [[nodiscard]] std::int64_t rows() const override { return table_->rows(); }
  [[nodiscard]] std::int64_t columns() const override { return table_->columns(); }
  [[nodiscard]] TableDescription description() const override { return table_->description(); }
  // How often the whole table was read.
  [[nodiscard]] double reads() const {
    return static_cast<double>(read_) / static_cast<double>(rows() * columns());
  }

 private:
  void copy(const Block& block, std::span<std::int64_t> out) const override {
    read_ += block.row_count * block.column_count;
    table_->read_integers(block.first_row, block.row_count, block.first_column, block.column_count,
                          out);
  }
  void copy(const Block& block, std::span<double> out) const override {
    read_ += block.row_count * block.column_count;
    table_->read_reals(block.first_row, block.row_count, block.first_column, block.column_count,
                       out);
  }

  std::shared_ptr<const NumericTable> table_;
  mutable std::atomic<std::int64_t> read_ = 0;
};

std::shared_ptr<CountingTable> predictions() {
  Random random(5);
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < kQueries; ++i) {
    const double agreement = random.uniform(0.3, 1.0);
    for (std::int64_t t = 0; t < kTeachers; ++t) {
      ids.push_back(random.uniform(0.0, 1.0) < agreement ? i % kClasses
                                                         : random.integer(0, kClasses - 1));
    }
  }
  return std::make_shared<CountingTable>(pate::test::integer_table({kQueries, kTeachers}, ids));
}

Run run_of(const VoteSource& votes) {
  std::vector<std::int32_t> labels;
  for (std::int32_t i = 0; i < kQueries; ++i)
    labels.push_back(static_cast<std::int32_t>(i % 5 % kClasses));
  return {votes,
          RowSelection::all(kQueries),
          Aggregator{ThresholdCheck{18.0, 6.0}, {GaussianNoisyMax{4.0}}, false},
          {},
          nullptr,
          std::nullopt,
          std::move(labels)};
}

AccountSettings exact_settings() {
  AccountSettings settings;
  settings.delta = 1e-4;
  settings.models.insert(Bound::exact);
  return settings;
}

void check_same(const Account& a, const Account& b) {
  REQUIRE(a.costs.size() == b.costs.size());
  for (std::size_t i = 0; i < a.costs.size(); ++i) CHECK(a.costs[i].epsilon == b.costs[i].epsilon);
  REQUIRE(a.utility.has_value());
  CHECK(a.utility->expected_accuracy == b.utility->expected_accuracy);
  CHECK(a.utility->plurality_accuracy == b.utility->plurality_accuracy);
  REQUIRE(a.per_teacher.has_value());
  CHECK(a.per_teacher->epsilon == b.per_teacher->epsilon);
  CHECK(a.trajectory.size() == b.trajectory.size());
  CHECK(a.notices.size() == b.notices.size());
}

}  // namespace

TEST_SUITE("accounting") {
  TEST_CASE("everything comes of one read of the votes, and the digest of another") {
    for (const bool is_shard : {false, true}) {
      const auto table = predictions();
      const PredictionVotes votes(table, PredictionLayout::queries_by_teachers, kClasses);
      const Run run = run_of(votes);
      bool read = false;
      AccountSettings settings = exact_settings();
      settings.when_read = [&] {
        read = true;
        CHECK(table->reads() == 1.0);
      };
      Partials partials;
      const Account found = account(run, settings, is_shard ? &partials : nullptr);
      CHECK(read);
      CHECK(table->reads() == 1.0);
      CHECK(found.utility.has_value());
      CHECK(found.per_teacher.has_value());
      (void)io::votes_digest(votes, run.rows);
      CHECK(table->reads() == 2.0);
    }
  }

  TEST_CASE("the account of merged shards is that of the run, to the bit") {
    const PredictionVotes votes(predictions(), PredictionLayout::queries_by_teachers, kClasses);
    Run run = run_of(votes);
    const Account whole = account(run, exact_settings());
    for (const std::int64_t of : {1, 3, 7}) {
      std::vector<Partials> shards(static_cast<std::size_t>(of));
      for (std::int64_t index = 1; index <= of; ++index) {
        run.shard = {index, of};
        (void)account(run, exact_settings(), &shards[static_cast<std::size_t>(index - 1)]);
      }
      check_same(account(merge(shards), run.aggregator, run.neighbours, exact_settings()), whole);
    }
    CHECK_THROWS_WITH_AS((void)merge(std::span<const Partials>()),
                         "merging needs at least one shard, got none", parameter_error);
  }

  TEST_CASE("exact costs of other runs' shards are not added") {
    const PredictionVotes votes(predictions(), PredictionLayout::queries_by_teachers, kClasses);
    Run run = run_of(votes);
    run.rows = RowSelection::range(0, 4);
    std::vector<Partials> shards(2);
    for (std::int64_t k = 0; k < 2; ++k) {
      run.shard = {k + 1, 2};
      (void)account(run, exact_settings(), &shards[static_cast<std::size_t>(k)]);
    }
    REQUIRE(shards[1].exact->rows.has_value());
    const auto refused = [&](const char* words, void (*change)(ExactPartials&)) {
      std::vector<Partials> of_others = shards;
      change(*of_others[1].exact);
      CHECK_THROWS_WITH_AS((void)merge(of_others), words, parameter_error);
    };
    const char* const orders = "the exact costs of the shards are at different orders";
    refused(orders, [](ExactPartials& its) { its.orders.back() *= 2.0; });
    refused(orders, [](ExactPartials& its) { its.teachers.pop_back(); });
    refused("the exact costs of the shards are those of different teachers",
            [](ExactPartials& its) { its.teachers.back().pop_back(); });
    refused("not all shards have the votes of single teachers",
            [](ExactPartials& its) { its.rows.reset(); });
  }

  TEST_CASE("every teacher is in the group of its class, whatever the number of classes") {
    struct Ensemble {
      std::int64_t teachers, classes, favourites;
    };
    for (const auto& [teachers, classes, favourites] :
         {Ensemble{30, 4, 4}, Ensemble{30, 100, 5}, Ensemble{30, 5000, 5},
          Ensemble{4200, kClassesMostlyEmpty, 5},
          Ensemble{kClassesMostlyEmpty + 4, kClassesMostlyEmpty, kClassesMostlyEmpty}}) {
      Random random(17);
      constexpr std::int64_t kFew = 3;
      std::vector<std::int64_t> ids;
      for (std::int64_t i = 0; i < kFew * teachers; ++i) {
        // The last classes, or all of them.
        ids.push_back(classes - 1 -
                      (favourites == classes ? i % classes : random.integer(0, favourites - 1)));
      }
      const PredictionVotes votes(pate::test::integer_table({kFew, teachers}, ids),
                                  PredictionLayout::queries_by_teachers, classes);
      for (const bool checked : {false, true}) {
        Aggregator aggregator{{}, {GaussianNoisyMax{4.0}}, false};
        if (checked)
          aggregator.selection = ThresholdCheck{0.6 * static_cast<double>(teachers), 9.0};
        const Run run{votes, RowSelection::all(kFew), aggregator, {}, nullptr, {}, {}};
        const ExactMechanism mechanism(aggregator, {}, teachers);
        CountedRun counted = count_run(run, {2, {}, &mechanism, false});
        REQUIRE(counted.teachers != nullptr);
        const auto rows = counted.teachers->rows();
        REQUIRE(rows.has_value());
        REQUIRE(rows->groups.size() == ids.size());
        std::vector<std::int32_t> histogram(static_cast<std::size_t>(classes));
        for (std::int64_t query = 0; query < kFew; ++query) {
          votes.read(query, 1, histogram);
          const auto& its =
              counted.partials.exact->distinct[rows->distinct[static_cast<std::size_t>(query)]]
                  .votes.groups;
          for (std::int64_t t = 0; t < teachers; ++t) {
            const auto vote = static_cast<std::size_t>(query * teachers + t);
            REQUIRE(rows->groups[vote] < its.size());
            REQUIRE(its[rows->groups[vote]].count ==
                    histogram[static_cast<std::size_t>(ids[vote])]);
          }
        }
      }
    }
  }

  TEST_CASE("of one class no teacher pays anything; next to no noise tells no profile of any") {
    const auto account_of = [](std::vector<std::int64_t> ids, std::int64_t classes, double sigma) {
      const PredictionVotes votes(
          test::integer_table({std::ssize(ids) / kTeachers, kTeachers}, ids),
          PredictionLayout::queries_by_teachers, classes);
      AccountSettings settings;
      settings.delta = 1e-5;
      settings.models.insert(Bound::exact);
      settings.threads = 1;
      return account({votes,
                      RowSelection::all(votes.queries()),
                      Aggregator{{}, {GaussianNoisyMax{sigma}}},
                      {},
                      nullptr,
                      {},
                      {}},
                     settings);
    };
    const auto of_teachers = [](const Account& account, EpsilonMethod conversion) {
      std::vector<CostEntry> found;
      for (const CostEntry& cost : account.costs) {
        if (cost.bound == Bound::exact_per_teacher && cost.conversion == conversion) {
          found.push_back(cost);
        }
      }
      return found;
    };
    const Account nothing = account_of(std::vector<std::int64_t>(2 * kTeachers, 0), 1, 5.0);
    REQUIRE(nothing.per_teacher);
    const std::vector<double> zeros(kTeachers, 0.0);
    CHECK(nothing.per_teacher->epsilon == zeros);
    REQUIRE(nothing.per_teacher->profile);
    CHECK(*nothing.per_teacher->profile == zeros);
    REQUIRE(of_teachers(nothing, EpsilonMethod::profile).size() == 1);
    CHECK(of_teachers(nothing, EpsilonMethod::profile).front().epsilon == 0.0);

    std::vector<std::int64_t> ids(kTeachers, 0);
    for (std::size_t t = 0; t < kTeachers; t += 2) ids[t] = 1;
    const Account sharp = account_of(ids, 3, 0.01);
    REQUIRE(sharp.per_teacher);
    CHECK_FALSE(sharp.per_teacher->profile);
    CHECK(of_teachers(sharp, EpsilonMethod::profile).empty());
    CHECK(of_teachers(sharp, EpsilonMethod::improved).front().epsilon > 0.0);
    CHECK(std::ranges::count(sharp.notices, "no_profile", &Notice::code) == 1);
  }

  TEST_CASE("bounds that no query has by its q are refused") {
    const auto table = predictions();
    const PredictionVotes votes(table, PredictionLayout::queries_by_teachers, kClasses);
    const Run run = run_of(votes);
    const QueryCounts counted = count_queries(run, 1);
    const CostInputs inputs(counted, run.aggregator, run.neighbours, 1);
    const std::vector<double> orders{2.0, 8.0};
    for (const auto& named : kNames<Bound>) {
      CAPTURE(named.name);
      const bool has = named.value == Bound::published || named.value == Bound::tradeoff;
      const auto refused = [](const auto& action) {
        try {
          action();
        } catch (const parameter_error& error) {
          return std::string(error.what());
        }
        return std::string();
      };
      const std::string wanted =
          has ? "" : "only the published and the trade-off bound depend on queries through q";
      CHECK(refused([&] { (void)bound_at_orders(named.value, inputs, orders, 1); }) == wanted);
      CHECK(refused([&] { (void)direct_cost(inputs, named.value, 2.0, 1); }) == wanted);
    }
  }

  TEST_CASE("teachers' votes that are not kept are read again, with the same sums") {
    const auto table = predictions();
    const PredictionVotes votes(table, PredictionLayout::queries_by_teachers, kClasses);
    const Run run = run_of(votes);
    const ExactMechanism mechanism(run.aggregator.noisy(), {}, kTeachers);
    CountedRun counted = count_run(run, {2, {}, &mechanism, false});
    const CountedRun by_query = count_run(run, {2, {}, &mechanism, true});
    CHECK(by_query.teachers == nullptr);
    REQUIRE(by_query.distinct_of_query.size() == kQueries);
    TeacherVotes again(run, votes, mechanism, kQueries * kTeachers - 1);
    again.set_distinct(by_query.distinct_of_query);
    ExactRun costs(mechanism, counted.partials.exact->distinct, 1);
    const std::vector<double> orders{2.0, 8.0, 20.0};
    const double before = table->reads();
    const auto kept = counted.teachers->sums(costs, orders, 2);
    CHECK(table->reads() == before);
    const auto read = again.sums(costs, orders, 1);
    CHECK(table->reads() == before + 1.0);
    for (std::size_t k = 0; k < orders.size(); ++k) {
      for (std::size_t t = 0; t < kTeachers; ++t) {
        CHECK(kept[k][t].rdp().forward == read[k][t].rdp().forward);
        CHECK(kept[k][t].rdp().reverse == read[k][t].rdp().reverse);
        CHECK(kept[k][t].rdp().larger() > 0.0);
      }
    }
  }
}
