#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/release/public_release.hpp"
#include "pate/reports/ledger.hpp"
#include "pate/reports/report_context.hpp"

namespace pate::reports {

/// Entries of a ledger that are about the same answers: a labelling and the numbers that were
/// released about it, of which the last counts all before it; or such numbers alone.
struct LedgerGroup {
  std::vector<std::size_t> entries;  ///< positions in the ledger, increasing
  double epsilon = 0.0;
  double delta = 0.0;
  bool chosen_from_votes = false;  ///< parameters of one of its releases
};

/// What the entries of a ledger cost together: no two groups have an answer or a number in common,
/// so their epsilons and deltas add up (public_release.hpp), rounded upwards.
struct LedgerTotal {
  std::vector<LedgerGroup> groups;  ///< by their first entries
  double epsilon = 0.0;
  double delta = 0.0;
};

/// Throws `input_error` naming ledger and line where an entry lacks what is needed, or refers to
/// entries that are not of one group before it. `ledger` is how messages call it.
[[nodiscard]] LedgerTotal ledger_total(const std::vector<LedgerEntry>& entries,
                                       const std::string& ledger);

/// Whether an entry is the last of its group, whose epsilon and delta are added.
[[nodiscard]] bool is_added(const LedgerEntry& entry, const std::vector<LedgerEntry>& entries,
                            const LedgerTotal& total);

/// "3 entries: epsilon = 4.2 at delta = 3e-05 together": for notices.
[[nodiscard]] std::string total_in_words(const std::vector<LedgerEntry>& entries,
                                         const LedgerTotal& total);

/// The report `pate/account/v1` of a ledger as JSON text: its ensemble, a line for each entry, the
/// total. It names no digests and no paths of its entries.
[[nodiscard]] std::string account_report_json(const std::vector<LedgerEntry>& entries,
                                              const LedgerTotal& total,
                                              const std::vector<Notice>& notices,
                                              const ReportContext& context);

/// The run that a release is about.
struct ReleasedRun {
  Ensemble ensemble;
  std::string votes_digest;
  std::string digest;     ///< `run_digest`
  std::string decisions;  ///< SHA-256 of the file; "" for the reading `joint`
};

/// What decides the distribution of the answers of a run: votes, mechanism and student.
[[nodiscard]] std::string run_digest(const std::vector<InputFile>& inputs,
                                     const Aggregator& aggregator);

/// How a release about a run counts the entries of its ledger. The newest group that is about the
/// same run (for `realized`: of which the decisions are the labels) is counted with the run; of the
/// others each is added.
struct LedgerCounts {
  std::vector<std::size_t> same_run;    ///< positions of the entries of that group
  std::vector<EarlierRelease> earlier;  ///< the releases among them
  std::vector<OtherEntry> others;       ///< all entries
};
[[nodiscard]] LedgerCounts count_entries(const std::vector<LedgerEntry>& entries,
                                         const ReleasedRun& run, const std::string& ledger);

}  // namespace pate::reports
