#include "pate/tuning/tuning_settings.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pate/divergence/rdp/optimal_conversion.hpp"
#include "pate/numerics/margin.hpp"

namespace pate {

namespace {

RowSelection first_rows(const RowSelection& rows, std::int64_t queries) {
  if (queries == rows.size()) return rows;
  if (rows.is_contiguous()) return RowSelection::range(rows[0], rows[0] + queries);
  std::vector<std::int64_t> list;
  for (std::int64_t i = 0; i < queries; ++i) list.push_back(rows[i]);
  return RowSelection::list(std::move(list));
}

constexpr double kSpacing = 0.05 / 64;
constexpr double kLowest = 1.01;
constexpr double kHighest = 10000.0;
// In the place of kGridOrderMargin for orders between those a stride apart: they are looked at
// where epsilon is so steep that the search on the continuum, which knows the order to 2^-17, may
// stop this much too high.
constexpr double kSteepOutwards = 5e-5;

std::vector<double> even_orders() {
  const double low = std::log(kLowest - 1.0);
  const double high = std::log(kHighest - 1.0);
  // A whole number of the widest steps, so that the highest order is one of those looked at first.
  constexpr double kWidest = 256.0;
  const auto intervals =
      static_cast<std::size_t>(kWidest * std::ceil((high - low) / (kWidest * kSpacing)));
  std::vector<double> orders;
  for (std::size_t i = 0; i <= intervals; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(intervals);
    orders.push_back(1.0 + std::exp(low + share * (high - low)));
  }
  orders.front() = kLowest;
  orders.back() = kHighest;
  return orders;
}

}  // namespace

Run run_of(const TuningVotes& votes, const Mechanism& aggregator, const Neighbours& neighbours,
           std::int64_t queries) {
  return {votes.votes, first_rows(votes.rows, queries), aggregator, neighbours, votes.student, {},
          {}};
}

TuningOrders::TuningOrders(const EpsilonKind& kind, std::size_t stride)
    : stride_(stride),
      orders_(kind.orders ? *kind.orders : even_orders()),
      conversion_(kind.conversion),
      delta_(kind.delta),
      restricted_(kind.orders.has_value()) {
  const Conversion quick = is_optimal() ? Conversion::improved : conversion_;
  for (const double order : orders_) terms_.push_back(conversion_term(quick, order, kind.delta));
  const auto after = std::lower_bound(orders_.begin(), orders_.end(), 10.0);
  start_ = std::min(static_cast<std::size_t>(after - orders_.begin()), orders_.size() - 1);
  start_ -= start_ % this->stride();
}

double TuningOrders::epsilon(std::size_t i, double rdp) const {
  if (!is_optimal() || !std::isfinite(rdp)) return quick_epsilon(i, rdp);
  const double outwards = i % stride() == 0 ? kGridOrderMargin : kSteepOutwards;
  return std::min(quick_epsilon(i, rdp),
                  quick_optimal_epsilon(rdp, orders_[i], delta_) * (1.0 + outwards));
}

double TuningOrders::quick_epsilon(std::size_t i, double rdp) const {
  const double sum = rdp + terms_[i];
  const double outwards = i % stride() == 0 ? kGridOrderMargin : kSteepOutwards;
  return std::max(sum + outwards * (rdp + std::abs(terms_[i])), 0.0);
}

}  // namespace pate
