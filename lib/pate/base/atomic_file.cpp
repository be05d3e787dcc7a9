#include "pate/base/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/base/signal_cleanup.hpp"
#include "pate/base/taken_name.hpp"

namespace pate::io {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPieceWritten = "file piece written";

[[noreturn]] void fail(const fs::path& path, int number) {
  throw output_error(fmt::format("{}: cannot be written: {}", path.string(),
                                 std::generic_category().message(number)));
}

using Identity = std::pair<std::uint64_t, std::uint64_t>;

Identity identity_of(const struct stat& status) {
  return {status.st_dev, status.st_ino};
}

// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables): whoever reads a file does not
// know who writes another, and neither must take it for its own.
std::mutex protected_mutex;
std::multiset<Identity> protected_files;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

void check_unprotected(const struct stat& status, const fs::path& path) {
  const std::lock_guard lock(protected_mutex);
  if (!protected_files.contains(identity_of(status))) return;
  throw output_error(
      fmt::format("{}: cannot be written: it leads to a ledger in use", path.string()));
}

// O_APPEND: should /dev/stdout turn out to be a regular file, what is in it stays.
void write_directly(const fs::path& path, std::string_view bytes, const WritePoints& points) {
  Descriptor to(path, O_WRONLY | O_APPEND | O_NOCTTY);
  struct stat status {};
  if (to.get() >= 0 && ::fstat(to.get(), &status) == 0) check_unprotected(status, path);
  if (to.get() < 0 || !write_all(to, bytes, points, kPieceWritten) || !to.close()) {
    fail(path, errno);
  }
}

// The name that is to be replaced: symbolic links followed, also those that dangle. Nothing when a
// link is one of the system's own: /dev/stdout leads to an open file, and to replace the name that
// file happens to have is not what was asked for.
std::optional<fs::path> follow_links(const fs::path& path) {
  constexpr int kMaxLinks = 40;  // as many as the kernel follows
  fs::path target = path;
  for (int i = 0; i < kMaxLinks; ++i) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(target, error))) return target;
    const std::string name = fs::absolute(target, error).lexically_normal().string();
    if (error) fail(path, error.value());
    if (name.starts_with("/dev/") || name.starts_with("/proc/")) return std::nullopt;
    const fs::path next = fs::read_symlink(target, error);
    if (error) fail(path, error.value());
    target = target.parent_path() / next;  // an absolute `next` replaces all of it
  }
  fail(path, ELOOP);
}

// A new file of a name of its own beside the target, removed unless it was renamed.
class Temporary {
 public:
  Temporary(const fs::path& target, mode_t mode, const fs::path& path) {
    for (int i = 0; i < 100; ++i) {
      path_ = next_name(target);
      name_.emplace(path_);
      descriptor_.emplace(path_, O_WRONLY | O_CREAT | O_EXCL, mode);
      if (descriptor_->get() >= 0) return;
      const int number = errno;
      name_.reset();  // the file of that name is another's
      if (number != EEXIST) fail(path, number);
    }
    fail(path, EEXIST);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!renamed_) ::unlink(path_.c_str());  // before its name is forgotten
  }

  [[nodiscard]] Descriptor& descriptor() { return *descriptor_; }
  void rename_to(const fs::path& target, const fs::path& path) {
    struct stat old {};
    if (::stat(target.c_str(), &old) == 0) check_unprotected(old, path);
    if (::rename(path_.c_str(), target.c_str()) != 0) fail(path, errno);
    renamed_ = true;
  }

 private:
  static fs::path next_name(const fs::path& target) {
    static std::atomic<unsigned> counter = 0;
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    // A name may have 255 bytes.
    return target.parent_path() / fmt::format(".{}.tmp{}-{}-{:x}",
                                              target.filename().string().substr(0, 180), ::getpid(),
                                              counter.fetch_add(1), now);
  }

  fs::path path_;
  std::optional<TemporaryName> name_;
  std::optional<Descriptor> descriptor_;
  bool renamed_ = false;
};

}  // namespace

bool write_all(const Descriptor& to, std::string_view bytes, const WritePoints& points,
               std::string_view written) {
  const std::size_t piece = points.piece == 0 ? bytes.size() : points.piece;
  while (!bytes.empty()) {
    const ssize_t count =
        retry([&] { return ::write(to.get(), bytes.data(), std::min(piece, bytes.size())); });
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
    points(written);
  }
  return true;
}

