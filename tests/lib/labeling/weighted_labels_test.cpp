// Labels by votes that count by weights: that they come out as often as they are said to, and that
// no teacher loses more than is told of its weight.

#include "pate/labeling/weighted_labels.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "pate/base/error.hpp"
#include "support/accuracy.hpp"
#include "support/chi_square.hpp"
#include "support/hockey_stick.hpp"
#include "support/labeling.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/npy_writer.hpp"
#include "support/test_bits.hpp"

using namespace pate;
using namespace pate_test;
using pate::test::chi_square_p;
using pate::test::is_plausible;
using pate::test::TestBits;

namespace {

constexpr double kDelta = 1e-3;
constexpr std::size_t kClasses = 3;
constexpr std::size_t kTeachers = 3;
using Ids = std::vector<std::int64_t>;  // of the teachers, for one query

std::unique_ptr<PredictionVotes> predictions_of(const std::vector<Ids>& queries) {
  Ids all;
  for (const Ids& ids : queries) all.insert(all.end(), ids.begin(), ids.end());
  return std::make_unique<PredictionVotes>(
      pate::test::integer_table({static_cast<std::int64_t>(queries.size()), kTeachers}, all),
      PredictionLayout::queries_by_teachers, kClasses);
}

// What comes out of a query, the refusal last where there is a threshold. Counts, threshold and
// noise are in units.
Probabilities outcomes_of(const Ids& ids, const TeacherWeights& weights, const Aggregator& noise) {
  Counts counts(kClasses, 0);
  for (std::size_t t = 0; t < ids.size(); ++t) {
    counts[static_cast<std::size_t>(ids[t])] += static_cast<std::int32_t>(weights.units[t]);
  }
  const double scale = noise.noisy_max.parameter() / weights.unit;
  Probabilities p =
      noise.is_gaussian() ? gaussian_outcomes(counts, scale) : laplace_outcomes(counts, scale);
  if (!noise.selection) return p;
  const double margin =
      *std::ranges::max_element(counts) - noise.selection->threshold / weights.unit;
  const double z = margin / (noise.selection->sigma1 / weights.unit * std::sqrt(2.0));
  for (long double& x : p) x *= 0.5L * std::erfc(-static_cast<long double>(z));
  p.push_back(0.5L * std::erfc(static_cast<long double>(z)));
  return p;
}

using Transcript = std::vector<std::size_t>;

// All that a run can give; it ends where the filter says so.
void add_transcripts(std::size_t queries, std::size_t outcomes, const PrivacyFilter& filter,
                     const Transcript& so_far, std::vector<Transcript>& to) {
  if (so_far.size() == queries || filter.enough_answers() || !filter.can_afford_next()) {
    to.push_back(so_far);
    return;
  }
  for (std::size_t outcome = 0; outcome < outcomes; ++outcome) {
    PrivacyFilter after = filter;
    after.count(outcome < kClasses);
    Transcript longer = so_far;
    longer.push_back(outcome);
    add_transcripts(queries, outcomes, after, longer, to);
  }
}

// With which probability each comes out.
std::vector<long double> masses_of(const std::vector<Transcript>& transcripts,
                                   const std::vector<Probabilities>& queries) {
  std::vector<long double> result;
  for (const Transcript& transcript : transcripts) {
    long double mass = 1.0L;
    for (std::size_t i = 0; i < transcript.size(); ++i) mass *= queries[i][transcript[i]];
    result.push_back(mass);
  }
  return result;
}

LabelledQueries labelled_as(const Transcript& transcript, std::size_t queries) {
  LabelledQueries result;
  result.labels.assign(queries, -1);
  result.sources.assign(queries, LabelSource::refused);
  result.asked = std::ssize(transcript);
  for (std::size_t i = 0; i < transcript.size(); ++i) {
    if (transcript[i] >= kClasses) continue;
    result.labels[i] = static_cast<std::int32_t>(transcript[i]);
    result.sources[i] = LabelSource::teacher;
    ++result.answered;
  }
  return result;
}

Ids ids_of(std::int64_t code) {
  return {code % 3, code / 3 % 3, code / 9 % 3};
}

}  // namespace

