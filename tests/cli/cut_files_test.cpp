#include "cli/signals.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

#include "pate/base/files.hpp"
#include "pate/base/signal_cleanup.hpp"
#include "support/child_process.hpp"
#include "support/temp_directory.hpp"

using pate::io::mapped_file_at;
using pate::io::MappedFile;
using pate::io::TemporaryName;
using pate::test::Ended;
using pate::test::in_child;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

constexpr std::size_t kSize = std::size_t{1} << 20U;

int sum(const MappedFile& file) {
  int total = 0;
  for (const std::byte byte : file.bytes()) total += static_cast<int>(byte);
  return total;
}

}  // namespace

TEST_SUITE_BEGIN("cut files");

TEST_CASE("a file that is cut while it is mapped ends the program with status 3 and its name") {
  const TempDirectory directory;
  const std::filesystem::path path = directory / "votes.npy";
  write_bytes(path, std::string(kSize, 'x'));
  write_bytes(directory / ".out.tmp", "half");
  const Ended ended = in_child([&] {
    pate::cli::report_cut_files();
    const TemporaryName name(directory / ".out.tmp");
    MappedFile other(path);
    const MappedFile file(std::move(other));
    std::filesystem::resize_file(path, 10);
    ::_exit(sum(file) == 0 ? 1 : 2);
  });
  CHECK(ended.status == 3);
  CHECK(ended.err == "pate: " + path.string() +
                         ": changed while it was read: it was cut, or can no longer be read\n");
  CHECK_FALSE(std::filesystem::exists(directory / ".out.tmp"));
}

TEST_CASE("another SIGBUS is none of a file") {
  const Ended ended = in_child([] {
    pate::cli::report_cut_files();
    std::raise(SIGBUS);
  });
  CHECK(ended.signal == SIGBUS);
  CHECK(ended.err.empty());
}

TEST_CASE("which file is mapped where") {
  const TempDirectory directory;
  write_bytes(directory / "a", std::string(10, 'a'));
  write_bytes(directory / "b", std::string(10, 'b'));
  const void* gone = nullptr;
  {
    const MappedFile a(directory / "a");
    const MappedFile b(directory / "b");
    CHECK(mapped_file_at(a.bytes().data()) == (directory / "a").string());
    CHECK(mapped_file_at(a.bytes().data() + 9) == (directory / "a").string());
    CHECK(mapped_file_at(b.bytes().data()) == (directory / "b").string());
    CHECK(mapped_file_at(&directory) == nullptr);
    gone = a.bytes().data();
  }
  CHECK(mapped_file_at(gone) == nullptr);
}

TEST_SUITE_END();
