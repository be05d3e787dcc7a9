#include "cli/commands/summaries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/exit_status.hpp"
#include "cli/options/output.hpp"
#include "pate/reports/rounds_report.hpp"
#include "pate/reports/tune_report.hpp"

namespace pate::cli {

namespace {

using Out = std::back_insert_iterator<std::string>;

// Rows of the front that are shown; of a longer one every so many.
constexpr std::size_t kRows = 12;

// The columns of a point: their titles, and the values below them, for people and to the last bit.
struct Row {
  std::vector<std::string> titles, values, exact;

  void add(std::string_view title, std::string value) {
    titles.emplace_back(title);
    exact.push_back(value);
    values.push_back(std::move(value));
  }
  void add(std::string_view title, std::string value, double number) {
    add(title, std::move(value));
    exact.back() = fmt::format("{}", number);
  }
};

// A head and a line for each row, the marked one with a star; columns as wide as what is in them.
std::string table_of(const std::vector<Row>& rows, std::optional<std::size_t> marked = {}) {
  if (rows.empty()) return {};
  std::vector<std::size_t> widths;
  for (const std::string& title : rows.front().titles) widths.push_back(title.size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      widths[i] = std::max({widths[i], row.values[i].size(), std::size_t{7}});
    }
  }
  std::string text;
  const auto add = [&](char mark, const std::vector<std::string>& cells) {
    text += mark;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      fmt::format_to(std::back_inserter(text), "  {:>{}}", cells[i], widths[i]);
    }
    text += '\n';
  };
  add(' ', rows.front().titles);
  for (std::size_t k = 0; k < rows.size(); ++k) add(marked == k ? '*' : ' ', rows[k].values);
  return text;
}

// Where the points of the front are, by epsilon.
std::vector<std::size_t> front_of(const Tuning& tuning) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < tuning.points.size(); ++i) {
    if (tuning.points[i].pareto) positions.push_back(i);
  }
  std::sort(positions.begin(), positions.end(), [&](std::size_t a, std::size_t b) {
    return tuning.points[a].point.epsilon < tuning.points[b].point.epsilon;
  });
  return positions;
}

Row row_of(const Tuning& tuning, const reports::TuneContext& context, const Mechanism& mechanism,
           const TuningPoint& point, const TunedPoint& on_grid) {
  Row row;
  const auto add = [&](const char* column, double parameter) {
    row.add(column, fmt::format("{:.6g}", parameter), parameter);
  };
  if (const StabilityTest* const test = mechanism.ptr()) {
    add(test->is_gaussian() ? "ptr-sigma" : "ptr-eps", test_parameter(*test));
    add("delta", test->delta());
  } else {
    const Aggregator& aggregator = mechanism.noisy();
    if (aggregator.selection) {
      add("threshold", aggregator.selection->threshold);
      add("sigma1", aggregator.selection->sigma1);
    }
    add(aggregator.noisy_max.names().column, aggregator.noisy_max.parameter());
  }
  row.add("epsilon", epsilon_text(point.epsilon), point.epsilon);
  if (!mechanism.ptr()) row.add("any votes", epsilon_text(point.any_votes), point.any_votes);
  if (tuning.ranked_by_release) {
    if (on_grid.released) {
      row.add("released", epsilon_text(on_grid.released->mean), on_grid.released->mean);
    } else {
      row.add("released", "-");
    }
  }
  row.add("answered", fmt::format("{:.1f}", point.answered), point.answered);
  const auto share = [&](const char* title, double number) {
    if (point.answered > 0.0) {
      const double of_answers = number / point.answered;
      row.add(title, fmt::format("{:.2f} %", 100.0 * of_answers), of_answers);
    } else {
      row.add(title, "-");
    }
  };
  if (!tuning.has_labels) {
    row.add("agreeing", fmt::format("{:.1f}", point.agreeing), point.agreeing);
  }
  share("agreement", point.agreeing);
  if (tuning.has_labels) {
    row.add("correct", fmt::format("{:.1f}", point.right), point.right);
    share("accuracy", point.right);
  }
  if (context.settings.grid.max_answers) {
    row.add("queries", fmt::format("{}", point.queries));
  }
  return row;
}

std::string goal_text(const TuneSettings& settings, bool by_release) {
  const TuningGoal& goal = settings.goal;
  std::string text = goal.objective == Objective::answered   ? "most answers"
                     : goal.objective == Objective::agreeing ? "most answers that are the plurality"
                     : goal.objective == Objective::correct  ? "most right answers"
                     : by_release                            ? "smallest mean released epsilon"
                                                             : "smallest epsilon";
  if (goal.max_epsilon) {
    text += fmt::format(", {} <= {:g}", by_release ? "mean released epsilon" : "epsilon",
                        *goal.max_epsilon);
  }
  if (goal.min_answered) text += fmt::format(", at least {:g} answers", *goal.min_answered);
  if (goal.min_right) {
    text += fmt::format(", at least {:g} answers that are {}", *goal.min_right,
                        goal.labelled ? "right" : "the plurality");
  }
  if (goal.min_agreement) {
    text += fmt::format(", at least {:g} % agreement", 100.0 * *goal.min_agreement);
  }
  if (goal.min_accuracy) {
    text += fmt::format(", at least {:g} % accuracy", 100.0 * *goal.min_accuracy);
  }
  if (settings.grid.max_answers) {
    text += fmt::format(", at most {:g} answers", *settings.grid.max_answers);
  }
  return text;
}

