// Labels by samples of the teachers: that they come out as often as they are said to, and what they
// cost.

#include "pate/labeling/sampled_labels.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "pate/base/error.hpp"
#include "support/chi_square.hpp"
#include "support/labeling.hpp"
#include "support/sampled_answers.hpp"
#include "support/test_bits.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;
using pate::test::chi_square_p;
using pate::test::is_plausible;
using pate::test::TestBits;

namespace {

constexpr Neighbours kAddRemove{Adjacency::add_remove, 1};

// Words of the test's choice, high ones first.
class GivenBits final : public BitSource {
 public:
  explicit GivenBits(std::vector<std::uint64_t> words) : words_(std::move(words)) {}
  std::unique_ptr<BitSource> another() override { return nullptr; }

 private:
  std::uint64_t next_word() override { return words_.at(next_++); }

  std::vector<std::uint64_t> words_;
  std::size_t next_ = 0;
};

}  // namespace

TEST_SUITE("sampled_labels") {
  TEST_CASE("a teacher is in a sample with exactly the rate, whatever its digits") {
    // 0.75 is 0xC0000000 / 2^32: below it is in, and at it by the digits that follow: none.
    const SampleSize size(0.75);
    GivenBits in({0xBFFFFFFFU});
    CHECK(size.draw(1, in) == 1);
    GivenBits out({0xC0000000U});
    CHECK(size.draw(1, out) == 0);
    // A rate with a second digit: 2^-1 + 2^-33.
    const SampleSize finer(0.5 + std::ldexp(1.0, -33));
    GivenBits second_in({0x7FFFFFFF'80000000ULL});
    CHECK(finer.draw(1, second_in) == 1);
    GivenBits second_out({0x80000000'80000000ULL});
    CHECK(finer.draw(1, second_out) == 0);
    CHECK_THROWS_AS(SampleSize(0.0), parameter_error);
    CHECK_THROWS_AS(SampleSize(1.0), parameter_error);
    CHECK_THROWS_AS(SampleSize(std::nan("")), parameter_error);
  }

  TEST_CASE("answers and refusals come out as often as all samples say") {
    const std::vector<Histogram> queries{{3, 2, 1}, {6, 0, 0}, {2, 2, 2}};
    const HistogramVotes votes(queries);
    for (const SampledQuery& query :
         {SampledQuery{{0.4, 0.8, 0.0}, 0.0}, SampledQuery{{0.5, 0.7, 1.0}, 2.0}}) {
      const bool has_check = query.noise.has_check();
      const Aggregator aggregator =
          has_check ? pate::test::confident(query.threshold, query.noise.sigma1, query.noise.sigma2)
                    : pate::test::gnmax(query.noise.sigma2);
      const Run run = pate::test::run_of(votes, pate::test::protecting(aggregator, kAddRemove));
      std::vector<std::vector<std::int64_t>> seen(queries.size(), std::vector<std::int64_t>(4, 0));
      TestBits bits(4711);
      for (int round = 0; round < 20'000; ++round) {
        const LabelledQueries labelled = label_sampled(run, {query.noise.rate}, bits);
        std::int64_t answered = 0;
        for (std::size_t i = 0; i < queries.size(); ++i) {
          const std::int32_t label = labelled.labels[i];
          answered += label >= 0 ? 1 : 0;
          ++seen[i][static_cast<std::size_t>(label >= 0 ? label : 3)];
        }
        REQUIRE(labelled.answered == answered);
        REQUIRE(labelled.asked == 3);
      }
      for (std::size_t i = 0; i < queries.size(); ++i) {
        std::vector<double> expected;
        for (const long double p : sampled_answers(query, queries[i])) {
          expected.push_back(static_cast<double>(p));
        }
        if (!has_check) {
          CHECK(seen[i].back() == 0);
          seen[i].pop_back();
        }
        CHECK(is_plausible(chi_square_p(seen[i], expected)));
      }
    }
  }

  // Of 1000 classes 65 queries are read at a time.
  TEST_CASE("queries are read a piece at a time, and no more of them than there are") {
    constexpr std::size_t kQueries = 150;
    std::vector<Histogram> queries;
    for (std::size_t i = 0; i < kQueries; ++i) {
      queries.emplace_back(1000, 0);
      queries.back()[i * 5] = 400;
    }
    const HistogramVotes votes(queries);
    const Run run =
        pate::test::run_of(votes, pate::test::protecting(pate::test::gnmax(5.0), kAddRemove));
    for (const std::optional<std::int64_t> most : {std::optional<std::int64_t>(), {140}}) {
      TestBits bits(3);
      const LabelledQueries labelled = label_sampled(run, {0.5}, bits, most);
      CHECK(labelled.asked == most.value_or(kQueries));
      CHECK(labelled.answered == labelled.asked);
      REQUIRE(labelled.labels.size() == kQueries);
      for (std::size_t i = 0; i < kQueries; ++i) {
        const bool asked = static_cast<std::int64_t>(i) < labelled.asked;
        CHECK(labelled.labels[i] == (asked ? static_cast<std::int32_t>(i * 5) : -1));
        CHECK((labelled.sources[i] == LabelSource::teacher) == asked);
      }
    }
  }

  TEST_CASE("votes of sampled records are counted as they are, at what a vote that moves costs") {
    const HistogramVotes votes({{3, 4, 3}, {0, 5, 5}, {2, 0, 8}});
    const Run run = pate::test::run_of(votes, pate::test::gnmax(0.05));
    const Sampling records{0.3, SampleOf::records};
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      TestBits bits(seed);
      const LabelledQueries labelled = label_sampled(run, records, bits);
      CHECK(labelled.labels[0] == 1);  // in a sample of these it would not always be
      CHECK(labelled.labels[1] >= 1);
      CHECK(labelled.labels[2] == 2);
      const Account account = sampled_label_account(run, records, labelled, 1e-5);
      CHECK(account.steps.sampled_queries.begin()->first ==
            SampledGaussian{0.3, 0.05, 0.0, SampleOf::records});
    }
    TestBits bits(1);
    CHECK_THROWS_AS((void)label_sampled(run, {0.3}, bits), parameter_error);
  }

  TEST_CASE("all queries are paid for, at what any votes cost") {
    const HistogramVotes votes({{30, 10, 0}, {40, 0, 0}});
    const Run run = pate::test::run_of(
        votes, pate::test::protecting(pate::test::confident(15.0, 10.0, 5.0), kAddRemove));
    TestBits bits(1);
    const LabelledQueries labelled = label_sampled(run, {0.5}, bits);
    const Account account = sampled_label_account(run, {0.5}, labelled, 1e-5);
    REQUIRE(account.steps.sampled_queries.size() == 1);
    CHECK(account.steps.sampled_queries.begin()->first == SampledGaussian{0.5, 5.0, 10.0});
    CHECK(account.steps.sampled_queries.begin()->second == 2);
    for (const CostEntry& cost : account.costs) {
      CHECK(cost.releasable);
      CHECK(!cost.data_dependent);
    }
    CHECK(account.costs[account.headline].conversion == EpsilonMethod::profile);
    CHECK_THROWS_AS(static_cast<void>(label_sampled(
                        pate::test::run_of(votes, pate::test::gnmax(5.0)), {0.5}, bits)),
                    parameter_error);
  }

  TEST_CASE("what a limit allows is halved down to, and told; nonsense is refused before") {
    const HistogramVotes votes({{20, 4, 0}, {12, 12, 0}, {24, 0, 0}, {9, 8, 7}});
    const Run run =
        pate::test::run_of(votes, pate::test::protecting(pate::test::gnmax(6.0), kAddRemove));
    double before = 0.0;
    for (std::int64_t n = 0; n <= 4; n += 2) {
      LabelledQueries labelled;
      labelled.asked = n;
      const double costs = sampled_label_account(run, {0.4}, labelled, 1e-5).costs.front().epsilon;
      CHECK((n == 0 ? costs == 0.0 : costs > before));
      before = costs;
    }
    CHECK(affordable_samples(run, {0.4}, 0.0, 1e-5) == 0);
    CHECK(affordable_samples(run, {0.4}, 1e9, 1e-5) == 4);
    const std::int64_t some = affordable_samples(run, {0.4}, 0.7 * before, 1e-5);
    CHECK(some > 0);
    CHECK(some < 4);
    TestBits bits(7);
    const LabelledQueries none = label_sampled(run, {0.4}, bits, 0);
    CHECK(none.labels == std::vector<std::int32_t>(4, -1));
    const Account nothing = sampled_label_account(run, {0.4}, none, 1e-5);
    CHECK(nothing.costs[nothing.headline].epsilon == 0.0);
    REQUIRE(nothing.notices.size() >= 2);
    CHECK(nothing.notices[nothing.notices.size() - 2].code == "no_queries");
    CHECK(nothing.notices.back().message ==
          "stopped after 0 of 4 queries, as another would cost more than \1max-epsilon whatever "
          "the votes are: known before the run");
    CHECK_THROWS_WITH_AS((void)affordable_samples(run, {0.4}, -1.0, 1e-5),
                         "max_epsilon must be >= 0 and finite, got -1", parameter_error);
    CHECK_THROWS_WITH_AS((void)affordable_samples(run, {0.4}, HUGE_VAL, 1e-5),
                         "max_epsilon must be >= 0 and finite, got inf", parameter_error);
    CHECK_THROWS_WITH_AS((void)label_sampled(run, {0.4}, bits, -1), "no run asks -1 queries",
                         parameter_error);
  }

  TEST_CASE("the first queries that a limit allows are asked, and no others") {
    std::vector<Histogram> queries;
    for (std::int32_t i = 0; i < 12; ++i) queries.push_back({20 + i, 20 - i, 0});
    const HistogramVotes votes(queries);
    for (const bool has_check : {false, true}) {
      const Aggregator aggregator =
          has_check ? pate::test::confident(15.0, 10.0, 6.0) : pate::test::gnmax(6.0);
      const Run run = pate::test::run_of(votes, pate::test::protecting(aggregator, kAddRemove));
      // What a run of every length costs whatever the votes are.
      std::vector<double> costs{0.0};
      for (std::int64_t n = 1; n <= 12; ++n) {
        LabelledQueries labelled;
        labelled.asked = n;
        const Account account = sampled_label_account(run, {0.4}, labelled, 1e-5);
        costs.push_back(account.costs[account.headline].epsilon);
        CHECK(costs.back() > costs[static_cast<std::size_t>(n) - 1]);
        CHECK(account.queries == n);
      }
      for (std::int64_t n = 0; n <= 12; ++n) {
        const double most = costs[static_cast<std::size_t>(n)];
        CHECK(affordable_samples(run, {0.4}, most, 1e-5) == n);
        CHECK(affordable_samples(run, {0.4}, 1.0000001 * most, 1e-5) == n);
        if (n > 0) CHECK(affordable_samples(run, {0.4}, 0.9999999 * most, 1e-5) == n - 1);

        TestBits bits(7);
        const LabelledQueries labelled = label_sampled(run, {0.4}, bits, n);
        CHECK(labelled.asked == n);
        CHECK(labelled.labels.size() == 12);
        CHECK(labelled.stopped.has_value() == (n < 12));
        for (std::size_t i = static_cast<std::size_t>(n); i < 12; ++i) {
          CHECK(labelled.labels[i] == -1);
        }
        const Account account = sampled_label_account(run, {0.4}, labelled, 1e-5);
        CHECK(account.costs[account.headline].epsilon == most);
        // What is asked comes out as without the limit.
        TestBits same(7);
        const LabelledQueries all = label_sampled(run, {0.4}, same);
        for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
          CHECK(labelled.labels[i] == all.labels[i]);
        }
      }
      CHECK(affordable_samples(run, {0.4}, 1e9, 1e-5) == 12);
      CHECK_THROWS_AS((void)affordable_samples(run, {0.4}, -1.0, 1e-5), parameter_error);
      CHECK_THROWS_AS((void)affordable_samples(run, {0.4}, std::nan(""), 1e-5), parameter_error);
      CHECK_THROWS_AS((void)affordable_samples(run, {1.0}, 1.0, 1e-5), parameter_error);
      TestBits bits(7);
      CHECK_THROWS_AS((void)label_sampled(run, {0.4}, bits, -1), parameter_error);
    }
  }
}
