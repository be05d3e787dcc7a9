#include "pate/reports/ledger.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>
#include "pate/base/atomic_file.hpp"
#include "pate/base/error.hpp"
#include "pate/base/signal_cleanup.hpp"
#include "pate/reports/record_json.hpp"
#include "support/killed_child.hpp"
#include "support/ledger_events.hpp"
#include "support/paths.hpp"
#include "support/random.hpp"
#include "support/temp_directory.hpp"

namespace fs = std::filesystem;
using pate::io::JsonValue;
using pate::reports::Ledger;
using pate::reports::ledger_addition;
using pate::reports::LedgerEntry;
using pate::reports::LedgerText;
using pate::reports::parse_ledger;
using pate::test::in_child;
using pate::test::killing_at;
using pate::test::message_of;
using pate::test::read_bytes;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

LedgerEntry entry_of(pate::Event event, const std::string& digest) {
  event.facts.digests.counts = digest;
  return {std::move(event), JsonValue::parse(R"({"order":14})", "settings"), "0.1.0"};
}

// Every one is another event.
LedgerEntry entry(const std::string& digest) {
  return entry_of(pate::test::labelling(pate::reports::new_event_id(), "run"), digest);
}

LedgerEntry number(const std::string& digest) {
  return entry_of(pate::test::told_number(pate::reports::new_event_id(), "run", 1.5,
                                          pate::test::event_id("run")),
                  digest);
}

pate::reports::Ensemble ensemble_of(const Ledger& ledger, const std::string& name,
                                    std::int64_t teachers, std::int64_t classes) {
  return pate::reports::ensemble_of(ledger.entries(), ledger.path(), name, teachers, classes);
}

// A ledger that says that so many lines were written.
std::string counted(std::string text, std::int64_t lines) {
  const std::string digits = pate::reports::count_digits(lines);
  return text.replace(pate::reports::count_place(text).value(), digits.size(), digits);
}

std::vector<std::string> digests(const fs::path& path) {
  std::vector<std::string> result;
  const Ledger ledger(path);
  for (const LedgerEntry& e : ledger.entries()) result.push_back(e.event.facts.digests.counts);
  return result;
}

}  // namespace

// What is synced, by inode, while one looks: it takes the place of the C library's.
namespace {

bool looks = false;
std::vector<ino_t> synced;

ino_t inode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_ino;
}

}  // namespace

extern "C" int fsync(int file) {
  struct stat status {};
  if (looks && ::fstat(file, &status) == 0) synced.push_back(status.st_ino);
  return static_cast<int>(::syscall(SYS_fsync, file));
}

TEST_SUITE_BEGIN("reports");

TEST_CASE("an entry is on the disk, and then the name of its file, when append returns") {
  const TempDirectory directory;
  fs::create_directory(directory / "real");
  fs::create_symlink("real/l", directory / "link");
  for (const char* when : {"new", "old"}) {
    CAPTURE(when);
    Ledger ledger(directory / "link");
    synced.clear();
    looks = true;
    ledger.append(entry("a"));
    looks = false;
    CHECK(synced ==
          std::vector<ino_t>{inode_of(directory / "real/l"), inode_of(directory / "real")});
  }
}

TEST_CASE("entries are there for the next one who opens the ledger") {
  const TempDirectory directory;
  const fs::path path = directory / "ledger.jsonl";
  {
    Ledger ledger(path);
    CHECK(ledger.entries().empty());
    ledger.append(entry("a"));
    ledger.append(number("b"));
    CHECK(ledger.entries().size() == 2);
  }
  Ledger ledger(path);
  ledger.append(entry("a"));
  REQUIRE(ledger.entries().size() == 3);
  CHECK(ledger.record().size() == 3);
  CHECK(ledger.entries()[1].event.open.drawn->epsilon == 1.5);
  CHECK_FALSE(ledger.entries()[2].event.open.drawn);
  CHECK(ledger.entries()[2].line == 3);
  CHECK(ledger.entries()[2].time.size() == 20);
  CHECK(ledger.entries()[2].time.ends_with('Z'));
  CHECK(read_bytes(path).find(R"("drawn":{"epsilon":1.5)") != std::string::npos);
}

TEST_CASE("a ledger is made for its owner only; one that is there keeps its permissions") {
  const TempDirectory directory;
  const mode_t before = ::umask(0);
  { Ledger(directory / "new").append(entry("a")); }
  ::umask(before);
  constexpr fs::perms kOwner = fs::perms::owner_read | fs::perms::owner_write;
  CHECK(fs::status(directory / "new").permissions() == kOwner);
  fs::permissions(directory / "new", kOwner | fs::perms::group_read);
  { const Ledger ledger(directory / "new"); }
  CHECK(fs::status(directory / "new").permissions() == (kOwner | fs::perms::group_read));
}

