#include "pate/mechanisms/supports.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "pate/base/error.hpp"

namespace pate {

namespace {

using enum Asked;

template <class... Values>
constexpr std::uint32_t any(Values... values) {
  return (0U | ... | (1U << static_cast<unsigned>(values)));
}

// As the sentences name them.
constexpr std::array<std::string_view, 25> kNames{
    "PTR",
    "one noise, which is compared with half of all teachers,",
    "samples of the teachers (\1sample-teachers)",
    "samples of records (\1sample-records)",
    "the cost of teachers with weights",
    "the cost of groups",
    "the published bound",
    "the bound tradeoff",
    "an exact cost",
    "the tilted bound",
    "the certificate by complex orders",
    "an explanation",
    "a shard of a run",
    "tuning",
    "the best of several tries",
    "a release",
    "the exact cost of a release",
    "the tilted cost of a release",
    "the realized cost of a release",
    "a certificate by complex orders",
    "a release by smooth sensitivity",
    "the exact cost of a release by smooth sensitivity",
    "S18's procedure",
    "the sensitivity of a published cost",
    "a curve for other accountants"};

constexpr std::uint32_t kAll = ~0U;
constexpr std::uint32_t kAdded = any(Given::one_added, Given::several_added);
constexpr std::uint32_t kOthers = kAdded | any(Given::several_replaced);
constexpr std::uint32_t kSamples = any(samples_of_teachers, samples_of_records);

// A fact: what of `asked` does not go with any of `with`, where there is any of `also`, too.
struct Fact {
  std::uint32_t asked, with, also;
  std::string_view sentence;
};

static_assert(kMaxListedTeachers == 3, "sentences of the table say three");

constexpr auto kFacts = std::to_array<Fact>({
    // Samples, which have neighbours of their own.
    {any(tilted), any(Given::samples), kAll, "{what} is not known of samples: exact costs are"},
    {any(weights), any(Given::samples, Given::declared), kAll,
     "{what} excludes samples, \1declared-epsilon and \1published-sensitivity, where every vote "
     "counts one"},
    {any(published, tradeoff), any(Given::samples), kAll,
     "\1bound has no effect with \1sample-teachers: no bound by the votes is known of samples; "
     "leave it out, \1exact has what they cost on these votes"},
    // Who is protected.
    {any(smooth_release, exact_smooth, published_release), any(Given::several_replaced), kAll,
     "{what} is known for one teacher that votes otherwise, not for {who}: a release through a "
     "curve is known for them"},
    {any(ptr, tilted, weights, groups, tries, smooth_release, exact_smooth, published_release,
         published_sensitivity),
     kOthers, kAll,
     "{what} is known for one teacher that votes otherwise, not for {who}: of these the bounds "
     "data_independent, published and tradeoff of a noisy maximum are known, and exact costs of "
     "up to three teachers"},
    {any(exports), kOthers, kAll,
     "{what} is for one teacher that votes otherwise, not for {who}: it would be added to costs of "
     "one record"},
    {any(samples_of_teachers),
     any(Given::one_replaced, Given::several_replaced, Given::several_added), kAll,
     "{what} are known for one teacher that is added or removed (\1neighbours add-remove, without "
     "\1teachers-per-person), not for {who}"},
    {any(samples_of_records), kOthers, kAll,
     "{what} are known for one record that is added or removed, which moves one vote, not for "
     "{who}: leave out \1teachers-per-person"},
    {any(release, exact_curve, tilted_curve, realized_curve), kAdded, kAll,
     "a release, or a declared budget, is known for teachers that vote otherwise, not for {who}: "
     "tables of costs within a distance need a number of teachers that stays; leave \1neighbours "
     "out, or take what holds whatever the votes, or the bound tradeoff"},
    {any(one_noise), kAdded, kAll,
     "one noise is compared with half of the teachers, whose number must not change with the "
     "votes: leave \1neighbours add-remove out"},
    {any(exact, complex, explanation), any(Given::more_than_listed), kAll,
     "{what} lists all neighbours, which is done for at most 3 teachers per person, not for "
     "{who}: the bound tradeoff holds for them all the same"},
    {any(exact, complex, explanation), any(Given::student, Given::one_noise), kOthers,
     "{what} for {who} is known without a student and one noise only: the bound tradeoff "
     "holds for them all the same"},
    // Over several votes that move, the largest modulus may not be where all of them take one way.
    {any(complex_certificate), kOthers, kAll,
     "{what} needs one teacher that votes otherwise, not {who}: use that by Renyi orders "
     "(\1certificate renyi)"},
    // What votes say.
    {any(ptr, one_noise, weights, groups, exact, tilted, complex, explanation, tuning, release,
         published_release),
     any(Given::left_out), kAll,
     "{what} knows only what one vote that moves changes; where teachers that abstain are left "
     "out, votes come and go too: take abstentions for a class of its own"},
    {any(weights, groups), any(Given::counts), kAll,
     "{what} needs predictions (\1layout predictions or predictions-by-query): counts do not say "
     "whose votes they are"},
    // What answers.
    {any(published), any(Given::ptr), kAll,
     "\1bound published: of PTR no bound was published; leave it out, or say \1bound tradeoff, "
     "which is what its tests cost on these votes"},
    {any(exact_curve), any(Given::many_classes, Given::laplace, Given::student), kAll,
     "the exact cost can be released for two classes with Gaussian noise and without a student "
     "only; use the tilted or the trade-off cost"},
    {any(exact_smooth), any(Given::many_classes, Given::laplace, Given::student), kAll,
     "the exact cost can be released for two classes with Gaussian noise and without a student "
     "only: its sensitivity is not known for others; use the trade-off bound"},
    {any(exact_smooth), any(Given::realized), kAll,
     "the exact cost has no realized reading; release the joint one, or the trade-off bound"},
    {any(tilted_curve), any(Given::laplace), kAll,
     "the tilted cost is one of Gaussian noise; use the trade-off cost with Laplace noise"},
    {any(realized_curve), any(Given::no_threshold), kAll,
     "the realized cost is one of aggregators with a threshold"},
    {any(complex_certificate), any(Given::laplace), kAll,
     "{what} needs Gaussian noise: use that by Renyi orders (\1certificate renyi)"},
    {any(complex_certificate), any(Given::student), kAll,
     "{what} needs no student: use that by Renyi orders (\1certificate renyi)"},
    {any(complex_certificate), any(Given::realized), kAll,
     "{what} needs costs of every query: use that by Renyi orders (\1certificate renyi)"},
    {any(exact, explanation), any(Given::sparse), kAll,
     "{what} does not go with the sparse form of PTR, where rounds cost and no query does"},
    {any(shard), any(Given::sparse), kAll,
     "{what} does not go with the sparse form of PTR, which goes by the order of all queries"},
    {any(release), any(Given::ptr), kAll,
     "PTR has no epsilon to release with noise: its cost for any votes (data_independent) may be "
     "published as it is"},
    {any(complex), any(Given::ptr), kAll,
     "complex orders look at the outcome probabilities of every query: there are none of PTR and "
     "of the sparse vector technique; \1exact has what PTR costs"},
    {any(tilted, published_release, published_sensitivity), any(Given::ptr, Given::laplace), kAll,
     "{what} is known for Gaussian noise (\1sigma2) only"},
    {kSamples, any(Given::ptr, Given::laplace, Given::one_noise), kAll,
     "{what} are known for Gaussian noise on every count (\1sigma2), with a threshold or without "
     "one"},
    {any(weights), any(Given::ptr, Given::one_noise, Given::student), kAll,
     "{what} is known for a noisy maximum with noise on every count, with or without a threshold: "
     "PTR, a student and one noise go by whole votes"},
    // What else is asked.
    {kSamples, any(Given::student, Given::decisions, Given::shard), kAll,
     "{what} are known without a student, decisions, true labels and shards: what a sample would "
     "have done is not known"},
    {kSamples, any(Given::max_answers), kAll,
     "{what} exclude \1max-answers: what a query costs is not known by its steps, so that every "
     "query counts as answered"},
    {kSamples, any(Given::declared), kAll,
     "{what} exclude \1declared-epsilon and \1published-sensitivity, which are of all votes"},
    {any(tilted), any(Given::weights), kAll,
     "{what} knows only what one vote that moves changes, not one with a weight: exact costs are "
     "there with weights of teachers"},
    {any(weights, groups), any(Given::shard), kAll,
     "{what} is told of a whole run, not of a shard"},
});

}  // namespace

Circumstances::Circumstances(const Neighbours& neighbours) : neighbours_(neighbours) {
  const bool one = neighbours.teachers == 1;
  bits_ = neighbours.adds_or_removes() ? any(one ? Given::one_added : Given::several_added)
                                       : any(one ? Given::one_replaced : Given::several_replaced);
  if (neighbours.teachers > kMaxListedTeachers) bits_ |= any(Given::more_than_listed);
}

Circumstances::Circumstances(const Mechanism& mechanism, const Neighbours& neighbours)
    : Circumstances(neighbours) {
  const Aggregator* const aggregator = mechanism.aggregator();
  const bool noisy = aggregator != nullptr;
  *this = with(Given::ptr, !noisy)
              .with(Given::sparse, mechanism.sparse() != nullptr)
              .with(Given::laplace, noisy && !aggregator->is_gaussian())
              .with(Given::one_noise, noisy && aggregator->noisy_max.is_of_two_classes())
              .with(Given::student, mechanism.interactive());
}

Circumstances Circumstances::with(Given one, bool is_so) const {
  Circumstances result = *this;
  if (is_so) result.bits_ |= any(one);
  return result;
}

std::string_view in_words(Asked asked) {
  return kNames.at(static_cast<std::size_t>(asked));
}

std::optional<std::string> supports(Asked asked, const Circumstances& circumstances) {
  for (const Fact& fact : kFacts) {
    if ((fact.asked & any(asked)) == 0 || !circumstances.has_any(fact.with)) continue;
    if (!circumstances.has_any(fact.also)) continue;
    return fmt::format(fmt::runtime(fact.sentence), fmt::arg("what", in_words(asked)),
                       fmt::arg("who", in_words(circumstances.neighbours())));
  }
  return std::nullopt;
}

void require(Asked asked, const Circumstances& circumstances) {
  if (const auto refused = supports(asked, circumstances)) throw parameter_error(*refused);
}

}  // namespace pate
