#include "pate/reports/multilabel_report.hpp"

#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "pate/numerics/margin.hpp"
#include "pate/numerics/rounded_decimal.hpp"
#include "pate/reports/report_fields.hpp"
#include "pate/reports/report_text.hpp"

namespace pate::reports {

namespace {

// A mechanism as an element of a list.
struct Told {
  const MultilabelCosts* costs;
};

void fields(FieldWriter& a, const Told& told) {
  const MultilabelCosts& of = *told.costs;
  a("name", of.mechanism.called());
  a("voting", name(of.mechanism.voting));
  a("sigma2", of.mechanism.sigma);
  if (of.mechanism.voting == LabelVoting::tau) a("positives", of.mechanism.positives);
  a("query_mu", of.query_mu);
  a("steps", of.steps);
  a("headline", of.costs[of.headline]);
  a("costs", of.costs);
  a.object("agreement", [&](FieldWriter& agreement) {
    agreement("labels", of.agreement.labels);
    agreement("answers", of.agreement.answers);
  });
  if (of.teachers) {
    a.object("per_teacher", [&](FieldWriter& teachers) { teachers("epsilon", *of.teachers); });
  }
}

}  // namespace

std::string how_to_compose_multilabel(const io::JsonValue& report) {
  const auto queries = static_cast<double>(report.at("queries").integer(1));
  std::string options;
  for (const io::JsonValue& mechanism : report.at("mechanisms").elements()) {
    const double mu = mechanism.at("query_mu").number();
    const double rho = with_margin(queries * mu * mu / 2.0);
    fmt::format_to(std::back_inserter(options),
                   "{}{}: \1zcdp multilabel={} \1source \"multilabel=pate multilabel\"",
                   options.empty() ? "" : "; ", mechanism.at("name").text(),
                   digits_upwards(rho, 10));
  }
  return fmt::format(
      "several labels a query have no record that adds up: leave this file out, and add what the "
      "run costs for any votes as that of others: {}",
      options);
}

std::string multilabel_report_json(const MultilabelAnalysis& analysis,
                                   const ReportContext& context) {
  FieldWriter json = begin_report("multilabel", context);
  json("teachers", analysis.teachers);
  json("queries", analysis.queries);
  json("labels", analysis.labels);
  json("delta", analysis.settings.delta);
  json("releasable", false);
  json("guarantee", guarantee_of(analysis));
  std::vector<Told> mechanisms;
  for (const MultilabelCosts& costs : analysis.mechanisms) mechanisms.push_back({&costs});
  json("mechanisms", mechanisms);
  json("cheapest", analysis.mechanisms[analysis.cheapest].mechanism.called());
  json("notices", analysis.notices);
  return json.text();
}

}  // namespace pate::reports
