#include "pate/reports/curve_tables.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <random>
#include <system_error>
#include <utility>

#include "pate/base/atomic_file.hpp"
#include "pate/base/digests.hpp"
#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/base/ownership.hpp"
#include "pate/base/require.hpp"
#include "pate/release/curve/complex_parameters.hpp"
#include "pate/reports/source_digests.hpp"

namespace pate::reports {

namespace {

// Another number as soon as the form of a file changes.
constexpr std::string_view kTablesFormat = "pate curve tables 3\n";
constexpr const char* kModuliExtension = ".moduli";

std::string tables_header() {
  return fmt::format("{}sources {}\n", kTablesFormat, curve_sources());
}

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

std::string digest_of(std::string_view text) {
  return io::sha256_hex(std::as_bytes(std::span(text)));
}

// All that the tables of costs depend on but the order.
std::string inputs_of(const CostSpec& question) {
  const Aggregator& aggregator = question.aggregator;
  std::string text = fmt::format(
      "{} {} teachers={} classes={} {}={:a}", name(question.cost),
      question.reading == ReleasedCost::realized ? "realized" : "joint", question.teachers,
      question.classes, aggregator.noisy_max.names().parameter, aggregator.noisy_max.parameter());
  if (aggregator.selection) {
    text += fmt::format(" threshold={:a} sigma1={:a}", aggregator.selection->threshold,
                        aggregator.selection->sigma1);
  }
  if (aggregator.interactive) text += " interactive";
  if (const Neighbours& its = question.neighbours; its.teachers > 1) {
    text += fmt::format(" neighbours={} of {}", name(its.adjacency), its.teachers);
  }
  return text;
}

// Of moduli: whatever is kept of the run besides.
std::string inputs_of(const CostSpec& question, const ComplexOrders& orders) {
  std::string text = fmt::format("moduli {} step={:a} terms={} reals=", inputs_of(question),
                                 orders.step, orders.terms);
  for (const double a : orders.reals) text += fmt::format("{:a},", a);
  return text + "\n";
}

constexpr double kMostModuli = 0x1p30;  // bytes
constexpr std::size_t kDigestNumbers = 4;

// Of default parameters, of the kind of curve that the first word tells.
std::string inputs_of(std::string_view kind, const CostSpec& question, std::int64_t queries,
                      double delta) {
  return fmt::format("{}: {} queries={} delta={:a}\n", kind, inputs_of(question), queries, delta);
}

std::vector<std::int64_t> numbers_of(std::initializer_list<double> parameters) {
  std::vector<std::int64_t> numbers;
  for (const double one : parameters) numbers.push_back(std::bit_cast<std::int64_t>(one));
  return numbers;
}

// The next `parameters` of what is kept, which must be all of it.
void take_parameters(std::span<const std::int64_t> numbers,
                     std::initializer_list<double*> parameters) {
  require(numbers.size() == parameters.size(), "expected {} numbers", parameters.size());
  for (double* const one : parameters) {
    *one = std::bit_cast<double>(numbers.front());
    numbers = numbers.subspan(1);
  }
}

std::vector<std::int64_t> numbers_of(std::string_view hex) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < kDigestNumbers; ++i) {
    std::uint64_t number = 0;
    for (const char digit : hex.substr(16 * i, 16)) {
      number =
          number << 4U | static_cast<std::uint64_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    }
    numbers.push_back(std::bit_cast<std::int64_t>(number));
  }
  return numbers;
}

std::string inputs_at_order(const CostSpec& question) {
  return fmt::format("{} order={:a}\n", inputs_of(question), question.order);
}

}  // namespace

Notice tables_unused() {
  return {"tables_unused",
          "\1tables has nothing to keep here: moduli at complex orders of so many teachers take "
          "more than a gigabyte, and are computed anew; tables of Renyi orders (\1certificate "
          "renyi) are kept"};
}

CurveTables::CurveTables(std::filesystem::path directory) : directory_(std::move(directory)) {
  if (directory_.empty()) return;
  constexpr mode_t kNew = 0755;  // whatever the umask, nobody else may write
  const int failure = ::mkdir(directory_.c_str(), kNew) == 0 ? 0 : errno;
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory_, ignored)) {
    throw output_error(fmt::format("{}: cannot keep tables there: {}", directory_.string(),
                                   failure != 0 && failure != EEXIST
                                       ? std::generic_category().message(failure)
                                       : "it is no directory"));
  }
  io::require_own(directory_);
}

