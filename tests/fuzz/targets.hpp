#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// What fuzzers call with whatever they make up, and `fuzz_replay` with what they found. What is
/// not the input's fault is a finding: any exception but those for input, a sanitizer's report, a
/// promise of a reader that is broken.
namespace pate::fuzz {

using Bytes = std::span<const std::uint8_t>;

// Of tables.cpp.
void table(Bytes bytes);    ///< any format, as its first bytes have it
void gzip(Bytes bytes);     ///< what is inside of gzip
void npz(Bytes bytes);      ///< the members of an archive
void student(Bytes bytes);  ///< the scores of a student
void weights(Bytes bytes);  ///< weights and groups of teachers, RDP of others
// Of reports.cpp.
void report(Bytes bytes);      ///< a part, or a shard, of a sum
void ledger(Bytes bytes);      ///< a ledger that is appended to
void resume(Bytes bytes);      ///< a tuning that goes on
void parameters(Bytes bytes);  ///< a release whose parameters are taken
void figures(Bytes bytes);     ///< a report that is drawn, as every kind of figure
// Of words.cpp.
void grid(Bytes bytes);     ///< the values of a parameter
void options(Bytes bytes);  ///< arguments, one a line

struct Target {
  std::string_view name;
  void (*run)(Bytes);
  bool is_report;  ///< half of the changes are of values, as those of bytes never leave it in one
                   ///< piece
};

inline constexpr std::array kTargets{
    Target{"table", table, false},
    Target{"gzip", gzip, false},
    Target{"npz", npz, false},
    Target{"student", student, false},
    Target{"weights", weights, false},
    Target{"report", report, true},
    Target{"ledger", ledger, false},
    Target{"resume", resume, true},
    Target{"parameters", parameters, true},
    Target{"figures", figures, true},
    Target{"grid", grid, false},
    Target{"options", options, false},
};

/// Runs an input; returns whether all of it was taken, and nothing refused. What is a finding
/// leaves.
bool run(const Target& target, Bytes bytes);

/// A promise of ours: a finding unless it is kept.
void require(bool promise);

[[nodiscard]] std::string_view text_of(Bytes bytes);
[[nodiscard]] Bytes bytes_of(std::string_view text);

/// The bytes as a file that a path leads to.
class MemoryFile {
 public:
  explicit MemoryFile(Bytes bytes);
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile();
  [[nodiscard]] std::string path() const;

 private:
  int descriptor_;
};

}  // namespace pate::fuzz
