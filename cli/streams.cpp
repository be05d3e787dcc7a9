#include "cli/streams.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <cstdlib>

namespace pate::cli {

namespace {

std::string styled(std::string_view text, std::string_view style, bool on) {
  return on ? fmt::format("\x1b[{}m{}\x1b[0m", style, text) : std::string(text);
}

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

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
  return styled(text, "1", on);
}

std::string alarming(std::string_view text, bool on) {
  return styled(text, "1;31", on);
}

}  // namespace pate::cli
