#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/events/event.hpp"

namespace pate {

namespace {

constexpr std::int64_t kMaxTimes = std::int64_t{1} << 40;

std::string called(const PublicEvent& event) {
  return fmt::format("the {} {} of {} queries", event.mechanism, name(event.kind), event.queries);
}

[[noreturn]] void refuse(const PublicEvent& event, const char* what) {
  throw input_error(fmt::format(
      "event {}, {}, has two descriptions, which differ in {}: one of the files was changed",
      event.id, called(event), what));
}

// The value that either has; both must have the same where both have one.
template <class Value>
void join_fact(const PublicEvent& event, const char* what, Value& to, const Value& from) {
  if (from == Value{} || from == to) return;
  if (to != Value{}) refuse(event, what);
  to = from;
}

void join_facts(Event& to, const Event& from) {
  PublicEvent open = from.open;
  // What a public part leaves out.
  if (open.teachers == 0) open.teachers = to.open.teachers;
  if (to.open.teachers == 0) to.open.teachers = open.teachers;
  if (to.open != open) refuse(to.open, "what everybody may know of it");
  const auto join = [&](const char* what, auto& its, const auto& more) {
    join_fact(to.open, what, its, more);
  };
  VotesDigests& digests = to.facts.digests;
  const VotesDigests& others = from.facts.digests;
  // The same votes may lie in several files.
  if (digests.file.empty()) digests.file = others.file;
  join("votes_digest", digests.counts, others.counts);
  join("run_digest", digests.run, others.run);
  join("labels_sha256", digests.labels, others.labels);
  join("its queries", to.facts.table, from.facts.table);
  join("its votes", to.facts.exact, from.facts.exact);
  join("its curves", to.facts.curves, from.facts.curves);
}

// Puts an event where one like it is, else at the end.
void put(Record& record, const Event& event) {
  const auto same = std::ranges::find_if(record, [&](const Event& its) {
    return event.happened() ? its.open.id == event.open.id
                            : its.open == event.open && its.facts == event.facts;
  });
  if (same == record.end()) {
    record.push_back(event);
  } else if (event.happened()) {
    join_facts(*same, event);
  } else {
    if (event.times > kMaxTimes - same->times) {
      throw input_error(fmt::format("{} is counted more than 2^40 times", called(event.open)));
    }
    same->times += event.times;
  }
}

}  // namespace

Record join(const Record& a, const Record& b) {
  Record result;
  for (const Record* record : {&a, &b}) {
    for (const Event& event : *record) put(result, event);
  }
  return result;
}

Neighbours PublicEvent::neighbours() const {
  if (steps) return steps->neighbours;
  if (claim) return claim->neighbours;
  return tries ? tries->steps.neighbours : Neighbours{};
}

bool PublicEvent::adds_up_for(const Neighbours& whom) const {
  return kind == EventKind::step ? !whom.adds_or_removes() : neighbours() == whom;
}

Neighbours common_neighbours(const Record& record) {
  const Event* first = nullptr;
  for (const Event& event : record) {
    if (event.open.kind == EventKind::step) continue;
    if (first == nullptr) first = &event;
    if (event.open.adds_up_for(first->open.neighbours())) continue;
    throw input_error(fmt::format(
        "costs for different neighbours do not add up: {} is for {}, {} for {}; make both with the "
        "same \1neighbours and \1teachers-per-person",
        called(first->open), in_words(first->open.neighbours()), called(event.open),
        in_words(event.open.neighbours())));
  }
  const Neighbours result = first == nullptr ? Neighbours{} : first->open.neighbours();
  for (const Event& event : record) {
    if (event.open.adds_up_for(result)) continue;
    throw input_error(fmt::format(
        "what others say of one record does not add up with {} for {}: a record that changes is a "
        "teacher that votes otherwise",
        called(first->open), in_words(result)));
  }
  return result;
}

Record public_record(Record record) {
  Record result;
  for (Event& event : record) {
    event.facts = {};
    // The number tells teachers apart that are added or removed.
    if (event.open.neighbours().hide_number()) event.open.teachers = 0;
    // Without what tells them apart some are one.
    put(result, event);
  }
  return result;
}

Record canonical(Record record) {
  std::ranges::sort(record, [](const Event& a, const Event& b) { return a < b; });
  return record;
}

}  // namespace pate
