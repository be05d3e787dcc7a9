#include "pate/release/declared/complex_costs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/large_pages.hpp"
#include "pate/numerics/whole_division.hpp"
#include "pate/release/declared/key_planes.hpp"
#include "pate/release/declared/modulus_table.hpp"

namespace pate {

namespace {

// Of sums: what is beyond is more than anybody declares.
constexpr double kMostSum = 0x1p20;
// Planes that are in memory at a time, if that is not too much.
constexpr std::int64_t kPlanes = 32;
constexpr std::size_t kPlaneNumbers = 25'000'000;
// Of what is within distances of keys.
constexpr double kKeyMemory = 5e8;

CostUnits whole(double units) {
  if (!(std::abs(units) <= 0x1p60)) {
    throw validity_error("the moduli of a query may be more than a declared budget can count");
  }
  return static_cast<CostUnits>(std::ceil(units));
}

}  // namespace

std::vector<KeyCount> keys_of(const VoteProfile& votes) {
  std::vector<KeyCount> keys;
  for (std::size_t i = 0; i < votes.distinct.size(); ++i) {
    const std::vector<std::int32_t> its = votes.histogram(i);
    const auto count = [&](std::size_t j) { return j < its.size() ? its[j] : 0; };
    keys.push_back({count(0), count(1), count(2), votes.distinct[i].count});
  }
  return keys;
}

namespace {

using UsePlanes =
    std::function<void(const KeyPlanes& planes, std::span<const ModulusUnits> values)>;
// Calls what it is given for all planes, some at a time.
using ForPlanes = std::function<void(const UsePlanes& use)>;

// They are computed each time.
void for_planes(const KeyModuli& moduli, unsigned threads, const UsePlanes& use) {
  const std::int64_t teachers = moduli.teachers();
  LargeVector<ModulusUnits> values;
  for (std::int64_t first = ceil_divide(teachers, moduli.classes()); first <= teachers;) {
    std::int64_t last = first;
    std::size_t numbers = KeyPlane(moduli, first).size() * moduli.orders().size();
    while (last < std::min(teachers, first + kPlanes - 1)) {
      numbers += KeyPlane(moduli, last + 1).size() * moduli.orders().size();
      if (numbers > kPlaneNumbers) break;
      ++last;
    }
    const KeyPlanes planes(moduli, first, last);
    values.resize(std::max(values.size(), planes.size()));
    const std::span<ModulusUnits> its = std::span(values).first(planes.size());
    planes.compute(moduli, its, threads);
    use(planes, its);
    first = last + 1;
  }
}

// A key, and how often it occurs in each of the runs.
struct KeyOfRuns {
  std::int64_t v = 0, x2 = 0, x3 = 0;
  std::vector<std::int64_t> counts;
};

std::vector<KeyOfRuns> keys_of_runs(std::span<const std::vector<KeyCount>> runs) {
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::vector<std::int64_t>> counts;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (const KeyCount& key : runs[r]) {
      auto& its = counts[{key.v, key.x2, key.x3}];
      its.resize(runs.size(), 0);
      its[r] += key.count;
    }
  }
  std::vector<KeyOfRuns> keys;
  for (auto& [key, its] : counts) {
    keys.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), std::move(its)});
  }
  return keys;
}

// Adds to the sums of the runs, by distance, the largest of what is within it of each key; all
// there is becomes `largest`.
void add_keys(const ForPlanes& for_all, std::span<const KeyOfRuns> keys, unsigned threads,
              ProgressCounter& counter, std::span<ComplexCosts> runs,
              std::vector<ModulusUnits>& largest) {
  const std::size_t width = largest.size();
  const std::size_t size = runs.front().units.size();
  LargeVector<ModulusUnits> within(keys.size() * size * width, kNoModulus);
  for_all([&](const KeyPlanes& its, std::span<const ModulusUnits> values) {
    const std::vector<KeyPlane>& planes = its.planes();
    const auto at = [&](std::size_t plane, std::size_t place) {
      return values.data() + its.start(plane) + place * width;
    };
    for (std::size_t p = 0; p < planes.size(); ++p) {
      raise_units(at(p, planes[p].size() - 1), width, largest.data());
    }
    parallel_for(keys.size(), threads, [&](std::size_t q) {
      for (std::size_t p = 0; p < planes.size(); ++p) {
        const std::int64_t moved = planes[p].v() - keys[q].v;
        std::size_t before = planes[p].size();
        for (auto d = static_cast<std::size_t>(std::abs(moved)); d < size; ++d) {
          const std::int64_t free = static_cast<std::int64_t>(d) - std::max<std::int64_t>(moved, 0);
          const std::int64_t s = keys[q].x2 + keys[q].x3 + free;
          const std::size_t place = planes[p].place(s, keys[q].x2 + free);
          // What was found nearer, running maxima have.
          if (place != before) {
            raise_units(at(p, place), width, within.data() + (q * size + d) * width);
          }
          before = place;
          if (place == planes[p].size() - 1) break;
        }
      }
    });
    counter.add(static_cast<std::int64_t>(planes.size()));
  });
  for (std::size_t q = 0; q < keys.size(); ++q) {
    for (std::size_t d = 0; d < size; ++d) {
      ModulusUnits* const at = within.data() + (q * size + d) * width;
      if (d > 0) raise_units(at - width, width, at);
      for (std::size_t i = 0; i < width; ++i) {
        const CostUnits units = whole(static_cast<double>(at[i]));
        for (std::size_t r = 0; r < runs.size(); ++r) {
          runs[r].units[d][i] += units * keys[q].counts[r];
        }
      }
    }
  }
}

