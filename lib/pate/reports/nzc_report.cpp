#include "pate/reports/nzc_report.hpp"

#include <cmath>

#include "pate/reports/report_fields.hpp"
#include "pate/reports/report_text.hpp"

namespace pate::reports {

namespace {

// The share of queries whose gap is above 0, 1, ..., up to the largest gap there is.
std::vector<double> shares_beyond(const NzcAnalysis& analysis) {
  std::vector<double> shares;
  std::int64_t beyond = analysis.queries;
  for (const std::int64_t at : analysis.queries_by_gap) {
    beyond -= at;
    shares.push_back(static_cast<double>(beyond) / static_cast<double>(analysis.queries));
    if (beyond == 0) break;
  }
  return shares;
}

void write_nzc_votes(FieldWriter& a, const NzcAnalysis& analysis) {
  a("gap_above", shares_beyond(analysis));
  a("labels", analysis.labels);
  columns(a, analysis.distances, {}, Column{"votes_to_flip", &NzcDistance::votes_to_flip, Whole{}},
          Column{"queries", &NzcDistance::queries, Whole{}});
  if (analysis.smooth) {
    columns(
        a, analysis.distances, {},
        Column{"smooth_sensitivity",
               [](const NzcDistance& at) { return at.smooth_sensitivity.value_or(1.0); }, Real{}});
  }
  a("expected_failure", analysis.expected_failure);
  if (analysis.utility) {
    a.object("utility", [&](FieldWriter& utility) {
      utility("agreement_at_least", 1.0 - analysis.expected_failure);
      utility("plurality_accuracy", analysis.utility->plurality_accuracy);
      utility("accuracy_at_least", analysis.utility->at_least);
      utility("accuracy_at_most", analysis.utility->at_most);
    });
  }
}

void write_smooth(FieldWriter& a, const NzcSmoothCost& cost) {
  a("beta", cost.beta);
  a.object("query", [&](FieldWriter& query) {
    query("epsilon", cost.epsilon);
    query("delta", cost.query_delta);
  });
  a("least_votes_to_flip", cost.least_distance);
  a("queries_that_far", cost.queries);
  a("simple", cost.simple);
  a("kov", cost.kov);
  a("delta", cost.delta);
}

}  // namespace

std::string nzc_report_json(const NzcAnalysis& analysis, const ReportContext& context) {
  FieldWriter json = begin_report("nzc", context);
  json("teachers", analysis.teachers);
  json("classes", analysis.classes);
  json("queries", analysis.queries);
  json.object("mechanism", [&](FieldWriter& a) {
    a("name", "nzc");
    a(analysis.mechanism.noise.is_gaussian() ? "sigma" : "laplace_scale",
      analysis.mechanism.noise.parameter());
    a("constant", analysis.mechanism.constant);
    a("tau", analysis.settings.tau);
    a("sufficient_constant", analysis.sufficient_constant);
    a("log_failure_at_tie", analysis.log_failure_at_tie);
  });
  json.object("claimed_by_authors", [&](FieldWriter& a) {
    a("epsilon", analysis.claimed_epsilon);
    a("delta", analysis.settings.delta);
    a("query_epsilon", analysis.claimed_query_epsilon);
    a("holds", analysis.holds);
    a("reason", analysis.reason);
  });
  json.object("boundary", [&](FieldWriter& a) {
    a("log_wrong", analysis.boundary.log_q);
    a("loss", analysis.boundary.loss);
    a("delta_at_claim",
      analysis.claimed_query_epsilon
          ? std::optional(analysis.boundary.delta_at(*analysis.claimed_query_epsilon))
          : std::nullopt);
  });
  json.object("sound", [&](FieldWriter& a) {
    a.object("global", [&](FieldWriter& global) {
      global("sensitivity", analysis.global_sensitivity);
      global(analysis.mechanism.noise.is_gaussian() ? "query_rdp_over_order" : "query_epsilon",
             analysis.global_query);
      global("costs", analysis.global);
    });
    if (analysis.smooth) {
      a.object("smooth", [&](FieldWriter& smooth) { write_smooth(smooth, *analysis.smooth); });
    }
  });
  json("releasable", false);
  json("guarantee", guarantee_of(analysis));
  json.object("votes", [&](FieldWriter& a) { write_nzc_votes(a, analysis); });
  json("notices", analysis.notices);
  return json.text();
}

}  // namespace pate::reports
