#include "pate/votes/tables/compressed.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>
#include "pate/base/error.hpp"
#include "pate/votes/tables/npy_header.hpp"
#include "support/archives.hpp"
#include "support/npy_writer.hpp"
#include "support/temp_directory.hpp"

using pate::input_error;
using pate::test::gzip_member;
using pate::test::message_of;
using pate::test::npy_array;
using pate::test::zip_archive;
using pate::test::ZipMember;

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

TEST_CASE("gzip and npz: what grows out of all proportion is refused before it is there") {
  const std::string zeros(300'000'000, '0');
  const std::string bomb = gzip_member(zeros, Z_BEST_COMPRESSION);
  REQUIRE(zeros.size() / bomb.size() > 512);
  CHECK(refusal(bomb).find("at most 512 times as much") != std::string::npos);
  CHECK(refusal(bomb).find("gunzip") != std::string::npos);
  // Whatever the last bytes say of the size, and whatever follows.
  std::string lie = bomb;
  for (std::size_t k = 1; k <= 4; ++k) lie[lie.size() - k] = '\0';
  CHECK(refusal(lie).find("at most 512 times as much") != std::string::npos);
  CHECK(refusal(bomb + gzip_member("x")).find("at most 512 times as much") != std::string::npos);
  // An array is refused by its header, though there is nothing behind it.
  const std::string header = pate::io::npy_header("|i1", std::vector<std::int64_t>{400'000'000, 1});
  CHECK(refusal(gzip_member(header)).find("at most 512 times as much") != std::string::npos);
  // As much from more is fine, and so is a little from very little.
  CHECK(inflated(gzip_member(std::string(200'000'000, '0'))).size() == 200'000'000);
}

TEST_CASE("gzip: who looks at the beginning can end it") {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "1,2,3\n";
  const std::string file = gzip_member(text);
  std::vector<std::size_t> sizes;
  const auto look = [&](std::span<const std::byte> so_far) {
    sizes.push_back(so_far.size());
    if (so_far.size() > 3'000'000) throw input_error("enough");
  };
  const auto bytes = std::as_bytes(std::span(file));
  CHECK_THROWS_WITH_AS((void)pate::io::gunzip(bytes, "f.gz", look), "enough", input_error);
  REQUIRE(sizes.size() >= 2);
  CHECK(sizes.front() >= 1U << 20U);
  CHECK(sizes.back() < text.size());
}

