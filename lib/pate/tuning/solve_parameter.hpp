#pragma once

#include "pate/tuning/tuning_settings.hpp"

namespace pate {

/// What the budget of a run on given votes can be solved for.
enum class SolvedFor { sigma2, queries };
template <>
inline constexpr std::array<Named<SolvedFor>, 2> kNames<SolvedFor>{{
    {SolvedFor::sigma2, "sigma2"},
    {SolvedFor::queries, "queries"},
}};

/// What was found.
struct SolvedParameter {
  SolvedFor parameter = SolvedFor::sigma2;
  double value = 0.0;
  double epsilon = 0.0;  ///< of the run with it: at most the budget
  bool at_end = false;   ///< all queries keep the budget, or the least noise that is looked at
};

/// The least sigma2, or the most of the first queries, with which a run on these votes costs at
/// most `max_epsilon`, as points of a grid are judged.
///
///     queries   exact: a run costs more with every query
///     sigma2    within 1e-6, relative, of a value below which epsilon is larger, among values from
///               teachers / 1000 to 1000 teachers. Epsilon need not fall with the noise where
///               teachers agree: values are looked at 1.3 apart from the least on, and the first
///               stretch that keeps the budget there is the one whose least value is found.
///
/// aggregator: of which sigma2 is not read where it is looked for; Gaussian noise then. Plugging
/// the value in gives `epsilon`. Throws `parameter_error` for settings out of range and
/// `validity_error` where no value keeps the budget.
[[nodiscard]] SolvedParameter solve_parameter(const TuningVotes& votes,
                                              const Aggregator& aggregator,
                                              const Neighbours& neighbours,
                                              const GridSettings& settings, double max_epsilon,
                                              SolvedFor parameter);

}  // namespace pate
