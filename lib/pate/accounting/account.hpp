#pragma once

#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/accounting/report.hpp"
#include "pate/accounting/run.hpp"
#include "pate/base/parallel/parallel_for.hpp"

namespace pate {

struct ExactSettings;  // accounting/exact_account.hpp
struct Partials;       // accounting/partials.hpp

/// What to compute and how.
struct AccountSettings {
  double delta = 0.0;
  /// What bounds the costs, beside what holds for any votes: `published`, `tradeoff`, `tilted`
  /// (Gaussian noise, one direction, no promise), `complex`, `exact`; the last three need the
  /// votes.
  std::set<Bound> models{Bound::published, Bound::tradeoff};
  /// Whether queries, or what answers are compared with, were made from answers (`follow_answers`).
  bool queries_follow_answers = false;
  /// Restricts the headline, which is the smallest fixed epsilon of those that are allowed
  /// (`headline_of`).
  std::optional<GuaranteeKind> reading;
  std::optional<EpsilonMethod> conversion;
  /// Restricts orders to these; unset is the default grid and the continuum.
  std::optional<std::vector<double>> orders;
  /// Where else the privacy profile is told, and its grid of losses (a power of two); unset: deltas
  /// of 1e-3 to 1e-12, and a grid that is fine enough.
  std::optional<std::vector<double>> profile_deltas;
  std::optional<double> profile_step;
  /// Of delta, what is set aside for queries that may be asked; at least what those that were asked
  /// have themselves.
  double query_delta = 0.0;
  unsigned threads = 0;             ///< 0: all processors; changes no bit of the result
  ProgressCallback progress;        ///< queries that were read
  std::function<void()> when_read;  ///< called once, when the votes have been read
  /// Called when a long part of the exact costs begins, with what it is; what it returns is told
  /// how far that is.
  std::function<ProgressCallback(const char* what)> when_profiling;

  [[nodiscard]] bool has(Bound model) const { return models.contains(model); }
  /// Whether a model looks at the votes themselves.
  [[nodiscard]] bool needs_votes() const {
    return has(Bound::exact) || has(Bound::tilted) || has(Bound::complex);
  }
};

/// The privacy cost of a run: every bound, reading and conversion, the RDP curves and the
/// trajectory of the headline; with labels its utility; and what was asked for of the exact costs,
/// where the votes are predictions those of every teacher. Every epsilon is an upper bound, rounded
/// outwards by less than 1e-9 relative.
///
/// The votes are read once (again for every few orders with exact costs of more teachers' votes
/// than `TeacherVotes` keeps). Of a shard these are the costs of its queries alone, without
/// profiles; `partials`, if not null, is set to what it contributes to its run.
///
/// Throws `parameter_error` for settings out of range and where no cost fits `reading` and
/// `conversion`, and whatever reading the votes throws.
[[nodiscard]] Account account(const Run& run, const AccountSettings& settings,
                              Partials* partials = nullptr);

/// The same, to the bit, of a run that was counted before, in one piece or merged from its shards;
/// exact and tilted costs and utility where the partials have them.
[[nodiscard]] Account account(const Partials& partials, const Mechanism& aggregator,
                              const Neighbours& neighbours, const AccountSettings& settings);

/// Chooses the headline of all costs of an account, and tells what is to be said of it.
void settle_headline(const AccountSettings& settings, Account& account);

/// What of these settings exact costs go by; `is_part`: of a run that goes on.
[[nodiscard]] ExactSettings exact_settings(const AccountSettings& settings, bool is_part = false);

/// The same with exact costs of another kind, which `add_exact` adds to what is an account already
/// but for its headline.
[[nodiscard]] Account account(const Partials& partials, const Mechanism& aggregator,
                              const Neighbours& neighbours, const AccountSettings& settings,
                              const std::function<void(Account&)>& add_exact);

}  // namespace pate
