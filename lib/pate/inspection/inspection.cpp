#include "pate/inspection/inspection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <variant>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/base/require.hpp"
#include "pate/mechanisms/stability_test.hpp"
#include "pate/numerics/sums.hpp"
#include "pate/votes/fingerprint.hpp"
#include "pate/votes/selection_statistic.hpp"

namespace pate {

namespace {

// Numbers of votes that every query has: the lead with a student only, the stability with a
// stability test only, what the check looks at beside the bin of the gap with a check only.
enum Spread : std::uint8_t { kTop, kGap, kLead, kStability, kCheckedByGap, kSpreads };

// What is left of the queries of one piece.
struct Piece {
  std::array<std::vector<std::int64_t>, kSpreads> values;
  std::vector<std::uint64_t> fingerprints;
  std::vector<std::int64_t> class_votes;
  std::vector<std::int32_t> ids;  // of predictions
  std::int64_t ties = 0;
  std::int64_t unanimous = 0;
};

// Reads a selection in pieces, a block of them at the same time.
class Inspector {
 public:
  Inspector(const VoteSource& votes, const RowSelection& rows, const PredictionVotes* predictions,
            const StudentScores* student, const Bins& bins, const std::optional<AnswerRule>& check)
      : votes_(votes),
        rows_(rows),
        predictions_(predictions),
        student_(student),
        has_check_(check.has_value()),
        checked_(check && !std::holds_alternative<ThresholdCheck>(*check) ? kStability
                 : student != nullptr                                     ? kLead
                                                                          : kTop) {
    found_.teachers = votes.teachers();
    found_.classes = votes.classes();
    found_.queries = rows.size();
    found_.bins = bins;
    found_.class_votes.resize(static_cast<std::size_t>(votes.classes()));
    if (predictions != nullptr) columns_.emplace(votes.teachers(), votes.classes());
  }

  void read(unsigned threads, const ProgressCallback& progress);
  [[nodiscard]] Inspection result();
  [[nodiscard]] AnsweredSpread answered(const AnswerRule& check) const;

 private:
  [[nodiscard]] Piece read_piece(std::int64_t first, std::int64_t count) const;
  void merge(std::int64_t first, Piece piece);

  const VoteSource& votes_;
  const RowSelection& rows_;
  const PredictionVotes* predictions_;
  const StudentScores* student_;
  bool has_check_;
  Spread checked_;  // what the check looks at

