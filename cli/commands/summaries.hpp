#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/commands/cost_summary.hpp"
#include "cli/options/votes_input.hpp"
#include "cli/streams.hpp"
#include "pate/accounting/report.hpp"
#include "pate/release/declared/certificate_kind.hpp"

namespace pate {

struct AgreementOutlook;
struct ComplexPlan;
struct CurvePlan;
struct Explanation;
struct GroupCost;
struct Inspection;
struct NzcAnalysis;
struct Plan;
struct PublicRelease;
struct RecordAccount;
struct ReleasePlan;
struct AtMostPlan;
struct AsPublishedRelease;
struct WeightCost;
struct RoundsTuning;
struct TuneSettings;
struct Tuning;

namespace reports {
struct DarrmReport;
struct DeclaredPlan;
struct InputFile;
struct PlanExtras;
struct DeclaredReport;
struct LabelReport;
struct ReportPart;
struct RoundsContext;
struct TuneContext;
}  // namespace reports

}  // namespace pate

namespace pate::cli {

// What a person wants to see of a report at a glance, as text of at most 80 columns (longer where a
// path is). `votes` is how the votes are called; in `colour` the headline is bold.

/// How votes are called, and whether a person said how many teachers there are; otherwise their
/// number is that of the file, which the first line says.
struct VotesTitle {
  std::string path;
  bool teachers_said = false;
};
[[nodiscard]] inline VotesTitle title_of(const VotesInputOptions& options) {
  return {options.votes, options.teachers.has_value()};
}

/// `all` shows every cost; otherwise the headline, what papers would print and what may be
/// published. weights: what teachers of each weight pay, where votes have weights.
[[nodiscard]] std::string analyze_summary(const Account& account, const VotesTitle& votes, bool all,
                                          bool colour, std::span<const WeightCost> weights = {});
[[nodiscard]] std::string compose_summary(const RecordAccount& sum,
                                          std::span<const reports::ReportPart> parts, bool all,
                                          bool colour);
/// What all entries of a ledger cost together.
[[nodiscard]] std::string total_summary(const RecordAccount& total, std::span<const Notice> notices,
                                        bool all, bool colour);
[[nodiscard]] std::string label_summary(const reports::LabelReport& report,
                                        const std::string& votes, bool all, bool colour);
[[nodiscard]] std::string declared_summary(const reports::DeclaredReport& report,
                                           const std::string& votes, bool colour,
                                           bool follows_answers);
[[nodiscard]] std::string darrm_summary(const reports::DarrmReport& report, const VotesTitle& votes,
                                        bool colour);
[[nodiscard]] std::string nzc_summary(const NzcAnalysis& analysis, const VotesTitle& votes);
[[nodiscard]] std::string plan_summary(const Plan& plan, const reports::PlanExtras& extras,
                                       bool all, bool colour);

/// The queries one a line, or, when there is one query only, everything about it.
[[nodiscard]] std::string explain_summary(const Explanation& explanation, const VotesTitle& votes);

/// What is in the dump, deciles, a histogram of the top count (with a threshold also of what is
/// left of it) and the notices.
[[nodiscard]] std::string inspect_summary(const Inspection& inspection,
                                          const reports::InputFile& votes);

/// The best pair of points of two rounds, and the front.
[[nodiscard]] std::string rounds_summary(const RoundsTuning& found,
                                         const reports::RoundsContext& context,
                                         const VotesTitle& votes);

/// The Pareto front as a table, by epsilon.
[[nodiscard]] std::string front_table(const Tuning& tuning, const reports::TuneContext& context,
                                      TableFormat format);

/// The queries that are explained, one a row: what each costs under every bound.
[[nodiscard]] std::string explain_csv(const Explanation& explanation);

/// What may be published, and apart from it the private numbers behind it.
[[nodiscard]] std::string release_summary(
    const std::variant<CurvePlan, ReleasePlan, AtMostPlan, ComplexPlan>& plan,
    const std::optional<PublicRelease>& published, const std::vector<Notice>& notices,
    const std::string& votes);
/// The part of it that may be published.
[[nodiscard]] std::string public_release_summary(const PublicRelease& published,
                                                 std::span<const Notice> notices);
/// What S18's own procedure finds, marked as not valid.
[[nodiscard]] std::string as_published_summary(const AsPublishedRelease& release,
                                               const std::vector<Notice>& notices,
                                               const std::string& votes);

/// The best point, its command line, and the Pareto front.
[[nodiscard]] std::string tune_summary(const Tuning& tuning, const reports::TuneContext& context,
                                       const VotesTitle& votes);

/// What a reader must know to read a tuning right.
[[nodiscard]] std::vector<Notice> tune_notices(const Tuning& tuning, const TuneSettings& settings);

/// Tells which points come nearest where none keeps the limits; the exit status.
[[nodiscard]] int report_tune_misses(const Tuning& tuning, bool may_tell_numbers,
                                     const Streams& streams);

// What they are made of.

/// What the noise of a plan leaves of the agreement of teachers; empty where that is not known.
[[nodiscard]] std::string agreement_text(const std::optional<AgreementOutlook>& outlook);
/// By which orders a test certifies, "complex" or "Renyi".
[[nodiscard]] const char* orders_in_words(Certificate certificate);
/// What is to be expected of a declared budget, by level of agreement.
[[nodiscard]] std::string declared_outlook_text(const reports::DeclaredPlan& plan);
/// What teachers of each weight pay; empty without weights.
[[nodiscard]] std::string weights_text(std::span<const WeightCost> weights);
/// What groups of teachers pay, PRIVATE but for what all of a group pay together; empty without
/// groups.
[[nodiscard]] std::string groups_text(std::span<const GroupCost> groups);

/// Four decimals, or three digits where that says little, rounded up: also a number for people must
/// not be too small.
[[nodiscard]] std::string epsilon_text(double epsilon);

/// " follow answers", else " fixed beforehand": behind the number of queries.
[[nodiscard]] std::string_view origin_text(bool follow_answers);

/// Whose costs these are, ", costs for ...", where it is not one teacher that votes otherwise.
[[nodiscard]] std::string neighbours_text(const Neighbours& neighbours);

/// "votes.npy: 10 queries, 250 teachers, 10 classes" and a line break; "250 teachers by the file"
/// where nobody said how many; `origin` behind the queries.
[[nodiscard]] std::string votes_line(const VotesTitle& votes, std::int64_t queries,
                                     std::optional<std::int64_t> teachers, std::int64_t classes,
                                     std::string_view origin = {});

/// The notices one a line.
[[nodiscard]] std::string notes(std::span<const Notice> notices);

}  // namespace pate::cli
