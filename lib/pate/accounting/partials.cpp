#include "pate/accounting/partials.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/exact/exact_cost.hpp"
#include "pate/votes/weighted_votes.hpp"

namespace pate {

namespace {

// The key of what exact costs tell apart: the statistic, then the groups.
QueryKey group_key(const ExactMechanism& mechanism, bool by_query) {
  return {[&mechanism](const QueryReader& reader, std::int64_t i, std::vector<std::int32_t>& key) {
            const GroupedVotes votes =
                mechanism.group(reader.counts(i), reader.scores(i), reader.left_out(i));
            key.push_back(static_cast<std::int32_t>(votes.statistic));
            for (const VoteGroup& group : votes.groups) {
              key.insert(key.end(),
                         {group.count, static_cast<std::int32_t>(group.place), group.classes});
            }
          },
          by_query};
}

ExactQuery exact_query(const DistinctQueries& counted, std::size_t i) {
  const auto key = counted.keys[i];
  ExactQuery query{{key.front(), {}}, counted.times(i).count};
  for (std::size_t g = 1; g < key.size(); g += 3) {
    query.votes.groups.push_back({key[g], static_cast<LeadRank>(key[g + 1]), key[g + 2]});
  }
  return query;
}

void add_teachers(const ExactPartials& shard, ExactPartials& sum) {
  require(shard.orders == sum.orders && shard.teachers.size() == sum.teachers.size(),
          "the exact costs of the shards are at different orders");
  for (std::size_t k = 0; k < sum.teachers.size(); ++k) {
    require(shard.teachers[k].size() == sum.teachers[k].size(),
            "the exact costs of the shards are those of different teachers");
    for (std::size_t t = 0; t < sum.teachers[k].size(); ++t) {
      sum.teachers[k][t].add(shard.teachers[k][t]);
    }
  }
}

// The rows of a shard, with the distinct queries of the sum.
void add_rows(const ExactPartials& shard, ExactPartials& sum) {
  if (!shard.rows) throw parameter_error("not all shards have the votes of single teachers");
  for (const std::uint32_t distinct : shard.rows->distinct) {
    const auto found = std::ranges::lower_bound(sum.distinct, shard.distinct[distinct].votes, {},
                                                &ExactQuery::votes);
    sum.rows->distinct.push_back(static_cast<std::uint32_t>(found - sum.distinct.begin()));
  }
  sum.rows->groups.insert(sum.rows->groups.end(), shard.rows->groups.begin(),
                          shard.rows->groups.end());
}

ExactPartials merge(std::span<const ExactPartials> shards) {
  ExactPartials result = shards.front();
  for (const ExactPartials& shard : shards.subspan(1)) {
    result.distinct.insert(result.distinct.end(), shard.distinct.begin(), shard.distinct.end());
    add_teachers(shard, result);
  }
  sort_and_join(result.distinct, &ExactQuery::votes);
  if (result.rows) {
    result.rows.emplace();
    for (const ExactPartials& shard : shards) add_rows(shard, result);
  }
  return result;
}

}  // namespace

Partials merge(std::span<const Partials> shards) {
  std::vector<QueryCounts> query_counts;
  std::vector<UtilityCounts> utilities;
  std::vector<ExactPartials> exact;
  for (const Partials& shard : shards) {
    query_counts.push_back(shard.query_counts);
    if (shard.utility) utilities.push_back(*shard.utility);
    if (shard.exact) exact.push_back(*shard.exact);
  }
  Partials result{{}, merge(query_counts), shards.front().has_decisions};
  if (!utilities.empty()) result.utility = merge(utilities);
  if (!exact.empty()) result.exact = merge(exact);
  return result;
}

CountedRun count_run(const Run& run, const RunCounting& counting) {
  CountedRun result;
  CountOptions options{counting.threads, counting.progress, nullptr, {}};
  // Of several teachers that one person reaches nobody says which they are.
  if (counting.exact != nullptr && !counting.by_query && counting.exact->moves_together()) {
    options.predictions = dynamic_cast<const PredictionVotes*>(&run.votes);
    const auto* const weighted = dynamic_cast<const WeightedVotes*>(&run.votes);
    if (weighted != nullptr) options.predictions = &weighted->predictions();
  }
  if (options.predictions != nullptr) {
    result.teachers = std::make_unique<TeacherVotes>(run, *options.predictions, *counting.exact);
    options.visit = [&](const QueryReader& reader, std::int64_t first) {
      result.teachers->keep(reader, first);
    };
  }
  std::vector<QueryKey> keys{cost_key(run)};
  if (counting.exact != nullptr) {
    keys.push_back(group_key(*counting.exact, counting.by_query || result.teachers != nullptr));
  }
  if (run.labels) keys.push_back(label_key(run));

  std::vector<DistinctQueries> counted = count_distinct(run, keys, options);
  Partials& partials = result.partials;
  partials.shard = run.shard;
  partials.has_decisions = run.decisions.has_value();
  partials.query_counts = query_counts_of(run, std::move(counted.front()));
  if (run.labels) {
    partials.utility = count_utility(run.aggregator, counted.back(), counting.threads);
  }
  if (counting.exact == nullptr) return result;
  DistinctQueries& groups = counted[1];
  partials.exact.emplace();
  for (std::size_t i = 0; i < groups.keys.size(); ++i) {
    partials.exact->distinct.push_back(exact_query(groups, i));
  }
  if (result.teachers) {
    result.teachers->set_distinct(std::move(groups.of_query));
  } else {
    result.distinct_of_query = std::move(groups.of_query);
  }
  return result;
}

}  // namespace pate
