#include "pate/inspection/inspection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "pate/base/error.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/inspection/findings.hpp"
#include "pate/mechanisms/stability_test.hpp"
#include "pate/numerics/sums.hpp"
#include "pate/votes/fingerprint.hpp"
#include "pate/votes/selection_statistic.hpp"

namespace pate {

namespace {

constexpr std::int64_t kTeachersPerTask = 64;

// How many queries are read at a time: a piece by one task, a block by all of them.
struct Portions {
  std::int64_t piece = 1;
  std::int64_t block = 1;
};

// Of counts: pieces that stay in the cache. A block leaves its votes per class behind, in each
// piece.
Portions portions_of_counts(std::int64_t classes) {
  const std::int64_t piece = std::clamp<std::int64_t>((1 << 16) / classes, 1, 4096);
  return {piece, piece * std::clamp<std::int64_t>((1 << 22) / classes, 1, 64)};
}

// Of predictions: a block's class ids are kept, 64 MiB, until each teacher has been looked at. In
// teachers x queries, pieces of few queries would visit every teacher's row for little.
Portions portions_of_predictions(std::int64_t teachers, std::int64_t classes) {
  const std::int64_t block =
      std::clamp<std::int64_t>((1 << 24) / std::max<std::int64_t>(1, teachers), 1, 1 << 16);
  const std::int64_t piece = std::max(block / 16, std::min<std::int64_t>(block, 256));
  return {std::clamp<std::int64_t>((1 << 22) / classes, 1, piece), block};
}

// Numbers of votes that every query has: the lead with a student only, the stability with a
// stability test only.
enum Spread : std::uint8_t { kTop, kGap, kLead, kStability, kSpreads };

// What is left of the queries of one piece.
struct Piece {
  std::array<std::vector<std::int32_t>, kSpreads> values;
  std::vector<std::uint64_t> fingerprints;
  std::vector<std::int64_t> class_votes;
  std::int64_t ties = 0;
  std::int64_t unanimous = 0;
};

// For every bin of the gap what the check looks at, of the queries in it.
using CheckedByGap = std::vector<Frequencies>;

// Reads a selection in blocks, each of them in pieces.
class Inspector {
 public:
  // `keep_checked`: of each bin of the gap what the check looks at is wanted, too.
  Inspector(const VoteSource& votes, const RowSelection& rows, const PredictionVotes* predictions,
            const StudentScores* student, const Bins& bins, bool keep_checked, bool tested)
      : votes_(votes),
        rows_(rows),
        predictions_(predictions),
        student_(student),
        checked_(tested               ? kStability
                 : student != nullptr ? kLead
                                      : kTop),
        portions_(predictions != nullptr
                      ? portions_of_predictions(votes.teachers(), votes.classes())
                      : portions_of_counts(votes.classes())),
        checked_by_gap_(keep_checked ? static_cast<std::size_t>(bins.count) : 0) {
    found_.teachers = votes.teachers();
    found_.classes = votes.classes();
    found_.queries = rows.size();
    found_.bins = bins;
    found_.class_votes.resize(static_cast<std::size_t>(votes.classes()));
    if (predictions != nullptr) columns_.emplace(votes.teachers(), votes.classes());
  }

  void read(unsigned threads, const ProgressCallback& progress) {
    ProgressCounter done(progress, rows_.size());
    for (std::int64_t first = 0; first < rows_.size(); first += portions_.block) {
      read_block(first, std::min(portions_.block, rows_.size() - first), threads, done);
    }
  }

  [[nodiscard]] const Frequencies& checked() const { return spreads_[checked_]; }
  [[nodiscard]] const CheckedByGap& checked_by_gap() const { return checked_by_gap_; }
  [[nodiscard]] Inspection result();

 private:
  void read_block(std::int64_t first, std::int64_t count, unsigned threads, ProgressCounter& done);
  void read_piece(std::int64_t first, std::int64_t count, std::span<std::int32_t> ids,
                  Piece& piece) const;
  void merge(Piece& piece);

  const VoteSource& votes_;
  const RowSelection& rows_;
  const PredictionVotes* predictions_;
  const StudentScores* student_;
  Spread checked_;  // what the check looks at
  Portions portions_;

