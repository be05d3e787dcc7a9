#include "pate/inspection/content_doubts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <unordered_set>

#include "pate/inspection/heading_doubts.hpp"
#include "pate/inspection/headings.hpp"
#include "pate/inspection/orientation.hpp"
#include "pate/inspection/prediction_doubts.hpp"
#include "pate/numerics/log_gamma.hpp"
#include "pate/votes/fingerprint.hpp"
#include "pate/votes/row_sums.hpp"

namespace pate {

namespace {

constexpr double kChance = 1e-5;
constexpr std::int64_t kNumbersAtOnce = 1 << 16;
constexpr std::int64_t kFewestRows = 4;   // of which all counts have something in common
constexpr std::size_t kMaxHeld = 10'000;  // rows that are told apart
constexpr std::int64_t kMaxVotesEach = 10;
constexpr std::int64_t kFewestHalves = 6;  // columns, that every second one is zero is no chance

// The largest probability that one class gets just half of the votes: C(M, M/2) / 2^M.
double log_half(std::int64_t teachers) {
  using std::log;
  const Extended m(teachers);
  return static_cast<double>(log_gamma(m + 1) - 2 * log_gamma(m / 2 + 1) - m * log(Extended(2)));
}

// Reads counts row by row as long as any of what is looked for may be true of all of them.
class CountsLook {
 public:
  CountsLook(const VoteSource& votes, bool has_commas, bool said)
      : classes_(votes.classes()), teachers_(votes.teachers()), said_(said) {
    constants_.resize(static_cast<std::size_t>(classes_));
    std::iota(constants_.begin(), constants_.end(), std::int64_t{0});
    if (classes_ >= 3 && teachers_ % 2 == 0) {
      totals_.resize(static_cast<std::size_t>(classes_));
      std::iota(totals_.begin(), totals_.end(), std::int64_t{0});
    }
    has_zeros_between_ = has_commas && classes_ >= kFewestHalves && classes_ % 2 == 0;
  }

  [[nodiscard]] bool is_open() const {
    return !totals_.empty() || !constants_.empty() || has_zeros_between_ ||
           (!said_ && (divisor_ != 1 || at_half_));
  }
  void add(std::span<const std::int32_t> row);
  void find(const VotesLookedAt& looked_at, std::vector<ContentDoubt>& found) const;

 private:
  void find_totals(const VotesLookedAt& looked_at, std::vector<ContentDoubt>& found) const;
  void find_several(std::vector<ContentDoubt>& found) const;
  void find_constant(const VotesLookedAt& looked_at, std::vector<ContentDoubt>& found) const;

