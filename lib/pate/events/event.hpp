#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pate/accounting/best_of_tries.hpp"
#include "pate/accounting/mechanism_counts.hpp"
#include "pate/accounting/names.hpp"
#include "pate/accounting/report.hpp"
#include "pate/divergence/exact/exact_run.hpp"
#include "pate/mechanisms/mechanism.hpp"
#include "pate/release/public_release.hpp"

namespace pate {

// A record says what was done with an ensemble and what is known of it; every number follows from
// it (account_record.hpp). Nothing in it is derived, so records join without arithmetic.

/// What an event is.
enum class EventKind {
  run,       ///< queries put to the ensemble: what `analyze`, `label` and `plan` tell of
  release,   ///< a number that was published about a run, with noise
  majority,  ///< answers of a private majority (`darrm`)
  step,      ///< another mechanism on the same data, of which only its privacy is known
  tuning,    ///< runs with several parameters, of which the best labels were released
  declared,  ///< a run with a budget declared beforehand, and the private test before it
};
template <>
inline constexpr std::array<Named<EventKind>, 6> kNames<EventKind>{{
    {EventKind::run, "run"},
    {EventKind::release, "release"},
    {EventKind::majority, "majority"},
    {EventKind::step, "step"},
    {EventKind::tuning, "tuning"},
    {EventKind::declared, "declared"},
}};

/// Who decided what, and when: what a promise rests on. Public.
struct EventOrigin {
  std::optional<double> order;  ///< the one Renyi order that was named before the event
  /// Whether its queries, or what answers are compared with, were made from answers of other
  /// events.
  bool rows_from_answers = false;
  bool limited = false;  ///< whether limits could end the run after some of its answers
  std::string stopped;   ///< the limit that did; empty: none
  /// Of a release: whether its parameters were chosen to suit the votes.
  bool parameters_from_votes = false;
  /// Whether votes counted by weights of their teachers, which were fixed without looking at any.
  bool weighted = false;

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const EventOrigin&, const EventOrigin&) = default;
};

/// RDP <= rdp at every order up to `order`, whatever the votes: what a privacy filter guarantees.
struct RdpCap {
  double order = 0.0;
  double rdp = 0.0;
  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const RdpCap&, const RdpCap&) = default;
};

/// What a run took. Public, as its answers are.
struct RealizedRun {
  std::int64_t asked = 0;
  std::int64_t answered = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const RealizedRun&, const RealizedRun&) = default;
};

/// (epsilon, delta)-DP, whatever was done before: `count` times.
struct PrivacyClaim {
  double epsilon = 0.0;
  double delta = 0.0;
  std::int64_t count = 1;
  Neighbours neighbours = {};  ///< whom it is for
  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const PrivacyClaim&, const PrivacyClaim&) = default;
};

/// The noise in a number that was published about a run.
struct NumberNoise {
  ReleaseMethod method = ReleaseMethod::curve;
  double order = 0.0;
  double beta = 0.0;
  /// s of a curve; sigma of gnss, in smooth sensitivities; at_most: pure epsilon of its test
  double noise = 0.0;
  double k = 0.0;  ///< the safety shift of gnss, in standard deviations
  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const NumberNoise&, const NumberNoise&) = default;
};

/// A number that was published about a run: the epsilon and delta of the run and all numbers about
/// it so far, which depend on what was drawn.
struct DrawnNumber {
  double epsilon = 0.0;
  double delta = 0.0;
  std::vector<std::string> covers;   ///< ids of earlier numbers about the run, counted in epsilon
  std::optional<double> confidence;  ///< of gnss: Pr[the noise did not make epsilon too small]
  /// None where its parameters were chosen to suit the votes: they are private then, and telling
  /// them has no cost that is known.
  std::optional<NumberNoise> noise;
  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const DrawnNumber&, const DrawnNumber&) = default;
};

/// Another mechanism, `count` times: Gaussian with a sensitivity of `mu` standard deviations,
/// (xi, rho)-zCDP, or with RDP of `rdp` at most at `orders`, which increase. Where several are told
/// they are done one after the other.
struct ForeignStep {
  double mu = 0.0;
  double rho = 0.0;
  std::int64_t count = 1;
  double xi = 0.0;
  std::vector<double> orders = {}, rdp = {};

  /// Whether it is dominated by a Gaussian mechanism alone.
  [[nodiscard]] bool is_gaussian() const { return rho == 0.0 && xi == 0.0 && orders.empty(); }
  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const ForeignStep&, const ForeignStep&) = default;
};

