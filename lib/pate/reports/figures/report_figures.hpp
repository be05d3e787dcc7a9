#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

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
  ensembles,    ///< how far the plurality is ahead, by the number of teachers
  accuracy,     ///< right answers against the noise, of several ensembles
};
template <>
inline constexpr std::array<Named<FigureKind>, 14> kNames<FigureKind>{{
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
    {FigureKind::ensembles, "ensembles"},
    {FigureKind::accuracy, "accuracy"},
}};

/// A name of a report for people, who need no underscores.
[[nodiscard]] std::string in_words(std::string name);

/// What a picture may be told.
struct FigureChoices {
  std::vector<std::string> labels = {};  ///< a name for each report; none: their files
  std::size_t bins = 20;                 ///< at most that many in histograms
};

/// The picture of this kind of one or more reports; of reports of --public-only what may be
/// published. Throws `input_error` naming file and field where a report does not have what the
/// picture shows, saying which command and option makes it; `parameter_error` where a kind shows
/// one report and there are more.
[[nodiscard]] Figure figure_of(FigureKind kind, std::span<const io::JsonValue> reports,
                               const FigureChoices& choices = {});

}  // namespace pate