TEST_CASE("gzip and npz: an array is inflated no further than its header declares") {
  std::string array = npy_array<std::int64_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  const std::string size = std::to_string(array.size());
  CHECK(inflated(gzip_member(array)) == array);
  array += std::string(200000, '\0');
  CHECK(refusal(gzip_member(array)) ==
        "f.gz: overlong file: its header declares " + size + " bytes, found more");
  const std::string archive = zip_archive({{"a.npy", array}});
  CHECK(message_of<input_error>([&] {
          (void)pate::io::open_npz_member(std::as_bytes(std::span(archive)), "f.npz", "a");
        }) == "f.npz:a: overlong file: its header declares " + size + " bytes, found more");
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

namespace {

std::shared_ptr<const pate::NumericTable> open(const std::string& archive,
                                               std::string_view member) {
  return pate::io::open_npz_member(std::as_bytes(std::span(archive)), "f.npz", member);
}

std::string refusal(const std::string& archive, std::string_view member) {
  return message_of<input_error>([&] { open(archive, member); });
}

std::int64_t first_number(const std::string& archive, std::string_view member) {
  std::vector<std::int64_t> out(1);
  open(archive, member)->read_integers(0, 1, 0, 1, out);
  return out[0];
}

std::string array_of(std::int64_t number) {
  return npy_array<std::int64_t>({2, 1}, {number, number});
}

}  // namespace

TEST_CASE("npz: members by name, with and without .npy") {
  for (const std::int32_t method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    const std::string archive = zip_archive({{"counts.npy", array_of(1), method, {}},
                                             {"labels.npy", array_of(2), method, {}},
                                             {"sub/x.npy", array_of(3), method, {}},
                                             {"x", array_of(4), method, {}},
                                             {"x.npy", array_of(5), method, {}}});
    CHECK(first_number(archive, "counts") == 1);
    CHECK(first_number(archive, "counts.npy") == 1);
    CHECK(first_number(archive, "labels") == 2);
    CHECK(first_number(archive, "sub/x") == 3);
    CHECK(first_number(archive, "x") == 4);
    CHECK(first_number(archive, "x.npy") == 5);
    const auto table = open(archive, "counts.npy");
    CHECK(table->name() == "f.npz:counts");
    CHECK(table->rows() == 2);
    CHECK(table->description().dtype == "<i8");
    CHECK(
        refusal(archive, "")
            .starts_with(
                "f.npz: expected a member, as in f.npz:MEMBER; the archive has counts (2, 1) <i8, "
                "labels (2, 1) <i8, sub/x (2, 1) <i8, x (2, 1) <i8, x (2, 1) <i8; f.npz:all reads "
                "all as one file of more queries"));
    CHECK(open(archive, "all")->rows() == 10);
    CHECK(refusal(archive, "votes") ==
          "f.npz: there is no member 'votes'; the archive has counts, labels, sub/x, x, x");
  }
}

TEST_CASE("npz: the only member needs no name") {
  CHECK(first_number(zip_archive({{"arr_0.npy", array_of(7)}}), "") == 7);
  CHECK(first_number(zip_archive({{"sub/", ""}, {"sub/a.npy", array_of(8)}}), "") == 8);
  CHECK(open(zip_archive({{"arr_0.npy", array_of(7)}}), "")->name() == "f.npz:arr_0");
}

TEST_CASE("npz: archives without arrays") {
  const std::string none =
      "f.npz: expected a .npy array, an .npz archive, CSV or TSV text, or one of them compressed "
      "by "
      "gzip, found a zip archive without arrays (.npy); what makes one of it: unzip f.npz -d "
      "f-read";
  CHECK(refusal(zip_archive({}), "") == none);
  CHECK(refusal(zip_archive({}), "a") == "f.npz: there is no member 'a'; the archive has none");
  CHECK(refusal(zip_archive({{"a.txt", "1,2"}}), "") == none);
  CHECK(refusal(zip_archive({{"a.npy", "1,2"}}), "") ==
        "f.npz:a: expected a .npy file that begins with \"\\x93NUMPY\", found \"1,2\"");
  std::vector<ZipMember> many;
  for (int i = 0; i < 25; ++i) many.push_back({fmt::format("m{}.npy", i), "x"});
  CHECK(refusal(zip_archive(many), "").find(", m18, m19 and 5 more; where") != std::string::npos);
}

TEST_CASE("npz: encrypted members") {
  const std::string archive =
      zip_archive({{"a.npy", array_of(1), ZIP_CM_DEFLATE, "secret"}, {"b.npy", array_of(2)}});
  CHECK(refusal(archive, "a") == "f.npz:a: is encrypted; expected an archive without a password");
  CHECK(first_number(archive, "b") == 2);
}

TEST_CASE("npz: truncated and corrupt archives") {
  const std::string contents = npy_array<std::int64_t>({100, 1}, std::vector<std::int64_t>(100, 5));
  const std::string archive = zip_archive({{"a.npy", contents, ZIP_CM_STORE, {}}});
  for (std::size_t size = 4; size < archive.size(); size += 7) {
    CHECK(refusal(archive.substr(0, size), "a")
              .starts_with("f.npz: cannot be read as a zip archive of arrays (.npz): "));
  }
  CHECK(refusal("no zip", "a").starts_with("f.npz: cannot be read as a zip archive"));
  CHECK(refusal("", "a") == "f.npz: cannot be read as a zip archive of arrays (.npz): it is empty");
  std::string other = archive;
  const std::size_t middle = archive.find("NUMPY") + 500;
  other[middle] = static_cast<char>(other[middle] ^ 1);
  CHECK(refusal(other, "a") == "f.npz:a: corrupt or truncated archive: CRC error");
  // Every flipped byte is noticed or does not matter.
  for (std::size_t i = 0; i < archive.size(); ++i) {
    other = archive;
    other[i] = static_cast<char>(other[i] ^ 0x55);
    const std::string message = refusal(other, "");
    if (message == "[no exception]") {
      CHECK(first_number(other, "") == 5);
    } else {
      CHECK(message.starts_with("f.npz"));
    }
  }
}

TEST_CASE("npz: known by its first bytes") {
  const auto looks = [](const std::string& text) {
    return pate::io::is_zip(std::as_bytes(std::span(text)));
  };
  CHECK(looks(zip_archive({{"a.npy", "x"}})));
  CHECK(looks(zip_archive({})));
  CHECK_FALSE(looks("PK"));
  CHECK_FALSE(looks("PK,1\n"));
  CHECK_FALSE(looks(""));
}

TEST_SUITE_END();
