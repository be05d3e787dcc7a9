#include "pate/reports/tex_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

namespace pate {

namespace {

using Word = std::pair<std::string_view, std::string_view>;

constexpr std::array<Word, 14> kEscaped{{{"\\", "\\textbackslash{}"},
                                         {"~", "\\textasciitilde{}"},
                                         {"^", "\\textasciicircum{}"},
                                         {"<", "\\textless{}"},
                                         {">", "\\textgreater{}"},
                                         {"|", "\\textbar{}"},
                                         {"\"", "''"},
                                         {"&", "\\&"},
                                         {"%", "\\%"},
                                         {"$", "\\$"},
                                         {"#", "\\#"},
                                         {"_", "\\_"},
                                         {"{", "\\{"},
                                         {"}", "\\}"}}};

// What follows each other of these is one formula.
constexpr std::array<Word, 51> kMathematics{{
    {"α", "\\alpha "},
    {"β", "\\beta "},
    {"γ", "\\gamma "},
    {"δ", "\\delta "},
    {"ε", "\\varepsilon "},
    {"ζ", "\\zeta "},
    {"η", "\\eta "},
    {"θ", "\\theta "},
    {"ι", "\\iota "},
    {"κ", "\\kappa "},
    {"λ", "\\lambda "},
    {"μ", "\\mu "},
    {"ν", "\\nu "},
    {"ξ", "\\xi "},
    {"π", "\\pi "},
    {"ρ", "\\rho "},
    {"σ", "\\sigma "},
    {"τ", "\\tau "},
    {"φ", "\\varphi "},
    {"χ", "\\chi "},
    {"ψ", "\\psi "},
    {"ω", "\\omega "},
    {"Δ", "\\Delta "},
    {"Σ", "\\Sigma "},
    {"·", "\\cdot "},
    {"×", "\\times "},
    {"≤", "\\leq "},
    {"≥", "\\geq "},
    {"−", "-"},
    {"∞", "\\infty "},
    {"⁰", "^{0}"},
    {"¹", "^{1}"},
    {"²", "^{2}"},
    {"³", "^{3}"},
    {"⁴", "^{4}"},
    {"⁵", "^{5}"},
    {"⁶", "^{6}"},
    {"⁷", "^{7}"},
    {"⁸", "^{8}"},
    {"⁹", "^{9}"},
    {"⁻", "^{-}"},
    {"₀", "_{0}"},
    {"₁", "_{1}"},
    {"₂", "_{2}"},
    {"₃", "_{3}"},
    {"₄", "_{4}"},
    {"₅", "_{5}"},
    {"₆", "_{6}"},
    {"₇", "_{7}"},
    {"₈", "_{8}"},
    {"₉", "_{9}"},
}};

template <std::size_t kSize>
const Word* beginning(const std::array<Word, kSize>& words, std::string_view text) {
  const auto found =
      std::ranges::find_if(words, [&](const Word& word) { return text.starts_with(word.first); });
  return found == words.end() ? nullptr : &*found;
}

// Takes a formula from the front of `text`, without the signs around it. Raised signs after each
// other are raised together.
std::string take_formula(std::string_view& text) {
  std::string formula;
  std::string has;  // scripts of the sign before: TeX takes none of them twice
  while (const Word* const word = beginning(kMathematics, text)) {
    const std::string_view its = word->second;
    const bool moved = its.starts_with('^') || its.starts_with('_');
    // "^{-}" and "^{5}" together are "^{-5}".
    if (moved && has.ends_with(its.front())) {
      formula.pop_back();
      formula += its.substr(2);
    } else {
      const bool is_second = moved && has.find(its.front()) != std::string::npos;
      if (is_second) formula += "{}";
      if (is_second || !moved) has.clear();
      if (moved) has += its.front();
      formula += its;
    }
    text.remove_prefix(word->first.size());
  }
  return formula;
}

}  // namespace

std::string tex_text(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    if (const std::string formula = take_formula(text); !formula.empty()) {
      result += '$' + formula + '$';
    } else if (const Word* const word = beginning(kEscaped, text)) {
      result += word->second;
      text.remove_prefix(1);
    } else {
      const char c = text.front();
      result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
      text.remove_prefix(1);
    }
  }
  return result;
}

std::string tex_power(const std::string& number) {
  const std::size_t e = number.find('e');
  if (e == std::string::npos) return number;
  const std::string digits = number.substr(0, e);
  const int power = std::stoi(number.substr(e + 1));
  return digits == "1" ? fmt::format("$10^{{{}}}$", power)
                       : fmt::format("${} \\cdot 10^{{{}}}$", digits, power);
}

}  // namespace pate
