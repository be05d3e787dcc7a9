#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/pld/dominating_pair.hpp"
#include "pate/divergence/pld/optimistic_profile.hpp"
#include "pate/divergence/pld/pessimistic_profile.hpp"
#include "pate/numerics/kernels/kernels.hpp"
#include "pate/numerics/normal.hpp"
#include "support/accuracy.hpp"
#include "support/paths.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

using Query = std::vector<DistributionPair>;  // by neighbour
using Real = long double;

DistributionPair table(const std::vector<double>& p, const std::vector<double>& q) {
  DistributionPair result;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double loss = p[i] == 0.0   ? -kInfinity
                        : q[i] == 0.0 ? kInfinity
                                      : std::log(p[i]) - std::log(q[i]);
    result.push_back({p[i], q[i], loss});
  }
  return result;
}

DistributionPair random_table(Random& random, std::size_t outcomes, double spread) {
  std::vector<double> p(outcomes);
  std::vector<double> q(outcomes);
  double sum_p = 0.0;
  double sum_q = 0.0;
  for (std::size_t i = 0; i < outcomes; ++i) {
    sum_p += p[i] = random.log_uniform(1e-3, 1.0);
    sum_q += q[i] = p[i] * std::exp(random.uniform(-spread, spread));
  }
  for (double& x : p) x /= sum_p;
  for (double& x : q) x /= sum_q;
  return table(p, q);
}

// The homogeneous form by enumeration: the adversary who knows earlier outcomes.
Real adaptive(const std::vector<Query>& queries, std::size_t at, Real p, Real q) {
  if (at == queries.size()) return std::max(p - q, 0.0L);
  Real largest = queries[at].empty() ? adaptive(queries, at + 1, p, q) : 0.0L;
  for (const DistributionPair& table : queries[at]) {
    Real sum = 0.0L;
    for (const OutcomeMass& o : table) {
      sum += adaptive(queries, at + 1, p * static_cast<Real>(o.p), q * static_cast<Real>(o.q));
    }
    largest = std::max(largest, sum);
  }
  return largest;
}

// Against the first neighbour of every query.
Real fixed(const std::vector<Query>& queries, double epsilon) {
  std::vector<Query> one;
  for (const Query& query : queries) one.push_back({query.front()});
  return adaptive(one, 0, 1.0L, std::exp(static_cast<Real>(epsilon)));
}

// sum_o (p - gamma q)+.
Real profile_of_query(const DistributionPair& table, double gamma) {
  Real sum = 0.0L;
  for (const OutcomeMass& o : table) {
    sum += std::max(static_cast<Real>(o.p) - static_cast<Real>(gamma) * static_cast<Real>(o.q),
                    Real{0});
  }
  return sum;
}

PessimisticProfile upper(const std::vector<Query>& queries, double step,
                         double least_delta = 1e-9) {
  PessimisticProfile result({step, 12.0, least_delta});
  for (auto query = queries.rbegin(); query != queries.rend(); ++query)
    result.compose_query(*query);
  return result;
}

}  // namespace