TEST_CASE("a ledger that was made and got no entry is gone again, with its links as they were") {
  const TempDirectory directory;
  const auto names = [&] {
    return std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator());
  };
  {
    const Ledger ledger(directory / "l");
    CHECK(fs::exists(directory / "l"));
  }
  CHECK(names() == 0);
  fs::create_symlink("target", directory / "link");
  { const Ledger ledger(directory / "link"); }
  CHECK(fs::is_symlink(directory / "link"));
  CHECK(names() == 1);
  { Ledger(directory / "link").append(entry("a")); }
  CHECK(digests(directory / "target") == std::vector<std::string>{"a"});
  write_bytes(directory / "empty", "");  // it was there before
  CHECK(message_of<pate::input_error>([&] { const Ledger ledger(directory / "empty"); }) ==
        (directory / "empty").string() +
            ": a ledger without a whole entry, so that nobody knows what was released: find a copy "
            "of it, or remove it if nothing was");
  CHECK(fs::exists(directory / "empty"));
  // One that a kill left before its first entry is known by its mode.
  fs::permissions(directory / "empty", fs::perms::owner_all);
  { Ledger(directory / "empty").append(entry("a")); }
  CHECK(digests(directory / "empty") == std::vector<std::string>{"a"});
  { const pate::io::Descriptor cut(directory / "empty", O_WRONLY | O_TRUNC); }
  CHECK_THROWS_AS(Ledger(directory / "empty"), pate::input_error);
  // Another file took its name meanwhile.
  {
    const Ledger ledger(directory / "l");
    fs::remove(directory / "l");
    write_bytes(directory / "l", "");
  }
  CHECK(fs::exists(directory / "l"));
}

TEST_CASE("a signal before the first entry leaves no new ledger, one after it the entry") {
  const auto end_cleanly = [](int signal) {
    pate::io::remove_temporaries();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  };
  const std::set<std::string> before_an_entry{"ledger opened", "ledger entry made"};
  enum class Was { nothing, link, killed, entry };
  for (const Was was : {Was::nothing, Was::link, Was::killed, Was::entry}) {
    CAPTURE(static_cast<int>(was));
    int ended = 0;
    for (bool killed = true; killed; ++ended) {
      CAPTURE(ended);
      const TempDirectory directory;
      const fs::path path = directory / "l";
      if (was == Was::link) fs::create_symlink("target", path);
      if (was == Was::killed) {
        write_bytes(path, "");
        fs::permissions(path, fs::perms::owner_all);
      }
      if (was == Was::entry) Ledger(path).append(entry("old"));
      const std::string old = was == Was::entry ? read_bytes(path) : "";
      killed = in_child([&] {
                 for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, end_cleanly);
                 const auto end_there = [&, left = ended](std::string_view point) mutable {
                   if (left-- > 0) return;
                   write_bytes(directory / "point", std::string(point));
                   std::raise(ended % 2 == 0 ? SIGINT : SIGTERM);
                 };
                 Ledger(path, {end_there, 100}).append(entry("new"));
                 return 0;
               }).killed;
      if (!killed) continue;
      const bool is_whole = before_an_entry.contains(read_bytes(directory / "point"));
      const bool was_new = was != Was::entry;
      CHECK(fs::exists(path) == !(is_whole && was_new));
      CHECK(fs::is_symlink(path) == (was == Was::link));
      if (!fs::exists(path)) continue;
      const std::string now = read_bytes(path);
      CHECK((was == Was::entry ? counted(now, 1) : now).starts_with(old));
      CHECK((now == old) == is_whole);
    }
    CHECK(ended > 5);
  }
}

TEST_CASE("a signal leaves a ledger that took the name of a new one") {
  const TempDirectory directory;
  const fs::path path = directory / "l";
  REQUIRE(in_child([&] {
            const Ledger ledger(path);
            fs::rename(path, directory / "moved");
            Ledger(path).append(entry("other"));
            pate::io::remove_temporaries();
            return 7;
          }).status == 7);
  CHECK(digests(path) == std::vector<std::string>{"other"});
}

