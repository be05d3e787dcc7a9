#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "pate/base/json.hpp"

namespace pate::cli {

/// The style of a page, for screens, light and dark, and for paper.
extern const char* const kStyle;

/// Text as HTML: nothing in it is markup.
[[nodiscard]] std::string escaped(std::string_view text);

/// A name of a report for people, as HTML.
[[nodiscard]] std::string escaped_words(std::string name);

/// An SVG as the address of an image: nothing of it can meet what else is on the page.
[[nodiscard]] std::string data_address(std::string_view svg);

/// A page that grows by lines. Arguments are taken as they are: escape them.
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

/// Whether a value of a report has no parts.
[[nodiscard]] bool is_scalar(const io::JsonValue& value);

/// A value of a report that has no parts, as HTML.
[[nodiscard]] std::string scalar_text(const io::JsonValue& value);

/// Everything there is in a value; long lists are cut short.
void add_value(Html& page, const io::JsonValue& value);

/// A list of sentences under a title; nothing where there are none.
void add_texts(Html& page, const char* title, const io::JsonValue& list);

}  // namespace pate::cli
