#include "pate/accounting/guarantee.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "pate/numerics/rounded_decimal.hpp"

namespace pate {

namespace {

constexpr std::string_view kHadOneTeacher =
    "Had any one teacher voted differently, on one query or on all";
constexpr std::string_view kHadOneRecord = "Had any one record been another one";

// The notice of a run whose votes count by weights.
constexpr const char* kWeightsNotice = "teacher_weights";

constexpr const char* kDisjoint = "the teachers were trained on disjoint data";
constexpr const char* kFixedQueries =
    "queries, and what their answers are compared with, did not depend on answers that this number "
    "counts";

constexpr const char* kChosenParameters =
    "parameters that were chosen by looking at these votes, as by tuning on them";

std::vector<std::string> not_covered_by_any() {
  return {kChosenParameters,
          "anything else that was published about the same teachers: add it with pate compose",
          "what can be learnt otherwise, as from how long an answer took"};
}

}  // namespace

std::string promise_in_words(const std::string& released, double epsilon, double delta) {
  std::string text =
      fmt::format("{}, nothing that can be concluded from {} would be more than {} times as likely",
                  kHadOneTeacher, released, odds_upwards(epsilon));
  if (delta > 0.0) text += fmt::format(", but for {} in probability", digits_upwards(delta, 6));
  return text + '.';
}

std::string outcome_in_words(const std::string& released, double epsilon, double delta) {
  std::string text = fmt::format(
      "{}, {} would have come out as they did with a probability at least 1/{} of what it is; the "
      "number is one of what came out, and other outcomes have other numbers",
      kHadOneTeacher, released, odds_upwards(epsilon));
  if (delta > 0.0)
    text += fmt::format("; over all of them this fails by {} at most", digits_upwards(delta, 6));
  return text + '.';
}

void assume_declared(Guarantee& guarantee) {
  guarantee.assumes.emplace_back(
      "epsilon, delta, the list of queries, the threshold and the noise were fixed before anybody "
      "looked at these votes, but for what was published of them and is counted elsewhere");
  guarantee.not_covered.emplace_back(
      "the answers given that the test passed: the promise is about the test and the run together, "
      "and every further test counts as this one does, whether it passes or not");
}

void assume_samples(Guarantee& guarantee, const MechanismCounts& steps) {
  bool records = false;
  for (const auto& [sampled, count] : steps.sampled_queries) {
    records = records || sampled.of == SampleOf::records;
    guarantee.assumes.push_back(fmt::format(
        "each of {} {} is answered by a sample of its own, which every {} is in with "
        "probability {}, independently of all else, and nobody learns who was in it",
        count, count == 1 ? "query" : "queries", records ? "record" : "teacher", sampled.rate));
  }
  if (!records) return;
  // Steps of teachers, who are trained on records, may be beside them.
  if (steps.maxima.empty()) std::erase(guarantee.assumes, kDisjoint);
  guarantee.assumes.emplace_back(
      "a record more or less in a sample moves one of its votes: one appears where one goes");
  guarantee.protects = "whether one record is there";
  guarantee.may_differ =
      "whether one record is there; D are the data, D' any that differ from them in it";
  for (const std::string_view had : {kHadOneTeacher, kHadOneRecord}) {
    if (!guarantee.promise.starts_with(had)) continue;
    guarantee.promise.replace(0, had.size(), "Had any one record not been there, or one more");
  }
}

void assume_search(Guarantee& guarantee) {
  guarantee.assumes.emplace_back(
      "the points that are searched, and the law of how many are tried, were fixed without these "
      "votes, and the labels that points are scored by are public");
  std::ranges::replace(guarantee.not_covered, std::string(kChosenParameters),
                       "parameters that were chosen by looking at these votes otherwise than by "
                       "this search");
}

Notice weights_notice(double heaviest, bool has_threshold) {
  return {kWeightsNotice,
          fmt::format("votes count by the weights of their teachers, which are taken to have been "
                      "fixed without looking at votes; the mechanism, its steps and the costs are "
                      "told by the vote of the heaviest teacher, {:g}: noise{} divided by it",
                      heaviest, has_threshold ? " and threshold are" : " is")};
}

bool has_weights(const Account& account) {
  return std::ranges::find(account.notices, kWeightsNotice, &Notice::code) != account.notices.end();
}

void assume_weights(Guarantee& guarantee) {
  guarantee.assumes.emplace_back(
      "the weights of the teachers' votes were fixed without looking at any votes, and are public; "
      "noise and threshold are told in votes of the heaviest teacher");
}

void protect_records(Guarantee& guarantee) {
  guarantee.protects = "one record of the data that the teachers learn from";
  guarantee.may_differ = "one record; D are the data, D' any that differ from them in it";
  if (guarantee.promise.starts_with(kHadOneTeacher)) {
    guarantee.promise.replace(0, kHadOneTeacher.size(), kHadOneRecord);
  }
}

void assume_parts(Guarantee& guarantee, std::int64_t teachers) {
  if (teachers == 1) {
    guarantee.assumes.emplace_back("each record is in the part of one teacher only");
    return;
  }
  std::ranges::replace(guarantee.assumes, std::string(kDisjoint),
                       fmt::format("each record is in the parts of at most {} teachers", teachers));
}

void assume_rounds_by_answers(Guarantee& guarantee) {
  std::ranges::replace(
      guarantee.assumes, std::string(kFixedQueries),
      fmt::format("{}, but in the rounds that say so and enter with their cost for any votes",
                  kFixedQueries));
}

void protect(Guarantee& guarantee, const Neighbours& neighbours) {
  if (neighbours.is_one_replaced()) return;
  const std::int64_t teachers = neighbours.teachers;
  const bool one = teachers == 1;
  std::string had;
  if (neighbours.adds_or_removes()) {
    guarantee.protects = one ? "whether one teacher is there, and so everybody whose data no other "
                               "teacher saw: the teachers must have been trained on disjoint data"
                             : fmt::format(
                                   "whether any {} teachers are there, and so everybody "
                                   "whose data at most {} teachers saw",
                                   teachers, teachers);
    guarantee.may_differ = fmt::format(
        "whether {} there, with a vote on every query or on some; all others vote as they do; D "
        "are "
        "the votes, D' any that differ from them so",
        one ? "one teacher is" : fmt::format("up to {} teachers are", teachers));
    had = one ? "Had any one teacher not been there, or one more"
              : fmt::format("Had up to {} teachers not been there, or up to {} more", teachers,
                            teachers);
  } else {
    guarantee.protects =
        fmt::format("everybody whose data at most {} teachers saw, and so any {} teachers together",
                    teachers, teachers);
    guarantee.may_differ = fmt::format(
        "what up to {} teachers vote, on all queries; D are the votes, D' any that differ from "
        "them so",
        teachers);
    had = fmt::format("Had any {} teachers voted differently, on one query or on all", teachers);
  }
  // A promise may begin with what was declared beforehand.
  if (const auto at = guarantee.promise.find(kHadOneTeacher); at != std::string::npos) {
    guarantee.promise.replace(at, kHadOneTeacher.size(), had);
  }
  for (std::string& assumed : guarantee.assumes) {
    if (assumed == kDisjoint && !one) {
      assumed = fmt::format("nobody's data were seen by more than {} teachers", teachers);
    }
  }
  if (guarantee.holds && neighbours.adds_or_removes()) {
    guarantee.assumes.emplace_back(
        "the threshold in votes, and all else of the mechanism, does not change with the number of "
        "teachers");
    guarantee.assumes.emplace_back(
        "nobody is told how many teachers there are, which is another number on D'");
  }
}

Guarantee no_guarantee(std::string because, const Neighbours& neighbours) {
  Guarantee result;
  result.promise = "Nothing is promised: " + std::move(because);
  result.not_covered = not_covered_by_any();
  protect(result, neighbours);
  return result;
}

namespace {

// Why a cost promises nothing.
std::string why_not(const CostEntry& cost) {
  // Without a selection nothing is left to chance: what is missing is a direction.
  if (cost.reading == GuaranteeKind::expected && (cost.sd || !is_forward_only(cost.bound))) {
    return "the headline is an expectation over the noise of the selection, which one run may "
           "exceed.";
  }
  if (is_forward_only(cost.bound)) {
    return fmt::format("the {} bound{} one of the two directions that (epsilon, delta) speaks of.",
                       name(cost.bound), cost.bound == Bound::published ? "s cover" : " covers");
  }
  if (cost.bound == Bound::released) {
    return "parameters of a release were chosen from votes, which the released epsilon does not "
           "allow for.";
  }
  if (cost.reading == GuaranteeKind::joint) {
    return "the queries follow answers: the number is one of the queries that came out, and other "
           "answers would have led to other queries.";
  }
  return "the order was chosen after answers that the costs depend on; one that was fixed before "
         "gives a guarantee.";
}

std::string whom_it_is_for(const CostEntry& cost) {
  if (cost.data_dependent) {
    return " This holds for these votes, in both directions; the number depends on them and must "
           "not be published as it is.";
  }
  if (cost.bound == Bound::declared) {
    return " This was declared before the votes were looked at, holds for everybody, and may be "
           "published as it is.";
  }
  if (cost.bound == Bound::released) {
    return " This counts numbers that were released with noise, and may be published.";
  }
  return " This holds whatever the votes are, and may be published.";
}

std::string fixed_formula(const CostEntry& cost) {
  return fmt::format(
      "Pr[M(D) in S] <= e^{} Pr[M(D') in S] + {} for every set S of outcomes, and the same with D "
      "and D' exchanged; M is all that became public",
      cost.epsilon, cost.delta);
}

// A number that is public is part of the outcome; one that depends on the votes as well is a
// function of both.
std::string outcome_formula(const CostEntry& cost) {
  return fmt::format(
      "Pr[M(D) in S] <= (integral over outcomes o in S of e^E(o) dPr[M(D') = o]) + {} for every "
      "set "
      "S of outcomes; M is all that became public{}; E = {} in this run",
      cost.delta,
      cost.data_dependent ? ", and E(o) what this number is for these votes where o comes out"
                          : ", E among it",
      cost.epsilon);
}

// What is said of a budget that was declared beforehand, beside what any fixed number promises.
void declare(const CostEntry& cost, Guarantee& guarantee) {
  guarantee.promise = fmt::format(
      "This run and the test before it were declared beforehand to be, together, ({}, "
      "{})-differentially private. {}",
      cost.epsilon, cost.delta, guarantee.promise);
  guarantee.promise += fmt::format(" The test was that of a certificate by {} orders.",
                                   cost.conversion == EpsilonMethod::profile ? "complex" : "Renyi");
  assume_declared(guarantee);
}

}  // namespace

Guarantee guarantee_of(const CostEntry& cost, const std::string& released) {
  if (cost.promise == Promise::none) return no_guarantee(why_not(cost));
  if (!std::isfinite(cost.epsilon)) return no_guarantee("epsilon is infinite.");
  const bool is_fixed = cost.promise == Promise::fixed;
  Guarantee result;
  result.holds = true;
  result.promise = is_fixed ? promise_in_words(released, cost.epsilon, cost.delta)
                            : outcome_in_words(released, cost.epsilon, cost.delta);
  if (cost.epsilon > kLargeEpsilon) result.promise += " That is next to nothing.";
  result.promise += whom_it_is_for(cost);
  result.formula = is_fixed ? fixed_formula(cost) : outcome_formula(cost);
  result.assumes = {kDisjoint,
                    "noise was drawn as the parameters say, and nothing but M became public"};
  if (cost.reading == GuaranteeKind::joint) {
    result.assumes.emplace_back(kFixedQueries);
  }
  if (cost.reading == GuaranteeKind::realized) {
    result.assumes.emplace_back(kOrderBeforeRun);
  }
  result.not_covered = not_covered_by_any();
  if (cost.bound == Bound::declared) declare(cost, result);
  return result;
}

Guarantee guarantee_of(const Account& account) {
  const CostEntry& headline = account.costs[account.headline];
  const bool is_declared = headline.bound == Bound::declared;
  Guarantee result = guarantee_of(headline, (is_declared ? "whether the test passed, and " : "") +
                                                outputs_of(account.aggregator));
  protect(result, account.steps.neighbours);
  assume_samples(result, account.steps);
  if (result.holds && has_weights(account)) assume_weights(result);
  return result;
}

std::string outputs_of(const Mechanism& aggregator) {
  return aggregator.refuses() ? "the answers and refusals of this run" : "the answers of this run";
}

std::string conditions_of(const Guarantee& guarantee) {
  std::string text = fmt::format(" Protected: {}.", guarantee.protects);
  const auto list = [&text](const char* title, const std::vector<std::string>& lines) {
    if (!lines.empty()) text += fmt::format(" {}: {}.", title, fmt::join(lines, "; "));
  };
  list("Assumed", guarantee.assumes);
  list("Not covered", guarantee.not_covered);
  return text;
}

std::string statement_of(const Guarantee& guarantee) {
  std::string text = guarantee.promise + '\n';
  if (!guarantee.formula.empty()) text += fmt::format("\nIn symbols: {}.\n", guarantee.formula);
  text +=
      fmt::format("\nProtected: {}.\nMay differ: {}.\n", guarantee.protects, guarantee.may_differ);
  const auto list = [&text](const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    text += title;
    for (const std::string& line : lines) text += fmt::format("  - {}\n", line);
  };
  list("Assumed:\n", guarantee.assumes);
  list("Not covered:\n", guarantee.not_covered);
  return text;
}

}  // namespace pate
