#include "pate/accounting/teacher_profiles.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "pate/accounting/pld_queries.hpp"

namespace pate {

namespace {

// Products at nodes, of all teachers: beyond this there are no profiles of theirs.
constexpr double kMaxTeacherTerms = 4e11;
// Products of what is refined.
constexpr double kMaxRefined = 1e11;
constexpr double kCoarsestOfTeachers = 0x1p-6;
// Profiles that are refined at once.
constexpr std::size_t kRefinedAtOnce = 4;

double& of(BothDirections& both, Direction direction) {
  return direction == Direction::forward ? both.forward : both.reverse;
}

// One teacher's profile in one direction.
struct Pair {
  std::size_t teacher = 0;
  std::size_t direction = 0;
  double epsilon = 0.0;
};

// What all passes over the queries share.
class TeacherPasses {
 public:
  TeacherPasses(ExactRun& run, const TeacherRows& votes, const Grids& grids,
                std::span<const QueryRef> places, double rest, const ProfileSettings& settings,
                const ProfileHints& hints, unsigned threads)
      : run_(run),
        votes_(votes),
        places_(places),
        rest_(rest),
        grids_(grids),
        delta_(settings.delta),
        orders_{hints.forward.order, hints.reverse.order},
        threads_(threads) {}

  // Fills in the epsilons of the pairs, from above at this step; false where the outcomes of some
  // query are not known.
  [[nodiscard]] bool upper(std::span<Pair> pairs, double step, ProgressCounter& counter) {
    std::vector<PessimisticProfile> profiles;
    for (const Pair& pair : pairs) {
      profiles.emplace_back(grids_.grid(kDirections[pair.direction], step));
      add_infinity_mass(rest_, profiles.back());
    }
    const bool known =
        pass(step, pairs, counter,
             [&](std::size_t k, const Step& its, std::size_t, std::size_t begin, std::size_t end,
                 std::int64_t times) { profiles[k].compose_query(its.losses, begin, end, times); });
    for (std::size_t k = 0; k < pairs.size(); ++k) pairs[k].epsilon = profiles[k].epsilon(delta_);
    return known;
  }

  double lower(Pair pair, double step) {
    OptimisticProfile profile = grids_.lower(step);
    ProgressCounter nobody({}, 1);
    pass(step, std::span(&pair, 1), nobody,
         [&](std::size_t, const Step& its, std::size_t d, std::size_t begin, std::size_t end,
             std::int64_t times) {
           const auto of_group = std::span(its.tables).subspan(begin, end - begin);
           if (of_group.empty()) return;
           profile.append(most_costly(of_group, {}, orders_[d], Direction::forward), times);
         });
    return profile.epsilon(delta_);
  }

 private:
  struct Step {
    DiscretizedPairs losses;
    std::vector<DistributionPair> tables;
  };

  // Calls take(pair, step, direction, neighbours begin, end, times) query by query; false where the
  // outcomes of one are not known.
  template <class Take>
  bool pass(double step, std::span<const Pair> pairs, ProgressCounter& counter, const Take& take) {
    for (std::size_t done = 0; done < places_.size();) {
      const std::size_t size = std::min(kBatch, places_.size() - done);
      const auto query = [&](std::size_t j) { return places_[done + j].query; };
      std::vector<std::array<std::unique_ptr<Step>, 2>> steps(size);
      std::vector<std::vector<std::size_t>> ranges(size);
      std::vector<char> known(size, 0);
      parallel_for(size, threads_, [&](std::size_t j) {
        auto outcomes = places_[done + j].tables_by_group(run_, ranges[j]);
        if (!outcomes) return;
        known[j] = 1;
        std::vector<DistributionPair> tables = std::move(*outcomes);
        for (std::size_t d = 0; d < 2; ++d) {
          if (kDirections[d] == Direction::reverse) reverse_all(tables);
          steps[j][d] = std::make_unique<Step>(Step{DiscretizedPairs(tables, step), tables});
        }
      });
      if (std::ranges::count(known, 0) > 0) return false;
      parallel_for(pairs.size(), threads_, [&](std::size_t k) {
        std::vector<std::int64_t> times;
        for (std::size_t j = 0; j < size; ++j) {
          times.assign(ranges[j].size() - 1, 0);
          for (const std::uint32_t row : votes_.rows[query(j)]) {
            ++times[votes_.groups[row * votes_.teachers + pairs[k].teacher]];
          }
          const std::size_t d = pairs[k].direction;
          for (std::size_t g = 0; g < times.size(); ++g) {
            if (times[g] == 0) continue;
            take(k, *steps[j][d], d, ranges[j][g], ranges[j][g + 1], times[g]);
          }
        }
        counter.add(static_cast<std::int64_t>(size));
      });
      done += size;
    }
    return true;
  }

