#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "pate/base/json.hpp"

namespace pate::cli {

/// Lines of a page.
class Html {
 public:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Text that means nothing to a browser.
[[nodiscard]] std::string escaped(std::string_view text);
/// A name of a report in words, escaped.
[[nodiscard]] std::string escaped_words(std::string name);
/// An SVG as the address of an image: nothing of it can meet what else is on the page.
[[nodiscard]] std::string data_address(std::string_view svg);

/// A number with three digits, rounded up: what is shown is never below it. Domain: >= 0.
[[nodiscard]] std::string rounded_up(double value);

/// A value that is no list and no object.
[[nodiscard]] std::string scalar_text(const io::JsonValue& value);
[[nodiscard]] bool is_scalar(const io::JsonValue& value);
/// Everything there is in a value, long lists cut short.
void add_value(Html& page, const io::JsonValue& value);

}  // namespace pate::cli
