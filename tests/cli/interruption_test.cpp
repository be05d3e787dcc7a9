#include "cli/signals.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "pate/base/parallel/joined_thread.hpp"
#include "pate/base/signal_cleanup.hpp"
#include "support/child_process.hpp"
#include "support/temp_directory.hpp"

using pate::cli::Interruption;
using pate::io::SignalsHeld;
using pate::io::TemporaryName;
using pate::test::Ended;
using pate::test::in_child;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

using Handler = void (*)(int);

Handler handler_of(int signal) {
  struct sigaction action {};
  REQUIRE(::sigaction(signal, nullptr, &action) == 0);
  return action.sa_handler;
}

}  // namespace

TEST_SUITE_BEGIN("interruption");

TEST_CASE("the first signal is remembered, and the handlers from before come back") {
  const Handler interrupt = handler_of(SIGINT);
  const Handler terminate = handler_of(SIGTERM);
  for (const int signal : {SIGINT, SIGTERM}) {
    const Interruption interruption;
    CHECK_FALSE(interruption.requested());
    CHECK(interruption.signal() == 0);
    std::raise(signal);
    CHECK(interruption.requested());
    CHECK(interruption.signal() == signal);
    CHECK(interruption.exit_status() == 128 + signal);
  }
  CHECK((handler_of(SIGINT) == interrupt));
  CHECK((handler_of(SIGTERM) == terminate));
}

TEST_CASE("there is one interruption at a time") {
  std::optional<Interruption> first(std::in_place);
  CHECK_THROWS_AS(Interruption(), std::logic_error);
  first.reset();
  CHECK_NOTHROW(Interruption());
}

TEST_CASE("an ignored signal stays ignored") {
  const Handler old = std::signal(SIGINT, SIG_IGN);
  {
    const Interruption interruption;
    std::raise(SIGINT);
    CHECK_FALSE(interruption.requested());
  }
  std::signal(SIGINT, old);
}

TEST_CASE("a second signal ends the program, without its temporaries") {
  const TempDirectory directory;
  const std::filesystem::path file = directory / ".out.tmp";
  write_bytes(file, "half");
  const Ended ended = in_child([&] {
    const TemporaryName name(file);
    const Interruption interruption;
    std::raise(SIGINT);
    std::raise(SIGTERM);
  });
  CHECK(ended.signal == SIGTERM);
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("a program that ends cleanly on signals removes its temporaries and ends by the signal") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(signal);
    const TempDirectory directory;
    write_bytes(directory / ".a.tmp", "half");
    write_bytes(directory / ".b.tmp", "half");
    write_bytes(directory / "done", "whole");
    const Ended ended = in_child([&] {
      pate::cli::end_cleanly_on_signals();
      const TemporaryName a(directory / ".a.tmp");
      const TemporaryName b(directory / ".b.tmp");
      { const TemporaryName done(directory / "done"); }
      std::raise(signal);
    });
    CHECK(ended.signal == signal);
    CHECK_FALSE(std::filesystem::exists(directory / ".a.tmp"));
    CHECK_FALSE(std::filesystem::exists(directory / ".b.tmp"));
    CHECK(std::filesystem::exists(directory / "done"));
  }
}

TEST_CASE("more temporaries than can be remembered do no harm") {
  const TempDirectory directory;
  const Ended ended = in_child([&] {
    std::vector<std::unique_ptr<TemporaryName>> names;
    for (int i = 0; i < 100; ++i) {
      names.push_back(std::make_unique<TemporaryName>(directory / std::to_string(i)));
      write_bytes(directory / std::to_string(i), "x");
    }
    names.push_back(std::make_unique<TemporaryName>(std::string(5000, 'x')));
    pate::io::remove_temporaries();
  });
  CHECK(ended.status == 0);
  CHECK_FALSE(std::filesystem::exists(directory / "0"));
  CHECK_FALSE(std::filesystem::exists(directory / "63"));
  CHECK(std::filesystem::exists(directory / "64"));
}

TEST_CASE("what has been written to a file since its name was remembered is not removed") {
  const TempDirectory directory;
  const Ended ended = in_child([&] {
    for (const char* name : {"written", "replaced", "empty"}) write_bytes(directory / name, "");
    const TemporaryName written(directory / "written");
    const TemporaryName replaced(directory / "replaced");
    const TemporaryName empty(directory / "empty");
    write_bytes(directory / "written", "x");
    write_bytes(directory / "other", "");
    std::filesystem::rename(directory / "other", directory / "replaced");
    pate::io::remove_temporaries();
  });
  CHECK(ended.status == 0);
  CHECK(std::filesystem::exists(directory / "written"));
  CHECK(std::filesystem::exists(directory / "replaced"));
  CHECK_FALSE(std::filesystem::exists(directory / "empty"));
}

TEST_CASE("a signal that is held back arrives when it is not any more") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(signal);
    const TempDirectory directory;
    const Ended ended = in_child([&] {
      pate::cli::end_cleanly_on_signals();
      {
        const SignalsHeld held;
        const SignalsHeld again;
        std::raise(signal);
        pate::JoinedThread([&] { std::raise(signal); }).join();
        write_bytes(directory / "held", "");
      }
      write_bytes(directory / "after", "");
    });
    CHECK(ended.signal == signal);
    CHECK(std::filesystem::exists(directory / "held"));
    CHECK_FALSE(std::filesystem::exists(directory / "after"));
  }
}

TEST_SUITE_END();
