#include "pate/release/public_release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "pate/base/error.hpp"
#include "pate/divergence/rdp/pure_rdp.hpp"
#include "pate/numerics/decimal.hpp"
#include "pate/numerics/margin.hpp"
#include "pate/numerics/sums.hpp"
#include "pate/release/curve/curve_release.hpp"

namespace pate {

namespace {

// What else E counts became public of, before what did of this run.
std::string of_others(const PublicRelease& published) {
  const auto is_counted = [](const OtherEntry& entry) {
    return entry.counted == Counted::added || entry.counted == Counted::within_another;
  };
  return published.ledger && std::ranges::any_of(*published.ledger, is_counted)
             ? "what the other entries of the ledger released, "
             : "";
}

std::string outputs(const PublicRelease& published, std::size_t earlier) {
  std::string text = of_others(published);
  text += published.aggregator.selection ? "the answers and refusals" : "the answers";
  text += earlier == 0 ? " and the published E"
                       : fmt::format(", the published E and {} earlier one{} about the same votes",
                                     earlier, earlier == 1 ? "" : "s");
  return text;
}

// Every other entry of the ledger, and how it is counted.
std::string ledger_in_words(const PublicRelease& published) {
  if (!published.ledger) {
    return " No ledger was kept: nothing else that was released of these teachers' votes is "
           "counted.";
  }
  if (published.ledger->empty()) return " The ledger of these teachers has no other entry.";
  std::string text = " The ledger of these teachers has other entries, and M and E count all:";
  bool adds = false;
  for (const OtherEntry& entry : *published.ledger) {
    fmt::format_to(std::back_inserter(text),
                   "{} line {} ({}, {}): ", &entry == published.ledger->data() ? "" : ";",
                   entry.line, entry.kind, entry.time);
    switch (entry.counted) {
      case Counted::same_answers:
        text += "its answers are those of this run";
        break;
      case Counted::noise:
        text += "it is about the answers of this run, and the noise in it is counted";
        break;
      case Counted::within_another:
        text += "counted within a later entry that is about its answers";
        break;
      case Counted::added:
        adds = true;
        text += "counted with the others that are about other answers";
    }
  }
  const std::int64_t reached = published.neighbours.teachers;
  const bool foreign = std::ranges::any_of(
      *published.ledger, [](const OtherEntry& entry) { return entry.kind == "step"; });
  if (foreign) {
    text +=
        ". Entries called step are what others say of theirs, for one record of the data, which "
        "was not checked: with them E protects one record, of which each is in the part of " +
        (reached == 1 ? "one teacher only" : fmt::format("at most {} teachers", reached));
  }
  return text +
         (adds ? fmt::format(". What these cost together, epsilon {} at delta {}, is added to "
                             "epsilon {} and delta {} of this run (sequential composition: "
                             "epsilons and deltas add up).",
                             published.others_epsilon, published.others_delta,
                             published.run_epsilon, published.run_delta)
               : ".");
}

// What holds only if these are true, of a release whose parameters were not chosen from votes.
void add_assumptions(const PublicRelease& published, std::vector<std::string>& assumes) {
  constexpr const char* kFixedQueries =
      "queries, and what their answers are compared with, did not depend on answers of this run";
  if (published.at_most && published.parameters != ParameterOrigin::chosen) {
    assumes.emplace_back("claim, queries, noise and threshold were fixed without these votes");
    assumes.emplace_back(kFixedQueries);
    return;
  }
  const bool is_complex = published.curve && published.curve->complex;
  switch (published.parameters) {
    case ParameterOrigin::chosen:
      break;
    case ParameterOrigin::fixed:
      assumes.emplace_back("order, beta and sigma were fixed without these votes");
      if (published.reading == ReleasedCost::joint) assumes.emplace_back(kFixedQueries);
      break;
    case ParameterOrigin::public_inputs:
      assumes.emplace_back("the number of queries was fixed before the first answer");
      break;
    case ParameterOrigin::released_labels:
      assumes.emplace_back("the order was fixed before the labels were seen");
      break;
    case ParameterOrigin::given:
    case ParameterOrigin::report:
      assumes.emplace_back(is_complex ? "floor, s, beta and orders were fixed without these votes"
                                      : "order, s and beta were fixed without these votes");
  }
  if (is_complex && published.parameters != ParameterOrigin::chosen) {
    assumes.emplace_back(kFixedQueries);
  }
}

// Whom the run and all that it counts protect.
void protect_with_others(const PublicRelease& published, Guarantee& guarantee) {
  const Neighbours& neighbours = published.neighbours;
  if (!published.others_conditions.of_records) {
    protect(guarantee, neighbours);
    return;
  }
  protect_records(guarantee);
  assume_parts(guarantee, neighbours.teachers);
}

void add_new(const std::vector<std::string>& lines, std::vector<std::string>& to) {
  for (const std::string& line : lines) {
    if (std::ranges::find(to, line) == to.end()) to.push_back(line);
  }
}

// What D and D' differ in, in symbols.
std::string difference(const PublicRelease& published) {
  if (published.others_conditions.of_records) return "the votes that one record of the data moves";
  const Neighbours& neighbours = published.neighbours;
  return neighbours.teachers == 1 ? "what one teacher votes"
                                  : fmt::format("what up to {} teachers vote", neighbours.teachers);
}

}  // namespace

double cost_of_earlier(const std::vector<EarlierRelease>& earlier, double order) {
  double total = 0.0;
  for (const EarlierRelease& one : earlier) {
    const double cost =
        one.method == ReleaseMethod::at_most ? pure_rdp(one.sigma, order)
        : one.method == ReleaseMethod::curve
            ? cost_of_index({order, one.sigma, one.beta})
            : release_cost(order, one.beta * (1.0 + kReleaseMargin), one.sigma, one.k);
    total += cost;
  }
  if (!std::isfinite(total)) {
    throw validity_error(fmt::format(
        "an earlier release from these votes has no finite cost at order {}: its beta needs a "
        "smaller order; give the order and the other parameters as they were then",
        order));
  }
  return total;
}

bool ReleaseTerms::counts_chosen() const {
  return std::ranges::any_of(earlier, &EarlierRelease::chosen_from_votes) ||
         (ledger && std::ranges::any_of(*ledger, &OtherEntry::chosen_from_votes));
}

AddedEntries added_entries(const ReleaseTerms& terms, double run_delta) {
  const AddedEntries added{terms.others_epsilon, decimal_sum(run_delta, terms.others_delta)};
  if (!(added.total_delta < 1.0)) {
    throw validity_error(fmt::format(
        "delta of this release and of the entries of the ledger it counts add up to {}: a "
        "statement needs less than 1",
        added.total_delta));
  }
  return added;
}

PublicRelease public_release(const VoteProfile& votes, const ReleaseTerms& terms,
                             ParameterOrigin origin, double run_epsilon, double run_delta) {
  const AddedEntries added = added_entries(terms, run_delta);
  PublicRelease result;
  result.run_epsilon = run_epsilon;
  result.run_delta = run_delta;
  result.epsilon = sum_upwards(run_epsilon, added.epsilon);
  result.delta = added.total_delta;
  result.queries = votes.queries;
  result.teachers = votes.teachers;
  result.classes = votes.classes;
  if (votes.has_decisions) result.answered = votes.answered;
  result.aggregator = votes.aggregator;
  result.neighbours = votes.neighbours;
  result.reading = terms.cost;
  result.parameters = terms.counts_chosen() ? ParameterOrigin::chosen : origin;
  result.ledger = terms.ledger;
  result.others_epsilon = terms.others_epsilon;
  result.others_delta = terms.others_delta;
  result.others_conditions = terms.others_conditions;
  return result;
}

std::string release_statement(const PublicRelease& published, const ReleaseTerms& terms,
                              std::string_view how, std::string_view parameters) {
  const std::string told = outputs(published, terms.earlier.size());
  std::string text =
      published.uses_chosen_parameters()
          ? "Nothing is promised, for parameters were chosen from votes. Had they been fixed in "
            "advance, this would hold: "
          : "";
  Guarantee promised;
  promised.promise = outcome_in_words(told, published.epsilon, published.delta);
  protect_with_others(published, promised);
  text += promised.promise;
  text += fmt::format(
      " In symbols: let M be all that became public of this run of {} queries to {} teachers: {}, "
      "E = {} in this run. For the votes D, for all votes D' that differ from D in {}, on "
      "every query, and for every set S of outcomes, Pr[M(D) in S] <= (integral over outcomes o in "
      "S of e^E(o) dPr[M(D') = o]) + delta, with delta = {}. {}",
      published.queries, published.teachers, told, published.epsilon, difference(published),
      published.delta, how);
  text += ledger_in_words(published);
  text += parameters;
  text += conditions_of(guarantee_of(published));
  return text;
}

std::string two_numbers_in_words(const AtMostFacts& facts, double delta, double others) {
  const std::string which =
      others > 0.0 ? fmt::format(
                         "E is {}, what the other entries of the ledger cost, and one of two "
                         "numbers of this run. Which of these",
                         others)
                   : "Which of two numbers E is";
  return fmt::format(
      "{}, both fixed before the votes were looked at, was decided by a private test (certificate "
      "by {}): {} where it passes, else {}, which holds whatever the votes are. The run is not "
      "({}, "
      "{})-differentially private, also where {} is told: other outcomes have the other number.",
      which, facts.certificate == Certificate::complex ? "complex orders" : "Renyi orders",
      facts.claim, facts.failed_claim, facts.claim, delta, facts.claim);
}

Guarantee guarantee_of(const std::optional<PublicRelease>& published,
                       const Neighbours& neighbours) {
  if (!published) return no_guarantee("no number was drawn.", neighbours);
  if (published->uses_chosen_parameters()) {
    return no_guarantee(
        "order, beta and sigma, of this release or of one that it counts, were chosen from votes.",
        published->neighbours);
  }
  CostEntry cost;
  cost.bound = Bound::released;
  cost.reading = GuaranteeKind::released;
  cost.epsilon = published->epsilon;
  cost.delta = published->delta;
  cost.releasable = true;
  cost.promise = Promise::outcome;
  Guarantee result = guarantee_of(
      cost, of_others(*published) + outputs_of(published->aggregator) + " and the published E");
  if (published->at_most) {
    result.promise += ' ' + two_numbers_in_words(*published->at_most, published->run_delta,
                                                 published->others_epsilon);
  }
  protect_with_others(*published, result);
  add_assumptions(*published, result.assumes);
  add_new(published->others_conditions.assumes, result.assumes);
  add_new(published->others_conditions.not_covered, result.not_covered);
  return result;
}

std::string_view parameters_name(bool chosen_from_votes) {
  return name(chosen_from_votes ? ParameterOrigin::chosen : ParameterOrigin::fixed);
}

}  // namespace pate
