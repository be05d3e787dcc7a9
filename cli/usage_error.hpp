#pragma once

#include <stdexcept>

namespace pate::cli {

/// A command line that cannot be right; the message says which option to add, drop or change.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pate::cli