TEST_CASE("who waited for a ledger that is gone again makes one") {
  const TempDirectory directory;
  const fs::path path = directory / "l";
  std::array<int, 2> opened{};
  REQUIRE(::pipe(opened.data()) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  char sign = 's';
  if (child == 0) {
    if (::read(opened[0], &sign, 1) != 1) ::_exit(3);
    Ledger(path).append(entry("a"));
    ::_exit(0);
  }
  {
    const Ledger ledger(path);
    REQUIRE(::write(opened[1], &sign, 1) == 1);
    ::usleep(20000);  // so that the other one waits, as a rule
  }
  int state = 0;
  REQUIRE(::waitpid(child, &state, 0) == child);
  CHECK(state == 0);
  CHECK(digests(path) == std::vector<std::string>{"a"});
  for (const int end : opened) ::close(end);
}

TEST_CASE("a ledger in use is not replaced, whatever name comes to lead to it") {
  const TempDirectory directory;
  const fs::path path = directory / "ledger";
  const auto write = [&](const char* name, const pate::io::WritePoints& points = {}) {
    return message_of<pate::output_error>(
        [&] { pate::io::write_file_atomically(directory / name, "labels", points); });
  };
  {
    Ledger ledger(path);
    ledger.append(entry("a"));
    fs::create_symlink("ledger", directory / "link");
    fs::create_hard_link(path, directory / "hard");
    for (const char* name : {"ledger", "link", "hard"}) {
      CHECK(write(name) ==
            (directory / name).string() + ": cannot be written: it leads to a ledger in use");
    }
    // The name led to nothing when the writing began.
    const pate::io::WritePoints late{[&](std::string_view point) {
                                       if (point == "file synced") {
                                         fs::create_hard_link(path, directory / "late");
                                       }
                                     },
                                     0};
    CHECK(write("late", late).find("a ledger in use") != std::string::npos);
  }
  CHECK(digests(path) == std::vector<std::string>{"a"});
  CHECK(write("hard") == "[no exception]");  // it is in use no more
}

TEST_CASE("a ledger in use is not written to either, through whatever leads to the open file") {
  const TempDirectory directory;
  const fs::path path = directory / "ledger";
  const auto write = [&](const std::string& name) {
    return message_of<pate::output_error>([&] { pate::io::write_file_atomically(name, "labels"); });
  };
  Ledger ledger(path);
  ledger.append(entry("a"));
  const std::string before = read_bytes(path);
  const pate::io::Descriptor opened(path, O_RDWR);
  REQUIRE(opened.get() >= 0);
  const std::string number = std::to_string(opened.get());
  fs::create_symlink("/proc/self/fd/" + number, directory / "link");
  // All of these are written to and not replaced: what they are called is not where they lie.
  for (const std::string& name :
       {"/dev/fd/" + number, "/proc/self/fd/" + number, (directory / "link").string()}) {
    CAPTURE(name);
    CHECK(write(name) == name + ": cannot be written: it leads to a ledger in use");
    CHECK(read_bytes(path) == before);
  }
}

TEST_CASE("an entry that went to a file that is the ledger no more does not count") {
  const TempDirectory directory;
  const fs::path path = directory / "ledger";
  Ledger ledger(path, {[&](std::string_view point) {
                         if (point != "ledger synced") return;
                         fs::remove(path);
                         write_bytes(path, "");
                       },
                       0});
  CHECK(message_of<pate::output_error>([&] { ledger.append(entry("a")); }) ==
        path.string() + ": the ledger was replaced by another file while it was in use");
}

TEST_CASE("a second release is refused, whatever its votes") {
  const TempDirectory directory;
  Ledger ledger(directory / "l");
  ledger.append(entry("a"));
  CHECK_NOTHROW(pate::reports::require_no_release(ledger.entries(), ledger.path(), false));
  ledger.append(number("a"));
  const std::string message = message_of<pate::ledger_conflict>(
      [&] { pate::reports::require_no_release(ledger.entries(), ledger.path(), false); });
  CHECK(message == (directory / "l").string() + ": line 2 is a release of " +
                       ledger.entries()[1].time +
                       "; another one, of whatever votes of these teachers, costs privacy again: "
                       "\1again makes one and states what all entries cost together");
}

TEST_CASE("a ledger is the account of the ensemble of its first entry") {
  const TempDirectory directory;
  Ledger ledger(directory / "ours.jsonl");
  CHECK(ensemble_of(ledger, "", 250, 10) == pate::reports::Ensemble{"ours", 250, 10});
  CHECK(ensemble_of(ledger, "mnist", 250, 10).name == "mnist");
  ledger.append(entry("a"));
  CHECK(ensemble_of(ledger, "", 250, 10).name == "mnist");
  CHECK(ensemble_of(ledger, "mnist", 250, 10) == ledger.entries()[0].ensemble());
  CHECK(message_of<pate::ledger_conflict>([&] { (void)ensemble_of(ledger, "", 251, 10); }) ==
        (directory / "ours.jsonl").string() +
            ": a ledger is the account of one ensemble, here the ensemble mnist of 250 teachers "
            "and 10 classes, and this is the ensemble mnist of 251 teachers and 10 classes: "
            "\1ledger names another file for other teachers");
  CHECK_THROWS_AS((void)ensemble_of(ledger, "", 250, 9), pate::ledger_conflict);
  CHECK_THROWS_AS((void)ensemble_of(ledger, "svhn", 250, 10), pate::ledger_conflict);
}

TEST_CASE("killed at any point, byte by byte: the ledger stays readable, what was there stays") {
  const TempDirectory directory;
  const fs::path path = directory / "ledger.jsonl";
  { Ledger(path).append(entry("first")); }
  const std::string first = read_bytes(path);
  int killed = 0;
  int repaired = 0;
  for (int point = 0;; ++point) {
    write_bytes(path, first);
    const pate::test::ChildEnd end = in_child([&] {
      Ledger ledger(path, killing_at(point, 1));
      ledger.append(entry("again"));
      return 0;
    });
    const bool acknowledged = !end.killed && end.status == 0;
    CAPTURE(point);
    REQUIRE((end.killed || acknowledged));
    killed += end.killed ? 1 : 0;
    try {
      (void)pate::reports::read_ledger(path);
    } catch (const pate::input_error&) {
      pate::reports::repair_ledger(path);
      ++repaired;
    }
    // An entry is whole or absent, and there if the append returned.
    const std::size_t entries = Ledger(path).entries().size();
    REQUIRE((entries == 2 || (entries == 1 && !acknowledged)));
    REQUIRE(counted(read_bytes(path), 1).starts_with(first));
    if (acknowledged) break;
  }
  CHECK(killed > 150);
  CHECK(repaired > 150);
  { Ledger(path).append(entry("last")); }
  CHECK(digests(path).back() == "last");
  CHECK(digests(path).front() == "first");
}

TEST_CASE("many processes at once lose no entry") {
  const TempDirectory directory;
  const fs::path path = directory / "ledger.jsonl";
  constexpr int kProcesses = 8;
  constexpr int kEntries = 12;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      int status = 1;
      try {
        for (int i = 0; i < kEntries; ++i) {
          Ledger ledger(path, {{}, 7});  // pieces of 7 bytes: without the lock they would mix
          const std::size_t before = ledger.entries().size();
          ledger.append(entry(std::to_string(p) + "/" + std::to_string(i)));
          if (ledger.entries().size() != before + 1) ::_exit(2);
        }
        status = 0;
      } catch (...) {
      }
      ::_exit(status);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int state = 0;
    REQUIRE(::waitpid(child, &state, 0) == child);
    CHECK(state == 0);
  }
  const std::vector<std::string> all = digests(path);
  CHECK(all.size() == kProcesses * kEntries);
  CHECK(std::set<std::string>(all.begin(), all.end()).size() == all.size());
}

