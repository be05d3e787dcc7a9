#include "pate/base/digests.hpp"
#include "pate/votes/tables/votes_digest.hpp"

#include <doctest/doctest.h>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/npy_writer.hpp"

using pate::CountVotes;
using pate::PredictionLayout;
using pate::PredictionVotes;
using pate::RowSelection;
using pate::io::Sha256;
using pate::io::votes_digest;
using pate::test::integer_table;

namespace {

std::span<const std::byte> bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

}  // namespace

TEST_SUITE_BEGIN("io");

TEST_CASE("SHA-256 of the vectors of FIPS 180-4") {
  CHECK(pate::io::sha256_hex({}) ==
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(pate::io::sha256_hex(bytes("abc")) ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(pate::io::sha256_hex(bytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")) ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(pate::io::sha256_hex(bytes(std::string(1000000, 'a'))) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("pieces and the whole have the same digest") {
  Sha256 hash;
  CHECK(hash.hex_digest() == pate::io::sha256_hex({}));
  hash.update(bytes("a"));
  hash.update({});
  CHECK(hash.hex_digest() == pate::io::sha256_hex(bytes("a")));
  // A digest in between changes nothing.
  hash.update(bytes("bc"));
  CHECK(hash.hex_digest() == pate::io::sha256_hex(bytes("abc")));
  Sha256 moved = std::move(hash);
  moved.update(bytes("d"));
  CHECK(moved.hex_digest() == pate::io::sha256_hex(bytes("abcd")));
}

// The digest of two queries, of whatever layout: votes for the last class, twice for 7; thrice for
// 0.
TEST_CASE("the digest of votes knows them in any layout") {
  struct Known {
    std::int64_t classes;
    const char* digest;  // made apart, by hashlib
  };
  for (const auto& [classes, digest] :
       {Known{4095, "251fa15c1c3aa923d9c67023ce870f85baecbb7c7466cb39aab294c8115d2f6e"},
        Known{4096, "1bf0dbb624f7c35961779f9d59382061e406771986b3da2bbb296d2c8cc7fb32"}}) {
    const std::int64_t last = classes - 1;
    std::vector<std::int64_t> counts(static_cast<std::size_t>(2 * classes), 0);
    counts[static_cast<std::size_t>(last)] = 1;
    counts[7] = 2;
    counts[static_cast<std::size_t>(classes)] = 3;
    const CountVotes histograms(integer_table({2, std::int64_t{classes}}, counts));
    const PredictionVotes by_query(integer_table({2, 3}, {7, last, 7, 0, 0, 0}),
                                   PredictionLayout::queries_by_teachers, classes);
    const PredictionVotes by_teacher(integer_table({3, 2}, {7, 0, 7, 0, last, 0}),
                                     PredictionLayout::teachers_by_queries, classes);
    const RowSelection all = RowSelection::all(2);
    CHECK(votes_digest(histograms, all) == digest);
    CHECK(votes_digest(by_query, all) == digest);
    CHECK(votes_digest(by_teacher, all) == digest);
    // Other rows, other votes.
    CHECK(votes_digest(by_query, RowSelection::list({1, 0}, "rows")) != digest);
    CHECK(votes_digest(by_query, RowSelection::list({0, 1}, "rows")) == digest);
    const PredictionVotes other(integer_table({2, 3}, {7, last, 8, 0, 0, 0}),
                                PredictionLayout::queries_by_teachers, classes);
    CHECK(votes_digest(other, all) != digest);
  }
}

TEST_SUITE_END();
