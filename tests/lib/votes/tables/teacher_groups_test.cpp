#include "pate/votes/tables/teacher_groups.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "support/temp_directory.hpp"

using pate::input_error;
using pate::TeacherGroups;

namespace {

class GroupFile {
 public:
  explicit GroupFile(const std::string& text) { std::ofstream(path(), std::ios::binary) << text; }
  [[nodiscard]] std::string path() const { return (directory_.path() / "groups.txt").string(); }
  [[nodiscard]] TeacherGroups read(std::int64_t teachers) const {
    return pate::io::open_teacher_groups(path(), teachers).groups;
  }
  [[nodiscard]] std::string refusal(std::int64_t teachers) const {
    try {
      (void)read(teachers);
    } catch (const input_error& error) {
      return std::string(error.what()).substr(path().size());
    }
    return "";
  }

 private:
  pate::test::TempDirectory directory_;
};

}  // namespace

TEST_SUITE("teacher_groups") {
  TEST_CASE("a line a teacher") {
    const GroupFile file("north\r\n south wing \nnorth\nwest");
    const TeacherGroups groups = file.read(4);
    CHECK(groups.names == std::vector<std::string>{"north", "south wing", "west"});
    CHECK(groups.of_teacher == std::vector<std::size_t>{0, 1, 0, 2});
    CHECK(groups.size_of(0) == 2);
    const auto opened = pate::io::open_teacher_groups(file.path(), 4);
    CHECK(opened.opened.sha256().size() == 64);
    CHECK(opened.opened.table->rows() == 4);
  }

  TEST_CASE("numbers of teachers in any order") {
    const TeacherGroups groups = GroupFile("teacher,group\n2,a\n0, b \n1,a,b\n").read(3);
    CHECK(groups.names == std::vector<std::string>{"a", "b", "a,b"});
    CHECK(groups.of_teacher == std::vector<std::size_t>{1, 2, 0});
  }

  TEST_CASE("what is no list of groups is refused") {
    CHECK(GroupFile("a\nb\n").refusal(3) ==
          ": expected a line for each of the 3 teachers, without a heading, found 2");
    CHECK(GroupFile("a\n\nb\n").refusal(3) == ": line 2: expected the name of a group, found none");
    CHECK(GroupFile("0,a\n1,b\n").refusal(2).find("found a comma") != std::string::npos);
    CHECK(GroupFile("teacher,group\n0,a\n0,b\n").refusal(2) ==
          ": line 3: teacher 0 is there twice");
    for (const char* line : {"2,b", "-1,b", "x,b", "1.5,b", "1", ",b", "1 2,b"}) {
      CHECK(GroupFile(std::string("teacher,group\n0,a\n") + line + "\n")
                .refusal(2)
                .find("expected the number of a teacher, 0 to 1") != std::string::npos);
    }
    for (const char* heading : {"group", "Groups", "group_id", "GROUP NAME"}) {
      CHECK(
          GroupFile(std::string(heading) + "\na\nb\n").refusal(3).find("looks like the heading") !=
          std::string::npos);
    }
    CHECK(GroupFile("group1\ngroup2\n").refusal(2).find("looks like") == std::string::npos);
    CHECK(GroupFile("teacher,group\n0,a\n1,\n").refusal(2) ==
          ": line 3: expected the name of a group, found none");
    CHECK(GroupFile(std::string(101, 'a') + "\n").refusal(1) ==
          ": line 1: expected a name of at most 100 bytes, found 101");
    CHECK(GroupFile("").refusal(1) ==
          ": expected a line for each of the 1 teachers, without a heading, found 0");
    CHECK_THROWS_AS((void)pate::io::open_teacher_groups("/nowhere/groups.txt", 1), input_error);
  }
}
