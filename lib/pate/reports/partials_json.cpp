#include "pate/reports/partials_json.hpp"

#include <fmt/format.h>

#include <limits>
#include <vector>

#include "pate/reports/exact_partials_json.hpp"
#include "pate/reports/report_fields.hpp"

namespace pate::reports {

namespace {

constexpr std::int64_t kMaxPerPiece = std::numeric_limits<std::uint32_t>::max();

// How often a distinct query occurs between two checkpoints of the whole run.
struct OccurrenceRow {
  std::int64_t distinct = 0, checkpoint = 0, count = 0, answered = 0;
};

template <class Archive, class Rows>
void distinct_fields(Archive& a, Rows& distinct, std::int64_t teachers) {
  a.object("distinct", [&](auto& json) {
    columns(json, distinct, {}, Column{"statistic", &DistinctQuery::statistic, Whole{0, teachers}},
            Column{"log_q", &DistinctQuery::log_q,
                   Real{-std::numeric_limits<double>::max(), 0.0, -kInfinity}});
  });
}

template <class Archive, class Rows>
void occurrence_fields(Archive& a, Rows&& rows, std::int64_t queries, std::int64_t checkpoints) {
  columns(a, rows, {}, Column{"distinct", &OccurrenceRow::distinct, Whole{0, queries - 1}},
          Column{"checkpoint", &OccurrenceRow::checkpoint, Whole{0, checkpoints - 1}},
          Column{"count", &OccurrenceRow::count, Whole{1, kMaxPerPiece}},
          Column{"answered", &OccurrenceRow::answered, Whole{0, kMaxPerPiece}});
}

template <class Archive>
void utility_fields(Archive& a, Described<Archive, UtilityCounts>& utility, std::int64_t teachers) {
  using Kind = UtilityCounts::Kind;
  a("plurality_right", utility.plurality_right, Whole{0, utility.queries});
  // Rounding can exceed one.
  columns(a, utility.kinds, {}, Column{"right", &Kind::right, Real{0.0, 1.0 + 1e-9}},
          Column{"statistic", &Kind::statistic, Whole{0, teachers}},
          Column{"count", &Kind::count, Whole{1, utility.queries}});
}

std::vector<OccurrenceRow> occurrence_rows(const QueryCounts& query_counts) {
  std::vector<OccurrenceRow> rows;
  for (std::size_t i = 0; i < query_counts.distinct.size(); ++i) {
    for (const Occurrence& its : query_counts.occurrences_of(i)) {
      rows.push_back({static_cast<std::int64_t>(i),
                      static_cast<std::int64_t>(query_counts.first_checkpoint) + its.checkpoint,
                      its.count, its.answered});
    }
  }
  return rows;
}

// Occurrences are grouped by distinct query, checkpoints rise within each group.
void read_occurrences(FieldReader& a, QueryCounts& query_counts) {
  std::vector<OccurrenceRow> rows;
  occurrence_fields(a, rows, static_cast<std::int64_t>(query_counts.distinct.size()),
                    static_cast<std::int64_t>(query_counts.checkpoints.size()));
  std::int64_t counted = 0;
  query_counts.first_occurrence.assign(query_counts.distinct.size() + 1, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const OccurrenceRow& row = rows[i];
    if (row.answered > row.count) {
      a.json().at("answered").elements()[i].fail(fmt::format("at most its count, {}", row.count));
    }
    if (i > 0 && row.distinct < rows[i - 1].distinct) {
      a.json().at("distinct").elements()[i].fail("the number before, or a larger one");
    }
    DistinctQuery& query = query_counts.distinct[static_cast<std::size_t>(row.distinct)];
    query.count += row.count;
    query.answered += row.answered;
    counted += row.count;
    ++query_counts.first_occurrence[static_cast<std::size_t>(row.distinct) + 1];
    query_counts.occurrences.push_back({static_cast<std::uint32_t>(row.checkpoint),
                                        static_cast<std::uint32_t>(row.count),
                                        static_cast<std::uint32_t>(row.answered)});
  }
  for (std::size_t i = 0; i < query_counts.distinct.size(); ++i) {
    query_counts.first_occurrence[i + 1] += query_counts.first_occurrence[i];
  }
  if (counted != query_counts.queries) {
    a.json().at("count").fail(
        fmt::format("counts that add up to the {} queries of the shard, not {}",
                    query_counts.queries, counted));
  }
}

void read_utility(FieldReader& a, const QueryCounts& query_counts, UtilityCounts& utility) {
  utility.queries = query_counts.queries;
  utility_fields(a, utility, query_counts.teachers);
  std::int64_t left = query_counts.queries;
  for (const UtilityCounts::Kind& kind : utility.kinds) {
    left = kind.count > left ? -1 : left - kind.count;
    if (left < 0) break;
  }
  if (left != 0) a.json().at("count").fail("counts that add up to the queries of the shard");
}

}  // namespace

void write_partials(FieldWriter& report, const Partials& partials) {
  report.object("shard", [&](FieldWriter& shard) {
    shard_fields(shard, partials.shard, kMaxShards);
    shard("run_queries", partials.query_counts.run_queries);
  });
  report.object("partials", [&](FieldWriter& json) {
    distinct_fields(json, partials.query_counts.distinct, 0);
    json.object("occurrences", [&](FieldWriter& occurrences) {
      occurrence_fields(occurrences, occurrence_rows(partials.query_counts), 0, 0);
    });
    if (partials.utility) {
      json.object("utility",
                  [&](FieldWriter& utility) { utility_fields(utility, *partials.utility, 0); });
    }
    json.optional("exact", partials.exact,
                  ShardSize{partials.query_counts.teachers, partials.query_counts.classes, 0});
  });
}

Partials read_partials(const io::JsonValue& report) {
  Partials result;
  QueryCounts& query_counts = result.query_counts;
  FieldReader a(report);
  a.object("shard", [&](FieldReader& shard) {
    shard_fields(shard, result.shard, kMaxShards);
    shard("run_queries", query_counts.run_queries, Whole{0, kMaxQueries});
  });
  a("teachers", query_counts.teachers, Whole{0, kMaxTeachers});
  a("classes", query_counts.classes, Whole{1, kMaxTeachers});
  query_counts.queries =
      result.shard.end(query_counts.run_queries) - result.shard.begin(query_counts.run_queries);
  if (report.at("queries").integer() != query_counts.queries) {
    report.at("queries").fail(fmt::format("{}, shard {} of {} of {} queries", query_counts.queries,
                                          result.shard.index, result.shard.of,
                                          query_counts.run_queries));
  }
  query_counts.checkpoints = trajectory_checkpoints(query_counts.run_queries);
  result.has_decisions = report.at("answered").find("realized").has_value();
  a.object("partials", [&](FieldReader& json) {
    distinct_fields(json, query_counts.distinct, query_counts.teachers);
    json.object("occurrences",
                [&](FieldReader& occurrences) { read_occurrences(occurrences, query_counts); });
    if (const auto utility = json.json().find("utility")) {
      FieldReader inner(*utility);
      read_utility(inner, query_counts, result.utility.emplace());
    }
    json.optional("exact", result.exact,
                  ShardSize{query_counts.teachers, query_counts.classes, query_counts.queries});
  });
  return result;
}

}  // namespace pate::reports
