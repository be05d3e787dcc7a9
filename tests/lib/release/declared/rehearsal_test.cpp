#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "pate/release/declared/declared_run.hpp"
#include "support/curve_votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

DeclaredSettings small_settings(Certificate certificate, double epsilon) {
  DeclaredSettings settings;
  settings.question = curve_question(8, 2, 0.0);
  settings.budget = {epsilon, 1e-3, false};
  settings.queries = 6;
  settings.certificate = certificate;
  settings.threads = 1;
  return settings;
}

double pass_at(const DeclaredSettings& settings, const VoteProfile& votes, double epsilon) {
  DeclaredSettings at = settings;
  at.budget.epsilon = epsilon;
  const DeclaredMechanism mechanism(at);
  return mechanism.test().ladder().pass(mechanism.level(votes, CurveTableSource()));
}

}  // namespace

TEST_CASE("rehearsal: the level is the test's, and the smallest budgets are those that pass") {
  for (const Certificate certificate : {Certificate::renyi, Certificate::complex}) {
    const DeclaredSettings settings = small_settings(certificate, 3.0);
    const VoteProfile votes = favouring_votes(settings.question, 0.9, 6, 5);
    const DeclaredMechanism mechanism(settings);
    const DeclaredRehearsal rehearsal = rehearse(mechanism, votes, CurveTableSource());
    CHECK(rehearsal.level == mechanism.level(votes, CurveTableSource()));
    CHECK(rehearsal.levels == mechanism.test().ladder().last() + 1);
    CHECK(rehearsal.pass_probability == pass_at(settings, votes, 3.0));
    REQUIRE(rehearsal.smallest_epsilon.size() == 3);
    double before = 0.0;
    for (const auto& found : rehearsal.smallest_epsilon) {
      CAPTURE(found.first);
      REQUIRE(found.second);
      CHECK(*found.second >= before);
      before = *found.second;
      CHECK(pass_at(settings, votes, before) >= found.first);
      CHECK(pass_at(settings, votes, before - 1e-3) < found.first);
    }
  }
}

TEST_CASE("scaled costs are so many times as much, rounded up, by either certificate") {
  for (const Certificate certificate : {Certificate::renyi, Certificate::complex}) {
    const DeclaredSettings settings = small_settings(certificate, 3.0);
    const VoteProfile votes = favouring_votes(settings.question, 0.9, 6, 5);
    const RunCosts costs = DeclaredMechanism(settings).costs(votes, CurveTableSource());
    const auto units_of_all = [](const RunCosts& its) {
      if (const auto* const complex = std::get_if<CertifiedCosts>(&its)) {
        return complex->costs().units;
      }
      return std::get<CostsByOrder>(its);
    };
    const auto once = units_of_all(costs);
    CHECK(units_of_all(scaled(costs, 1.0)) == once);
    const auto more = units_of_all(scaled(costs, 2.3));
    REQUIRE(more.size() == once.size());
    for (std::size_t i = 0; i < once.size(); ++i) {
      REQUIRE(more[i].size() == once[i].size());
      bool is_scaled = true;
      for (std::size_t k = 0; k < once[i].size(); ++k) {
        const long double exact = 2.3L * static_cast<long double>(once[i][k]);
        const long double rounded_up = static_cast<long double>(more[i][k]) - exact;
        is_scaled = is_scaled && std::abs(rounded_up) < 1.0L + 1e-15L * std::abs(exact);
      }
      CHECK(is_scaled);
    }
    // The same queries twice.
    VoteProfile twice = votes;
    for (VoteProfile::Query& query : twice.distinct) query.count *= 2;
    twice.queries *= 2;
    DeclaredSettings of_twice = settings;
    of_twice.queries *= 2;
    CHECK(units_of_all(DeclaredMechanism(of_twice).costs(twice, CurveTableSource())) ==
          units_of_all(scaled(costs, 2.0)));
  }
}