bool same_file(const fs::path& a, const fs::path& b) {
  struct stat of_a {};
  struct stat of_b {};
  if (::stat(a.c_str(), &of_a) == 0 && ::stat(b.c_str(), &of_b) == 0) {
    return identity_of(of_a) == identity_of(of_b) && !S_ISCHR(of_a.st_mode) &&
           !S_ISSOCK(of_a.st_mode);
  }
  // What does not exist has no inode, but its directory may have names enough.
  const auto name = [](const fs::path& path) -> std::optional<fs::path> {
    std::error_code error;
    const fs::path target = fs::absolute(follow_links(path).value_or(path), error);
    if (error) return std::nullopt;
    const fs::path directory = fs::weakly_canonical(target.parent_path(), error);
    return error ? std::nullopt : std::optional(directory / target.filename());
  };
  try {
    const std::optional<fs::path> of_a_by_name = name(a);
    return of_a_by_name && of_a_by_name == name(b);
  } catch (const output_error&) {  // a circle of links: nothing can be written there
    return false;
  }
}

ProtectedFile::ProtectedFile(const Descriptor& file) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail("the ledger", errno);
  identity_ = identity_of(status);
  const std::lock_guard lock(protected_mutex);
  protected_files.insert(identity_);
}

ProtectedFile::~ProtectedFile() {
  const std::lock_guard lock(protected_mutex);
  protected_files.erase(protected_files.find(identity_));
}

TakenName::TakenName(const fs::path& path) : target_(follow_links(path).value_or(path)) {
  const SignalsHeld held;
  const Descriptor made(target_, O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (made.get() < 0 && errno == EEXIST) {
    throw output_error(fmt::format(
        "{}: was made by somebody else meanwhile, and is not replaced: name another file",
        path.string()));
  }
  struct stat status {};
  if (made.get() < 0 || ::fstat(made.get(), &status) != 0) fail(path, errno);
  identity_ = identity_of(status);
  name_.emplace(target_);
}

TakenName::~TakenName() {
  struct stat status {};
  const bool is_there = ::lstat(target_.c_str(), &status) == 0;
  if (is_there && identity_of(status) == identity_ && status.st_size == 0) {
    ::unlink(target_.c_str());
  }
}

bool sync_directory(const std::filesystem::path& directory) {
  const Descriptor opened(directory, O_RDONLY | O_DIRECTORY);
  if (opened.get() < 0) return errno == EACCES;
  // EINVAL: a file system that knows no such thing.
  return ::fsync(opened.get()) == 0 || errno == EINVAL;
}

void write_file_atomically(const fs::path& path, std::string_view bytes, const WritePoints& points,
                           Readers readers) {
  struct stat old {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) fail(path, errno);
  if (exists && S_ISDIR(old.st_mode)) fail(path, EISDIR);
  const std::optional<fs::path> target =
      exists && !S_ISREG(old.st_mode) ? std::nullopt : follow_links(path);
  if (!target) return write_directly(path, bytes, points);
  // A rename does not ask whether the old file may be written; the user's protection of it counts.
  if (exists && ::faccessat(AT_FDCWD, target->c_str(), W_OK, AT_EACCESS) != 0) fail(path, errno);

  constexpr mode_t kPrivate = 0600;
  constexpr mode_t kNew = 0666;  // the kernel takes the umask off
  Temporary temporary(*target, exists || readers == Readers::owner ? kPrivate : kNew, path);
  const int number = temporary.descriptor().get();
  points("file created");
  if (!write_all(temporary.descriptor(), bytes, points, kPieceWritten)) fail(path, errno);
  if (exists && readers == Readers::by_umask) {
    // Only root may give files away; for everybody else the file is now theirs.
    [[maybe_unused]] const int given = ::fchown(number, old.st_uid, old.st_gid);
    if (::fchmod(number, old.st_mode & 0777U) != 0) fail(path, errno);
  }
  if (::fsync(number) != 0) fail(path, errno);
  if (!temporary.descriptor().close()) fail(path, errno);
  points("file synced");
  temporary.rename_to(*target, path);
  points("file renamed");
  const fs::path parent = target->parent_path();
  if (!sync_directory(parent.empty() ? fs::path(".") : parent)) fail(path, errno);
  points("file directory synced");
}

}  // namespace pate::io
