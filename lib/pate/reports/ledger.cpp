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
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "pate/base/clock.hpp"
#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/base/ownership.hpp"

namespace fs = std::filesystem;

namespace pate::reports {

namespace {

// The mode of a file that never had an entry. The first one is written under 0600, so that a file
// that lost all of its entries is not taken for a new one.
constexpr mode_t kNew = 0700;

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

// Tries for the lock until it is had: 0; -1 and errno on failure, as when the time is up.
int wait_for_lock(int file, const LedgerAccess& access) {
  constexpr std::chrono::milliseconds kPause(10);
  const auto begin = std::chrono::steady_clock::now();
  bool told = false;
  for (;;) {
    if (io::retry([&] { return ::flock(file, LOCK_EX | LOCK_NB); }) == 0) return 0;
    if (errno != EWOULDBLOCK) return -1;
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin;
    if (access.lock_timeout && waited.count() >= *access.lock_timeout) {
      errno = EWOULDBLOCK;
      return -1;
    }
    if (!told && waited.count() >= 1.0 && access.waiting) access.waiting();
    told = told || waited.count() >= 1.0;
    std::this_thread::sleep_for(kPause);
  }
}

// Under the lock, and while the file is empty: whatever others write, they write after that.
void remember(const io::Descriptor& file, const fs::path& path,
              std::optional<io::TemporaryName>& name) {
  if (size_of(file) != 0) return;
  std::error_code failure;
  const fs::path real = fs::canonical(path, failure);  // a link to it stays
  if (!failure) name.emplace(real);
}

// made: set where the file never had an entry; its name is remembered until it gets one.
io::Descriptor open_locked(const fs::path& path, const LedgerAccess& access, bool& made,
                           std::optional<io::TemporaryName>& without_entry) {
  constexpr int kFlags = O_RDWR | O_APPEND | O_NOCTTY | O_NONBLOCK;
  for (;;) {
    std::optional<io::SignalsHeld> held(std::in_place);  // never while others are waited for
    io::Descriptor file(path, kFlags);
    made = file.get() < 0 && errno == ENOENT;
    if (made) file = io::Descriptor(path, kFlags | O_CREAT, kNew);
    if (file.get() < 0) fail(path, "opened", errno);
    struct stat status {};
    if (::fstat(file.get(), &status) == 0 && !S_ISREG(status.st_mode)) {
      throw output_error(
          fmt::format("{}: the ledger cannot be opened: not a regular file", path.string()));
    }
    int locked = ::flock(file.get(), LOCK_EX | LOCK_NB);
    if (locked < 0) {
      held.reset();
      locked = wait_for_lock(file.get(), access);
    }
    if (locked < 0 && errno == EWOULDBLOCK) {
      throw output_error(fmt::format(
          "{}: another process holds the ledger: \1lock-timeout waits longer", path.string()));
    }
    const int leads = locked < 0 ? -1 : leads_to(path, file.get());
    if (leads < 0) fail(path, "locked", errno);
    if (leads == 0) continue;
    if (::fstat(file.get(), &status) != 0) fail(path, "examined", errno);
    made = made || (status.st_size == 0 && (status.st_mode & S_IXUSR) != 0);
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

// How many lines there are, in the first one, once they are on the disk: never too many. Where the
// file may only be appended to (chattr +a), or the write fails, it stays too few, and misses none.
void write_count(const io::Descriptor& file, const fs::path& path, std::size_t place,
                 std::int64_t lines) {
  // NOLINTBEGIN(cppcoreguidelines-pro-type-vararg): fcntl has no other form
  const int flags = ::fcntl(file.get(), F_GETFL);
  if (flags < 0 || ::fcntl(file.get(), F_SETFL, flags & ~O_APPEND) != 0) return;
  const std::string digits = count_digits(lines);
  [[maybe_unused]] const ssize_t written =
      ::pwrite(file.get(), digits.data(), digits.size(), static_cast<off_t>(place));
  if (::fcntl(file.get(), F_SETFL, flags) != 0) fail(path, "written", errno);
  // NOLINTEND(cppcoreguidelines-pro-type-vararg)
}

}  // namespace

Ledger::Ledger(const LedgerAccess& access, fs::path path)
    : path_(std::move(path)),
      descriptor_(open_locked(path_, access, made_, without_entry_)),
      protected_(descriptor_) {}

// A constructor that called another: where it throws, a file that was made is removed.
Ledger::Ledger(fs::path path, io::WritePoints points, const LedgerAccess& access)
    : Ledger(access, std::move(path)) {
  // NOLINTNEXTLINE(cppcoreguidelines-prefer-member-initializer): one that calls another has none
  points_ = std::move(points);
  require_trusted(path_, access);
  const std::string bytes = read_all(descriptor_.get(), path_);
  if (!made_ || !bytes.empty()) text_ = parse_ledger(bytes, path_.string());
  points_("ledger opened");
}

Ledger::~Ledger() {
  // Under the lock: whoever waits for it sees that the name is gone, and makes a file of its own.
  if (!made_ || size_of(descriptor_) != 0) return;
  std::error_code failure;
  const fs::path real = fs::canonical(path_, failure);  // a link to it stays
  if (!failure && leads_to(real, descriptor_.get()) == 1) ::unlink(real.c_str());
}

void Ledger::append(LedgerEntry entry) {
  const std::time_t now =
      io::clock_now("and an entry needs a date within the years 1970 to 9999: set the clock");
  entry.time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
  const std::string bytes = ledger_addition(text_, entry);
  points_("ledger entry made");
  if (text_.lines == 0 && ::fchmod(descriptor_.get(), 0600) != 0) fail(path_, "written", errno);
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

  if (text_.lines == 0) text_.count_place = count_place(bytes);
  text_.lines += std::count(bytes.begin(), bytes.end(), '\n') - (text_.ends_line ? 0 : 1);
  text_.ends_line = true;
  if (text_.count_place) write_count(descriptor_, path_, *text_.count_place, text_.written());
  points_("ledger counted");
  const std::size_t last = bytes.rfind('\n', bytes.size() - 2);
  const std::size_t begin = last == std::string::npos ? 0 : last + 1;
  text_.last_digest = line_digest(std::string_view(bytes).substr(begin, bytes.size() - 1 - begin));
  entry.line = text_.lines;
  text_.entries.push_back(std::move(entry));
}

void require_trusted(const fs::path& path, const LedgerAccess& access) {
  std::error_code failure;
  if (access.trusted || !fs::is_regular_file(path, failure)) return;
  try {
    io::require_own(path);
  } catch (const input_error& error) {
    throw input_error(fmt::format("{}; \1trust-ledger believes it", error.what()));
  }
}

void repair_ledger(const fs::path& path, const LedgerAccess& access) {
  require_trusted(path, access);
  (void)repaired(io::read_text_file(path.string()), path.string());  // none is made
  bool made = false;
  std::optional<io::TemporaryName> none;
  const io::Descriptor locked = open_locked(path, access, made, none);
  const std::string bytes = read_all(locked.get(), path);
  io::write_file_atomically(path, repaired(bytes, path.string()));
}

LedgerText read_ledger(const fs::path& path, const LedgerAccess& access) {
  // Of whatever may not be looked at nobody knows that there is none.
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 && errno == ENOENT) return {};
  require_trusted(path, access);
  return parse_ledger(io::read_text_file(path.string()), path.string());
}

Ensemble ensemble_of(const std::vector<LedgerEntry>& entries, const fs::path& path,
                     const std::string& name, std::int64_t teachers, std::int64_t classes,
                     const Neighbours& neighbours) {
  const std::string its =
      entries.empty() ? path.stem().string() : entries.front().event.open.ensemble;
  for (const LedgerEntry& entry : entries) {
    const PublicEvent& open = entry.event.open;
    if (open.adds_up_for(neighbours)) continue;
    throw ledger_conflict(fmt::format(
        "{}: line {} has costs for {}, and this run has them for {}: the two do not add up; "
        "\1ledger names another file, or the run is made for whom the ledger is",
        path.string(), entry.line,
        open.kind == EventKind::step ? "one record" : in_words(open.neighbours()),
        in_words(neighbours)));
  }
  Ensemble wanted{name.empty() ? its : name, teachers, classes};
  if (entries.empty() || wanted == entries.front().ensemble()) return wanted;
  throw ledger_conflict(
      fmt::format("{}: a ledger is the account of one ensemble, here the {}, and this is the {}: "
                  "\1ledger names another file for other teachers",
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
      is_claim ? "there is no claim beside it (without \1at-most, \1again makes one)"
               : "\1again makes one and states what all entries cost together"));
}

}  // namespace pate::reports
