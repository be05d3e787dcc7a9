#include "support/paths.hpp"

#include <filesystem>

// The only unit that is compiled with paths: all others are the same in every checkout.
namespace pate::test {

std::string source_file(const std::string& path) {
  return std::string(PATE_SOURCE_DIR) + "/" + path;
}

std::string program_path() {
  return PATE_PROGRAM;
}

std::string sample(const std::string& name) {
  return source_file("sample_votes/" + name);
}

std::string shared_votes(const std::string& name) {
  const std::string path = source_file("../shared/votes/" + name);
  return std::filesystem::exists(path) ? path : "";
}

}  // namespace pate::test