void front(Out out, const Tuning& tuning, const reports::TuneContext& context) {
  const std::vector<std::size_t> positions = front_of(tuning);
  if (positions.empty()) return;
  const std::size_t all = positions.size();
  const std::size_t rows = std::min(all, kRows);
  fmt::format_to(out, "\nPareto front{}, {} points{}:\n",
                 context.settings.search ? " of the coarse grid" : "", all,
                 rows < all ? fmt::format(" ({} shown)", rows) : "");
  std::vector<Row> table;
  std::optional<std::size_t> marked;
  for (std::size_t k = 0; k < rows; ++k) {
    const std::size_t position = positions[rows == 1 ? 0 : k * (all - 1) / (rows - 1)];
    const TunedPoint& p = tuning.points[position];
    if (tuning.choice.best == position && !tuning.continuum) marked = k;
    table.push_back(row_of(tuning, context, tuning.grid.mechanism(p.index), p.point, p));
  }
  fmt::format_to(out, "{}", table_of(table, marked));
}

// One of both rounds, or both together.
Row rounds_row(const std::string& round, const Aggregator* aggregator, double epsilon,
               double answered, double agreeing, const double* right) {
  Row row;
  row.add("round", round);
  const auto number = [&](double value) {
    return aggregator != nullptr ? fmt::format("{:.6g}", value) : std::string();
  };
  row.add("threshold", number(aggregator != nullptr ? aggregator->selection->threshold : 0.0));
  row.add("sigma1", number(aggregator != nullptr ? aggregator->selection->sigma1 : 0.0));
  row.add("sigma2", number(aggregator != nullptr ? aggregator->noisy_max.parameter() : 0.0));
  row.add("epsilon", epsilon_text(epsilon));
  row.add("answered", fmt::format("{:.1f}", answered));
  row.add("agreeing", fmt::format("{:.1f}", agreeing));
  if (right != nullptr) row.add("correct", fmt::format("{:.1f}", *right));
  return row;
}

}  // namespace

std::string front_table(const Tuning& tuning, const reports::TuneContext& context,
                        TableFormat format) {
  TextTable table;
  for (const std::size_t position : front_of(tuning)) {
    const TunedPoint& p = tuning.points[position];
    Row row = row_of(tuning, context, tuning.grid.mechanism(p.index), p.point, p);
    table.titles = row.titles;
    table.rows.push_back(std::move(format == TableFormat::csv ? row.exact : row.values));
  }
  return table.text(format);
}

std::string tune_summary(const Tuning& tuning, const reports::TuneContext& context,
                         const VotesTitle& votes) {
  std::string text = votes_line(votes, tuning.queries, tuning.teachers, tuning.classes);
  const Out out = std::back_inserter(text);
  const EpsilonKind& kind = context.settings.grid.kind;
  fmt::format_to(out, "{} points, epsilon {}/{}/{} at delta = {:g}{}\n",
                 tuning.evaluated + tuning.searched.points, name(kind.cost.bound),
                 name(kind.cost.reading), name(kind.conversion), kind.delta,
                 neighbours_text(tuning.grid.neighbours));
  if (context.solved) {
    fmt::format_to(out, "{} = {:.9g}: the {} that keeps epsilon <= {:g}{}\n",
                   name(context.solved->parameter), context.solved->value,
                   context.solved->parameter == SolvedFor::queries ? "most" : "least",
                   *context.settings.goal.max_epsilon,
                   !context.solved->at_end                           ? ""
                   : context.solved->parameter == SolvedFor::queries ? "; there are no more"
                                                                     : "; less is not looked at");
  }
  fmt::format_to(out, "wanted: {}\n", goal_text(context.settings, tuning.ranked_by_release));
  if (context.declared) {
    fmt::format_to(out, "that pass the test of a declared epsilon = {:g} with probability {:g}\n",
                   context.declared->goal.budget.epsilon, context.declared->goal.least_pass);
  }
  text += '\n';
  if (tuning.has_best()) {
    const TunedPoint on_grid =
        tuning.choice.best ? tuning.points[*tuning.choice.best] : TunedPoint{};
    const Mechanism mechanism = tuning.continuum ? Mechanism(tuning.continuum->aggregator)
                                                 : tuning.grid.mechanism(on_grid.index);
    const Row row = row_of(tuning, context, mechanism,
                           tuning.continuum ? tuning.continuum->point : on_grid.point, on_grid);
    fmt::format_to(out, "{}\n{}\n", table_of({row}, 0), context.best_command);
    if (!context.release_command.empty()) fmt::format_to(out, "{}\n", context.release_command);
    if (context.declared) {
      fmt::format_to(out, "{}\nit passes with probability {:.9g} on these votes; {} were tested\n",
                     context.rehearsal_command, context.declared->pass_probability.value_or(0.0),
                     context.declared->tested);
    }
  } else {
    fmt::format_to(out, "no point keeps the limits\n");
    for (const NearestMiss& miss : tuning.choice.nearest_misses) {
      const TunedPoint& p = tuning.points[miss.position];
      const Row row = row_of(tuning, context, tuning.grid.mechanism(p.index), p.point, p);
      fmt::format_to(out, "\nnearest to --{}:\n{}", option_word(miss.limit), table_of({row}));
    }
    if (context.groups && context.groups->tested > 0) {
      const TunedPoint& p = tuning.points[context.groups->point];
      const Row row = row_of(tuning, context, tuning.grid.mechanism(p.index), p.point, p);
      fmt::format_to(out, "\nnearest to the budgets of the groups, which pay what is below:\n{}",
                     table_of({row}));
    }
  }
  front(out, tuning, context);
  return text + '\n' + notes(context.notices);
}

