#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "pate/mechanisms/noisy_max.hpp"
#include "pate/mechanisms/stability_test.hpp"
#include "pate/mechanisms/threshold_check.hpp"
#include "pate/mechanisms/union_bound.hpp"

namespace pate {

/// How an ensemble answers one query: LNMax and GNMax (S17, S18) answer always; the Confident
/// aggregator (S18, Algorithm 1) checks the top count against a noisy threshold first; the
/// Interactive aggregator (S18, Algorithm 2) checks the top lead over the student instead; PTR
/// checks how far the plurality is from another one, and tells it without noise
/// (mechanisms/stability_test.hpp).
struct Aggregator {
  std::optional<ThresholdCheck> selection;
  NoisyMax noisy_max;
  bool interactive = false;
  /// PTR in its sparse form: the run ends with so many refusals.
  std::optional<std::int64_t> max_refusals = {};

  /// "lnmax", "gnmax", "confident", "interactive", "ptr" or, with Laplace noise, "ptr_laplace", in
  /// its sparse form "ptr_sparse".
  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] bool is_gaussian() const { return noisy_max.is_gaussian(); }
  [[nodiscard]] bool is_ptr() const { return noisy_max.is_ptr(); }
  [[nodiscard]] bool is_sparse_vector() const { return max_refusals.has_value(); }
  /// Whose costs are asked for; both steps have the same.
  [[nodiscard]] const Neighbours& neighbours() const { return noisy_max.neighbours; }

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const Aggregator&, const Aggregator&) = default;
};

/// The aggregator with costs for these neighbours.
[[nodiscard]] Aggregator protecting(Aggregator aggregator, const Neighbours& neighbours);

/// PTR with this noise and delta of a query (mechanisms/stability_test.hpp).
[[nodiscard]] Aggregator tested_plurality(TestNoise noise, double parameter, double delta);

/// PTR in its sparse form, with this epsilon and delta of a round, which ends with a refusal.
[[nodiscard]] Aggregator sparse_plurality(double epsilon, double delta, std::int64_t max_refusals);

/// Throws `parameter_error` for a parameter out of range, for a selection before Laplace noise, for
/// an interactive aggregator without a threshold, and for PTR without a test that keeps its delta.
void validate(const Aggregator& aggregator);

/// Throws `parameter_error` saying that `what` does not go with PTR, of a PTR.
void require_noisy_maximum(const Aggregator& aggregator, const char* what);

/// Throws `parameter_error` saying that `what` does not go with the sparse form of PTR, and why, of
/// one.
void require_not_sparse(const Aggregator& aggregator, const char* what, const char* why);

/// Pr[answered | v]; 1 without a selection; of the sparse form at the beginning of a round.
[[nodiscard]] double probability_answered(const Aggregator& aggregator, std::int64_t statistic);

/// Pr[answered] and Pr[refused] of queries in turn, computed where a statistic is not that of the
/// query before: canonical orders begin with it.
class AnswerProbabilities {
 public:
  struct Both {
    double answered = 1.0;
    double refused = 0.0;
  };
  /// The aggregator must outlive this.
  explicit AnswerProbabilities(const Aggregator& aggregator) : aggregator_(aggregator) {}
  const Both& of(std::int64_t statistic);

 private:
  const Aggregator& aggregator_;
  std::optional<std::int64_t> statistic_;
  Both both_;
};

/// Sensitivity in standard deviations of one answered query as a Gaussian mechanism, squared:
/// 2/sigma2^2, plus 1/sigma1^2 with a selection, and S^2 times as much for neighbours with S
/// teachers (1/sigma2^2 where they are added or removed); of PTR 1/sigma1^2. Gaussian noise only
/// (`parameter_error`).
[[nodiscard]] double squared_gaussian_sensitivity(const Aggregator& aggregator);

/// The smallest epsilon for which a query, or a round, is (epsilon, 0)-DP, of PTR but for its
/// delta; none where a step has Gaussian noise.
[[nodiscard]] std::optional<double> pure_epsilon(const Aggregator& aggregator);

}  // namespace pate
