#include "pate/reports/label_report.hpp"

#include <nlohmann/json.hpp>
#include <vector>

namespace pate {

namespace {

using Json = nlohmann::ordered_json;

Json stop_json(StopReason stopped) {
  switch (stopped) {
    case StopReason::max_answers:
      return "max_answers";
    case StopReason::max_epsilon:
      return "max_epsilon";
    case StopReason::none:
      break;
  }
  return nullptr;
}

Json counts_json(const LabelledQueries& labelled) {
  return {{"asked", labelled.asked},
          {"answered", labelled.answered},
          {"refused", labelled.refused()},
          {"student", labelled.student},
          {"stopped", stop_json(labelled.stopped)}};
}

Json labels_json(const LabelReport& report) {
  Json result = {{"path", report.path}, {"format", name(report.format)}, {"sha256", report.sha256}};
  result.update(counts_json(report.labelled));
  return result;
}

Json filter_json(const LabelReport& report) {
  const RunLimits& limits = report.limits;
  return {{"order", report.filter.order()},
          {"epsilon", report.filter.epsilon()},
          {"max_epsilon", limits.max_epsilon ? Json(*limits.max_epsilon) : Json()},
          {"max_answers", limits.max_answers ? Json(*limits.max_answers) : Json()}};
}

// The digest of the votes; every report of a command that reads votes has one.
std::string votes_digest_of(const ReportContext& context) {
  for (const InputFile& input : context.inputs) {
    if (input.votes_digest) return *input.votes_digest;
  }
  return "";
}

}  // namespace

std::string label_report_json(const LabelReport& report, const ReportContext& context) {
  const Account& account = report.account;
  Json json = Json::parse(report_head_json("label", context));
  json["mechanism"] = Json::parse(mechanism_json(account.aggregator));
  json["teachers"] = account.teachers;
  json["classes"] = account.classes;
  json["queries"] = report.labelled.labels.size();
  json["delta"] = account.delta;
  json["labels"] = labels_json(report);
  json["answered"] = {{"expected", account.answered_expected},
                      {"sd", account.answered_sd},
                      {"realized", report.labelled.answered}};
  json["filter"] = filter_json(report);
  Json costs = Json::parse(costs_json(account.costs));
  json["headline"] = costs[account.headline];
  json["costs"] = std::move(costs);
  json["steps"] = Json::parse(steps_json(most_steps(account.aggregator, report.limits)));
  json["rdp"] = {{"orders", Json::parse(numbers_json(account.orders))}};
  if (account.tradeoff) {
    json["rdp"]["tradeoff"] = Json::parse(curves_json(*account.tradeoff));
  }
  json["ledger"] = report.ledger ? Json(*report.ledger) : Json(nullptr);
  json["notices"] = Json::parse(notices_json(account.notices));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

LedgerEntry label_ledger_entry(const LabelReport& report, const ReportContext& context) {
  const Account& account = report.account;
  Json released = {{"labels", report.path}, {"labels_sha256", report.sha256}};
  released["mechanism"] = Json::parse(mechanism_json(account.aggregator));
  released["teachers"] = account.teachers;
  released["queries"] = report.labelled.labels.size();
  released.update(counts_json(report.labelled));
  // What the answers say by themselves, at an order fixed before the run; and before it.
  released["order"] = report.filter.order();
  released["epsilon"] = report.filter.epsilon();
  released["delta"] = account.delta;
  released["steps"] = Json::parse(steps_json(most_steps(account.aggregator, report.limits)));
  LedgerEntry entry;
  entry.kind = "label";
  entry.votes_digest = votes_digest_of(context);
  entry.settings_json = Json::parse(report_head_json("label", context)).at("settings").dump();
  entry.released_json = released.dump(-1, ' ', false, Json::error_handler_t::replace);
  entry.version = context.version;
  return entry;
}

}  // namespace pate
