#include "pate/reports/public_notices.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using pate::Notice;
using pate::reports::public_notices;

TEST_SUITE("reports") {
  TEST_CASE("public notices: what bears on validity stays, without paths and without votes") {
    const std::vector<Notice> all{
        {"private_number", "the headline depends on the votes"},
        {"parameters_from_votes", "order, beta and sigma were chosen from these votes"},
        {"which_to_publish", "data_independent, 3, may always be published"},
        {"any_votes_smaller", "the number that holds for any votes is smaller here"},
        {"looks_transposed", "every class has 17 votes"},
        {"labelled_before", "a/ledger: these queries were asked before"},  // these very votes
        {"ledger_total", "a/ledger: 3 so far"},
        {"ledger_torn", "the end of the file is missing (a/ledger, line 3)"},
        {"epsilon_clamped", "data_independent/worst_case/improved: so epsilon = 0 holds"},
        {"epsilon_clamped", "tradeoff/joint/improved: so epsilon = 0 holds"},
        {"profile_interval", "the ends are 3 % apart"},
        {"a_code_of_tomorrow", "the votes say so"},
    };
    const std::vector<Notice> open = public_notices(all, {"", "ledger", "a/ledger"});
    REQUIRE(open.size() == 4);
    CHECK(open[0].message == all[1].message);
    CHECK(open[1].message == "3 so far");
    CHECK(open[2].message == "the end of the file is missing (line 3)");
    CHECK(open[3].message == all[8].message);
  }
}