TEST_CASE("while a ledger is open another process waits") {
  const TempDirectory directory;
  const fs::path path = directory / "ledger.jsonl";
  std::array<int, 2> opened{};
  std::array<int, 2> waiting{};
  REQUIRE(::pipe(opened.data()) == 0);
  REQUIRE(::pipe(waiting.data()) == 0);
  const pid_t child = ::fork();  // before the ledger is opened: children share locks
  REQUIRE(child >= 0);
  char sign = 's';
  if (child == 0) {
    if (::read(opened[0], &sign, 1) != 1 || ::write(waiting[1], &sign, 1) != 1) ::_exit(3);
    // What was appended while this one waited must be seen.
    const Ledger ledger(path);
    ::_exit(ledger.entries().size() == 1 ? 0 : 1);
  }
  {
    Ledger ledger(path);
    REQUIRE(::write(opened[1], &sign, 1) == 1);
    REQUIRE(::read(waiting[0], &sign, 1) == 1);
    ::usleep(20000);  // only makes a missing lock likelier to show
    ledger.append(entry("a"));
  }
  int state = 0;
  REQUIRE(::waitpid(child, &state, 0) == child);
  CHECK(state == 0);
  for (const int end : {opened[0], opened[1], waiting[0], waiting[1]}) ::close(end);
}

TEST_CASE("a torn line is refused until it is marked, and the next entry follows the mark") {
  const TempDirectory directory;
  const fs::path path = directory / "ledger.jsonl";
  { Ledger(path).append(entry("a")); }
  const std::string torn = read_bytes(path) + R"({"schema":"pate/ledger/v3","kind":"eve)";
  write_bytes(path, torn);
  CHECK(message_of<pate::input_error>([&] { const Ledger ledger(path); }) ==
        path.string() +
            ": line 2 is cut off: what its entry cost is unknown. Find a whole copy, or wait if "
            "the line is being written. If nothing of it was released, mark it: pate ledger " +
            path.string() + " \1repair");
  CHECK(read_bytes(path) == torn);
  pate::reports::repair_ledger(path);
  CHECK(read_bytes(path).starts_with(counted(torn, 3) + "\n"));
  {
    Ledger ledger(path);
    ledger.append(entry("b"));
    CHECK(ledger.entries().back().line == 4);  // after the torn line and its mark
  }
  CHECK(read_bytes(path) == counted(read_bytes(path), 4));
  CHECK(message_of<pate::input_error>([&] { pate::reports::repair_ledger(path); }) ==
        path.string() + ": line 4, the last, is whole: there is nothing to repair");
  CHECK_THROWS_AS(pate::reports::repair_ledger(directory / "none"), pate::input_error);
  CHECK_FALSE(fs::exists(directory / "none"));
}

