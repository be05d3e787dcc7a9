#include "pate/tuning/private_search.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/rdp/step_composition.hpp"
#include "pate/events/account_record.hpp"
#include "pate/mechanisms/threshold_check.hpp"
#include "support/bit_sources.hpp"
#include "support/chi_square.hpp"
#include "support/labeling.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/random.hpp"
#include "support/test_bits.hpp"

using namespace pate;
using namespace pate::test;
using pate_test::Counts;
using pate_test::Probabilities;
using pate_test::Random;

namespace {

// A small ensemble, a grid, public labels: small enough that all that may come out can be listed.
struct Small {
  TuningGrid grid;
  std::vector<Counts> queries;
  std::vector<std::int32_t> labels;
  TryScore score = TryScore::correct;

  [[nodiscard]] std::unique_ptr<VoteSource> votes() const {
    std::vector<std::int64_t> counts;
    for (const Counts& query : queries) counts.insert(counts.end(), query.begin(), query.end());
    return votes_of(static_cast<std::int64_t>(queries.size()),
                    static_cast<std::int64_t>(queries.front().size()), counts);
  }
};

// What a try may give: a point and a label for each query, -1 where it is refused.
using Output = std::pair<std::size_t, std::vector<std::int32_t>>;
using Outcomes = std::map<Output, long double>;

// The classes and, with a selection, the refusal.
Probabilities outcomes_of(const Aggregator& aggregator, const Counts& counts) {
  Probabilities p = aggregator.is_gaussian()
                        ? pate_test::gaussian_outcomes(counts, aggregator.noisy_max.parameter())
                        : pate_test::laplace_outcomes(counts, aggregator.noisy_max.parameter());
  long double answered = 1.0L;
  if (aggregator.selection) {
    const std::int64_t top = *std::max_element(counts.begin(), counts.end());
    answered = std::exp(static_cast<long double>(log_answered(*aggregator.selection, top)));
  }
  for (long double& x : p) x *= answered;
  p.push_back(1.0L - answered);
  return p;
}

// One try.
Outcomes try_outcomes(const Small& small) {
  Outcomes result;
  for (std::size_t point = 0; point < small.grid.size(); ++point) {
    const Aggregator aggregator = small.grid.aggregator(point);
    Outcomes prefix{{{point, {}}, 1.0L / static_cast<long double>(small.grid.size())}};
    for (const Counts& query : small.queries) {
      const Probabilities p = outcomes_of(aggregator, query);
      Outcomes longer;
      for (const auto& [output, mass] : prefix) {
        for (std::size_t k = 0; k < p.size(); ++k) {
          if (!(p[k] > 0.0L)) continue;
          Output next = output;
          next.second.push_back(k + 1 == p.size() ? -1 : static_cast<std::int32_t>(k));
          longer[next] += mass * p[k];
        }
      }
      prefix = std::move(longer);
    }
    result.merge(prefix);
  }
  return result;
}

std::int64_t score_of(const Small& small, const Output& output) {
  std::int64_t score = 0;
  for (std::size_t i = 0; i < output.second.size(); ++i) {
    const std::int32_t label = output.second[i];
    score += small.score == TryScore::answered ? label >= 0 : label == small.labels[i];
  }
  return score;
}

// E[x^K].
long double generating(const NumberOfTries& tries, long double x) {
  const auto p = static_cast<long double>(tries.parameter);
  switch (tries.law) {
    case TriesLaw::geometric:
      return p * x / (1.0L - (1.0L - p) * x);
    case TriesLaw::poisson:
      return std::exp(p * (x - 1.0L));
    case TriesLaw::logarithmic:
      return std::log1p(-(1.0L - p) * x) / std::log(p);
  }
  return 0.0L;
}

constexpr std::size_t kNothing = ~std::size_t{0};

// What is released: that of the best score, the first of them; as likely among equals as a try is.
template <class Generating>
Outcomes released(const Small& small, const Generating& f) {
  const Outcomes one = try_outcomes(small);
  std::map<std::int64_t, long double> by_score;
  for (const auto& [output, mass] : one) by_score[score_of(small, output)] += mass;
  std::map<std::int64_t, long double> best;
  long double below = 0.0L;
  for (const auto& [score, mass] : by_score) {
    best[score] = (f(std::min(below + mass, 1.0L)) - f(below)) / mass;
    below += mass;
  }
  Outcomes result;
  for (const auto& [output, mass] : one) result[output] = mass * best[score_of(small, output)];
  if (f(0.0L) > 0.0L) result[{kNothing, {}}] = f(0.0L);
  return result;
}

long double hockey_stick(const Outcomes& p, const Outcomes& r, double epsilon) {
  const long double factor = std::exp(static_cast<long double>(epsilon));
  long double delta = 0.0L;
  for (const auto& [output, mass] : p) {
    const auto at = r.find(output);
    delta += std::max(mass - factor * (at == r.end() ? 0.0L : at->second), 0.0L);
  }
  return delta;
}

// The RDP of one from the other.
double renyi(const Outcomes& p, const Outcomes& r, double order) {
  long double moment = 0.0L;
  for (const auto& [output, mass] : p) {
    moment += mass * std::pow(mass / r.at(output), static_cast<long double>(order) - 1.0L);
  }
  return static_cast<double>(std::log(moment) / (static_cast<long double>(order) - 1.0L));
}

// All neighbours: another vote of one teacher on every query.
std::vector<Small> neighbours_of(const Small& small) {
  std::vector<Small> result{small};
  for (std::size_t i = 0; i < small.queries.size(); ++i) {
    std::vector<Small> longer;
    for (const Small& so_far : result) {
      longer.push_back(so_far);
      pate_test::for_each_neighbour(small.queries[i], [&](const Counts& other) {
        Small next = so_far;
        next.queries[i] = other;
        longer.push_back(next);
      });
    }
    result = std::move(longer);
  }
  return result;
}

Small random_small(Random& random) {
  Small small;
  const std::int64_t teachers = random.integer(2, 9);
  const std::int64_t classes = random.integer(2, 3);
  const int kind = static_cast<int>(random.integer(0, 2));
  small.grid.laplace = kind == 0;
  for (std::int64_t k = random.integer(1, 2); k > 0; --k) {
    small.grid.noise.push_back(random.log_uniform(1.0, 10.0));
  }
  std::ranges::sort(small.grid.noise);
  if (kind == 2) {
    small.grid.sigma1 = {random.log_uniform(1.0, 10.0)};
    small.grid.threshold = {random.uniform(0.0, 1.0) * static_cast<double>(teachers),
                            static_cast<double>(teachers) + 0.5};
  }
  for (std::int64_t k = random.integer(1, 2); k > 0; --k) {
    small.queries.push_back(pate_test::random_histogram(random, teachers, classes));
    small.labels.push_back(static_cast<std::int32_t>(random.integer(0, classes - 1)));
  }
  if (kind == 2 && random.integer(0, 1) == 0) small.score = TryScore::answered;
  return small;
}

NumberOfTries random_number(Random& random) {
  return tries_expecting(static_cast<TriesLaw>(random.integer(0, 2)),
                         random.log_uniform(1.05, 20.0));
}

// The record of a search, as a report has it.
Record record_of(const Small& small, const NumberOfTries& tries) {
  Event event;
  event.open.kind = EventKind::tuning;
  event.open.mechanism = small.grid.aggregator(0).name();
  event.open.queries = std::ssize(small.queries);
  event.open.tries = TriedRuns{tries, steps_of_one_try(small.grid, std::ssize(small.queries))};
  return {event};
}

double promised_epsilon(const Small& small, const NumberOfTries& tries, double delta) {
  RecordSettings settings;
  settings.delta = delta;
  const RecordAccount account = account_record(record_of(small, tries), settings);
  return account.costs[account.headline].epsilon;
}

std::string text_of(const Output& output) {
  std::string text = fmt::format("{}:", output.first);
  for (const std::int32_t label : output.second) text += fmt::format(" {}", label);
  return text;
}

// Two classes and one query, on whose votes an epsilon of one try is attained.
struct Tight {
  Small small;
  Small neighbour;
  double epsilon = 0.0;
  double delta = 0.0;
};
Tight tight_setting(double sigma2, std::int32_t lead) {
  Tight result;
  result.small.grid.noise = {sigma2};
  result.small.queries = {Counts{100 + lead, 100}};
  result.small.labels = {1};  // the rarer answer: two tries double its probability
  result.neighbour = result.small;
  result.neighbour.queries = {Counts{101 + lead, 99}};
  const long double p = try_outcomes(result.small).at({0, {1}});
  const long double r = try_outcomes(result.neighbour).at({0, {1}});
  // Where the two tests, "class 1" among them, have this slope the Gaussian profile is attained.
  const double mu = std::sqrt(2.0) / sigma2;
  double best = 0.0;
  for (double epsilon = 0.01; epsilon < 6.0; epsilon += 0.01) {
    const auto attained = static_cast<double>(p - std::exp(static_cast<long double>(epsilon)) * r);
    const double all = std::exp(log_gaussian_dp_delta(mu, epsilon));
    if (all > 1e-9 && attained / all > best) {
      best = attained / all;
      result.epsilon = epsilon;
      result.delta = all;
    }
  }
  return result;
}

}  // namespace