std::string rounds_summary(const RoundsTuning& found, const reports::RoundsContext& context,
                           const VotesTitle& votes) {
  std::string text =
      votes_line(votes, context.queries[0] + context.queries[1], context.teachers, context.classes);
  const Out out = std::back_inserter(text);
  fmt::format_to(out, "two rounds: Confident on {} queries, Interactive on {}{}\n",
                 context.queries[0], context.queries[1],
                 neighbours_text(context.grids[0].neighbours));
  TuneSettings settings;
  settings.goal = context.goal;
  fmt::format_to(out, "wanted: {}\n\n", goal_text(settings, false));
  if (!found.best) {
    fmt::format_to(out, "no pair of points keeps the limits\n");
  } else {
    const RoundsPoint& best = *found.best;
    const auto right = [&](const double& value) { return context.has_labels ? &value : nullptr; };
    std::vector<Row> table;
    for (std::size_t r = 0; r < 2; ++r) {
      const Aggregator aggregator = context.grids[r].aggregator(best.index[r]);
      table.push_back(rounds_row(r == 0 ? "first" : "second", &aggregator, found.alone[r].epsilon,
                                 found.alone[r].answered, found.alone[r].agreeing,
                                 right(found.alone[r].right)));
    }
    table.push_back(
        rounds_row("both", nullptr, best.epsilon, best.answered, best.agreeing, right(best.right)));
    fmt::format_to(out, "{}\n", table_of(table));
    for (const std::string& command : context.commands) fmt::format_to(out, "{}\n", command);
  }
  const std::size_t all = found.front.size();
  const std::size_t rows = std::min(all, kRows);
  fmt::format_to(out, "\nPareto front of both, {} pairs{}:\n", all,
                 rows < all ? fmt::format(" ({} shown)", rows) : "");
  std::vector<Row> table;
  for (std::size_t k = 0; k < rows; ++k) {
    const RoundsPoint& p = found.front[rows == 1 ? 0 : k * (all - 1) / (rows - 1)];
    Row row;
    row.add("epsilon", epsilon_text(p.epsilon));
    row.add("answered", fmt::format("{:.1f}", p.answered));
    row.add("agreeing", fmt::format("{:.1f}", p.agreeing));
    if (context.has_labels) row.add("correct", fmt::format("{:.1f}", p.right));
    table.push_back(std::move(row));
  }
  fmt::format_to(out, "{}", table_of(table));
  return text + '\n' + notes(context.notices);
}

int report_tune_misses(const Tuning& tuning, bool may_tell_numbers, const Streams& streams) {
  if (tuning.has_best()) return kDone;
  const bool has_misses = !tuning.choice.nearest_misses.empty();
  if (has_misses ? !may_tell_numbers : !tuning.ranked_by_release) {
    return report_missed({"no point keeps the limits"}, streams);
  }
  for (const NearestMiss& miss : tuning.choice.nearest_misses) {
    const TunedPoint& p = tuning.points[miss.position];
    streams.err << alarming("pate: limit missed:", streams.err_colour())
                << fmt::format(" no point keeps the limits; nearest to --{}: {} {}, {} answers\n",
                               option_word(miss.limit),
                               tuning.ranked_by_release ? "mean released epsilon" : "epsilon",
                               tuning.ranked_by_release ? p.released->mean : p.point.epsilon,
                               p.point.answered);
  }
  if (!tuning.ranked_by_release && tuning.choice.nearest_misses.empty()) {
    streams.err << alarming("pate: limit missed:", streams.err_colour())
                << " no point keeps more than one of the limits\n";
  }
  if (tuning.ranked_by_release && tuning.choice.nearest_misses.empty()) {
    streams.err << alarming("pate: limit missed:", streams.err_colour())
                << " no point of the Pareto front has a finite epsilon to release\n";
  }
  return kLimitMissed;
}

}  // namespace pate::cli