TEST_CASE("a ledger that others could have written is believed only where one insists") {
  const TempDirectory directory;
  fs::create_directory(directory / "d");
  const fs::path path = directory / "d/l";
  { Ledger(path).append(entry("a")); }
  const std::string bytes = read_bytes(path);
  const auto check = [&](const char* what) {
    CAPTURE(what);
    for (const auto& use : std::vector<std::function<void(const pate::reports::LedgerAccess&)>>{
             [&](const auto& access) { const Ledger ledger(path, {}, access); },
             [&](const auto& access) { (void)pate::reports::read_ledger(path, access); }}) {
      const std::string message = message_of<pate::input_error>([&] { use({}); });
      CHECK(message.starts_with(path.string() + ": "));
      CHECK(message.ends_with("; \1trust-ledger believes it"));
      CHECK_NOTHROW(use({.trusted = true}));
    }
    CHECK(read_bytes(path) == bytes);
  };
  for (const mode_t mode : {0666U, 0620U, 0602U}) {
    REQUIRE(::chmod(path.c_str(), mode) == 0);
    check("a file that others may write to");
  }
  REQUIRE(::chmod(path.c_str(), 0600) == 0);
  REQUIRE(::chmod((directory / "d").c_str(), 0777) == 0);
  check("a folder that others may write to");
  // Nor is one made there.
  CHECK_THROWS_AS(Ledger(directory / "d/new"), pate::input_error);
  CHECK_FALSE(fs::exists(directory / "d/new"));
  REQUIRE(::chmod((directory / "d").c_str(), 0755) == 0);
  if (::geteuid() == 0) {
    REQUIRE(::chown(path.c_str(), 65534, 65534) == 0);
    check("a file of somebody else");
  }
}

TEST_CASE("a malformed ledger is refused and not touched") {
  const TempDirectory directory;
  const fs::path path = directory / "l";
  write_bytes(path, "epsilon,delta\n1,2\n");
  CHECK(message_of<pate::input_error>([&] { const Ledger ledger(path); }) ==
        path.string() + ": line 1 is no line of a ledger: not JSON");
  CHECK(read_bytes(path) == "epsilon,delta\n1,2\n");
}

TEST_CASE("places where no ledger can be are refused by name") {
  const TempDirectory directory;
  const auto refusal = [](const fs::path& path) {
    return message_of<pate::output_error>([&] { const Ledger ledger(path); });
  };
  CHECK(refusal(directory / "absent/l") == (directory / "absent/l").string() +
                                               ": the ledger cannot be opened: No such file or "
                                               "directory");
  CHECK(refusal(directory.path()) ==
        directory.path().string() + ": the ledger cannot be opened: Is a directory");
  CHECK(refusal("/dev/null") == "/dev/null: the ledger cannot be opened: not a regular file");
  const fs::path fifo = directory / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(refusal(fifo) == fifo.string() + ": the ledger cannot be opened: not a regular file");
}

TEST_CASE("when the disk runs full the entry is refused, and the ledger stays readable") {
  const TempDirectory directory;
  const fs::path path = directory / "l";
  { Ledger(path).append(entry("a")); }
  const auto size = fs::file_size(path);
  const pate::test::ChildEnd end = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{size + 40, size + 40};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    Ledger ledger(path);
    const std::string message = message_of<pate::output_error>([&] { ledger.append(entry("b")); });
    return message == path.string() + ": the ledger cannot be written: File too large" ? 0 : 1;
  });
  CHECK(end.status == 0);
  pate::reports::repair_ledger(path);
  CHECK(digests(path) == std::vector<std::string>{"a"});
}

namespace {

JsonValue json(const char* text) {
  return JsonValue::parse(text, "entry");
}

// The same bytes every time.
LedgerEntry whole_entry(const std::string& digest) {
  LedgerEntry result =
      entry_of(pate::test::labelling("00000000000000000000000000000000", "run"), digest);
  const std::string id = pate::test::event_id(digest);
  result.event.open.id = id;
  result.settings = json(R"({"order":14.0})");
  result.time = "2026-11-21T11:30:16Z";
  return result;
}

// A line after those of a text.
std::string next_line(const std::string& text, const std::string& digest) {
  return ledger_addition(text.empty() ? LedgerText{} : parse_ledger(text, "x"),
                         whole_entry(digest));
}

std::string text_of(int entries) {
  std::string text;
  for (int i = 0; i < entries; ++i) {
    text += next_line(text, "digest" + std::to_string(i));
  }
  return text;
}

std::string refusal(const std::string& text) {
  return pate::test::message_of<pate::input_error>([&] { (void)parse_ledger(text, "led.jsonl"); });
}

}  // namespace

TEST_CASE("an entry is one line of JSON, and comes back") {
  const std::string text = text_of(1);
  CHECK(text ==
        R"({"schema":"pate/ledger/v3","written":"0000000001","kind":"event","chain":"",)"
        R"("time":"2026-11-21T11:30:16Z",)"
        R"("tool":{"name":"pate","version":"0.1.0"},"settings":{"order":14.0},)"
        R"("event":{"id":")" +
            pate::test::event_id("digest0") +
            R"(","kind":"run","protects":"teacher","ensemble":"mnist","teachers":250,)"
            R"("classes":10,"mechanism":"gnmax","aggregator":{"name":"gnmax","sigma2":20.0},)"
            R"("queries":5,"delta":1e-05,"origin":{"order":8.0},"steps":{"threshold_checks":[],)"
            R"("gaussian_maxima":[{"sigma2":20.0,"count":5}],"laplace_maxima":[]},)"
            R"("realized":{"asked":5,"answered":5},)"
            R"("private":{"votes_digest":"digest0","run_digest":"run"}}})"
            "\n");
  const LedgerText read = parse_ledger(text, "x");
  REQUIRE(read.entries.size() == 1);
  CHECK(read.entries[0].event == whole_entry("digest0").event);
  CHECK(read.entries[0].settings.dump() == R"({"order":14.0})");
  CHECK(read.entries[0].version == "0.1.0");
  CHECK(read.entries[0].time == "2026-11-21T11:30:16Z");
  CHECK(read.entries[0].line == 1);
}

