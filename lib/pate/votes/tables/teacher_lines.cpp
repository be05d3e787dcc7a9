#include "pate/votes/tables/teacher_lines.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace pate::io {

namespace {

class ColumnTable final : public NumericTable {
 public:
  ColumnTable(std::string name, std::vector<double> numbers)
      : name_(std::move(name)), numbers_(std::move(numbers)) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] int dimensions() const override { return 1; }
  [[nodiscard]] std::int64_t rows() const override {
    return static_cast<std::int64_t>(numbers_.size());
  }
  [[nodiscard]] std::int64_t columns() const override { return 1; }
  [[nodiscard]] TableDescription description() const override { return {"text", "text", {rows()}}; }

 private:
  template <typename Number>
  void fill(const Block& block, std::span<Number> out) const {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<Number>(numbers_[static_cast<std::size_t>(block.first_row) + i]);
    }
  }
  void copy(const Block& block, std::span<std::int64_t> out) const override { fill(block, out); }
  void copy(const Block& block, std::span<double> out) const override { fill(block, out); }

  std::string name_;
  std::vector<double> numbers_;
};

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string> lines_of(const MappedFile& file) {
  std::string_view text = as_text(file.bytes());
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(trimmed(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::shared_ptr<const NumericTable> column_of(std::string name, std::vector<double> numbers) {
  return std::make_shared<const ColumnTable>(std::move(name), std::move(numbers));
}

}  // namespace pate::io
