#include "cli/commands/summaries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

#include "pate/accounting/explanation.hpp"
#include "pate/numerics/rounded_decimal.hpp"

namespace pate::cli {

namespace {

using Out = std::back_insert_iterator<std::string>;

constexpr std::size_t kMaxClasses = 12;  // of one query, those with the most votes

std::string share_text(double share) {
  return fmt::format("{:.2f} %", 100.0 * share);
}

double rdp_of(const QueryExplanation& query, Bound bound) {
  for (const QueryBoundCost& cost : query.costs) {
    if (cost.bound == bound) return cost.rdp;
  }
  return std::numeric_limits<double>::quiet_NaN();  // none
}

std::string neighbour_text(const QueryExplanation& query) {
  if (!query.worst_neighbour) return "-";
  const WorstNeighbour& worst = *query.worst_neighbour;
  if (worst.from && worst.to) return fmt::format("{} -> {}", *worst.from, *worst.to);
  std::string text;
  for (const ChangedCount& change : worst.changes) {
    fmt::format_to(std::back_inserter(text), "{}{}:{:+}", text.empty() ? "" : " ", change.class_,
                   change.votes);
  }
  return text;
}

// The most votes of a class that is not the plurality.
std::int32_t runner_up(const QueryExplanation& query) {
  std::int32_t second = 0;
  for (std::size_t j = 0; j < query.histogram.size(); ++j) {
    if (static_cast<std::int64_t>(j) != query.plurality) {
      second = std::max(second, query.histogram[j]);
    }
  }
  return second;
}

void table(Out out, const Explanation& explanation) {
  const bool tested = explanation.aggregator.ptr() != nullptr;
  fmt::format_to(out, "{:>7}{:>7}{:>8}{:>9}{:>10}{:>10}{:>11}{:>9}  {}\n", "query", "top", "second",
                 "Pr[ans]", "exact", "tradeoff", tested ? "to flip" : "published", "share",
                 "moved");
  for (const QueryExplanation& query : explanation.queries) {
    const double last = query.votes_to_flip ? static_cast<double>(*query.votes_to_flip)
                                            : rdp_of(query, Bound::published);
    fmt::format_to(out, "{:>7}{:>7}{:>8}{:>9.3f}{:>10}{:>10}{:>11}{:>9}  {}\n", query.query,
                   query.histogram[static_cast<std::size_t>(query.plurality)], runner_up(query),
                   query.answered, digits_upwards(rdp_of(query, Bound::exact), 3),
                   digits_upwards(rdp_of(query, Bound::tradeoff), 3), digits_upwards(last, 3),
                   share_text(query.share_exact), neighbour_text(query));
  }
}

// How the published cost comes about.
void published_steps(Out out, const QueryExplanation& query) {
  const auto step = [&](const char* what, const PublishedStep& found) {
    fmt::format_to(out, "  {:<28}{:>12}", what, digits_upwards(found.rdp, 5));
    if (found.mu1) fmt::format_to(out, "  mu1 {:.4g}, mu2 {:.4g}", *found.mu1, *found.mu2);
    if (found.capped) fmt::format_to(out, "{} at the cap", found.mu1 ? ',' : ' ');
    fmt::format_to(out, "\n");
  };
  for (const QueryBoundCost& cost : query.costs) {
    if (!cost.selection || !cost.noisy_max) continue;
    fmt::format_to(out, "\npublished is selection + Pr[answered] noisy max:\n");
    step("selection", *cost.selection);
    step("noisy max", *cost.noisy_max);
  }
}

void one_query(Out out, const QueryExplanation& query, double run_profile) {
  fmt::format_to(out, "query {}", query.query);
  if (query.times > 1) fmt::format_to(out, ", asked {} times", query.times);
  if (query.statistic) {
    fmt::format_to(out, ": statistic {}, answered with probability {:.4g}", *query.statistic,
                   query.answered);
  }
  if (query.votes_to_flip) {
    fmt::format_to(out, "\n{} vote{} must change for a plurality other than {}\n\n",
                   *query.votes_to_flip, *query.votes_to_flip == 1 ? "" : "s", query.plurality);
  } else {
    fmt::format_to(out, "\nlog q {:.6g}: bound on Pr[the label is not {}]\n\n", query.log_q,
                   query.plurality);
  }
  fmt::format_to(out, "  {:<17}{:<11}{:<9}{:>12}\n", "bound", "reading", "direction", "rdp");
  for (const QueryBoundCost& cost : query.costs) {
    fmt::format_to(out, "  {:<17}{:<11}{:<9}{:>12}\n", name(cost.bound), name(cost.reading),
                   direction_name(cost.bound), digits_upwards(cost.rdp, 5));
  }
  published_steps(out, query);
  fmt::format_to(out, "\n{} of the run's exact cost, {} of its trade-off cost\n",
                 share_text(query.share_exact), share_text(query.share_tradeoff));
  if (query.epsilon_without) {
    fmt::format_to(out, "epsilon of the run by its profile: {}, without this query {}\n",
                   fixed_upwards(run_profile, 4), fixed_upwards(*query.epsilon_without, 4));
  }
  if (query.worst_neighbour) {
    const WorstNeighbour& worst = *query.worst_neighbour;
    const char* const direction = worst.direction == Direction::forward ? "forward" : "reverse";
    if (worst.from && worst.to) {
      fmt::format_to(out,
                     "worst neighbour: a vote moves from class {} to class {} ({} direction)\n",
                     *worst.from, *worst.to, direction);
    } else {
      fmt::format_to(out, "worst neighbour: votes by class that change {} ({} direction)\n",
                     neighbour_text(query), direction);
    }
  }
  std::vector<std::size_t> classes(query.histogram.size());
  std::iota(classes.begin(), classes.end(), std::size_t{0});
  std::stable_sort(classes.begin(), classes.end(), [&](std::size_t a, std::size_t b) {
    return query.histogram[a] > query.histogram[b];
  });
  fmt::format_to(out, "\n{:>8}{:>8}  {}\n", "class", "votes", "Pr[label], if answered");
  for (std::size_t k = 0; k < std::min(classes.size(), kMaxClasses); ++k) {
    fmt::format_to(out, "{:>8}{:>8}  {:.5g}\n", classes[k], query.histogram[classes[k]],
                   query.outcomes[classes[k]]);
  }
  if (classes.size() > kMaxClasses) {
    fmt::format_to(out, "{:>8} classes more\n", classes.size() - kMaxClasses);
  }
}

}  // namespace

std::string explain_csv(const Explanation& explanation) {
  TextTable table{
      {"query", "times", "plurality", "votes", "second", "answered", "log_q", "rdp_order",
       "rdp_exact", "rdp_tradeoff", "rdp_published", "share_of_exact", "epsilon_without"},
      {}};
  for (const QueryExplanation& query : explanation.queries) {
    const auto number = [](double value) { return table_number(value, "", TableFormat::csv); };
    table.rows.push_back(
        {fmt::format("{}", query.query), fmt::format("{}", query.times),
         fmt::format("{}", query.plurality),
         fmt::format("{}", query.histogram[static_cast<std::size_t>(query.plurality)]),
         fmt::format("{}", runner_up(query)), number(query.answered), number(query.log_q),
         number(explanation.order), number(rdp_of(query, Bound::exact)),
         number(rdp_of(query, Bound::tradeoff)), number(rdp_of(query, Bound::published)),
         number(query.share_exact),
         query.epsilon_without ? number(*query.epsilon_without) : std::string()});
  }
  return table.text(TableFormat::csv);
}

std::string explain_summary(const Explanation& explanation, const VotesTitle& votes) {
  std::string text =
      votes_line(votes, explanation.run_queries, explanation.teachers, explanation.classes);
  const Out out = std::back_inserter(text);
  const CostEntry& headline = explanation.headline;
  fmt::format_to(out, "the run: epsilon {} at delta {} ({}, {}, {})\n",
                 epsilon_text(headline.epsilon), digits_upwards(headline.delta, 6),
                 name(headline.bound), name(headline.reading), name(headline.conversion));
  fmt::format_to(out, "costs below: RDP at order {:.4g}, each query asked once\n",
                 explanation.order);
  if (const std::string whom = others_in_words(explanation.neighbours); !whom.empty()) {
    fmt::format_to(out, "costs are for {}\n", whom);
  }
  text += '\n';
  if (explanation.queries.size() == 1) {
    one_query(out, explanation.queries.front(), explanation.run_profile.value_or(0.0));
  } else {
    table(out, explanation);
  }
  return text + '\n' + notes(explanation.notices);
}

}  // namespace pate::cli
