#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

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

}  // namespace pate::io
