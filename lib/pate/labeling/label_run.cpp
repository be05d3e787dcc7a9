#include "pate/labeling/label_run.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <utility>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/labeling/answer_sampler.hpp"

namespace pate {

namespace {

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

// What is read by the threads before queries are asked, and who draws the noisy maxima: their
// numbers do not depend on that of the threads, so that labels do not.
constexpr std::int64_t kPieces = 16;
constexpr std::size_t kSamplers = 8;  // of a piece

// Some queries of a run, with what draws their noisy maxima.
class Piece {
 public:
  Piece(const Run& run, BitSource& source) : reader_(run) {
    for (std::size_t k = 0; k < kSamplers; ++k) {
      sources_.push_back(source.another());
      samplers_.emplace_back(run.aggregator, *sources_.back());
    }
  }

  [[nodiscard]] std::int64_t most() const { return reader_.piece(); }

  void read(std::int64_t first, std::int64_t count) {
    first_ = first;
    reader_.read(first, count);
    statistics_.clear();
    for (std::int64_t i = 0; i < count; ++i) statistics_.push_back(reader_.statistic(i));
  }
  [[nodiscard]] std::int64_t statistic(std::int64_t i) const {
    return statistics_[static_cast<std::size_t>(i)];
  }

  // Labels those of the queries of a sampler that the teachers answer. Samplers may work at once.
  void answer(std::size_t sampler, LabelledQueries& result) {
    const Shard its{static_cast<std::int64_t>(sampler) + 1, kSamplers};
    for (std::int64_t i = its.begin(reader_.size()); i < its.end(reader_.size()); ++i) {
      const auto query = static_cast<std::size_t>(first_ + i);
      if (result.sources[query] != LabelSource::teacher) continue;
      AnswerSampler& draw = samplers_[sampler];
      const std::size_t label = reader_.is_sparse()
                                    ? draw.noisy_maximum(reader_.voted(i), reader_.counts(i),
                                                         reader_.run().votes.classes())
                                    : draw.noisy_maximum(reader_.counts(i));
      result.labels[query] = static_cast<std::int32_t>(label);
    }
  }

 private:
  QueryReader reader_;
  std::vector<std::unique_ptr<BitSource>> sources_;
  std::deque<AnswerSampler> samplers_;
  std::int64_t first_ = 0;
  std::vector<std::int64_t> statistics_;
};

std::optional<StopReason> reason_to_stop(const PrivacyFilter& filter) {
  if (filter.enough_answers()) return StopReason::max_answers;
  if (filter.enough_refusals()) return StopReason::max_refusals;
  if (!filter.can_afford_next()) return StopReason::max_epsilon;
  return std::nullopt;
}

}  // namespace

LabelledQueries label_queries(const Run& run, PrivacyFilter& filter,
                              std::optional<double> reinforce_above, BitSource& source,
                              unsigned threads) {
  validate(run);
  if (reinforce_above) validate_reinforcement(run, *reinforce_above);
  std::optional<Reinforcement> reinforcement;
  if (reinforce_above) reinforcement.emplace(run, *reinforce_above);
  AnswerSampler checks(run.aggregator, source);
  std::deque<Piece> pieces;
  for (std::int64_t k = 0; k < kPieces; ++k) pieces.emplace_back(run, source);
  const std::int64_t queries = run.rows.size();
  const std::int64_t size = pieces.front().most();

  LabelledQueries result;
  result.labels.assign(static_cast<std::size_t>(queries), -1);
  result.sources.assign(static_cast<std::size_t>(queries), LabelSource::refused);
  while (result.asked < queries && !result.stopped) {
    const std::int64_t first = result.asked;
    const std::int64_t in_use =
        std::min<std::int64_t>(kPieces, (queries - first + size - 1) / size);
    parallel_for(static_cast<std::size_t>(in_use), threads, [&](std::size_t k) {
      const std::int64_t begin = first + static_cast<std::int64_t>(k) * size;
      pieces[k].read(begin, std::min(size, queries - begin));
    });
    const std::int64_t end = std::min(queries, first + in_use * size);
    for (; result.asked < end; ++result.asked) {
      result.stopped = reason_to_stop(filter);
      if (result.stopped) break;
      const Piece& piece = pieces[static_cast<std::size_t>((result.asked - first) / size)];
      const std::int64_t in_piece = (result.asked - first) % size;
      const auto query = static_cast<std::size_t>(result.asked);
      const bool answered = checks.answers(piece.statistic(in_piece));
      filter.count(answered);
      if (answered) {
        result.sources[query] = LabelSource::teacher;
        ++result.answered;
      } else if (reinforcement) {
        if (const auto label = reinforcement->label(run.rows[result.asked])) {
          result.labels[query] = *label;
          result.sources[query] = LabelSource::student;
          ++result.student;
        }
      }
    }
    parallel_for(static_cast<std::size_t>(in_use) * kSamplers, threads,
                 [&](std::size_t k) { pieces[k / kSamplers].answer(k % kSamplers, result); });
  }
  return result;
}

}  // namespace pate
