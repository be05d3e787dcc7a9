#include "cli/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>

#include "cli/streams.hpp"
#include "pate/base/error.hpp"
#include "pate/base/files.hpp"

namespace pate::cli {

namespace {

// The least number of letters put in, left out, replaced or swapped with the next that makes one
// word the other.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t k = 1; k <= b.size(); ++k) {
      now[k] =
          std::min({last[k] + 1, now[k - 1] + 1, last[k - 1] + (a[i - 1] == b[k - 1] ? 0 : 1)});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) {
        now[k] = std::min(now[k], before_last[k - 2] + 1);
      }
    }
    before_last.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

}  // namespace

std::string paragraph(std::string_view first, std::string_view words, std::size_t columns) {
  std::string text;
  std::string line(first);
  const std::string indent(first.size(), ' ');
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (line.size() > indent.size() && line.size() + 1 + end > columns) {
      text += line + '\n';
      line = indent;
    }
    if (line.size() > indent.size()) line += ' ';
    line += words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return text + line + '\n';
}

std::string for_terminal(std::string_view text) {
  constexpr std::array<std::string_view, 4> kKept{"\n", kBold, kAlarming, kPlain};
  std::string result;
  while (!text.empty()) {
    std::size_t end = text.size();
    std::size_t kept = 0;
    for (const std::string_view one : kKept) {
      const std::size_t at = text.find(one);
      if (at < end) {
        end = at;
        kept = one.size();
      }
    }
    result += io::printable(text.substr(0, end), end, io::Letters::any);
    result += text.substr(end, kept);
    text.remove_prefix(end + kept);
  }
  return result;
}

std::string in_one_line(std::string_view text) {
  return io::printable(with_options(text), std::string::npos, io::Letters::any);
}

std::string with_notes_broken(std::string_view text, std::size_t columns) {
  constexpr std::string_view kNote = "note: ";
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    if (line.starts_with(kNote) && line.ends_with('\n') && line.size() > columns + 1) {
      result += paragraph(kNote, line.substr(kNote.size(), end - kNote.size() - 1), columns);
    } else {
      result += line;
    }
    text.remove_prefix(end);
  }
  return result;
}

std::string counted(long long number, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

std::string queries_text(long long number) {
  return counted(number, "query", "queries");
}

std::string teachers_text(long long number) {
  return counted(number, "teacher", "teachers");
}

std::vector<std::string> meant(std::string_view word, const std::vector<std::string>& words) {
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& candidate : words) {
    const std::size_t distance = edits(word, candidate);
    const std::size_t allowed = std::min(word.size(), candidate.size()) > 4 ? 2 : 1;
    if (distance <= allowed) {
      found.emplace_back(distance, candidate);
    } else if (word.size() > 2 && candidate.starts_with(word)) {
      found.emplace_back(allowed + 1, candidate);
    }
  }
  std::ranges::stable_sort(found, {}, &std::pair<std::size_t, std::string>::first);
  if (found.size() > 3) found.resize(3);
  std::vector<std::string> result;
  for (const auto& [distance, candidate] : found) result.push_back(candidate);
  return result;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& words) {
  const std::vector<std::string> found = meant(word, words);
  std::string text;
  for (std::size_t i = 0; i < found.size(); ++i) {
    text += (i == 0 ? "; did you mean " : i + 1 < found.size() ? ", " : " or ") + found[i];
  }
  return text.empty() ? text : text + "?";
}

}  // namespace pate::cli
