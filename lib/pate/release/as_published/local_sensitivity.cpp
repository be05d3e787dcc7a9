#include "pate/release/as_published/local_sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "pate/numerics/bisect.hpp"

namespace pate {

namespace {

// By v: by how much the cost changes at most when v changes by one.
std::vector<double> steps(const ThresholdCheck& check, double order, std::size_t teachers) {
  std::vector<double> costs(teachers + 1);
  for (std::size_t v = 0; v <= teachers; ++v) {
    costs[v] = threshold_published(log_q(check, static_cast<std::int64_t>(v)), check.sigma1, order);
  }
  std::vector<double> result(teachers + 1, 0.0);
  for (std::size_t v = 0; v < teachers; ++v) {
    const double step = std::abs(costs[v + 1] - costs[v]);
    result[v] = std::max(result[v], step);
    result[v + 1] = step;
  }
  return result;
}

// Chains are summed up in pieces; how they are cut depends on their number alone.
constexpr std::size_t kPieces = 256;
constexpr std::size_t kMinPiece = 16;

// A sum over histograms of functions of the distance.
class Sum {
 public:
  explicit Sum(std::size_t distances) : at_(distances, 0.0), from_(distances + 1, 0.0) {}

  void add(std::size_t d, double value) { at_[d] += value; }
  /// The value at d and all distances beyond.
  void add_from(std::size_t d, double value) { from_[std::min(d, at_.size())] += value; }
  void add(const Sum& other) {
    for (std::size_t d = 0; d < at_.size(); ++d) at_[d] += other.at_[d];
    for (std::size_t d = 0; d < from_.size(); ++d) from_[d] += other.from_[d];
  }
  [[nodiscard]] std::size_t distances() const { return at_.size(); }
  [[nodiscard]] std::vector<double> total() const {
    std::vector<double> result = at_;
    double beyond = 0.0;
    for (std::size_t d = 0; d < result.size(); ++d) {
      beyond += from_[d];
      result[d] += beyond;
    }
    return result;
  }

 private:
  std::vector<double> at_, from_;
};

// What all walks share.
struct Setting {
  Setting(const PublishedCostCurve& the_curve, std::int64_t teachers)
      : curve(the_curve),
        terms({the_curve.sigma()}, teachers),
        table(the_curve, unanimous_log_q(the_curve.sigma(), the_curve.classes(), teachers)),
        log_upper_q0(the_curve.log_q_upper(the_curve.log_q0())) {}

  const PublishedCostCurve& curve;
  GapTerms terms;
  LocalSensitivityTable table;  // below q1
  double log_upper_q0;          // B_U(q0): from there on no vote brings q down to q0
};

void append(std::vector<Gap>& gaps, std::int64_t votes, double classes) {
  if (!gaps.empty() && gaps.back().votes == votes) {
    gaps.back().classes += classes;
  } else {
    gaps.push_back({votes, classes});
  }
}

// Local sensitivities below q1 on the path from `counts` on which votes move from the largest to
// the second largest count. The path ends before the two counts cross: with a gap of at most one
// vote q is above q0, which is at most exp(-(1 + 1/sigma)^2).
std::vector<double> walk_down(const Setting& setting, std::span<const std::int32_t> counts) {
  std::vector<Gap> gaps{{-1, 0.0}};  // the first is the second largest count's, none of the others'
  for (const std::int64_t votes : counts.subspan(2)) append(gaps, counts[0] - votes, 1.0);
  const auto behind = static_cast<double>(counts.size() - 1);
  const std::int64_t gap = std::int64_t{counts[0]} - counts[1];
  std::vector<double> values;
  for (std::int64_t k = 0; gap - 2 * k >= 0; ++k) {
    gaps.front() = {gap - k, 1.0};  // shifted by another -k below
    const double log_q = setting.terms.log_q(gaps, behind, -k);
    if (!(log_q < setting.curve.log_q1())) break;
    values.push_back(setting.table(log_q));
  }
  return values;
}

// A histogram and the path from it on which votes move from the second largest count of the moment
// to the largest: the other counts are levelled from above.
class Climb {
 public:
  Climb(const Setting& setting, std::span<const std::int32_t> counts)
      : setting_(setting), top_(counts[0]), others_(counts.subspan(1)), sums_(counts.size(), 0) {
    for (std::size_t j = 0; j < others_.size(); ++j) sums_[j + 1] = sums_[j] + others_[j];
  }
  /// How many steps there are.
  [[nodiscard]] std::int64_t steps() const { return sums_.back(); }