TEST_CASE("text of any kind stays within its line") {
  LedgerEntry odd = whole_entry("d");
  odd.event.open.mechanism = "a\nb\"\xff";
  odd.settings = json(R"({"path":"x\ny"})");
  const std::string text = ledger_addition({}, odd);
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
  CHECK(parse_ledger(text, "x").entries[0].event.open.mechanism == "a\nb\"\xef\xbf\xbd");
}

TEST_CASE("no part of a ledger of ten entries passes") {
  constexpr int kEntries = 10;
  const std::string text = counted(text_of(kEntries), kEntries);
  const std::string beginning = R"({"schema":"pate/ledger/v3",)";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::string part = text.substr(0, size);
    const auto ends = static_cast<int>(std::count(part.begin(), part.end(), '\n'));
    CAPTURE(size);
    const bool lacks_its_end = size < text.size() && text[size] == '\n';
    const int whole = ends + (lacks_its_end ? 1 : 0);
    const std::string said = refusal(part);
    if (whole == kEntries) {
      CHECK(said == "[no exception]");
      continue;
    }
    const std::string where = whole + 1 == kEntries
                                  ? std::string("line 10 is")
                                  : "lines " + std::to_string(whole + 1) + " to 10 are";
    CHECK(said.find(whole == 0 ? "without a whole entry" : where + " cut off: what") !=
          std::string::npos);
    if (size % 97 == 0 || part.ends_with('\n')) {
      // A file system may extend a file before it writes the bytes.
      for (const std::size_t zeros : {std::size_t{1}, text.size() - size + 1}) {
        CHECK(refusal(part + std::string(zeros, '\0')) != "[no exception]");
      }
    }
    if (whole == 0 || (size % 97 != 0 && !part.ends_with('\n') && !lacks_its_end)) continue;
    const std::string marked = pate::reports::repaired(part, "x");
    const LedgerText read = parse_ledger(marked, "x");
    CHECK(read.entries.size() == static_cast<std::size_t>(whole));
    REQUIRE(read.cut_off.size() == 1);
    CHECK(read.cut_off[0].line == whole + 1);
    CHECK(read.cut_off[0].lines == kEntries - whole);
    CHECK(read.written() == kEntries + 1);
    CHECK(marked == counted(marked, kEntries + 1));
    const LedgerText after = parse_ledger(marked + ledger_addition(read, whole_entry("n")), "x");
    CHECK(after.entries.size() == static_cast<std::size_t>(whole) + 1);
    CHECK(after.entries.back().line == read.lines + 1);
  }
  // One that does not say how many lines it had, as versions before wrote them.
  const auto read = parse_ledger(
      read_bytes(pate::test::source_file("tests/compatibility/0.1.0/ledger.jsonl")), "x");
  CHECK_FALSE(read.count_place);
}

TEST_CASE("the first line says how many there are, whoever appends, and is no less whole for it") {
  const TempDirectory directory;
  const fs::path path = directory / "l";
  for (int lines = 1; lines <= 12; ++lines) {
    Ledger(path).append(entry(std::to_string(lines)));
    CHECK(read_bytes(path) == counted(read_bytes(path), lines));
  }
  // Changed to fewer, it tells nothing; to more, that lines are missing; other than digits,
  // nothing.
  CHECK(parse_ledger(counted(read_bytes(path), 3), "x").entries.size() == 12);
  CHECK(refusal(counted(read_bytes(path), 14)).find("lines 13 to 14 are cut off") !=
        std::string::npos);
  std::string other = read_bytes(path);
  other[pate::reports::count_place(other).value()] = 'x';
  CHECK(refusal(other) ==
        "led.jsonl: line 1 is no line of a ledger: expected 10 digits as \"written\"");
}