std::filesystem::path CurveTables::path_of(const std::string& inputs) const {
  return directory_ / (digest_of(tables_header() + inputs).substr(0, 32) + ".curve");
}

template <class Take>
bool CurveTables::read(const std::string& inputs, const Take& take) const {
  if (directory_.empty()) return false;
  const std::filesystem::path path = path_of(inputs);
  std::error_code ignored;
  if (std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found) {
    return false;
  }
  io::require_own(path);
  const io::MappedFile file(path);
  std::string_view text = io::as_text(file.bytes());
  const auto fail = [&](const std::string& what) {
    throw input_error(fmt::format(
        "{}: {}; it is no file of tables that this program wrote, or it is damaged: remove it, or "
        "keep tables elsewhere",
        path.string(), what));
  };
  const auto expect = [&](std::string_view line, const char* what) {
    if (!text.starts_with(line)) {
      fail(fmt::format("expected {} '{}'", what, line.substr(0, line.size() - 1)));
    }
    text.remove_prefix(line.size());
  };
  expect(kTablesFormat, "the line");
  expect(tables_header().substr(kTablesFormat.size()), "the line");
  expect(inputs, "the inputs");
  const std::size_t end = std::min(text.find('\n'), text.size() - 1);
  const std::string_view numbers = text.substr(end + 1);
  expect(fmt::format("{} {}\n", numbers.size() / sizeof(std::int64_t), digest_of(numbers)),
         "the number of numbers that follow and their digest");
  if (numbers.size() % sizeof(std::int64_t) != 0) fail("expected whole numbers of eight bytes");
  std::vector<std::int64_t> values(numbers.size() / sizeof(std::int64_t));
  std::memcpy(values.data(), numbers.data(), numbers.size());
  try {
    take(std::span<const std::int64_t>(values));
  } catch (const parameter_error& failure) {
    fail(failure.what());
  }
  used_.push_back({path.string(), io::sha256_hex(file.bytes()), true});
  return true;
}

void CurveTables::write(const std::string& inputs, std::span<const std::int64_t> numbers) const {
  if (directory_.empty()) return;
  const std::string_view bytes = io::as_text(std::as_bytes(numbers));
  std::string text =
      fmt::format("{}{}{} {}\n", tables_header(), inputs, numbers.size(), digest_of(bytes));
  text += bytes;
  const std::filesystem::path path = path_of(inputs);
  io::write_file_atomically(path, text);
  used_.push_back({path.string(), digest_of(text), false});
}

std::shared_ptr<const CostsWithinDistance> CurveTables::kept(const CostSpec& question) const {
  std::shared_ptr<const CostsWithinDistance> result;
  const bool found = read(inputs_at_order(question), [&](std::span<const std::int64_t> numbers) {
    const std::uint64_t seed =
        std::uint64_t{std::random_device()()} << 32U | std::random_device()();
    result = std::make_shared<const CostsWithinDistance>(question, numbers, seed);
  });
  return found ? result : nullptr;
}

std::shared_ptr<const CostsWithinDistance> CurveTables::costs(
    const CostSpec& question, unsigned threads, const ProgressCallback& progress) const {
  return costs_at(question, {&question.order, 1}, threads, progress).front();
}

std::vector<std::shared_ptr<const CostsWithinDistance>> CurveTables::costs_at(
    const CostSpec& question, std::span<const double> orders, unsigned threads,
    const ProgressCallback& progress) const {
  std::vector<std::shared_ptr<const CostsWithinDistance>> result;
  std::vector<double> missing;
  CostSpec its = question;
  for (const double order : orders) {
    its.order = order;
    validate(its);
    result.push_back(kept(its));
    if (!result.back()) missing.push_back(order);
  }
  if (missing.empty()) return result;
  const auto computed = CurveTableSource::costs_at(question, missing, threads, progress);
  auto next = computed.begin();
  for (auto& costs : result) {
    if (costs) continue;
    costs = *next++;
    if (!directory_.empty()) write(inputs_at_order(costs->question()), costs->numbers());
  }
  return result;
}

CurveRecipe CurveTables::recipe(const CostSpec& question, std::int64_t queries, double delta,
                                unsigned threads, const ProgressCallback& progress) const {
  const std::string inputs = inputs_of("default parameters", question, queries, delta);
  CurveRecipe result;
  CostSpec at_order = question;
  if (read(inputs, [&](std::span<const std::int64_t> numbers) {
        CurveParameters& found = result.parameters;
        take_parameters(numbers, {&found.order, &found.s, &found.beta});
        pate::validate(found);
      })) {
    at_order.order = result.parameters.order;
    result.costs = costs(at_order, threads, progress);
    return result;
  }
  result = CurveTableSource::recipe(question, queries, delta, threads, progress);
  if (directory_.empty()) return result;
  at_order.order = result.parameters.order;
  const CurveParameters& found = result.parameters;
  write(inputs_at_order(at_order), result.costs->numbers());
  write(inputs, numbers_of({found.order, found.s, found.beta}));
  return result;
}

