#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/command_line.hpp"
#include "pate/accounting/account.hpp"
#include "pate/base/atomic_file.hpp"
#include "pate/release/declared/certificate_kind.hpp"
#include "pate/reports/ledger_access.hpp"
#include "pate/reports/report_context.hpp"

namespace pate {
struct Event;
}

namespace pate::reports {
class Ledger;
struct LedgerText;
}  // namespace pate::reports

namespace pate::cli {

/// What the headline has to keep.
struct Limits {
  std::optional<double> max_epsilon = {};
  std::optional<double> min_answered = {};
  bool require_releasable = false;

  [[nodiscard]] bool any() const { return max_epsilon || min_answered || require_releasable; }
};

/// What is computed, what is the headline, and which limits it must keep.
struct PrivacyOptions {
  bool exact = false;
  AccountSettings account;  ///< as `make_account_settings` completes them
  bool any_delta = false;
  std::vector<Bound> bounds{Bound::published, Bound::tradeoff};
  Limits limits;
};

/// All but the limits, without the options named.
void add_privacy_options(CommandLine& line, PrivacyOptions& options,
                         const std::vector<std::string_view>& without = {});

/// The limits on the headline, in a section of their own.
void add_limit_options(CommandLine& line, Limits& limits);

// Options that several commands have, each with other ones beside it.
void add_delta(const Section& section, double& delta, bool& any_delta,
               const char* help = "delta of the (epsilon, delta) guarantee");
void add_any_delta(const Section& section, bool& any_delta);
void add_headline(const Section& section, std::optional<GuaranteeKind>& reading,
                  std::optional<EpsilonMethod>& conversion);
void add_orders(const Section& section, std::optional<std::vector<double>>& orders);
void add_certificate(const Section& section, std::optional<Certificate>& certificate);
void add_threads(const Section& section, unsigned& threads);
void add_ensemble(const Section& section, std::string& ensemble, reports::LedgerAccess& access);
void add_trust_ledger(const Section& section, reports::LedgerAccess& access);
void add_lock_timeout(const Section& section, reports::LedgerAccess& access);
void add_rows_from_answers(const Section& section, bool& rows_from_answers);

void add_epsilon_and_answers(const Section& section, std::optional<double>& max_epsilon,
                             std::optional<double>& min_answered);

/// Throws `parameter_error` unless 0 < delta < 1, `usage_error` for one above 0.1 unless
/// `any_delta`.
void check_delta(double delta, bool any_delta, std::string_view called = "--delta");

/// Throws `usage_error` for a time of waiting that is none, and for a name of an ensemble, or an
/// option of access, without a ledger.
void check_ensemble(const std::string& ensemble, const std::string& ledger,
                    const reports::LedgerAccess& access);

/// Throws `usage_error` where a file of labels is there, unless `force`: what was paid for is not
/// lost by a slip.
void check_no_labels_yet(const std::string& labels, bool force);

/// The same access, which tells on `streams` that one waits for the ledger at `path`.
[[nodiscard]] reports::LedgerAccess telling(reports::LedgerAccess access, const std::string& path,
                                            const Streams& streams);

/// Opens the ledger of a command that writes to one, and returns the name of its ensemble; does
/// nothing without a path. Throws as `reports::ensemble_of` does.
[[nodiscard]] std::string open_ledger(std::optional<reports::Ledger>& ledger,
                                      const std::string& path, const reports::LedgerAccess& access,
                                      const std::string& ensemble, std::int64_t teachers,
                                      std::int64_t classes, const io::WritePoints& points = {},
                                      const Neighbours& neighbours = {});

/// That lines of a ledger are left out; none where all are there.
[[nodiscard]] std::optional<Notice> torn_notice(const std::string& called,
                                                const reports::LedgerText& ledger);

/// What a ledger, by the name `called`, says so far about the queries of a new entry, and what it
/// has left out.
[[nodiscard]] std::vector<Notice> ledger_notices(const reports::Ledger& ledger,
                                                 const std::string& called, const Event& event);

/// What must be known of a release that no ledger records.
[[nodiscard]] Notice no_ledger();

/// Throws `usage_error` for a limit that is negative or no number.
void check_limits(const Limits& limits);

/// The settings of the account. Throws `parameter_error` for values out of range.
[[nodiscard]] AccountSettings make_account_settings(const PrivacyOptions& options);

/// What became of a limit, for the report and for people.
struct JudgedLimit {
  reports::LimitVerdict verdict;
  std::string told;  ///< by how much it is missed: it may have numbers that depend on the votes
};

/// What became of every limit that was set. Answers are counted as they were realized where the
/// headline is; NaN, or none, keeps no limit on them.
[[nodiscard]] std::vector<JudgedLimit> judged_limits(
    const Limits& limits, const CostEntry& headline, std::optional<double> answered_expected = {},
    std::optional<std::int64_t> answered_realized = {});

/// Those of them for a report.
[[nodiscard]] std::vector<reports::LimitVerdict> verdicts_of(
    const std::vector<JudgedLimit>& judged);

/// Tells which limits are missed, and returns the exit status. By how much is told only where the
/// numbers `may_be_told` (`may_tell_numbers` of output.hpp): else the option alone.
[[nodiscard]] int report_judged(const std::vector<JudgedLimit>& judged, bool may_be_told,
                                const Streams& streams);

}  // namespace pate::cli
