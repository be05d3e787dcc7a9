#include "cli/gnuplot.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "pate/base/error.hpp"
#include "pate/base/system.hpp"

namespace pate::cli {

namespace {

constexpr std::size_t kShownOfErrors = 400;

// A file without a name, which goes with the process.
class Scratch {
 public:
  Scratch() : file_(std::tmpfile(), &std::fclose) {
    if (!file_) throw output_error("a temporary file for gnuplot cannot be made");
  }

  void write(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() ||
        std::fflush(file_.get()) != 0) {
      throw output_error("a temporary file for gnuplot cannot be written");
    }
    std::rewind(file_.get());
  }

  [[nodiscard]] std::string read() {
    std::rewind(file_.get());
    std::string result;
    std::array<char, 65536> block{};
    while (const std::size_t count = std::fread(block.data(), 1, block.size(), file_.get())) {
      result.append(block.data(), count);
    }
    return result;
  }

  [[nodiscard]] int descriptor() const { return fileno(file_.get()); }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

class Actions {
 public:
  Actions() { posix_spawn_file_actions_init(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  ~Actions() { posix_spawn_file_actions_destroy(&actions_); }
  void use(const Scratch& scratch, int as) {
    posix_spawn_file_actions_adddup2(&actions_, scratch.descriptor(), as);
  }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

}  // namespace

std::string run_gnuplot(const std::string& script, std::string_view otherwise) {
  Scratch in;
  Scratch out;
  Scratch err;
  in.write(script);
  Actions actions;
  actions.use(in, STDIN_FILENO);
  actions.use(out, STDOUT_FILENO);
  actions.use(err, STDERR_FILENO);
  std::string program = "gnuplot";
  std::string defaults = "-d";
  std::array<char*, 3> arguments{program.data(), defaults.data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawnp(&child, program.c_str(), actions.get(), nullptr, arguments.data(),
                                  system::environment());
  if (failed == ENOENT) {
    throw output_error(fmt::format(
        "gnuplot is not installed: install it (Debian: gnuplot-nox), or {}", otherwise));
  }
  if (failed != 0) {
    throw output_error(
        fmt::format("gnuplot cannot be run: {}", std::generic_category().message(failed)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw output_error("gnuplot was lost");
  }
  std::string picture = out.read();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || picture.empty()) {
    throw output_error(fmt::format("gnuplot failed: {}", err.read().substr(0, kShownOfErrors)));
  }
  return picture;
}

}  // namespace pate::cli