ComplexParameters CurveTables::complex_recipe(const CostSpec& question, std::int64_t queries,
                                              double delta, unsigned threads,
                                              const ProgressCallback& progress) const {
  const std::string inputs = inputs_of("default complex parameters", question, queries, delta);
  ComplexParameters its;
  if (read(inputs, [&](std::span<const std::int64_t> numbers) {
        take_parameters(numbers, {&its.orders_for, &its.floor, &its.s, &its.beta});
        pate::validate(its);
      })) {
    return its;
  }
  its = CurveTableSource::complex_recipe(question, queries, delta, threads, progress);
  if (!directory_.empty()) write(inputs, numbers_of({its.orders_for, its.floor, its.s, its.beta}));
  return its;
}

std::unique_ptr<const ModulusTable> CurveTables::kept(const KeyModuli& moduli,
                                                      const std::string& inputs,
                                                      unsigned threads) const {
  std::unique_ptr<const ModulusTable> result;
  TableFile used;
  const bool found = read(inputs, [&](std::span<const std::int64_t> numbers) {
    if (numbers.size() != kDigestNumbers) throw parameter_error("expected a digest");
    std::filesystem::path path = path_of(inputs);
    path.replace_extension(kModuliExtension);
    std::error_code none;
    if (!std::filesystem::exists(path, none)) return;  // then made anew, as without the digest
    io::require_own(path);
    const auto file = std::make_shared<const io::MappedFile>(path);
    const std::span<const std::byte> bytes = file->bytes();
    const std::string digest = io::sha256_hex(bytes);
    if (!std::ranges::equal(numbers, numbers_of(digest))) {
      throw parameter_error(fmt::format("the digest of {} is another", path.string()));
    }
    // A mapping begins with a page. NOLINTNEXTLINE(*-reinterpret-cast)
    const auto* const values = reinterpret_cast<const ModulusUnits*>(bytes.data());
    const std::uint64_t seed =
        std::uint64_t{std::random_device()()} << 32U | std::random_device()();
    result = std::make_unique<const ModulusTable>(
        moduli, file, std::span(values, bytes.size() / sizeof(ModulusUnits)), seed, threads);
    used = {path.string(), digest, true};
  });
  if (found && result) used_.push_back(used);
  return result;
}

void CurveTables::write(const std::string& inputs, const ModulusTable& table) const {
  const std::string_view bytes = io::as_text(std::as_bytes(table.values()));
  std::filesystem::path path = path_of(inputs);
  path.replace_extension(kModuliExtension);
  const std::string digest = digest_of(bytes);
  io::write_file_atomically(path, bytes);
  write(inputs, numbers_of(digest));
  used_.push_back({path.string(), digest, false});
}

std::vector<ComplexCosts> CurveTables::complex_costs(
    const CostSpec& question, const ComplexOrders& orders, std::span<const VoteProfile> runs,
    unsigned threads, const ProgressCallback& progress, std::size_t distances) const {
  const KeyModuli moduli(question.aggregator.noisy_max.gaussian(), question.aggregator.selection,
                         question.teachers, question.classes, orders);
  const bool is_kept = !directory_.empty() && ModulusTable::memory(moduli) <= kMostModuli;
  has_unused_ = has_unused_ || (!directory_.empty() && !is_kept);
  if (!is_kept) {
    return CurveTableSource::complex_costs(question, orders, runs, threads, progress, distances);
  }
  const std::string inputs = inputs_of(question, orders);
  if (!last_ || last_of_ != inputs) {
    std::unique_ptr<const ModulusTable> table = kept(moduli, inputs, threads);
    if (!table) {
      table = std::make_unique<const ModulusTable>(moduli, threads, progress);
      write(inputs, *table);
    }
    last_ = std::move(table);
    last_of_ = inputs;
  }
  std::vector<std::vector<KeyCount>> keys;
  for (const VoteProfile& run : runs) keys.push_back(keys_of(run));
  return pate::complex_costs(moduli, *last_, keys, distances, threads);
}

}  // namespace pate::reports
