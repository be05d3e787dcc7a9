#pragma once

namespace pate::cli {

/// Makes every signal that ends the program, but for those of its own faults, do so without leaving
/// temporary files behind; the program still ends by the signal, which a shell shows as status
/// 128 + n. Signals that are ignored (nohup, background jobs) stay ignored. A file that grows
/// beyond what is allowed (SIGXFSZ) fails to be written instead. For `main`.
void end_cleanly_on_signals();

/// Makes a mapped input that is cut while it is read an input error: the SIGBUS that touching what
/// is gone raises ends the program with one line on standard error, status `kBadInput` and no
/// temporary files left behind. Any other SIGBUS ends it as ever. For `main`.
void report_cut_files();

/// While it lives the first SIGINT or SIGTERM does not end the program but is remembered, for work
/// that can stop early and still deliver what is done:
///
///     Interruption interruption;
///     while (more() && !interruption.requested()) step();
///     deliver(complete = !interruption.requested());
///     return interruption.requested() ? interruption.exit_status() : kDone;
///
/// A second signal ends the program at once, without temporaries left behind. At the end of its
/// life the handlers from before are back. One at a time: making a second is a `std::logic_error`.
class Interruption {
 public:
  /// said: written to standard error at once when the first signal comes; must outlive this.
  explicit Interruption(const char* said = "");
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();

  /// The signal that came, 0 when none did. May be asked from any thread.
  [[nodiscard]] int signal() const noexcept;
  [[nodiscard]] bool requested() const noexcept { return signal() != 0; }
  /// 128 + the number of the signal: what a shell shows for a program that ends by it. Domain:
  /// `requested()`.
  [[nodiscard]] int exit_status() const noexcept { return 128 + signal(); }
};

}  // namespace pate::cli
