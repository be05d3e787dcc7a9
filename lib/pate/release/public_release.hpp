#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pate/accounting/guarantee.hpp"
#include "pate/accounting/names.hpp"
#include "pate/divergence/complex/complex_orders.hpp"
#include "pate/mechanisms/aggregator.hpp"
#include "pate/release/curve/costs_within_distance.hpp"
#include "pate/release/declared/certificate_kind.hpp"
#include "pate/release/sensitivity/local_sensitivity.hpp"
#include "pate/release/sensitivity/vote_profile.hpp"
#include "pate/release/smooth/release_cost.hpp"

namespace pate {

/// How an epsilon is released.
enum class ReleaseMethod {
  curve,    ///< as a point of a public curve
  gnss,     ///< with normal noise scaled to its smooth sensitivity
  at_most,  ///< as one of two numbers that were fixed beforehand, by a private test
};
template <>
inline constexpr std::array<Named<ReleaseMethod>, 3> kNames<ReleaseMethod>{{
    {ReleaseMethod::curve, "curve"},
    {ReleaseMethod::gnss, "gnss"},
    {ReleaseMethod::at_most, "at_most"},
}};

/// What a release can be expected to publish of a run; private. For comparing settings of the
/// aggregator.
struct ReleasedEpsilon {
  double mean = 0.0;
  double sd = 0.0;
  double order = 0.0;
  double beta = 0.0;
  double noise = 0.0;  ///< sigma, of a curve s
  ReleaseMethod method = ReleaseMethod::gnss;
  bool is_estimate = false;  ///< roughly what the release publishes, not exactly
};

/// Where the parameters of a release come from. A statement allows for all but the second.
enum class ParameterOrigin {
  fixed,            ///< gnss: in advance
  chosen,           ///< to suit the votes
  public_inputs,    ///< curve: numbers of teachers, classes and queries, the noise, delta
  released_labels,  ///< curve: besides, how many queries were answered
  given,            ///< curve: in advance
  report,           ///< curve: of an earlier report
};
template <>
inline constexpr std::array<Named<ParameterOrigin>, 6> kNames<ParameterOrigin>{{
    {ParameterOrigin::fixed, "fixed"},
    {ParameterOrigin::chosen, "chosen from the votes"},
    {ParameterOrigin::public_inputs, "public inputs"},
    {ParameterOrigin::released_labels, "released labels"},
    {ParameterOrigin::given, "given"},
    {ParameterOrigin::report, "taken from a report"},
}};

/// A number that was released about the same answers before.
struct EarlierRelease {
  double beta = 0.0;
  double sigma = 0.0;  ///< of a curve: the noise s on its index; at_most: pure epsilon of the test
  double k = 0.0;
  bool chosen_from_votes = false;  ///< its parameters, to suit the votes
  ReleaseMethod method = ReleaseMethod::gnss;
};

/// What telling those numbers cost, RDP at an order: `release_cost`, `cost_of_index`. Throws
/// `validity_error` where that is not finite.
[[nodiscard]] double cost_of_earlier(const std::vector<EarlierRelease>& earlier, double order);

/// How the epsilon of a release counts another entry of the ledger it goes into.
enum class Counted {
  same_answers,    ///< a labelling that gave the answers of this run: counted once, with the run
  noise,           ///< an earlier number about the same answers: what its noise cost
  added,           ///< with all others about other answers: what they cost together is added
  within_another,  ///< by the epsilon of a later entry, about the same answers, that is added
};
template <>
inline constexpr std::array<Named<Counted>, 4> kNames<Counted>{{
    {Counted::same_answers, "same_answers"},
    {Counted::noise, "noise"},
    {Counted::added, "added"},
    {Counted::within_another, "within_another"},
}};

/// Another entry of the ledger. Nothing in it depends on the votes but what is public.
struct OtherEntry {
  std::string id;  ///< of its event
  std::int64_t line = 0;
  std::string kind;
  std::string time;
  Counted counted = Counted::added;
  bool chosen_from_votes = false;  ///< parameters of a release
};

/// What the cost of other entries of the ledger rests on, and whom it is about.
struct OthersConditions {
  bool of_records = false;  ///< what is said of some is of one record of the data, not of a teacher
  std::vector<std::string> assumes, not_covered;
};

/// What every method of releasing is told.
struct ReleaseTerms {
  double delta = 0.0;
  ReleasedCost cost = ReleasedCost::joint;
  /// Released about the same answers before: the new epsilon covers all of them.
  std::vector<EarlierRelease> earlier;
  /// All entries of the ledger, which the new epsilon counts; none without a ledger.
  std::optional<std::vector<OtherEntry>> ledger;
  /// What those of them cost together that are about other answers: epsilon and delta, which may
  /// depend on outcomes that are public.
  double others_epsilon = 0.0;
  double others_delta = 0.0;
  OthersConditions others_conditions = {};
  unsigned threads = 0;  ///< 0: all processors; changes no bit of the result

