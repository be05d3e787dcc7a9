#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "pate/mechanisms/aggregator.hpp"
#include "pate/mechanisms/answer_table.hpp"
#include "pate/mechanisms/stability_test.hpp"

namespace pate {

/// What answers the queries of a run: an aggregator with a noisy maximum, or PTR. It cannot be
/// invalid: an aggregator that is, throws `parameter_error` when it becomes one.
class Mechanism {
 public:
  /// To be assigned to: GNMax without any noise, whose costs are infinite.
  Mechanism() = default;
  // NOLINTBEGIN(google-explicit-constructor): each of them is one.
  Mechanism(const Aggregator& aggregator);
  Mechanism(const StabilityTest& test) : which_(test) {}
  // NOLINTEND(google-explicit-constructor)

  /// The name of the aggregator or of the test.
  [[nodiscard]] std::string_view name() const;
  /// PTR, or null.
  [[nodiscard]] const StabilityTest* ptr() const { return std::get_if<StabilityTest>(&which_); }
  /// PTR in its sparse form, or null.
  [[nodiscard]] const StabilityTest* sparse() const;
  /// The aggregator, or null of PTR.
  [[nodiscard]] const Aggregator* aggregator() const { return std::get_if<Aggregator>(&which_); }
  /// The aggregator; throws `parameter_error` of PTR.
  [[nodiscard]] const Aggregator& noisy() const;

  /// Whether there is a noisy maximum, and it has Gaussian noise.
  [[nodiscard]] bool is_gaussian() const { return aggregator() && aggregator()->is_gaussian(); }
  [[nodiscard]] bool interactive() const { return aggregator() && aggregator()->interactive; }
  /// What decides whether a query is answered; none where all are.
  [[nodiscard]] std::optional<AnswerRule> answer_rule() const;
  /// Whether queries may be refused.
  [[nodiscard]] bool refuses() const { return !aggregator() || aggregator()->selection; }

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const Mechanism&, const Mechanism&) = default;

 private:
  std::variant<Aggregator, StabilityTest> which_;
};

/// What costs are asked for: a mechanism, and between whom.
struct CostedMechanism {
  Mechanism mechanism;
  Neighbours neighbours;

  friend bool operator==(const CostedMechanism&, const CostedMechanism&) = default;
};

/// Pr[answered | v]; 1 without a selection; of the sparse form at the beginning of a round.
[[nodiscard]] double probability_answered(const Mechanism& mechanism, std::int64_t statistic);

/// Pr[answered] and Pr[refused] of queries in turn, computed where a statistic is not that of the
/// query before: canonical orders begin with it.
class AnswerProbabilities {
 public:
  struct Both {
    double answered = 1.0;
    double refused = 0.0;
  };
  explicit AnswerProbabilities(const Mechanism& mechanism) : rule_(mechanism.answer_rule()) {}
  const Both& of(std::int64_t statistic);

 private:
  std::optional<AnswerRule> rule_;
  std::optional<std::int64_t> statistic_;
  Both both_;
};

/// Sensitivity in standard deviations of one answered query as a Gaussian mechanism, squared:
/// 2/sigma2^2, plus 1/sigma1^2 with a selection, and S^2 times as much for neighbours with S
/// teachers (1/sigma2^2 where they are added or removed); of PTR 1/sigma1^2. Gaussian noise only
/// (`parameter_error`).
[[nodiscard]] double squared_gaussian_sensitivity(const Mechanism& mechanism,
                                                  const Neighbours& neighbours);

/// The smallest epsilon for which a query, or a round, is (epsilon, 0)-DP, of PTR but for its
/// delta; none where a step has Gaussian noise.
[[nodiscard]] std::optional<double> pure_epsilon(const Mechanism& mechanism,
                                                 const Neighbours& neighbours);

}  // namespace pate
