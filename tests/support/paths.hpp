#pragma once

#include <string>

namespace pate::test {

/// A file of the checkout, by its path in it.
std::string source_file(const std::string& path);

/// The program that was built with these tests.
std::string program_path();

/// A file of sample_votes.
std::string sample(const std::string& name);

/// Whether real dumps lie beside the checkout. Tests that need them say
/// `* doctest::skip(!has_shared_votes())`, so that they are counted as skipped without.
bool has_shared_votes();

/// A real dump beside the checkout; it must be there.
std::string shared_votes(const std::string& name);

}  // namespace pate::test
