#include "pate/reports/explain_report.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace pate {

namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json costs_of(const QueryExplanation& query) {
  Json result = Json::array();
  for (const QueryBoundCost& cost : query.costs) {
    Json entry = {{"bound", name(cost.bound)},
                  {"reading", name(cost.reading)},
                  {"direction", direction_name(cost.bound)},
                  {"rdp", number(cost.rdp)}};
    if (cost.directions) {
      entry["forward"] = number(cost.directions->forward);
      entry["reverse"] = number(cost.directions->reverse);
    }
    result.push_back(std::move(entry));
  }
  return result;
}

Json neighbour_json(const std::optional<WorstNeighbour>& neighbour) {
  if (!neighbour) return nullptr;
  return {{"from", neighbour->from},
          {"to", neighbour->to},
          {"direction", neighbour->direction == Direction::forward ? "forward" : "reverse"},
          {"histogram", neighbour->histogram}};
}

Json query_json(const QueryExplanation& query) {
  return {{"query", query.query},
          {"times", query.times},
          {"histogram", query.histogram},
          {"plurality", query.plurality},
          {"statistic", query.statistic ? Json(*query.statistic) : Json(nullptr)},
          {"answered", number(query.answered)},
          {"log_q", number(query.log_q)},
          {"q", number(std::exp(query.log_q))},
          {"outcomes", Json::parse(numbers_json(query.outcomes))},
          {"costs", costs_of(query)},
          {"worst_neighbour", neighbour_json(query.worst_neighbour)},
          {"share",
           {{"exact", number(query.share_exact)}, {"tradeoff", number(query.share_tradeoff)}}}};
}

}  // namespace

std::string explain_report_json(const Explanation& explanation, const ReportContext& context) {
  Json report = Json::parse(report_head_json("explain", context));
  report["mechanism"] = Json::parse(mechanism_json(explanation.aggregator));
  report["teachers"] = explanation.teachers;
  report["classes"] = explanation.classes;
  report["run"] = {{"queries", explanation.run_queries},
                   {"headline", Json::parse(costs_json(std::span(&explanation.headline, 1)))[0]},
                   {"order", explanation.order},
                   {"rdp",
                    {{"exact",
                      {{"forward", number(explanation.run_exact.forward)},
                       {"reverse", number(explanation.run_exact.reverse)}}},
                     {"tradeoff", number(explanation.run_tradeoff)}}}};
  report["queries"] = Json::array();
  for (const QueryExplanation& query : explanation.queries) {
    report["queries"].push_back(query_json(query));
  }
  report["notices"] = Json::parse(notices_json(explanation.notices));
  return report.dump(2) + "\n";
}

}  // namespace pate
