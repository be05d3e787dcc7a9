#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/numerics/normal.hpp"
#include "pate/release/curve/curve_release.hpp"
#include "support/accuracy.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/random.hpp"
#include "support/statistic.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

// A small release: all that is public. The student's scores stand behind the statistic.
struct SmallRelease {
  CurveSettings settings;
  std::vector<std::int32_t> scores;

  [[nodiscard]] const Aggregator& aggregator() const { return settings.question.aggregator; }
  [[nodiscard]] std::int64_t statistic(const Histogram& counts) const {
    return statistic_of(settings.question, scores, counts);
  }
};

using SmallVotes = std::vector<Histogram>;  // by query

template <class T>
const T& one_of(Random& random, const std::vector<T>& values) {
  return values[static_cast<std::size_t>(
      random.integer(0, static_cast<std::int64_t>(values.size()) - 1))];
}

SmallRelease random_release(Random& random) {
  SmallRelease release;
  CurveSettings& s = release.settings;
  CostSpec& q = s.question;
  q.teachers = random.integer(2, 7);
  q.classes = random.integer(2, q.teachers > 5 ? 3 : 5);
  s.queries = random.integer(1, q.classes < 4 ? 2 : 1);
  const double noise = one_of<double>(random, {.7, 1.0, 2.0, 4.0, 9.0});
  const auto kind = random.integer(0, 9);
  if (kind == 0) {
    q.aggregator.noisy_max = LaplaceNoisyMax{noise};
    q.cost = CurveCost::tradeoff;
  } else {
    q.aggregator.noisy_max = GaussianNoisyMax{noise};
    if (kind > 1) {
      q.aggregator.selection =
          ThresholdCheck{static_cast<double>(random.integer(1, q.teachers + 1)),
                         one_of<double>(random, {1.0, 3.0, 8.0})};
      q.aggregator.interactive = kind == 2 || kind == 3;
      if (random.integer(0, 2) == 0) q.reading = ReleasedCost::realized;
    }
    q.cost = default_cost(q.aggregator, q.neighbours, q.teachers, q.classes);
    const auto other = random.integer(0, 3);
    if (other == 0) q.cost = CurveCost::tradeoff;
    if (other == 1) q.cost = CurveCost::tilted;
  }
  for (std::int64_t j = 0; j < q.classes; ++j) {
    release.scores.push_back(static_cast<std::int32_t>(random.integer(0, 3)));
  }
  s.delta = one_of<double>(random, {.1, 1e-2, 1e-3, 1e-5});
  s.parameters = {one_of<double>(random, {1.5, 2.0, 3.0, 6.0, 12.0}),
                  one_of<double>(random, {.3, .5, 1.0, 2.0, 3.5}),
                  one_of<double>(random, {.1, .3, 1.0})};
  q.order = s.parameters.order;
  s.threads = 1;
  return release;
}

std::vector<Histogram> with_neighbours(const Histogram& counts, std::int64_t moves = 1) {
  if (moves > 1) {
    std::set<Histogram> all;
    for (const Histogram& closer : with_neighbours(counts, moves - 1)) {
      for (const Histogram& next : with_neighbours(closer)) all.insert(next);
    }
    return {all.begin(), all.end()};
  }
  std::vector<Histogram> result{counts};
  for (std::size_t a = 0; a < counts.size(); ++a) {
    for (std::size_t b = 0; b < counts.size(); ++b) {
      if (a == b || counts[a] == 0) continue;
      Histogram moved = counts;
      --moved[a];
      ++moved[b];
      result.push_back(moved);
    }
  }
  return result;
}

// A list of answers, -1 for a refusal, with its probability on some votes.
struct SmallOutcome {
  std::vector<int> answers;
  double probability = 1.0;
};

using KnownOutcomes = std::map<Histogram, Probabilities>;

