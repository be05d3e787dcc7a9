#include "cli/commands/summaries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <string_view>
#include <vector>

#include "cli/text.hpp"
#include "pate/inspection/inspection.hpp"
#include "pate/reports/report_context.hpp"

namespace pate::cli {

namespace {

using Out = std::back_insert_iterator<std::string>;

constexpr std::size_t kColumns = 80;
constexpr std::size_t kMaxLines = 16;         // of the histogram
constexpr double kBar = 32;                   // its longest bar
constexpr std::int64_t kWideNumbers = 99999;  // numbers above do not fit a column of the deciles

std::string head(const Inspection& inspection, const reports::InputFile& votes) {
  const std::string shape = fmt::format(
      "{}, {}, {} classes", queries_text(inspection.queries),
      teachers_text(inspection.teachers) + (votes.teachers_from == "file" ? " by the file" : ""),
      inspection.classes);
  const bool fits = votes.path.size() + 2 + shape.size() <= kColumns;
  std::string text = fmt::format("{}:{}{}\n", votes.path, fits ? " " : "\n", shape);
  text += paragraph(
      "", fmt::format("{} of {}; {} distinct histograms, {} unanimous, {} tied at the top",
                      *votes.layout, votes.dtype, inspection.distinct_histograms,
                      inspection.unanimous, inspection.ties));
  if (!inspection.predictions) return text;
  const TeacherFindings& found = *inspection.predictions;
  text +=
      paragraph("", fmt::format("{} distinct teachers, {} constant, {} never vote for some class",
                                found.distinct, found.constant, found.missing_some_class));
  return text;
}

// How often they are right, where the true classes are known.
std::string accuracy_line(const Accuracy& accuracy) {
  std::string text = fmt::format("right: the plurality {:.2f} %, a teacher {:.2f} %",
                                 100.0 * accuracy.plurality, 100.0 * accuracy.teachers_mean);
  if (const auto& all = accuracy.teachers; !all.empty()) {
    double squares = 0.0;
    for (const double one : all) {
      squares += (one - accuracy.teachers_mean) * (one - accuracy.teachers_mean);
    }
    const auto [least, most] = std::ranges::minmax(all);
    text += fmt::format(" (sd {:.2f}, from {:.2f} to {:.2f})",
                        100.0 * std::sqrt(squares / static_cast<double>(all.size())), 100.0 * least,
                        100.0 * most);
  }
  if (accuracy.student) text += fmt::format(", the student {:.2f} %", 100.0 * *accuracy.student);
  return paragraph("", text);
}

void decile_line(Out out, std::string_view what, const std::vector<double>& deciles, double unit) {
  fmt::format_to(out, "{:<10}", what);
  for (const double decile : deciles) {
    // The number as it is where it is whole, one decimal otherwise, none where that is too long.
    const double value = decile / unit;
    const bool whole = unit == 1.0 && (value == std::floor(value) || value >= 1000.0);
    fmt::format_to(out, "{:>6.{}f}", value, whole ? 0 : 1);
  }
  fmt::format_to(out, "\n");
}

void deciles(Out out, const Inspection& inspection) {
  const bool shares = inspection.teachers > kWideNumbers;
  const double unit = shares ? static_cast<double>(inspection.teachers) / 100.0 : 1.0;
  fmt::format_to(out, "\n{:<10}", shares ? "% of all" : "votes");
  for (int k = 0; k <= 10; ++k) fmt::format_to(out, "{:>6}", fmt::format("{}%", 10 * k));
  fmt::format_to(out, "\n");
  decile_line(out, "top count", inspection.top_count.deciles, unit);
  decile_line(out, "gap", inspection.gap.deciles, unit);
  if (inspection.lead) decile_line(out, "lead", inspection.lead->deciles, unit);
  if (inspection.stability) decile_line(out, "stability", inspection.stability->deciles, unit);
}

// One line of the histogram: the bins begin .. end - 1.
struct Line {
  std::size_t begin, end;
  std::int64_t queries = 0;
  double answered = 0.0;
};

// The bins of what the check looks at that are in use, so many of them to a line that there are not
// too many lines.
std::vector<Line> histogram_lines(const Inspection& inspection) {
  const std::vector<std::int64_t>& counts = inspection.stability ? inspection.stability->histogram
                                            : inspection.lead    ? inspection.lead->histogram
                                                                 : inspection.top_count.histogram;
  const auto used = [](std::int64_t count) { return count > 0; };
  const auto first =
      static_cast<std::size_t>(std::find_if(counts.begin(), counts.end(), used) - counts.begin());
  const auto end =
      static_cast<std::size_t>(counts.rend() - std::find_if(counts.rbegin(), counts.rend(), used));
  std::size_t group = 1;
  for (const std::size_t nice : std::array<std::size_t, 7>{2, 5, 10, 20, 25, 50, 100}) {
    if ((end - 1) / group - first / group < kMaxLines) break;
    group = nice;
  }
  std::vector<Line> lines;
  for (std::size_t begin = first / group * group; begin < end; begin += group) {
    Line line{begin, std::min(begin + group, counts.size())};
    for (std::size_t i = line.begin; i < line.end; ++i) {
      line.queries += counts[i];
      if (inspection.selection) line.answered += inspection.selection->histogram[i];
    }
    lines.push_back(line);
  }
  return lines;
}

void top_histogram(Out out, const Inspection& inspection) {
  const std::vector<Line> lines = histogram_lines(inspection);
  std::int64_t largest = 1;
  for (const Line& line : lines) largest = std::max(largest, line.queries);
  const auto length = [&](double queries) {
    return static_cast<std::size_t>(std::lround(kBar * queries / static_cast<double>(largest)));
  };
  fmt::format_to(out, "\n{:<18}{:>12}{}\n",
                 inspection.stability ? "stability"
                 : inspection.lead    ? "lead over student"
                                      : "top count",
                 "queries", inspection.selection ? "    answered" : "");
  for (const Line& line : lines) {
    const std::int64_t low = static_cast<std::int64_t>(line.begin) * inspection.bins.width;
    const std::int64_t high = std::min(
        static_cast<std::int64_t>(line.end) * inspection.bins.width - 1, inspection.teachers);
    fmt::format_to(out, "{:<18}{:>12}",
                   low == high ? fmt::format("{}", low) : fmt::format("{}..{}", low, high),
                   line.queries);
    if (inspection.selection) fmt::format_to(out, "{:>12.1f}", line.answered);
    // Of the queries, those that are answered; without a threshold all are.
    const std::size_t all = length(static_cast<double>(line.queries));
    const std::size_t full = inspection.selection ? std::min(all, length(line.answered)) : all;
    fmt::format_to(out, "{}{}{}\n", all > 0 ? "  " : "", std::string(full, '#'),
                   std::string(all - full, '.'));
  }
}

// How the check that decides which queries are answered is told.
struct CheckWords {
  double threshold;
  const char* kind;  // of its noise
  double noise;
  const char* when;
};

CheckWords words_of(const AnswerRule& rule) {
  if (const auto* const check = std::get_if<ThresholdCheck>(&rule)) {
    return {check->threshold, "sigma1", check->sigma1, ""};
  }
  const auto& test = std::get<StabilityTest>(rule);
  return {test.threshold(), test.has_gaussian_noise() ? "sigma1" : "scale", test.scale(),
          test.is_sparse() ? ", each as the first of a round" : ""};
}

}  // namespace

std::string inspect_summary(const Inspection& inspection, const reports::InputFile& votes) {
  std::string text = head(inspection, votes);
  if (inspection.accuracy) text += accuracy_line(*inspection.accuracy);
  const Out out = std::back_inserter(text);
  if (inspection.queries > 0) {
    deciles(out, inspection);
    top_histogram(out, inspection);
  }
  if (inspection.selection) {
    const AnsweredSpread& selection = *inspection.selection;
    const CheckWords check = words_of(selection.check);
    fmt::format_to(out, "\n");
    text += paragraph(
        "answered: ",
        fmt::format("{:.1f} expected at threshold {:g}, {} {:g}{} (# answered, . refused)",
                    selection.answered, check.threshold, check.kind, check.noise, check.when));
  }
  if (!inspection.notices.empty()) fmt::format_to(out, "\n");
  return text + notes(inspection.notices);
}

}  // namespace pate::cli
