#include "cli/streams.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "support/program.hpp"

using pate::cli::colour_wanted;
using pate::cli::run_program;
using pate::cli::Streams;
using pate::test::sample;

namespace {

// The environment as it was, at the end.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old, existed_ = true;
    if (value == nullptr) {
      ::unsetenv(name);
    } else {
      ::setenv(name, value, 1);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (existed_) {
      ::setenv(name_, old_.c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::string old_;
  bool existed_ = false;
};

}  // namespace

TEST_SUITE_BEGIN("colour");

TEST_CASE("NO_COLOR and TERM decide") {
  const Variable no_colour("NO_COLOR", nullptr);
  const Variable term("TERM", "xterm");
  CHECK(colour_wanted());
  {
    const Variable set("NO_COLOR", "1");
    CHECK_FALSE(colour_wanted());
  }
  {
    const Variable empty("NO_COLOR", "");
    CHECK(colour_wanted());
  }
  for (const char* value : {"dumb", "", static_cast<const char*>(nullptr)}) {
    const Variable set("TERM", value);
    CHECK_FALSE(colour_wanted());
  }
}

TEST_CASE("colour on terminals only: the headline, errors and missed limits") {
  const std::vector<std::string> arguments{"pate",
                                           "analyze",
                                           sample("digits_100_counts.npy"),
                                           "--delta",
                                           "1e-5",
                                           "--sigma2",
                                           "15",
                                           "--queries",
                                           "10",
                                           "--max-epsilon",
                                           "0"};
  const auto run = [](const std::vector<std::string>& words, bool out, bool err, bool colour) {
    std::ostringstream out_text, err_text;
    const Streams streams{out_text, err_text, out, err, colour};
    const int status = run_program(words, streams);
    return pate::test::Ran{status, out_text.str(), err_text.str()};
  };
  const auto all = run(arguments, true, true, true);
  CHECK(all.status == 1);
  CHECK(all.out.find("\n\x1b[1mepsilon = ") != std::string::npos);
  CHECK(all.err.starts_with("\x1b[1;31mpate: limit missed:\x1b[0m epsilon is "));
  for (const auto& plain :
       {run(arguments, true, true, false), run(arguments, false, false, true)}) {
    CHECK(plain.out.find('\x1b') == std::string::npos);
    CHECK(plain.err.find('\x1b') == std::string::npos);
  }
  CHECK(run(arguments, true, false, true).err.find('\x1b') == std::string::npos);
  const std::vector<std::string> wrong{"pate", "analyze",  "/nowhere", "--delta",
                                       "1e-5", "--sigma2", "1"};
  CHECK(run(wrong, false, true, true).err.starts_with("\x1b[1;31mpate:\x1b[0m /nowhere: "));
  CHECK(run(wrong, false, false, true).err.starts_with("pate: /nowhere: "));
}

TEST_SUITE_END();
