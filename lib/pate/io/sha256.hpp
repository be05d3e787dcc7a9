#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace pate {

/// SHA-256 of bytes that come in pieces.
///
/// Throws `error` should the cryptographic library refuse (it has no SHA-256, no memory).
class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  ~Sha256();

  /// Appends bytes.
  void update(std::span<const std::byte> bytes);
  /// The digest of what was appended so far, 64 lowercase hexadecimal digits; more may follow.
  [[nodiscard]] std::string hex_digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// SHA-256 of `bytes` as 64 lowercase hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::span<const std::byte> bytes);

}  // namespace pate
