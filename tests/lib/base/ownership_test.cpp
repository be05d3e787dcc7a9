#include "pate/base/ownership.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "support/temp_directory.hpp"

namespace fs = std::filesystem;
using pate::input_error;
using pate::io::require_own;
using pate::test::message_of;
using pate::test::TempDirectory;

namespace {

constexpr uid_t kOther = 65534;

void set_mode(const fs::path& path, mode_t mode) {
  REQUIRE(::chmod(path.c_str(), mode) == 0);
}

}  // namespace

TEST_CASE("ownership: what is above a file decides who may put another in its place") {
  std::mt19937 random(38);
  const auto one_of = [&](const auto& choices) { return choices[random() % std::size(choices)]; };
  constexpr mode_t kModes[] = {0700, 0755, 0711, 0775, 0757, 0777, 01777, 01770, 02755, 02775};
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    const TempDirectory temporary;
    const std::size_t depth = 1 + random() % 5;
    std::vector<fs::path> above{temporary.path()};
    while (above.size() < depth + 1) above.push_back(above.back() / "d");
    fs::create_directories(above.back());
    for (const fs::path& directory : above) set_mode(directory, 0755);
    const fs::path own = above.back() / "own";
    fs::create_directory(own);
    set_mode(own, 0755);
    // What others may do: write, or own a directory or a link.
    std::string culprit;
    const fs::path changed = above[1 + random() % depth];
    const mode_t mode = one_of(kModes);
    set_mode(changed, mode);
    if ((mode & 022U) != 0 && (mode & 01000U) == 0) culprit = changed;
    const bool of_other = ::geteuid() == 0 && random() % 3 == 0;
    if (of_other) {
      const fs::path theirs = above[1 + random() % depth];
      REQUIRE(::chown(theirs.c_str(), kOther, kOther) == 0);
      // The first on the way is told.
      if (culprit.empty() || theirs.string().size() <= culprit.size()) culprit = theirs;
    }
    fs::path path = own;
    // By way of a link that lies elsewhere: as good as the way it leads.
    const fs::path link = temporary.path() / "link";
    const int way = static_cast<int>(random() % 4);
    if (way == 1) fs::create_symlink(above.back(), link);
    if (way == 2) fs::create_symlink("d/../" + above[1].filename().string(), link);
    if (way == 1) path = link / "own";
    if (way == 2) path = link / fs::relative(own, above[1]);
    if (way == 3) path = above.back() / "." / ".." / above.back().filename() / "own";
    CAPTURE(path);
    CAPTURE(mode);
    CAPTURE(way);
    if (culprit.empty()) {
      CHECK_NOTHROW(require_own(path));
      continue;
    }
    ++refused;
    const std::string message = message_of<input_error>([&] { require_own(path); });
    CAPTURE(message);
    CHECK(message.starts_with(path.string() + ": "));
    CHECK(message.find(culprit + " above it") != std::string::npos);
  }
  CHECK(refused > 60);
  CHECK(refused < 270);
}

TEST_CASE("ownership: a link that somebody else made in a directory for all is not believed") {
  const TempDirectory temporary;
  set_mode(temporary.path(), 01777);
  const fs::path own = temporary.path() / "own";
  fs::create_directory(own);
  set_mode(own, 0755);
  const fs::path link = temporary.path() / "link";
  fs::create_symlink("own", link);
  CHECK_NOTHROW(require_own(own));
  CHECK_NOTHROW(require_own(link));
  if (::geteuid() != 0) return;
  REQUIRE(::lchown(link.c_str(), kOther, kOther) == 0);
  CHECK_NOTHROW(require_own(own));
  const std::string message = message_of<input_error>([&] { require_own(link); });
  CHECK(message.find(link.string() + " above it is another user's (number 65534)") !=
        std::string::npos);
}

TEST_CASE("ownership: links that lead nowhere end") {
  const TempDirectory temporary;
  fs::create_symlink("b", temporary.path() / "a");
  fs::create_symlink("a", temporary.path() / "b");
  CHECK_THROWS_AS(require_own(temporary.path() / "a"), input_error);
  CHECK_NOTHROW(require_own(temporary.path() / "none"));
}
