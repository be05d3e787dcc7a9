#include "pate/inspection/inspection_notices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "pate/inspection/findings.hpp"

namespace pate {

namespace {

constexpr std::int64_t kManyClasses = 8;
constexpr std::int64_t kAverages = 3;
constexpr std::int64_t kPiece = 1 << 16;  // counts that are looked at before it is asked for more

// "1, 4, 7", or "1, 4, 7, 8, 9, ..." where there are more.
template <class Values>
std::string some(const Values& values, std::int64_t all) {
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(std::min(values.size(), kShown));
  return fmt::format("{}{}", fmt::join(values.begin(), end, ", "),
                     all > static_cast<std::int64_t>(kShown) ? ", ..." : "");
}

bool looks_like_predictions(const Inspection& inspection) {
  if (inspection.predictions || inspection.classes < kManyClasses || inspection.teachers < 2) {
    return false;
  }
  const auto largest = static_cast<std::int64_t>(inspection.top_count.deciles.back());
  if (largest >= inspection.classes) return false;
  return largest == 1 || largest * inspection.classes <= kAverages * inspection.teachers;
}

bool counts_look_transposed(const Inspection& inspection, std::int64_t file_queries) {
  const auto& votes = inspection.class_votes;
  return !inspection.predictions && inspection.classes > file_queries &&
         std::adjacent_find(votes.begin(), votes.end(), std::not_equal_to<>()) == votes.end();
}

// Those that put every number in doubt.
void add_layout_notices(const Inspection& inspection, std::int64_t file_queries,
                        std::vector<Notice>& notices) {
  if (looks_like_predictions(inspection)) {
    notices.push_back(
        {"looks_like_predictions",
         fmt::format("the {} classes never get more than {:.0f} of {} votes: if these are class "
                     "ids and not counts, add --layout predictions",
                     inspection.classes, inspection.top_count.deciles.back(),
                     inspection.teachers)});
  }
  if (inspection.queries > 1 && counts_look_transposed(inspection, file_queries)) {
    notices.push_back(
        {"looks_transposed",
         fmt::format("there are more classes ({}) than queries ({}), and every class "
                     "has {} votes: counts are queries x classes, is this the "
                     "transpose?",
                     inspection.classes, file_queries, inspection.class_votes.front())});
  }
}

void add_vote_notices(const Inspection& inspection, std::vector<Notice>& notices) {
  std::vector<std::size_t> without;
  for (std::size_t j = 0; j < inspection.class_votes.size(); ++j) {
    if (inspection.class_votes[j] == 0) without.push_back(j);
  }
  if (!without.empty()) {
    const auto count = static_cast<std::int64_t>(without.size());
    notices.push_back(
        {"class_without_votes", fmt::format("nobody votes for {} of the {} classes: {}", count,
                                            inspection.classes, some(without, count))});
  }
  if (inspection.ties > 0) {
    notices.push_back(
        {"ties", fmt::format("{} quer{} tied at the top: the lowest of the tied classes is "
                             "taken as the plurality",
                             inspection.ties, inspection.ties == 1 ? "y is" : "ies are")});
  }
  if (!inspection.distinct_exact) {
    notices.push_back({"distinct_estimated",
                       fmt::format("there are more than {} distinct histograms: their number is "
                                   "an estimate, its standard deviation about 0.05 %",
                                   DistinctCounter::kCapacity)});
  }
}

void add_teacher_notices(const TeacherFindings& found, std::vector<Notice>& notices) {
  if (found.distinct < found.teachers) {
    std::vector<std::string> pairs;
    for (const auto& [a, b] : found.first_identical) pairs.push_back(fmt::format("{} = {}", a, b));
    notices.push_back(
        {"identical_teachers",
         fmt::format("only {} of {} teachers are distinct; identical in all votes: "
                     "{}",
                     found.distinct, found.teachers, some(pairs, found.identical_pairs))});
  }
  if (found.constant > 0) {
    notices.push_back(
        {"constant_teachers", fmt::format("{} teacher{} for one class throughout: {}",
                                          found.constant, found.constant == 1 ? " votes" : "s vote",
                                          some(found.first_constant, found.constant))});
  }
}

}  // namespace

std::vector<Notice> inspection_notices(const Inspection& inspection, std::int64_t file_queries) {
  std::vector<Notice> notices;
  if (inspection.queries == 0) {
    notices.push_back({"no_queries", "there are no queries"});
    return notices;
  }
  add_layout_notices(inspection, file_queries, notices);
  if (inspection.queries == 1) {
    notices.push_back({"one_query", "there is one query only: of an ensemble it tells little"});
    return notices;
  }
  add_vote_notices(inspection, notices);
  if (inspection.predictions) add_teacher_notices(*inspection.predictions, notices);
  return notices;
}

std::optional<Notice> dtype_notice(std::string_view dtype) {
  if (dtype.find('f') == std::string_view::npos) return std::nullopt;
  return Notice{
      "float_votes",
      fmt::format("the votes are stored as floating-point numbers ({}), all of them whole", dtype)};
}

std::vector<Notice> layout_notices(const VoteSource& votes, const RowSelection& rows,
                                   bool predictions) {
  Inspection found;
  found.teachers = votes.teachers();
  found.classes = votes.classes();
  found.queries = rows.size();
  std::vector<Notice> notices;
  if (found.queries == 0) return notices;
  if (predictions) found.predictions.emplace();
  found.class_votes.resize(static_cast<std::size_t>(found.classes));
  found.top_count.deciles = {0.0};
  const std::int64_t piece = std::clamp<std::int64_t>(kPiece / found.classes, 1, found.queries);
  std::vector<std::int32_t> counts;
  const auto is_open = [&] {
    return !predictions && (looks_like_predictions(found) ||
                            (found.queries > 1 && found.classes > votes.queries()));
  };
  for (std::int64_t first = 0; first < found.queries && is_open(); first += piece) {
    const std::int64_t count = std::min(piece, found.queries - first);
    counts.resize(static_cast<std::size_t>(count * found.classes));
    rows.for_each_range(first, count, [&](std::int64_t row, std::int64_t offset, std::int64_t n) {
      votes.read(row, n,
                 std::span(counts).subspan(static_cast<std::size_t>(offset * found.classes),
                                           static_cast<std::size_t>(n * found.classes)));
    });
    double& largest = found.top_count.deciles.back();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      largest = std::max(largest, static_cast<double>(counts[i]));
      found.class_votes[i % found.class_votes.size()] += counts[i];
    }
  }
  add_layout_notices(found, votes.queries(), notices);
  return notices;
}

}  // namespace pate
