#include "pate/accounting/teacher_costs.hpp"

#include <algorithm>
#include <cstdint>

#include "pate/parallel/parallel_for.hpp"

namespace pate {

namespace {

constexpr std::int64_t kIdsPerBlock = 1 << 20;
constexpr std::size_t kTeachersPerTask = 64;

// Votes of a block of queries as groups: which group of its query every teacher's class is in.
class BlockReader {
 public:
  BlockReader(const Run& run, const PredictionVotes& predictions, const ExactRun& costs)
      : contiguous_(run.rows.is_contiguous()),
        predictions_(predictions),
        costs_(costs),
        reader_(run) {}

  // The queries first .. first + count - 1 of the selection; `distinct` says which they are.
  void read(std::int64_t first, std::int64_t count, std::span<const std::uint32_t> distinct) {
    const auto teachers = static_cast<std::size_t>(predictions_.teachers());
    groups_.resize(static_cast<std::size_t>(count) * teachers);
    reader_.read(first, count);
    if (contiguous_ && count > 0) predictions_.read_votes(reader_.row(0), count, groups_);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::span row =
          std::span(groups_).subspan(static_cast<std::size_t>(i) * teachers, teachers);
      if (!contiguous_) predictions_.read_votes(reader_.row(i), 1, row);
      const auto of_class =
          groups_of_classes(costs_.votes(distinct[static_cast<std::size_t>(i)]),
                            reader_.histogram(i), reader_.scores(i), predictions_.teachers());
      for (std::int32_t& id : row) {
        id = static_cast<std::int32_t>(of_class[static_cast<std::size_t>(id)]);
      }
    }
  }
  [[nodiscard]] std::span<const std::int32_t> groups() const { return groups_; }

 private:
  bool contiguous_;
  const PredictionVotes& predictions_;
  const ExactRun& costs_;
  QueryReader reader_;
  std::vector<std::int32_t> groups_;
};

}  // namespace

std::vector<std::vector<TeacherSum>> teacher_sums(const Run& run,
                                                  const PredictionVotes& predictions,
                                                  std::span<const std::uint32_t> distinct_of_query,
                                                  ExactRun& costs, std::span<const double> orders,
                                                  unsigned threads) {
  const auto teachers = static_cast<std::size_t>(predictions.teachers());
  std::vector<std::vector<TeacherSum>> terms(costs.size());
  {
    const auto by_group = costs.by_group(orders);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      for (const BothDirections& cost : by_group[i]) {
        terms[i].push_back({UpwardSum(cost.forward), UpwardSum(cost.reverse)});
      }
    }
  }
  std::vector<std::vector<TeacherSum>> sums(orders.size(), std::vector<TeacherSum>(teachers));
  BlockReader reader(run, predictions, costs);
  const std::int64_t block =
      std::max<std::int64_t>(1, kIdsPerBlock / std::max<std::int64_t>(1, predictions.teachers()));
  const std::int64_t shard = run.shard.begin(run.rows.size());
  const auto queries = static_cast<std::int64_t>(distinct_of_query.size());
  for (std::int64_t first = 0; first < queries; first += block) {
    const std::int64_t count = std::min(block, queries - first);
    reader.read(shard + first, count, distinct_of_query.subspan(static_cast<std::size_t>(first)));
    parallel_for((teachers + kTeachersPerTask - 1) / kTeachersPerTask, threads, [&](std::size_t c) {
      const std::size_t begin = c * kTeachersPerTask;
      const std::size_t end = std::min(begin + kTeachersPerTask, teachers);
      for (std::int64_t i = 0; i < count; ++i) {
        const std::size_t distinct = distinct_of_query[static_cast<std::size_t>(first + i)];
        const std::size_t groups = costs.votes(distinct).groups.size();
        const auto votes = reader.groups().subspan(static_cast<std::size_t>(i) * teachers);
        for (std::size_t k = 0; k < orders.size(); ++k) {
          const TeacherSum* const cost = terms[distinct].data() + k * groups;
          for (std::size_t t = begin; t < end; ++t) sums[k][t].add(cost[votes[t]]);
        }
      }
    });
  }
  return sums;
}

}  // namespace pate
