#include "pate/studies/multilabel/ballot_doubts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace pate {

namespace {

constexpr std::size_t kShownTeachers = 5;

// What is expected less often is no chance.
const double kLogRare = std::log(1e-6);

std::string shown(const std::vector<std::int64_t>& teachers) {
  const std::size_t count = std::min(teachers.size(), kShownTeachers);
  return fmt::format(
      "{}{}", fmt::join(std::span(teachers).first(count), ", "),
      count < teachers.size() ? fmt::format(" and {} more", teachers.size() - count) : "");
}

// All marks of a teacher, on every query.
std::string marks_of(const LabelBallots& ballots, std::int64_t teacher) {
  std::string marks;
  for (std::int64_t query = 0; query < ballots.queries(); ++query) {
    const auto ballot = ballots.ballot(query, teacher);
    marks.append(ballot.begin(), ballot.end());
  }
  return marks;
}

// Logarithms of the probabilities that one teacher gives no label, and that two give the same.
struct Chances {
  double silent = 0.0;
  double alike = 0.0;
};

Chances chances_of(const LabelCounts& counts) {
  const auto teachers = static_cast<double>(counts.teachers());
  Chances result;
  for (const std::int32_t given : counts.positives()) {
    const double share = given / teachers;
    result.silent += std::log1p(-share);  // -inf where all give it
    result.alike += std::log(share * share + (1.0 - share) * (1.0 - share));
  }
  return result;
}

}  // namespace

std::vector<Notice> ballot_doubts(const LabelBallots& ballots, const LabelCounts& counts) {
  std::map<std::string, std::vector<std::int64_t>> by_marks;
  for (std::int64_t teacher = 0; teacher < ballots.teachers(); ++teacher) {
    by_marks[marks_of(ballots, teacher)].push_back(teacher);
  }
  const Chances chances = chances_of(counts);
  const auto teachers = static_cast<double>(ballots.teachers());
  std::vector<Notice> doubts;
  for (const auto& [marks, its] : by_marks) {
    if (marks.find('\1') == std::string::npos) {
      if (!(chances.silent + std::log(teachers) < kLogRare)) continue;
      doubts.push_back(
          {"silent_teachers",
           fmt::format(
               "{} of {} teachers give no query any label: {}; their ballots count as votes "
               "against every label: leave out those who did not vote",
               its.size(), ballots.teachers(), shown(its))});
      continue;
    }
    const double pairs = teachers * (teachers - 1.0) / 2.0;
    if (its.size() < 2 || !(chances.alike + std::log(pairs) < kLogRare)) continue;
    doubts.push_back(
        {"identical_teachers",
         fmt::format(
             "teachers {} have the same ballots on all {} queries; if they are copies, what "
             "one person's data change is more than costs allow for: leave copies out",
             shown(its), ballots.queries())});
  }
  return doubts;
}

}  // namespace pate
