#include "pate/accounting/profile_account.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pate/parallel/parallel_for.hpp"
#include "pate/profile/lower_profile.hpp"
#include "pate/profile/upper_profile.hpp"

namespace pate {

namespace {

// How much of epsilon the chords between the nodes may add, and the coarsest grid.
constexpr double kAccuracy = 1e-4;
constexpr double kCoarsest = 0x1p-9;
constexpr double kMostNodes = 0x1p22;
// Nodes times taps: below a minute.
constexpr double kMostWork = 1e11;
// Cells of the lower end, in steps of the upper one: it errs ten times less.
constexpr double kLowerCells = 4.0;

double power_of_two_below(double x) {
  return std::exp2(std::floor(std::log2(x)));
}

// Multiplications at one node for all queries.
double taps_of(const ExactRun& costs) {
  double sum = 0.0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const auto groups = static_cast<double>(costs.votes(i).groups.size());
    sum += costs.count(i) * groups * groups * 2.0 * (groups + 2.0);
  }
  return sum;
}

double step_for(const ExactRun& costs, double epsilon, double slope, double highest) {
  double queries = 0.0;
  for (std::size_t i = 0; i < costs.size(); ++i) queries += costs.count(i);
  double step = kCoarsest;
  const double wanted = std::sqrt(12.0 * kAccuracy * epsilon / (std::max(queries, 1.0) * slope));
  if (wanted < step) step = power_of_two_below(std::max(wanted, 0x1p-20));
  const double taps = taps_of(costs);
  const auto is_dear = [&] {
    const double nodes = (epsilon + highest) / step;
    return nodes > kMostNodes || nodes * taps > kMostWork;
  };
  while (step < 1.0 && is_dear()) step *= 2.0;
  return step;
}

// The neighbour with the largest moment.
std::size_t dearest(const std::vector<OutcomeTable>& tables, double order) {
  std::size_t best = 0;
  double largest = -kInfinity;
  for (std::size_t k = 0; k < tables.size(); ++k) {
    double moment = -kInfinity;
    for (const OutcomePair& o : tables[k]) {
      if (o.p > 0.0) moment = log_add(moment, std::log(o.p) + (order - 1.0) * o.loss);
    }
    if (moment > largest) {
      largest = moment;
      best = k;
    }
  }
  return best;
}

// One direction of the run.
struct Direct {
  Direct(const OptimalOrder& exact, double delta, double step)
      : order(exact.order),
        upper({step, std::max(0.5, 14.0 / std::max(1.0, exact.order - 1.0)), delta}),
        lower(kLowerCells * step, -1.5, 1.5 * std::max(exact.epsilon, 0.0) + 1.0) {}

  void take(const std::vector<OutcomeTable>& tables, std::int64_t times) {
    if (tables.empty()) return;
    const OutcomeTable& one = tables[dearest(tables, order)];
    for (std::int64_t i = 0; i < times; ++i) {
      upper.prepend(tables);
      lower.append(one);
    }
  }

  double order;
  UpperProfile upper;
  LowerProfile lower;
};

}  // namespace

std::optional<RunProfile> run_profile(ExactRun& costs, double delta, const OptimalOrder& forward,
                                      const OptimalOrder& reverse, unsigned threads,
                                      std::optional<double> step) {
  const OptimalOrder& larger = reverse.epsilon > forward.epsilon ? reverse : forward;
  if (!std::isfinite(larger.epsilon)) return std::nullopt;
  const double slope = std::max(1.0, larger.order - 1.0);
  RunProfile result;
  result.step =
      step ? *step
           : step_for(costs, std::max(larger.epsilon, 1e-3), slope, std::max(0.5, 14.0 / slope));
  std::array<Direct, 2> directions{Direct(forward, delta, result.step),
                                   Direct(reverse, delta, result.step)};
  // Sure queries come late in time, and first here.
  for (std::size_t i = costs.size(); i-- > 0;) {
    if (costs[i].outcomes() == nullptr) return std::nullopt;
    const std::vector<OutcomeTable> tables = costs[i].tables();
    const auto times = static_cast<std::int64_t>(costs.count(i));
    parallel_for(directions.size(), threads, [&](std::size_t d) {
      if (d == 0) return directions[0].take(tables, times);
      std::vector<OutcomeTable> swapped;
      for (const OutcomeTable& table : tables) swapped.push_back(reversed(table));
      directions[1].take(swapped, times);
    });
  }
  result.upper = {directions[0].upper.epsilon(delta), directions[1].upper.epsilon(delta)};
  result.lower = {directions[0].lower.epsilon(delta), directions[1].lower.epsilon(delta)};
  return result;
}

}  // namespace pate
