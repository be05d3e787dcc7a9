#include "pate/tuning/evaluate_grid.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/base/error.hpp"
#include "pate/tuning/tune.hpp"

using namespace pate;

namespace {

constexpr std::int64_t kQueries = 90;

// Two classes; counts the queries that are read.
class CountingVotes : public VoteSource {
 public:
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::int64_t queries() const override { return kQueries; }
  [[nodiscard]] std::int64_t classes() const override { return 2; }
  [[nodiscard]] std::int64_t teachers() const override { return 40; }
  void read(std::int64_t first, std::int64_t count, std::span<std::int32_t> out) const override {
    read_ += count;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto with = static_cast<std::int32_t>((first + i) % 41);
      out[static_cast<std::size_t>(2 * i)] = with;
      out[static_cast<std::size_t>(2 * i + 1)] = 40 - with;
    }
  }
  // How often all of them were.
  [[nodiscard]] double reads() const {
    return static_cast<double>(read_) / static_cast<double>(kQueries);
  }

 private:
  std::string name_ = "votes";
  mutable std::atomic<std::int64_t> read_ = 0;
};

}  // namespace

TEST_SUITE("tuning") {
  TEST_CASE("evaluate grid: votes are read once a point, or once a noise with a selection") {
    const GridSettings settings{
        {{Bound::tradeoff, GuaranteeKind::joint}, Conversion::improved, 1e-5, {}}, {}, false, 1};
    for (const bool has_labels : {false, true}) {
      for (const bool has_selection : {false, true}) {
        const CountingVotes counted;
        TuningVotes votes{counted, RowSelection::all(kQueries), nullptr, {}};
        if (has_labels) votes.labels.emplace(kQueries, 1);
        TuningGrid grid{{5, 8, 11}, {}, {}};
        if (has_selection) {
          grid.sigma1 = {10, 20};
          grid.threshold = {20, 30};
        }
        std::vector<TuningPoint> points(grid.size());
        const Watcher watcher;
        evaluate_grid({votes, grid, settings, watcher}, 0, points);
        CHECK(counted.reads() == 3.0);
        for (const TuningPoint& point : points) {
          CHECK(point.evaluated());
          CHECK((point.right > 0.0) == has_labels);
        }
      }
    }
  }

  TEST_CASE("evaluate grid: points of PTR are accounts, and the votes are read once for all") {
    for (const TestNoise noise : {TestNoise::laplace, TestNoise::gaussian}) {
      for (const Conversion conversion : {Conversion::improved, Conversion::classic}) {
        const GridSettings settings{
            {{Bound::tradeoff, GuaranteeKind::joint}, conversion, 1e-5, {}}, {}, false, 1};
        const CountingVotes counted;
        TuningVotes votes{counted, RowSelection::all(kQueries), nullptr, {}};
        votes.labels.emplace(kQueries, 1);
        TuningGrid grid{{1e-9, 1e-8, 1e-6}, {0.5, 3.0}, {}};
        grid.ptr = noise;
        validate(grid);
        std::vector<TuningPoint> points(grid.size());
        const Watcher watcher;
        evaluate_grid({votes, grid, settings, watcher}, 0, points);
        CHECK(counted.reads() == 1.0);
        for (std::size_t i = 0; i < points.size(); ++i) {
          const TuningPoint& point = points[i];
          Run run{counted, votes.rows, grid.mechanism(i), {}, nullptr, {}, votes.labels};
          AccountSettings of_run;
          of_run.delta = 1e-5;
          of_run.threads = 1;
          if (grid.noise[grid.noise_of(i)] == 1e-6) {
            // The deltas of 90 queries leave nothing.
            CHECK(std::isinf(point.epsilon));
            CHECK_THROWS_WITH_AS(
                (void)account(run, of_run),
                doctest::Contains("which leaves nothing of delta 1e-05 for their composition"),
                parameter_error);
            of_run.delta = 1e-3;
          }
          const Account expected = account(run, of_run);
          CHECK(point.answered == doctest::Approx(expected.answered_expected).epsilon(1e-12));
          CHECK(point.right ==
                doctest::Approx(expected.answered_expected * expected.utility->expected_accuracy)
                    .epsilon(1e-12));
          if (of_run.delta != 1e-5) continue;
          for (const CostEntry& cost : expected.costs) {
            if (cost.bound != Bound::tradeoff || name(cost.conversion) != name(conversion))
              continue;
            CHECK(point.epsilon == cost.epsilon);
            CHECK(point.order == cost.order);
          }
        }
      }
    }
  }

  TEST_CASE("grids of PTR: its axes, and what the noise of a test is called") {
    TuningGrid grid{{1e-9}, {0.3, 0.1, 7.7}, {}};
    grid.ptr = TestNoise::laplace;
    CHECK(grid.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(test_parameter(*grid.mechanism(i).ptr()) == grid.sigma1[i]);
    }
    grid.noise = {0.2};
    CHECK_THROWS_WITH_AS(validate(grid), "ptr-delta must be between 1e-100 and 0.1, got 0.2",
                         parameter_error);
    grid.noise = {};
    CHECK_THROWS_WITH_AS(validate(grid), "ptr-delta has no values", parameter_error);
    grid.noise = {1e-9};
    grid.sigma1 = {-1.0};
    CHECK_THROWS_WITH_AS(validate(grid), "ptr-laplace must be > 0 and finite, got -1",
                         parameter_error);
    // What does not go with it.
    grid.sigma1 = {3.0};
    const CountingVotes counted;
    const TuningVotes votes{counted, RowSelection::all(kQueries), nullptr, {}};
    TuneSettings settings;
    settings.grid.kind = {{Bound::published, GuaranteeKind::joint}, Conversion::improved, 1e-5, {}};
    CHECK_THROWS_WITH_AS(
        (void)tune(votes, grid, settings, {}, {}),
        "PTR is tuned by its joint cost under the tradeoff bound, on all queries and on the grid",
        parameter_error);
    settings.grid.kind.cost = {Bound::tradeoff, GuaranteeKind::expected};
    CHECK_THROWS_WITH_AS(
        (void)tune(votes, grid, settings, {}, {}),
        "PTR is tuned by its joint cost under the tradeoff bound, on all queries and on the grid",
        parameter_error);
    settings.grid.kind.cost = {Bound::tradeoff, GuaranteeKind::joint};
    settings.grid.max_answers = 5.0;
    CHECK_THROWS_WITH_AS(
        (void)tune(votes, grid, settings, {}, {}),
        "PTR is tuned by its joint cost under the tradeoff bound, on all queries and on the grid",
        parameter_error);
  }
}
