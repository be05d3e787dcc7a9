#pragma once

#include <array>
#include <span>
#include <string>

#include "pate/accounting/names.hpp"
#include "pate/base/json.hpp"
#include "pate/reports/figures/figure.hpp"

namespace pate {

/// What a picture shows of reports.
enum class FigureKind {
  cumulative,   ///< epsilon against answers, as a run goes on; reports overlaid
  partition,    ///< where the budget goes
  votes,        ///< how many votes the plurality has, over the queries
  gaps,         ///< how far it is ahead of the next class
  orders,       ///< RDP and epsilon by Renyi order, bounds compared
  pareto,       ///< epsilon against answers over a grid, with its front
  heatmap,      ///< epsilon, and what is wanted, over two parameters of a grid
  parameter,    ///< both over its only parameter, and against each other; reports overlaid
  teachers,     ///< epsilon of every teacher
  sensitivity,  ///< how much the cost of a query may change with one vote, by q
  profile,      ///< delta against epsilon
  gamma,        ///< the noise function of a private majority
};
template <>
inline constexpr std::array<Named<FigureKind>, 12> kNames<FigureKind>{{
    {FigureKind::cumulative, "cumulative"},
    {FigureKind::partition, "partition"},
    {FigureKind::votes, "votes"},
    {FigureKind::gaps, "gaps"},
    {FigureKind::orders, "orders"},
    {FigureKind::pareto, "pareto"},
    {FigureKind::heatmap, "heatmap"},
    {FigureKind::parameter, "parameter"},
    {FigureKind::teachers, "teachers"},
    {FigureKind::sensitivity, "sensitivity"},
    {FigureKind::profile, "profile"},
    {FigureKind::gamma, "gamma"},
}};

/// A name of a report for people, who need no underscores.
[[nodiscard]] std::string in_words(std::string name);

/// The picture of this kind of one or more reports, which are named by their files; of reports of
/// --public-only what may be published. Throws
/// `input_error` naming file and field where a report does not have what the picture shows, saying
/// which command and option makes it; `parameter_error` where a kind shows one report and there are
/// more.
[[nodiscard]] Figure figure_of(FigureKind kind, std::span<const io::JsonValue> reports);

}  // namespace pate
