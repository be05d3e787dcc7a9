#include "pate/release/declared/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/mechanisms/supports.hpp"
#include "pate/numerics/log_space.hpp"

namespace pate {

namespace {

constexpr double kCellsInOctave = 4.0;
// What the tables of complex moments can be made for.
constexpr double kMostTeachersInNoise = 60.0;
// By two keys, which takes minutes.
constexpr std::int64_t kMostTeachers = 2000;
constexpr double kMostRealInNoise = 99.0;
// The distance of the last level, which rounding may put one further, and that of all votes.
constexpr std::size_t kDistancesBehindLevels = 3;

// Calls use(tables) for each of the orders, in their order, as many tables at a time as a quarter
// of a gigabyte holds.
void for_orders(const CostSpec& question, std::span<const double> orders,
                const CurveTableSource& source, unsigned threads, const ProgressCallback& progress,
                const std::function<void(const CostsWithinDistance&)>& use) {
  constexpr double kMostMemory = 256e6;
  const auto at_once = static_cast<std::size_t>(
      std::max(1.0, std::floor(kMostMemory / std::max(costs_memory(question), 1.0))));
  while (!orders.empty()) {
    const std::size_t size = std::min(orders.size(), at_once);
    for (auto& costs : source.costs_at(question, orders.first(size), threads, progress)) {
      use(*costs);
      costs.reset();
    }
    orders = orders.subspan(size);
  }
}

// Why there is no certificate by complex orders of the run, if there is none: the table's reasons,
// and those of the size of the run.
std::optional<std::string> refused(const CostSpec& question) {
  if (auto found = supports(Asked::complex_certificate, circumstances_of(question))) return found;
  constexpr const char* kNeeds =
      "a certificate by complex orders needs {}: use that by Renyi orders (\1certificate renyi)";
  if (question.teachers > kMostTeachers) {
    return fmt::format(kNeeds, fmt::format("{} teachers at most", kMostTeachers));
  }
  const double reach = static_cast<double>(question.teachers) + 2.0;
  if (reach / question.aggregator.noisy_max.parameter() <= kMostTeachersInNoise) return {};
  return fmt::format(kNeeds, fmt::format("sigma2 of a sixtieth of the teachers, {:.4g} or more",
                                         std::ceil(1e3 * reach / kMostTeachersInNoise) * 1e-3));
}

}  // namespace

bool has_complex_moments(const CostSpec& question) {
  return !refused(question);
}

Certificate default_certificate(const CostSpec& question) {
  const bool is_quick = question.teachers <= KeyModuli::kMaxTeachersOfThreeKeys;
  return is_quick && has_complex_moments(question) ? Certificate::complex : Certificate::renyi;
}

void check_certificate(Certificate certificate, const CostSpec& question) {
  if (certificate == Certificate::renyi) return;
  if (const auto why = refused(question)) throw parameter_error(*why);
}

CertificateRule certificate_rule(const std::optional<Certificate>& asked,
                                 const CostSpec& question) {
  const CertificateRule rule(asked.value_or(default_certificate(question)),
                             kMostRealInNoise * question.aggregator.noisy_max.parameter());
  check_certificate(rule.certificate, question);
  return rule;
}

OrderCell order_cell(const CertificateRule& rule, double epsilon, double delta) {
  if (rule.certificate == Certificate::complex) {
    const double cell = std::floor(kCellsInOctave * std::log2(epsilon) + 0.5);
    const auto at = [](double place) { return std::exp2(place / kCellsInOctave); };
    ComplexOrders orders = complex_orders(at(cell), delta);
    for (double& a : orders.reals) a = std::min(a, rule.most_real);
    orders.reals.erase(std::unique(orders.reals.begin(), orders.reals.end()), orders.reals.end());
    return {at(cell - 0.5), at(cell + 0.5), orders};
  }
  const std::span<const DeclaredOrders> tables = declared_order_tables();
  const auto* found = tables.data();
  while (found != &tables.back() && !(epsilon < found->below)) ++found;
  return {found->from, found->below,
          std::vector<double>(found->orders.begin(), found->orders.end())};
}

std::vector<RunCosts> run_costs(const CostSpec& question, std::span<const VoteProfile> runs,
                                const TestOrders& orders, const CurveTableSource& source,
                                unsigned threads, const ProgressCallback& progress,
                                std::size_t distances) {
  if (const auto* const complex = std::get_if<ComplexOrders>(&orders)) {
    std::vector<RunCosts> found;
    for (ComplexCosts& its :
         source.complex_costs(question, *complex, runs, threads, progress, distances)) {
      found.emplace_back(CertifiedCosts(std::move(its)));
    }
    return found;
  }
  std::vector<CostsByOrder> found(runs.size());
  for_orders(question, std::get<std::vector<double>>(orders), source, threads, progress,
             [&](const CostsWithinDistance& tables) {
               for (std::size_t i = 0; i < runs.size(); ++i) {
                 found[i].push_back(tables.upper(runs[i], threads, distances));
               }
             });
  return {std::make_move_iterator(found.begin()), std::make_move_iterator(found.end())};
}

std::size_t enough_distances(const PassLadder& ladder) {
  return ladder.last() + kDistancesBehindLevels;
}

std::size_t enough_distances(const DeclaredBudget& budget) {
  return enough_distances(PassLadder(budget.ladder()));
}

RunCosts scaled(const RunCosts& costs, double times) {
  const auto scale = [&](std::vector<std::vector<CostUnits>>& all) {
    for (std::vector<CostUnits>& some : all) {
      for (CostUnits& units : some) units = scaled_units(units, times);
    }
  };
  if (const auto* const complex = std::get_if<CertifiedCosts>(&costs)) {
    ComplexCosts result = complex->costs();
    scale(result.units);
    return CertifiedCosts(std::move(result));
  }
  CostsByOrder result = std::get<CostsByOrder>(costs);
  scale(result);
  return result;
}

double epsilon_at(const RunCosts& costs, const TestOrders& orders, double delta) {
  if (const auto* const complex = std::get_if<CertifiedCosts>(&costs)) {
    return complex->at(0).epsilon(delta);
  }
  const auto& by_order = std::get<CostsByOrder>(costs);
  const auto& its = std::get<std::vector<double>>(orders);
  double least = kInfinity;
  for (std::size_t k = 0; k < its.size(); ++k) {
    const double term = conversion_term(Conversion::improved, its[k], delta);
    least = std::min(least, cost_of_units(by_order[k].front()) + term);
  }
  return least;
}

}  // namespace pate
