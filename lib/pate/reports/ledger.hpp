#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pate/base/atomic_file.hpp"
#include "pate/base/signal_cleanup.hpp"
#include "pate/events/event.hpp"
#include "pate/reports/ledger_access.hpp"
#include "pate/reports/ledger_lines.hpp"

namespace pate::reports {

/// The account of what was done with one ensemble: an append-only file, one JSON object a line.
///
/// It is private: digests of votes are in it, which tell neighbours apart with certainty. A new
/// ledger may be read and written by its owner only (0600).
///
/// A ledger is locked (flock) from its opening until it is destroyed: what its entries say is still
/// true when one is appended, and of two processes one waits. (A child of fork(2) shares the lock
/// of its parent.) `append` returns when the entry is on
/// the disk, so whoever prints after it never releases what the ledger does not know.
///
/// A crash while appending can leave the beginning of an entry as the last line. Nobody knows
/// whether it was acknowledged: the ledger is refused until `repair_ledger` has marked the line.
class Ledger {
 public:
  /// Opens the file, or makes it, and waits for its lock.
  ///
  /// Throws `input_error` naming file and line where the file is no ledger, is torn or has no
  /// entry, or where others could have written it; `output_error` where it cannot be opened for
  /// appending, is no regular file, or another process holds it for longer than `access` waits.
  explicit Ledger(std::filesystem::path path, io::WritePoints points = {},
                  const LedgerAccess& access = {});
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  /// A file that was made and got no entry is removed: a run that is refused leaves nothing behind.
  /// So does a program that a signal ends meanwhile if it calls `remove_temporaries`.
  ~Ledger();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// All entries, oldest first.
  [[nodiscard]] const std::vector<LedgerEntry>& entries() const { return text_.entries; }
  [[nodiscard]] const LedgerText& text() const { return text_; }
  [[nodiscard]] Record record() const { return text_.record(); }

  /// Appends an entry and waits until it is on the disk (fsync of the file and of its directory).
  /// `time` and `line` are set here; tables of votes are left out.
  ///
  /// Throws `parameter_error` where its settings are no JSON object, and `output_error` where it
  /// cannot be written or its name has come to lead to another file; it counts then only if all of
  /// it reached the file, and the ledger must be opened anew.
  void append(LedgerEntry entry);

 private:
  Ledger(const LedgerAccess& access, std::filesystem::path path);  // opens only

  std::filesystem::path path_;
  io::WritePoints points_;
  bool made_ = false;                               // the file never had an entry
  std::optional<io::TemporaryName> without_entry_;  // of a file that was made, until it gets one
  io::Descriptor descriptor_;
  io::ProtectedFile protected_;
  LedgerText text_;
};

/// A ledger as it is now, for who only rehearses: without a lock, and without an entry where there
/// is no such file. Throws as `Ledger` does.
[[nodiscard]] LedgerText read_ledger(const std::filesystem::path& path,
                                     const LedgerAccess& access = {});

/// Marks the torn last line of a ledger, whole or not at all, so that it can be read and goes on.
/// Throws as `Ledger` and `torn_mark` do.
void repair_ledger(const std::filesystem::path& path, const LedgerAccess& access = {});

/// Throws `input_error` where somebody else could have written a ledger, unless `access` trusts it.
/// Pipes belong to those who named them.
void require_trusted(const std::filesystem::path& path, const LedgerAccess& access);

/// The ensemble that a new entry of the ledger at `path` is about: that of its first entry, or of
/// the options where there is none yet, named after the file unless `name` is given. Throws
/// `ledger_conflict` naming what differs where the entries are about other teachers, or have costs
/// for other neighbours than the new entry.
[[nodiscard]] Ensemble ensemble_of(const std::vector<LedgerEntry>& entries,
                                   const std::filesystem::path& path, const std::string& name,
                                   std::int64_t teachers, std::int64_t classes,
                                   const Neighbours& neighbours = {});

/// Throws `ledger_conflict` when the ledger at `path` has a release, of whatever votes, naming the
/// last, and what goes on: `--again`, or for a claim nothing (`is_claim`).
void require_no_release(const std::vector<LedgerEntry>& entries, const std::filesystem::path& path,
                        bool is_claim);

}  // namespace pate::reports
