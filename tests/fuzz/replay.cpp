// Runs inputs that are kept, in a build without libFuzzer: replay TARGET FOLDER...
//
// Every file below the folders is one. They are run as they are, and cut short, each as often as it
// has power of two bytes; all are read to the end or refused. A target that takes none of them is
// not tested by them, which is an error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/targets.hpp"

namespace {

std::vector<std::filesystem::path> files_below(std::span<char*> folders) {
  std::vector<std::filesystem::path> files;
  for (const char* folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

int replay(const pate::fuzz::Target& target, std::span<char*> folders) {
  int inputs = 0;
  int taken = 0;
  for (const std::filesystem::path& path : files_below(folders)) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<std::uint8_t> bytes(std::istreambuf_iterator<char>(file), {});
    try {
      taken += pate::fuzz::run(target, bytes) ? 1 : 0;
      for (std::size_t size = 1; size < bytes.size(); size *= 2) {
        (void)pate::fuzz::run(target, std::span(bytes).first(size));
      }
    } catch (const std::exception& error) {
      std::cerr << path << ": " << error.what() << '\n';
      return 1;
    }
    ++inputs;
  }
  std::cout << target.name << ": " << inputs << " inputs, " << taken << " of them taken\n";
  return taken > 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  const std::span<char*> all(words, static_cast<std::size_t>(count));
  const auto* target = count > 2 ? std::ranges::find(pate::fuzz::kTargets, std::string_view(all[1]),
                                                     &pate::fuzz::Target::name)
                                 : pate::fuzz::kTargets.end();
  if (target == pate::fuzz::kTargets.end()) {
    std::cerr << "usage: fuzz_replay TARGET FOLDER...\n";
    return 2;
  }
  return replay(*target, all.subspan(2));
}
