#pragma once

#include <string>

namespace pate::test {

/// A file of the checkout, by its path in it.
std::string source_file(const std::string& path);

/// The program that was built with these tests.
std::string program_path();

/// A file of sample_votes.
std::string sample(const std::string& name);

/// A real dump beside the checkout, or "" where there is none.
std::string shared_votes(const std::string& name);

}  // namespace pate::test