  std::int64_t classes_, teachers_;
  bool said_;
  std::int64_t rows_ = 0;
  std::vector<std::int64_t> totals_;     // columns that may be the sum of all others
  std::vector<std::int64_t> constants_;  // columns that have the votes of the first row in all
  std::vector<std::int32_t> first_;
  std::unordered_set<std::uint64_t> distinct_;
  std::int64_t divisor_ = 0;        // of all counts so far
  double free_ = 0.0;               // counts of different rows that could have been otherwise
  bool at_half_ = true;             // no class had more than half of the votes
  bool has_zeros_between_ = false;  // every second column was zero
  std::unordered_set<std::size_t> voted_before_;  // of these, where the column before was not
  std::int64_t largest_ = 0;
  std::vector<std::int32_t> tops_;
};

void CountsLook::add(std::span<const std::int32_t> row) {
  ++rows_;
  std::erase_if(totals_, [&](std::int64_t column) {
    return 2 * static_cast<std::int64_t>(row[static_cast<std::size_t>(column)]) != teachers_;
  });
  if (first_.empty()) first_.assign(row.begin(), row.end());
  std::erase_if(constants_, [&](std::int64_t column) {
    const auto index = static_cast<std::size_t>(column);
    return row[index] == 0 || row[index] != first_[index];
  });
  for (std::size_t i = 1; has_zeros_between_ && i < row.size(); i += 2) {
    has_zeros_between_ = row[i] == 0;
    if (row[i - 1] != 0) voted_before_.insert(i);
  }
  const bool is_new = distinct_.size() < kMaxHeld && distinct_.insert(fingerprint(row)).second;
  std::int64_t voted = 0;
  std::int32_t top = 0;
  for (const std::int32_t votes : row) {
    if (votes == 0) continue;
    ++voted;
    top = std::max(top, votes);
    divisor_ = std::gcd(divisor_, static_cast<std::int64_t>(votes));
  }
  if (is_new) free_ += static_cast<double>(std::max<std::int64_t>(voted - 1, 0));
  largest_ = std::max<std::int64_t>(largest_, top);
  at_half_ = at_half_ && 2 * static_cast<std::int64_t>(top) <= teachers_;
  if (at_half_ && !said_) tops_.push_back(top);
}

void CountsLook::find_totals(const VotesLookedAt& looked_at,
                             std::vector<ContentDoubt>& found) const {
  if (totals_.empty() || rows_ < 2) return;
  const std::vector<std::string> names = looked_at.table.header().names;
  std::int64_t column = totals_.back();
  bool headed = false;
  for (const std::int64_t one : totals_) {
    const auto index = static_cast<std::size_t>(one);
    if (index < names.size() && heads_totals(names[index])) {
      column = one;
      headed = true;
    }
  }
  const double chance = static_cast<double>(distinct_.size()) * log_half(teachers_) +
                        std::log(static_cast<double>(classes_));
  const bool sure = (headed && distinct_.size() > 1) || chance < std::log(kChance);
  if (!sure && chance > std::log(0.05)) return;
  found.push_back(
      {{"totals_column",
        fmt::format("{} is the sum of all others in every row, as a column of totals is, and wins "
                    "every query: there would be {} teachers and not {}. What leaves it out: {}; "
                    "if it is a class, say how many teachers there are with --teachers {}",
                    column_in_words(looked_at.table, column), teachers_ / 2, teachers_,
                    line_without_column(looked_at.table, column), teachers_)},
       sure && !said_ ? Weight::certain : Weight::doubtful,
       VotesDoubt::totals_column});
}

void CountsLook::find_constant(const VotesLookedAt& looked_at,
                               std::vector<ContentDoubt>& found) const {
  // Rows of one sum keep it with a column beside them that never changes, and with no other.
  if (classes_ < 3 || static_cast<std::int64_t>(distinct_.size()) < kFewestRows) return;
  const bool has_totals = !found.empty();
  const std::vector<std::string> names = looked_at.table.header().names;
  for (const std::int64_t column : constants_) {
    const auto index = static_cast<std::size_t>(column);
    if (has_totals && 2 * std::int64_t{first_[index]} == teachers_) continue;  // the total
    const bool headed =
        index < names.size() &&
        (heads_labels(names[index]) || heads_index(names[index]) || heads_teachers(names[index]));
    if (!headed && static_cast<std::int64_t>(distinct_.size()) < 2 * kFewestRows) continue;
    const std::int64_t votes = first_[index];
    found.push_back(
        {{headed ? "label_column" : "constant_column",
          fmt::format(
              "{} is {} in every row{}: without it there would be {} teachers and not {}. "
              "What leaves it out: {}; if it is a class, say how many teachers there are "
              "with --teachers {}",
              column_in_words(looked_at.table, column), votes,
              headed ? ", and no class by its heading" : ", as votes for a class hardly are",
              teachers_ - votes, teachers_, line_without_column(looked_at.table, column),
              teachers_)},
         headed && !said_ ? Weight::certain : Weight::doubtful,
         headed ? std::optional(VotesDoubt::label_column) : std::nullopt});
  }
}

void CountsLook::find_several(std::vector<ContentDoubt>& found) const {
  std::vector<std::int32_t> tops = tops_;
  const auto middle = tops.begin() + std::ssize(tops) / 2;
  std::nth_element(tops.begin(), middle, tops.end());
  for (std::int64_t each = kMaxVotesEach; each >= 2; --each) {
    if (teachers_ % each != 0 || classes_ <= each) continue;
    const std::int64_t one = teachers_ / each;
    // Where each gives a vote to most classes, contested ones have nearly as many: then all of the
    // teachers must agree on one class somewhere, and nearly all half of the time.
    const bool most_classes = classes_ < 2 * each;
    if (largest_ > one || (most_classes && 20 * largest_ < 19 * one)) continue;
    if (20 * static_cast<std::int64_t>(*middle) < (most_classes ? 17 : 15) * one) continue;
    found.push_back(
        {{"several_votes",
          fmt::format("no class ever has more than {} of the {} votes, and half of the queries "
                      "come near to that, as where each of {} teachers gives {} of them: then one "
                      "teacher moves {} votes, and costs are larger than these; --teachers M says "
                      "how many there are",
                      one, teachers_, one, each, each)}});
    return;
  }
}

void CountsLook::find(const VotesLookedAt& looked_at, std::vector<ContentDoubt>& found) const {
  if (has_zeros_between_ && std::ssize(voted_before_) == classes_ / 2 && rows_ >= 2) {
    found.push_back({{"decimal_commas",
                      fmt::format("every second column is zero throughout, as where numbers like "
                                  "3,0 have decimal commas: there would be {} classes and not {}; "
                                  "write the numbers whole, or with points",
                                  classes_ / 2, classes_)},
                     Weight::certain,
                     VotesDoubt::decimal_commas});
  }
  find_totals(looked_at, found);
  const bool has_totals = !found.empty();
  find_constant(looked_at, found);
  // A total is half of all votes, which is no sign of two votes a teacher.
  if (said_ || has_totals) return;
  if (divisor_ > 1 && rows_ >= kFewestRows &&
      free_ * std::log(static_cast<double>(divisor_)) > -std::log(kChance)) {
    found.push_back(
        {{"scaled_votes",
          fmt::format("all counts are multiples of {}, as where {} teachers were scaled or have {} "
                      "votes each: then costs are larger than these; --teachers M says how many "
                      "there are",
                      divisor_, teachers_ / divisor_, divisor_)}});
  }
  if (at_half_ && rows_ >= kFewestRows) find_several(found);
}

// Counts of a byte wrap at 256.
std::optional<ContentDoubt> doubt_of_bytes(const VotesLookedAt& looked_at) {
  const std::int64_t teachers = looked_at.votes.teachers();
  if (looked_at.teachers || teachers == 0 || !looked_at.table.description().dtype.ends_with("u1")) {
    return {};
  }
  return ContentDoubt{
      {"byte_counts",
       fmt::format("the counts are bytes, and those above 255 have wrapped: there may be {}{}, {} "
                   "or more teachers; --teachers M says how many",
                   teachers, teachers == 255 ? " (what 511 are, wrapped once)" : "",
                   teachers + 256)}};
}

void look_at_counts(const VotesLookedAt& looked_at, std::vector<ContentDoubt>& found) {
  const VoteSource& votes = looked_at.votes;
  // Votes of which some are missing come with the number of teachers.
  if (votes.leaves_out_abstentions() || votes.classes() != looked_at.table.columns()) return;
  const NumericTable& table = looked_at.table;
  const bool has_commas = table.description().format == "csv" && table.header().separator == ',';
  CountsLook look(votes, has_commas, looked_at.teachers.has_value());
  const std::int64_t classes = votes.classes();
  const std::int64_t queries = looked_at.rows.size();
  std::vector<std::int32_t> counts;
  // A few rows say enough nearly always.
  std::int64_t piece = 1;
  for (std::int64_t first = 0; first < queries && look.is_open();) {
    const std::int64_t count = std::min(piece, queries - first);
    counts.resize(static_cast<std::size_t>(count * classes));
    looked_at.rows.for_each_range(
        first, count, [&](std::int64_t row, std::int64_t offset, std::int64_t n) {
          votes.read(row, n,
                     std::span(counts).subspan(static_cast<std::size_t>(offset * classes),
                                               static_cast<std::size_t>(n * classes)));
        });
    for (std::int64_t i = 0; i < count && look.is_open(); ++i) {
      look.add(std::span(counts).subspan(static_cast<std::size_t>(i * classes),
                                         static_cast<std::size_t>(classes)));
    }
    first += count;
    piece = std::min(2 * piece, std::max<std::int64_t>(1, kNumbersAtOnce / classes));
  }
  if (look.is_open()) look.find(looked_at, found);
  if (auto bytes = doubt_of_bytes(looked_at)) found.push_back(std::move(*bytes));
}

void look_at_orientation(const VotesLookedAt& looked_at, const NumericTable& ids,
                         std::vector<ContentDoubt>& found) {
  const auto agreement = agreement_of(ids);
  if (!agreement) return;
  const bool by_query = looked_at.layout == Layout::predictions_by_query;
  const double query = by_query ? agreement->in_row : agreement->in_column;
  const double teacher = by_query ? agreement->in_column : agreement->in_row;
  const double query_error = by_query ? agreement->row_error : agreement->column_error;
  const double teacher_error = by_query ? agreement->column_error : agreement->row_error;
  const bool agrees = agrees_more(teacher, teacher_error, query, query_error);
  if (!agrees && !varies_instead(teacher, query, agreement->by_chance,
                                 by_query ? agreement->columns : agreement->rows,
                                 by_query ? agreement->rows : agreement->columns)) {
    return;
  }
  const VoteSource& votes = looked_at.votes;
  const bool square = votes.teachers() == votes.queries();
  found.push_back(
      {{"looks_transposed",
        fmt::format("on one query {:.0f} % of the pairs of teachers agree, but {:.0f} % of the "
                    "pairs of queries of one teacher: is it --layout {}, of {} teachers? {}",
                    100.0 * query, 100.0 * teacher,
                    by_query ? "predictions" : "predictions-by-query", votes.queries(),
                    square ? "--accept looks-transposed says that it is not"
                    : looked_at.teachers
                        ? "--teachers says that it is not"
                        : fmt::format("--teachers {} says that it is not", votes.teachers()))},
       !agrees || (looked_at.teachers && !square) ? Weight::doubtful : Weight::likely,
       VotesDoubt::looks_transposed});
}

}  // namespace

std::vector<ContentDoubt> content_doubts(const VotesLookedAt& looked_at) {
  std::vector<ContentDoubt> found;
  if (looked_at.rows.empty() || looked_at.votes.teachers() == 0) return found;
  if (looked_at.votes.teachers() == 1) {
    found.push_back({{"one_teacher",
                      "there is one vote per query: these are labels rather than the votes of an "
                      "ensemble"}});
  }
  if (looked_at.layout == Layout::counts) {
    look_at_counts(looked_at, found);
    return found;
  }
  look_at_headings(looked_at, found);
  look_at_orientation(looked_at, looked_at.table, found);
  look_at_predictions(looked_at, found);
  return found;
}

}  // namespace pate
