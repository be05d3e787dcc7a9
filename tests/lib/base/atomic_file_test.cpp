#include "pate/base/atomic_file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <iterator>
#include <string>

#include "pate/base/error.hpp"
#include "pate/base/taken_name.hpp"
#include "support/killed_child.hpp"
#include "support/temp_directory.hpp"

namespace fs = std::filesystem;
using pate::output_error;
using pate::io::TakenName;
using pate::io::write_file_atomically;
using pate::test::message_of;
using pate::test::read_bytes;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

std::string refusal(const fs::path& path, std::string_view bytes = "new") {
  return message_of<output_error>([&] { write_file_atomically(path, bytes); });
}

long entries(const fs::path& directory) {
  return std::distance(fs::directory_iterator(directory), fs::directory_iterator());
}

unsigned mode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777U;
}

// While it lives no file may grow beyond `bytes`: a disk that runs full.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit old_{};
  void (*handler_)(int);
};

}  // namespace

TEST_SUITE_BEGIN("io");

TEST_CASE("a file is written and replaced, and nothing else stays") {
  const TempDirectory directory;
  const fs::path path = directory / "report.json";
  write_file_atomically(path, "one");
  CHECK(read_bytes(path) == "one");
  const std::string large(300000, 'x');
  write_file_atomically(path, large);
  CHECK(read_bytes(path) == large);
  write_file_atomically(path, "");
  CHECK(read_bytes(path).empty());
  CHECK(entries(directory.path()) == 1);
}

TEST_CASE("a replaced file is another file: who reads the old one reads it whole") {
  const TempDirectory directory;
  const fs::path path = directory / "f";
  write_bytes(path, "the old one");
  std::ifstream old(path);
  write_file_atomically(path, "new");
  CHECK(std::string(std::istreambuf_iterator<char>(old), {}) == "the old one");
  CHECK(read_bytes(path) == "new");
}

TEST_CASE("a name without a directory is one in the current directory") {
  const TempDirectory directory;
  const fs::path before = fs::current_path();
  fs::current_path(directory.path());
  const std::string message = message_of<output_error>([] { write_file_atomically("plain", "x"); });
  fs::current_path(before);
  CHECK(message == "[no exception]");
  CHECK(read_bytes(directory / "plain") == "x");
}

TEST_CASE("a name of 255 bytes works") {
  const TempDirectory directory;
  const fs::path path = directory / std::string(255, 'n');
  write_file_atomically(path, "x");
  CHECK(read_bytes(path) == "x");
}

TEST_CASE("a private file is the user's alone, also in the place of another; a public one is not") {
  using pate::io::Readers;
  const TempDirectory directory;
  for (const mode_t forbidden : {0U, 02U, 022U, 027U, 077U}) {
    CAPTURE(forbidden);
    const mode_t mask = ::umask(forbidden);
    for (const char* name : {"private", "public"}) fs::remove(directory / name);
    write_file_atomically(directory / "private", "x");
    write_file_atomically(directory / "public", "x", {}, Readers::by_umask);
    for (const Readers readers : {Readers::owner, Readers::by_umask}) {
      const fs::path old = directory / (readers == Readers::owner ? "old private" : "old public");
      write_bytes(old, "x");
      REQUIRE(::chmod(old.c_str(), 0646) == 0);
      // Only root may give files away.
      if (::geteuid() == 0) REQUIRE(::chown(old.c_str(), 65534, 65534) == 0);
      write_file_atomically(old, "y", {}, readers);
      CHECK(read_bytes(old) == "y");
    }
    ::umask(mask);
    struct stat status {};
    REQUIRE(::stat((directory / "old private").c_str(), &status) == 0);
    CHECK(status.st_uid == ::geteuid());
    CHECK(mode_of(directory / "old private") == 0600U);
    CHECK(mode_of(directory / "old public") == 0646U);
    CHECK(mode_of(directory / "private") == 0600U);
    CHECK(mode_of(directory / "public") == (0666U & ~forbidden));
  }
}

