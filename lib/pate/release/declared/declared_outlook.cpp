#include "pate/release/declared/declared_outlook.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "pate/mechanisms/threshold_check.hpp"
#include "pate/numerics/bisect.hpp"
#include "pate/release/curve/synthetic_votes.hpp"

namespace pate {

namespace {

constexpr std::array kOutlookPasses{0.9, 0.99};
// More queries than a budget of use allows, and units hold.
constexpr std::int64_t kMostOutlookQueries = 1'000'000;

VoteProfile outlook_votes(const CostSpec& question,
                          const std::map<SyntheticHistogram, std::int64_t>& votes) {
  VoteProfile result;
  result.aggregator = question.aggregator;
  result.neighbours = question.neighbours;
  result.teachers = question.teachers;
  result.classes = question.classes;
  for (const auto& [counts, count] : votes) {
    VoteProfile::Query query;
    query.statistic = question.aggregator.selection ? counts.front() : 0;
    query.count = count;
    result.add(query, counts);
    result.queries += count;
  }
  return result;
}

double outlook_answered(const VoteProfile& votes) {
  if (!votes.aggregator.selection) return 1.0;
  double sum = 0.0;
  for (const VoteProfile::Query& query : votes.distinct) {
    sum += static_cast<double>(query.count) *
           std::exp(log_answered(*votes.aggregator.selection, query.statistic));
  }
  return sum / static_cast<double>(votes.queries);
}

// The pass probability of so many queries like those that were looked at.
class PassByQueries {
 public:
  PassByQueries(const BudgetTest& test, RunCosts costs, std::int64_t looked_at)
      : test_(test), costs_(std::move(costs)), looked_at_(static_cast<double>(looked_at)) {}

  [[nodiscard]] double operator()(std::int64_t queries) const {
    const double times = static_cast<double>(queries) / looked_at_;
    return test_.ladder().pass(test_.level(scaled(costs_, times)));
  }

  [[nodiscard]] std::optional<std::int64_t> most(double pass) const {
    const std::int64_t passes =
        bisect(std::int64_t{0}, kMostOutlookQueries + 1,
               [&](std::int64_t queries) { return (*this)(queries) >= pass; });
    return passes > 0 ? std::optional(passes) : std::nullopt;
  }

 private:
  const BudgetTest& test_;
  RunCosts costs_;
  double looked_at_;
};

}  // namespace

std::vector<ConsensusOutlook> declared_outlook(const DeclaredMechanism& mechanism,
                                               const CurveTableSource& source,
                                               const ProgressCallback& progress) {
  const DeclaredSettings& settings = mechanism.settings();
  const BudgetTest& test = mechanism.test();
  std::vector<VoteProfile> votes;
  for (const double least : kMinTopShares) {
    votes.push_back(outlook_votes(
        settings.question, synthetic_votes(settings.question.teachers, settings.question.classes,
                                           least, kOutlookHistograms)));
  }
  std::vector<RunCosts> costs =
      run_costs(settings.question, votes, test.orders(), source, settings.threads, progress,
                enough_distances(settings.budget));
  std::vector<ConsensusOutlook> result;
  for (std::size_t i = 0; i < votes.size(); ++i) {
    const PassByQueries pass(test, std::move(costs[i]), kOutlookHistograms);
    ConsensusOutlook& outlook = result.emplace_back();
    outlook.least_top_share = kMinTopShares[i];
    outlook.answered = outlook_answered(votes[i]);
    for (const std::int64_t queries :
         {settings.queries / 4, settings.queries / 2, settings.queries, 2 * settings.queries}) {
      if (queries < 1) continue;
      outlook.by_queries.push_back(
          {queries, pass(queries), outlook.answered * static_cast<double>(queries)});
    }
    for (const double probability : kOutlookPasses) {
      outlook.most_queries.emplace_back(probability, pass.most(probability));
    }
  }
  return result;
}

}  // namespace pate
