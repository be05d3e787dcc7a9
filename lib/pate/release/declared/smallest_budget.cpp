#include "pate/release/declared/smallest_budget.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pate/divergence/rdp/conversion.hpp"
#include "pate/numerics/log_space.hpp"

namespace pate {

namespace {

constexpr double kStepsInOne = 1000.0;

// No run passes with a probability of p at less: the condition at its own level.
double floor_of(const RunCosts& costs, const TestOrders& orders, double delta, double p) {
  return epsilon_at(costs, orders, std::min(delta / p, 0.5));
}

// The first multiple of 1 / steps at which it passes with probability p; `test(E)` gives the test
// and the costs at its orders.
template <class At>
std::optional<double> first_of_scan(const At& at, double steps, double from, double p,
                                    double largest) {
  auto k = static_cast<std::int64_t>(
      std::floor(std::clamp(from, kLeastDeclaredEpsilon, largest) * steps));
  for (;; ++k) {
    const double epsilon = std::max(static_cast<double>(k) / steps, kLeastDeclaredEpsilon);
    if (epsilon > largest) return std::nullopt;
    if (at(epsilon) >= p) return epsilon;
  }
}

}  // namespace

std::vector<std::optional<double>> smallest_declared(const DeclaredBudget& like,
                                                     const CertificateRule& rule,
                                                     std::span<const double> passes,
                                                     const CostsAtOrders& costs, double largest) {
  const auto at = [&](double epsilon) {
    const BudgetTest test(rule, {epsilon, like.delta, like.has_fallback});
    return test.ladder().pass(test.level(costs(order_cell(rule, epsilon, like.delta))));
  };
  const auto cell_of = [&](double epsilon) {
    return order_cell(rule, std::clamp(epsilon, kLeastDeclaredEpsilon, largest), like.delta);
  };
  // The first step of a scan that is of a cell: in the middle, so that rounding leaves it there.
  const auto first_of = [](const OrderCell& cell) {
    return (std::ceil(cell.from * kStepsInOne) + 0.5) / kStepsInOne;
  };
  // Cells of complex orders are narrow, and what the next one says is much the same: the test takes
  // about so much more than the run itself.
  const auto complex_beginning = [&](const auto& floor, double p) {
    constexpr double kOfTest = 1.12;
    constexpr int kMostJumps = 8;
    OrderCell cell = cell_of(like.epsilon);
    double least = floor(cell);
    double too_low = 0.0;  // cells up to here do not allow the run itself
    for (int k = 0; k < kMostJumps; ++k) {
      double next = kOfTest * least;
      if (least >= cell.below) {
        too_low = std::max(too_low, cell.below);
      } else if (least < cell.from && at(first_of(cell)) >= p) {
        next = std::min(next, std::nextafter(cell.from, 0.0));
      } else {
        break;
      }
      const OrderCell of_next = cell_of(next);
      if (of_next.from == cell.from || of_next.below <= too_low) break;
      cell = of_next;
      least = floor(cell);
    }
    return std::max(least, first_of(cell));
  };
  // From the cell of the epsilon at hand to the first that is of use: each takes time to compute.
  const auto beginning = [&](double p) {
    const auto floor = [&](const OrderCell& cell) {
      return floor_of(costs(cell), cell.orders, like.delta, p);
    };
    if (rule.certificate == Certificate::complex) return complex_beginning(floor, p);
    OrderCell cell = cell_of(like.epsilon);
    double least = floor(cell);
    constexpr double kSearchedBelow = 1.2;  // below the beginning of a table the one before may do
    while (least < kSearchedBelow * cell.from && cell.from > 0.0) {
      cell = cell_of(std::nextafter(cell.from, 0.0));
      least = floor(cell);
    }
    while (least >= cell.below) {
      cell = cell_of(cell.below);
      least = floor(cell);
    }
    return std::max(least, cell.from);
  };
  std::vector<std::optional<double>> result;
  for (const double p : passes) {
    result.push_back(first_of_scan(at, kStepsInOne, beginning(p), p, largest));
  }
  return result;
}

std::vector<std::optional<double>> smallest_declared_at(const DeclaredBudget& like,
                                                        std::span<const double> passes,
                                                        const RunCosts& costs,
                                                        const TestOrders& orders, double step,
                                                        double least, double largest) {
  const auto at = [&](double epsilon) {
    const DeclaredBudget budget{epsilon, like.delta, like.has_fallback};
    const BudgetTest test(epsilon, budget.test_delta(), PassLadder(budget.ladder()), orders);
    return test.ladder().pass(test.level(costs));
  };
  std::vector<std::optional<double>> result;
  for (const double p : passes) {
    const double from = std::max(floor_of(costs, orders, like.delta, p), least + step);
    result.push_back(first_of_scan(at, 1.0 / step, from, p, largest));
  }
  return result;
}

}  // namespace pate