TEST_SUITE("profile") {
  TEST_CASE("random tables: above the adversary who looks, below a fixed neighbour") {
    Random random(14);
    for (int i = 0; i < 60; ++i) {
      std::vector<Query> queries(static_cast<std::size_t>(random.integer(1, 4)));
      const double spread = random.log_uniform(0.01, 3.0);
      for (Query& query : queries) {
        const auto outcomes = static_cast<std::size_t>(random.integer(2, 4));
        for (std::int64_t b = random.integer(1, 3); b > 0; --b) {
          query.push_back(random_table(random, outcomes, spread));
        }
      }
      const PessimisticProfile coarse = upper(queries, 0x1p-6);
      const PessimisticProfile fine = upper(queries, 0x1p-9);
      OptimisticProfile low(0x1p-10, -20.0, 20.0);
      for (const Query& query : queries) low.append(query.front());
      for (const double epsilon : {0.0, 0.01, 0.1, 0.5, 1.0, 3.0}) {
        INFO("run ", i, " epsilon ", epsilon);
        const auto exact =
            static_cast<double>(adaptive(queries, 0, 1.0L, std::exp(static_cast<Real>(epsilon))));
        CHECK(fine.delta(epsilon) >= exact * (1.0 - 1e-15));
        CHECK(coarse.delta(epsilon) >= fine.delta(epsilon) * (1.0 - 1e-8));
        // The chords of 4 queries add at most about h^2 of variance; a kink costs h.
        CHECK(fine.delta(epsilon) <= exact + 0.01);
        const auto one = static_cast<double>(fixed(queries, epsilon));
        CHECK(low.delta(epsilon) <= one);
        CHECK(low.delta(epsilon) >= one - 0.002);
      }
      for (const double delta : {1e-8, 1e-3, 0.1}) {
        const double epsilon = fine.epsilon(delta);
        if (epsilon == kInfinity) continue;
        const auto exact =
            static_cast<double>(adaptive(queries, 0, 1.0L, std::exp(static_cast<Real>(epsilon))));
        CHECK(exact <= delta * (1.0 + 1e-12));
        CHECK(low.epsilon(delta) <= epsilon);
      }
    }
  }

  TEST_CASE("a cover is above all of its tables, and hardly above the highest") {
    Random random(16);
    for (int i = 0; i < 200; ++i) {
      const double spread = random.log_uniform(1e-6, 8.0);
      Query tables(static_cast<std::size_t>(random.integer(2, 6)));
      for (DistributionPair& one : tables) {
        one = random_table(random, static_cast<std::size_t>(random.integer(2, 6)), spread);
      }
      const bool telling = random.integer(0, 3) == 0;
      if (telling) {
        // An outcome that only the votes have, and one that only the neighbour has.
        for (OutcomeMass& o : tables.front())
          o.p *= 0.99, o.q *= 0.98, o.loss += std::log(0.99 / 0.98);
        tables.front().push_back({0.01, 0.0, kInfinity});
        tables.front().push_back({0.0, 0.02, -kInfinity});
      }
      const double resolution = random.integer(0, 1) == 0 ? 0x1p-20 : 0x1p-8;
      const DistributionPair all = dominating_pair(tables, resolution);
      std::vector<double> gammas;
      for (int k = 0; k < 50; ++k) gammas.push_back(std::exp(random.uniform(-2.0, 2.0) * spread));
      for (const DistributionPair& one : tables) {
        for (const OutcomeMass& o : one) {
          if (std::isfinite(o.loss)) gammas.push_back(std::exp(o.loss));
        }
      }
      for (const double gamma : gammas) {
        Real highest = 0.0L;
        for (const DistributionPair& one : tables) {
          highest = std::max(highest, profile_of_query(one, gamma));
        }
        // The cover's own masses are told with p rounded up.
        const Real its = profile_of_query(all, gamma);
        INFO("run ", i, " gamma ", gamma, " cover ", static_cast<double>(its), " highest ",
             static_cast<double>(highest));
        CHECK(its >= highest * (1.0L - 1e-13L));
      }
      // What a run costs with it.
      for (const double step : {0x1p-7, 0x1p-10}) {
        const PessimisticProfile exact = upper({tables, tables, tables}, step);
        const PessimisticProfile covered = upper({{all}, {all}, {all}}, step);
        for (const double epsilon : {0.0, 0.3 * spread, spread}) {
          CHECK(covered.delta(epsilon) >= exact.delta(epsilon) * (1.0 - 1e-12));
        }
      }
    }
    // What is covered again, whatever order.
    for (int i = 0; i < 300; ++i) {
      const double spread = random.log_uniform(0.01, 20.0);
      std::array<DistributionPair, 4> tables;
      for (DistributionPair& one : tables) {
        one = random_table(random, static_cast<std::size_t>(random.integer(2, 6)), spread);
        for (OutcomeMass& o : one) o.p *= 0.999, o.q *= 0.998, o.loss += std::log(0.999 / 0.998);
        one.push_back({0.001, 0.0, kInfinity});
        one.push_back({0.0, 0.002, -kInfinity});
      }
      const double resolution = 0x1p-10;
      const auto both = [&](const DistributionPair& a, const DistributionPair& b) {
        return cover_but_rounding(std::array{a, b}, resolution, 1e-5);
      };
      const DistributionPair all =
          cover_rounded(both(both(tables[0], tables[1]), both(tables[2], tables[3])));
      for (int k = 0; k < 60; ++k) {
        const double gamma = std::exp(random.uniform(-2.0, 2.0) * spread);
        Real highest = 0.0L;
        for (const DistributionPair& one : tables) {
          highest = std::max(highest, profile_of_query(one, gamma));
        }
        INFO("run ", i, " gamma ", gamma);
        CHECK(profile_of_query(all, gamma) >= highest * (1.0L - 1e-13L));
      }
    }
    // What is not a number stays that.
    for (const std::size_t place : {0U, 1U, 2U}) {
      std::array<DistributionPair, 2> tables{table({0.25, 0.75}, {0.5, 0.5}),
                                             table({0.25, 0.75}, {0.5, 0.5})};
      const double nan = std::numeric_limits<double>::quiet_NaN();
      OutcomeMass& o = tables[1][0];
      (place == 0 ? o.p : place == 1 ? o.q : o.loss) = nan;
      const DistributionPair all = dominating_pair(tables, 0x1p-10);
      CHECK(std::ranges::any_of(all, [](const OutcomeMass& its) { return std::isnan(its.p); }));
      CHECK_THROWS(DiscretizedPairs(std::span(&all, 1), 0x1p-10));
    }
    CHECK(dominating_pair({}, 0x1p-10).empty());
    const Query one{table({0.25, 0.75}, {0.5, 0.5})};
    CHECK(dominating_pair(one, 0x1p-10).size() == 2);
  }

  TEST_CASE("a cover costs little where its tables are alike") {
    Random random(17);
    Query tables;
    for (int b = 0; b < 4; ++b) {
      const double p = 0.6 + 0.001 * b;
      tables.push_back(table({p, 1.0 - p}, {p - 0.02, 1.02 - p}));
    }
    const DistributionPair all = dominating_pair(tables, 0x1p-16);
    // The window of a long run stays as it is with them.
    PessimisticProfile many({0x1p-11, 1.0, 1e-9});
    PessimisticProfile many_covered({0x1p-11, 1.0, 1e-9});
    const DiscretizedPairs losses(tables, 0x1p-11);
    const DiscretizedPairs covered_losses(Query{all}, 0x1p-11);
    many.compose_query(losses, 0, 4, 2000);
    many_covered.compose_query(covered_losses, 0, 1, 2000);
    CHECK(many_covered.nodes() < many.nodes() * 1.05);
    std::vector<Query> exact(30, tables);
    std::vector<Query> covered(30, Query{all});
    const double epsilon = upper(exact, 0x1p-11).epsilon(1e-5);
    CHECK(upper(covered, 0x1p-11).epsilon(1e-5) >= epsilon);
    CHECK(upper(covered, 0x1p-11).epsilon(1e-5) < epsilon * 1.01);
  }

  TEST_CASE("a query several times, and some of its neighbours only") {
    Random random(18);
    Query query;
    for (int b = 0; b < 5; ++b) query.push_back(random_table(random, 4, 0.3));
    const DiscretizedPairs losses(query, 0x1p-9);
    PessimisticProfile at_once({0x1p-9, 4.0, 1e-9});
    at_once.compose_query(losses, 1, 3, 7);
    const std::vector<Query> some(7, Query{query[1], query[2]});
    PessimisticProfile one_by_one({0x1p-9, 4.0, 1e-9});
    for (const Query& its : some) one_by_one.compose_query(its);
    OptimisticProfile low(0x1p-12, -4.0, 4.0);
    low.append(query[1], 7);
    OptimisticProfile low_one_by_one(0x1p-12, -4.0, 4.0);
    for (int i = 0; i < 7; ++i) low_one_by_one.append(query[1]);
    PessimisticProfile same_neighbour({0x1p-9, 4.0, 1e-9});
    same_neighbour.compose_query(losses, 1, 2, 7);
    for (const double delta : {1e-2, 1e-5, 1e-8}) {
      CHECK(at_once.epsilon(delta) == one_by_one.epsilon(delta));
      CHECK(low.epsilon(delta) == low_one_by_one.epsilon(delta));
      CHECK(low.epsilon(delta) <= same_neighbour.epsilon(delta));
      CHECK(low.epsilon(delta) >= same_neighbour.epsilon(delta) * 0.95);
    }
    PessimisticProfile none({0x1p-9, 4.0, 1e-9});
    none.compose_query(losses, 2, 2, 5);
    CHECK(none.queries() == 0);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(DiscretizedPairs(Query{{{nan, 0.5, 0.0}}}, 0x1p-9), parameter_error);
    CHECK_THROWS_AS(DiscretizedPairs(Query{{{0.5, 0.5, nan}}}, 0x1p-9), parameter_error);
    CHECK_THROWS_AS(DiscretizedPairs(Query{{{1.5, 0.5, 0.0}}}, 0x1p-9), parameter_error);
    for (const double step : {0x1p-25, 0.0, 1.5, nan}) {
      CHECK_THROWS_AS(DiscretizedPairs(query, step), parameter_error);
      CHECK_THROWS_AS(PessimisticProfile({step, 4.0, 1e-9}), parameter_error);
    }
  }

  TEST_CASE("enumerations with 50 digits (oracles)" *
            doctest::skip(!pate::test::has_shared_votes())) {
    std::ifstream file(pate::test::source_file("../shared/oracles/profile.json"));
    const nlohmann::json oracle = nlohmann::json::parse(file);
    int rows = 0;
    for (const auto& row : oracle.at("cases")) {
      const std::string name = row.at("name");
      for (const bool reverse : {false, true}) {
        std::vector<Query> queries;
        for (const auto& query : row.at("queries")) {
          Query& its = queries.emplace_back();
          for (const auto& b : query) {
            its.push_back(
                table(b.at("P").get<std::vector<double>>(), b.at("Q").get<std::vector<double>>()));
            if (reverse) its.back() = reversed(std::move(its.back()));
          }
        }
        std::function<double(double)> start = [](double s) {
          return std::max(-std::expm1(-s), 0.0);
        };
        const bool has_start = !row.at("gaussian_mu").is_null();
        if (has_start) {
          const double mu = row.at("gaussian_mu");
          start = [mu](double s) {
            return normal_cdf(s / mu + mu / 2.0) - std::exp(-s) * normal_cdf(s / mu - mu / 2.0);
          };
        }
        PessimisticProfile coarse({0x1p-7, 12.0, 1e-24}, start);
        PessimisticProfile fine({0x1p-10, 12.0, 1e-24}, start);
        for (auto query = queries.rbegin(); query != queries.rend(); ++query) {
          coarse.compose_query(*query);
          fine.compose_query(*query);
        }
        OptimisticProfile low(1e-3, -20.0, 30.0);
        for (const Query& query : queries) {
          if (!query.empty()) low.append(query.front());
        }
        for (const auto& value : row.at("rows")) {
          if ((value.at("direction") == "reverse") != reverse) continue;
          const double epsilon = value.at("eps");
          INFO(name, " epsilon ", epsilon, " reverse ", reverse);
          const double adaptive =
              std::strtod(value.at("adaptive").get<std::string>().c_str(), nullptr);
          const double fixed = std::strtod(value.at("fixed").get<std::string>().c_str(), nullptr);
          CHECK(fine.delta(epsilon) >= adaptive * (1.0 - 1e-12));
          CHECK(coarse.delta(epsilon) >= fine.delta(epsilon) * (1.0 - 1e-9) - 1e-24);
          if (!has_start) CHECK(low.delta(epsilon) <= fixed * (1.0 + 1e-12) + 1e-300);
          ++rows;
        }
      }
    }
    CHECK(rows >= 100);
  }

  TEST_CASE("many small Gaussian-like queries approach the analytic Gaussian mechanism") {
    // 400 thresholds at zero, each seen with a shift of 0.05: nearly a Gaussian of shift
    // 20 * 0.05 * sqrt(2 / pi).
    const double p = normal_cdf(0.025);
    const Query query{table({p, 1.0 - p}, {1.0 - p, p})};
    PessimisticProfile profile({0x1p-10, 4.0, 1e-7});
    for (int i = 0; i < 400; ++i) profile.compose_query(query);
    const double mu = 20.0 * 0.05 * std::sqrt(2.0 / 3.14159265358979323846);
    for (const double epsilon : {0.5, 1.0, 2.0}) {
      const double gaussian = normal_cdf(mu / 2.0 - epsilon / mu) -
                              std::exp(epsilon) * normal_cdf(-mu / 2.0 - epsilon / mu);
      CHECK(relative_error(profile.delta(epsilon), gaussian) < 0.02);
    }
  }

  TEST_CASE("what lower profiles drop at their ends takes nothing that matters, and adds nothing") {
    const double p = normal_cdf(0.025);
    const auto query = table({p, 1.0 - p}, {1.0 - p, p});
    OptimisticProfile all(0x1p-10, -60.0, 60.0);
    OptimisticProfile some(0x1p-10, -60.0, 60.0, 1e-7);
    all.append(query, 2000);
    some.append(query, 2000);
    for (const double epsilon : {0.0, 0.5, 2.0, 6.0}) {
      CHECK(all.delta(epsilon) > 1e-7);
      CHECK(some.delta(epsilon) <= all.delta(epsilon));
      CHECK(some.delta(epsilon) >= all.delta(epsilon) * (1.0 - 1e-12));
    }
    CHECK_THROWS_AS(OptimisticProfile(0x1p-10, -1.0, 1.0, -1e-9), parameter_error);
    CHECK_THROWS_AS(OptimisticProfile(0x1p-10, -1.0, 1.0, std::numeric_limits<double>::quiet_NaN()),
                    parameter_error);
  }

  TEST_CASE("sums over nodes are those of a loop, to the bit, neighbouring terms or not") {
    Random random(61);
    for (int trial = 0; trial < 300; ++trial) {
      std::vector<double> values(400);
      for (double& value : values) value = random.uniform(0.0, 1.0);
      std::vector<std::vector<std::int32_t>> offsets(
          static_cast<std::size_t>(random.integer(1, 4)));
      std::vector<std::vector<double>> weights(offsets.size());
      std::vector<NodeTerms> tables;
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        for (std::int64_t t = random.integer(0, 9); t > 0; --t) {
          offsets[i].push_back(offsets[i].empty() || random.integer(0, 2) == 0
                                   ? static_cast<std::int32_t>(random.integer(-100, 100))
                                   : offsets[i].back() + 1);
          weights[i].push_back(random.uniform(0.0, 0.3));
        }
        tables.push_back(
            {offsets[i].data(), weights[i].data(), offsets[i].size(), random.uniform(0.0, 0.1)});
      }
      const double* const middle = values.data() + 150;
      const auto sum_at = [&](const NodeTerms& terms, std::size_t i) {
        double sum = terms.start;
        for (std::size_t t = 0; t < terms.size; ++t) {
          sum += terms.weights[t] * middle[static_cast<std::int64_t>(i) + terms.offsets[t]];
        }
        return sum;
      };
      std::array<double, kNodeBlock> one{};
      std::array<double, kNodeBlock> largest{};
      kernels().node_sums(middle, tables.front(), one.data());
      kernels().largest_sums(middle, tables.data(), tables.size(), largest.data());
      for (std::size_t i = 0; i < kNodeBlock; ++i) {
        CHECK(one[i] == sum_at(tables.front(), i));
        double most = 0.0;
        for (const NodeTerms& terms : tables) most = std::max(most, sum_at(terms, i));
        CHECK(largest[i] == std::min(most, 1.0));
      }
    }
  }

  TEST_CASE("another mechanism enters as the start") {
    const double mu = 0.7;
    const auto gaussian = [mu](double s) {
      return normal_cdf(s / mu + mu / 2.0) - std::exp(-s) * normal_cdf(s / mu - mu / 2.0);
    };
    const PessimisticProfile alone({0x1p-8, 6.0, 1e-6}, gaussian);
    for (const double epsilon : {0.0, 0.5, 2.0}) {
      CHECK(alone.delta(epsilon) >= gaussian(-epsilon) * (1.0 - 1e-12));
      CHECK(relative_error(alone.delta(epsilon), gaussian(-epsilon)) < 1e-3);
    }
  }

  TEST_CASE("nothing, sure things and the impossible") {
    PessimisticProfile nothing({0x1p-8, 4.0, 1e-5});
    CHECK(nothing.delta(0.0) == 0.0);
    CHECK(nothing.epsilon(1e-5) == 0.0);
    nothing.compose_query({});
    CHECK(nothing.queries() == 0);
    // The same on both: nothing is lost.
    const Query same{table({0.25, 0.75}, {0.25, 0.75})};
    CHECK(upper({same, same}, 0x1p-8, 1e-5).delta(0.0) < 1e-8);
    // What the neighbour never does tells all; what the votes never do tells nothing.
    const Query telling{table({0.1, 0.9, 0.0}, {0.0, 0.8, 0.2})};
    const PessimisticProfile told = upper({telling}, 0x1p-8, 1e-5);
    CHECK(told.delta(20.0) >= 0.1);
    CHECK(told.delta(20.0) < 0.1 + 1e-8);
    CHECK(told.epsilon(0.05) == kInfinity);
    OptimisticProfile low(0x1p-8, -4.0, 4.0);
    low.append(telling.front());
    CHECK(relative_error(low.delta(20.0), 0.1) < 1e-11);
    // Beyond doubles: a loss of 800 is as good as infinite.
    const Query far{{{1e-200, std::exp(-1000.0), 800.0}, {1.0, 1.0, 0.0}}};
    CHECK(upper({far}, 0x1p-8, 1e-5).delta(0.0) < 1e-8);
    CHECK_THROWS_AS(PessimisticProfile({0.0, 1.0, 1e-5}), parameter_error);
    CHECK_THROWS_AS(OptimisticProfile(-1.0, 0.0, 1.0), parameter_error);
  }

  TEST_CASE("a delta of 1e-15 is as accurate as one of 0.1") {
    Random random(15);
    std::vector<Query> queries;
    for (int i = 0; i < 4; ++i) queries.push_back({random_table(random, 3, 1.0)});
    const PessimisticProfile profile = upper(queries, 0x1p-11, 1e-16);
    double epsilon = 0.0;
    while (adaptive(queries, 0, 1.0L, std::exp(static_cast<Real>(epsilon))) > 1e-3L) {
      epsilon += 1e-3;
    }
    for (int i = 0; i < 2000; ++i, epsilon += 1e-3) {
      const auto exact =
          static_cast<double>(adaptive(queries, 0, 1.0L, std::exp(static_cast<Real>(epsilon))));
      CHECK(profile.delta(epsilon) >= exact * (1.0 - 1e-15));
      if (exact == 0.0) break;
    }
  }
}
