#include "pate/labeling/sampled_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/headline.hpp"
#include "pate/accounting/sampled_account.hpp"
#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/labeling/answer_sampler.hpp"
#include "pate/numerics/bisect.hpp"

namespace pate {

namespace {

// The run on so many queries, of which nothing is read: what any votes cost goes by their number.
Run of_queries(const Run& run, std::int64_t queries) {
  return {run.votes, RowSelection::range(0, queries), run.aggregator, run.neighbours, nullptr, {},
          {}};
}

Account any_votes(const Run& run, const Sampling& sampling, std::int64_t queries, double delta) {
  AccountSettings settings;
  settings.delta = delta;
  return sampled_any_votes(of_queries(run, queries), sampling, settings);
}

}  // namespace

SampleSize::SampleSize(double rate) {
  require(rate > 0.0 && rate < 1.0, "the rate of a sample must be above 0 and below 1");
  for (double rest = rate; rest > 0.0;) {
    rest = std::ldexp(rest, 32);
    const double digit = std::floor(rest);
    digits_.push_back(static_cast<std::uint32_t>(digit));
    rest -= digit;
  }
}

bool SampleSize::is_in(BitSource& source) const {
  // A fraction of fair bits is below the rate where its first other digit is.
  for (const std::uint32_t digit : digits_) {
    const std::uint32_t drawn = source.bits(32);
    if (drawn != digit) return drawn < digit;
  }
  return false;
}

std::int32_t SampleSize::draw(std::int32_t n, BitSource& source) const {
  std::int32_t result = 0;
  for (std::int32_t t = 0; t < n; ++t) result += is_in(source) ? 1 : 0;
  return result;
}

std::int64_t affordable_samples(const Run& run, const Sampling& sampling, double max_epsilon,
                                double delta) {
  require_cost(max_epsilon, "max_epsilon");
  (void)sampled_query(run.aggregator, run.neighbours, sampling);
  const auto is_affordable = [&](std::int64_t queries) {
    const Account account = any_votes(run, sampling, queries, delta);
    return account.costs[headline_of(account.costs, {})].epsilon <= max_epsilon;
  };
  if (run.rows.empty() || is_affordable(run.rows.size())) return run.rows.size();
  return bisect(std::int64_t{0}, run.rows.size(), is_affordable);
}

LabelledQueries label_sampled(const Run& run, const Sampling& sampling, BitSource& source,
                              std::optional<std::int64_t> most) {
  validate(run);
  (void)sampled_query(run.aggregator, run.neighbours, sampling);
  if (most && !(*most >= 0)) {
    throw parameter_error(fmt::format("no run asks {} queries", *most));
  }
  const SampleSize size(sampling.rate);
  // Votes of records come from a sample that somebody drew before.
  const bool draws = sampling.of == SampleOf::teachers;
  AnswerSampler sampler(run.aggregator, source);
  const std::int64_t all = run.rows.size();
  const std::int64_t queries = std::min(all, most.value_or(all));
  LabelledQueries result;
  result.labels.assign(static_cast<std::size_t>(all), -1);
  result.sources.assign(static_cast<std::size_t>(all), LabelSource::refused);
  if (queries < all) result.stopped = StopReason::max_epsilon;
  QueryReader reader(run);
  std::vector<std::int32_t> sample;
  for (std::int64_t first = 0; first < queries; first += reader.size()) {
    reader.read(first, std::min(reader.piece(), queries - first));
    for (std::int64_t i = 0; i < reader.size(); ++i) {
      const std::span<const std::int32_t> counts = reader.histogram(i);
      sample.clear();
      for (const std::int32_t n : counts) sample.push_back(draws ? size.draw(n, source) : n);
      ++result.asked;
      if (!sampler.answers(*std::ranges::max_element(sample))) continue;
      const auto query = static_cast<std::size_t>(first + i);
      result.labels[query] = static_cast<std::int32_t>(sampler.noisy_maximum(sample));
      result.sources[query] = LabelSource::teacher;
      ++result.answered;
    }
  }
  return result;
}

Account sampled_label_account(const Run& run, const Sampling& sampling,
                              const LabelledQueries& labelled, double delta) {
  Account account = any_votes(run, sampling, labelled.asked, delta);
  account.answered_expected = account.answered_sd = std::nan("");
  account.answered_realized = labelled.answered;
  account.headline = headline_of(account.costs, {});
  if (account.queries == 0) {
    account.notices.push_back({"no_queries", "no query was asked: nothing is spent"});
  }
  if (labelled.stopped) {
    account.notices.push_back(
        {"stopped_max_epsilon",
         fmt::format("stopped after {} of {} queries, as another would cost more than "
                     "\1max-epsilon whatever the votes are: known before the run",
                     labelled.asked, labelled.labels.size())});
  }
  return account;
}

}  // namespace pate
