#include "cli/commands/release_summary.hpp"

#include <fmt/format.h>

#include <iterator>

namespace pate::cli {

namespace {

constexpr std::size_t kColumns = 78;

// The text in lines of at most 78 columns, cut between words.
std::string wrapped(const std::string& text) {
  std::string result;
  std::size_t column = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::size_t length = end - begin;
    if (column > 0 && column + 1 + length > kColumns) {
      result += '\n';
      column = 0;
    } else if (column > 0) {
      result += ' ';
      ++column;
    }
    result += text.substr(begin, length);
    column += length;
    begin = end + 1;
  }
  return result + '\n';
}

}  // namespace

std::string public_release_summary(const PublicRelease& published) {
  return fmt::format("PUBLIC\nepsilon = {:.4f} at delta = {:.4g}\n\n{}", published.epsilon,
                     published.delta, wrapped(published.statement));
}

std::string release_summary(const ReleasePlan& plan, const std::optional<PublicRelease>& published,
                            const std::vector<Notice>& notices, const std::string& votes) {
  std::string text = published ? public_release_summary(*published) + "\n" : "";
  const auto out = std::back_inserter(text);
  const auto line = [&](const char* name, double value, const char* what) {
    fmt::format_to(out, "  {:<19} {:>10.5g}  {}\n", name, value, what);
  };
  fmt::format_to(out, "PRIVATE: {}{}\n", votes, published ? "" : " (dry run: nothing was drawn)");
  line("epsilon before", plan.numbers.epsilon_before, "of the run alone, at this order");
  line("release cost", plan.numbers.release_cost, "added by the release");
  if (!plan.earlier.empty()) line("earlier releases", plan.earlier_cost, "added by those");
  line("noise sd", plan.numbers.noise_sd, "smooth sensitivity x sigma-ss");
  line("k", plan.k, "shift in noise sds, against publishing too little");
  line("mean published", plan.numbers.mean_published, "before + cost + k sds");
  fmt::format_to(out, "\n");
  line("smooth sensitivity", plan.numbers.smooth_sensitivity, "");
  text.erase(text.find_last_not_of(" \n") + 1);
  fmt::format_to(out, "\n\n  --order {:.10g} --beta {:.10g} --sigma-ss {:.10g}  ({})\n",
                 plan.parameters.order, plan.parameters.beta, plan.parameters.sigma,
                 parameters_name(plan.chosen_from_votes));
  if (!notices.empty()) fmt::format_to(out, "\n");
  for (const Notice& notice : notices) fmt::format_to(out, "note: {}\n", notice.message);
  return text;
}

}  // namespace pate::cli
