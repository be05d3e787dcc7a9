#pragma once

namespace pate {

/// Which of the two divergences between the run on the votes, M(D), and the run on a neighbour,
/// M(D'), is meant. (epsilon, delta) speaks of both.
enum class Direction {
  forward,  ///< D(M(D) || M(D')), what the papers bound
  reverse,  ///< D(M(D') || M(D))
};

/// One number for each direction.
struct BothDirections {
  double forward = 0.0;
  double reverse = 0.0;

  [[nodiscard]] double larger() const { return forward > reverse ? forward : reverse; }
  [[nodiscard]] double of(Direction direction) const {
    return direction == Direction::forward ? forward : reverse;
  }
};

}  // namespace pate
