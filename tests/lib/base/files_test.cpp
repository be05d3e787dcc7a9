#include "pate/base/files.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include "pate/base/error.hpp"
#include "support/temp_directory.hpp"

using pate::input_error;
using pate::io::MappedFile;
using pate::test::message_of;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

std::string contents(const MappedFile& file) {
  std::string text;
  for (const std::byte byte : file.bytes()) text += static_cast<char>(byte);
  return text;
}

std::string refusal(const std::filesystem::path& path) {
  return message_of<input_error>([&] { const MappedFile file(path); });
}

// Kilobytes of files that are resident in this process.
long resident_file_kilobytes() {
  std::ifstream status("/proc/self/status");
  long total = -1;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssFile:") || line.starts_with("RssShmem:")) {
      total = (total < 0 ? 0 : total) + std::stol(line.substr(line.find(':') + 1));
    }
  }
  return total;
}

}  // namespace

TEST_SUITE_BEGIN("io");

TEST_CASE("a mapped file has the bytes of the file") {
  const TempDirectory directory;
  const std::string text("a\0b\nc", 5);
  write_bytes(directory / "f", text);
  const MappedFile file(directory / "f");
  CHECK(contents(file) == text);
  CHECK(file.path() == directory / "f");
}

TEST_CASE("an empty file can be mapped") {
  const TempDirectory directory;
  write_bytes(directory / "empty", "");
  const MappedFile file(directory / "empty");
  CHECK(file.bytes().empty());
  CHECK_NOTHROW(file.advise_done(0, 10));
  CHECK_NOTHROW(file.check_unchanged());
}

TEST_CASE("what is no readable regular file is refused by name") {
  const TempDirectory directory;
  const std::string base = directory.path().string();
  CHECK(refusal(directory / "missing") ==
        base + "/missing: cannot be opened: No such file or directory");
  CHECK(refusal(directory.path()) == base + ": expected a regular file, found a directory");
  CHECK(refusal("/dev/null") ==
        "/dev/null: expected a regular file or a pipe, found a device or socket");
  // Nobody writes to the fifo: opening it must not wait.
  REQUIRE(::mkfifo((directory / "fifo").c_str(), 0600) == 0);
  CHECK(refusal(directory / "fifo") == base + "/fifo: expected a regular file, found a pipe");
}

TEST_CASE("a file without permission is refused") {
  const TempDirectory directory;
  write_bytes(directory / "secret", "x");
  REQUIRE(::chmod((directory / "secret").c_str(), 0) == 0);
  REQUIRE(::chmod(directory.path().c_str(), 0755) == 0);
  // Root may read everything: be nobody for a moment.
  const uid_t user = ::geteuid();
  if (user == 0 && ::seteuid(65534) != 0) return;
  const std::string message = refusal(directory / "secret");
  if (user == 0) REQUIRE(::seteuid(0) == 0);
  CHECK(message == (directory / "secret").string() + ": cannot be opened: Permission denied");
}

TEST_CASE("a mapping moves") {
  const TempDirectory directory;
  write_bytes(directory / "a", "first");
  write_bytes(directory / "b", "second");
  MappedFile a(directory / "a");
  MappedFile b(std::move(a));
  CHECK(contents(b) == "first");
  MappedFile c(directory / "b");
  c = std::move(b);
  CHECK(contents(c) == "first");
  CHECK(c.path() == directory / "a");
  CHECK_NOTHROW(c.check_unchanged());
}

TEST_CASE("a change of size or time is noticed") {
  const TempDirectory directory;
  const auto path = directory / "f";
  write_bytes(path, "0123456789");
  const MappedFile file(path);
  CHECK_NOTHROW(file.check_unchanged());
  SUBCASE("shorter") {
    std::filesystem::resize_file(path, 4);
    CHECK(message_of<input_error>([&] { file.check_unchanged(); }) ==
          path.string() + ": changed while it was read: it had 10 bytes, now 4");
  }
  SUBCASE("longer") {
    std::filesystem::resize_file(path, 12);
    CHECK(message_of<input_error>([&] { file.check_unchanged(); }) ==
          path.string() + ": changed while it was read: it had 10 bytes, now 12");
  }
  SUBCASE("rewritten with the same size") {
    std::filesystem::last_write_time(
        path, std::filesystem::last_write_time(path) + std::chrono::seconds(1));
    CHECK(message_of<input_error>([&] { file.check_unchanged(); }) ==
          path.string() + ": changed while it was read: its modification time is another one");
  }
  SUBCASE("replaced by another file of the same name") {
    // What is mapped is the old file, and that one is as it was.
    write_bytes(directory / "g", "new");
    std::filesystem::rename(directory / "g", path);
    CHECK_NOTHROW(file.check_unchanged());
    CHECK(contents(file) == "0123456789");
  }
}

TEST_CASE("pages that are done leave resident memory and stay readable") {
  const TempDirectory directory;
  constexpr std::size_t kSize = std::size_t{32} << 20U;
  write_bytes(directory / "big", std::string(kSize, 'x'));
  const MappedFile file(directory / "big");
  const auto touch = [&] {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < kSize; i += 512) sum += static_cast<std::size_t>(file.bytes()[i]);
    return sum;
  };
  const std::size_t expected = kSize / 512 * 'x';
  CHECK(touch() == expected);
  const long before = resident_file_kilobytes();
  REQUIRE(before >= 0);
  file.advise_done(1, kSize - 1);
  CHECK(before - resident_file_kilobytes() > 24 * 1024);
  file.advise_done(kSize + 5, 1);
  file.advise_done(100, static_cast<std::size_t>(-1));
  CHECK(touch() == expected);
}

TEST_CASE("printable: what a terminal may obey, and what cannot be seen, is shown byte by byte") {
  const auto printable = [](std::string_view text, std::size_t longest = 200) {
    return pate::io::printable(text, longest, pate::io::Letters::any);
  };
  CHECK(printable("Größe 漢字 🙂 'x'") == "Größe 漢字 🙂 'x'");
  CHECK(pate::io::printable("Größe") == "Gr\\xc3\\xb6\\xc3\\x9fe");  // of a number, say
  CHECK(printable("a\nb\x1b[31m\x7f") == "a\\x0ab\\x1b[31m\\x7f");
  CHECK(printable("\xc2\x9b[31m") == "\\xc2\\x9b[31m");     // what begins a command, in one
  CHECK(printable("\xe2\x80\xae-") == "\\xe2\\x80\\xae-");  // right to left
  CHECK(printable("\xe2\x80\x8b\xef\xbb\xbf") == "\\xe2\\x80\\x8b\\xef\\xbb\\xbf");
  CHECK(printable("\xff\xc3") == "\\xff\\xc3");  // no UTF-8, a cut one
  CHECK(printable("\xc0\x80\xe0\x80\x80\xed\xa0\x80\xf4\x90\x80\x80") ==
        "\\xc0\\x80\\xe0\\x80\\x80\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80");
  CHECK(printable("abcdef", 3) == "abc...");
  CHECK(printable("a\xc3\xbc", 2) == "a\\xc3...");
  std::mt19937_64 random(38);
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (std::size_t n = random() % 12; n > 0; --n) text += static_cast<char>(random());
    const std::string shown = printable(text);
    CHECK(printable(shown) == shown);
    for (const char c : shown) {
      const auto code = static_cast<unsigned char>(c);
      CHECK(code >= 0x20);
      CHECK(code != 0x7f);
    }
  }
}

TEST_SUITE_END();
