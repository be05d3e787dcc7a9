// What is known for whom, cell by cell: what the table says is there is computed, on a small
// ensemble, and what it says is not is refused with its sentence. The page prints the table.

#include "pate/mechanisms/supports.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pate/accounting/circumstances.hpp"
#include "pate/accounting/explanation.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/accounting/sampled_account.hpp"
#include "pate/accounting/weighted_account.hpp"
#include "pate/base/error.hpp"
#include "pate/release/as_published/release.hpp"
#include "pate/release/curve/costs_within_distance.hpp"
#include "pate/release/declared/certificate.hpp"
#include "pate/release/smooth/release_cost.hpp"
#include "support/labeling.hpp"
#include "support/paths.hpp"
#include "support/temp_directory.hpp"
#include "support/tuning.hpp"

using namespace pate;
using namespace pate::test;

namespace {

constexpr Neighbours kOneAdded{Adjacency::add_remove, 1};

// As many as are known of what is asked for alone, and one thing given.
Circumstances cell(Asked asked, Given given) {
  const Neighbours known = asked == Asked::samples_of_teachers ? kOneAdded : Neighbours{};
  const std::array<Neighbours, 5> of_first{{{},
                                            {Adjacency::replace, 2},
                                            kOneAdded,
                                            {Adjacency::add_remove, 2},
                                            {Adjacency::replace, 4}}};
  const auto i = static_cast<std::size_t>(given);
  return given <= Given::more_than_listed ? Circumstances(of_first.at(i))
                                          : Circumstances(known).with(given);
}

// What else there may be, as the page says it.
constexpr std::array<std::string_view, 16> kOthers{"votes left out",
                                                   "counts",
                                                   "more than two classes",
                                                   "PTR",
                                                   "the sparse form of PTR",
                                                   "Laplace",
                                                   "one noise",
                                                   "a student",
                                                   "no threshold",
                                                   "samples",
                                                   "weights",
                                                   "a shard",
                                                   "decisions or labels",
                                                   "most answers",
                                                   "a declared budget",
                                                   "the realized cost"};

std::string table_of_the_page() {
  std::string text =
      "| | one votes otherwise | S vote otherwise | one is there or not | S are there or not | not "
      "with |\n| --- | --- | --- | --- | --- | --- |\n";
  for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(Asked::exports); ++i) {
    const Asked asked{i};
    const auto has = [&](Given given) { return !supports(asked, cell(asked, given)); };
    std::string name = with_options(in_words(asked));
    if (name.ends_with(',')) name.pop_back();
    text += "| " + name + " |";
    for (const Given given :
         {Given::one_replaced, Given::several_replaced, Given::one_added, Given::several_added}) {
      const bool is_several = given == Given::several_replaced || given == Given::several_added;
      text += !has(given)                                   ? " |"
              : is_several && !has(Given::more_than_listed) ? " up to 3 |"
                                                            : " yes |";
    }
    std::string others;
    for (std::size_t k = 0; k < kOthers.size(); ++k) {
      const Given given{static_cast<std::uint8_t>(static_cast<std::size_t>(Given::left_out) + k)};
      if (!has(given)) others += (others.empty() ? " " : ", ") + std::string(kOthers.at(k));
    }
    text += others + " |\n";
  }
  return text;
}

}  // namespace

