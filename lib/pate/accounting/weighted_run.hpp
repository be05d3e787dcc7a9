#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/accounting/run.hpp"
#include "pate/mechanisms/aggregator.hpp"
#include "pate/votes/weighted_votes.hpp"

namespace pate {

/// What a threshold is compared with is tabulated for every number of units: there are no more.
inline constexpr std::int64_t kMaxThresholdUnits = 10'000'000;

/// What there is with a threshold: throws `parameter_error` for more than kMaxThresholdUnits units.
void require_few_units(const TeacherWeights& weights);

/// The mechanism in votes of so many of the units that it is told in: noise divided by them and
/// rounded down, as less noise costs more, the threshold within a rounding.
[[nodiscard]] Aggregator in_votes_of(const Aggregator& aggregator, double units);

/// What a teacher of so many units pays, where `in_units` has noise and threshold in units.
[[nodiscard]] CostedMechanism paid_by(const Aggregator& in_units, std::int64_t units);

/// A run whose votes count by the weights of their teachers (Boenisch et al., "Individualized
/// PATE", 2023: weighting), in whole units of weight.
///
/// A vote of w units that moves changes two counts by w: divided by w the counts change by one and
/// the noise is `noise / w`, so that the answer is what a noisy maximum with that noise gives for
/// one vote that moves. With a threshold check, whose statistic is the largest count, a vote of w
/// units is no more than w votes that move.
class WeightedRun {
 public:
  /// `run` has its noise and threshold in votes of weight 1 and `predictions` for votes, which must
  /// outlive this. Throws `parameter_error` as `require_few_units` does, and where `supports` says
  /// so.
  WeightedRun(const Run& run, const PredictionVotes& predictions, const TeacherWeights& weights);
  WeightedRun(const WeightedRun&) = delete;
  WeightedRun& operator=(const WeightedRun&) = delete;
  WeightedRun(WeightedRun&&) = delete;
  WeightedRun& operator=(WeightedRun&&) = delete;
  ~WeightedRun() = default;

  /// The run as it is drawn and read: counts, noise and threshold in units, noise rounded down.
  [[nodiscard]] const Run& in_units() const { return run_; }
  [[nodiscard]] const TeacherWeights& weights() const { return votes_.weights(); }
  [[nodiscard]] const PredictionVotes& predictions() const { return votes_.predictions(); }

  /// What a teacher of so many units pays: `pate::paid_by`.
  [[nodiscard]] CostedMechanism paid_by(std::int64_t units) const;
  /// Tells an account of `paid_by(units)` in votes of such a teacher, one of which moves, with the
  /// steps that its queries have.
  void tell_in_votes_of(std::int64_t units, Account& account) const;
  /// The teachers of every number of units, increasing.
  [[nodiscard]] std::map<std::int64_t, std::vector<std::uint32_t>> teachers() const;

 private:
  WeightedVotes votes_;
  Run run_;
};

/// The smallest fixed epsilon of an account, or of costs, under a bound; none where there is none.
[[nodiscard]] std::optional<double> smallest_fixed(const Account& account, Bound bound);
[[nodiscard]] std::optional<double> smallest_fixed(std::span<const CostEntry> costs, Bound bound);

}  // namespace pate
