#include "pate/studies/immutable_argmax/nzc_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>

#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/mechanism_counts.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/divergence/rdp/step_composition.hpp"
#include "pate/mechanisms/stability_test.hpp"
#include "pate/mechanisms/supports.hpp"
#include "pate/numerics/margin.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

constexpr std::int64_t kNzcRowsAtOnce = 4096;

// Reads the votes and counts what the report tells of them.
class NzcCounter {
 public:
  NzcCounter(NzcAnalysis& analysis, const std::optional<std::vector<std::int32_t>>& labels)
      : analysis_(analysis), labels_(labels) {
    for (std::int64_t gap = 0; gap <= analysis.teachers; ++gap) {
      overtakes_.push_back(std::exp(log_overtakes(analysis.mechanism, gap)));
    }
    analysis.queries_by_gap.resize(overtakes_.size());
    analysis.labels.resize(static_cast<std::size_t>(analysis.classes));
  }

  void add(std::span<const std::int32_t> counts, std::int64_t row) {
    const auto top = std::max_element(counts.begin(), counts.end());
    const auto winner = static_cast<std::int32_t>(top - counts.begin());
    std::int32_t second = 0;
    double failure = 0.0;
    for (auto j = counts.begin(); j != counts.end(); ++j) {
      if (j == top) continue;
      second = std::max(second, *j);
      failure += overtakes_[static_cast<std::size_t>(*top - *j)];
    }
    ++analysis_.queries_by_gap[static_cast<std::size_t>(*top - second)];
    ++analysis_.labels[static_cast<std::size_t>(winner)];
    ++distances_[votes_to_flip(counts)];
    failure_.add(std::min(failure, 1.0));
    if (labels_ && (*labels_)[static_cast<std::size_t>(row)] == winner) ++right_;
  }

  void finish() {
    const auto queries = static_cast<double>(analysis_.queries);
    analysis_.expected_failure = failure_.value() / queries;
    for (const auto& [distance, count] : distances_) {
      analysis_.distances.push_back({distance, count, {}});
    }
    if (!labels_) return;
    const double accuracy = static_cast<double>(right_) / queries;
    analysis_.utility = {accuracy, std::max(accuracy - analysis_.expected_failure, 0.0),
                         std::min(accuracy + analysis_.expected_failure, 1.0)};
  }

 private:
  NzcAnalysis& analysis_;
  const std::optional<std::vector<std::int32_t>>& labels_;
  std::vector<double> overtakes_;  // by gap
  std::map<std::int64_t, std::int64_t> distances_;
  CompensatedSum failure_;
  std::int64_t right_ = 0;
};

// The costs of the noise and the counts' global sensitivity, which is 1 + c.
void add_global_costs(NzcAnalysis& analysis) {
  const NoisyMax noise = noise_per_vote(analysis.mechanism);
  const NoisyStep step(noise, {});
  analysis.global_sensitivity = 1.0 + analysis.mechanism.constant;
  analysis.global_query =
      with_margin(step.is_gaussian() ? *step.squared_mu() / 2.0 : *step.pure_epsilon());
  MechanismCounts steps;
  steps.maxima[noise] = analysis.queries;
  std::vector<Notice> notices;
  analysis.global =
      data_independent_entries(steps, default_orders(), {analysis.settings.delta, false}, notices);
}

void add_smooth_costs(NzcAnalysis& analysis) {
  if (analysis.mechanism.noise.is_gaussian()) return;
  NzcSmoothCost cost;
  const auto queries = static_cast<double>(analysis.queries);
  const double each = 2.0 / analysis.mechanism.noise.parameter();
  cost.delta = analysis.settings.delta;
  cost.query_delta = cost.delta / 2.0 / queries * (1.0 - 1e-15);
  cost.beta = largest_beta(each, analysis.classes, cost.query_delta);
  cost.epsilon = with_margin(2.0 * each);
  cost.simple = with_margin(queries * cost.epsilon);
  cost.kov = composed_pure_dp_epsilon(cost.epsilon, analysis.queries, cost.delta / 2.0);
  for (NzcDistance& distance : analysis.distances) {
    distance.smooth_sensitivity =
        smooth_sensitivity(analysis.mechanism.constant, cost.beta, distance.votes_to_flip);
  }
  const double votes = 1.0 + std::ceil(std::log1p(analysis.mechanism.constant) / cost.beta);
  // What no ensemble has; the number need not be exact then.
  cost.least_distance = votes < 1e15 ? static_cast<std::int64_t>(votes) : std::int64_t{1} << 50;
  for (const NzcDistance& distance : analysis.distances) {
    if (distance.votes_to_flip >= cost.least_distance) cost.queries += distance.queries;
  }
  analysis.smooth = cost;
}