  /// Whether parameters of an entry that is counted were chosen from votes.
  [[nodiscard]] bool counts_chosen() const;
};

/// What the entries of a ledger add to a run, rounded upwards.
struct AddedEntries {
  double epsilon = 0.0;
  double total_delta = 0.0;  ///< with that of the run
};

/// Entries of a ledger that are about other answers are added by sequential composition: with an
/// epsilon E_i(o) that is told with its output o, (E_i, delta_i) holds where the excess, the mean
/// of max(0, 1 - e^(E_i - loss)), is at most delta_i; since 1 - ab <= (1 - a) + (1 - b) for a, b in
/// [0, 1], excesses add up, also when a step depends on the outputs of those before. Throws
/// `validity_error` where the deltas add up to 1 or more.
[[nodiscard]] AddedEntries added_entries(const ReleaseTerms& terms, double run_delta);

/// What a curve by complex orders tells of them.
struct ComplexFacts {
  double orders_for = 0.0;     ///< the epsilon that they suit
  std::vector<double> orders;  ///< the Renyi orders of the real parts
  ComplexOrders complex_orders;
};

/// What a release through a curve tells besides.
struct CurveFacts {
  double s = 0.0;
  double beta = 0.0;
  CurveCost cost = CurveCost::tilted;  ///< of Renyi costs
  double ub_max = 0.0;  ///< the RDP that the run costs at most, whatever the votes; of Renyi costs
  double floor = 0.0;   ///< between these the epsilon of the run lies, whatever the votes
  double ceiling = 0.0;
  std::int64_t y = 0;  ///< the index with its noise
  std::optional<ComplexFacts> complex = {};

  [[nodiscard]] Certificate certificate() const {
    return complex ? Certificate::complex : Certificate::renyi;
  }
};

/// What the test of a claim tells besides.
struct AtMostFacts {
  bool passed = false;
  double claim = 0.0;                  ///< what is said where it passes
  double failed_claim = 0.0;           ///< what is said where it does not
  CurveCost cost = CurveCost::tilted;  ///< of a certificate by Renyi orders
  std::int64_t levels = 0;
  std::vector<double> orders;  ///< Renyi orders; of complex ones those of the real parts
  Certificate certificate = Certificate::renyi;
  std::optional<ComplexOrders> complex_orders = {};
};

/// Which two numbers such a release can tell of its run, at which delta, and what that means;
/// `others`: what else E counts.
[[nodiscard]] std::string two_numbers_in_words(const AtMostFacts& facts, double delta,
                                               double others);

/// An epsilon that may be published, and all that may be published beside it.
struct PublicRelease {
  ReleaseMethod method = ReleaseMethod::gnss;
  double epsilon = 0.0;      ///< of the run, and of all that it counts of the ledger
  double delta = 0.0;        ///< with the noise in E (gnss), and all that it counts
  double run_epsilon = 0.0;  ///< of the run and the numbers released about its answers alone
  double run_delta = 0.0;
  double order = 0.0;
  std::int64_t queries = 0;
  std::int64_t teachers = 0;
  std::int64_t classes = 0;
  std::optional<std::int64_t> answered;  ///< with decisions only: it is public then
  Aggregator aggregator;
  Neighbours neighbours;
  ReleasedCost reading = ReleasedCost::joint;
  /// `chosen` also where those of an entry that is counted are.
  ParameterOrigin parameters = ParameterOrigin::fixed;
  std::optional<std::vector<OtherEntry>> ledger;
  double others_epsilon = 0.0;  ///< of what it counts of the ledger, about other answers
  double others_delta = 0.0;
  OthersConditions others_conditions = {};
  std::string statement;  ///< what the number means, in plain words

  std::optional<double> confidence;    ///< gnss: Phi(k)
  std::optional<ReleasedBound> bound;  ///< gnss
  std::optional<CurveFacts> curve;
  std::optional<AtMostFacts> at_most;

  [[nodiscard]] bool uses_chosen_parameters() const {
    return parameters == ParameterOrigin::chosen;
  }
};

/// What every method publishes of a run, but its order and its statement.
[[nodiscard]] PublicRelease public_release(const VoteProfile& votes, const ReleaseTerms& terms,
                                           ParameterOrigin origin, double run_epsilon,
                                           double run_delta);

/// The statement of a number: the promise in words and in symbols, `how` it was released (whole
/// sentences), what its reading covers, the ledger, what is to be said of its `parameters`, and the
/// conditions: who is protected, what is assumed, what is not covered.
[[nodiscard]] std::string release_statement(const PublicRelease& published,
                                            const ReleaseTerms& terms, std::string_view how,
                                            std::string_view parameters);

/// The end of a statement where only parameters of an earlier release were chosen from votes.
inline constexpr std::string_view kEarlierChosen =
    " Caution: those of an earlier release were chosen from votes, which the statement does not "
    "allow for.";

/// What a release promises: what its statement says, nothing where nothing was drawn (of a run for
/// these neighbours) or where the parameters were chosen from the votes.
[[nodiscard]] Guarantee guarantee_of(const std::optional<PublicRelease>& published,
                                     const Neighbours& neighbours = {});

template <>
inline constexpr std::array<Named<ReleasedBound>, 2> kNames<ReleasedBound>{{
    {ReleasedBound::tradeoff, "tradeoff"},
    {ReleasedBound::exact, "exact"},
}};
template <>
inline constexpr std::array<Named<ReleasedCost>, 2> kNames<ReleasedCost>{{
    {ReleasedCost::joint, "joint"},
    {ReleasedCost::realized, "realized"},
}};

/// "fixed" or "chosen from the votes".
[[nodiscard]] std::string_view parameters_name(bool chosen_from_votes);

}  // namespace pate
