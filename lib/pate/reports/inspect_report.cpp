#include "pate/reports/inspect_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace pate {

namespace {

using Json = nlohmann::ordered_json;

template <class Count>
Json histogram_json(const Bins& bins, const std::vector<Count>& counts) {
  return {{"bin_width", bins.width}, {"counts", counts}};
}

Json spread_json(const Bins& bins, const VotesSpread& spread) {
  return {{"deciles", spread.deciles.empty() ? Json(nullptr) : Json(spread.deciles)},
          {"histogram", histogram_json(bins, spread.histogram)}};
}

Json selection_json(const Bins& bins, const std::optional<AnsweredSpread>& selection) {
  if (!selection) return nullptr;
  return {{"threshold", selection->check.threshold},
          {"sigma1", selection->check.sigma1},
          {"answered", selection->answered},
          {"histogram", histogram_json(bins, selection->histogram)},
          {"gap_histogram", histogram_json(bins, selection->gap_histogram)}};
}

Json predictions_json(const std::optional<TeacherFindings>& found) {
  if (!found) return nullptr;
  return {{"distinct_teachers", found->distinct},
          {"identical_pairs", found->identical_pairs},
          {"first_identical_pairs", found->first_identical},
          {"constant_teachers", found->constant},
          {"first_constant_teachers", found->first_constant},
          {"teachers_missing_a_class", found->missing_some_class},
          {"teachers_missing_class", found->missing}};
}

}  // namespace

std::string inspect_report_json(const Inspection& inspection, const ReportContext& context) {
  const auto votes = std::find_if(context.inputs.begin(), context.inputs.end(),
                                  [](const InputFile& input) { return input.role == "votes"; });
  Json report = Json::parse(report_head_json("inspect", context));
  report["teachers"] = inspection.teachers;
  report["classes"] = inspection.classes;
  report["queries"] = inspection.queries;
  report["layout"] = votes->layout.value();
  report["dtype"] = votes->dtype;
  report["distinct_histograms"] = inspection.distinct_histograms;
  report["ties"] = inspection.ties;
  report["unanimous"] = inspection.unanimous;
  report["top_count"] = spread_json(inspection.bins, inspection.top_count);
  report["gap"] = spread_json(inspection.bins, inspection.gap);
  report["class_votes"] = inspection.class_votes;
  report["selection"] = selection_json(inspection.bins, inspection.selection);
  report["predictions"] = predictions_json(inspection.predictions);
  report["notices"] = Json::parse(notices_json(inspection.notices));
  return report.dump(2) + "\n";
}

}  // namespace pate
