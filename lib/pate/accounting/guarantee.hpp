#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pate/accounting/report.hpp"

namespace pate {

/// What a number promises and what it does not, in words before any symbol: the member `guarantee`
/// of every report.
struct Guarantee {
  /// Who is protected, unless something else is said: one teacher, and through it the people whose
  /// data only that teacher saw.
  static constexpr const char* kProtected =
      "one teacher, and so everybody whose data no other teacher saw: the teachers must have been "
      "trained on disjoint data";
  /// What may differ between the votes and a neighbour's.
  static constexpr const char* kMayDiffer =
      "what one teacher votes, on all queries; D are the votes, D' any that differ from them so";

  std::string protects = kProtected;
  std::string may_differ = kMayDiffer;
  bool holds = false;   ///< whether anything is promised
  std::string promise;  ///< a sentence
  std::string formula;  ///< the same in symbols; "" where nothing is promised
  std::vector<std::string> assumes;
  std::vector<std::string> not_covered;
};

/// What an epsilon of the outcome assumes of its order.
inline constexpr const char* kOrderBeforeRun = "the Renyi order was fixed before the run";

/// An epsilon above this is hardly a promise, and what tells it says so.
inline constexpr double kLargeEpsilon = 20.0;

/// What a cost promises about `released`, a plural noun such as "the answers and refusals of this
/// run": what its kind of promise says, a fixed epsilon or one of the outcome (`Promise`), and why
/// nothing where it promises nothing or epsilon is infinite.
[[nodiscard]] Guarantee guarantee_of(const CostEntry& cost, const std::string& released);

/// What the headline of a run promises.
[[nodiscard]] Guarantee guarantee_of(const Account& account);

/// The same about what may differ between neighbours: several teachers that vote otherwise, or
/// teachers that are added or removed. Changes nothing for one that votes otherwise.
void protect(Guarantee& guarantee, const Neighbours& neighbours);

/// The same about one record of the data in the place of one teacher: of teachers that are private
/// themselves.
void protect_records(Guarantee& guarantee);

/// The same where each record is in the parts of at most so many teachers: what is assumed of the
/// parts.
void assume_parts(Guarantee& guarantee, std::int64_t teachers);

/// The same where rounds of a sum say that answers to earlier ones chose them: what is assumed of
/// queries is assumed of the others.
void assume_rounds_by_answers(Guarantee& guarantee);

/// Adds what is assumed of the samples that answered queries, if any did.
void assume_samples(Guarantee& guarantee, const MechanismCounts& steps);

/// Adds what the best of several tries rests on, which allows for parameters that it chose.
void assume_search(Guarantee& guarantee);

/// The notice of a run whose votes count by weights, of which its account tells in votes of the
/// heaviest teacher.
[[nodiscard]] Notice weights_notice(double heaviest, bool has_threshold);
/// Whether the votes of a run counted by the weights of their teachers, which has a notice; and
/// adds what is assumed of these.
[[nodiscard]] bool has_weights(const Account& account);
void assume_weights(Guarantee& guarantee);

/// Adds what the promise of a budget that was declared beforehand rests on, and does not cover.
void assume_declared(Guarantee& guarantee);

/// What is promised where no cost is for others to rely on: nothing, `because` of what; and whom a
/// number of these neighbours would be about.
[[nodiscard]] Guarantee no_guarantee(std::string because, const Neighbours& neighbours = {});

/// A sentence that says what epsilon and delta promise about `released`, with the factor that
/// e^epsilon is, and the delta unless it is 0.
[[nodiscard]] std::string promise_in_words(const std::string& released, double epsilon,
                                           double delta);

/// The same of an epsilon that depends on what came out.
[[nodiscard]] std::string outcome_in_words(const std::string& released, double epsilon,
                                           double delta);

/// What became public of a run of this aggregator: its answers, and its refusals if it has any.
[[nodiscard]] std::string outputs_of(const Mechanism& aggregator);

/// Its conditions in sentences that follow another one: who is protected, what is assumed, what is
/// not covered.
[[nodiscard]] std::string conditions_of(const Guarantee& guarantee);

/// All of it as paragraphs for people.
[[nodiscard]] std::string statement_of(const Guarantee& guarantee);

}  // namespace pate
