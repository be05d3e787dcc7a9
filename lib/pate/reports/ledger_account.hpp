#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/events/account_record.hpp"
#include "pate/release/public_release.hpp"
#include "pate/reports/ledger.hpp"
#include "pate/reports/report_context.hpp"

namespace pate::reports {

/// The account of a ledger: that of its record (`account_record`), at the sum of the deltas at
/// which its events tell their own costs unless another is asked for. `pate compose` of the ledger
/// has the same numbers at the same delta. Throws `input_error` naming the ledger where the deltas
/// add up to 1 or more.
[[nodiscard]] RecordAccount ledger_total(const Record& record, const std::string& ledger,
                                         RecordSettings settings = {});

/// The cost that the account of a ledger with one more event would put first, and what it promises.
[[nodiscard]] ToldEpsilon total_with(const Ledger& ledger, const Event& event);

/// The settings of a command as a ledger keeps them, with the digest of the labels it wrote.
[[nodiscard]] io::JsonValue ledger_settings(std::string_view command, const ReportContext& context,
                                            const std::string& labels_sha256);

/// The line of a later number that counts an entry; none where its own cost counts.
[[nodiscard]] std::optional<std::int64_t> counted_within(const LedgerEntry& entry,
                                                         const std::vector<LedgerEntry>& entries);

/// What an entry costs by itself, for any votes or as it was drawn, at its own delta.
[[nodiscard]] ToldEpsilon own_cost(const LedgerEntry& entry);

/// "label", "release", "majority" or "step": what an entry is called.
[[nodiscard]] std::string_view kind_of(const LedgerEntry& entry);

/// "3 entries: epsilon = 4.2 at delta = 3e-05 together", and where it is no guarantee that it is
/// none: for notices.
[[nodiscard]] std::string total_in_words(std::size_t entries, const ToldEpsilon& total);

/// The report `pate/account/v1` of a ledger as JSON text: its ensemble, a line for each entry, the
/// costs of all together (`total`). It names no digests and no paths of its entries.
[[nodiscard]] std::string account_report_json(const std::vector<LedgerEntry>& entries,
                                              const RecordAccount& total,
                                              const ReportContext& context);

/// The run that a release is about.
struct ReleasedRun {
  Ensemble ensemble;
  std::string votes_digest;
  std::string digest;             ///< `run_digest`
  std::string decisions;          ///< SHA-256 of the file; "" for the reading `joint`
  std::string votes_sha256 = {};  ///< of the file of votes, of which other reports have other rows
};

/// What decides the distribution of the answers of a run: votes, mechanism and student.
[[nodiscard]] std::string run_digest(const std::vector<InputFile>& inputs,
                                     const CostedMechanism& mechanism);

/// The digest of the votes that were read; empty: none were.
[[nodiscard]] std::string votes_digest_of(const std::vector<InputFile>& inputs);

/// How a release about a run counts the entries of its ledger. The newest run that is the same (for
/// `realized`: of which the decisions are the labels) is counted with it, and so are numbers that
/// were told of it; of the others what they cost together is added.
struct LedgerCounts {
  std::string about;                    ///< the run's id, a new one where no entry has it
  std::vector<std::string> covers;      ///< ids of the numbers told of it
  std::vector<EarlierRelease> earlier;  ///< these numbers, the two entries of one claim once
  std::vector<OtherEntry> others;       ///< all entries
  ToldEpsilon added;                    ///< what those about other answers cost together
  OthersConditions conditions;          ///< and what that rests on
};
[[nodiscard]] LedgerCounts count_entries(const std::vector<LedgerEntry>& entries,
                                         const ReleasedRun& run, const std::string& ledger);

}  // namespace pate::reports