  Inspection found_;  // but for what is known in the end only
  std::array<Frequencies, kSpreads> spreads_;
  CheckedByGap checked_by_gap_;  // empty unless wanted
  DistinctCounter distinct_;
  std::optional<TeacherColumns> columns_;
  std::vector<std::int32_t> ids_;  // of a block
};

void Inspector::read_block(std::int64_t first, std::int64_t count, unsigned threads,
                           ProgressCounter& done) {
  const std::int64_t width = predictions_ != nullptr ? votes_.teachers() : 0;
  ids_.resize(static_cast<std::size_t>(count * width));
  const std::int64_t most = portions_.piece;
  std::vector<Piece> pieces(static_cast<std::size_t>((count + most - 1) / most));
  parallel_for(pieces.size(), threads, [&](std::size_t k) {
    const std::int64_t begin = static_cast<std::int64_t>(k) * most;
    const std::int64_t size = std::min(most, count - begin);
    read_piece(first + begin, size,
               std::span(ids_).subspan(static_cast<std::size_t>(begin * width),
                                       static_cast<std::size_t>(size * width)),
               pieces[k]);
    done.add(size);
  });
  for (Piece& piece : pieces) merge(piece);
  if (!columns_) return;
  const std::int64_t tasks = (width + kTeachersPerTask - 1) / kTeachersPerTask;
  parallel_for(static_cast<std::size_t>(tasks), threads, [&](std::size_t k) {
    const std::int64_t begin = static_cast<std::int64_t>(k) * kTeachersPerTask;
    columns_->add(first, ids_, begin, std::min(begin + kTeachersPerTask, width));
  });
}

void Inspector::read_piece(std::int64_t first, std::int64_t count, std::span<std::int32_t> ids,
                           Piece& piece) const {
  const auto classes = static_cast<std::size_t>(votes_.classes());
  const auto teachers = static_cast<std::size_t>(votes_.teachers());
  std::vector<std::int32_t> counts(static_cast<std::size_t>(count) * classes);
  std::vector<double> scores(student_ != nullptr ? counts.size() : 0);
  rows_.for_each_range(first, count, [&](std::int64_t row, std::int64_t at, std::int64_t size) {
    const auto offset = static_cast<std::size_t>(at);
    const auto queries = static_cast<std::size_t>(size);
    if (student_ != nullptr) {
      student_->read(row, size, std::span(scores).subspan(offset * classes, queries * classes));
    }
    if (predictions_ == nullptr) {
      votes_.read(row, size, std::span(counts).subspan(offset * classes, queries * classes));
    } else {
      predictions_->read_votes(row, size, ids.subspan(offset * teachers, queries * teachers));
    }
  });
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ++counts[i / teachers * classes + static_cast<std::size_t>(ids[i])];
  }
  piece.class_votes.resize(classes);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const auto histogram = std::span<const std::int32_t>(counts).subspan(i * classes, classes);
    const Consensus found = consensus(histogram);
    piece.values[kTop].push_back(found.top);
    piece.values[kGap].push_back(found.gap);
    if (student_ != nullptr) {
      piece.values[kLead].push_back(interactive_statistic(
          histogram, std::span<const double>(scores).subspan(i * classes, classes),
          votes_.teachers()));
    }
    if (checked_ == kStability) {
      piece.values[kStability].push_back(static_cast<std::int32_t>(stability(histogram)));
    }
    piece.ties += found.tied ? 1 : 0;
    piece.unanimous += found.unanimous ? 1 : 0;
    piece.fingerprints.push_back(fingerprint(histogram));
    for (std::size_t j = 0; j < classes; ++j) piece.class_votes[j] += histogram[j];
  }
}

void Inspector::merge(Piece& piece) {
  if (!checked_by_gap_.empty()) {
    const std::vector<std::int32_t>& checked = piece.values[checked_];
    std::vector<std::vector<std::int32_t>> by_gap(checked_by_gap_.size());
    for (std::size_t i = 0; i < checked.size(); ++i) {
      by_gap[static_cast<std::size_t>(piece.values[kGap][i] / found_.bins.width)].push_back(
          checked[i]);
    }
    for (std::size_t bin = 0; bin < by_gap.size(); ++bin) {
      if (!by_gap[bin].empty()) checked_by_gap_[bin].add(std::move(by_gap[bin]));
    }
  }
  for (std::size_t k = 0; k < kSpreads; ++k) spreads_[k].add(std::move(piece.values[k]));
  for (const std::uint64_t one : piece.fingerprints) distinct_.add(one);
  for (std::size_t j = 0; j < piece.class_votes.size(); ++j) {
    found_.class_votes[j] += piece.class_votes[j];
  }
  found_.ties += piece.ties;
  found_.unanimous += piece.unanimous;
  piece = {};
}

Inspection Inspector::result() {
  Inspection result = found_;
  result.distinct_histograms = distinct_.count();
  result.distinct_exact = distinct_.is_exact();
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

AnsweredSpread answered_spread(const AnswerRule& check, const Frequencies& checked,
                               const CheckedByGap& checked_by_gap, const Bins& bins) {
  std::vector<CompensatedSum> sums(static_cast<std::size_t>(bins.count));
  CompensatedSum total;
  const auto expected = [&](const auto& entry) {  // of queries of one value
    return std::exp(log_answered(check, entry.first)) * static_cast<double>(entry.second);
  };
  for (const auto& entry : checked.times()) {
    sums[static_cast<std::size_t>(entry.first / bins.width)].add(expected(entry));
    total.add(expected(entry));
  }
  AnsweredSpread result{check, total.value(), {}, {}};
  for (const CompensatedSum& sum : sums) result.histogram.push_back(sum.value());
  for (const Frequencies& in_bin : checked_by_gap) {
    CompensatedSum sum;
    for (const auto& entry : in_bin.times()) sum.add(expected(entry));
    result.gap_histogram.push_back(sum.value());
  }
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
  if (!found.distinct_exact) {
    notices.push_back({"distinct_estimated",
                       fmt::format("there are more than {} distinct histograms: their number is an "
                                   "estimate, its standard deviation about 0.05 %",
                                   DistinctCounter::kCapacity)});
  }
  return notices;
}

}  // namespace

Inspection inspect(const VoteSource& votes, const RowSelection& rows,
                   const std::optional<AnswerRule>& check, const PredictionVotes* predictions,
                   unsigned threads, const ProgressCallback& progress, const StudentScores* student,
                   std::optional<std::int64_t> bins) {
  const auto* const threshold = check ? std::get_if<ThresholdCheck>(&*check) : nullptr;
  if (threshold != nullptr) validate(*threshold);
  const bool tested = check && threshold == nullptr;
  if (predictions != nullptr && predictions != &votes) {
    throw parameter_error("predictions must be the votes that are inspected, got other ones");
  }
  rows.check(votes.name(), votes.queries());
  Inspector inspector(votes, rows, predictions, student, Bins::over(votes.teachers(), bins),
                      check.has_value(), tested);
  inspector.read(threads, progress);
  Inspection result = inspector.result();
  if (check) {
    result.selection =
        answered_spread(*check, inspector.checked(), inspector.checked_by_gap(), result.bins);
  }
  result.notices = notices_of(result);
  return result;
}

}  // namespace pate