  ExactRun& run_;
  const TeacherRows& votes_;
  std::span<const QueryRef> places_;
  double rest_;
  Grids grids_;
  double delta_;
  std::array<double, 2> orders_;
  unsigned threads_;
};

}  // namespace

std::optional<TeacherProfiles> teacher_profiles(ExactRun& run, const TeacherRows& votes,
                                                const ProfileHints& hints,
                                                const ProfileSettings& settings, unsigned threads,
                                                const ProgressCallback& progress) {
  double queries = 0.0;
  for (std::size_t i = 0; i < run.size(); ++i) queries += run.count(i);
  ExactRun* const one = &run;
  double rest = 0.0;
  const std::vector<QueryRef> places = split_near_certain(
      std::span(&one, 1), kSureShare * settings.delta / std::max(queries, 1.0), false, rest);
  double contested = 0.0;
  for (const QueryRef& place : places) contested += run.count(place.query);
  Grids grids = grids_of(hints, {settings.delta, {}, settings.step}, contested);
  if (!grids.is_feasible()) return std::nullopt;
  double terms = 0.0;  // of a teacher, at a node
  for (const QueryRef& place : places) {
    const GroupedVotes& its = run.votes(place.query);
    const auto neighbours = place.selection_only ? 2.0 : static_cast<double>(its.groups.size());
    terms += run.count(place.query) * neighbours * place.terms(its);
  }
  TeacherProfiles result;
  result.step = grids.step;
  result.coarse_step = std::max(grids.step, kCoarsest);
  const auto teachers = static_cast<double>(votes.teachers);
  const auto work = [&](double step) { return 2.0 * grids.nodes(step) * terms; };
  while (work(result.coarse_step) * teachers > 0.5 * kMaxTeacherTerms) {
    if (result.coarse_step >= kCoarsestOfTeachers) return std::nullopt;
    result.coarse_step *= 2.0;
  }

  TeacherPasses passes(run, votes, grids, places, rest, settings, hints, threads);
  std::vector<Pair> pairs;
  for (std::size_t t = 0; t < votes.teachers; ++t) {
    for (std::size_t d = 0; d < 2; ++d) pairs.push_back({t, d});
  }
  ProgressCounter counter(progress, static_cast<std::int64_t>(pairs.size() * places.size()));
  if (!passes.upper(pairs, result.coarse_step, counter)) return std::nullopt;

  // From the most costly on, while one may cost more than the most costly that is known.
  std::vector<Pair> order = pairs;
  std::stable_sort(order.begin(), order.end(),
                   [](const Pair& a, const Pair& b) { return a.epsilon > b.epsilon; });
  ProgressCounter nobody({}, 1);
  Pair largest{0, 0, -1.0};
  double spent = 0.0;
  std::size_t refined = 0;
  if (result.step < result.coarse_step) {
    while (refined < order.size() && order[refined].epsilon > largest.epsilon &&
           spent < kMaxRefined) {
      const std::size_t size = std::min(kRefinedAtOnce, order.size() - refined);
      const std::span batch(order.begin() + static_cast<std::ptrdiff_t>(refined), size);
      const std::vector<Pair> coarse(batch.begin(), batch.end());
      if (!passes.upper(batch, result.step, nobody)) return std::nullopt;
      for (std::size_t k = 0; k < size; ++k) {
        batch[k].epsilon = std::min(batch[k].epsilon, coarse[k].epsilon);
        result.refined.push_back(static_cast<std::int64_t>(batch[k].teacher));
        if (batch[k].epsilon > largest.epsilon) largest = batch[k];
      }
      refined += size;
      spent += 0.5 * work(result.step) * static_cast<double>(size);
    }
    std::ranges::sort(result.refined);
    result.refined.erase(std::unique(result.refined.begin(), result.refined.end()),
                         result.refined.end());
  }
  result.epsilon.assign(votes.teachers, 0.0);
  for (const Pair& pair : order) {
    double& epsilon = result.epsilon[pair.teacher];
    double& upper = of(result.upper, kDirections[pair.direction]);
    epsilon = max_or_nan(epsilon, pair.epsilon);
    upper = max_or_nan(upper, pair.epsilon);
    if (refined == 0 && pair.epsilon > largest.epsilon) largest = pair;
  }
  result.lower = passes.lower(largest, result.step);
  return result;
}

}  // namespace pate