TEST_SUITE("tuning") {
  TEST_CASE("the page has the table") {
    const std::string page = read_bytes(source_file("cli/commands/analyze.md"));
    const std::string table = table_of_the_page();
    CAPTURE(table);
    CHECK(page.find("\n\n" + table + "\n") != std::string::npos);
  }

  TEST_CASE("what is there is computed, what is not is refused as the table says") {
    const auto table =
        npy_table(npy_array<std::int64_t>({2, 6}, {0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 0, 1}));
    const PredictionVotes votes(table, PredictionLayout::queries_by_teachers, 2);
    const PredictionVotes partly(table, PredictionLayout::queries_by_teachers, 2,
                                 Abstentions::left_out);
    const auto student = scores_of(2, 2, {0.9, 0.1, 0.4, 0.6});
    const NoisyMax one_noise{OneLaplaceNoise{3.0}};
    std::vector<Run> runs;
    for (const Aggregator& aggregator :
         {gnmax(3.0), lnmax(3.0), confident(3.0, 3.0, 3.0), interactive(1.0, 3.0, 3.0),
          Aggregator{.selection = {}, .noisy_max = one_noise}}) {
      for (const Adjacency adjacency : {Adjacency::replace, Adjacency::add_remove}) {
        for (const std::int64_t teachers : {1, 2, 4}) {
          if (aggregator.noisy_max == one_noise && adjacency == Adjacency::add_remove) continue;
          runs.push_back(run_of(votes, protecting(aggregator, {adjacency, teachers}),
                                aggregator.interactive ? student.get() : nullptr));
        }
      }
    }
    for (const StabilityTest& test :
         {StabilityTest::with_laplace(0.5, 1e-9), StabilityTest::with_gaussian(5.0, 1e-9),
          StabilityTest::sparse(0.5, 1e-9, 2), StabilityTest::sparse_gaussian(5.0, 1e-9, 2, 2)}) {
      runs.push_back(run_of(votes, test));
    }
    for (const Neighbours& neighbours : {Neighbours{}, kOneAdded}) {
      const CostedMechanism mechanism = protecting(gnmax(3.0), neighbours);
      runs.push_back(run_of(partly, mechanism));
      runs.push_back(run_of(votes, mechanism));
      runs.back().shard = {1, 2};
      runs.push_back(run_of(votes, mechanism));
      runs.back().labels = {0, 1};
    }
    const TeacherWeights weights{{1, 1, 2, 1, 1, 1}, 1.0};
    const auto question = [](Asked asked, const Run& run) {
      return CostSpec{
          run.aggregator.noisy(),
          run.neighbours,
          6,
          2,
          4.0,
          asked == Asked::exact_curve    ? CurveCost::exact
          : asked == Asked::tilted_curve ? CurveCost::tilted
                                         : CurveCost::tradeoff,
          asked == Asked::realized_curve ? ReleasedCost::realized : ReleasedCost::joint};
    };
    const auto cost = [&](Asked asked, const Run& run) -> double {
      AccountSettings settings;
      settings.delta = 1e-4;
      if (asked == Asked::exact) settings.models.insert(Bound::exact);
      if (asked == Asked::tilted) settings.models.insert(Bound::tilted);
      if (asked == Asked::complex) settings.models.insert(Bound::complex);
      const TuningVotes tuned{run.votes, run.rows, nullptr, {}};
      Partials partials;
      TuningGrid grid;
      grid.noise = {3.0};
      CostChoice choice;
      if (asked == Asked::exact_smooth) choice.bound = ReleasedBound::exact;
      AsPublishedSettings published;
      published.delta = settings.delta;
      switch (asked) {
        case Asked::tuning:
          return tune(tuned, grid, agreeing_settings(), {}, {}).points.at(0).point.epsilon;
        case Asked::release:
          return static_cast<double>(collect_votes(run).queries);
        case Asked::smooth_release:
        case Asked::exact_smooth:
          return cost_at_order(collect_votes(run), 4.0, choice).rdp;
        case Asked::published_release:
          return release_as_published(run, published).rdp;
        case Asked::complex_certificate:
          return certificate_rule(Certificate::complex, question(asked, run)).most_real;
        case Asked::exact_curve:
        case Asked::tilted_curve:
        case Asked::realized_curve:
          return static_cast<double>(
              CostsWithinDistance(question(asked, run)).upper(collect_votes(run), 1, 1).size());
        default:
          break;
      }
      if (asked == Asked::explanation) return explain(run, settings, {{0}, 0}).run_tradeoff;
      const Account found =
          asked == Asked::samples_of_teachers ? account_sampled(run, 0.5, settings)
          : asked == Asked::weights
              ? account_weighted(run, votes, weights, settings).account
              : account(run, settings, asked == Asked::shard ? &partials : nullptr);
      return found.costs[found.headline].epsilon;
    };
    for (const Asked asked :
         {Asked::exact, Asked::tilted, Asked::complex, Asked::explanation, Asked::shard,
          Asked::samples_of_teachers, Asked::weights, Asked::tuning, Asked::release,
          Asked::published_release, Asked::exact_curve, Asked::tilted_curve, Asked::realized_curve,
          Asked::complex_certificate, Asked::smooth_release, Asked::exact_smooth}) {
      const bool is_curve = asked >= Asked::exact_curve && asked <= Asked::complex_certificate;
      const bool is_smooth = asked == Asked::smooth_release || asked == Asked::exact_smooth;
      for (const Run& run : runs) {
        // What no release takes is not asked further.
        if ((is_curve || is_smooth) && supports(Asked::release, circumstances_of(run))) continue;
        CAPTURE(static_cast<int>(asked));
        CAPTURE(run.aggregator.name());
        CAPTURE(in_words(run.neighbours));
        auto refused =
            is_smooth ? supports(Asked::smooth_release, circumstances_of(run)) : std::nullopt;
        if (!refused) {
          refused = supports(
              asked, is_curve ? circumstances_of(question(asked, run)) : circumstances_of(run));
        }
        if (!refused) CHECK(cost(asked, run) >= 0.0);
        if (refused)
          CHECK_THROWS_WITH_AS((void)cost(asked, run), refused->c_str(), parameter_error);
      }
    }
  }
}
