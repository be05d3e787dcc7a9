#include "pate/reports/read_shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include "pate/accounting/partials.hpp"
#include "pate/base/error.hpp"
#include "pate/reports/partials_json.hpp"
#include "pate/reports/report_fields.hpp"
#include "pate/reports/report_text.hpp"

namespace pate::reports {

namespace {

// Settings that may differ between shards: the files, which are compared by their digests, and what
// changes no number.
constexpr std::array<std::string_view, 6> kFiles{"votes",  "indices",   "student",
                                                 "labels", "decisions", "shard"};

// The value that a setting names, if it is there.
template <class Value>
std::optional<Value> setting_named(const io::JsonValue& settings, const char* key) {
  const auto setting = settings.find(key);
  if (!setting) return std::nullopt;
  const std::optional<Value> value = value_named<Value>(setting->text());
  if (!value) setting->fail(fmt::format("the name of a {}", key));
  return value;
}

AccountSettings account_settings(const io::JsonValue& report) {
  const io::JsonValue json = report.at("settings");
  AccountSettings settings;
  settings.delta = report.at("delta").number();
  settings.models.clear();
  for (const io::JsonValue& bound : json.at("bound").elements()) {
    const auto named = value_named<Bound>(bound.text());
    if (named != Bound::published && named != Bound::tradeoff && named != Bound::tilted &&
        named != Bound::complex) {
      bound.fail("published, tradeoff, tilted or complex");
    }
    settings.models.insert(*named);
  }
  settings.reading = setting_named<GuaranteeKind>(json, "reading");
  settings.conversion = setting_named<EpsilonMethod>(json, "conversion");
  FieldReader a(json);
  a.optional("orders", settings.orders, Real{1.0});
  bool exact = false;
  a.optional("exact", exact);
  if (exact) settings.models.insert(Bound::exact);
  a.optional("deltas", settings.profile_deltas, Real{0.0, 1.0});
  a.optional("profile_resolution", settings.profile_step, Real{0.0, 1.0});
  return settings;
}

std::string shown_alone(const io::JsonValue& json) {
  switch (json.type()) {
    case io::JsonType::whole:
      return fmt::format("{}", json.integer(std::numeric_limits<std::int64_t>::min()));
    case io::JsonType::real:
      return fmt::format("{}", json.number());
    case io::JsonType::text:
      return json.text();
    default:
      return json.dump();
  }
}

// A value, or a list of them, as messages show it.
std::string shown(const io::JsonValue& json) {
  if (json.type() != io::JsonType::array) return shown_alone(json);
  std::string all;
  for (const io::JsonValue& element : json.elements()) {
    if (!all.empty()) all += ',';
    all += shown_alone(element);
  }
  return fmt::format("[{}]", all);
}

using Identity = decltype(ShardReport::identity);

Identity identity_of(const io::JsonValue& report, const ShardReport& shard) {
  const QueryCounts& query_counts = shard.partials.query_counts;
  Identity result;
  const auto add = [&](std::string field, const auto& value) {
    result.emplace_back(std::move(field), fmt::format("{}", value));
  };
  add("tool.version", shard.context.version);
  add("shard.of", shard.partials.shard.of);
  add("shard.run_queries", query_counts.run_queries);
  add("teachers", query_counts.teachers);
  add("classes", query_counts.classes);
  std::map<std::string, std::string> settings;
  for (const auto& [key, value] : report.at("settings").members()) {
    if (std::find(kFiles.begin(), kFiles.end(), key) == kFiles.end()) settings[key] = shown(value);
  }
  for (const auto& [key, value] : settings) add("settings." + key, value);
  for (const InputFile& input : shard.context.inputs) {
    // The same votes may lie elsewhere, in another format.
    add("inputs." + input.role + (input.votes_digest ? ".votes_digest" : ".sha256"),
        input.votes_digest.value_or(input.sha256));
  }
  for (const auto& [key, value] : report.at("mechanism").members()) {
    add("mechanism." + key, shown(value));
  }
  add("delta", shard.settings.delta);
  // The orders that the sums of single teachers are at: none without predictions.
  add("partials.exact.teachers", shard.partials.exact ? shard.partials.exact->orders.size() : 0);
  add("partials.exact.rows", shard.partials.exact && shard.partials.exact->rows);
  return result;
}

// The value of a field that a report may not have.
std::string value_of(const Identity& identity, const std::string& field) {
  const auto found = std::find_if(identity.begin(), identity.end(),
                                  [&](const auto& entry) { return entry.first == field; });
  if (found != identity.end()) return found->second;
  return field.starts_with("settings.") ? "null" : "none";
}

}  // namespace

ShardReport read_shard(const io::JsonValue& report) {
  ShardReport result;
  const io::JsonValue schema = report.at("schema");
  if (schema.text() != "pate/analyze/v1") schema.fail("pate/analyze/v1, the report of a shard");
  result.context = read_context(report);
  FieldReader a(report);
  a("mechanism", result.aggregator);
  result.settings = account_settings(report);
  result.partials = read_partials(report);
  // Of PTR the query counts say all that exact costs need.
  if (result.settings.needs_votes() && result.aggregator.mechanism.ptr() == nullptr &&
      !result.partials.exact) {
    report.at("partials").fail("the member exact, as settings.exact or settings.bound says");
  }
  a("notices", result.notices);
  result.identity = identity_of(report, result);
  result.part = {report.file(), report.sha256(), schema.text(),
                 std::string(result.aggregator.mechanism.name()),
                 result.partials.query_counts.queries};
  for (const InputFile& input : result.context.inputs) {
    if (input.role != "votes") continue;
    result.part.votes_sha256 = input.sha256;
    result.part.votes_digest = input.votes_digest.value_or("");
  }
  return result;
}

void check_one_run(std::span<const ShardReport> shards) {
  const ShardReport& first = shards.front();
  std::map<std::int64_t, const ShardReport*> by_index;
  for (const ShardReport& other : shards) {
    for (const Identity* fields : {&other.identity, &first.identity}) {
      for (const auto& entry : *fields) {
        const std::string expected = value_of(first.identity, entry.first);
        const std::string found = value_of(other.identity, entry.first);
        if (expected == found) continue;
        throw input_error(fmt::format("{}: {}: expected {} as in {}, found {}", other.part.path,
                                      entry.first, expected, first.part.path, found));
      }
    }
    const auto [found, is_new] = by_index.emplace(other.partials.shard.index, &other);
    if (is_new) continue;
    throw input_error(fmt::format("{}: shard.index: shard {} of {} is there twice, also in {}",
                                  other.part.path, other.partials.shard.index,
                                  other.partials.shard.of, found->second->part.path));
  }
  const std::int64_t of = first.partials.shard.of;
  for (std::int64_t index = 1; index <= of; ++index) {
    if (by_index.contains(index)) continue;
    throw input_error(
        fmt::format("shard {} of {} is missing: expected the reports of all shards, "
                    "found {}",
                    index, of, by_index.size()));
  }
}

}  // namespace pate::reports
