#include "pate/tuning/evaluate_grid.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <vector>

using namespace pate;

namespace {

constexpr std::int64_t kQueries = 90;

// Two classes; counts the queries that are read.
class CountingVotes : public VoteSource {
 public:
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::int64_t queries() const override { return kQueries; }
  [[nodiscard]] std::int64_t classes() const override { return 2; }
  [[nodiscard]] std::int64_t teachers() const override { return 40; }
  void read(std::int64_t first, std::int64_t count, std::span<std::int32_t> out) const override {
    read_ += count;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto with = static_cast<std::int32_t>((first + i) % 41);
      out[static_cast<std::size_t>(2 * i)] = with;
      out[static_cast<std::size_t>(2 * i + 1)] = 40 - with;
    }
  }
  // How often all of them were.
  [[nodiscard]] double reads() const {
    return static_cast<double>(read_) / static_cast<double>(kQueries);
  }

 private:
  std::string name_ = "votes";
  mutable std::atomic<std::int64_t> read_ = 0;
};

}  // namespace

TEST_SUITE("tuning") {
  TEST_CASE("evaluate grid: votes are read once a point, or once a noise with a selection") {
    const GridSettings settings{
        {{Bound::tradeoff, Reading::joint}, Conversion::improved, 1e-5, {}}, {}, 1};
    for (const bool has_labels : {false, true}) {
      for (const bool has_selection : {false, true}) {
        const CountingVotes counted;
        TuningVotes votes{counted, RowSelection::all(kQueries), nullptr, {}};
        if (has_labels) votes.labels.emplace(kQueries, 1);
        TuningGrid grid{{5, 8, 11}, {}, {}};
        if (has_selection) {
          grid.sigma1 = {10, 20};
          grid.threshold = {20, 30};
        }
        std::vector<TuningPoint> points(grid.size());
        const Watcher watcher;
        evaluate_grid({votes, grid, settings, watcher}, 0, points);
        CHECK(counted.reads() == 3.0);
        for (const TuningPoint& point : points) {
          CHECK(point.evaluated());
          CHECK((point.right > 0.0) == has_labels);
        }
      }
    }
  }
}
