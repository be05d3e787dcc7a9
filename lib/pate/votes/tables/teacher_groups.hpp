#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pate/votes/tables/open_table.hpp"

namespace pate {

/// Which group each teacher belongs to: a hospital, a client, whoever trained several of them.
struct TeacherGroups {
  std::vector<std::string> names;       ///< in the order of their first teachers
  std::vector<std::size_t> of_teacher;  ///< a place in names

  [[nodiscard]] std::size_t size_of(std::size_t group) const;
};

namespace io {

/// The groups, and the file they are in, as a table with one column of their places.
struct OpenedGroups {
  TeacherGroups groups;
  OpenedTable opened;
};

/// Reads a text file with a line for each teacher, in their order: the name of its group, without
/// blanks around it. Or, after the line "teacher,group", a line "NUMBER,NAME" for each, in any
/// order, teachers being numbered from 0 as the rows of their predictions. Names are at most 100
/// bytes. Throws `input_error` naming file and line for a name that is missing or too long, a line
/// with a comma without that heading, a number that is no teacher's, a teacher that is missing or
/// there twice, and a number of lines that is not that of the teachers.
[[nodiscard]] OpenedGroups open_teacher_groups(const std::string& path, std::int64_t teachers);

}  // namespace io

}  // namespace pate