TEST_CASE("a name that is taken is nobody else's, and is free again unless it was written to") {
  const TempDirectory directory;
  const fs::path path = directory / "labels";
  const auto taken = [&] { return message_of<output_error>([&] { const TakenName name(path); }); };
  {
    const TakenName name(path);
    CHECK(taken().starts_with(path.string() + ": was made by somebody else meanwhile"));
  }
  CHECK(entries(directory.path()) == 0);
  {
    const TakenName name(path);
    write_file_atomically(path, "x");
  }
  CHECK(read_bytes(path) == "x");
  CHECK(taken().starts_with(path.string() + ": was made by somebody else meanwhile"));
  CHECK(read_bytes(path) == "x");
  fs::create_symlink("behind", directory / "link");
  {
    const TakenName name(directory / "link");
    CHECK(fs::exists(directory / "behind"));
  }
  CHECK_FALSE(fs::exists(directory / "behind"));
}

TEST_CASE("a path that leads nowhere is none other, and is refused with the system's reason") {
  const TempDirectory directory;
  std::string deep;
  while (deep.size() < 6000) deep += "a/";
  const std::vector<std::string> paths{deep, deep + "x", std::string(300, 'n'),
                                       (directory / "no/such/x").string()};
  for (const std::string& path : paths) {
    CHECK_NOTHROW((void)pate::io::same_file(path, "/dev/stdout"));
    CHECK_FALSE(pate::io::same_file("/dev/stdout", path));
    CHECK(refusal(path, "x").starts_with(path + ": cannot be written: "));
  }
}

TEST_CASE("a symbolic link stays and what it points to is replaced") {
  const TempDirectory directory;
  fs::create_directory(directory / "sub");
  write_bytes(directory / "sub/target", "old");
  fs::create_symlink("sub/target", directory / "near");
  fs::create_symlink(directory / "near", directory / "far");
  write_file_atomically(directory / "far", "new");
  CHECK(read_bytes(directory / "sub/target") == "new");
  CHECK(fs::is_symlink(directory / "near"));
  CHECK(fs::is_symlink(directory / "far"));
  CHECK_FALSE(fs::is_symlink(directory / "sub/target"));
  CHECK(entries(directory / "sub") == 1);

  fs::create_symlink("sub/absent", directory / "dangling");
  write_file_atomically(directory / "dangling", "made");
  CHECK(read_bytes(directory / "sub/absent") == "made");
  CHECK(fs::is_symlink(directory / "dangling"));

  fs::create_symlink("loop", directory / "loop");
  CHECK(refusal(directory / "loop") ==
        (directory / "loop").string() + ": cannot be written: Too many levels of symbolic links");
}

TEST_CASE("places where no file can be are refused by name") {
  const TempDirectory directory;
  write_bytes(directory / "file", "x");
  CHECK(refusal(directory.path()) ==
        directory.path().string() + ": cannot be written: Is a directory");
  CHECK(refusal(directory / "absent/f") ==
        (directory / "absent/f").string() + ": cannot be written: No such file or directory");
  CHECK(refusal(directory / "file/f") ==
        (directory / "file/f").string() + ": cannot be written: Not a directory");
  CHECK(refusal(directory / std::string(256, 'n'))
            .ends_with(": cannot be written: File name too long"));
  CHECK(refusal("") == ": cannot be written: No such file or directory");
  CHECK(entries(directory.path()) == 1);
}

TEST_CASE("when the disk runs full the old file stays and no temporary does") {
  const TempDirectory directory;
  write_bytes(directory / "old", "precious");
  const std::string large(200000, 'x');
  std::string over_old;
  std::string fresh;
  {
    const FileSizeLimit limit(100000);
    over_old = refusal(directory / "old", large);
    fresh = refusal(directory / "fresh", large);
  }
  CHECK(over_old == (directory / "old").string() + ": cannot be written: File too large");
  CHECK(fresh == (directory / "fresh").string() + ": cannot be written: File too large");
  CHECK(read_bytes(directory / "old") == "precious");
  CHECK(entries(directory.path()) == 1);
}

