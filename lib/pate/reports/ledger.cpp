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
#include <ctime>
#include <string>
#include <system_error>
#include <utility>

#include "pate/error.hpp"

namespace pate::reports {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path, const char* what, int number) {
  throw output_error(fmt::format("{}: the ledger cannot be {}: {}", path.string(), what,
                                 std::generic_category().message(number)));
}

// Waits for the lock: 1. 0 when the name has got another file meanwhile; -1 and errno on failure.
int lock(int file, const fs::path& path) {
  if (io::retry([&] { return ::flock(file, LOCK_EX); }) != 0) return -1;
  struct stat opened {};
  struct stat named {};
  if (::fstat(file, &opened) != 0) return -1;
  if (::stat(path.c_str(), &named) != 0) return errno == ENOENT ? 0 : -1;
  return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino ? 1 : 0;
}

io::Descriptor open_locked(const fs::path& path) {
  for (;;) {
    io::Descriptor file(path, O_RDWR | O_CREAT | O_APPEND | O_NOCTTY | O_NONBLOCK, 0666);
    if (file.get() < 0) fail(path, "opened", errno);
    struct stat status {};
    if (::fstat(file.get(), &status) == 0 && !S_ISREG(status.st_mode)) {
      throw output_error(
          fmt::format("{}: the ledger cannot be opened: not a regular file", path.string()));
    }
    const int locked = lock(file.get(), path);
    if (locked > 0) return file;
    if (locked < 0) fail(path, "locked", errno);
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
    : path_(std::move(path)), points_(std::move(points)), descriptor_(open_locked(path_)) {
  text_ = parse_ledger(read_all(descriptor_.get(), path_), path_.string());
  points_("ledger opened");
}

std::vector<LedgerEntry> Ledger::earlier(std::string_view kind,
                                         std::string_view votes_digest) const {
  std::vector<LedgerEntry> result;
  std::copy_if(entries().begin(), entries().end(), std::back_inserter(result),
               [&](const LedgerEntry& entry) {
                 return entry.kind == kind && entry.votes_digest == votes_digest;
               });
  return result;
}

std::optional<std::int64_t> Ledger::torn_line() const {
  if (text_.torn_lines == 0) return std::nullopt;
  return text_.lines - text_.torn_lines + 1;
}

void Ledger::append(LedgerEntry entry) {
  entry.time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  const std::string bytes = ledger_addition(text_, entry);
  points_("ledger entry made");
  if (!io::write_all(descriptor_, bytes, points_, "ledger piece written") ||
      io::retry([&] { return ::fsync(descriptor_.get()); }) != 0) {
    fail(path_, "written", errno);
  }
  points_("ledger synced");
  if (!io::sync_directory(fs::canonical(path_).parent_path())) fail(path_, "written", errno);
  points_("ledger directory synced");

  text_.lines += std::count(bytes.begin(), bytes.end(), '\n') - (text_.ends_line ? 0 : 1);
  text_.ends_line = true;
  text_.torn_lines = 0;
  entry.line = text_.lines;
  text_.entries.push_back(std::move(entry));
}

void require_no_earlier(const Ledger& ledger, std::string_view kind, std::string_view votes_digest,
                        std::string_view votes) {
  const std::vector<LedgerEntry> earlier = ledger.earlier(kind, votes_digest);
  if (earlier.empty()) return;
  throw ledger_refusal(fmt::format(
      "{}: these votes were released before, on {} ({}, line {}); a second release costs privacy "
      "again: --again makes one and states what they cost together",
      votes, earlier.back().time, ledger.path().string(), earlier.back().line));
}

}  // namespace pate::reports
