#include "cli/commands/summaries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "pate/as_published/release.hpp"
#include "pate/release/public_release.hpp"

namespace pate::cli {

namespace {

constexpr std::size_t kColumns = 78;

void line(std::string& text, const char* name, double value, const char* what) {
  fmt::format_to(std::back_inserter(text), "  {:<19} {:>10.5g}  {}\n", name, value, what);
}

}  // namespace

std::string public_release_summary(const PublicRelease& published) {
  return fmt::format("PUBLIC\nepsilon = {} at delta = {}\n\n{}", epsilon_text(published.epsilon),
                     published.delta, paragraph("", published.statement, kColumns));
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
  line(text, "mean published", plan.numbers.mean_released, "before + costs + k noise sds");
  line(text, "smooth sensitivity", plan.numbers.smooth_sensitivity, "of the RDP, at this beta");
  fmt::format_to(out, "\nparameters, {}:\n  --order {:.10g} --beta {:.10g} --sigma-ss {:.10g}\n",
                 parameters_name(plan.chosen_from_votes), plan.parameters.order,
                 plan.parameters.beta, plan.parameters.sigma);
  return text + (notices.empty() ? "" : "\n") + notes(notices);
}

std::string as_published_summary(const AsPublishedRelease& release,
                                 const std::vector<Notice>& notices, const std::string& votes) {
  std::string text = fmt::format("NOT VALID, as published: {}\n", votes);
  line(text, "epsilon before", release.epsilon_before, "of the run alone, at this order");
  line(text, "release cost", release.gnss.cost, "Theorem 23, too small");
  line(text, "noise sd", release.gnss.sd, "smooth sensitivity x sigma-ss");
  line(text, "mean published", release.epsilon, "what is claimed");
  line(text, "smooth sensitivity", release.gnss.smooth_sensitivity, "of the RDP, at this beta");
  fmt::format_to(std::back_inserter(text), "\n  order {:.10g}, beta {:.10g}, sigma-ss {:.10g}\n",
                 release.order, release.gnss.beta, release.gnss.sigma_ss);
  return text + (notices.empty() ? "" : "\n") + notes(notices);
}

}  // namespace pate::cli
