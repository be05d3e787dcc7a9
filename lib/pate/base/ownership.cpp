#include "pate/base/ownership.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "pate/base/error.hpp"

namespace pate::io {

void require_own(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return;
    throw input_error(fmt::format("{}: cannot be examined: {}", path.string(),
                                  std::generic_category().message(errno)));
  }
  if (status.st_uid != ::geteuid() && status.st_uid != 0) {
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
