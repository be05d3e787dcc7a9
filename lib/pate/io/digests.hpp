#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "pate/votes/row_selection.hpp"
#include "pate/votes/vote_source.hpp"

struct evp_md_ctx_st;  // of the cryptographic library

namespace pate::io {

/// SHA-256 of bytes that come in pieces.
///
/// Throws `error` should the cryptographic library refuse (it has no SHA-256, no memory).
class Sha256 {
 public:
  Sha256();

  /// Appends bytes.
  void update(std::span<const std::byte> bytes);
  /// The digest of what was appended so far, 64 lowercase hexadecimal digits; more may follow.
  [[nodiscard]] std::string hex_digest() const;

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  using Context = std::unique_ptr<evp_md_ctx_st, Free>;
  static Context new_context();

  Context context_ = new_context();
};

/// Loads what SHA-256 needs, so that it is there when threads have taken the rest of the memory;
/// `std::bad_alloc` where there is too little. Otherwise the first digest does.
void load_digests();

/// SHA-256 of `bytes` as 64 lowercase hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::span<const std::byte> bytes);

/// The identity of votes whatever file they came in: SHA-256, in hexadecimal, of the numbers of
/// rows and classes followed by the counts of the selected rows, row-major, all as little-endian
/// int64. From `kClassesMostlyEmpty` classes on the counts are those that are not zero, each after
/// the row, in the selection, and the class that it is of, and -1 precedes them all. Throws what
/// reading the votes throws.
[[nodiscard]] std::string votes_digest(const VoteSource& votes, const RowSelection& rows);

}  // namespace pate::io
