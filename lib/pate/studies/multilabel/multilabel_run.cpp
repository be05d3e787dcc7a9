#include "pate/studies/multilabel/multilabel_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pate/accounting/account.hpp"
#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/headline.hpp"
#include "pate/accounting/run.hpp"
#include "pate/base/error.hpp"
#include "pate/base/read_double.hpp"
#include "pate/mechanisms/aggregator.hpp"
#include "pate/studies/multilabel/ballot_doubts.hpp"
#include "pate/studies/multilabel/tau_account.hpp"

namespace pate {

namespace {

// What of the notices of a run bears on its numbers, by what the mechanism is called.
void take_notices(const std::string& called, const std::vector<Notice>& from,
                  std::vector<Notice>& notices) {
  for (const Notice& notice : from) {
    // What is said of one headline is said of all of them at the end.
    const bool is_said = notice.code == "exact_private" || notice.code == "private_number" ||
                         notice.code == "which_to_publish" || notice.code == "any_votes_smaller";
    if (!is_said) notices.push_back({notice.code, fmt::format("{}: {}", called, notice.message)});
  }
}

// A vote of classes on each of the queries of `votes`, as any other run.
void account_votes(const VoteSource& votes, const MultilabelSettings& settings,
                   MultilabelCosts& result, std::vector<Notice>& notices) {
  const Aggregator gnmax{.selection = {},
                         .noisy_max = NoisyMax{GaussianNoisyMax{result.mechanism.sigma}}};
  const Run run{.votes = votes,
                .rows = RowSelection::all(votes.queries()),
                .aggregator = gnmax,
                .neighbours = {},
                .decisions = {},
                .labels = {}};
  AccountSettings wanted;
  wanted.delta = settings.delta;
  wanted.models = {Bound::tradeoff};
  if (settings.exact) wanted.models.insert(Bound::exact);
  wanted.threads = settings.threads;
  Account costs = account(run, wanted);
  result.steps = costs.steps;
  result.costs = std::move(costs.costs);
  // What is told is for comparison with tau voting, of which there are promises only.
  std::erase_if(result.costs, [](const CostEntry& cost) { return cost.promise != Promise::fixed; });
  if (costs.per_teacher) result.teachers = std::move(costs.per_teacher->epsilon);
  take_notices(result.mechanism.called(), costs.notices, notices);
}

void account_tau(const LabelBallots& ballots, const MultilabelSettings& settings,
                 MultilabelCosts& result, std::vector<Notice>& notices) {
  const TauVote vote{result.mechanism.positives, result.mechanism.sigma};
  std::vector<Notice> of_tau;
  TauAccount costs =
      account_tau(vote, ballots, settings.delta, settings.exact, settings.threads, of_tau);
  result.steps = std::move(costs.steps);
  result.costs = std::move(costs.costs);
  result.teachers = std::move(costs.teachers);
  take_notices(result.mechanism.called(), of_tau, notices);
}

MultilabelCosts costs_of(const LabelMechanism& mechanism,
                         const std::shared_ptr<const LabelBallots>& ballots,
                         const std::shared_ptr<const LabelCounts>& counts,
                         MultilabelAnalysis& analysis) {
  const MultilabelSettings& settings = analysis.settings;
  MultilabelCosts result;
  result.mechanism = mechanism;
  const GaussianNoisyMax noise{mechanism.sigma};
  if (mechanism.voting != LabelVoting::binary && !ballots) {
    throw parameter_error(fmt::format(
        "{} needs to know which labels each teacher gave together: predictions (teachers x queries "
        "x labels), not counts",
        mechanism.called()));
  }
  switch (mechanism.voting) {
    case LabelVoting::binary:
      validate(noise);
      if (ballots) {
        account_votes(*votes_of(ballots, BallotClasses::labels), settings, result,
                      analysis.notices);
      } else {
        account_votes(*votes_of(counts), settings, result, analysis.notices);
      }
      result.agreement = binary_agreement(noise, *counts);
      break;
    case LabelVoting::tau: {
      const TauVote vote{mechanism.positives, mechanism.sigma};
      account_tau(*ballots, settings, result, analysis.notices);
      result.agreement = tau_agreement(vote, *ballots, *counts, settings.threads);
      break;
    }
    case LabelVoting::powerset:
      validate(noise);
      account_votes(*votes_of(ballots, BallotClasses::sets), settings, result, analysis.notices);
      result.agreement = powerset_agreement(noise, *ballots, *counts, settings.threads);
      break;
  }
  result.query_mu = std::sqrt(*result.steps.squared_mu() / static_cast<double>(counts->queries()));
  result.headline = headline_of(result.costs, {});
  return result;
}

MultilabelAnalysis analyze(const std::shared_ptr<const LabelBallots>& ballots,
                           const std::shared_ptr<const LabelCounts>& counts,
                           const MultilabelSettings& settings) {
  if (settings.mechanisms.empty()) throw parameter_error("at least one mechanism is needed");
  if (counts->queries() < 1) throw parameter_error("at least one query is needed, got none");
  MultilabelAnalysis analysis;
  analysis.settings = settings;
  analysis.teachers = counts->teachers();
  analysis.queries = counts->queries();
  analysis.labels = counts->labels();
  if (ballots) analysis.notices = ballot_doubts(*ballots, *counts);
  for (const LabelMechanism& mechanism : settings.mechanisms) {
    analysis.mechanisms.push_back(costs_of(mechanism, ballots, counts, analysis));
    const auto epsilon = [&](std::size_t i) {
      const MultilabelCosts& of = analysis.mechanisms[i];
      return of.costs[of.headline].epsilon;
    };
    const std::size_t last = analysis.mechanisms.size() - 1;
    if (epsilon(last) < epsilon(analysis.cheapest)) analysis.cheapest = last;
  }
  analysis.notices.push_back(
      {"private_numbers",
       "costs that depend on the votes, agreements, and which mechanism is the cheapest are "
       "private: what is used must be chosen without looking at these votes, or by what is "
       "data_independent"});
  return analysis;
}

}  // namespace

std::string LabelMechanism::called() const {
  return voting == LabelVoting::tau ? fmt::format("tau:{}", positives) : std::string(name(voting));
}

LabelMechanism parse_label_mechanism(std::string_view text) {
  LabelMechanism result;
  const std::size_t colon = text.find(':');
  const auto voting = value_named<LabelVoting>(text.substr(0, colon));
  const bool has_number = colon != std::string_view::npos;
  if (voting && has_number == (*voting == LabelVoting::tau)) {
    result.voting = *voting;
    if (!has_number) return result;
    const std::string_view number = text.substr(colon + 1);
    const auto [end, error] =
        read_double(number.data(), number.data() + number.size(), result.positives);
    if (error == std::errc{} && end == number.data() + number.size() && result.positives > 0.0 &&
        std::isfinite(result.positives)) {
      return result;
    }
  }
  throw parameter_error(
      fmt::format("a mechanism must be binary, tau:T with a T > 0, or powerset, got '{}'", text));
}

MultilabelAnalysis analyze_multilabel(const std::shared_ptr<const LabelBallots>& ballots,
                                      const MultilabelSettings& settings) {
  const auto counts = std::make_shared<const LabelCounts>(*ballots);
  return analyze(ballots, counts, settings);
}

MultilabelAnalysis analyze_multilabel(const std::shared_ptr<const LabelCounts>& counts,
                                      const MultilabelSettings& settings) {
  return analyze(nullptr, counts, settings);
}

Guarantee guarantee_of(const MultilabelAnalysis& analysis) {
  if (analysis.mechanisms.size() != 1) {
    return no_guarantee(
        "this report compares mechanisms, and which of them is used would be chosen by the votes; "
        "of one mechanism alone it says what that promises.");
  }
  const MultilabelCosts& only = analysis.mechanisms.front();
  Guarantee result = guarantee_of(only.costs[only.headline], "the answers of this run");
  result.may_differ =
      "which labels one teacher gives, all of them, on all queries; D are the votes, D' any that "
      "differ from them so";
  return result;
}

}  // namespace pate
