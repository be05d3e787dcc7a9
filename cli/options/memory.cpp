#include "cli/options/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "cli/options/command_line.hpp"
#include "pate/base/error.hpp"
#include "pate/base/memory.hpp"
#include "pate/base/read_double.hpp"
#include "pate/release/curve/top_count_costs.hpp"

namespace pate::cli {

namespace {

constexpr double kThousand = 1000.0;
constexpr double kKibi = 1024.0;
constexpr std::array<std::pair<std::string_view, double>, 10> kUnits{{
    {"", 1.0},
    {"B", 1.0},
    {"KB", kThousand},
    {"MB", kThousand* kThousand},
    {"GB", kThousand* kThousand* kThousand},
    {"TB", kThousand* kThousand* kThousand* kThousand},
    {"KiB", kKibi},
    {"MiB", kKibi* kKibi},
    {"GiB", kKibi* kKibi* kKibi},
    {"TiB", kKibi* kKibi* kKibi* kKibi},
}};

}  // namespace

std::string size_text(double bytes) {
  if (bytes < kThousand * kThousand) return fmt::format("{:.0f} kB", std::ceil(bytes / kThousand));
  const double megabytes = bytes / (kThousand * kThousand);
  if (megabytes < kThousand) return fmt::format("{:.0f} MB", megabytes);
  return fmt::format("{:.1f} GB", megabytes / kThousand);
}

std::size_t parse_size(std::string_view text) {
  const auto fail = [&] {
    throw usage_error(
        fmt::format("--max-memory: expected a size like 2GB, 500MB, 1.5GiB or a number of bytes, "
                    "got '{}'",
                    text));
  };
  double number = 0.0;
  const auto [end, error] =
      read_double(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  const auto* const found =
      std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
  if (error != std::errc() || found == kUnits.end()) fail();
  const double bytes = number * found->second;
  constexpr double kMost = 0x1p62;
  if (!(bytes >= 1.0 && bytes <= kMost)) fail();
  return static_cast<std::size_t>(bytes);
}

void add_max_memory(const Section& section, std::string& size, std::string_view grows_with) {
  std::string help =
      "memory limit, like 2GB; beyond it exit with status 3; default: 80% of what is available";
  if (!grows_with.empty()) help += fmt::format(". Memory grows with {}", grows_with);
  section.add("--max-memory SIZE", size, help, {.recorded = false});
}

void limit_memory(const std::string& size) {
  io::limit_memory(size.empty() ? io::usual_memory() : parse_size(size));
}

void expect_memory(double bytes, std::string_view what) {
  const auto usable = static_cast<double>(io::memory_limit());
  if (bytes <= usable) return;
  throw input_error(fmt::format("{} takes at least {}, and {} may be used; see --max-memory", what,
                                size_text(bytes), size_text(usable)));
}

void expect_cost_table(CurveCost cost, std::int64_t teachers, std::string_view what) {
  if (cost != CurveCost::tilted) return;
  expect_memory(KeyCosts::memory(teachers),
                fmt::format("the table of a {} of {} teachers", what, teachers));
}

}  // namespace pate::cli
