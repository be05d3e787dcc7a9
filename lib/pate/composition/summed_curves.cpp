#include "pate/composition/summed_curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>

#include "pate/math/sums.hpp"

namespace pate {

namespace {

using Curve = std::vector<double>;

constexpr std::array kCurves{&RdpCurves::selection, &RdpCurves::noisy_max, &RdpCurves::joint,
                             &RdpCurves::noisy_max_realized, &RdpCurves::spent_variance};

// The curve of a part at `orders`, all of which it has.
Curve at_orders(const Curve& curve, const std::vector<double>& its_orders,
                std::span<const double> orders) {
  Curve result;
  std::size_t i = 0;
  for (const double order : orders) {
    while (its_orders[i] != order) ++i;
    result.push_back(curve[i]);
  }
  return result;
}

bool has_selection(const Part& part) {
  return !part.steps.threshold_checks.empty();
}

// What a part without votes costs under any bound and reading.
RdpCurves worst_case_curves(const Part& part, std::span<const double> orders) {
  RdpCurves curves;
  for (const double order : orders) {
    const QueryCost cost = part.steps.rdp(order);
    curves.selection.push_back(cost.selection);
    curves.noisy_max.push_back(cost.noisy_max);
    curves.joint.push_back(cost.total());
  }
  curves.noisy_max_realized = curves.noisy_max;
  curves.spent_variance.assign(orders.size(), 0.0);
  return curves;
}

RdpCurves curves_of(const Part& part, Bound bound, std::span<const double> orders) {
  if (part.curves.empty()) return worst_case_curves(part, orders);
  const RdpCurves& its = part.curves.at(bound);
  RdpCurves curves;
  for (const auto curve : kCurves) {
    if (!(its.*curve).empty()) curves.*curve = at_orders(its.*curve, part.orders, orders);
  }
  if (!has_selection(part)) {
    // Every query is answered: the readings coincide.
    curves.noisy_max_realized = curves.noisy_max;
    curves.spent_variance.assign(orders.size(), 0.0);
  }
  return curves;
}

Curve sum(const std::vector<RdpCurves>& all, Curve RdpCurves::*curve, std::size_t orders) {
  for (const RdpCurves& curves : all) {
    if ((curves.*curve).size() != orders) return {};
  }
  Curve result;
  for (std::size_t j = 0; j < orders; ++j) {
    CompensatedSum total;
    for (const RdpCurves& curves : all) total.add((curves.*curve)[j]);
    result.push_back(total.value());
  }
  return result;
}

}  // namespace

std::map<Bound, RdpCurves> summed_curves(std::span<const Part> parts,
                                         std::span<const double> orders,
                                         std::vector<Notice>& notices) {
  std::set<Bound> bounds;
  for (const Part& part : parts) {
    for (const auto& entry : part.curves) bounds.insert(entry.first);
  }
  std::map<Bound, RdpCurves> result;
  for (const Bound bound : bounds) {
    const auto lacks = std::find_if(parts.begin(), parts.end(), [&](const Part& part) {
      return !part.curves.empty() && !part.curves.contains(bound);
    });
    if (lacks != parts.end()) {
      notices.push_back({"bound_left_out", fmt::format("{}: the bound {} is not in this report, "
                                                       "and therefore not in the sum",
                                                       lacks->name, name(bound))});
      continue;
    }
    std::vector<RdpCurves> all;
    for (const Part& part : parts) all.push_back(curves_of(part, bound, orders));
    RdpCurves& total = result[bound];
    for (const auto curve : kCurves) total.*curve = sum(all, curve, orders.size());
  }
  return result;
}

std::optional<ExactCurves> summed_exact_curves(std::span<const Part> parts,
                                               std::span<const double> orders,
                                               std::vector<Notice>& notices) {
  const auto has = [](const Part& part) { return part.exact.has_value(); };
  if (std::none_of(parts.begin(), parts.end(), has)) return std::nullopt;
  const auto lacks = std::find_if(parts.begin(), parts.end(), [&](const Part& part) {
    return !has(part) && !part.curves.empty();
  });
  if (lacks != parts.end()) {
    notices.push_back(
        {"bound_left_out", fmt::format("{}: exact RDP at the orders is not in this report, and "
                                       "therefore not in the sum; analyze with --exact --orders",
                                       lacks->name)});
    return std::nullopt;
  }
  std::vector<CompensatedSum> forward(orders.size());
  std::vector<CompensatedSum> reverse(orders.size());
  for (const Part& part : parts) {
    ExactCurves its;
    if (part.exact) {
      its.forward = at_orders(part.exact->forward, part.orders, orders);
      its.reverse = at_orders(part.exact->reverse, part.orders, orders);
    } else {
      its.forward = its.reverse = worst_case_curves(part, orders).joint;
    }
    for (std::size_t j = 0; j < orders.size(); ++j) {
      forward[j].add(its.forward[j]);
      reverse[j].add(its.reverse[j]);
    }
  }
  ExactCurves total;
  for (std::size_t j = 0; j < orders.size(); ++j) {
    total.forward.push_back(forward[j].value());
    total.reverse.push_back(reverse[j].value());
  }
  return total;
}

std::vector<double> rdp_of(const RdpCurves& curves, Reading reading, bool has_selection) {
  if (reading == Reading::joint) return curves.joint;
  const Curve& noisy_max =
      reading == Reading::realized ? curves.noisy_max_realized : curves.noisy_max;
  if (reading == Reading::worst_case || noisy_max.empty()) return {};
  Curve result;
  for (std::size_t j = 0; j < noisy_max.size(); ++j) {
    result.push_back((has_selection ? curves.selection[j] : 0.0) + noisy_max[j]);
  }
  return result;
}

}  // namespace pate
