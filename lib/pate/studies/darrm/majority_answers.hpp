#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pate/mechanisms/sampling/bit_source.hpp"
#include "pate/studies/darrm/majority_run.hpp"

namespace pate {

/// One answer to `ones` votes of K, exactly of the distribution that is certified: the values of
/// gamma are compared digit by digit with fair bits, and double subsampling draws its teachers.
[[nodiscard]] std::int32_t draw_answer(const MajorityPlan& plan, std::int64_t ones,
                                       BitSource& source);

/// How answers to real votes agree with their majority. Private, as the votes are.
struct MajorityVotes {
  std::vector<std::int64_t> queries_by_ones;     ///< l = 0 .. K
  double agreement = 0.0;                        ///< expected, of all answers; 1/2 for a tie
  double agreement_sd = 0.0;                     ///< of it, over the coins
  std::optional<double> accuracy = {};           ///< expected share of right answers, with labels
  std::optional<double> accuracy_sd = {};        ///< of it, over the coins
  std::optional<double> majority_accuracy = {};  ///< of the majority itself; 1/2 for a tie
};
[[nodiscard]] MajorityVotes expected_agreement(const MajorityPlan& plan,
                                               std::vector<std::int64_t> queries_by_ones);

/// And how right they are: `labels` are the true classes, 0 or 1, of queries with so many `ones`;
/// as many of each. Throws `parameter_error` for others.
void add_accuracy(const MajorityPlan& plan, std::span<const std::int32_t> ones,
                  std::span<const std::int32_t> labels, MajorityVotes& votes);

}  // namespace pate
