#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pate/mechanisms/mechanism.hpp"
#include "pate/mechanisms/sampling/bit_source.hpp"
#include "pate/mechanisms/sampling/exact_deviate.hpp"
#include "pate/mechanisms/sampling/largest_deviate.hpp"

namespace pate {

/// Noise that is `scale` times a deviate.
struct ScaledNoise {
  double scale;
  LargestDeviate::Law law;
  bool is_one = false;  ///< on the first of two counts alone, as a difference
};

/// Draws the noisy steps of a mechanism. Their outcomes have exactly the probabilities that are
/// analysed (threshold_check.hpp, outcomes.hpp): noise is an exact deviate, and comparisons look at
/// as many of its digits as they need. Nothing is decided on a rounded number; a comparison that
/// 2^15 digits leave open, with probability below 2^-30000, is an error instead of an answer.
class AnswerSampler {
 public:
  /// The source must outlive the sampler.
  AnswerSampler(const Mechanism& mechanism, BitSource& source);

  /// The threshold check, or stability test: whether v and its noise reach the threshold; of PTR's
  /// sparse form with the threshold's noise of the round. True, without drawing anything, where
  /// every query is answered.
  [[nodiscard]] bool answers(std::int64_t statistic);

  /// The answer: the class with the largest count after independent noise on every count, of PTR
  /// the plurality, without drawing anything. Throws `parameter_error` for no classes.
  ///
  /// Of 128 classes without a vote, or more, which one is the largest does not matter until it is
  /// the answer: the largest of their deviates is drawn (largest_deviate.hpp), and if it wins, each
  /// of them is the answer with the same probability.
  [[nodiscard]] std::size_t noisy_maximum(std::span<const std::int32_t> counts);
  /// The same of so many classes of which only `ids`, increasing, have votes: `counts`.
  [[nodiscard]] std::size_t noisy_maximum(std::span<const std::int32_t> ids,
                                          std::span<const std::int32_t> counts,
                                          std::int64_t classes);

 private:
  Mechanism mechanism_;
  std::optional<AnswerRule> rule_;
  BitSource& source_;
  std::optional<ScaledNoise> maximum_noise_;  // none of PTR
  std::optional<NoisyValue> round_;           // the threshold with its noise
  std::optional<LargestDeviate> largest_;

  [[nodiscard]] bool passes(const ThresholdCheck& check, std::int64_t statistic);
  [[nodiscard]] bool passes(const StabilityTest& test, std::int64_t statistic);
  // Whether v and that much of the noise reach the threshold.
  [[nodiscard]] bool reaches(std::int64_t statistic, double scale, ExactDeviate noise,
                             double threshold);

  // One that may win: a class, or all classes without a vote.
  struct Contestant {
    std::int64_t id;  // of the class, or kWithoutVote
    double count;
    ExactDeviate noise;
    double noisy, error;  // approximately, with how far off at most
  };
  static constexpr std::int64_t kWithoutVote = -1;
  void enter(std::int64_t id, double count, ExactDeviate noise);
  // The first of two classes, if its count with all the noise is above that of the second.
  std::size_t draw_difference(std::span<const std::int32_t> counts);
  [[nodiscard]] std::int64_t winner();
  // The noisy maximum of all classes drawn one by one, and of those with votes and the others as a
  // group.
  std::size_t draw_all(std::span<const std::int32_t> counts);
  std::size_t draw_voted(std::span<const std::int32_t> ids, std::span<const std::int32_t> counts,
                         std::int64_t without_vote);
  std::vector<Contestant> contestants_;
  std::vector<std::int32_t> ids_, counts_;  // of those with votes
};

}  // namespace pate