std::vector<ComplexCosts> costs_of(const KeyModuli& moduli, const ForPlanes& for_all,
                                   std::span<const std::vector<KeyCount>> runs,
                                   std::size_t distances, unsigned threads,
                                   const ProgressCallback& progress) {
  if (runs.empty()) return {};
  const std::int64_t teachers = moduli.teachers();
  const std::size_t width = moduli.orders().size();
  const std::size_t size = std::min(distances, static_cast<std::size_t>(teachers) + 1);
  std::vector<std::int64_t> queries;
  for (const std::vector<KeyCount>& keys : runs) {
    std::int64_t& its = queries.emplace_back(0);
    for (const KeyCount& key : keys) its += key.count;
    // Moduli are not below e^-32: what they may be wrong by is added to them.
    if (!(static_cast<double>(its) * std::max(moduli.largest_log(), 32.0) < kMostSum)) {
      throw validity_error("the run may cost more than a declared budget can count");
    }
  }
  ComplexCosts nothing;
  nothing.teachers = teachers;
  nothing.orders = moduli.orders();
  nothing.units.assign(size, std::vector<CostUnits>(width, 0));
  std::vector<ComplexCosts> result(runs.size(), nothing);
  const std::vector<KeyOfRuns> keys = keys_of_runs(runs);
  // As many keys at a time as memory holds: planes are computed again for the others.
  const auto at_once = static_cast<std::size_t>(
      std::max(1.0, kKeyMemory / static_cast<double>(size * width * sizeof(ModulusUnits))));
  const std::size_t passes = (keys.size() + at_once - 1) / at_once;
  const std::int64_t least = ceil_divide(teachers, moduli.classes());
  ProgressCounter counter(progress, static_cast<std::int64_t>(passes) * (teachers - least + 1));
  std::vector<ModulusUnits> largest(width, kNoModulus);
  for (std::size_t first = 0; first < keys.size(); first += at_once) {
    add_keys(for_all, std::span(keys).subspan(first, std::min(at_once, keys.size() - first)),
             threads, counter, result, largest);
  }
  if (size == static_cast<std::size_t>(teachers) + 1) {
    for (std::size_t r = 0; r < result.size(); ++r) {
      for (std::size_t i = 0; i < width; ++i) {
        result[r].units.back()[i] = whole(static_cast<double>(largest[i])) * queries[r];
      }
    }
  }
  return result;
}

}  // namespace

std::vector<ComplexCosts> complex_costs(const KeyModuli& moduli,
                                        std::span<const std::vector<KeyCount>> runs,
                                        std::size_t distances, unsigned threads,
                                        const ProgressCallback& progress) {
  const auto for_all = [&](const UsePlanes& use) { for_planes(moduli, threads, use); };
  return costs_of(moduli, for_all, runs, distances, threads, progress);
}

std::vector<ComplexCosts> complex_costs(const KeyModuli& moduli, const ModulusTable& table,
                                        std::span<const std::vector<KeyCount>> runs,
                                        std::size_t distances, unsigned threads,
                                        const ProgressCallback& progress) {
  const auto for_all = [&](const UsePlanes& use) { use(table.planes(), table.values()); };
  return costs_of(moduli, for_all, runs, distances, threads, progress);
}

ComplexCosts complex_costs(const KeyModuli& moduli, const std::vector<KeyCount>& keys,
                           std::size_t distances, unsigned threads,
                           const ProgressCallback& progress) {
  return std::move(
      complex_costs(moduli, std::span(&keys, 1), distances, threads, progress).front());
}

ComplexCertificate ComplexCosts::certificate(std::size_t d) const {
  const std::size_t at = std::min(d, units.size() - 1);
  std::vector<double> logs;
  for (const CostUnits sum : units[at]) logs.push_back(cost_of_units(sum));
  return {orders, logs, static_cast<std::int64_t>(at)};
}

}  // namespace pate
