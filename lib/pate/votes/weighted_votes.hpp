#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pate/votes/vote_source.hpp"

namespace pate {

/// How much the vote of each teacher counts, in whole multiples of one unit.
struct TeacherWeights {
  std::vector<std::int64_t> units;  ///< by teacher, >= 1, without a common divisor
  double unit = 1.0;                ///< one of them as a weight

  [[nodiscard]] std::int64_t heaviest() const;
  [[nodiscard]] std::int64_t total() const;
  /// So many of the units as a weight: the double nearest to its decimals.
  [[nodiscard]] double weight_of(std::int64_t of_units) const;
};

/// Reads decimals: "1", "0.5", "2.25", "5.000e-01", one a teacher; they become whole multiples of
/// their greatest common divisor. One of more digits that is read as the same double as a multiple
/// of 1e-6, as numpy writes 0.1 ("1.00000000000000005551e-01"), is that multiple: votes that were
/// counted in doubles were counted by the same weight. `name` is what to call them in messages, in
/// which they are numbered from 1. Throws `input_error` for none, for one that is no such number or
/// not above 0, and where all together are more than 2^31 - 1 units.
[[nodiscard]] TeacherWeights parse_weights(std::span<const std::string> texts,
                                           const std::string& name);

/// Adds the votes of teachers, each for the class of its id, to the counts of a histogram in units.
void add_votes(std::span<const std::int32_t> ids, std::span<const std::int64_t> units,
               std::span<std::int32_t> histogram);

/// Votes that count by the weight of their teacher: histograms in units. What `teachers()` says is
/// how many units all teachers have.
class WeightedVotes final : public VoteSource {
 public:
  /// `votes` must outlive this. Throws `parameter_error` unless there is a weight for each teacher,
  /// and where teachers that abstain are left out.
  WeightedVotes(const PredictionVotes& votes, TeacherWeights weights);

  [[nodiscard]] const std::string& name() const override { return votes_.name(); }
  [[nodiscard]] std::int64_t queries() const override { return votes_.queries(); }
  [[nodiscard]] std::int64_t classes() const override { return votes_.classes(); }
  [[nodiscard]] std::int64_t teachers() const override {
    return queries() == 0 ? 0 : weights_.total();
  }
  void read(std::int64_t first, std::int64_t count, std::span<std::int32_t> out) const override;

  [[nodiscard]] const PredictionVotes& predictions() const { return votes_; }
  [[nodiscard]] const TeacherWeights& weights() const { return weights_; }

 private:
  const PredictionVotes& votes_;
  TeacherWeights weights_;
};

}  // namespace pate
