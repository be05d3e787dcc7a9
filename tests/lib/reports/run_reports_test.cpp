#include "pate/reports/run_reports.hpp"

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
        {"looks_transposed", "every class has 17 votes"},
        {"labelled_before", "a/ledger: these queries were labelled before"},
        {"released_before", "these votes were released before (a/ledger, line 3)"},
        {"a_code_of_tomorrow", "the ledger says so"},
    };
    const std::vector<Notice> open = public_notices(all, {"", "ledger", "a/ledger"});
    REQUIRE(open.size() == 5);
    CHECK(open[0].message == all[1].message);
    CHECK(open[1].code == "looks_transposed");
    CHECK(open[1].message.find("17") == std::string::npos);
    CHECK(open[2].message == "these queries were labelled before");
    CHECK(open[3].message == "these votes were released before (line 3)");
    CHECK(open[4].message == all[6].message);
  }
}
