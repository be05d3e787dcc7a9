#pragma once

#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/complex/complex_orders.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/release/curve/curve_release.hpp"
#include "pate/release/declared/certificate_kind.hpp"
#include "pate/release/declared/complex_test.hpp"
#include "pate/release/declared/declared_test.hpp"
#include "pate/release/sensitivity/vote_profile.hpp"

namespace pate {

/// Whether there are complex moments by key for a run: Gaussian noise of at least a sixtieth of the
/// teachers, no student, 2,000 teachers at most (above 400 by two keys, in minutes), costs that
/// count every query of a list fixed beforehand, and neighbours with one teacher that votes
/// otherwise. Public.
[[nodiscard]] bool has_complex_moments(const CostSpec& question);

/// The certificate where none is asked for: complex where there is one up to 400 teachers, else
/// renyi.
[[nodiscard]] Certificate default_certificate(const CostSpec& question);

/// Throws `parameter_error` for a certificate that there is not for the run.
void check_certificate(Certificate certificate, const CostSpec& question);

/// Which orders a certificate has, as far as it depends on the run: a function of what is public.
struct CertificateRule {
  // NOLINTNEXTLINE(google-explicit-constructor): a certificate alone is the rule without a limit.
  CertificateRule(Certificate its, double largest = kInfinity)
      : certificate(its), most_real(largest) {}

  Certificate certificate;
  /// Real parts of complex orders are at most this: beyond there are no tables.
  double most_real;
};
/// The rule of a run; `asked`: what was asked for, none: `default_certificate`. Throws as
/// `check_certificate`.
[[nodiscard]] CertificateRule certificate_rule(const std::optional<Certificate>& asked,
                                               const CostSpec& question);

/// Where a certificate looks at the costs of a run.
using TestOrders = std::variant<std::vector<double>, ComplexOrders>;

/// The orders for an epsilon, and for which others they serve: a function of the rule, epsilon and
/// delta alone, all of which are public beforehand. Renyi orders are those of
/// `declared_order_tables`. Complex ones are those of `complex_orders` at the middle of a cell of
/// epsilon, and cells are a factor of 2^(1/4) wide: so tables that are kept serve for all of a
/// cell.
struct OrderCell {
  double from = 0.0;
  double below = 0.0;
  TestOrders orders;
};
[[nodiscard]] OrderCell order_cell(const CertificateRule& rule, double epsilon, double delta);

/// The costs of a run within d teachers, d = 0 .. M, at the orders of a certificate.
using RunCosts = std::variant<CostsByOrder, CertifiedCosts>;

/// Those of some runs of the same aggregator, each at the orders, from tables of `source`; whatever
/// the order of `question`. Private.
///
/// distances: how many are wanted (`CostsWithinDistance::upper`, `complex_costs`). A test looks at
/// those up to the number of its levels: with `enough_distances` it says the same.
[[nodiscard]] std::vector<RunCosts> run_costs(
    const CostSpec& question, std::span<const VoteProfile> runs, const TestOrders& orders,
    const CurveTableSource& source, unsigned threads, const ProgressCallback& progress = {},
    std::size_t distances = CostsWithinDistance::kAllDistances);

/// So many distances suffice for the test of the budget, and for those of larger epsilons: of the
/// probabilities of passing p_0 is the same and p_(j+1) rises with p_j and falls with epsilon, so
/// that they reach delta sooner.
[[nodiscard]] std::size_t enough_distances(const DeclaredBudget& budget);
[[nodiscard]] std::size_t enough_distances(const PassLadder& ladder);

/// Costs of so many times as many queries like these, rounded up: an estimate of a run that nobody
/// asked.
[[nodiscard]] RunCosts scaled(const RunCosts& costs, double times);

/// An epsilon that the run itself keeps at delta: no test at these costs passes at less.
[[nodiscard]] double epsilon_at(const RunCosts& costs, const TestOrders& orders, double delta);

}  // namespace pate
