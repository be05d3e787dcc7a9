#include "pate/reports/doubts.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace pate::reports {

using io::JsonType;
using io::JsonValue;

namespace {

constexpr std::array<std::string_view, 9> kDoubts{
    "byte_counts",      "constant_column",        "label_column",
    "labels_at_chance", "looks_like_predictions", "looks_transposed",
    "scaled_votes",     "several_votes",          "totals_column"};

// Words of options have a hyphen where codes have an underscore.
bool is_accepted(const JsonValue& report, std::string_view code) {
  const auto settings = report.find("settings");
  const auto accepted = settings ? settings->find("accept") : std::nullopt;
  if (!accepted || accepted->type() != JsonType::array) return false;
  return std::ranges::any_of(accepted->elements(), [&](const JsonValue& each) {
    std::string word = each.text();
    std::ranges::replace(word, '-', '_');
    return word == code;
  });
}

}  // namespace

std::vector<Notice> doubts_about_votes(const JsonValue& report) {
  std::vector<Notice> doubts;
  const auto notices = report.find("notices");
  if (!notices || notices->type() != JsonType::array) return doubts;
  for (const JsonValue& notice : notices->elements()) {
    std::string code = notice.at("code").text();
    if (std::ranges::find(kDoubts, code) == kDoubts.end() || is_accepted(report, code)) continue;
    doubts.push_back({std::move(code), notice.at("message").text()});
  }
  return doubts;
}

}  // namespace pate::reports
