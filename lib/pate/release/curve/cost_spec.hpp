#pragma once

#include <cstdint>

#include "pate/accounting/names.hpp"
#include "pate/mechanisms/aggregator.hpp"
#include "pate/mechanisms/supports.hpp"
#include "pate/release/sensitivity/local_sensitivity.hpp"

namespace pate {

/// What bounds the forward cost of a query in a release through a curve.
enum class CurveCost {
  tilted,    ///< Gaussian noise: TiltedCost
  exact,     ///< two classes and Gaussian noise, no student
  tradeoff,  ///< any noise: the trade-off bound at an integer q
};
template <>
inline constexpr std::array<Named<CurveCost>, 3> kNames<CurveCost>{{
    {CurveCost::tilted, "tilted"},
    {CurveCost::exact, "exact"},
    {CurveCost::tradeoff, "tradeoff"},
}};

/// What is asked of the costs: public, all of it.
struct CostSpec {
  Aggregator aggregator;
  Neighbours neighbours;
  std::int64_t teachers = 0;
  std::int64_t classes = 0;
  double order = 0.0;
  CurveCost cost = CurveCost::tilted;
  ReleasedCost reading = ReleasedCost::joint;
};

/// Bytes that tables of the costs take, about.
[[nodiscard]] double costs_memory(const CostSpec& question);

/// Whether there are tables of the tilted cost for these neighbours: with several votes that move,
/// those by three keys alone.
[[nodiscard]] bool has_tilted_cost(const Neighbours& neighbours, std::int64_t teachers);

/// The cost that suits an aggregator: exact for two classes, tilted for more, trade-off for Laplace
/// noise and where there are no tables of the tilted one.
[[nodiscard]] CurveCost default_cost(const Aggregator& aggregator, const Neighbours& neighbours,
                                     std::int64_t teachers, std::int64_t classes);

/// Every query of a list at the cost that suits the aggregator; its order is still to be set.
[[nodiscard]] CostSpec joint_question(const Aggregator& aggregator, const Neighbours& neighbours,
                                      std::int64_t teachers, std::int64_t classes);

/// What is asked, for the table of what is known.
[[nodiscard]] Circumstances circumstances_of(const CostSpec& question);

/// Throws `parameter_error` for what `supports` has not, for a single class and for no teacher, and
/// for a tilted cost where `has_tilted_cost` says that there is none.
void validate(const CostSpec& question);

}  // namespace pate
