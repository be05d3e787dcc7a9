#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "pate/tuning/tuning_grid.hpp"

namespace pate {

/// What points cost whatever the votes are, each computed once for all points that share it.
class PublicEpsilons {
 public:
  /// kind: its conversion restricts the numbers where it was chosen, or where points are not judged
  /// as a headline is; else the smallest of all is meant. It must outlive this.
  PublicEpsilons(const EpsilonKind& kind, const Neighbours& neighbours)
      : kind_(kind), neighbours_(neighbours) {}

  /// +inf where there is none at this delta.
  [[nodiscard]] double of(const Mechanism& mechanism, std::int64_t queries);

 private:
  const EpsilonKind& kind_;
  Neighbours neighbours_;
  std::map<std::tuple<double, double, std::int64_t>, double> known_;
};

}  // namespace pate
