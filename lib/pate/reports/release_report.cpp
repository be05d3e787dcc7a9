#include "pate/reports/release_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "pate/error.hpp"
#include "pate/io/json_document.hpp"

namespace pate {

namespace {

using Json = nlohmann::ordered_json;

// Whether the parameters that an object tells of were chosen from votes.
bool was_chosen(const Json& object) {
  return object.value("parameters", "") == parameters_name(true);
}

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json public_json(const PublicRelease& published) {
  Json result = {{"epsilon", number(published.epsilon)},
                 {"delta", published.delta},
                 {"confidence", published.confidence},
                 {"order", published.order},
                 {"queries", published.queries}};
  if (published.answered) result["answered"] = *published.answered;
  result["teachers"] = published.teachers;
  result["classes"] = published.classes;
  result["mechanism"] = Json::parse(mechanism_json(published.aggregator));
  result["bound"] = name(published.bound);
  result["reading"] = name(published.reading);
  result["conversion"] = "improved";
  result["parameters"] = parameters_name(published.chosen_from_votes);
  result["statement"] = published.statement;
  return result;
}

Json private_json(const ReleasePlan& plan) {
  return {{"epsilon_before", number(plan.numbers.epsilon_before)},
          {"order", plan.parameters.order},
          {"beta", plan.parameters.beta},
          {"smooth_sensitivity", plan.numbers.smooth_sensitivity},
          {"sigma_ss", plan.parameters.sigma},
          {"k", plan.k},
          {"release_cost", number(plan.numbers.release_cost)},
          {"earlier_releases_cost", plan.earlier_cost},
          {"noise_sd", plan.numbers.noise_sd},
          {"mean_published", number(plan.numbers.mean_released)},
          {"rdp", plan.rdp},
          {"rdp_data_independent", plan.largest_rdp},
          {"parameters", parameters_name(plan.chosen_from_votes)}};
}

std::string text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string release_report_json(const ReleasePlan& plan,
                                const std::optional<PublicRelease>& published,
                                const std::vector<Notice>& notices, const ReportContext& context) {
  Json report = Json::parse(report_head_json("release", context));
  if (published) report["public"] = public_json(*published);
  report["private"] = private_json(plan);
  report["notices"] = Json::parse(notices_json(notices));
  return text(report);
}

std::string public_release_json(const PublicRelease& published, const std::string& version) {
  return text({{"schema", "pate/release/v1"},
               {"tool", {{"name", "pate"}, {"version", version}}},
               {"public", public_json(published)}});
}

LedgerEntry release_entry(const ReleasePlan& plan, const PublicRelease& published,
                          const std::string& votes_digest, const std::string& version) {
  const Json settings = {{"mechanism", Json::parse(mechanism_json(published.aggregator))},
                         {"bound", name(published.bound)},
                         {"reading", name(published.reading)},
                         {"order", plan.parameters.order},
                         {"beta", plan.parameters.beta},
                         {"sigma_ss", plan.parameters.sigma},
                         {"k", plan.k},
                         {"parameters", parameters_name(plan.chosen_from_votes)}};
  const Json released = {{"epsilon", number(published.epsilon)}, {"delta", published.delta}};
  return {"release", votes_digest, settings.dump(), released.dump(), version};
}

std::vector<EarlierRelease> earlier_releases(const std::vector<LedgerEntry>& entries,
                                             const std::string& ledger) {
  std::vector<EarlierRelease> result;
  for (const LedgerEntry& entry : entries) {
    try {
      const Json settings = Json::parse(entry.settings_json);
      const EarlierRelease earlier{settings.at("beta").get<double>(),
                                   settings.at("sigma_ss").get<double>(),
                                   settings.at("k").get<double>(), was_chosen(settings)};
      if (!(earlier.beta > 0.0 && earlier.sigma > 0.0 && earlier.k >= 0.0)) {
        throw input_error(fmt::format("{}: line {}: expected beta > 0, sigma_ss > 0 and k >= 0",
                                      ledger, entry.line));
      }
      result.push_back(earlier);
    } catch (const Json::exception&) {
      throw input_error(fmt::format(
          "{}: line {}: expected the numbers beta, sigma_ss and k in the settings of a release",
          ledger, entry.line));
    }
  }
  return result;
}

FoundParameters read_release_parameters(const std::string& path) {
  const JsonValue report = JsonValue::read_file(path);
  const JsonValue schema = report.at("schema");
  if (schema.text() != "pate/release/v1") schema.fail("pate/release/v1, a report of pate release");
  const JsonValue numbers = report.at("private");
  FoundParameters found;
  found.parameters = {numbers.at("order").number(), numbers.at("beta").number(),
                      numbers.at("sigma_ss").number()};
  try {
    validate(found.parameters);
  } catch (const parameter_error& error) {
    numbers.fail(fmt::format("the parameters of a release ({})", error.what()));
  }
  const auto origin = numbers.find("parameters");
  if (origin && origin->text() == parameters_name(true)) {
    const JsonValue votes = report.at("inputs").at("votes");
    found.chosen_from = {votes.at("sha256").text(), votes.at("votes_digest").text()};
  }
  return found;
}

}  // namespace pate
