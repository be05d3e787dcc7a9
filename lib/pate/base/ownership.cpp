#include "pate/base/ownership.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <iterator>
#include <numeric>
#include <system_error>

#include "pate/base/error.hpp"

namespace pate::io {

namespace {

constexpr int kMaxLinks = 40;  // as Linux follows at most

[[noreturn]] void fail_to_examine(const std::filesystem::path& path, int failure) {
  throw input_error(fmt::format("{}: cannot be examined: {}", path.string(),
                                std::generic_category().message(failure)));
}

struct stat status_of_link(const std::filesystem::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) fail_to_examine(path, errno);
  return status;
}

bool is_ours(const struct stat& status) {
  return status.st_uid == ::geteuid() || status.st_uid == 0;
}

// Of a directory on the way to `path`, or a link there: who else may put another in its place?
void require_own_on_the_way(const std::filesystem::path& path, const std::filesystem::path& above,
                            const struct stat& status) {
  if (!is_ours(status)) {
    throw input_error(fmt::format(
        "{}: {} above it is another user's (number {}), who may put another in its place: name "
        "another directory",
        path.string(), above.string(), status.st_uid));
  }
  const bool others_write = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) == 0 &&
                            (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (!others_write) return;
  throw input_error(fmt::format(
      "{}: others may write to {} above it (mode {:o}), and may put another in its place: name "
      "another directory, or let its owner alone write there: chmod go-w '{}'",
      path.string(), above.string(), status.st_mode & 07777U, above.string()));
}

// Goes the way that the system goes, from the root on, over every link.
void require_own_way(const std::filesystem::path& path) {
  std::error_code failure;
  std::filesystem::path rest = std::filesystem::absolute(path, failure);
  if (failure) fail_to_examine(path, failure.value());
  std::filesystem::path at = "/";
  rest = rest.relative_path();
  for (int links = 0; !rest.empty();) {
    require_own_on_the_way(path, at, status_of_link(at));
    const std::filesystem::path next = *rest.begin();
    rest = std::accumulate(std::next(rest.begin()), rest.end(), std::filesystem::path(),
                           std::divides<>());
    if (next.empty() || next == ".") continue;
    if (next == "..") {
      at = at.parent_path();
      continue;
    }
    const struct stat status = status_of_link(at / next);
    if (!S_ISLNK(status.st_mode)) {
      at /= next;
      continue;
    }
    require_own_on_the_way(path, at / next, status);
    if (++links > kMaxLinks) fail_to_examine(path, ELOOP);
    const std::filesystem::path target = std::filesystem::read_symlink(at / next, failure);
    if (failure) fail_to_examine(at / next, failure.value());
    if (target.is_absolute()) at = "/";
    rest = target.relative_path() / rest;
  }
}

}  // namespace

void require_own(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return;
    fail_to_examine(path, errno);
  }
  require_own_way(path);
  if (!is_ours(status)) {
    throw input_error(fmt::format(
        "{}: is another user's (number {}), who may have changed it: expected your own; "
        "name another directory",
        path.string(), status.st_uid));
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) == 0) return;
  throw input_error(fmt::format(
      "{}: others may write to it (mode {:o}), and may have changed it: expected what its owner "
      "alone may write to; name another directory, or make this one yours: chmod go-w '{}'",
      path.string(), status.st_mode & 07777U, path.string()));
}

}  // namespace pate::io
