#include "pate/tuning/agreement.hpp"

#include <algorithm>
#include <map>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/mechanisms/aggregator.hpp"
#include "pate/mechanisms/plurality_probability.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

// By distinct query.
std::vector<double> plurality_probabilities(const NoisyMax& noisy_max, std::int64_t classes,
                                            const KeyList& keys, unsigned threads) {
  constexpr std::size_t kPiece = 128;
  // A lead that few queries have is not worth a row.
  std::int32_t lead = 0;
  std::size_t leads = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto counts = keys[i].subspan(1);
    leads += counts.size();
    if (!counts.empty()) lead = std::max(lead, static_cast<std::int32_t>(counts.front()));
  }
  lead = static_cast<std::int32_t>(std::min(static_cast<std::size_t>(lead), leads / 4));
  const PluralityTable table(noisy_max, static_cast<std::size_t>(classes), lead);
  std::vector<double> result(keys.size());
  parallel_for((keys.size() + kPiece - 1) / kPiece, threads, [&](std::size_t piece) {
    const std::size_t end = std::min((piece + 1) * kPiece, keys.size());
    for (std::size_t i = piece * kPiece; i < end; ++i) {
      result[i] = table.of(keys[i].subspan(1));
    }
  });
  return result;
}

}  // namespace

std::vector<AgreeingQueries> agreement_of(const NoisyMax& noisy_max, std::int64_t classes,
                                          const DistinctQueries& counted, unsigned threads) {
  const auto probabilities = plurality_probabilities(noisy_max, classes, counted.keys, threads);
  std::map<std::int64_t, CompensatedSum> sums;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    sums[counted.keys[i].front()].add(static_cast<double>(counted.times(i).count) *
                                      probabilities[i]);
  }
  std::vector<AgreeingQueries> result;
  for (const auto& [statistic, sum] : sums) result.push_back({statistic, sum.value()});
  return result;
}

std::vector<AgreeingQueries> agreement_by_query(const NoisyMax& noisy_max, std::int64_t classes,
                                                const DistinctQueries& counted, unsigned threads) {
  const auto probabilities = plurality_probabilities(noisy_max, classes, counted.keys, threads);
  std::vector<AgreeingQueries> result;
  result.reserve(counted.of_query.size());
  for (const std::uint32_t i : counted.of_query) {
    result.push_back({counted.keys[i].front(), probabilities[i]});
  }
  return result;
}

double expected_agreeing(const Aggregator& aggregator,
                         const std::vector<AgreeingQueries>& agreement) {
  const Mechanism mechanism = aggregator;
  CompensatedSum sum;
  for (const auto& [statistic, agreeing] : agreement) {
    sum.add(probability_answered(mechanism, statistic) * agreeing);
  }
  return sum.value();
}

}  // namespace pate