  [[nodiscard]] double log_q(std::int64_t step) {
    // The first `high` of the others have been levelled: as few as have so many votes above the
    // next.
    std::size_t high = 1;
    while (high < others_.size() &&
           sums_[high] - static_cast<std::int64_t>(high) * others_[high] < step) {
      ++high;
    }
    const auto size = static_cast<std::int64_t>(high);
    const std::int64_t left = sums_[high] - step;
    const std::int64_t top = top_ + step;
    gaps_.clear();
    if (left % size > 0) append(gaps_, top - left / size - 1, static_cast<double>(left % size));
    append(gaps_, top - left / size, static_cast<double>(size - left % size));
    for (std::size_t j = high; j < others_.size(); ++j) append(gaps_, top - others_[j], 1.0);
    return setting_.terms.log_q(gaps_, static_cast<double>(others_.size()), 0);
  }
  /// The first step with log q < bound, or steps() if there is none before.
  [[nodiscard]] std::int64_t first_below(double bound) {
    return bisect(steps(), std::int64_t{-1},
                  [&](std::int64_t step) { return log_q(step) < bound; });
  }

 private:
  const Setting& setting_;
  std::int64_t top_;
  std::span<const std::int32_t> others_;
  std::vector<std::int64_t> sums_;
  std::vector<Gap> gaps_;
};

// Adds the sensitivities of a histogram with q >= q1.
void add_from_above(const Setting& setting, const VoteChains::Link& link, Sum& sum) {
  const PublishedCostCurve& curve = setting.curve;
  Climb climb(setting, link.counts);
  // Until q < B_U(q0) one vote changes nothing.
  std::int64_t step = climb.first_below(setting.log_upper_q0);
  for (;; ++step) {
    const auto d = static_cast<std::size_t>(step);
    const double log_q = climb.log_q(step);
    const bool arrived = log_q <= curve.log_q0();
    const double value =
        arrived ? curve.largest_local_sensitivity() : curve.local_sensitivity(log_q);
    if (arrived || step == climb.steps() || d >= sum.distances()) {
      sum.add_from(d, link.weight * value);
      return;
    }
    sum.add(d, link.weight * value);
  }
}

void add_chain(const Setting& setting, const VoteChains& chains, std::size_t chain, Sum& sum) {
  const std::size_t begin = chains.begin(chain);
  const std::size_t end = chains.begin(chain + 1);
  const std::int32_t top = chains.link(begin).counts[0];
  const std::vector<double> path = walk_down(setting, chains.link(begin).counts);
  for (std::size_t i = begin; i < end; ++i) {
    const VoteChains::Link link = chains.link(i);
    const auto offset = static_cast<std::size_t>(top - link.counts[0]);
    if (offset >= path.size()) {
      add_from_above(setting, link, sum);
      continue;
    }
    const std::size_t below = std::min(path.size() - offset, sum.distances());
    for (std::size_t d = 0; d < below; ++d) sum.add(d, link.weight * path[offset + d]);
    sum.add_from(path.size() - offset, link.weight * setting.curve.largest_local_sensitivity());
  }
}

}  // namespace

std::vector<double> published_threshold_sensitivity(const ThresholdCheck& check, double order,
                                                    std::span<const WeightedStatistic> queries,
                                                    std::int64_t teachers) {
  const auto size = static_cast<std::size_t>(teachers);
  const std::vector<double> step = steps(check, order, size);
  std::vector<double> total(size, 0.0);
  for (const WeightedStatistic& query : queries) {
    const auto v = static_cast<std::size_t>(query.statistic);
    double largest = 0.0;
    for (std::size_t d = 0; d < size; ++d) {
      if (v + d <= size) largest = std::max(largest, step[v + d]);
      if (d <= v) largest = std::max(largest, step[v - d]);
      total[d] += query.weight * largest;
    }
  }
  return total;
}

double unanimous_log_q(double sigma, std::int64_t classes, std::int64_t teachers) {
  const double all_but_one = std::log1p(-1.0 / static_cast<double>(classes));
  return std::min(std::log(static_cast<double>(classes - 1)) +
                      log_pair_probability(GaussianNoisyMax{sigma}, teachers),
                  all_but_one);
}

std::vector<double> published_noisy_max_sensitivity(const PublishedCostCurve& curve,
                                                    const WeightedHistograms& histograms,
                                                    std::int64_t teachers, unsigned threads) {
  const auto distances = static_cast<std::size_t>(teachers);
  const VoteChains chains(histograms);
  const Setting setting(curve, teachers);
  const std::size_t piece = std::max(kMinPiece, (chains.size() + kPieces - 1) / kPieces);
  std::vector<Sum> sums((chains.size() + piece - 1) / piece, Sum(distances));
  parallel_for(sums.size(), threads, [&](std::size_t k) {
    const std::size_t end = std::min((k + 1) * piece, chains.size());
    for (std::size_t i = k * piece; i < end; ++i) add_chain(setting, chains, i, sums[k]);
  });
  Sum total(distances);
  for (const Sum& sum : sums) total.add(sum);
  return total.total();
}

}  // namespace pate