TEST_CASE("a ledger is cut and marked again and again, and says all that is left out") {
  pate_test::Random random(61);
  for (int trial = 0; trial < 60; ++trial) {
    const TempDirectory directory;
    const fs::path path = directory / "l";
    int appended = 0;
    std::int64_t lost = 0;
    int kept = 0;
    for (int round = 0; round < 5; ++round) {
      for (auto n = random.integer(1, 4); n > 0; --n) {
        Ledger(path).append(entry(std::to_string(appended++)));
        ++kept;
      }
      const std::string whole = read_bytes(path);
      const std::size_t first = whole.find('\n') + 1;
      const auto size = static_cast<std::size_t>(
          random.integer(static_cast<int>(first), static_cast<int>(whole.size()) - 2));
      const LedgerText before = parse_ledger(whole, "x");
      write_bytes(path, whole.substr(0, size) + (random.integer(0, 9) == 0 ? "\n" : ""));
      CAPTURE(trial);
      CAPTURE(size);
      const std::string cut = read_bytes(path);
      if (refusal(cut) == "[no exception]") {  // but for its last newline
        CHECK(parse_ledger(cut, "x").written() == before.written());
        continue;
      }
      if (cut.ends_with('\n') && refusal(cut).ends_with("not JSON")) {  // nothing followed it
        CHECK_THROWS_AS(pate::reports::repair_ledger(path), pate::input_error);
        write_bytes(path, whole);
        continue;
      }
      CHECK(refusal(cut).find(" cut off: what ") != std::string::npos);
      pate::reports::repair_ledger(path);
      const LedgerText marked = parse_ledger(read_bytes(path), "x");
      CHECK(marked.written() == before.written() + 1);
      lost = 0;
      for (const pate::reports::CutOff& its : marked.cut_off) lost += its.lines;
      // Marks may be cut off, too, and count among what is left out by the next.
      CHECK(static_cast<std::int64_t>(marked.entries.size() + marked.cut_off.size()) + lost ==
            marked.written());
      kept = static_cast<int>(marked.entries.size());
      // Lines of a copy that nobody repaired do not follow.
      const auto places = whole.substr(0, whole.find('\n', size) + 1);
      CHECK(refusal(counted(places, marked.written())) != "[no exception]");
    }
    CHECK(digests(path).size() == static_cast<std::size_t>(kept));
  }
}

TEST_CASE("a last line that has its end and is no JSON is damaged, and not repaired") {
  const std::string text = text_of(10);
  const std::size_t begin = text.rfind('\n', text.size() - 2) + 1;
  const std::string expected = "led.jsonl: line 10 is no line of a ledger: not JSON";
  pate_test::Random random(60);
  for (int trial = 0; trial < 200; ++trial) {
    std::string damaged = text;
    const auto at = static_cast<std::size_t>(
        random.integer(static_cast<int>(begin), static_cast<int>(text.size()) - 2));
    damaged[at] = "{}\"\x01,\0"[random.integer(0, 5)];
    if (nlohmann::json::accept(damaged.substr(begin))) continue;
    CAPTURE(at);
    CHECK(refusal(damaged) == expected);
    CHECK(message_of<pate::input_error>(
              [&] { (void)pate::reports::repaired(damaged, "led.jsonl"); }) == expected);
  }
}

