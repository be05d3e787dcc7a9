#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <utility>

namespace pate::cli {

/// What the program's exit status says.
enum ExitStatus : int {
  kDone = 0,
  kLimitMissed = 1,    ///< done, and a limit set on the command line does not hold
  kUsage = 2,          ///< the command line is wrong
  kBadInput = 3,       ///< an input cannot be read or is malformed
  kNotValid = 4,       ///< the result would not be valid
  kBadOutput = 5,      ///< an output cannot be written
  kLedgerRefused = 6,  ///< refused by the ledger
  kBug = 70,           ///< please report
};

/// What they mean, in words.
inline constexpr std::array<std::pair<ExitStatus, const char*>, 8> kExitStatuses{{
    {kDone, "done"},
    {kLimitMissed, "done, but a limit set by an option does not hold"},
    {kUsage, "the command line is wrong"},
    {kBadInput, "unreadable or malformed input, or not enough memory"},
    {kNotValid, "the result would not be valid"},
    {kBadOutput, "an output cannot be written"},
    {kLedgerRefused,
     "ledger conflict: it already contains a release, or belongs to another ensemble"},
    {kBug, "a bug: please report"},
}};

/// A command line that cannot be right; the message says which option to add, drop or change.
class usage_error : public std::runtime_error {
 public:
  explicit usage_error(const std::string& message, std::string hint = {})
      : std::runtime_error(message), hint_(std::move(hint)) {}

  /// What else to tell, on a line of its own; "" is nothing.
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }

 private:
  std::string hint_;
};

}  // namespace pate::cli