/// Of how many runs the best was released, and the steps of one of them at most. Not how many there
/// were: that is not released.
struct TriedRuns {
  NumberOfTries number;
  MechanismCounts steps;
  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const TriedRuns&, const TriedRuns&) = default;
};

/// RDP under the bounds, and exact RDP by direction, at some orders: of reports that have no table.
struct EventCurves {
  std::vector<double> orders;
  std::optional<RdpCurves> published, tradeoff;
  std::optional<ExactCurves> exact;
  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const EventCurves&, const EventCurves&) = default;
};

/// Which votes an event is about. Private: digests tell neighbours apart.
struct VotesDigests {
  std::string file;    ///< SHA-256 of the file
  std::string counts;  ///< of the counts of the selected rows, in whatever file
  std::string run;     ///< of what decides the distribution of the answers
  std::string labels;  ///< SHA-256 of the file of labels
  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const VotesDigests&, const VotesDigests&) = default;
};

/// What everybody may know of an event.
struct PublicEvent {
  EventKind kind = EventKind::run;
  /// 128 random bits, hexadecimal, drawn when it happened; empty: it did not (a plan, an analysis).
  std::string id;
  /// What is protected: one teacher's votes, or one record of the data.
  bool protects_records = false;
  std::string ensemble;  ///< its name; empty: none was given
  std::int64_t teachers = 0;
  std::int64_t classes = 0;  ///< 0, like `teachers`: not known, as of plans
  std::string mechanism;     ///< its name
  std::string source;        ///< of a step: who says how private it is; empty: nobody is named
  /// Of runs and releases: how queries are answered. None of a plan, which has no threshold.
  std::optional<Mechanism> aggregator;
  std::int64_t queries = 0;
  std::string about;            ///< of a release: the run's id; empty: it has none
  std::optional<double> delta;  ///< at which its own report tells its cost
  EventOrigin origin;

  /// Noisy steps at most, whatever the votes and also where they were chosen by answers; of a
  /// release those of its run.
  std::optional<MechanismCounts> steps;
  std::optional<RdpCap> cap;
  std::optional<RealizedRun> realized;
  std::optional<DrawnNumber> drawn;
  std::optional<PrivacyClaim> claim;
  std::optional<ForeignStep> foreign;
  std::optional<TriedRuns> tries;

  [[nodiscard]] bool happened() const { return !id.empty(); }
  /// Of whom its costs are: of its steps, its claim or the steps of one try; one teacher that votes
  /// otherwise where there are none.
  [[nodiscard]] Neighbours neighbours() const;
  /// Whether its costs add up with others for these neighbours; those of a step, which are of one
  /// record, with costs of teachers that vote otherwise.
  [[nodiscard]] bool adds_up_for(const Neighbours& whom) const;
  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const PublicEvent&, const PublicEvent&) = default;
};

/// What depends on the votes.
struct PrivateFacts {
  VotesDigests digests;
  /// All queries of the run, asked or not, by what the bounds look at; empty: not told.
  std::vector<QueryRow> table;
  /// The same by what exact costs look at; empty: not told.
  std::vector<ExactQuery> exact;
  std::optional<EventCurves> curves;
  std::optional<NumberNoise> noise;  ///< of a number whose parameters were chosen to suit the votes

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const PrivateFacts&, const PrivateFacts&) = default;
};

/// One thing that was done with an ensemble, or is planned.
struct Event {
  PublicEvent open;
  PrivateFacts facts;
  /// Of what did not happen: how many such there are. 1 of what did.
  std::int64_t times = 1;

  [[nodiscard]] bool happened() const { return open.happened(); }
  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const Event&, const Event&) = default;
};

using Record = std::vector<Event>;

/// The records one after the other, each event once: what happened is one event wherever it is told
/// of, and what is known of it in either place is known; of what did not happen, equal events are
/// one that counts as often as it is named. Joining is associative and, but for the order of the
/// events, on which no number depends, commutative. Throws `input_error` naming the event where one
/// id has two descriptions.
[[nodiscard]] Record join(const Record& a, const Record& b);

/// Whom the costs of a record are for. Throws `input_error` naming two events that have costs of
/// different neighbours, which do not add up, or that has costs for teachers that are added or
/// removed beside what others say of one record.
Neighbours common_neighbours(const Record& record);

/// What may be published of a record.
[[nodiscard]] Record public_record(Record record);

/// The events in an order that depends on what they say alone.
[[nodiscard]] Record canonical(Record record);

}  // namespace pate
