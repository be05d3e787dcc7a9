#include "pate/divergence/exact/vote_groups.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <stdexcept>

#include "pate/votes/selection_statistic.hpp"

namespace pate {

namespace {

// Places from leads. Where the largest lead is negative the statistic stays 0, whatever happens to
// one vote: nobody has a place then.
std::vector<LeadRank> places_of(std::span<const std::int64_t> leads) {
  std::vector<LeadRank> places(leads.size(), LeadRank::lower);
  if (leads.empty()) return places;
  const std::int64_t largest = *std::max_element(leads.begin(), leads.end());
  if (largest < 0) return places;
  for (std::size_t j = 0; j < leads.size(); ++j) {
    if (leads[j] == largest) places[j] = LeadRank::top;
    if (leads[j] == largest - 1) places[j] = LeadRank::below;
  }
  return places;
}

std::vector<LeadRank> interactive_places(std::span<const std::int32_t> histogram,
                                         std::span<const double> scores, std::int64_t teachers) {
  std::vector<std::int64_t> leads(histogram.begin(), histogram.end());
  for (std::size_t j = 0; j < scores.size(); ++j) leads[j] -= expected_votes(scores[j], teachers);
  return places_of(leads);
}

// Where leads are counts.
LeadRank place_of(std::int32_t count, std::int64_t largest) {
  if (count == largest) return LeadRank::top;
  return count == largest - 1 ? LeadRank::below : LeadRank::lower;
}

// place: of a class, by its number; has_places: whether classes without votes may have one. Nearly
// all of very many classes may have no vote and no place: they are counted, not sorted.
// left_out: classes of the histogram that are in it without a vote, but not listed.
template <class PlaceOf>
GroupedVotes grouped(std::int64_t statistic, std::span<const std::int32_t> histogram,
                     bool has_places, const VoteGroup& left_out, const PlaceOf& place) {
  constexpr std::size_t kBlock = 64;
  std::vector<VoteGroup> classes;
  for (std::size_t begin = 0; begin < histogram.size(); begin += kBlock) {
    const auto block = histogram.subspan(begin, std::min(kBlock, histogram.size() - begin));
    std::int32_t any = 0;
    for (const std::int32_t count : block) any |= count;
    if (any == 0 && !has_places) continue;
    for (std::size_t j = begin; j < begin + block.size(); ++j) {
      const VoteGroup one{histogram[j], place(j), 1};
      if (one.count != 0 || one.place != LeadRank::lower) classes.push_back(one);
    }
  }
  std::sort(classes.begin(), classes.end(), std::greater<>());
  GroupedVotes result{statistic, {}};
  for (const VoteGroup& one : classes) {
    if (result.groups.empty() || result.groups.back().count != one.count ||
        result.groups.back().place != one.place) {
      result.groups.push_back({one.count, one.place, 0});
    }
    ++result.groups.back().classes;
  }
  const auto rest = static_cast<std::int32_t>(histogram.size() - classes.size());
  if (rest > 0) result.groups.push_back({0, LeadRank::lower, rest});
  if (left_out.classes == 0) return result;
  // Of the same place as the last group, if that is without a vote too: leads are counts.
  if (result.groups.empty() || result.groups.back().count != 0) {
    result.groups.push_back(left_out);
  } else {
    result.groups.back().classes += left_out.classes;
  }
  return result;
}

bool has_places(const GroupedVotes& votes) {
  return std::any_of(votes.groups.begin(), votes.groups.end(),
                     [](const VoteGroup& group) { return group.place == LeadRank::top; });
}

// Of the largest count, when several votes move together.
std::int64_t top_count_change(const GroupedVotes& votes, std::size_t a, std::size_t b) {
  const auto of = [&](std::size_t g) { return std::int64_t{votes.groups[g].count}; };
  std::int64_t top = std::max(of(a) - votes.moved, of(b) + votes.moved);
  for (std::size_t g = 0; g < votes.groups.size(); ++g) {
    // Groups are sorted: the first with a class that neither loses nor gains is the highest.
    if (votes.groups[g].classes > (g == a ? 1 : 0) + (g == b ? 1 : 0)) {
      top = std::max(top, of(g));
      break;
    }
  }
  return top - votes.statistic;
}

}  // namespace

GroupedVotes group_votes(std::span<const std::int32_t> histogram, std::size_t zeros) {
  return grouped(0, histogram, false, {0, LeadRank::lower, static_cast<std::int32_t>(zeros)},
                 [](std::size_t) { return LeadRank::lower; });
}

GroupedVotes group_confident_votes(std::span<const std::int32_t> histogram, std::size_t zeros) {
  const std::int64_t largest = top_count(histogram);
  return grouped(largest, histogram, largest < 2,
                 {0, place_of(0, largest), static_cast<std::int32_t>(zeros)},
                 [&](std::size_t j) { return place_of(histogram[j], largest); });
}

GroupedVotes group_interactive_votes(std::span<const std::int32_t> histogram,
                                     std::span<const double> scores, std::int64_t teachers) {
  const std::vector<LeadRank> places = interactive_places(histogram, scores, teachers);
  return grouped(interactive_statistic(histogram, scores, teachers), histogram, true, {},
                 [&](std::size_t j) { return places[j]; });
}

std::vector<std::uint32_t> groups_of_classes(const GroupedVotes& votes,
                                             std::span<const std::int32_t> histogram,
                                             std::span<const double> scores,
                                             std::int64_t teachers) {
  const bool placed = has_places(votes);
  std::vector<LeadRank> places;
  if (placed && !scores.empty()) {
    places = interactive_places(histogram, scores, teachers);
  }
  const auto place = [&](std::size_t j) {
    if (!places.empty()) return places[j];
    return placed ? place_of(histogram[j], votes.statistic) : LeadRank::lower;
  };
  std::vector<std::uint32_t> result(histogram.size());
  for (std::size_t j = 0; j < histogram.size(); ++j) {
    const auto is_its = [&](const VoteGroup& group) {
      return group.count == histogram[j] && group.place == place(j);
    };
    // Most often the last, of those without a vote.
    const auto found = is_its(votes.groups.back())
                           ? std::prev(votes.groups.end())
                           : std::find_if(votes.groups.begin(), votes.groups.end(), is_its);
    if (found == votes.groups.end()) throw std::logic_error("votes of another histogram");
    result[j] = static_cast<std::uint32_t>(found - votes.groups.begin());
  }
  return result;
}

bool can_move(const GroupedVotes& votes, std::size_t a, std::size_t b) {
  return votes.groups[a].count >= votes.moved && (a != b || votes.groups[a].classes > 1);
}

std::int64_t statistic_change(const GroupedVotes& votes, std::size_t a, std::size_t b) {
  if (votes.moved > 1) return has_places(votes) ? top_count_change(votes, a, b) : 0;
  if (votes.groups[b].place == LeadRank::top) return 1;
  if (votes.groups[a].place != LeadRank::top) return 0;
  std::int64_t tops = 0;
  for (const VoteGroup& group : votes.groups) {
    if (group.place == LeadRank::top) tops += group.classes;
  }
  // Another class keeps, or reaches, the largest lead; and the statistic is never negative.
  if (tops > 1 || votes.groups[b].place == LeadRank::below || votes.statistic == 0) return 0;
  return -1;
}

}  // namespace pate
