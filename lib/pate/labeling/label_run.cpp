#include "pate/labeling/label_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "pate/error.hpp"
#include "pate/labeling/answer_sampler.hpp"

namespace pate {

namespace {

constexpr std::int64_t kValuesPerPiece = 1 << 16;

void check_reinforcement(const Run& run, std::optional<double> above) {
  if (!above) return;
  if (!run.aggregator.interactive) {
    throw parameter_error("reinforce-above goes with the interactive aggregator: add a student");
  }
  if (!(*above >= 0.0 && *above <= 1.0)) {
    throw parameter_error(fmt::format("reinforce-above must be in [0, 1], got {}", *above));
  }
}

// The student's class where it is confident.
class Reinforcement {
 public:
  Reinforcement(const Run& run, double above)
      : student_(*run.student),
        above_(above),
        scores_(static_cast<std::size_t>(student_.classes())) {}

  std::optional<std::int32_t> label(std::int64_t row) {
    student_.read(row, 1, scores_);
    const auto best = std::max_element(scores_.begin(), scores_.end());
    if (!(*best > above_)) return std::nullopt;
    return static_cast<std::int32_t>(best - scores_.begin());
  }

 private:
  const StudentScores& student_;
  double above_;
  std::vector<double> scores_;
};

}  // namespace

LabelledQueries label_queries(const Run& run, PrivacyFilter& filter,
                              std::optional<double> reinforce_above, BitSource& source) {
  validate(run);
  check_reinforcement(run, reinforce_above);
  std::optional<Reinforcement> reinforcement;
  if (reinforce_above) reinforcement.emplace(run, *reinforce_above);
  AnswerSampler sampler(run.aggregator, source);
  QueryReader reader(run);
  const std::int64_t queries = run.rows.size();
  const std::int64_t piece =
      std::max<std::int64_t>(1, kValuesPerPiece / std::max<std::int64_t>(1, run.votes.classes()));

  LabelledQueries result;
  result.labels.assign(static_cast<std::size_t>(queries), -1);
  result.sources.assign(static_cast<std::size_t>(queries), LabelSource::refused);
  for (; result.asked < queries; ++result.asked) {
    if (filter.enough_answers()) {
      result.stopped = StopReason::max_answers;
      break;
    }
    if (!filter.affords_next()) {
      result.stopped = StopReason::max_epsilon;
      break;
    }
    const std::int64_t in_piece = result.asked % piece;
    if (in_piece == 0) reader.read(result.asked, std::min(piece, queries - result.asked));
    const auto query = static_cast<std::size_t>(result.asked);
    const bool answered = sampler.answers(reader.statistic(in_piece));
    filter.count(answered);
    if (answered) {
      result.labels[query] =
          static_cast<std::int32_t>(sampler.noisy_maximum(reader.histogram(in_piece)));
      result.sources[query] = LabelSource::teacher;
      ++result.answered;
    } else if (reinforcement) {
      if (const auto label = reinforcement->label(reader.row(in_piece))) {
        result.labels[query] = *label;
        result.sources[query] = LabelSource::student;
        ++result.student;
      }
    }
  }
  return result;
}

}  // namespace pate
