#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pate/divergence/exact/sampled_counts.hpp"

namespace pate {

// A probability that is summed up, and what is cancelled or left out of it.
struct SummedProbability {
  Extended value = 0;
  Extended size = 0;  // sum of the sizes of its terms
  Extended left_out = 0;

  void add(const Extended& term) {
    value += term;
    size += term < 0 ? Extended(-term) : term;
  }
};

// The outcomes of one histogram: of each group a class, of the changed one apart, and refused.
struct MixedOutcomes {
  std::vector<SummedProbability> classes;
  SummedProbability changed, refused;
};

// One vote more or less in a group; none: the votes themselves.
struct VoteChange {
  std::size_t group = 0;
  int by = 0;
};

// The outcomes of a query whose samples are drawn, of the votes and of all their neighbours with
// one vote more or less.
class SampleMixture {
 public:
  SampleMixture(const SampledQuery& query, const GroupedVotes& votes);

  [[nodiscard]] const std::vector<VoteChange>& changes() const { return all_; }
  [[nodiscard]] const std::vector<MixedOutcomes>& outcomes() const { return outcomes_; }

  void integrate();

  // Of a sum of terms >= 0, as a share of it.
  [[nodiscard]] double accuracy() const;

 private:
  [[nodiscard]] double classes() const;
  [[nodiscard]] const SampledCount& count(std::size_t group, int by) const {
    return counts_[3 * group + static_cast<std::size_t>(by + 1)];
  }
  void grow(std::int64_t m) {
    for (SampledCount& count : counts_) points_.add(m, count);
  }
  // Pr[no class has more than m in the sample].
  [[nodiscard]] Extended at_most(const VoteChange& change) const;

  // Adds `times` the probabilities of all answers where no class has more than m in the sample.
  void add(const Extended& times, bool also_left_out = false);

  void add_refused(const Extended& times, bool of_all);

  void integrate_checked();

  const SampledQuery& query_;
  const GroupedVotes& votes_;
  std::int32_t top_;
  NoisePoints points_;
  std::vector<SampledCount> counts_;  // of every group with a vote less, as it is, with a vote more
  std::vector<VoteChange> all_;
  std::vector<MixedOutcomes> outcomes_;
};

}  // namespace pate
