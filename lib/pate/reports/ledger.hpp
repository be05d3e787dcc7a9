#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "pate/io/descriptor.hpp"
#include "pate/reports/ledger_text.hpp"

namespace pate::reports {

/// The record of what was released: an append-only file, one JSON object a line.
///
/// A ledger is locked (flock) from its opening until it is destroyed: what its entries say is still
/// true when one is appended, and of two processes one waits. (A child of fork(2) shares the lock
/// of its parent.) `append` returns when the entry is on
/// the disk, so whoever prints after it never releases what the ledger does not know.
///
/// A crash while appending can leave the beginning of an entry as the last line. That entry was
/// never acknowledged and does not count; the next `append` begins a line of its own, with a mark
/// before it that says how many lines are torn.
class Ledger {
 public:
  /// Opens the file, or makes it, and waits for its lock.
  ///
  /// Throws `input_error` naming file and line where the file is no ledger, `output_error` where it
  /// cannot be opened for appending or is no regular file.
  explicit Ledger(std::filesystem::path path, io::WritePoints points = {});
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  ~Ledger() = default;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// All entries, oldest first.
  [[nodiscard]] const std::vector<LedgerEntry>& entries() const { return text_.entries; }
  /// The entries of this kind about these votes, oldest first.
  [[nodiscard]] std::vector<LedgerEntry> earlier(std::string_view kind,
                                                 std::string_view votes_digest) const;
  /// The number of the line that a crash tore, when the file ends with one.
  [[nodiscard]] std::optional<std::int64_t> torn_line() const;

  /// Appends an entry and waits until it is on the disk (fsync of the file and of its directory).
  /// `time` and `line` are set here.
  ///
  /// Throws `parameter_error` where a field of the entry holds no JSON object, and `output_error`
  /// where it cannot be written; it counts then only if all of it reached the file, and the
  /// ledger must be opened anew.
  void append(LedgerEntry entry);

 private:
  std::filesystem::path path_;
  io::WritePoints points_;
  io::Descriptor descriptor_;
  LedgerText text_;
};

/// Throws `ledger_refusal` when the ledger has entries of this kind about these votes, naming the
/// last; `votes` is how messages call the votes. For commands that take `--again`.
void require_no_earlier(const Ledger& ledger, std::string_view kind, std::string_view votes_digest,
                        std::string_view votes);

}  // namespace pate::reports
