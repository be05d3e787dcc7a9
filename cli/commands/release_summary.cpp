#include "cli/commands/release_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/commands/cost_table.hpp"

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

void line(std::string& text, const char* name, double value, const char* what) {
  fmt::format_to(std::back_inserter(text), "  {:<19} {:>10.5g}  {}\n", name, value, what);
}

std::string notes(const std::vector<Notice>& notices) {
  std::string text = notices.empty() ? "" : "\n";
  for (const Notice& notice : notices) text += "note: " + notice.message + '\n';
  return text;
}

}  // namespace

std::string public_release_summary(const PublicRelease& published) {
  return fmt::format("PUBLIC\nepsilon = {} at delta = {}\n\n{}", epsilon_text(published.epsilon),
                     published.delta, wrapped(published.statement));
}

std::string release_summary(const ReleasePlan& plan, const std::optional<PublicRelease>& published,
                            const std::vector<Notice>& notices, const std::string& votes) {
  std::string text = published ? public_release_summary(*published) + "\n" : "";
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "PRIVATE: {}{}\n", votes, published ? "" : " (nothing was drawn)");
  line(text, "epsilon before", plan.numbers.epsilon_before, "of the run alone, at this order");
  line(text, "release cost", plan.numbers.release_cost, "added by the release");
  if (!plan.earlier.empty()) line(text, "earlier releases", plan.earlier_cost, "added by those");
  line(text, "noise sd", plan.numbers.noise_sd, "smooth sensitivity x sigma-ss");
  line(text, "k", plan.k, "shift in noise sds, against publishing too little");
  line(text, "mean published", plan.numbers.mean_published, "before + costs + k noise sds");
  line(text, "smooth sensitivity", plan.numbers.smooth_sensitivity, "of the RDP, at this beta");
  fmt::format_to(out, "\nparameters, {}:\n  --order {:.10g} --beta {:.10g} --sigma-ss {:.10g}\n",
                 parameters_name(plan.chosen_from_votes), plan.parameters.order,
                 plan.parameters.beta, plan.parameters.sigma);
  return text + notes(notices);
}

std::string as_published_summary(const PublishedRelease& release,
                                 const std::vector<Notice>& notices, const std::string& votes) {
  std::string text = fmt::format("NOT VALID, as published: {}\n", votes);
  line(text, "epsilon before", release.epsilon_before, "of the run alone, at this order");
  line(text, "release cost", release.gnss.cost, "Theorem 23, too small");
  line(text, "noise sd", release.gnss.sd, "smooth sensitivity x sigma-ss");
  line(text, "mean published", release.epsilon, "what is claimed");
  line(text, "smooth sensitivity", release.gnss.smooth_sensitivity, "of the RDP, at this beta");
  fmt::format_to(std::back_inserter(text), "\n  order {:.10g}, beta {:.10g}, sigma-ss {:.10g}\n",
                 release.order, release.gnss.beta, release.gnss.sigma_ss);
  return text + notes(notices);
}

}  // namespace pate::cli
