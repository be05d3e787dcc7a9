#include "cli/streams.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "pate/base/system.hpp"

namespace pate::cli {

namespace {

std::string styled(std::string_view text, std::string_view style, bool on) {
  return on ? fmt::format("{}{}{}", style, text, kPlain) : std::string(text);
}

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

bool hold_standard_streams() {
  // NOLINTNEXTLINE(readability-use-anyofallof): it opens what is closed
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // NOLINTBEGIN(cppcoreguidelines-pro-type-vararg): that is what open(2) and fcntl(2) look like
    if (::fcntl(number, F_GETFD) >= 0) continue;
    // The lowest number that is free, which is this one. The root is in every directory tree.
    if (::open("/", system::kToBeThere) != number) return false;
    // NOLINTEND(cppcoreguidelines-pro-type-vararg)
  }
  return true;
}

bool standard_output_is_closed() {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): as above
  const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
  return flags < 0 || system::reads_nor_writes(flags) || (flags & O_ACCMODE) == O_RDONLY;
}

bool colour_wanted() {
  return variable("NO_COLOR").empty() && !variable("TERM").empty() && variable("TERM") != "dumb";
}

std::size_t columns_of(int descriptor) {
  winsize size{};
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): that is what ioctl(2) looks like
  const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

std::string bold(std::string_view text, bool on) {
  return styled(text, kBold, on);
}

std::string alarming(std::string_view text, bool on) {
  return styled(text, kAlarming, on);
}

}  // namespace pate::cli
