#include "pate/io/compressed.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "pate/error.hpp"
#include "support/archives.hpp"

using pate::input_error;
using pate::test::gzip_member;
using pate::test::message_of;

namespace {

std::string inflated(const std::string& file) {
  const std::vector<std::byte> contents = pate::io::gunzip(std::as_bytes(std::span(file)), "f.gz");
  std::string text(contents.size(), '\0');
  std::transform(contents.begin(), contents.end(), text.begin(),
                 [](std::byte byte) { return static_cast<char>(byte); });
  return text;
}

std::string refusal(const std::string& file) {
  return message_of<input_error>([&] { inflated(file); });
}

std::string noise(std::size_t size) {
  std::mt19937 random(3);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

}  // namespace

TEST_SUITE_BEGIN("io");

TEST_CASE("gzip: contents of every size come back") {
  const std::string text = noise(300000);
  for (const std::size_t size :
       std::vector<std::size_t>{0, 1, 2, 1000, 65535, 65536, 65537, 300000}) {
    CHECK(inflated(gzip_member(text.substr(0, size))) == text.substr(0, size));
  }
  // Far beyond any first guess at the room needed.
  const std::string zeros(50000000, '0');
  CHECK(inflated(gzip_member(zeros)) == zeros);
}

TEST_CASE("gzip: members follow each other, zeros may follow the last") {
  const std::string large = noise(200000);
  CHECK(inflated(gzip_member("1,2\n") + gzip_member("") + gzip_member("3,4\n")) == "1,2\n3,4\n");
  CHECK(inflated(gzip_member(large) + gzip_member(large) + gzip_member("x")) ==
        large + large + "x");
  CHECK(inflated(gzip_member("1") + std::string(1000, '\0')) == "1");
}

TEST_CASE("gzip: known by its first two bytes") {
  const auto looks = [](const std::string& text) {
    return pate::io::is_gzip(std::as_bytes(std::span(text)));
  };
  CHECK(looks(gzip_member("1")));
  CHECK(looks("\x1f\x8b"));
  CHECK_FALSE(looks("\x1f"));
  CHECK_FALSE(looks(""));
  CHECK_FALSE(looks("1,2"));
}

TEST_CASE("gzip: a file cut anywhere is truncated") {
  const std::string file = gzip_member(noise(1000));
  for (std::size_t size = 2; size < file.size(); ++size) {
    const std::string place = std::to_string(size);
    CHECK(refusal(file.substr(0, size)) ==
          "f.gz: truncated gzip file: expected more bytes at byte " + place + " of " + place);
  }
  CHECK(refusal(file + file.substr(0, 100)).starts_with("f.gz: truncated gzip file"));
}

TEST_CASE("gzip: corrupt files") {
  const std::string file = gzip_member(std::string(1000, 'x') + noise(100));
  std::string other = file;
  other[other.size() - 5] = static_cast<char>(other[other.size() - 5] ^ 1);  // CRC-32
  CHECK(refusal(other).starts_with("f.gz: corrupt gzip file: incorrect data check at byte "));
  other = file;
  other[other.size() - 1] = static_cast<char>(other[other.size() - 1] ^ 1);  // length
  CHECK(refusal(other).starts_with("f.gz: corrupt gzip file: incorrect length check at byte "));
  other = file;
  other[2] = 9;  // method
  CHECK(refusal(other).starts_with("f.gz: corrupt gzip file: unknown compression method at byte "));
  const std::string place = std::to_string(file.size()) + " of " + std::to_string(file.size() + 5);
  CHECK(refusal(file + "extra") ==
        "f.gz: corrupt gzip file: expected the end or another gzip member at byte " + place);
  // Every flipped byte is noticed or does not matter (time, name of the system).
  const std::string contents = inflated(file);
  for (std::size_t i = 2; i < file.size(); ++i) {
    other = file;
    other[i] = static_cast<char>(other[i] ^ 0x55);
    const std::string message = refusal(other);
    if (message == "[no exception]") {
      CHECK(inflated(other) == contents);
    } else {
      CHECK(message.starts_with("f.gz: "));
    }
  }
}

TEST_SUITE_END();
