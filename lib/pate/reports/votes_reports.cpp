#include "pate/reports/votes_reports.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "pate/reports/report_fields.hpp"
#include "pate/reports/report_text.hpp"

namespace pate::reports {

// Found by the archives, which look in the namespace of a struct, but not in an unnamed one.

template <class Count>
static void histogram(FieldWriter& a, const char* key, const Bins& bins,
                      const std::vector<Count>& counts) {
  a.object(key, [&](FieldWriter& result) {
    result("bin_width", bins.width);
    result("counts", counts);
  });
}

static void fields(FieldWriter& a, const VotesSpread& spread, const Bins& bins) {
  a("mean", spread.mean);
  a("deciles", spread.deciles.empty() ? std::nullopt : std::optional(spread.deciles));
  histogram(a, "histogram", bins, spread.histogram);
}

static void fields(FieldWriter& a, const AnsweredSpread& selection, const Bins& bins) {
  if (const auto* const test = std::get_if<StabilityTest>(&selection.check)) {
    a("threshold", test->threshold());
    a(test->has_gaussian_noise() ? "sigma1" : "test_scale", test->scale());
  } else {
    const auto& check = std::get<ThresholdCheck>(selection.check);
    a("threshold", check.threshold);
    a("sigma1", check.sigma1);
  }
  a("answered", selection.answered);
  histogram(a, "histogram", bins, selection.histogram);
  histogram(a, "gap_histogram", bins, selection.gap_histogram);
}

static void fields(FieldWriter& a, const TeacherFindings& found) {
  a("distinct_teachers", found.distinct);
  a("identical_pairs", found.identical_pairs);
  a("first_identical_pairs", found.first_identical);
  a("constant_teachers", found.constant);
  a("first_constant_teachers", found.first_constant);
  a("teachers_missing_a_class", found.missing_some_class);
  a("teachers_missing_class", found.missing);
}

static void fields(FieldWriter& a, const BothDirections& rdp) {
  a("forward", rdp.forward);
  a("reverse", rdp.reverse);
}

static void fields(FieldWriter& a, const PublishedStep& step) {
  a("rdp", step.rdp);
  a("capped", step.capped);
  a("mu1", step.mu1);
  a("mu2", step.mu2);
}

static void fields(FieldWriter& a, const QueryBoundCost& cost) {
  a("bound", cost.bound);
  a("reading", cost.reading);
  a("direction", direction_name(cost.bound));
  a("rdp", cost.rdp);
  if (cost.directions) fields(a, *cost.directions);
  a.optional("selection", cost.selection);
  a.optional("noisy_max", cost.noisy_max);
}

static void fields(FieldWriter& a, const ChangedCount& change) {
  a("class", change.class_);
  a("votes", change.votes);
}

static void fields(FieldWriter& a, const WorstNeighbour& neighbour) {
  a.optional("from", neighbour.from);
  a.optional("to", neighbour.to);
  if (!neighbour.from) a("changes", neighbour.changes);
  a("direction", neighbour.direction == Direction::forward ? "forward" : "reverse");
  a("histogram", neighbour.histogram);
}

static void fields(FieldWriter& a, const QueryExplanation& query) {
  a("query", query.query);
  a("times", query.times);
  a("histogram", query.histogram);
  a("plurality", query.plurality);
  a("statistic", query.statistic);
  a.optional("votes_to_flip", query.votes_to_flip);
  a("answered", query.answered);
  a("log_q", query.log_q);
  a("q", std::exp(query.log_q));
  a("outcomes", query.outcomes);
  a("costs", query.costs);
  a("worst_neighbour", query.worst_neighbour);
  a.object("share", [&](FieldWriter& share) {
    share("exact", query.share_exact);
    share("tradeoff", query.share_tradeoff);
  });
  a("epsilon_without", query.epsilon_without);
}

std::string inspect_report_json(const Inspection& inspection, const ReportContext& context) {
  const auto votes = std::find_if(context.inputs.begin(), context.inputs.end(),
                                  [](const InputFile& input) { return input.role == "votes"; });
  FieldWriter report = begin_report("inspect", context);
  report("teachers", inspection.teachers);
  report("classes", inspection.classes);
  report("queries", inspection.queries);
  report("layout", votes->layout.value());
  report("dtype", votes->dtype);
  report("distinct_histograms", inspection.distinct_histograms);
  report("ties", inspection.ties);
  report("unanimous", inspection.unanimous);
  report("top_count", inspection.top_count, inspection.bins);
  report("gap", inspection.gap, inspection.bins);
  if (inspection.lead) report("lead", *inspection.lead, inspection.bins);
  if (inspection.stability) report("stability", *inspection.stability, inspection.bins);
  report("class_votes", inspection.class_votes);
  report("selection", inspection.selection, inspection.bins);
  report("predictions", inspection.predictions);
  if (inspection.accuracy) {
    report.object("accuracy", [&](FieldWriter& a) {
      a("plurality", inspection.accuracy->plurality);
      a("teachers_mean", inspection.accuracy->teachers_mean);
      if (!inspection.accuracy->teachers.empty()) a("teachers", inspection.accuracy->teachers);
      if (inspection.accuracy->student) a("student", *inspection.accuracy->student);
    });
  }
  report("guarantee", no_guarantee("these are facts about the votes, for their owner only."));
  report("notices", inspection.notices);
  return report.text();
}

std::string explain_report_json(const Explanation& explanation, const ReportContext& context,
                                const std::optional<QuerySensitivities>& sensitivities) {
  FieldWriter report = begin_report("explain", context);
  report("mechanism", CostedMechanism{explanation.aggregator, explanation.neighbours});
  report("teachers", explanation.teachers);
  report("classes", explanation.classes);
  report.object("run", [&](FieldWriter& run) {
    run("queries", explanation.run_queries);
    run("headline", explanation.headline);
    run("order", explanation.order);
    run.object("rdp", [&](FieldWriter& rdp) {
      rdp("exact", explanation.run_exact);
      rdp("tradeoff", explanation.run_tradeoff);
    });
    run("epsilon_profile", explanation.run_profile);
  });
  report("queries", explanation.queries);
  report.optional("published_sensitivity", sensitivities);
  report("guarantee",
         no_guarantee("these are votes and what depends on them, for their owner only."));
  report("notices", explanation.notices);
  return report.text();
}

}  // namespace pate::reports
