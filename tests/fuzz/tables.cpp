// Whatever is made up, as tables: votes, what goes with them, and what teachers have.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "fuzz/targets.hpp"
#include "pate/base/error.hpp"
#include "pate/inspection/content_doubts.hpp"
#include "pate/reports/rdp_curve.hpp"
#include "pate/votes/helped_table.hpp"
#include "pate/votes/query_columns.hpp"
#include "pate/votes/tables/open_table.hpp"
#include "pate/votes/tables/teacher_groups.hpp"
#include "pate/votes/tables/teacher_weights.hpp"
#include "pate/votes/vote_source.hpp"
#include "support/archives.hpp"

namespace pate::fuzz {

namespace {

void read_some(const VoteSource& votes) {
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
void look_at(const VoteSource& votes, const NumericTable& table, Layout layout) {
  if (votes.queries() * votes.classes() > 100'000) return;
  const RowSelection rows = RowSelection::all(votes.queries());
  (void)content_doubts({votes, rows, table, layout, {}});
  (void)why_other_teachers({votes, rows, table, layout, {}}, 10);
  (void)fitting_layout(table);
}

// The same file as what goes with votes: labels, decisions, row numbers, each refused for itself.
void read_beside(const NumericTable& table) {
  if (table.rows() > 10'000) return;
  const std::int64_t rows = std::max<std::int64_t>(1, table.rows());
  const RowSelection all = RowSelection::all(rows);
  const VotesShape votes{rows, 3, all};
  const auto refused = [](const auto& read) {
    try {
      read();
    } catch (const input_error&) {  // NOLINT(bugprone-empty-catch): what is wrong is told
    }
  };
  refused([&] {
    for (const std::int32_t label : read_labels(table, votes, {})) {
      require(label >= 0 && label < 3);
    }
  });
  refused([&] {
    for (const std::uint8_t decision : read_decisions(table, votes, {}, {}).answered) {
      require(decision <= 1);
    }
  });
  refused([&] { (void)read_indices(table); });
}

// Opens a file as a table, reads a corner of it in two ways, and votes from it. The first byte of
// the input chooses how the first line and column are read, and what the numbers are.
void read_as_table(std::uint8_t choice, Bytes content) {
  const auto chosen = [&](unsigned bit) { return (choice & bit) != 0; };
  FirstLine first_line;
  first_line.counting = static_cast<FirstLine::Counting>(choice % 4 % 3);
  first_line.classes = 3;
  if (chosen(4)) first_line.is_header = chosen(8);
  if (chosen(16)) first_line.index_column = chosen(32);
  if (chosen(64) && chosen(128)) first_line.missing = -1;
  if (chosen(64) && chosen(32)) first_line.class_names = {"cat", "dog", "a b"};
  first_line.stack_members = chosen(64);
  const MemoryFile file(content);
  const auto opened = io::open_table(file.path(), first_line);
  const NumericTable& numbers = *opened.table;
  require(numbers.rows() >= 0 && numbers.columns() >= 0);
  const std::int64_t rows = std::min<std::int64_t>(numbers.rows(), 50);
  const std::int64_t columns = std::min<std::int64_t>(numbers.columns(), 50);
  std::vector<std::int64_t> integers(static_cast<std::size_t>(rows * columns));
  std::vector<double> reals(integers.size());
  read_beside(numbers);
  if (!first_line.missing) numbers.read_reals(0, rows, 0, columns, reals);
  const auto helped = std::make_shared<const HelpedTable>(
      opened.table,
      VotesWanted{chosen(64), chosen(2) ? std::optional(20) : std::nullopt, !chosen(2)});
  helped->read_integers(0, rows, 0, columns, integers);
  for (std::size_t i = 0; i < integers.size() && !first_line.missing; ++i) {
    require(std::abs(reals[i] - static_cast<double>(integers[i])) <= 1e-9);
  }
  (void)opened.sha256();
  opened.check_unchanged();
  if (!chosen(64)) {
    const CountVotes votes(helped, chosen(128) ? std::optional<std::int64_t>(20) : std::nullopt,
                           chosen(1) ? Abstentions::as_class : Abstentions::left_out);
    read_some(votes);
    look_at(votes, *helped, Layout::counts);
    return;
  }
  std::shared_ptr<const NumericTable> ids = helped;
  if (numbers.dimensions() == 3) ids = std::make_shared<OneHotPredictions>(helped, !chosen(2));
  std::optional<Abstentions> abstentions;
  if (chosen(128)) abstentions = chosen(1) ? Abstentions::as_class : Abstentions::left_out;
  const PredictionVotes votes(
      ids,
      chosen(2) ? PredictionLayout::teachers_by_queries : PredictionLayout::queries_by_teachers, 3,
      abstentions);
  read_some(votes);
  look_at(votes, *ids, chosen(2) ? Layout::predictions : Layout::predictions_by_query);
}

}  // namespace

// Any format, as its first bytes have it.
void table(Bytes bytes) {
  if (!bytes.empty()) read_as_table(bytes[0], bytes.subspan(1));
}

// What is inside of gzip, which no mutation of compressed bytes gets past its checksum.
void gzip(Bytes bytes) {
  if (bytes.empty()) return;
  read_as_table(bytes[0], bytes_of(test::gzip_member(text_of(bytes.subspan(1)))));
}

// The same for the members of an archive, each from one magic string of npy to the next. The second
// byte chooses how they are kept, and whether they are named as numpy or as scipy does.
void npz(Bytes bytes) {
  if (bytes.size() < 3) return;
  constexpr std::array kSaved{"votes", "labels", "arr_0", "arr_1", "x"};
  constexpr std::array kSparse{"data", "indices", "indptr", "shape", "format"};
  const auto& names = (bytes[1] & 2U) != 0 ? kSparse : kSaved;
  const auto method = (bytes[1] & 1U) != 0 ? ZIP_CM_STORE : ZIP_CM_DEFLATE;
  std::vector<test::ZipMember> members;
  std::string_view rest = text_of(bytes.subspan(2));
  while (!rest.empty() && members.size() < names.size()) {
    const std::size_t end = std::min(rest.find("\x93NUMPY", 1), rest.size());
    members.push_back(
        {std::string(names.at(members.size())) + ".npy", std::string(rest.substr(0, end)), method});
    rest.remove_prefix(end);
  }
  read_as_table(bytes[0], bytes_of(test::zip_archive(members)));
}

// The first byte says of how many classes the votes are, and whether a first line is a heading.
void student(Bytes bytes) {
  if (bytes.empty()) return;
  FirstLine first_line;
  if ((bytes[0] & 8U) != 0) first_line.is_header = (bytes[0] & 16U) != 0;
  const MemoryFile file(bytes.subspan(1));
  const auto opened = io::open_table(file.path(), first_line);
  const std::int64_t rows = opened.table->rows();
  const std::int64_t classes = 1 + bytes[0] % 8;
  if (rows > 10'000) return;
  const StudentScores scores(opened.table, rows, classes);
  std::vector<double> all(static_cast<std::size_t>(rows * classes));
  scores.read(0, rows, all);
  for (std::int64_t row = 0; row < rows; ++row) {
    double sum = 0.0;
    for (std::int64_t k = 0; k < classes; ++k) {
      const double score = all[static_cast<std::size_t>(row * classes + k)];
      require(score >= 0.0 && score <= 1.0);
      sum += score;
    }
    require(std::abs(sum - 1.0) <= 1e-4 + 1e-12);
  }
}

// The first byte says what it is taken for, and how many teachers there are.
void weights(Bytes bytes) {
  if (bytes.empty()) return;
  const std::int64_t teachers = 1 + bytes[0] / 4;
  const auto every = static_cast<std::size_t>(teachers);
  const MemoryFile file(bytes.subspan(1));
  if (bytes[0] % 4 == 0) {
    const reports::RdpCurve curve = reports::read_rdp_curve(file.path());
    require(curve.orders.size() == curve.rdp.size());
    for (std::size_t i = 0; i < curve.orders.size(); ++i) {
      require(curve.orders[i] > (i == 0 ? 1.0 : curve.orders[i - 1]));
      require(curve.rdp[i] >= 0.0 && std::isfinite(curve.rdp[i]));
    }
  } else if (bytes[0] % 4 == 1) {
    const TeacherGroups groups = io::open_teacher_groups(file.path(), teachers).groups;
    require(groups.of_teacher.size() == every);
    std::size_t all = 0;
    for (std::size_t group = 0; group < groups.names.size(); ++group) {
      require(groups.size_of(group) > 0);
      all += groups.size_of(group);
    }
    require(all == every);
  } else {
    const TeacherWeights found = io::open_teacher_weights(file.path(), teachers).weights;
    require(found.units.size() == every && found.unit > 0.0);
    for (const std::int64_t units : found.units) require(units >= 1);
    require(found.heaviest() <= found.total() &&
            found.total() <= std::numeric_limits<std::int32_t>::max());
  }
}

}  // namespace pate::fuzz
