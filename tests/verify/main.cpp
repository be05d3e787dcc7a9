#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <string_view>
#include <thread>

#include "verify/cases.hpp"

// Random cases over the whole domain, every number of the library beside the same at 100 digits:
//
//     pate_verify [--cases N] [--first SEED] [--only KIND] [--threads N]
//     pate_verify --case SEED
//
// A case is made from its number alone. Status 1 where any number is too small, or too large.

namespace verify {

std::vector<std::int32_t> Draw::counts(std::int64_t teachers, std::int64_t classes) {
  std::vector<std::int32_t> counts(static_cast<std::size_t>(classes), 0);
  std::int64_t left = teachers;
  // Parts of what is left, the rest evenly; or all of it at a few classes.
  const double evenness = unit();
  for (std::size_t i = 0; i + 1 < counts.size() && left > 0; ++i) {
    const std::int64_t rest = static_cast<std::int64_t>(counts.size() - i);
    const std::int64_t even = left / rest;
    const auto some = static_cast<std::int64_t>(static_cast<double>(left) * unit());
    const std::int64_t taken = unit() < evenness ? even : std::min(left, some);
    counts[i] = static_cast<std::int32_t>(taken);
    left -= taken;
  }
  counts.back() = static_cast<std::int32_t>(counts.back() + left);
  return counts;
}

void Case::fail(const char* what, double value, const Real& reference) {
  failures_ += fmt::format("  {}: {} beside {}", what, value, reference.str(25));
  if (reference != 0) {
    failures_ += fmt::format(", relative {}", static_cast<double>(Real(value) / reference - 1));
  }
  failures_ += '\n';
}

void Case::cost(const char* what, double value, const Real& reference, double room) {
  const Real least = 1e-300;
  if (reference < least && reference >= 0) {
    // Nothing that is not zero may become zero.
    if (!((value > 0 || reference == 0) && value <= 1e-300 * (1 + room)))
      fail(what, value, reference);
    return;
  }
  // What no double holds is infinite.
  if (reference > std::numeric_limits<double>::max()) {
    if (value != std::numeric_limits<double>::infinity()) fail(what, value, reference);
    return;
  }
  compared_.push_back({what, static_cast<double>(Real(value) / reference - 1)});
  if (!(Real(value) >= reference && Real(value) <= reference * (1 + Real(room)))) {
    fail(what, value, reference);
  }
}

void Case::converted(const char* what, double value, const Real& rdp, const Real& added) {
  const Real sum = rdp + added;
  const Real epsilon = sum > 0 ? sum : Real(0);
  const Real size = epsilon > rdp ? epsilon : rdp;
  if (size > 0) compared_.push_back({what, static_cast<double>((Real(value) - epsilon) / size)});
  // Its own rounding is a share of its terms.
  const Real room = size * Real(1e-9) + abs(added) * Real(1e-14);
  if (!(Real(value) >= epsilon && Real(value) <= epsilon + room)) fail(what, value, sum);
}

void Case::optimal(const char* what, double value, const Real& rdp, const Real& order,
                   const Real& delta) {
  // The search leaves the best y to 1e-12, whose square is lost.
  const Real epsilon = optimal_epsilon(rdp, order, delta) * (1 - Real(1e-16));
  if (epsilon > 0) compared_.push_back({what, static_cast<double>(Real(value) / epsilon - 1)});
  const Real more = optimal_epsilon(rdp * (1 + Real(2e-9)), order, delta);
  if (!(Real(value) >= epsilon && Real(value) <= more * (1 + Real(1e-9)))) {
    fail(what, value, epsilon);
  }
}

void Case::near(const char* what, double value, const Real& reference, double room) {
  if (reference != 0) compared_.push_back({what, static_cast<double>(Real(value) / reference - 1)});
  if (!(abs(Real(value) - reference) <= room * abs(reference) + 1e-300))
    fail(what, value, reference);
}

void Case::lower(const char* what, double value, const Real& reference, double room) {
  if (reference != 0) compared_.push_back({what, static_cast<double>(Real(value) / reference - 1)});
  if (!(Real(value) <= reference && Real(value) >= reference * (1 - Real(room)))) {
    fail(what, value, reference);
  }
}

void Case::require(const char* what, bool holds) {
  if (!holds) failures_ += fmt::format("  {}: no\n", what);
}

void Case::input(const char* name, double value) {
  inputs_ += fmt::format(" {}={}", name, value);
}

void Case::input(const char* name, std::span<const std::int32_t> counts) {
  inputs_ += fmt::format(" {}=({})", name, fmt::join(counts.begin(), counts.end(), ","));
}

namespace {

struct QueryCounts {
  std::int64_t cases = 0;
  std::map<std::string, std::array<double, 3>, std::less<>> compared;  // least, largest, how many
};

struct Options {
  std::uint64_t first = 1;
  std::int64_t cases = 100'000;
  unsigned threads = 0;
  std::string only;
};

const Kind& kind_of(const std::vector<Kind>& kinds, Draw& draw, const std::string& only) {
  if (!only.empty()) {
    for (const Kind& kind : kinds) {
      if (only == kind.name) return kind;
    }
    throw std::invalid_argument("no such kind: " + only);
  }
  int total = 0;
  for (const Kind& kind : kinds) total += kind.weight;
  auto at = static_cast<int>(draw.integer(0, total - 1));
  for (const Kind& kind : kinds) {
    if ((at -= kind.weight) < 0) return kind;
  }
  return kinds.back();
}

int run(const Options& options) {
  const std::vector<Kind> kinds = all_kinds();
  std::map<std::string, QueryCounts> by_kind;
  std::atomic<std::int64_t> next{0};
  std::int64_t failed = 0;
  std::mutex mutex;
  const auto work = [&] {
    for (std::int64_t i = next++; i < options.cases; i = next++) {
      const std::uint64_t seed = options.first + static_cast<std::uint64_t>(i);
      Draw draw(seed * 0x2545f4914f6cdd1dULL);
      const Kind& kind = kind_of(kinds, draw, options.only);
      Case one;
      std::string failures;
      try {
        kind.run(draw, one);
        failures = one.failures();
      } catch (const std::exception& error) {
        failures = one.failures() + "  threw: " + error.what() + "\n";
      }
      const std::lock_guard lock(mutex);
      QueryCounts& of_kind = by_kind[kind.name];
      ++of_kind.cases;
      for (const Case::Compared& compared : one.compared()) {
        auto& [least, largest, count] =
            of_kind.compared.try_emplace(compared.what, std::array{1e300, -1e300, 0.0})
                .first->second;
        least = std::min(least, compared.relative);
        largest = std::max(largest, compared.relative);
        ++count;
      }
      if (failures.empty()) continue;
      ++failed;
      std::string again = fmt::format("--case {}", seed);
      if (!options.only.empty()) again += fmt::format(" --only '{}'", options.only);
      if (failed <= 50) fmt::print("{} ({}):{}\n{}", again, kind.name, one.inputs(), failures);
      std::fflush(stdout);
    }
  };
  const unsigned threads =
      options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();

  for (const auto& [name, of_kind] : by_kind) {
    fmt::print("{}: {} cases\n", name, of_kind.cases);
    for (const auto& [what, range] : of_kind.compared) {
      fmt::print("  {:<24} {:>8} numbers, relative to the reference {:+.2e} .. {:+.2e}\n", what,
                 range[2], range[0], range[1]);
    }
  }
  fmt::print("{} cases, {} with a number out of bounds\n", options.cases, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace

std::vector<Kind> all_kinds() {
  std::vector<Kind> kinds;
  for (const std::vector<Kind>& some :
       {step_kinds(), conversion_kinds(), release_kinds(), exact_kinds()}) {
    kinds.insert(kinds.end(), some.begin(), some.end());
  }
  return kinds;
}

}  // namespace verify

int main(int argc, char** argv) {
  verify::Options options;
  try {
    for (int i = 1; i + 1 < argc; i += 2) {
      const std::string_view name = argv[i];
      const std::string value = argv[i + 1];
      if (name == "--cases")
        options.cases = std::stoll(value);
      else if (name == "--first")
        options.first = std::stoull(value);
      else if (name == "--threads")
        options.threads = static_cast<unsigned>(std::stoul(value));
      else if (name == "--only")
        options.only = value;
      else if (name == "--case") {
        options.first = std::stoull(value);
        options.cases = 1;
        options.threads = 1;
      } else
        throw std::invalid_argument("unknown option");
    }
    if (argc % 2 == 0) throw std::invalid_argument("an option without a value");
    return verify::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "pate_verify: {}\n", error.what());
    return 2;
  }
}