TEST_CASE("without permission nothing changes") {
  const TempDirectory directory;
  fs::create_directory(directory / "closed");
  write_bytes(directory / "closed/f", "old");
  fs::create_directory(directory / "open");
  write_bytes(directory / "open/f", "old");
  REQUIRE(::chmod(directory.path().c_str(), 0755) == 0);
  REQUIRE(::chmod((directory / "closed").c_str(), 0555) == 0);
  REQUIRE(::chmod((directory / "closed/f").c_str(), 0666) == 0);
  REQUIRE(::chmod((directory / "open").c_str(), 0777) == 0);
  REQUIRE(::chmod((directory / "open/f").c_str(), 0444) == 0);
  // Root may write everywhere: be nobody for a moment.
  const uid_t user = ::geteuid();
  if (user == 0 && ::seteuid(65534) != 0) return;
  const std::string closed = refusal(directory / "closed/f");
  const std::string read_only = refusal(directory / "open/f");
  if (user == 0) REQUIRE(::seteuid(0) == 0);
  CHECK(closed == (directory / "closed/f").string() + ": cannot be written: Permission denied");
  CHECK(read_only == (directory / "open/f").string() + ": cannot be written: Permission denied");
  CHECK(read_bytes(directory / "closed/f") == "old");
  CHECK(read_bytes(directory / "open/f") == "old");
  CHECK(entries(directory / "open") == 1);
  REQUIRE(::chmod((directory / "closed").c_str(), 0755) == 0);
}

TEST_CASE("what is no regular file is written to, not replaced") {
  const TempDirectory directory;
  CHECK_NOTHROW(write_file_atomically("/dev/null", "gone"));
  CHECK(fs::is_character_file("/dev/null"));
  CHECK(refusal("/dev/full") == "/dev/full: cannot be written: No space left on device");
  CHECK(fs::is_character_file("/dev/full"));

  const fs::path fifo = directory / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  const int reader = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  write_file_atomically(fifo, "through the pipe");
  std::array<char, 64> buffer{};
  const ssize_t size = ::read(reader, buffer.data(), buffer.size());
  ::close(reader);
  REQUIRE(size == 16);
  CHECK(std::string(buffer.data(), 16) == "through the pipe");
  CHECK(fs::is_fifo(fifo));
  CHECK(entries(directory.path()) == 1);
}

TEST_CASE("a descriptor's name is the open file, whatever that is called") {
  const TempDirectory directory;
  const fs::path path = directory / "redirected";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT, 0600);
  REQUIRE(file >= 0);
  REQUIRE(::write(file, "before ", 7) == 7);
  struct stat before {};
  REQUIRE(::fstat(file, &before) == 0);
  write_file_atomically("/dev/fd/" + std::to_string(file), "after");
  ::close(file);
  struct stat after {};
  REQUIRE(::stat(path.c_str(), &after) == 0);
  CHECK(before.st_ino == after.st_ino);
  CHECK(read_bytes(path) == "before after");
}

TEST_CASE("killed at any point: the old file or the new one, whole") {
  const TempDirectory directory;
  const fs::path path = directory / "f";
  write_bytes(path, "the old one");
  bool finished = false;
  int old_ones = 0;
  int new_ones = 0;
  for (int point = 0; !finished; ++point) {
    write_bytes(path, "the old one");
    const pate::test::ChildEnd end = pate::test::in_child([&] {
      write_file_atomically(path, "the new one", pate::test::killing_at(point, 3));
      return 0;
    });
    finished = !end.killed;
    REQUIRE(end.status == 0);
    const std::string found = read_bytes(path);
    CAPTURE(point);
    CHECK((found == "the old one" || (found == "the new one")));
    old_ones += found == "the old one" ? 1 : 0;
    new_ones += found == "the new one" ? 1 : 0;
  }
  CHECK(old_ones >= 5);  // created, four pieces, synced
  CHECK(new_ones >= 3);  // renamed, directory synced, finished
}

TEST_SUITE_END();