TEST_CASE("what is no ledger is refused by line") {
  const std::string good = text_of(1);
  const std::string what = "led.jsonl: line 2 is no line of a ledger: ";
  CHECK(refusal(good + "hello\n") == what + "not JSON");
  CHECK(refusal(good + "hello") == what + "not JSON");
  CHECK(refusal(good + R"({"schema":"pate/ledger/v3","kind": not)" + "\n" +
                next_line(good, "after")) == what + "not JSON");
  CHECK(refusal(good + "[1]\n") == what + "expected an object");
  CHECK(refusal(good + "{}\n") == what + "expected a text \"schema\"");
  CHECK(refusal(good + R"({"schema":"pate/analyze/v1"})") ==
        what + R"(expected "schema": "pate/ledger/v3")");
  CHECK(refusal("\n") == "led.jsonl: line 1 is no line of a ledger: not JSON");
  const std::string chain =
      R"(,"chain":")" + pate::reports::line_digest(good.substr(0, good.size() - 1)) + '"';
  CHECK(refusal(good + R"({"schema":"pate/ledger/v3","kind":1)" + chain + "}") ==
        what + "expected a text \"kind\"");
  for (const char* lines : {"1", "\"0\""}) {
    CHECK(refusal(good + R"({"schema":"pate/ledger/v3","kind":"torn","lines":)" + lines + chain +
                  "}") == what + "expected \"lines\": 0, the number of torn lines before");
  }
  const auto edited = [&](const std::function<void(nlohmann::ordered_json&)>& edit) {
    nlohmann::ordered_json line = nlohmann::ordered_json::parse(good);
    edit(line);
    return refusal(line.dump() + "\n");
  };
  const std::string first = "led.jsonl: line 1 is no line of a ledger: expected ";
  CHECK(edited([](auto& line) { line["kind"] = "label"; }) == first + "the kind event or torn");
  CHECK(edited([](auto& line) { line["event"].erase("id"); }) == first + "an event with an id");
  CHECK(edited([](auto& line) { line["time"] = 3; }) == first + "a text \"time\"");
  CHECK(edited([](auto& line) { line["tool"] = "pate"; }) == first + "an object \"tool\"");
  // What a crash left begins like a line, is open, and ends in zeros or nothing.
  for (const std::string& torn :
       {std::string(R"({"sch)"), std::string(R"({"schema":"pate/ledger/v3)"),
        std::string(R"({"schema":"pate/ledger/v3","time":"a\"}{)"),
        std::string(R"({"schema":"pate/ledger/v3","k)") + std::string(9, '\0')}) {
    CHECK(refusal(good + torn).find("line 2 is cut off") != std::string::npos);
  }
  for (const std::string& other :
       {std::string(R"({"sch}ema)"), std::string(R"({"schema":"pate/ledger/v4","k)"),
        std::string(R"({"schema":"pate/ledger/v3";"k)"),
        std::string(R"({"schema":"pate/ledger/v3","k)") + '\0' + "x",
        std::string(R"({"schema":"pate/ledger/v3","k":1}})")}) {
    CHECK(refusal(good + other) == what + "not JSON");
  }
  // What is nested very deeply would take all of the stack.
  std::string deep = text_of(1);
  deep.replace(deep.find("\"settings\":") + 11, 0,
               std::string(100000, '[') + "1" + std::string(100000, ']') + ",\"s\":");
  CHECK(refusal(good + deep) == what + "it is nested deeper than 50 levels");
  // Each field of an entry is needed.
  for (const char* field : {"event", "chain", "settings", "tool", "time"}) {
    nlohmann::ordered_json line = nlohmann::ordered_json::parse(good);
    line.erase(field);
    CAPTURE(field);
    CHECK(refusal(line.dump() + "\n").find(field) != std::string::npos);
  }
}

TEST_CASE("a ledger of another version, or of two ensembles, is refused") {
  std::string earlier = text_of(1);
  earlier.replace(earlier.find("/v3"), 3, "/v1");
  CHECK(refusal(earlier) ==
        "led.jsonl: line 1 is no line of a ledger: expected \"schema\": \"pate/ledger/v3\"");
  LedgerEntry other = whole_entry("d");
  other.event.open.classes = 9;
  CHECK(refusal(text_of(1) + ledger_addition(parse_ledger(text_of(1), "x"), other)) ==
        "led.jsonl: line 2 is no line of this ledger: expected the ensemble mnist of 250 teachers "
        "and 10 classes of line 1, found the ensemble mnist of 250 teachers and 9 classes");
}

TEST_CASE("tables of votes stay out of a ledger") {
  LedgerEntry entry = whole_entry("d");
  entry.event.facts.table = {{.statistic = 50, .log_q = -1.0, .count = 5, .asked = 5}};
  entry.event.facts.curves.emplace().orders = {2.0};
  const std::string line = ledger_addition({}, entry);
  CHECK(line.find("log_q") == std::string::npos);
  CHECK(parse_ledger(line, "x").entries[0].event == whole_entry("d").event);
}

TEST_CASE("a line that was changed, taken out, put in or moved is noticed where one follows") {
  constexpr int kLines = 6;
  const std::string text = text_of(kLines);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  REQUIRE(lines.size() == kLines);
  const auto joined = [](const std::vector<std::string>& all) {
    std::string result;
    for (const std::string& line : all) result += line;
    return result;
  };
  REQUIRE(parse_ledger(joined(lines), "x").entries.size() == kLines);
  const auto breaks = [&](const std::vector<std::string>& all, std::size_t line) {
    CAPTURE(line);
    CHECK(refusal(joined(all))
              .find("led.jsonl: line " + std::to_string(line) +
                    " does not follow the line before it") == 0);
  };
  pate_test::Random random(36);
  const auto any = [&](int least, int most) {
    return static_cast<std::size_t>(random.integer(least, most));
  };
  for (int trial = 0; trial < 200; ++trial) {
    // Any digit of a line that another follows, which leaves it JSON.
    std::vector<std::string> all = lines;
    const std::size_t k = any(0, kLines - 2);
    std::size_t at = any(0, static_cast<int>(all[k].size()) - 1);
    at = all[k].find_first_of("0123456789", at);
    if (at == std::string::npos) continue;
    all[k][at] = all[k][at] == '7' ? '8' : '7';
    CAPTURE(all[k]);
    CHECK(refusal(joined(all)) != "[no exception]");
  }
  for (std::size_t k = 0; k + 1 < lines.size(); ++k) {
    std::vector<std::string> all = lines;
    all[k].replace(all[k].find("mnist"), 5, "digit");
    // The first names the ensemble of all: whichever is noticed first.
    CHECK(refusal(joined(all)) != "[no exception]");
    all = lines;
    all[k].replace(all[k].find("\"answered\":5"), 12, "\"answered\":4");
    breaks(all, k + 2);
    all = lines;
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(k));
    breaks(all, k + 1);
    all = lines;
    std::swap(all[k], all[k + 1]);
    breaks(all, k + 1);
    // One that was made for another place, and one that fits where it is put but nothing after it.
    all = lines;
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(k + 1),
               ledger_addition({}, whole_entry("n")));
    breaks(all, k + 2);
    all = lines;
    const std::string before =
        joined({lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(k + 1)});
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(k + 1), next_line(before, "n"));
    breaks(all, k + 3);
  }
  // The same event is not counted twice, whoever writes it down again.
  CHECK(refusal(text + next_line(text, "digest2")) ==
        "led.jsonl: line 7 is no line of this ledger: expected an event of its own, found that of "
        "a line before");
}

TEST_CASE("settings must be an object") {
  LedgerEntry bad = whole_entry("d");
  bad.settings = json("[]");
  CHECK(pate::test::message_of<pate::parameter_error>([&] { (void)ledger_addition({}, bad); }) ==
        "the settings of a ledger entry must be a JSON object, got '[]'");
}

TEST_SUITE_END();