std::vector<SmallOutcome> outcomes_of(const SmallRelease& release, const SmallVotes& votes,
                                      KnownOutcomes& known) {
  std::vector<SmallOutcome> all{{}};
  for (const Histogram& counts : votes) {
    const NoisyMax& noise = release.aggregator().noisy_max;
    Probabilities& classes = known[counts];
    if (classes.empty()) {
      classes = noise.is_gaussian() ? gaussian_outcomes(counts, noise.parameter())
                                    : laplace_outcomes(counts, noise.parameter());
    }
    std::vector<double> one{0.0};
    double answered = 1.0;
    if (const auto& check = release.aggregator().selection) {
      const double x =
          (static_cast<double>(release.statistic(counts)) - check->threshold) / check->sigma1;
      answered = normal_cdf(x);
      one[0] = normal_cdf(-x);
    }
    for (const long double p : classes) one.push_back(answered * static_cast<double>(p));
    std::vector<SmallOutcome> longer;
    for (const SmallOutcome& outcome : all) {
      for (std::size_t i = 0; i < one.size(); ++i) {
        SmallOutcome next = outcome;
        next.answers.push_back(static_cast<int>(i) - 1);
        next.probability *= one[i];
        longer.push_back(next);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// The releases that may come of a run: with the reading `realized` one for every number answered.
class SmallMechanism {
 public:
  explicit SmallMechanism(const SmallRelease& release) : release_(release) {
    const CurveSettings& s = release.settings;
    const bool realized = s.question.reading == ReleasedCost::realized;
    for (std::int64_t n = realized ? 0 : s.queries; n <= s.queries; ++n) {
      CurveSettings settings = s;
      settings.answered = n;
      if (!costs_) costs_ = std::make_shared<const CostsWithinDistance>(settings.question, 1U);
      by_answered_.emplace_back(settings, costs_);
    }
  }
  [[nodiscard]] const CurveMechanism& after(const std::vector<int>& answers) const {
    if (by_answered_.size() == 1) return by_answered_[0];
    return by_answered_[static_cast<std::size_t>(
        std::count_if(answers.begin(), answers.end(), [](int answer) { return answer >= 0; }))];
  }
  [[nodiscard]] CurvePlace place(const SmallVotes& votes, const std::vector<int>& answers) const {
    std::vector<ProfiledQuery> queries;
    for (std::size_t i = 0; i < votes.size(); ++i) {
      queries.push_back({votes[i], release_.statistic(votes[i]), answers[i] >= 0});
    }
    return after(answers).place(
        profile_of(release_.aggregator(), queries, release_.settings.question.neighbours));
  }
  [[nodiscard]] const CostsWithinDistance& costs() const { return *costs_; }

 private:
  const SmallRelease& release_;
  std::shared_ptr<const CostsWithinDistance> costs_;
  std::vector<CurveMechanism> by_answered_;
};

// sum over y of (P p_(y-g) - e^R(y) P' p_(y-g'))+.
double excess_of_index(const PublicCurve& curve, double p, std::int64_t g, double p_neighbour,
                       std::int64_t g_neighbour) {
  const auto reach = static_cast<std::int64_t>(12.0 * curve.noise().s()) + 12;
  double sum = 0.0;
  for (std::int64_t z = -reach; z <= reach; ++z) {
    const std::int64_t y = g + z;
    const double here = p * std::exp(curve.noise().log_probability(z));
    const double there =
        p_neighbour * std::exp(curve.epsilon(y) + curve.noise().log_probability(y - g_neighbour));
    if (here > there) sum += here - there;
  }
  return sum;
}

std::string described(const SmallRelease& release) {
  const CostSpec& q = release.settings.question;
  const auto& check = q.aggregator.selection;
  return show({{"M", q.teachers},
               {"m", q.classes},
               {"N", release.settings.queries},
               {"noise", q.aggregator.noisy_max.parameter()},
               {"T", check ? check->threshold : -1.0},
               {"sigma1", check ? check->sigma1 : -1.0},
               {"interactive", q.aggregator.interactive},
               {"cost", static_cast<int>(q.cost)},
               {"reading", static_cast<int>(q.reading)},
               {"order", q.order},
               {"s", release.settings.parameters.s},
               {"beta", release.settings.parameters.beta},
               {"delta", release.settings.delta}});
}

}  // namespace

namespace {

// Random releases: costs nested, indices one apart, and no excess above delta.
void check_guarantee(Random& random, int configurations,
                     const std::function<SmallRelease(Random&)>& random_one) {
  double largest = 0.0;
  std::int64_t pairs = 0;
  for (int config = 0; config < configurations; ++config) {
    const SmallRelease release = random_one(random);
    const std::int64_t moves = release.settings.question.neighbours.teachers;
    CAPTURE(described(release));
    const SmallMechanism mechanism(release);
    const auto histograms =
        all_histograms(static_cast<std::int32_t>(release.settings.question.teachers),
                       static_cast<std::size_t>(release.settings.question.classes));
    KnownOutcomes known;
    double worst = 0.0;
    bool nested = true;
    bool close = true;
    for (int run = 0; run < 2; ++run) {
      SmallVotes votes;
      std::vector<std::vector<Histogram>> moved;
      for (std::int64_t i = 0; i < release.settings.queries; ++i) {
        votes.push_back(one_of(random, histograms));
        moved.push_back(with_neighbours(votes.back(), moves));
      }
      const auto outcomes = outcomes_of(release, votes, known);
      std::vector<CurvePlace> places;
      for (const SmallOutcome& o : outcomes) places.push_back(mechanism.place(votes, o.answers));
      for (int k = 0; k < 8; ++k) {
        SmallVotes neighbour;
        for (const auto& choices : moved) neighbour.push_back(one_of(random, choices));
        const auto theirs = outcomes_of(release, neighbour, known);
        double excess = 0.0;
        double reverse = 0.0;
        for (std::size_t o = 0; o < outcomes.size(); ++o) {
          const CurvePlace place = mechanism.place(neighbour, outcomes[o].answers);
          const PublicCurve& curve = mechanism.after(outcomes[o].answers).curve();
          for (std::size_t d = 0; d + 1 < place.ub.size(); ++d) {
            nested =
                nested && place.ub[d] <= places[o].ub[d + 1] && places[o].ub[d] <= place.ub[d + 1];
          }
          close = close && std::abs(place.index - places[o].index) <= 1;
          const double p = outcomes[o].probability;
          const double q = theirs[o].probability;
          excess += excess_of_index(curve, p, places[o].index, q, place.index);
          reverse += excess_of_index(curve, q, place.index, p, places[o].index);
        }
        worst = std::max({worst, excess, reverse});
        pairs += 2;
      }
    }
    CHECK(nested);
    CHECK(close);
    CHECK(worst <= release.settings.delta * (1.0 + 1e-9));
    largest = std::max(largest, worst / release.settings.delta);
  }
  MESSAGE(pairs << " pairs; largest excess " << largest << " delta");
  CHECK(largest > 0.5);  // the bound is no empty one
}

}  // namespace

TEST_CASE("curve release: the guarantee holds for all outcomes and neighbours of small runs") {
  Random random(20260715);
  check_guarantee(random, 1000, random_release);
}

TEST_CASE("curve release: the guarantee holds for persons who reach several teachers") {
  Random random(20260716);
  check_guarantee(random, 500, [](Random& its) {
    SmallRelease release = random_release(its);
    CostSpec& q = release.settings.question;
    const std::int64_t most = std::min<std::int64_t>(q.teachers, 4);
    q.neighbours = {Adjacency::replace, its.integer(2, most)};
    return release;
  });
}

TEST_CASE("curve release: costs within a distance are nested, and above those of all votes there") {
  Random random(7);
  for (int config = 0; config < 60; ++config) {
    SmallRelease release = random_release(random);
    CostSpec& q = release.settings.question;
    q.teachers = random.integer(2, 12);
    q.classes = random.integer(2, q.teachers > 8 ? 3 : 5);
    if (q.cost == CurveCost::exact && q.classes != 2) q.cost = CurveCost::tilted;
    while (static_cast<std::int64_t>(release.scores.size()) < q.classes)
      release.scores.push_back(1);
    CAPTURE(described(release));
    const CostsWithinDistance costs(q, 1);
    const auto size = static_cast<std::size_t>(q.teachers) + 1;
    std::map<Histogram, std::vector<CostUnits>> within;
    std::optional<TiltedCost> tilted;
    std::optional<KeyCosts> two_keys;
    if (q.cost == CurveCost::tilted) {
      const auto check = q.reading == ReleasedCost::realized || q.aggregator.interactive
                             ? std::nullopt
                             : q.aggregator.selection;
      tilted.emplace(q.aggregator.noisy_max.gaussian(), check, q.teachers, q.classes, q.order);
      two_keys.emplace(*tilted, KeyCosts::Keys::two, 1U, ProgressCallback{}, 1,
                       random.integer(1, 4));
    }
    std::map<Histogram, std::vector<CostUnits>> within_two;
    for (const Histogram& counts : all_histograms(static_cast<std::int32_t>(q.teachers),
                                                  static_cast<std::size_t>(q.classes))) {
      Histogram sorted = counts;
      std::sort(sorted.begin(), sorted.end(), std::greater<>());
      std::vector<CostUnits> sum(size, 0);
      costs.add(sorted, release.statistic(counts), 1, 1, sum);
      sum.back() = costs.largest(1, 1);
      within.emplace(counts, sum);
      if (two_keys) within_two.emplace(counts, two_keys->within(sorted));
    }
    bool nested = true;
    bool above = true;
    for (const auto* table : {&within, &within_two}) {
      for (const auto& [counts, sum] : *table) {
        for (const Histogram& neighbour : with_neighbours(counts)) {
          const auto& theirs = table->at(neighbour);
          for (std::size_t d = 0; d + 1 < size; ++d) nested = nested && theirs[d] <= sum[d + 1];
        }
        nested = nested && std::is_sorted(sum.begin(), sum.end());
      }
    }
    CHECK(nested);
    const bool walks = q.aggregator.interactive || q.reading == ReleasedCost::realized;
    if (tilted && within.size() < 500) {
      for (const auto& [counts, sum] : within_two) {
        const double cost = tilted->cost(counts);
        for (const auto& [other, theirs] : within_two) {
          const auto d = static_cast<std::size_t>(distance(counts, other));
          above = above && cost_of_units(theirs[d]) >= cost;
          above = above && (walks || cost_of_units(within.at(other)[d]) >= cost);
        }
      }
    }
    CHECK(above);
  }
}

// All histograms of up to 12 teachers and 5 classes against all their neighbours, alone and as one
// query of a run. A few of the sizes, unless the environment asks for more.
TEST_CASE("random dumps: costs within a distance are nested and indices one apart, everywhere") {
  const char* const asked = std::getenv("PATE_RANDOM_DUMPS");
  const int settings = asked == nullptr ? 0 : std::max(1, std::atoi(asked) / 2000);
  Random random(12);
  std::int64_t pairs = 0;
  for (std::int64_t teachers = 1; teachers <= 12; ++teachers) {
    for (std::int64_t classes = 2; classes <= 5; ++classes) {
      const int times = settings > 0 ? settings : teachers + classes <= 11 ? 1 : 0;
      for (int i = 0; i < times; ++i) {
        SmallRelease release = random_release(random);
        CostSpec& q = release.settings.question;
        q.teachers = teachers;
        q.classes = classes;
        release.settings.queries = 3;
        if (q.cost == CurveCost::exact && classes != 2) q.cost = CurveCost::tilted;
        release.scores.resize(static_cast<std::size_t>(classes), 1);
        CAPTURE(described(release));
        const CostsWithinDistance costs(q, 1);
        const PublicCurve curve(release.settings.parameters, release.settings.delta,
                                costs.largest(3, 3), 1U);
        const auto size = static_cast<std::size_t>(teachers) + 1;
        const auto histograms =
            all_histograms(static_cast<std::int32_t>(teachers), static_cast<std::size_t>(classes));
        const auto add = [&](const Histogram& counts, std::int64_t times_asked,
                             std::vector<CostUnits>& to) {
          Histogram sorted = counts;
          std::sort(sorted.begin(), sorted.end(), std::greater<>());
          costs.add(sorted, release.statistic(counts), times_asked, times_asked, to);
        };
        std::vector<CostUnits> others(size, 0);  // of the two queries whose votes stay
        add(one_of(random, histograms), 2, others);
        struct Place {
          std::vector<CostUnits> alone, ub;
          std::int64_t index = 0;
        };
        std::map<Histogram, Place> places;
        for (const Histogram& counts : histograms) {
          Place place{std::vector<CostUnits>(size, 0), others};
          add(counts, 1, place.alone);
          add(counts, 1, place.ub);
          place.alone.back() = costs.largest(1, 1);
          place.ub.back() = costs.largest(3, 3);
          place.index = curve.index(place.ub);
          places.emplace(counts, std::move(place));
        }
        bool nested = true;
        bool close = true;
        for (const auto& [counts, place] : places) {
          for (const Histogram& neighbour : with_neighbours(counts)) {
            const Place& theirs = places.at(neighbour);
            for (std::size_t d = 0; d + 1 < size; ++d) {
              nested = nested && theirs.alone[d] <= place.alone[d + 1];
            }
            close = close && std::abs(theirs.index - place.index) <= 1;
            ++pairs;
          }
        }
        CHECK(nested);
        CHECK(close);
      }
    }
  }
  MESSAGE(pairs << " pairs");
}

TEST_CASE("curve release: the guarantee holds on curves of any shape") {
  Random random(99);
  double largest = 0.0;
  for (int config = 0; config < 150; ++config) {
    SmallRelease release = random_release(random);
    release.settings.question.reading = ReleasedCost::joint;
    const CostSpec& q = release.settings.question;
    CAPTURE(described(release));
    const SmallMechanism mechanism(release);
    const CostUnits most = mechanism.costs().largest(release.settings.queries, 0);
    const double end = 2.0 * cost_of_units(most) + 60.0;
    // Steps, two steps, or rough: then flat, high enough for all votes.
    std::vector<double> values{random.uniform(0.0, 1.0)};
    const auto steps = random.integer(1, 12);
    for (std::int64_t i = 0; i < steps; ++i) {
      const auto width = random.integer(1, steps < 3 ? 12 : 4);
      values.insert(values.end(), static_cast<std::size_t>(width), values.back());
      values.back() += random.uniform(0.0, 2.0 * cost_of_units(most));
    }
    values.push_back(std::max(values.back(), 0.0) + end);
    std::optional<PublicCurve> curve;
    try {
      curve.emplace(q.order, DiscreteGaussian(release.settings.parameters.s),
                    release.settings.delta, 0, values, -20, most, 1U);
    } catch (const validity_error&) {
      continue;  // not high enough for the noise
    }
    const auto histograms =
        all_histograms(static_cast<std::int32_t>(q.teachers), static_cast<std::size_t>(q.classes));
    KnownOutcomes known;
    double worst = 0.0;
    for (int run = 0; run < 4; ++run) {
      SmallVotes votes, neighbour;
      for (std::int64_t i = 0; i < release.settings.queries; ++i) {
        votes.push_back(one_of(random, histograms));
        neighbour.push_back(one_of(random, with_neighbours(votes.back())));
      }
      const auto here = outcomes_of(release, votes, known);
      const auto there = outcomes_of(release, neighbour, known);
      const std::int64_t g = curve->index(mechanism.place(votes, here[0].answers).ub);
      const std::int64_t h = curve->index(mechanism.place(neighbour, here[0].answers).ub);
      CHECK(std::abs(g - h) <= 1);
      double excess = 0.0;
      double reverse = 0.0;
      for (std::size_t o = 0; o < here.size(); ++o) {
        excess += excess_of_index(*curve, here[o].probability, g, there[o].probability, h);
        reverse += excess_of_index(*curve, there[o].probability, h, here[o].probability, g);
      }
      worst = std::max({worst, excess, reverse});
    }
    CHECK(worst <= release.settings.delta * (1.0 + 1e-9));
    largest = std::max(largest, worst / release.settings.delta);
  }
  MESSAGE("largest excess " << largest << " delta");
  CHECK(largest > 0.2);
}
