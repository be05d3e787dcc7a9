#include "pate/reports/rdp_curve.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/numerics/infinity.hpp"
#include "support/random.hpp"
#include "support/temp_directory.hpp"

using pate::kInfinity;
using pate::reports::rdp_curve_csv;
using pate::reports::RdpCurve;
using pate::reports::read_rdp_curve;
using pate::test::message_of;
using pate::test::TempDirectory;
using pate::test::write_bytes;
using pate_test::Random;

TEST_SUITE_BEGIN("reports");

TEST_CASE("a curve that is written is read back to the bit, without orders of unknown RDP") {
  const TempDirectory directory;
  Random random(5601);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> orders;
    std::vector<double> rdp;
    RdpCurve known;
    double order = 1.0;
    for (std::int64_t k = random.integer(1, 30); k > 0; --k) {
      order += random.log_uniform(1e-6, 50.0);
      const bool is_known = known.orders.empty() || random.integer(0, 4) > 0;
      orders.push_back(order);
      rdp.push_back(is_known ? random.log_uniform(1e-300, 1e10) : kInfinity);
      if (!is_known) continue;
      known.orders.push_back(order);
      known.rdp.push_back(rdp.back());
    }
    write_bytes(directory / "c.csv", rdp_curve_csv(orders, rdp));
    const RdpCurve back = read_rdp_curve((directory / "c.csv").string());
    CHECK(back.orders == known.orders);
    CHECK(back.rdp == known.rdp);
  }
}

TEST_CASE("what is no curve is refused by its row and column") {
  const TempDirectory directory;
  const std::string file = (directory / "c.csv").string();
  const auto refusal = [&](const std::string& text) {
    write_bytes(file, text);
    return message_of<pate::input_error>([&] { (void)read_rdp_curve(file); });
  };
  const std::string columns = ": expected two columns with the headings order,rdp";
  for (const char* const heading : {"order,rdp", "orders,RDP", "Alpha,rdp", "alphas,Rdp"}) {
    CHECK(refusal(std::string(heading) + "\n2,0.5\n") == "[no exception]");
  }
  for (const char* const heading : {"rdp,order", "order,epsilon", "x,rdp", "order,rdp,delta"}) {
    CHECK(refusal(std::string(heading) + "\n2,0.5,1\n").starts_with(file + ": "));
  }
  CHECK(refusal("rdp,order\n2,0.5\n") == file + columns +
                                             ", the Renyi order above 1 and the RDP there, found "
                                             "the headings rdp,order");
  CHECK(refusal("2,0.5\n3,0.6\n")
            .find("found no headings, without which nothing tells the "
                  "columns apart") != std::string::npos);
  CHECK(refusal("order,rdp\n").starts_with(file + ": expected at least one row of two columns"));
  CHECK(refusal("order,rdp\n1,0.5\n") ==
        file + ": row 0, column 0: expected a Renyi order above 1 and at most 1e+09, found 1");
  CHECK(
      refusal("order,rdp\n2,0.5\n2000000000,1\n") ==
      file +
          ": row 1, column 0: expected a Renyi order above 1 and at most 1e+09, found 2000000000");
  CHECK(refusal("order,rdp\n3,0.5\n3,0.6\n") ==
        file + ": row 1, column 0: expected an order above that of the row before, 3, found 3");
  CHECK(refusal("order,rdp\n3,-0.5\n") ==
        file + ": row 0, column 1: expected an RDP >= 0, found -0.5");
  for (const char* const unknown :
       {"inf", "nan", "", "NA", "-", "n/a", "None", "unknown", "\"\""}) {
    for (const bool is_order : {false, true}) {
      const std::string line =
          is_order ? unknown + std::string(",0.5") : "3," + std::string(unknown);
      const std::string said = refusal("order,rdp\n2,0.5\n" + line + "\n4,0.7\n");
      CAPTURE(said);
      CHECK(said.starts_with(file + ": row 1"));
      CHECK(said.ends_with("; leave out the orders at which RDP is not known"));
    }
  }
  // Of a file that is no table of numbers the line would not help.
  CHECK_FALSE(refusal("order,rdp\n2\n").ends_with("not known"));
}
