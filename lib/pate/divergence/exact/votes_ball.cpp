#include "pate/divergence/exact/votes_ball.hpp"

#include <algorithm>
#include <utility>

namespace pate {

namespace {

// Goes through the neighbours: groups in order, changes of a group from the largest loss to the
// largest gain, of each change first no class and then one more. Calls take(neighbour), which
// returns whether to go on.
template <class Take>
class BallWalk {
 public:
  BallWalk(const GroupedVotes& votes, const Neighbours& neighbours, Take take)
      : votes_(votes),
        adds_or_removes_(neighbours.adds_or_removes()),
        most_(static_cast<std::int32_t>(std::min<std::int64_t>(neighbours.teachers, kMaxBall + 1))),
        take_(std::move(take)) {}

  void run() { from(0, -most_, votes_.groups.empty() ? 0 : votes_.groups[0].classes, 0, 0); }

 private:
  // left: classes of the group without a change so far; up, down: votes gained and lost so far.
  bool from(std::size_t group, std::int32_t change, std::int32_t left, std::int32_t up,
            std::int32_t down) {
    if (group == votes_.groups.size()) {
      const bool is_one = adds_or_removes_ || up == down;
      return !is_one || neighbour_.empty() || take_(std::as_const(neighbour_));
    }
    if (change > most_) {
      const std::size_t next = group + 1;
      return from(next, -most_, next < votes_.groups.size() ? votes_.groups[next].classes : 0, up,
                  down);
    }
    if (!from(group, change + 1, left, up, down)) return false;
    if (change == 0 || -change > votes_.groups[group].count) return true;
    neighbour_.push_back({static_cast<std::uint32_t>(group), change, 0});
    bool goes_on = true;
    for (std::int32_t classes = 1; classes <= left && goes_on; ++classes) {
      const std::int32_t more = up + (change > 0 ? change * classes : 0);
      const std::int32_t less = down + (change < 0 ? -change * classes : 0);
      const bool fits = adds_or_removes_ ? more + less <= most_ : more <= most_ && less <= most_;
      if (!fits) break;
      neighbour_.back().classes = classes;
      goes_on = from(group, change + 1, left - classes, more, less);
    }
    neighbour_.pop_back();
    return goes_on;
  }

  const GroupedVotes& votes_;
  bool adds_or_removes_;
  std::int32_t most_;
  Take take_;
  BallNeighbour neighbour_;
};

template <class Take>
void walk_ball(const GroupedVotes& votes, const Neighbours& neighbours, Take take) {
  BallWalk<Take>(votes, neighbours, std::move(take)).run();
}

}  // namespace

std::optional<std::vector<BallNeighbour>> neighbours_in_ball(const GroupedVotes& votes,
                                                             const Neighbours& neighbours) {
  std::vector<BallNeighbour> result;
  walk_ball(votes, neighbours, [&](const BallNeighbour& one) {
    result.push_back(one);
    return result.size() <= kMaxBall;
  });
  if (result.size() > kMaxBall) return std::nullopt;
  return result;
}

std::size_t ball_size(const GroupedVotes& votes, const Neighbours& neighbours) {
  std::size_t size = 0;
  walk_ball(votes, neighbours, [&](const BallNeighbour& /*one*/) { return ++size <= kMaxBall; });
  return size;
}

std::int64_t top_count(const GroupedVotes& votes, const BallNeighbour& neighbour) {
  std::int64_t top = 0;
  std::size_t next = 0;
  for (std::size_t g = 0; g < votes.groups.size(); ++g) {
    std::int64_t unchanged = votes.groups[g].classes;
    for (; next < neighbour.size() && neighbour[next].group == g; ++next) {
      unchanged -= neighbour[next].classes;
      top = std::max(top, std::int64_t{votes.groups[g].count} + neighbour[next].change);
    }
    if (unchanged > 0) top = std::max(top, std::int64_t{votes.groups[g].count});
  }
  return top;
}

std::size_t kind_of(const BallNeighbour& neighbour, std::int64_t most_changed) {
  std::int64_t first = 0;
  std::int64_t second = 0;
  for (const ChangedClasses& its : neighbour) {
    if (its.group > 1) break;
    (its.group == 0 ? first : second) += std::int64_t{its.change} * its.classes;
  }
  const std::int64_t width = 2 * most_changed + 1;
  return static_cast<std::size_t>((first + most_changed) * width + second + most_changed);
}

std::size_t ball_kinds(std::int64_t most_changed) {
  const auto width = static_cast<std::size_t>(2 * most_changed + 1);
  return width * width;
}

}  // namespace pate
