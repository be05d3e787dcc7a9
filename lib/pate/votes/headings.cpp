#include "pate/votes/headings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <system_error>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/read_double.hpp"
#include "pate/votes/conversion_line.hpp"

namespace pate {

namespace {

// Words between blanks.
constexpr auto kWords = std::to_array<std::pair<Heading, std::string_view>>({
    {Heading::labels,
     " label labels true_label true_labels truelabel truth true true_class ground_truth "
     "groundtruth gt y y_true ytrue y_test target targets class class_id answer actual expected "
     "gold majority consensus plurality "},
    {Heading::index,
     " id ids index idx row rows row_id query query_id queries sample sample_id example example_id "
     "image image_id image_name img file filename file_name name path key uuid unnamed:_0 unnamed "
     "item instance record "},
    {Heading::made_of_votes,
     " ensemble winner mode y_hat yhat y_pred ypred student correct split batch weight weights "
     "average median agree gap score "},
    {Heading::predictions, " vote pred prediction predicted "},
    {Heading::teachers,
     " teacher teachers teacher_id model models model_id model_name seed fold party client worker "
     "annotator "
     "expert "},
    {Heading::totals,
     " total totals sum sums all row_sum rowsum count counts n size freq row_total margin votes "
     "total_votes n_teachers "},
});

// "teacher_" of "teacher_12"; the whole of a name without a number at its end.
std::string_view stem(std::string_view name) {
  return name.substr(0, name.find_last_not_of("0123456789") + 1);
}

// The whole number that a heading is, which pandas may write as 3.0; -1 of another one.
std::int64_t whole_number(const std::string& heading) {
  constexpr double kMostClasses = 1e6;  // what is larger numbers something else
  const char* const end = heading.data() + heading.size();
  double value = -1.0;
  const auto read = read_double(heading.data(), end, value);
  const bool is_one = read.ec == std::errc() && read.ptr == end && value >= 0.0 &&
                      value < kMostClasses && std::trunc(value) == value;
  return is_one ? static_cast<std::int64_t>(value) : -1;
}

}  // namespace

Heading heading_of(std::string_view heading) {
  std::string word;
  for (const char c : heading) {
    const bool upper = c >= 'A' && c <= 'Z';
    word += c == ' ' || c == '-' || c == '.' ? '_' : static_cast<char>(upper ? c + 32 : c);
  }
  word.erase(0, word.find_first_not_of('_'));
  word = fmt::format(" {} ", word.substr(0, word.find_last_not_of('_') + 1));
  if (word == "  ") return Heading::other;
  for (const auto& [what, words] : kWords) {
    if (words.find(word) != std::string_view::npos) return what;
  }
  return Heading::other;
}

std::vector<std::string> no_teachers(const std::vector<std::string>& names,
                                     std::string_view naming) {
  constexpr std::size_t kMostOthers = 2;
  constexpr std::size_t kFewest = 8;
  constexpr std::array<std::string_view, 7> kInstead{
      "", "of labels", "an index", "made of votes", "made of votes", "beside the votes", ""};
  std::map<std::string_view, std::size_t> times;
  for (const std::string& name : names) {
    if (stem(name).size() < name.size()) ++times[stem(name)];
  }
  const bool numbered = std::ranges::any_of(times, [&](const auto& each) {
    return each.second >= kFewest && each.second + kMostOthers >= names.size();
  });
  std::vector<std::string> result;
  for (const std::string& name : names) {
    const std::string_view is = kInstead.at(static_cast<std::size_t>(heading_of(name)));
    result.push_back(!is.empty() ? fmt::format("{} by its {}", is, naming)
                     : numbered && stem(name).size() == name.size()
                         ? "not numbered as all others are"
                         : "");
  }
  return result;
}

void check_class_headings(const NumericTable& table, std::optional<std::int64_t> classes) {
  constexpr std::size_t kShownHeadings = 6;
  const ColumnHeader header = table.header();
  std::int64_t largest = -1;
  bool in_order = true;
  bool counts_from_one = !header.names.empty();
  for (std::int64_t i = 0; i < std::ssize(header.names); ++i) {
    const std::int64_t number = whole_number(header.names[static_cast<std::size_t>(i)]);
    if (number < 0) return;
    in_order = in_order && number == i;
    counts_from_one = counts_from_one && number == i + 1;
    largest = std::max(largest, number);
  }
  // Whether class 0 has no votes, or the first class is called 1, the number of classes says.
  if (in_order || (counts_from_one && classes == largest)) return;
  const auto shown = std::span(header.names).first(std::min(header.names.size(), kShownHeadings));
  throw input_error(fmt::format(
      "{}: expected columns 0 to {} in this order, which are the classes, found columns called "
      "{}{}: {}what puts them into order, with a 0 where nobody voted, to be read with \1header "
      "yes: {}; where these are names, give the columns other names (c1, c2, ...)",
      table.name(), header.names.size() - 1, fmt::join(shown, ", "),
      shown.size() < header.names.size() ? ", ..." : "",
      counts_from_one ? fmt::format("where classes count from 1, add \1classes {}; else ", largest)
                      : "",
      frame_line(table.name(), header,
                 fmt::format("t.reindex(columns=range({}), fill_value=0)",
                             std::max(largest + 1, classes.value_or(0))),
                 "; t.columns = t.columns.astype(float).astype(int)")));
}

std::string help_with_long_table(const std::string& name, const ColumnHeader& header) {
  const std::vector<std::string>& headings = header.names;
  if (headings.size() != 3) return {};
  std::array<const std::string*, 7> called{};
  for (const std::string& heading : headings) {
    if (heading == "teachers" || heading.find_first_of("\"'\\{}") != std::string::npos) return {};
    called.at(static_cast<std::size_t>(heading_of(heading))) = &heading;
  }
  const auto of = [&](Heading what) { return called.at(static_cast<std::size_t>(what)); };
  const std::string* const query = of(Heading::index);
  const std::string* const teacher = of(Heading::teachers);
  const std::string* const count = of(Heading::totals);
  const std::string* const kind =
      of(Heading::labels) != nullptr ? of(Heading::labels) : of(Heading::predictions);
  if (query == nullptr || kind == nullptr || (teacher == nullptr && count == nullptr)) return {};
  const bool of_votes = teacher != nullptr;
  // Queries with names stay in the order in which they come; classes with names go by the alphabet,
  // which is printed.
  std::string pivot = fmt::format(
      R"(t.pivot(index="{0}", columns="{1}", values="{2}").reindex(None if w(t["{0}"]) else t["{0}"].unique()))",
      *query, of_votes ? *teacher : *kind, of_votes ? *kind : *count);
  std::string then = "; w = p.api.types.is_numeric_dtype";
  if (of_votes) {
    then += fmt::format(
        R"(; v = t["{0}"]; i, c = p.factorize(v, sort=True); w(v) or print(*c, sep=","); t["{0}"] = v if w(v) else i)",
        *kind);
  }
  if (!of_votes) pivot += ".fillna(0).astype(int)";
  return fmt::format(
      "; columns {} are those of a table with a row for each of its entries. What makes of {}: {}",
      fmt::join(headings, ", "),
      of_votes ? "a row for each vote, to be read with \1layout predictions-by-query \1classes K"
               : "a row for each class of a query, to be read as counts with \1header yes, a class "
                 "that nobody voted for added",
      frame_line(name, header, pivot, then));
}

void refuse_long_table(const NumericTable& table) {
  const std::string help = help_with_long_table(table.name(), table.header());
  if (help.empty()) return;
  throw input_error(
      fmt::format("{}: expected votes with a row for each query or teacher{}", table.name(), help));
}

}  // namespace pate
