#include "pate/release/as_published/release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "pate/accounting/circumstances.hpp"
#include "pate/accounting/cost_sums.hpp"
#include "pate/accounting/direct_costs.hpp"
#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "pate/release/as_published/local_sensitivity.hpp"

namespace pate {

namespace {

constexpr int kFirstBeta = 30;  // hundredths of 1/lambda
constexpr int kLastBeta = 49;

Gnss with_beta(std::span<const double> local_sensitivity, double order, double beta,
               std::optional<double> sigma_ss) {
  Gnss result;
  result.beta = beta;
  result.smooth_sensitivity = gnss_smooth_sensitivity(local_sensitivity, beta);
  if (sigma_ss) {
    result.sigma_ss = *sigma_ss;
  } else if (result.smooth_sensitivity > 0.0) {
    result.sigma_ss = std::cbrt(order * std::exp(2.0 * beta) / result.smooth_sensitivity);
  } else {
    result.sigma_ss = std::numeric_limits<double>::infinity();
  }
  result.cost = gnss_cost(order, beta, result.sigma_ss);
  if (result.smooth_sensitivity > 0.0) result.sd = result.smooth_sensitivity * result.sigma_ss;
  return result;
}

constexpr std::int64_t kMaxTeachers = std::int64_t{1} << 24;

std::vector<double> make_orders() {
  std::vector<double> orders;
  for (int i = 4; i <= 201; ++i) orders.push_back(0.5 * i);
  for (int i = 0; i < 100; ++i) orders.push_back(100.0 * std::pow(5.0, i / 99.0));
  return validated_orders(std::move(orders));
}

// The cost at the best of the orders that are allowed.
RunCost best_cost(const CostInputs& inputs, const AsPublishedSettings& settings) {
  std::vector<double> orders(as_published_orders().begin(), as_published_orders().end());
  if (settings.order) orders = validated_orders({*settings.order});
  const std::vector<RunCost> costs = run_costs(inputs, Bound::published, orders, settings.threads);
  const auto epsilon = [&](const RunCost& cost) {
    return epsilon_from_rdp(Conversion::classic, cost.rdp(settings.reading), cost.order,
                            settings.delta);
  };
  const auto best =
      std::min_element(costs.begin(), costs.end(),
                       [&](const RunCost& a, const RunCost& b) { return epsilon(a) < epsilon(b); });
  return direct_cost(inputs, Bound::published, best->order, settings.threads);
}

std::vector<double> selection_sensitivity(const CostInputs& inputs, double order) {
  std::vector<WeightedStatistic> queries;
  for (const CostInputs::Statistic& statistic : inputs.statistics()) {
    queries.push_back({statistic.value, statistic.queries});
  }
  return published_threshold_sensitivity(*inputs.aggregator().noisy().selection, order, queries,
                                         inputs.query_counts().teachers);
}

void check(const Run& run, const AsPublishedSettings& settings) {
  validate(run);
  require(Asked::published_release, circumstances_of(run));
  validate_delta(settings.delta);
  if (run.rows.empty())
    throw parameter_error("no queries were selected: there is nothing to release");
  require(run.votes.teachers() <= kMaxTeachers,
          "S18's procedure is computed for up to {} teachers, got {}", kMaxTeachers,
          run.votes.teachers());
}

}  // namespace

double gnss_cost(double order, double beta, double sigma_ss) {
  require_positive(beta, "beta");
  require(sigma_ss > 0.0, "sigma-ss must be > 0, got {}", sigma_ss);
  if (!(order > 1.0 && 2.0 * order * beta < 1.0)) {
    throw validity_error(fmt::format(
        "the published release cost needs 1 < order < 1/(2 beta), got order {} and beta {}, where "
        "1/(2 beta) is {:.6g}",
        order, beta, 0.5 / beta));
  }
  const double means = order * std::exp(2.0 * beta) / sigma_ss / sigma_ss;
  const double variances = -0.5 * std::log1p(-2.0 * order * beta) + order * beta;
  return means + variances / (order - 1.0);
}

double gnss_smooth_sensitivity(std::span<const double> local_sensitivity, double beta) {
  double largest = 0.0;
  for (std::size_t d = 0; d < local_sensitivity.size(); ++d) {
    if (!(local_sensitivity[d] > largest)) continue;  // the factor is at most one
    largest = std::max(largest, std::exp(-beta * static_cast<double>(d)) * local_sensitivity[d]);
  }
  return largest;
}

Gnss choose_gnss(std::span<const double> local_sensitivity, double order,
                 std::optional<double> beta, std::optional<double> sigma_ss) {
  if (beta) return with_beta(local_sensitivity, order, *beta, sigma_ss);
  std::optional<Gnss> best;
  for (int hundredths = kFirstBeta; hundredths <= kLastBeta; ++hundredths) {
    const Gnss gnss = with_beta(local_sensitivity, order, 0.01 * hundredths / order, sigma_ss);
    if (!best || gnss.cost + 2.0 * gnss.sd < best->cost + 2.0 * best->sd) best = gnss;
  }
  return *best;
}

std::span<const double> as_published_orders() {
  static const std::vector<double> orders = make_orders();
  return orders;
}

AsPublishedRelease release_as_published(const Run& run, const AsPublishedSettings& settings) {
  check(run, settings);
  const std::array keys{cost_key(run), sorted_histogram()};
  auto counted = count_distinct(run, keys, {.threads = settings.threads});
  const WeightedHistograms histograms = weighted_histograms(run, settings.reading, counted[1]);
  const QueryCounts counted_queries = query_counts_of(run, std::move(counted[0]));
  const CostInputs inputs(counted_queries, run.aggregator, run.neighbours, settings.threads);
  const RunCost cost = best_cost(inputs, settings);

  AsPublishedRelease result;
  result.order = cost.order;
  result.rdp = cost.rdp(settings.reading);
  result.noisy_max_sensitivity.assign(static_cast<std::size_t>(counted_queries.teachers), 0.0);
  if (run.aggregator.refuses()) {
    result.selection_sensitivity = selection_sensitivity(inputs, cost.order);
  }
  if (counted_queries.classes > 1) {
    const double sigma = run.aggregator.noisy().noisy_max.gaussian().sigma;
    const PublishedCostCurve curve(sigma, cost.order, counted_queries.classes);
    const double lowest = unanimous_log_q(sigma, counted_queries.classes, counted_queries.teachers);
    result.conditions = check_conditions(curve, lowest);
    result.log_q0 = curve.log_q0();
    result.log_q1 = curve.log_q1();
    if (settings.curve) result.curve = sensitivity_curve(curve, lowest);
    result.noisy_max_data_independent = lowest >= curve.log_q0();
    if (result.noisy_max_data_independent) {
      result.rdp = cost.selection + histograms.total_weight() * curve.data_independent();
    } else {
      require(result.conditions, curve);
      result.noisy_max_sensitivity = published_noisy_max_sensitivity(
          curve, histograms, counted_queries.teachers, settings.threads);
    }
  }
  result.local_sensitivity = result.noisy_max_sensitivity;
  for (std::size_t d = 0; d < result.selection_sensitivity.size(); ++d) {
    result.local_sensitivity[d] += result.selection_sensitivity[d];
  }
  result.gnss =
      choose_gnss(result.local_sensitivity, result.order, settings.beta, settings.sigma_ss);
  result.epsilon_before =
      epsilon_from_rdp(Conversion::classic, result.rdp, result.order, settings.delta);
  result.epsilon = result.epsilon_before + result.gnss.cost;
  return result;
}

}  // namespace pate
