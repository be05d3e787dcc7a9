#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pate/accounting/guarantee.hpp"
#include "pate/accounting/mechanism_counts.hpp"
#include "pate/accounting/names.hpp"
#include "pate/accounting/report.hpp"
#include "pate/studies/multilabel/label_agreement.hpp"
#include "pate/studies/multilabel/label_ballots.hpp"

namespace pate {

/// How a query gets several labels (Dziedzic et al. 2023). A teacher may change its whole ballot.
enum class LabelVoting {
  binary,    ///< a vote of two classes on every label, by GNMax
  tau,       ///< one Gaussian noise on each sum of scaled ballots (TauVote)
  powerset,  ///< one vote on all sets of labels, by GNMax
};
template <>
inline constexpr std::array<Named<LabelVoting>, 3> kNames<LabelVoting>{{
    {LabelVoting::binary, "binary"},
    {LabelVoting::tau, "tau"},
    {LabelVoting::powerset, "powerset"},
}};

/// One of them and its parameters.
struct LabelMechanism {
  LabelVoting voting = LabelVoting::binary;
  double sigma = 0.0;      ///< of the noise on every count or sum, in votes
  double positives = 0.0;  ///< T, of tau voting

  /// "binary", "tau:3", "powerset".
  [[nodiscard]] std::string called() const;
};

/// Reads "binary", "tau:T" or "powerset"; throws `parameter_error` quoting anything else.
[[nodiscard]] LabelMechanism parse_label_mechanism(std::string_view text);

/// What one of them costs and is worth.
struct MultilabelCosts {
  LabelMechanism mechanism;
  MechanismCounts steps;  ///< those of tau voting as noisy maxima of the same sensitivity
  /// Of one query, as a Gaussian mechanism, in standard deviations.
  double query_mu = 0.0;
  std::vector<CostEntry> costs;
  std::size_t headline = 0;                     ///< index in costs
  std::optional<std::vector<double>> teachers;  ///< epsilon of each, exactly, conversion optimal
  LabelAgreement agreement;
};

struct MultilabelSettings {
  std::vector<LabelMechanism> mechanisms;
  double delta = 0.0;
  bool exact = false;
  unsigned threads = 0;
};

struct MultilabelAnalysis {
  MultilabelSettings settings;
  std::int64_t teachers = 0;
  std::int64_t queries = 0;
  std::int64_t labels = 0;
  std::vector<MultilabelCosts> mechanisms;
  std::size_t cheapest = 0;  ///< with the smallest headline, the first of equal ones; private
  std::vector<Notice> notices;
};

/// What each mechanism would cost on these ballots and how far its answers agree with the majority.
/// Throws `parameter_error` without a mechanism, for parameters out of their domain and for sets of
/// more than kMaxSetLabels labels.
[[nodiscard]] MultilabelAnalysis analyze_multilabel(
    const std::shared_ptr<const LabelBallots>& ballots, const MultilabelSettings& settings);

/// The same from counts, which say enough of a vote on every label only: `parameter_error` for
/// another one.
[[nodiscard]] MultilabelAnalysis analyze_multilabel(
    const std::shared_ptr<const LabelCounts>& counts, const MultilabelSettings& settings);

/// What the headline promises where there is one mechanism; of several nothing: which of them is
/// used would be chosen by the votes.
[[nodiscard]] Guarantee guarantee_of(const MultilabelAnalysis& analysis);

}  // namespace pate