TEST_SUITE("tuning") {
  TEST_CASE("private search: the promised delta and RDP hold on all small neighbours") {
    Random random(44);
    for (int round = 0; round < 24; ++round) {
      const Small small = random_small(random);
      const NumberOfTries tries = random_number(random);
      const double delta = random.log_uniform(1e-6, 0.05);
      const double epsilon = promised_epsilon(small, tries, delta);
      const BestOfTriesCost cost(tries, steps_of_one_try(small.grid, std::ssize(small.queries)));
      const auto f = [&](long double x) { return generating(tries, x); };
      const Outcomes here = released(small, f);
      long double all = 0.0L;
      for (const auto& [output, mass] : here) all += mass;
      REQUIRE(static_cast<double>(all) == doctest::Approx(1.0).epsilon(1e-12));
      CAPTURE(static_cast<int>(tries.law));
      CAPTURE(epsilon);
      for (const Small& neighbour : neighbours_of(small)) {
        const Outcomes there = released(neighbour, f);
        CHECK(hockey_stick(here, there, epsilon) <= delta);
        CHECK(hockey_stick(there, here, epsilon) <= delta);
        for (const double order : {1.5, 4.0, 20.0}) {
          CHECK(renyi(here, there, order) <= cost.rdp(order));
          CHECK(renyi(there, here, order) <= cost.rdp(order));
        }
      }
    }
  }

  TEST_CASE("private search: one try more than was accounted for breaks the promise") {
    // What one try promises is attained: Gaussian noise, and votes where its worst test is the
    // answer itself.
    const Tight tight = tight_setting(6.0, 22);
    REQUIRE(tight.delta > 0.0);
    const auto delta_of = [&](const auto& f) {
      return static_cast<double>(
          hockey_stick(released(tight.small, f), released(tight.neighbour, f), tight.epsilon));
    };
    const double once = delta_of([](long double x) { return x; });
    const double twice = delta_of([](long double x) { return x * x; });
    CHECK(once <= tight.delta);
    CHECK(once > 0.95 * tight.delta);
    CHECK(twice > 1.5 * tight.delta);
    // Accounted for, as many as are drawn keep it.
    for (const TriesLaw law : {TriesLaw::geometric, TriesLaw::poisson, TriesLaw::logarithmic}) {
      const NumberOfTries tries = tries_expecting(law, 2.0);
      const double epsilon = promised_epsilon(tight.small, tries, tight.delta);
      CHECK(epsilon > tight.epsilon);
      const auto f = [&](long double x) { return generating(tries, x); };
      CHECK(hockey_stick(released(tight.small, f), released(tight.neighbour, f), epsilon) <=
            tight.delta);
    }
  }

  TEST_CASE("private search: released as often as the law and the noise say") {
    Random random(45);
    for (int round = 0; round < 6; ++round) {
      const Small small = random_small(random);
      const NumberOfTries tries = random_number(random);
      // In the file a row comes before those that are asked, with a label of its own.
      Small in_file = small;
      in_file.queries.insert(in_file.queries.begin(), small.queries.back());
      in_file.labels.insert(in_file.labels.begin(), 1 - small.labels.front() % 2);
      const auto votes = in_file.votes();
      const TuningVotes tuned{*votes, RowSelection::range(1, votes->queries()), nullptr,
                              in_file.labels};
      const Outcomes exact = released(small, [&](long double x) { return generating(tries, x); });
      std::map<std::string, std::int64_t> drawn;
      TestBits bits(static_cast<std::uint64_t>(random.integer(0, 1 << 30)));
      constexpr int kDraws = 3000;
      for (int i = 0; i < kDraws; ++i) {
        const auto best = best_of_tries(tuned, small.grid, tries, small.score, bits, 1);
        const Output output =
            best ? Output{best->index, best->labelled.labels} : Output{kNothing, {}};
        if (best) CHECK(best->score == score_of(small, output));
        ++drawn[text_of(output)];
      }
      std::vector<std::int64_t> counts{0};
      std::vector<double> cells{1e-9};
      for (const auto& [output, mass] : exact) {
        const std::int64_t its = drawn[text_of(output)];
        if (mass * kDraws < 15.0L) {
          counts.front() += its;
          cells.front() += static_cast<double>(mass);
        } else {
          counts.push_back(its);
          cells.push_back(static_cast<double>(mass));
        }
      }
      if (cells.front() * kDraws < 5.0) {
        cells[1] += cells.front();
        counts[1] += counts.front();
        cells.erase(cells.begin());
        counts.erase(counts.begin());
      }
      if (cells.size() > 1) CHECK(is_plausible(chi_square_p(counts, cells)));
    }
  }

  TEST_CASE("private search: threads change no label, and bad input is refused") {
    Random random(46);
    Small small = random_small(random);
    const auto votes = small.votes();
    TuningVotes tuned{*votes, RowSelection::all(votes->queries()), nullptr, small.labels};
    const NumberOfTries tries = tries_expecting(TriesLaw::geometric, 5.0);
    TestBits one(9);
    TestBits other(9);
    const auto a = best_of_tries(tuned, small.grid, tries, TryScore::correct, one, 1);
    const auto b = best_of_tries(tuned, small.grid, tries, TryScore::correct, other, 4);
    REQUIRE(a);
    REQUIRE(b);
    CHECK(a->index == b->index);
    CHECK(a->labelled.labels == b->labelled.labels);
    CHECK(!best_of_tries(tuned, small.grid, tries, TryScore::correct, one, 1, [] { return true; }));
    tuned.labels.reset();
    const auto without_labels = [&] {
      static_cast<void>(best_of_tries(tuned, small.grid, tries, TryScore::correct, one, 1));
    };
    CHECK_THROWS_WITH_AS(without_labels(),
                         "the score correct needs a public label for every row of the votes",
                         parameter_error);
    TuningGrid tested;
    tested.ptr = TestNoise::gaussian;
    tested.sigma1 = {4.0};
    tested.noise = {1e-6};
    CHECK_THROWS_WITH_AS(static_cast<void>(steps_of_one_try(tested, 3)),
                         "the best of several tries: PTR has deltas that the theorems do not know",
                         parameter_error);
    CHECK_THROWS_WITH_AS(
        static_cast<void>(best_of_tries(tuned, tested, tries, TryScore::answered, one, 1)),
        "the best of several tries: PTR has deltas that the theorems do not know", parameter_error);
  }
}