void add_claim(NzcAnalysis& analysis) {
  analysis.claimed_epsilon =
      authors_epsilon(analysis.mechanism, analysis.queries, analysis.settings.delta);
  analysis.boundary = boundary_loss(analysis.mechanism);
  if (!analysis.claimed_epsilon) {
    analysis.reason = fmt::format(
        "the authors compute no epsilon for Gaussian noise; one vote moves a count by up to 1 + c "
        "= {:.6g}, and one answer where two classes are a vote apart loses {:.6g}",
        analysis.global_sensitivity, analysis.boundary.loss);
    return;
  }
  analysis.claimed_query_epsilon = 2.0 / analysis.mechanism.noise.parameter();
  analysis.holds = analysis.mechanism.constant == 0.0;
  analysis.reason =
      analysis.holds
          ? "nothing is added to the plurality: this is LNMax, of which the claim is true"
          : fmt::format(
                "it takes one vote to move a count by at most 1, but it moves by up to 1 + "
                "c = {:.6g}: one answer where two classes are a vote apart loses {:.6g}, "
                "{} is claimed",
                analysis.global_sensitivity, analysis.boundary.loss,
                *analysis.claimed_query_epsilon);
}

void validate(const NzcSettings& settings) {
  validate_delta(settings.delta);
  require(settings.tau.has_value() != settings.constant.has_value(),
          "one of tau and the constant must be given");
  if (settings.tau)
    require(*settings.tau > 0.0 && *settings.tau < 1.0, "tau must be > 0 and < 1, got {}",
            *settings.tau);
}

}  // namespace

NzcAnalysis analyze_nzc(const VoteSource& votes, const RowSelection& rows,
                        const std::optional<std::vector<std::int32_t>>& labels,
                        const NzcSettings& settings) {
  validate(settings);
  validate(settings.noise);
  NzcAnalysis analysis;
  analysis.settings = settings;
  analysis.teachers = votes.teachers();
  analysis.classes = votes.classes();
  analysis.queries = rows.size();
  require(analysis.queries >= 1 && analysis.classes >= 2,
          "at least one query and two classes are needed, got {} and {}", analysis.queries,
          analysis.classes);
  analysis.mechanism = {settings.noise,
                        settings.constant
                            ? *settings.constant
                            : authors_constant(settings.noise, analysis.classes, *settings.tau)};
  validate(analysis.mechanism);
  NzcCounter counter(analysis, labels);
  std::vector<std::int32_t> counts;
  const auto width = static_cast<std::size_t>(analysis.classes);
  rows.for_each_range(
      0, rows.size(), [&](std::int64_t row, std::int64_t /*offset*/, std::int64_t count) {
        for (std::int64_t done = 0; done < count; done += kNzcRowsAtOnce) {
          const std::int64_t now = std::min(kNzcRowsAtOnce, count - done);
          counts.resize(width * static_cast<std::size_t>(now));
          votes.read(row + done, now, counts);
          for (std::int64_t i = 0; i < now; ++i) {
            counter.add(std::span(counts).subspan(static_cast<std::size_t>(i) * width, width),
                        row + done + i);
          }
        }
      });
  counter.finish();
  analysis.log_failure_at_tie = log_failure_at_tie(analysis.mechanism, analysis.classes);
  if (settings.tau) {
    analysis.sufficient_constant =
        sufficient_constant(settings.noise, analysis.classes, *settings.tau);
  }
  add_global_costs(analysis);
  add_smooth_costs(analysis);
  add_claim(analysis);
  analysis.notices.push_back(
      {"private_numbers",
       "what the report says of the votes is private; so is which share of them is at which "
       "distance, as one teacher may move every query"});
  if (!analysis.holds) analysis.notices.push_back({"claim_does_not_hold", analysis.reason});
  return analysis;
}

Guarantee guarantee_of(const NzcAnalysis& /*analysis*/) {
  return no_guarantee(
      "this report compares a claim with what holds and accounts for no run; labels with a "
      "guarantee are those of pate label.");
}

}  // namespace pate
