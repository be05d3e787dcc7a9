#include "pate/reports/ledger.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/files.hpp"

namespace fs = std::filesystem;

namespace pate::reports {

namespace {

[[noreturn]] void fail(const fs::path& path, const char* what, int number) {
  throw output_error(fmt::format("{}: the ledger cannot be {}: {}", path.string(), what,
                                 std::generic_category().message(number)));
}

// Whether the name leads to this file: 1 or 0; -1 and errno on failure.
int leads_to(const fs::path& path, int file) {
  struct stat opened {};
  struct stat named {};
  if (::fstat(file, &opened) != 0) return -1;
  if (::stat(path.c_str(), &named) != 0) return errno == ENOENT ? 0 : -1;
  return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino ? 1 : 0;
}

// -1 where it cannot be told.
std::int64_t size_of(const io::Descriptor& file) {
  struct stat status {};
  return ::fstat(file.get(), &status) == 0 ? std::int64_t{status.st_size} : -1;
}

// Whether the lock is had, now or after waiting, and the name still leads to the file: 1. 0 where
// it has got another one meanwhile, -1 and errno on failure.
int lock(int file, const fs::path& path, int flags) {
  if (io::retry([&] { return ::flock(file, flags); }) != 0) return -1;
  return leads_to(path, file);
}

// Under the lock, and while the file is empty: whatever others write, they write after that.
void remember(const io::Descriptor& file, const fs::path& path,
              std::optional<io::TemporaryName>& name) {
  if (size_of(file) != 0) return;
  std::error_code failure;
  const fs::path real = fs::canonical(path, failure);  // a link to it stays
  if (!failure) name.emplace(real);
}

// made: set where there was no such file before; its name is remembered until it gets an entry.
io::Descriptor open_locked(const fs::path& path, bool& made,
                           std::optional<io::TemporaryName>& without_entry) {
  constexpr int kFlags = O_RDWR | O_APPEND | O_NOCTTY | O_NONBLOCK;
  for (;;) {
    std::optional<io::SignalsHeld> held(std::in_place);  // never while others are waited for
    io::Descriptor file(path, kFlags);
    made = file.get() < 0 && errno == ENOENT;
    if (made) file = io::Descriptor(path, kFlags | O_CREAT, 0600);
    if (file.get() < 0) fail(path, "opened", errno);
    struct stat status {};
    if (::fstat(file.get(), &status) == 0 && !S_ISREG(status.st_mode)) {
      throw output_error(
          fmt::format("{}: the ledger cannot be opened: not a regular file", path.string()));
    }
    int locked = lock(file.get(), path, LOCK_EX | LOCK_NB);
    if (locked < 0 && errno == EWOULDBLOCK) {
      held.reset();
      locked = lock(file.get(), path, LOCK_EX);
    }
    if (locked < 0) fail(path, "locked", errno);
    if (locked == 0) continue;
    if (made) remember(file, path, without_entry);
    return file;
  }
}

std::string read_all(int file, const fs::path& path) {
  std::string bytes;
  std::array<char, 1 << 16> buffer{};
  for (;;) {
    const ssize_t got = io::retry([&] {
      return ::pread(file, buffer.data(), buffer.size(), static_cast<off_t>(bytes.size()));
    });
    if (got < 0) fail(path, "read", errno);
    if (got == 0) return bytes;
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

Ledger::Ledger(fs::path path, io::WritePoints points)
    : path_(std::move(path)),
      points_(std::move(points)),
      descriptor_(open_locked(path_, made_, without_entry_)),
      protected_(descriptor_) {
  text_ = parse_ledger(read_all(descriptor_.get(), path_), path_.string());
  points_("ledger opened");
}

Ledger::~Ledger() {
  // Under the lock: whoever waits for it sees that the name is gone, and makes a file of its own.
  if (!made_ || size_of(descriptor_) != 0) return;
  std::error_code failure;
  const fs::path real = fs::canonical(path_, failure);  // a link to it stays
  if (!failure && leads_to(real, descriptor_.get()) == 1) ::unlink(real.c_str());
}

std::optional<std::int64_t> Ledger::torn_line() const {
  return text_.torn_line();
}

void Ledger::append(LedgerEntry entry) {
  entry.time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  const std::string bytes = ledger_addition(text_, entry);
  points_("ledger entry made");
  if (!io::write_all(descriptor_, bytes, points_, "ledger piece written") ||
      io::retry([&] { return ::fsync(descriptor_.get()); }) != 0) {
    fail(path_, "written", errno);
  }
  without_entry_.reset();  // what has been written to is not removed
  points_("ledger synced");
  std::error_code failure;
  const fs::path real = fs::canonical(path_, failure);
  if (failure) fail(path_, "written", failure.value());
  if (!io::sync_directory(real.parent_path())) fail(path_, "written", errno);
  if (leads_to(path_, descriptor_.get()) != 1) {
    throw output_error(fmt::format(
        "{}: the ledger was replaced by another file while it was in use", path_.string()));
  }
  points_("ledger directory synced");

  text_.lines += std::count(bytes.begin(), bytes.end(), '\n') - (text_.ends_line ? 0 : 1);
  text_.ends_line = true;
  text_.torn_lines = 0;
  const std::size_t last = bytes.rfind('\n', bytes.size() - 2);
  const std::size_t begin = last == std::string::npos ? 0 : last + 1;
  text_.last_digest = line_digest(std::string_view(bytes).substr(begin, bytes.size() - 1 - begin));
  entry.line = text_.lines;
  text_.entries.push_back(std::move(entry));
}

std::vector<LedgerEntry> read_ledger(const fs::path& path) {
  // Of whatever may not be looked at nobody knows that there is none.
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 && errno == ENOENT) return {};
  return parse_ledger(io::read_text_file(path.string()), path.string()).entries;
}

Ensemble ensemble_of(const std::vector<LedgerEntry>& entries, const fs::path& path,
                     const std::string& name, std::int64_t teachers, std::int64_t classes,
                     const Neighbours& neighbours) {
  const std::string its =
      entries.empty() ? path.stem().string() : entries.front().event.open.ensemble;
  for (const LedgerEntry& entry : entries) {
    const PublicEvent& open = entry.event.open;
    const bool is_foreign = open.kind == EventKind::step;
    if (is_foreign ? !neighbours.adds_or_removes() : open.neighbours() == neighbours) continue;
    throw ledger_conflict(fmt::format(
        "{}: line {} has costs for {}, and this run has them for {}: the two do not add up; "
        "--ledger names another file, or the run is made for whom the ledger is",
        path.string(), entry.line, is_foreign ? "one record" : in_words(open.neighbours()),
        in_words(neighbours)));
  }
  Ensemble wanted{name.empty() ? its : name, teachers, classes};
  if (entries.empty() || wanted == entries.front().ensemble()) return wanted;
  throw ledger_conflict(
      fmt::format("{}: a ledger is the account of one ensemble, here the {}, and this is the {}: "
                  "--ledger names another file for other teachers",
                  path.string(), in_words(entries.front().ensemble()), in_words(wanted)));
}

void require_no_release(const std::vector<LedgerEntry>& entries, const fs::path& path,
                        bool is_claim) {
  const auto last = std::find_if(entries.rbegin(), entries.rend(), [](const LedgerEntry& entry) {
    return entry.event.open.drawn.has_value();
  });
  if (last == entries.rend()) return;
  throw ledger_conflict(fmt::format(
      "{}: line {} is a release of {}; another one, of whatever votes of these teachers, costs "
      "privacy again: {}",
      path.string(), last->line, last->time,
      is_claim ? "there is no claim beside it (without --at-most, --again makes one)"
               : "--again makes one and states what all entries cost together"));
}

}  // namespace pate::reports
