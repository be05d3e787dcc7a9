#include "pate/reports/doubts.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "pate/inspection/content_doubts.hpp"

namespace pate::reports {

using io::JsonType;
using io::JsonValue;

namespace {

// Beside those that may refuse votes.
constexpr std::array<std::string_view, 6> kDoubts{
    "byte_counts", "labels_at_chance", "looks_like_predictions",
    "one_teacher", "scaled_votes",     "several_votes"};

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

std::vector<JsonValue> notices_of(const JsonValue& report) {
  const auto notices = report.find("notices");
  if (!notices || notices->type() != JsonType::array) return {};
  return notices->elements();
}

}  // namespace

bool is_doubt_about_votes(std::string_view code) {
  return value_named<VotesDoubt>(code) || std::ranges::find(kDoubts, code) != kDoubts.end();
}

std::vector<Notice> doubts_about_votes(const JsonValue& report) {
  std::vector<Notice> doubts;
  for (const JsonValue& notice : notices_of(report)) {
    std::string code = notice.at("code").text();
    if (!is_doubt_about_votes(code) || is_accepted(report, code)) continue;
    doubts.push_back({std::move(code), notice.at("message").text()});
  }
  return doubts;
}

bool counts_torn_ledger(const JsonValue& report) {
  return std::ranges::any_of(notices_of(report), [](const JsonValue& notice) {
    return notice.at("code").text() == "ledger_torn";
  });
}

}  // namespace pate::reports