TEST_SUITE("weighted_labels") {
  TEST_CASE("labels come out as often as the weighted counts say") {
    const std::vector<Ids> queries{{0, 1, 1}, {0, 0, 2}, {2, 2, 2}};
    const auto votes = predictions_of(queries);
    for (const TeacherWeights& weights :
         {TeacherWeights{{2, 1, 3}, 0.5}, TeacherWeights{{1, 4, 1}, 1.0}}) {
      for (const Aggregator& noise :
           {pate::test::gnmax(2.0), pate::test::lnmax(1.5), pate::test::confident(1.4, 0.7, 2.0)}) {
        const Run run = pate::test::run_of(*votes, noise);
        const WeightedRun weighted(run, *votes, weights);
        const CostedMechanism paid = weighted.paid_by(weights.heaviest());
        TestBits bits(99);
        std::vector<std::vector<std::int64_t>> seen(
            queries.size(), std::vector<std::int64_t>(kClasses + (noise.selection ? 1 : 0), 0));
        for (int round = 0; round < 10'000; ++round) {
          PrivacyFilter filter(paid.mechanism, paid.neighbours, {3, {}, {}}, kDelta, 3.0);
          const LabelledQueries labelled = label_queries(weighted.in_units(), filter, {}, bits, 1);
          for (std::size_t i = 0; i < queries.size(); ++i) {
            const std::int32_t label = labelled.labels[i];
            ++seen[i][label >= 0 ? static_cast<std::size_t>(label) : kClasses];
          }
        }
        for (std::size_t i = 0; i < queries.size(); ++i) {
          std::vector<double> expected;
          for (const long double p : outcomes_of(queries[i], weights, noise)) {
            expected.push_back(static_cast<double>(p));
          }
          CHECK(is_plausible(chi_square_p(seen[i], expected)));
        }
      }
    }
  }

  TEST_CASE("no teacher loses more than is told of its weight, wherever the run stops") {
    std::int64_t stopped = 0;
    double furthest = 0.0;
    for (const TeacherWeights& weights :
         {TeacherWeights{{2, 1, 3}, 0.5}, TeacherWeights{{1, 4, 1}, 1.0}}) {
      for (const Aggregator& noise :
           {pate::test::gnmax(4.0), pate::test::confident(1.5, 3.0, 4.0)}) {
        for (const RunLimits& limits :
             {RunLimits{3, {}, {}}, RunLimits{3, 1, {}}, RunLimits{3, {}, 2.5}}) {
          for (std::int64_t code = 0; code < 27; code += 7) {
            const std::vector<Ids> queries{ids_of(code), ids_of(2 * code + 1), ids_of(code / 2)};
            const auto votes = predictions_of(queries);
            const Run run = pate::test::run_of(*votes, noise);
            const WeightedRun weighted(run, *votes, weights);
            const CostedMechanism paid = weighted.paid_by(weights.heaviest());
            const PrivacyFilter filter(
                paid.mechanism, paid.neighbours, limits, kDelta,
                filter_order(paid.mechanism, paid.neighbours, limits, kDelta));
            std::vector<Probabilities> here;
            for (const Ids& ids : queries) here.push_back(outcomes_of(ids, weights, noise));
            std::vector<Transcript> transcripts;
            add_transcripts(queries.size(), here.front().size(), filter, {}, transcripts);
            const std::vector<long double> p = masses_of(transcripts, here);
            // What is told before the run is one number, whatever comes out.
            std::vector<WeightCost> told;
            for (std::size_t k = 0; k < transcripts.size(); k += 7) {
              const Transcript& transcript = transcripts[k];
              PrivacyFilter after = filter;
              for (const std::size_t outcome : transcript) after.count(outcome < kClasses);
              if (transcript.size() < queries.size()) ++stopped;
              const auto found = weighted_label_account(
                  weighted, labelled_as(transcript, queries.size()), after, limits, kDelta, 1);
              CHECK(found.account.teachers == kTeachers);
              if (told.empty()) told = found.weights;
              REQUIRE(found.weights.size() == told.size());
              for (std::size_t w = 0; w < told.size(); ++w) {
                CHECK(found.weights[w].any_votes == told[w].any_votes);
                CHECK(found.weights[w].tradeoff == told[w].tradeoff);
              }
            }
            if (limits.max_epsilon) CHECK(told.back().any_votes <= *limits.max_epsilon);
            for (std::size_t t = 0; t < kTeachers; ++t) {
              const double weight = static_cast<double>(weights.units[t]) * weights.unit;
              const auto cost = std::ranges::find(told, weight, &WeightCost::weight);
              REQUIRE(cost != told.end());
              CHECK(cost->teachers == std::ranges::count(weights.units, weights.units[t]));
              for (std::int64_t other = 0; other < 27; ++other) {
                std::vector<Probabilities> there;
                for (std::size_t i = 0; i < queries.size(); ++i) {
                  Ids ids = queries[i];
                  ids[t] = ids_of(other)[i];
                  there.push_back(outcomes_of(ids, weights, noise));
                }
                const std::vector<long double> q = masses_of(transcripts, there);
                for (const double epsilon : {cost->any_votes, cost->tradeoff.value()}) {
                  CHECK(hockey_stick(p, q, epsilon) <= kDelta);
                  CHECK(hockey_stick(q, p, epsilon) <= kDelta);
                }
                furthest = std::max(furthest, hockey_stick(p, q, 0.3 * cost->any_votes));
              }
            }
          }
        }
      }
    }
    CHECK(stopped > 20);
    CHECK(furthest > kDelta);  // the comparisons say something
  }

  TEST_CASE("lighter teachers pay their share of the limit, the heaviest all of it") {
    std::vector<Ids> queries(40, Ids{0, 0, 0});
    const auto votes = predictions_of(queries);
    const Run run = pate::test::run_of(*votes, pate::test::confident(2.0, 20.0, 20.0));
    const WeightedRun weighted(run, *votes, {{1, 2, 4}, 1.0});
    const CostedMechanism paid = weighted.paid_by(4);
    const RunLimits limits{40, {}, 1.0};
    PrivacyFilter filter(paid.mechanism, paid.neighbours, limits, kDelta,
                         filter_order(paid.mechanism, paid.neighbours, limits, kDelta));
    TestBits bits(5);
    const LabelledQueries labelled = label_queries(weighted.in_units(), filter, {}, bits, 1);
    REQUIRE(labelled.stopped == StopReason::max_epsilon);
    const auto found = weighted_label_account(weighted, labelled, filter, limits, kDelta, 1);
    CHECK(found.weights[2].any_votes <= 1.0);
    CHECK(found.weights[1].any_votes < 0.6);
    CHECK(found.weights[0].any_votes < 0.4);
    CHECK(found.account.teachers == 3);  // and not as many as there are units
    // Told in votes of the heaviest.
    const Aggregator& told = found.account.aggregator.noisy();
    CHECK(relative_error(told.noisy_max.parameter(), 5.0) < 1e-14);
    CHECK(relative_error(told.selection->threshold, 0.5) < 1e-14);
    CHECK(found.account.steps.neighbours.is_one_replaced());
  }

  TEST_CASE("what goes by whole votes has no weights") {
    const std::vector<Ids> queries{{0, 1, 1}};
    const auto votes = predictions_of(queries);
    const TeacherWeights weights{{1, 2, 1}, 1.0};
    const auto refused = [&](const auto& mechanism, const TeacherWeights& by) {
      CHECK_THROWS_AS(WeightedRun(pate::test::run_of(*votes, mechanism), *votes, by),
                      parameter_error);
    };
    refused(pate::test::interactive(1.0, 1.0, 1.0), weights);
    refused(pate::test::protecting(pate::test::gnmax(1.0), {Adjacency::replace, 2}), weights);
    refused(pate::test::protecting(pate::test::gnmax(1.0), {Adjacency::add_remove, 1}), weights);
    refused(pate::test::confident(1.0, 1.0, 1.0), {{1, 1, kMaxThresholdUnits}, 1.0});
    refused(pate::test::gnmax(1.0), {{1, 2}, 1.0});
  }
}
