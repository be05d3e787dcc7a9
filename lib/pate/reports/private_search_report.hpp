#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pate/events/account_record.hpp"
#include "pate/reports/audience.hpp"
#include "pate/reports/label_report.hpp"
#include "pate/reports/report_context.hpp"
#include "pate/tuning/private_search.hpp"

namespace pate::reports {

/// What a search whose price is told did, what it found, and what it cost.
struct PrivateSearchReport {
  TuningGrid grid;
  NumberOfTries tries;
  double asked_tries = 0.0;  ///< that were to be expected, as they were asked for
  TryScore score = TryScore::correct;
  std::int64_t teachers = 0;
  std::int64_t classes = 0;
  std::int64_t queries = 0;
  double one_try_epsilon = 0.0;  ///< of one try at most, for any votes, at the same delta
  RecordAccount account;         ///< of all tries together
  bool drawn = false;            ///< not where a limit was missed before
  std::optional<BestTry> best;
  std::string path;  ///< of the labels
  LabelsFormat format = LabelsFormat::npy;
  std::string sha256;                 ///< of the labels; empty: there are none
  std::optional<std::string> ledger;  ///< its path
  std::optional<ToldEpsilon> total;   ///< of the ledger, with this search
  std::vector<Notice> notices;
};

/// What the promise is about, as `guarantee_of` has it.
inline constexpr const char* kSearchOutputs =
    "the labels of the best try and the parameters that made them";

/// The search as an event. It happened where `id` is not empty; before, without `best`, it has the
/// same cost. Of the inputs it has the digests.
[[nodiscard]] Event private_search_event(const PrivateSearchReport& report, double delta,
                                         const std::vector<InputFile>& inputs,
                                         const std::string& ensemble, const std::string& id);

/// The report `pate/private_search/v1` (cli/schemas/private_search.schema.json). For everybody:
/// nothing in it depends on the votes but the best try, all of which is released. Of settings,
/// files and digests it has none, and never how many tries there were.
[[nodiscard]] std::string private_search_report_json(const PrivateSearchReport& report,
                                                     const ReportContext& context,
                                                     Audience audience = Audience::owner);

}  // namespace pate::reports
