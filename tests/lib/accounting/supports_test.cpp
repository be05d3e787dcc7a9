// What is known for whom, cell by cell: what the table says is there is computed, on a small
// ensemble, and what it says is not is refused with its sentence.

#include "pate/mechanisms/supports.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "pate/accounting/circumstances.hpp"
#include "pate/accounting/explanation.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/accounting/sampled_account.hpp"
#include "pate/accounting/weighted_account.hpp"
#include "support/labeling.hpp"

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

}  // namespace

TEST_SUITE("accounting") {
  TEST_CASE("every cell of the table: x where there is no such thing") {
    // By what it is asked with: 1 or S replaced, 1 or S added, more than are listed; votes left
    // out, counts; PTR, sparse; Laplace, one noise; student; samples, weights; shard, decisions;
    // most answers, declared.
    constexpr auto kTable = std::to_array<std::string_view>({
        ".xxxx x. .. .. . .. .. ..",  // ptr
        "..xx. x. .. .. . .. .. ..",  // one_noise
        "xx.xx .. x. xx x .. xx xx",  // samples_of_teachers
        ".xxxx .. x. xx x .. xx xx",  // samples_of_records
        ".xxxx .x x. .x x x. x. .x",  // weights
        ".xxxx .x .. .. . .. x. ..",  // groups
        "....x x. .x .. . .. .. ..",  // exact
        ".xxxx x. x. x. . xx .. ..",  // tilted
        "....x x. x. .. . .. .. ..",  // complex
        "....x x. .x .. . .. .. ..",  // explanation
        "..... .. .x .. . .. .. ..",  // shard
        "..... x. .. .. . .. .. ..",  // tuning
        ".xxxx .. .. .. . .. .. ..",  // tries
        "..xx. x. x. .. . .. .. ..",  // release
        ".xxxx .. .. .. . .. .. ..",  // smooth_release
        ".xxxx x. x. x. . .. .. ..",  // published_release
        ".xxxx .. x. x. . .. .. ..",  // published_sensitivity
        ".xxxx .. .. .. . .. .. ..",  // exports
    });
    std::uint8_t i = 0;
    for (const std::string_view row : kTable) {
      const Asked asked{i++};
      std::uint8_t j = 0;
      for (const char expected : row) {
        if (expected == ' ') continue;
        CAPTURE(row);
        CAPTURE(j);
        const Given given{j++};
        const auto found = supports(asked, cell(asked, given));
        CHECK(found.has_value() == (expected == 'x'));
        if (found) CHECK(found->find_first_of("{}") == std::string::npos);
      }
      CHECK(--j == static_cast<std::uint8_t>(Given::declared));
    }
    CHECK(--i == static_cast<std::uint8_t>(Asked::exports));
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
    const auto cost = [&](Asked asked, const Run& run) {
      AccountSettings settings;
      settings.delta = 1e-4;
      if (asked == Asked::exact) settings.models.insert(Bound::exact);
      if (asked == Asked::tilted) settings.models.insert(Bound::tilted);
      if (asked == Asked::complex) settings.models.insert(Bound::complex);
      Partials partials;
      if (asked == Asked::explanation) return explain(run, settings, {{0}, 0}).run_tradeoff;
      const Account found =
          asked == Asked::samples_of_teachers ? account_sampled(run, 0.5, settings)
          : asked == Asked::weights
              ? account_weighted(run, votes, weights, settings).account
              : account(run, settings, asked == Asked::shard ? &partials : nullptr);
      return found.costs[found.headline].epsilon;
    };
    for (const Asked asked : {Asked::exact, Asked::tilted, Asked::complex, Asked::explanation,
                              Asked::shard, Asked::samples_of_teachers, Asked::weights}) {
      for (const Run& run : runs) {
        CAPTURE(static_cast<int>(asked));
        CAPTURE(run.aggregator.name());
        CAPTURE(in_words(run.neighbours));
        const auto refused = supports(asked, circumstances_of(run));
        if (!refused) CHECK(cost(asked, run) >= 0.0);
        if (refused)
          CHECK_THROWS_WITH_AS((void)cost(asked, run), refused->c_str(), parameter_error);
      }
    }
  }
}
