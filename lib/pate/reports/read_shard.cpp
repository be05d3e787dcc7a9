#include "pate/reports/read_shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>

#include "pate/error.hpp"
#include "pate/reports/partials_json.hpp"
#include "pate/reports/read_context.hpp"
#include "pate/reports/read_mechanism.hpp"

namespace pate {

namespace {

// Settings that may differ between shards: the files, which are compared by their digests, and what
// changes no number.
constexpr std::array<std::string_view, 6> kFiles{"votes",  "indices",   "student",
                                                 "labels", "decisions", "shard"};

AccountSettings account_settings(const JsonValue& report) {
  const JsonValue json = report.at("settings");
  AccountSettings settings;
  settings.delta = report.at("delta").number();
  settings.published = settings.tradeoff = false;
  for (const JsonValue& bound : json.at("bound").elements()) {
    const auto named = value_named<Bound>(bound.text());
    if (named == Bound::published) {
      settings.published = true;
    } else if (named == Bound::tradeoff) {
      settings.tradeoff = true;
    } else {
      bound.fail("published or tradeoff");
    }
  }
  if (const auto reading = json.find("reading")) {
    settings.reading = value_named<Reading>(reading->text());
    if (!settings.reading) reading->fail("the name of a reading");
  }
  if (const auto conversion = json.find("conversion")) {
    settings.conversion = value_named<ReportedConversion>(conversion->text());
    if (!settings.conversion) conversion->fail("the name of a conversion");
  }
  if (const auto orders = json.find("orders")) {
    settings.orders = orders->numbers(1.0, std::numeric_limits<double>::max());
  }
  if (const auto exact = json.find("exact")) settings.exact = exact->boolean();
  return settings;
}

std::string shown(const SettingValue& value) {
  return std::visit(
      [](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return "null";
        } else if constexpr (std::is_same_v<T, std::vector<double>>) {
          return fmt::format("[{}]", fmt::join(v, ","));
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          return fmt::format("[{}]", fmt::join(v, ","));
        } else {
          return fmt::format("{}", v);
        }
      },
      value);
}

[[noreturn]] void throw_differs(const ShardReport& first, const ShardReport& other,
                                const std::string& field, const std::string& expected,
                                const std::string& found) {
  throw input_error(fmt::format("{}: {}: expected {} as in {}, found {}", other.file, field,
                                expected, first.file, found));
}

template <class Value>
void check_same(const ShardReport& first, const ShardReport& other, const std::string& field,
                const Value& expected, const Value& found) {
  if (expected == found) return;
  throw_differs(first, other, field, fmt::format("{}", expected), fmt::format("{}", found));
}

void check_settings(const ShardReport& first, const ShardReport& other) {
  const auto compared = [](const ShardReport& report) {
    std::map<std::string, SettingValue> result;
    for (const auto& [key, value] : report.context.settings) {
      if (std::find(kFiles.begin(), kFiles.end(), key) == kFiles.end()) result[key] = value;
    }
    return result;
  };
  auto expected = compared(first);
  for (const auto& [key, value] : compared(other)) {
    if (expected[key] != value) {
      throw_differs(first, other, "settings." + key, shown(expected[key]), shown(value));
    }
    expected.erase(key);
  }
  for (const auto& [key, value] : expected) {
    if (value != SettingValue{})
      throw_differs(first, other, "settings." + key, shown(value), "null");
  }
}

void check_inputs(const ShardReport& first, const ShardReport& other) {
  const auto digests = [](const ShardReport& report) {
    std::map<std::string, std::string> result;
    for (const InputFile& input : report.context.inputs) {
      // The same votes may lie elsewhere, in another format.
      if (input.votes_digest) {
        result["inputs." + input.role + ".votes_digest"] = *input.votes_digest;
      } else {
        result["inputs." + input.role + ".sha256"] = input.sha256;
      }
    }
    return result;
  };
  auto expected = digests(first);
  const auto found = digests(other);
  for (const auto& [field, digest] : found) {
    check_same(first, other, field, expected[field], digest);
  }
  for (const auto& [field, digest] : expected) {
    if (!found.contains(field)) throw_differs(first, other, field, digest, "none");
  }
}

void check_mechanism(const ShardReport& first, const ShardReport& other) {
  const Aggregator& a = first.aggregator;
  const Aggregator& b = other.aggregator;
  check_same(first, other, "mechanism.name", a.name(), b.name());
  if (a.selection) {
    check_same(first, other, "mechanism.threshold", a.selection->threshold, b.selection->threshold);
    check_same(first, other, "mechanism.sigma1", a.selection->sigma1, b.selection->sigma1);
  }
  check_same(first, other, std::string("mechanism.") + a.noisy_max.names().parameter,
             a.noisy_max.parameter(), b.noisy_max.parameter());
}

// How many orders the sums of single teachers are at: none without predictions.
std::size_t teacher_orders(const ShardReport& report) {
  return report.partials.exact ? report.partials.exact->orders.size() : 0;
}

}  // namespace

ShardReport read_shard(const JsonValue& report) {
  ShardReport result;
  result.file = report.file();
  const JsonValue schema = report.at("schema");
  if (schema.text() != "pate/analyze/v1") schema.fail("pate/analyze/v1, the report of a shard");
  result.context = read_context(report);
  result.aggregator = read_aggregator(report.at("mechanism"));
  result.settings = account_settings(report);
  result.partials = read_partials(report);
  if (result.settings.exact && !result.partials.exact) {
    report.at("partials").fail("the member exact, as settings.exact says");
  }
  for (const JsonValue& notice : report.at("notices").elements()) {
    result.notices.push_back({notice.at("code").text(), notice.at("message").text()});
  }
  return result;
}

ReportPart shard_part(const JsonValue& report, const ShardReport& shard) {
  ReportPart part{report.file(), report.sha256(), report.at("schema").text(),
                  std::string(shard.aggregator.name()), shard.partials.tally.queries};
  for (const InputFile& input : shard.context.inputs) {
    if (input.role != "votes") continue;
    part.votes_sha256 = input.sha256;
    part.votes_digest = input.votes_digest.value_or("");
  }
  return part;
}

void check_one_run(std::span<const ShardReport> shards) {
  const ShardReport& first = shards.front();
  std::map<std::int64_t, const ShardReport*> by_index;
  for (const ShardReport& other : shards) {
    const Partials& partials = other.partials;
    check_same(first, other, "tool.version", first.context.version, other.context.version);
    check_same(first, other, "shard.of", first.partials.shard.of, partials.shard.of);
    check_same(first, other, "shard.run_queries", first.partials.tally.run_queries,
               partials.tally.run_queries);
    check_same(first, other, "teachers", first.partials.tally.teachers, partials.tally.teachers);
    check_same(first, other, "classes", first.partials.tally.classes, partials.tally.classes);
    check_settings(first, other);
    check_inputs(first, other);
    check_mechanism(first, other);
    check_same(first, other, "delta", first.settings.delta, other.settings.delta);
    check_same(first, other, "partials.exact.teachers", teacher_orders(first),
               teacher_orders(other));
    const auto [found, is_new] = by_index.emplace(partials.shard.index, &other);
    if (is_new) continue;
    throw input_error(fmt::format("{}: shard.index: shard {} of {} is there twice, also in {}",
                                  other.file, partials.shard.index, partials.shard.of,
                                  found->second->file));
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

}  // namespace pate
