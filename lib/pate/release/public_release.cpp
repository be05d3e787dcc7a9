#include "pate/release/public_release.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pate/sampling/noisy_value.hpp"

namespace pate {

namespace {

std::string outputs(const VoteProfile& votes, std::size_t earlier) {
  std::string text = votes.aggregator.selection ? "the answers and refusals" : "the answers";
  text += earlier == 0 ? " and the published E"
                       : fmt::format(", the published E and {} earlier one{} of the same votes",
                                     earlier, earlier == 1 ? "" : "s");
  return text;
}

std::string failure(const ReleasePlan& plan) {
  if (plan.k == 0.0) {
    return "E is an unbiased estimate and not a bound: with probability 1/2 it lies below what "
           "this run costs, and the delta above counts that";
  }
  return fmt::format(
      "delta is {} for the run and {:.3g} for the noise in E, which with that probability is "
      "below what this run costs",
      plan.delta, plan.total_delta - plan.delta);
}

std::string statement(const VoteProfile& votes, const ReleaseSettings& settings,
                      const ReleasePlan& plan, double epsilon) {
  std::string text = fmt::format(
      "Let M be all that became public of this run of {} queries to {} teachers: {}, E = {} in "
      "this run. For the votes D, for all votes D' that differ from D in what one teacher votes, "
      "on "
      "every query, and for every set S of outcomes, Pr[M(D) in S] <= (integral over outcomes o in "
      "S of e^E(o) dPr[M(D') = o]) + delta, with delta = {}. E depends on the votes and was "
      "released with normal noise scaled to its smooth sensitivity; the cost of releasing it is "
      "part of E. {}.",
      votes.queries, votes.teachers, outputs(votes, plan.earlier.size()), epsilon, plan.total_delta,
      failure(plan));
  text += settings.cost == ReleasedCost::realized
              ? " E sums up what the queries cost as they were answered (realized): it holds for "
                "queries that depend on earlier answers too, at an order fixed before the run."
              : " E holds whichever queries are answered (joint), for a list of queries and "
                "selection statistics that does not depend on earlier answers.";
  text += plan.chosen_from_votes
              ? " Caution: order, beta and sigma were chosen from these votes, which the statement "
                "does not allow for. Fix them in advance, from public, simulated or earlier votes."
              : " Order, beta and sigma were fixed in advance; the statement rests on their not "
                "depending on these votes.";
  if (std::ranges::any_of(plan.earlier, &EarlierRelease::chosen_from_votes)) {
    text +=
        " Caution: those of an earlier release were chosen from these votes, which the statement "
        "does not allow for.";
  }
  return text;
}

}  // namespace

std::string_view parameters_name(bool chosen_from_votes) {
  return chosen_from_votes ? "chosen from the votes" : "fixed";
}

PublicRelease public_release(const VoteProfile& votes, const ReleaseSettings& settings,
                             const ReleasePlan& plan, double released_rdp) {
  PublicRelease result;
  result.epsilon = plan.epsilon(released_rdp);
  result.delta = plan.total_delta;
  result.confidence = plan.confidence;
  result.order = plan.parameters.order;
  result.queries = votes.queries;
  result.teachers = votes.teachers;
  result.classes = votes.classes;
  if (votes.has_decisions) result.answered = votes.answered;
  result.aggregator = votes.aggregator;
  result.bound = settings.bound;
  result.reading = settings.cost;
  result.chosen_from_votes = plan.chosen_from_votes;
  result.statement = statement(votes, settings, plan, result.epsilon);
  return result;
}

double draw_released_rdp(const ReleasePlan& plan, BitSource& source) {
  const Dyadic scale(plan.numbers.noise_sd);
  const Dyadic location = Dyadic(plan.rdp) + scale * Dyadic(plan.k);
  NoisyValue value(location, scale, exact_normal(source));
  return released_on_grid(value, plan.largest_rdp, source);
}

}  // namespace pate
