#include "pate/inspection/headings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace pate {

namespace {

// Words between blanks.
// NOLINTNEXTLINE(*-avoid-c-arrays): nobody counts its entries
constexpr std::pair<Heading, std::string_view> kWords[] = {
    {Heading::labels,
     " label labels true_label true_labels truelabel truth true true_class ground_truth "
     "groundtruth gt y y_true ytrue y_test target targets class class_id answer actual expected "
     "gold majority consensus plurality "},
    {Heading::index,
     " id ids index idx row rows row_id query query_id queries sample sample_id example example_id "
     "image image_id image_name img file filename file_name name path key uuid unnamed:_0 unnamed "
     "item instance record "},
    {Heading::made_of_votes,
     " ensemble winner mode vote pred prediction predicted y_hat yhat y_pred ypred student correct "
     "split batch weight weights average median agree gap score "},
    {Heading::teachers,
     " teacher teachers teacher_id model models model_id model_name seed fold party client "},
    {Heading::totals,
     " total totals sum sums all row_sum rowsum count n row_total margin votes total_votes "
     "n_teachers "},
};

// "teacher_" of "teacher_12"; the whole of a name without a number at its end.
std::string_view stem(std::string_view name) {
  return name.substr(0, name.find_last_not_of("0123456789") + 1);
}

}  // namespace

Heading heading_of(std::string_view heading) {
  std::string word;
  for (const char c : heading) {
    word += c >= 'A' && c <= 'Z'               ? static_cast<char>(c - 'A' + 'a')
            : c == ' ' || c == '-' || c == '.' ? '_'
                                               : c;
  }
  const std::size_t begin = word.find_first_not_of('_');
  if (begin == std::string::npos) return Heading::other;
  word = fmt::format(" {} ",
                     std::string_view(word).substr(begin, word.find_last_not_of('_') - begin + 1));
  for (const auto& [what, words] : kWords) {
    if (words.find(word) != std::string_view::npos) return what;
  }
  return Heading::other;
}

std::vector<std::string> no_teachers(const std::vector<std::string>& names,
                                     std::string_view naming) {
  constexpr std::size_t kMostOthers = 2;
  constexpr std::size_t kFewest = 8;
  std::map<std::string_view, std::size_t> times;
  for (const std::string& name : names) {
    if (stem(name).size() < name.size()) ++times[stem(name)];
  }
  const bool numbered = std::ranges::any_of(times, [&](const auto& each) {
    return each.second >= kFewest && each.second + kMostOthers >= names.size();
  });
  std::vector<std::string> result;
  for (const std::string& name : names) {
    const Heading what = heading_of(name);
    const char* const is = what == Heading::labels          ? "of labels by its"
                           : what == Heading::index         ? "an index by its"
                           : what == Heading::made_of_votes ? "made of votes by its"
                           : what == Heading::teachers      ? "beside the votes by its"
                                                            : nullptr;
    result.push_back(is != nullptr ? fmt::format("{} {}", is, naming)
                     : numbered && stem(name).size() == name.size()
                         ? "not numbered as all others are"
                         : "");
  }
  return result;
}

}  // namespace pate
