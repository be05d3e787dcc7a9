#include "pate/votes/tables/votes_digest.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/npy_writer.hpp"

using pate::CountVotes;
using pate::RowSelection;
using pate::io::votes_digest;
using pate::test::integer_table;

TEST_SUITE("votes") {
  // hashlib.sha256(b"".join(struct.pack("<q", x) for x in NUMBERS)).hexdigest()
  TEST_CASE("the digest of votes is that of the numbers that its description names") {
    const CountVotes few(integer_table({3, 3}, {9, 0, 0, 1, 2, 6, 0, 9, 0}));
    // 1, 3, 1, 2, 6
    const std::string of_row = votes_digest(few, RowSelection::range(1, 2));
    CHECK(of_row == "253acbb5fad9f0717dd6a337b29a82d4006988be7b8622abcdee9993a3e37e44");
    CHECK(votes_digest(few, RowSelection::list({1})) == of_row);
    // 2, 3, 0, 9, 0, 9, 0, 0
    CHECK(votes_digest(few, RowSelection::list({2, 0})) ==
          "4350302feb7212291cf392b737ec5b992cc8ddcf5b9571fd06d42a5a9513e1a6");
    constexpr std::int64_t kClasses = pate::kClassesMostlyEmpty;
    std::vector<std::int64_t> counts(static_cast<std::size_t>(2 * kClasses), 0);
    counts[5] = 3;
    counts[4000] = 1;
    counts[kClasses] = 4;
    const CountVotes many(integer_table({2, kClasses}, counts));
    // 2, 4096, -1, and 0, 5, 3; 0, 4000, 1; 1, 0, 4
    CHECK(votes_digest(many, RowSelection::all(2)) ==
          "a833696e749aaed03eedef48a2a8e90c9c4304390ed7ddace7e40b061b2b2837");
    // 2, 4096, -1, and 0, 0, 4; 1, 5, 3; 1, 4000, 1
    CHECK(votes_digest(many, RowSelection::list({1, 0})) ==
          "f883cb8b40f1c30993088c7b1b955d1e159b6db16037897fcb788b7ab9ae973d");
  }
}
