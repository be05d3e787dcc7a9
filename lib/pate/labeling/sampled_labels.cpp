#include "pate/labeling/sampled_labels.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/headline.hpp"
#include "pate/accounting/sampled_account.hpp"
#include "pate/base/error.hpp"
#include "pate/labeling/answer_sampler.hpp"

namespace pate {

SampleSize::SampleSize(double rate) {
  if (!(rate > 0.0 && rate < 1.0)) {
    throw parameter_error("the rate of a sample must be above 0 and below 1");
  }
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

LabelledQueries label_sampled(const Run& run, double rate, BitSource& source) {
  validate(run);
  (void)sampled_query(run.aggregator, rate);
  if (run.student != nullptr) {
    throw parameter_error("samples of the teachers are known without a student");
  }
  const SampleSize size(rate);
  AnswerSampler sampler(run.aggregator, source);
  const std::int64_t queries = run.rows.size();
  LabelledQueries result;
  result.labels.assign(static_cast<std::size_t>(queries), -1);
  result.sources.assign(static_cast<std::size_t>(queries), LabelSource::refused);
  QueryReader reader(run);
  std::vector<std::int32_t> sample;
  for (std::int64_t first = 0; first < queries; first += reader.size()) {
    reader.read(first, std::min(reader.piece(), queries - first));
    for (std::int64_t i = 0; i < reader.size(); ++i) {
      const std::span<const std::int32_t> counts = reader.histogram(i);
      sample.clear();
      for (const std::int32_t n : counts) sample.push_back(size.draw(n, source));
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

Account sampled_label_account(const Run& run, double rate, const LabelledQueries& labelled,
                              double delta) {
  AccountSettings settings;
  settings.delta = delta;
  Account account = sampled_any_votes(run, rate, settings);
  account.answered_expected = account.answered_sd = std::nan("");
  account.answered_realized = labelled.answered;
  account.headline = headline_of(account.costs, {});
  if (account.queries == 0) {
    account.notices.push_back({"no_queries", "no query was asked: nothing is spent"});
  }
  return account;
}

}  // namespace pate
