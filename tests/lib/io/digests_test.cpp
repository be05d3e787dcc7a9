#include "pate/io/digests.hpp"

#include <doctest/doctest.h>
#include <span>
#include <string>
#include <string_view>
#include <utility>

using pate::io::Sha256;

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

TEST_SUITE_END();
