#include "pate/accounting/teacher_search.hpp"

#include <algorithm>
#include <cstddef>

#include "pate/accounting/exact_entries.hpp"
#include "pate/math/log_space.hpp"

namespace pate {

namespace {

// How many orders of the grid are evaluated at once: bounds memory.
constexpr std::size_t kOrdersAtOnce = 8;

// The smallest epsilons at the orders that were taken.
class Minima {
 public:
  Minima(const TeacherSums& sums, std::size_t teachers, std::span<const double> grid, double delta)
      : sums_(sums), grid_(grid), delta_(delta), run_(2 * exact_conversions().size(), none()) {
    teachers_.assign(2 * teachers, none());
  }

  // Takes the grid orders begin .. end - 1.
  void take(std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; k += kOrdersAtOnce) {
      const auto at = sums_(grid_.subspan(k, std::min(kOrdersAtOnce, end - k)));
      for (std::size_t i = 0; i < at.size(); ++i) take(k + i, at[i]);
    }
  }

  // Whether some minimum is at grid order k, an end of those that were taken.
  [[nodiscard]] bool is_best(std::size_t k) const {
    const auto here = [k](const Best& best) { return best.order == k; };
    return std::any_of(run_.begin(), run_.end(), here) ||
           std::any_of(teachers_.begin(), teachers_.end(), here);
  }

  [[nodiscard]] TeacherOptima optima() const {
    TeacherOptima result;
    for (const Best& best : run_) {
      result.run.push_back(
          {grid_[best.order], best.epsilon, best.order == 0, best.order + 1 == grid_.size()});
    }
    for (std::size_t t = 0; t < teachers_.size(); t += 2) {
      const double larger = std::max(teachers_[t].epsilon, teachers_[t + 1].epsilon);
      result.epsilon.push_back(spent_ ? std::max(larger, 0.0) : 0.0);
    }
    result.spent = spent_;
    return result;
  }

 private:
  struct Best {
    double epsilon;
    std::size_t order;
  };
  static Best none() { return {kInfinity, 0}; }
  static void improve(Best& best, std::size_t k, double epsilon) {
    // Of equal values the one at the smallest order, whatever was taken first.
    if (epsilon < best.epsilon || (epsilon == best.epsilon && k < best.order)) {
      best = {epsilon, k};
    }
  }

  void take(std::size_t k, const std::vector<TeacherSum>& sums) {
    BothDirections most;
    for (std::size_t t = 0; t < sums.size(); ++t) {
      const BothDirections rdp = sums[t].rdp();
      most = {std::max(most.forward, rdp.forward), std::max(most.reverse, rdp.reverse)};
      // The first conversion is the improved one.
      const auto epsilons = exact_epsilons(rdp, grid_[k], delta_);
      improve(teachers_[2 * t], k, epsilons[0]);
      improve(teachers_[2 * t + 1], k, epsilons[1]);
    }
    const auto epsilons = exact_epsilons(most, grid_[k], delta_);
    for (std::size_t f = 0; f < run_.size(); ++f) improve(run_[f], k, epsilons[f]);
    spent_ = spent_ || most.larger() > 0.0;
  }

  const TeacherSums& sums_;
  std::span<const double> grid_;
  double delta_;
  std::vector<Best> run_;       // by conversion and direction
  std::vector<Best> teachers_;  // by teacher and direction; improved
  bool spent_ = false;
};

}  // namespace

TeacherOptima search_teachers(const TeacherSums& sums, std::size_t teachers,
                              std::span<const double> grid, double hint, double delta) {
  Minima minima(sums, teachers, grid, delta);
  const auto near = static_cast<std::size_t>(
      std::lower_bound(grid.begin(), grid.end(), 1.0 + (hint - 1.0) / 1.2) - grid.begin());
  std::size_t begin = std::min(near, grid.size() - 1);
  std::size_t end = std::min(begin + kOrdersAtOnce, grid.size());
  minima.take(begin, end);
  while (begin > 0 && minima.is_best(begin)) {
    const std::size_t further = begin - std::min(begin, kOrdersAtOnce);
    minima.take(further, begin);
    begin = further;
  }
  while (end < grid.size() && minima.is_best(end - 1)) {
    const std::size_t further = std::min(end + kOrdersAtOnce, grid.size());
    minima.take(end, further);
    end = further;
  }
  return minima.optima();
}

TeacherOptima search_teachers(const TeacherSums& sums, std::size_t teachers,
                              std::span<const double> grid, double delta) {
  Minima minima(sums, teachers, grid, delta);
  minima.take(0, grid.size());
  return minima.optima();
}

}  // namespace pate