  Inspection found_;  // but for what is known in the end only
  std::array<Frequencies, kSpreads> spreads_;
  DistinctCounter distinct_;
  std::optional<TeacherColumns> columns_;
};

// Pieces of counts stay in the cache, and leave their votes per class behind. Of predictions the
// class ids of a block are kept, 64 MiB; of teachers x queries, pieces of few queries would visit
// every teacher's row for little.
void Inspector::read(unsigned threads, const ProgressCallback& progress) {
  const bool counts = predictions_ == nullptr;
  const std::int64_t classes = votes_.classes();
  const std::int64_t block = std::clamp<std::int64_t>(
      counts ? (1 << 22) / classes : (1 << 24) / std::max<std::int64_t>(1, votes_.teachers()), 1,
      1 << 16);
  const std::int64_t size =
      counts ? std::clamp<std::int64_t>((1 << 16) / classes, 1, 4096)
             : std::clamp<std::int64_t>((1 << 22) / classes, 1,
                                        std::max(block / 16, std::min<std::int64_t>(block, 256)));
  ProgressCounter done(progress, rows_.size());
  for (std::int64_t first = 0; first < rows_.size(); first += block) {
    const std::int64_t end = std::min(first + block, rows_.size());
    std::vector<Piece> pieces(static_cast<std::size_t>((end - first + size - 1) / size));
    const auto begin_of = [&](std::size_t k) {
      return first + static_cast<std::int64_t>(k) * size;
    };
    parallel_for(pieces.size(), threads, [&](std::size_t k) {
      const std::int64_t count = std::min(size, end - begin_of(k));
      pieces[k] = read_piece(begin_of(k), count);
      done.add(count);
    });
    for (std::size_t k = 0; k < pieces.size(); ++k) merge(begin_of(k), std::move(pieces[k]));
  }
}

Piece Inspector::read_piece(std::int64_t first, std::int64_t count) const {
  const auto classes = static_cast<std::size_t>(votes_.classes());
  const auto teachers = static_cast<std::size_t>(votes_.teachers());
  const auto all = static_cast<std::size_t>(count);
  Piece piece;
  piece.class_votes.resize(classes);
  piece.ids.resize(predictions_ != nullptr ? all * teachers : 0);
  std::vector<std::int32_t> counts(all * classes);
  std::vector<double> scores(student_ != nullptr ? counts.size() : 0);
  rows_.for_each_range(first, count, [&](std::int64_t row, std::int64_t at, std::int64_t size) {
    const auto part = [&](auto& numbers, std::size_t width) {
      return std::span(numbers).subspan(static_cast<std::size_t>(at) * width,
                                        static_cast<std::size_t>(size) * width);
    };
    if (student_ != nullptr) student_->read(row, size, part(scores, classes));
    if (predictions_ == nullptr) {
      votes_.read(row, size, part(counts, classes));
    } else {
      predictions_->read_votes(row, size, part(piece.ids, teachers));
    }
  });
  for (std::size_t i = 0; i < piece.ids.size(); ++i) {
    ++counts[i / teachers * classes + static_cast<std::size_t>(piece.ids[i])];
  }
  for (std::size_t i = 0; i < all; ++i) {
    const auto histogram = std::span<const std::int32_t>(counts).subspan(i * classes, classes);
    const Consensus found = consensus(histogram);
    piece.values[kTop].push_back(found.top);
    piece.values[kGap].push_back(found.gap);
    if (student_ != nullptr) {
      piece.values[kLead].push_back(interactive_statistic(
          histogram, std::span<const double>(scores).subspan(i * classes, classes),
          votes_.teachers()));
    }
    if (checked_ == kStability) piece.values[kStability].push_back(stability(histogram));
    if (has_check_) {
      piece.values[kCheckedByGap].push_back(
          found.gap / found_.bins.width * (votes_.teachers() + 1) + piece.values[checked_].back());
    }
    piece.ties += found.tied ? 1 : 0;
    piece.unanimous += found.unanimous ? 1 : 0;
    piece.fingerprints.push_back(fingerprint(histogram));
    for (std::size_t j = 0; j < classes; ++j) piece.class_votes[j] += histogram[j];
  }
  return piece;
}

void Inspector::merge(std::int64_t first, Piece piece) {
  for (std::size_t k = 0; k < kSpreads; ++k) spreads_[k].add(std::move(piece.values[k]));
  for (const std::uint64_t one : piece.fingerprints) distinct_.add(one);
  for (std::size_t j = 0; j < piece.class_votes.size(); ++j) {
    found_.class_votes[j] += piece.class_votes[j];
  }
  found_.ties += piece.ties;
  found_.unanimous += piece.unanimous;
  if (columns_) columns_->add(first, piece.ids);
}

Inspection Inspector::result() {
  Inspection result = found_;
  result.distinct_histograms = distinct_.count();
  const auto spread = [&](Spread which) {
    const Frequencies& found = spreads_[which];
    return VotesSpread{found.mean(), found.deciles(), histogram(found, result.bins)};
  };
  result.top_count = spread(kTop);
  result.gap = spread(kGap);
  if (student_ != nullptr) result.lead = spread(kLead);
  if (checked_ == kStability) result.stability = spread(kStability);
  if (columns_) result.predictions = columns_->findings();
  return result;
}

AnsweredSpread Inspector::answered(const AnswerRule& check) const {
  AnsweredSpread result{check, 0.0, {}, {}};
  CompensatedSum total;
  const auto expected = [&](Spread spread, std::int64_t width, std::int64_t values) {
    std::vector<CompensatedSum> sums(static_cast<std::size_t>(found_.bins.count));
    for (const auto& [value, times] : spreads_[spread].times()) {
      const double answers =
          std::exp(log_answered(check, value % values)) * static_cast<double>(times);
      sums[static_cast<std::size_t>(value / width)].add(answers);
      if (spread == checked_) total.add(answers);
    }
    std::vector<double> histogram;
    for (const CompensatedSum& sum : sums) histogram.push_back(sum.value());
    return histogram;
  };
  const std::int64_t values = votes_.teachers() + 1;
  result.histogram = expected(checked_, found_.bins.width, values);
  result.gap_histogram = expected(kCheckedByGap, values, values);
  result.answered = total.value();
  return result;
}

std::vector<Notice> notices_of(const Inspection& found) {
  if (found.queries == 0) return {{"no_queries", "there are no queries"}};
  if (found.queries == 1) {
    return {{"one_query", "there is one query only: of an ensemble it tells little"}};
  }
  std::vector<Notice> notices;
  std::vector<std::size_t> without;
  for (std::size_t j = 0; j < found.class_votes.size(); ++j) {
    if (found.class_votes[j] == 0) without.push_back(j);
  }
  if (!without.empty()) {
    const std::size_t shown = std::min(without.size(), kShown);
    notices.push_back({"class_without_votes",
                       fmt::format("nobody votes for {} of the {} classes: {}{}", without.size(),
                                   found.classes, fmt::join(std::span(without).first(shown), ", "),
                                   shown < without.size() ? ", ..." : "")});
  }
  if (found.ties > 0) {
    notices.push_back(
        {"ties",
         fmt::format("{} tied at the top: the lowest of the tied classes is taken as the plurality",
                     found.ties == 1 ? "1 query is" : fmt::format("{} queries are", found.ties))});
  }
  return notices;
}

}  // namespace

Inspection inspect(const VoteSource& votes, const RowSelection& rows,
                   const std::optional<AnswerRule>& check, const PredictionVotes* predictions,
                   unsigned threads, const ProgressCallback& progress, const StudentScores* student,
                   std::optional<std::int64_t> bins) {
  if (check && std::holds_alternative<ThresholdCheck>(*check)) {
    validate(std::get<ThresholdCheck>(*check));
  }
  require(predictions == nullptr || predictions == &votes,
          "predictions must be the votes that are inspected, got other ones");
  rows.check(votes.name(), votes.queries());
  Inspector inspector(votes, rows, predictions, student, Bins::over(votes.teachers(), bins), check);
  inspector.read(threads, progress);
  Inspection result = inspector.result();
  if (check) result.selection = inspector.answered(*check);
  result.notices = notices_of(result);
  return result;
}

}  // namespace pate
