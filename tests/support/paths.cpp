#include "support/paths.hpp"

#include <cstdlib>
#include <filesystem>

// The only unit that is compiled with paths: all others are the same in every checkout.
namespace pate::test {

std::string source_file(const std::string& path) {
  return std::string(PATE_SOURCE_DIR) + "/" + path;
}

std::string program_path() {
  // Mutants of the program are in another one (tests/mutants).
  const char* const other = std::getenv("PATE_TEST_PROGRAM");
  return other != nullptr ? other : PATE_PROGRAM;
}

std::string sample(const std::string& name) {
  return source_file("sample_votes/" + name);
}

bool has_shared_votes() {
  return std::filesystem::is_directory(source_file("../shared/votes"));
}

std::string shared_votes(const std::string& name) {
  return source_file("../shared/votes/" + name);
}

}  // namespace pate::test
