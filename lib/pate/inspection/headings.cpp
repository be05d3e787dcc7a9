#include "pate/inspection/headings.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace pate {

namespace {

// In lower case, with _ for what else stands between words.
std::string plain(std::string_view heading) {
  std::string text;
  for (const char c : heading) {
    if (c >= 'A' && c <= 'Z') {
      text += static_cast<char>(c - 'A' + 'a');
    } else {
      text += c == ' ' || c == '-' || c == '.' ? '_' : c;
    }
  }
  const std::size_t begin = text.find_first_not_of('_');
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of('_') - begin + 1);
}

template <std::size_t n>
bool is_one_of(std::string_view heading, const std::array<std::string_view, n>& names) {
  return std::ranges::find(names, plain(heading)) != names.end();
}

}  // namespace

bool heads_labels(std::string_view heading) {
  constexpr std::array<std::string_view, 26> kNames{
      "label",      "labels",       "true_label",  "true_labels", "truelabel", "truth",  "true",
      "true_class", "ground_truth", "groundtruth", "gt",          "y",         "y_true", "ytrue",
      "y_test",     "target",       "targets",     "class",       "class_id",  "answer", "actual",
      "expected",   "gold",         "majority",    "consensus",   "plurality"};
  return is_one_of(heading, kNames);
}

bool heads_index(std::string_view heading) {
  constexpr std::array<std::string_view, 30> kNames{
      "id",      "ids",        "index",     "idx",      "row",        "rows",
      "row_id",  "query",      "query_id",  "queries",  "sample",     "sample_id",
      "example", "example_id", "image",     "image_id", "image_name", "img",
      "file",    "filename",   "file_name", "name",     "path",       "key",
      "uuid",    "unnamed:_0", "unnamed",   "item",     "instance",   "record"};
  return is_one_of(heading, kNames);
}

bool heads_made_of_votes(std::string_view heading) {
  constexpr std::array<std::string_view, 22> kNames{
      "ensemble", "winner",  "mode",   "vote",    "pred",    "prediction", "predicted", "y_hat",
      "yhat",     "y_pred",  "ypred",  "student", "correct", "split",      "batch",     "weight",
      "weights",  "average", "median", "agree",   "gap",     "score"};
  return is_one_of(heading, kNames);
}

bool heads_teachers(std::string_view heading) {
  constexpr std::array<std::string_view, 11> kNames{"teacher", "teachers", "teacher_id", "model",
                                                    "models",  "model_id", "model_name", "seed",
                                                    "fold",    "party",    "client"};
  return is_one_of(heading, kNames);
}

bool heads_totals(std::string_view heading) {
  constexpr std::array<std::string_view, 14> kNames{
      "total", "totals", "sum",       "sums",   "all",   "row_sum",     "rowsum",
      "count", "n",      "row_total", "margin", "votes", "total_votes", "n_teachers"};
  return is_one_of(heading, kNames);
}

}  // namespace pate
