// What libFuzzer calls with whatever it makes up. Every target is this file, compiled with the name
// of one of the functions below as PATE_FUZZ_TARGET; what is not the input's fault is a finding:
// any exception but those for input, a sanitizer's report, a promise of a reader that is broken.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/exit_status.hpp"
#include "pate/base/error.hpp"
#include "pate/base/json.hpp"
#include "pate/events/account_record.hpp"
#include "pate/inspection/content_doubts.hpp"
#include "pate/inspection/teachers_mismatch.hpp"
#include "pate/reports/ledger.hpp"
#include "pate/reports/ledger_account.hpp"
#include "pate/reports/read_events.hpp"
#include "pate/reports/read_shard.hpp"
#include "pate/reports/record_json.hpp"
#include "pate/tuning/tuning_grid.hpp"
#include "pate/votes/helped_table.hpp"
#include "pate/votes/query_columns.hpp"
#include "pate/votes/row_sums.hpp"
#include "pate/votes/tables/open_table.hpp"
#include "pate/votes/vote_source.hpp"
#include "support/archives.hpp"

namespace {

constexpr bool kStructured = PATE_FUZZ_STRUCTURED;

using Bytes = std::span<const std::uint8_t>;

void require(bool promise) {
  if (!promise) std::abort();
}

std::string_view text_of(Bytes bytes) {
  // NOLINTNEXTLINE(*-reinterpret-cast): bytes are characters.
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Bytes bytes_of(std::string_view text) {
  // NOLINTNEXTLINE(*-reinterpret-cast): characters are bytes.
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// The bytes as a file that a path leads to.
class MemoryFile {
 public:
  explicit MemoryFile(Bytes bytes) : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    require(descriptor_ >= 0 &&
            ::write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

void read_some(const pate::VoteSource& votes) {
  const std::int64_t queries = std::min<std::int64_t>(votes.queries(), 50);
  if (queries * votes.classes() > 100'000) return;
  std::vector<std::int32_t> counts(static_cast<std::size_t>(queries * votes.classes()));
  votes.read(0, queries, counts);
  std::int64_t sum = 0;
  for (const std::int32_t count : counts) {
    require(count >= 0);
    sum += count;
  }
  const std::int64_t all = queries * votes.teachers();
  require(sum == all || (sum < all && votes.leaves_out_abstentions()));
}

// What the contents betray, and why there may be other teachers: neither may fail of itself.
void look_at(const pate::VoteSource& votes, const pate::NumericTable& table, pate::Layout layout) {
  if (votes.queries() * votes.classes() > 100'000) return;
  const pate::RowSelection rows = pate::RowSelection::all(votes.queries());
  (void)pate::content_doubts({votes, rows, table, layout, {}});
  (void)pate::why_other_teachers(votes, table, layout, 10);
  (void)pate::fitting_layout(table);
}

// The same file as what goes with votes: labels, decisions, row numbers, each refused for itself.
void read_beside(const pate::NumericTable& table) {
  if (table.rows() > 10'000) return;
  const std::int64_t rows = std::max<std::int64_t>(1, table.rows());
  const pate::RowSelection all = pate::RowSelection::all(rows);
  const pate::VotesShape votes{rows, 3, all};
  const auto refused = [](const auto& read) {
    try {
      read();
    } catch (const pate::input_error&) {  // NOLINT(bugprone-empty-catch): what is wrong is told
    }
  };
  refused([&] {
    for (const std::int32_t label : pate::read_labels(table, votes, {})) {
      require(label >= 0 && label < 3);
    }
  });
  refused([&] {
    for (const std::uint8_t decision : pate::read_decisions(table, votes, {}, {})) {
      require(decision <= 1);
    }
  });
  refused([&] { (void)pate::read_indices(table); });
}

// Opens a file as a table, reads a corner of it in two ways, and votes from it. The first byte of
// the input chooses how the first line and column are read, and what the numbers are.
void read_as_table(std::uint8_t choice, Bytes content) {
  const auto chosen = [&](unsigned bit) { return (choice & bit) != 0; };
  pate::FirstLine first_line;
  first_line.counting = static_cast<pate::FirstLine::Counting>(choice % 4 % 3);
  first_line.classes = 3;
  if (chosen(4)) first_line.is_header = chosen(8);
  if (chosen(16)) first_line.index_column = chosen(32);
  if (chosen(64) && chosen(128)) first_line.missing = -1;
  if (chosen(64) && chosen(32)) first_line.class_names = {"cat", "dog", "a b"};
  first_line.stack_members = chosen(64);
  const MemoryFile file(content);
  const auto opened = pate::io::open_table(file.path(), first_line);
  const pate::NumericTable& numbers = *opened.table;
  require(numbers.rows() >= 0 && numbers.columns() >= 0);
  const std::int64_t rows = std::min<std::int64_t>(numbers.rows(), 50);
  const std::int64_t columns = std::min<std::int64_t>(numbers.columns(), 50);
  std::vector<std::int64_t> integers(static_cast<std::size_t>(rows * columns));
  std::vector<double> reals(integers.size());
  read_beside(numbers);
  if (!first_line.missing) numbers.read_reals(0, rows, 0, columns, reals);
  const auto helped = std::make_shared<const pate::HelpedTable>(
      opened.table,
      pate::VotesWanted{chosen(64), chosen(2) ? std::optional(20) : std::nullopt, !chosen(2)});
  helped->read_integers(0, rows, 0, columns, integers);
  for (std::size_t i = 0; i < integers.size() && !first_line.missing; ++i) {
    require(std::abs(reals[i] - static_cast<double>(integers[i])) <= 1e-9);
  }
  (void)opened.sha256();
  opened.check_unchanged();
  using pate::Abstentions;
  if (!chosen(64)) {
    const pate::CountVotes votes(helped,
                                 chosen(128) ? std::optional<std::int64_t>(20) : std::nullopt,
                                 chosen(1) ? Abstentions::as_class : Abstentions::left_out);
    read_some(votes);
    look_at(votes, *helped, pate::Layout::counts);
    return;
  }
  std::shared_ptr<const pate::NumericTable> ids = helped;
  if (numbers.dimensions() == 3)
    ids = std::make_shared<pate::OneHotPredictions>(helped, !chosen(2));
  std::optional<Abstentions> abstentions;
  if (chosen(128)) abstentions = chosen(1) ? Abstentions::as_class : Abstentions::left_out;
  const pate::PredictionVotes votes(ids,
                                    chosen(2) ? pate::PredictionLayout::teachers_by_queries
                                              : pate::PredictionLayout::queries_by_teachers,
                                    3, abstentions);
  read_some(votes);
  look_at(votes, *ids, chosen(2) ? pate::Layout::predictions : pate::Layout::predictions_by_query);
}

// Any format, as its first bytes have it.
void table(Bytes bytes) {
  if (!bytes.empty()) read_as_table(bytes[0], bytes.subspan(1));
}

// What is inside of gzip, which no mutation of compressed bytes gets past its checksum.
void gzip(Bytes bytes) {
  if (bytes.empty()) return;
  read_as_table(bytes[0], bytes_of(pate::test::gzip_member(text_of(bytes.subspan(1)))));
}

// The same for the members of an archive, each from one magic string of npy to the next. The second
// byte chooses how they are kept, and whether they are named as numpy or as scipy does.
void npz(Bytes bytes) {
  if (bytes.size() < 3) return;
  constexpr std::array kSaved{"votes", "labels", "arr_0", "arr_1", "x"};
  constexpr std::array kSparse{"data", "indices", "indptr", "shape", "format"};
  const auto& names = (bytes[1] & 2U) != 0 ? kSparse : kSaved;
  const auto method = (bytes[1] & 1U) != 0 ? ZIP_CM_STORE : ZIP_CM_DEFLATE;
  std::vector<pate::test::ZipMember> members;
  std::string_view rest = text_of(bytes.subspan(2));
  while (!rest.empty() && members.size() < names.size()) {
    const std::size_t end = std::min(rest.find("\x93NUMPY", 1), rest.size());
    members.push_back(
        {std::string(names.at(members.size())) + ".npy", std::string(rest.substr(0, end)), method});
    rest.remove_prefix(end);
  }
  read_as_table(bytes[0], bytes_of(pate::test::zip_archive(members)));
}

// A report as a part, or a shard, of a sum, whatever it is.
void report(Bytes bytes) {
  const auto json = pate::io::JsonValue::parse_if_json(text_of(bytes), "report.json");
  if (!json) return;
  try {
    const pate::reports::ShardReport shard = pate::reports::read_shard(*json);
    pate::reports::check_one_run(std::span(&shard, 1));
  } catch (const pate::input_error&) {
    // It may be a whole report.
  }
  const pate::Record record = pate::reports::read_events(*json);
  (void)pate::reports::report_part(*json, record);
  pate::reports::check_addable({{"report.json", record}}, false);
  // What was read can be written, and is the same then.
  pate::reports::FieldWriter written;
  pate::reports::write_record(written, record);
  const auto again = pate::io::JsonValue::parse(written.text(), "again.json");
  require(pate::reports::read_record(again.at("record")) == record);
  const pate::RecordAccount sum = pate::account_record(record, {});
  for (const pate::CostEntry& cost : sum.costs) require(cost.epsilon >= 0.0);
}

void ledger(Bytes bytes) {
  const auto text = pate::reports::parse_ledger(text_of(bytes), "ledger");
  if (text.entries.empty()) return;
  // What is appended can be read again, with one entry more.
  std::string longer(text_of(bytes));
  pate::reports::LedgerEntry next = text.entries.back();
  next.event.open.id = std::string(32, 'f');
  longer += pate::reports::ledger_addition(text, next);
  const bool is_new = std::ranges::none_of(
      text.entries, [&](const auto& entry) { return entry.event.open.id == next.event.open.id; });
  if (is_new) {
    require(pate::reports::parse_ledger(longer, "ledger").entries.size() ==
            text.entries.size() + 1);
  }
  const auto total = pate::reports::ledger_total(text.record(), "ledger");
  for (const pate::CostEntry& cost : total.costs) require(cost.epsilon >= 0.0);
}

void grid(Bytes bytes) {
  const auto axis = pate::parse_grid_axis(text_of(bytes), "--sigma2", pate::Shares::allowed);
  require(!axis.values.empty());
}

// Arguments, one a line, as the program reads them; nothing runs.
void options(Bytes bytes) {
  using namespace pate::cli;
  std::vector<std::string> words{"pate"};
  std::istringstream lines{std::string(text_of(bytes))};
  for (std::string line; std::getline(lines, line) && words.size() < 50;) words.push_back(line);
  // Only the one that is named: to describe all of them takes longer than to read the words.
  const std::string name = words.size() > 1 ? words[1] : "";
  std::vector<Command> commands;
  const auto offer = [&]<class Options>(
                         const char* known, void (*add)(CommandLine&, Options&),
                         std::type_identity_t<int (*)(const Options&, const Streams&)> run) {
    if (name == known || commands.empty()) {
      commands = {make_command({known, "a", "b", {kLimitMissed}}, add, run)};
    }
  };
  offer("tune", add_tune, run_tune);
  offer("label", add_label, run_label);
  offer("plan", add_plan, run_plan);
  offer("darrm", add_darrm, run_darrm);
  offer("analyze", add_analyze, run_analyze);
  std::ostringstream out;
  (void)parse(commands, words, out);
}

// What can be done to a value of a report: gone, twice, another's, or another number or word.
void change(nlohmann::json& report, std::mt19937& random) {
  using nlohmann::json;
  static const std::array kOther{json(0),
                                 json(-1),
                                 json(1),
                                 json(1e-300),
                                 json(1e300),
                                 json(1e10),
                                 json(0.5),
                                 json(true),
                                 json(false),
                                 json(nullptr),
                                 json(""),
                                 json("inf"),
                                 json::array(),
                                 json::object(),
                                 json("public"),
                                 json("private"),
                                 json(9007199254740993)};
  const json flat = report.flatten();
  if (flat.empty()) return;
  const auto any = [&] {
    return std::next(flat.begin(), static_cast<long>(random() % flat.size()));
  };
  json::json_pointer place(any().key());
  // A leaf, or what it is in.
  for (std::uint32_t up = random() % 8; up >= 6 && !place.empty(); --up) place.pop_back();
  json& value = report[place];
  switch (random() % 6) {
    case 0:
      if (!place.empty()) {
        json& parent = report[place.parent_pointer()];
        if (parent.is_object()) {
          parent.erase(place.back());
        } else {
          parent.erase(random() % parent.size());
        }
      }
      break;
    case 1:
      if (value.is_array() && !value.empty()) value.push_back(value[0]);
      break;
    case 2:
      value = any().value();
      break;
    case 3:
      if (value.is_number()) value = value.get<double>() * (random() % 2 == 0 ? 1.0 + 1e-9 : 0.5);
      break;
    default:
      value = kOther.at(random() % kOther.size());
  }
}

}  // namespace

// Changes of bytes never leave a report in one piece for long, so of reports half are of values.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t room);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t room, unsigned int seed) {
  std::mt19937 random(seed);
  if (!kStructured || random() % 4 == 0) return LLVMFuzzerMutate(data, size, room);
  nlohmann::json value = nlohmann::json::parse(data, data + size, nullptr, false);
  if (value.is_discarded()) return LLVMFuzzerMutate(data, size, room);
  for (std::uint32_t i = 1 + random() % 3; i > 0; --i) change(value, random);
  const std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::ignore);
  if (text.size() > room) return LLVMFuzzerMutate(data, size, room);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    PATE_FUZZ_TARGET({data, size});
  } catch (const pate::input_error&) {       // NOLINT(bugprone-empty-catch): what is wrong with
  } catch (const pate::parameter_error&) {   // NOLINT(bugprone-empty-catch): input is told
  } catch (const pate::validity_error&) {    // NOLINT(bugprone-empty-catch)
  } catch (const pate::cli::usage_error&) {  // NOLINT(bugprone-empty-catch)
  }
  return 0;
}
