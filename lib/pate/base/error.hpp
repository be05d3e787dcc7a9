#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace pate {

/// A text of the library for a person. Texts say a parameter as "\1max-epsilon": the control
/// character, which nothing may hold that a person says, stands for what is written before a name,
/// `before`: dashes for who says options, nothing for who calls functions.
[[nodiscard]] inline std::string with_options(std::string_view text,
                                              std::string_view before = "--") {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool names = text[i] == '\1' && i + 1 < text.size() && text[i + 1] >= 'a';
    result += names ? before : text.substr(i, 1);
  }
  return result;
}

/// Base of everything the library throws on purpose. The message is complete: it names what was
/// wrong, where, and what was expected, and can be shown to a person through `with_options`.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file that cannot be read or does not hold what it should. The message names the file and,
/// where they apply, the row, the column and the value found.
class input_error : public error {
 public:
  using error::error;
};

/// A parameter outside its domain: "sigma2 must be > 0, got -1".
class parameter_error : public error {
 public:
  using error::error;
};

/// The computation has no valid result for these inputs (no order satisfies the conditions).
class validity_error : public error {
 public:
  using error::error;
};

/// An output could not be written.
class output_error : public error {
 public:
  using error::error;
};

/// The ledger does not allow it: it has a release already, or is the account of other teachers.
class ledger_conflict : public error {
 public:
  using error::error;
};

}  // namespace pate
