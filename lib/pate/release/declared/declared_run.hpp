#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pate/release/curve/curve_release.hpp"
#include "pate/release/declared/budget_test.hpp"
#include "pate/release/sensitivity/vote_profile.hpp"

namespace pate {

/// A run whose budget is declared beforehand, before it sees votes. All of it is public.
struct DeclaredSettings {
  CostSpec question;  ///< whatever its order; reading `joint`
  DeclaredBudget budget;
  std::int64_t queries = 0;
  /// With `budget.has_fallback`: after a failed test so many queries, the first of the list, are
  /// answered with what is left, whatever the votes.
  std::int64_t fallback_queries = 0;
  std::optional<Certificate> certificate = {};  ///< unset: `default_certificate`
  unsigned threads = 0;                         ///< changes no bit
};

/// The smallest epsilon that so many queries of an aggregator cost whatever the votes, all of them
/// answered.
[[nodiscard]] double epsilon_for_any_votes(const Aggregator& aggregator,
                                           const Neighbours& neighbours, std::int64_t queries,
                                           double delta);

/// The most queries, up to `most`, that cost at most epsilon whatever the votes.
[[nodiscard]] std::int64_t most_queries_for_any_votes(const Aggregator& aggregator,
                                                      const Neighbours& neighbours,
                                                      std::int64_t most, double epsilon,
                                                      double delta);

/// Settings that can be kept, and the test they lead to.
class DeclaredMechanism {
 public:
  /// No run is tested that could not pass with this probability if it cost nothing.
  static constexpr double kHopeless = 0.5;

  /// Throws `parameter_error` for settings out of range and for a certificate that there is not for
  /// the run, and `validity_error` for a run that is hopeless whatever the votes, or whose fallback
  /// costs more than what is kept for it: from public inputs alone.
  explicit DeclaredMechanism(const DeclaredSettings& settings);

  [[nodiscard]] const DeclaredSettings& settings() const { return settings_; }
  [[nodiscard]] const CertificateRule& rule() const { return rule_; }
  [[nodiscard]] const BudgetTest& test() const { return test_; }

  /// The costs of the run at the orders of its test, or others, from tables of `source`. Private.
  [[nodiscard]] RunCosts costs(const VoteProfile& votes, const CurveTableSource& source) const {
    return costs(votes, test_.orders(), source, CostsWithinDistance::kAllDistances);
  }
  /// The same within so many distances only.
  [[nodiscard]] RunCosts costs(const VoteProfile& votes, const TestOrders& orders,
                               const CurveTableSource& source, std::size_t distances,
                               const ProgressCallback& progress = {}) const;

  /// The level of the run. Private.
  [[nodiscard]] std::size_t level(const VoteProfile& votes, const CurveTableSource& source) const {
    return test_.level(costs(votes, test_.orders(), source, enough_distances(settings_.budget)));
  }

  /// Tosses the coin of a level: whether the test passes. That costs (epsilon, delta), whatever
  /// comes out.
  [[nodiscard]] bool passes(std::size_t level, BitSource& source) const {
    return test_.ladder().toss(level, source);
  }

 private:
  DeclaredSettings settings_;
  CertificateRule rule_;
  BudgetTest test_;
};

/// What a rehearsal tells of a run: private, all of it.
struct DeclaredRehearsal {
  std::size_t level = 0;
  std::size_t levels = 0;  ///< with the last
  double pass_probability = 0.0;
  /// Probabilities, and the smallest epsilon at which the run passes with each.
  std::vector<std::pair<double, std::optional<double>>> smallest_epsilon;
};

[[nodiscard]] DeclaredRehearsal rehearse(const DeclaredMechanism& mechanism,
                                         const VoteProfile& votes, const CurveTableSource& source);

}  // namespace pate
