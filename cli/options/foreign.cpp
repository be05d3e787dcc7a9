#include "cli/options/foreign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "cli/exit_status.hpp"
#include "cli/options/exclusions.hpp"
#include "pate/base/error.hpp"
#include "pate/events/foreign_step.hpp"
#include "pate/reports/rdp_curve.hpp"
#include "pate/votes/tables/text_field.hpp"

namespace pate::cli {

namespace {

struct NamedValue {
  std::string name, value;
};

NamedValue named_value(const char* option, const std::string& text, const char* form) {
  const std::size_t equals = text.find('=');
  refuse(equals == std::string::npos || equals == 0 || equals + 1 == text.size(),
         "{}: expected NAME={}, got '{}'", option, form, text);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::optional<double> number_in(const std::string& text) {
  const io::FieldNumber number = io::parse_field(text);
  if (number.kind == io::FieldNumber::Kind::integer) return static_cast<double>(number.integer);
  if (number.kind == io::FieldNumber::Kind::real && std::isfinite(number.real)) return number.real;
  return std::nullopt;
}

// Numbers with commas between; `most` of them at most.
std::vector<double> numbers_in(const char* option, const NamedValue& its, std::size_t least,
                               std::size_t most, const char* form) {
  std::vector<double> result;
  for (std::size_t begin = 0; begin <= its.value.size();) {
    const std::size_t end = std::min(its.value.find(',', begin), its.value.size());
    const auto number = number_in(its.value.substr(begin, end - begin));
    if (!number) result.resize(most);
    result.push_back(number.value_or(0.0));
    if (result.size() > most) break;
    begin = end + 1;
  }
  refuse(result.size() < least || result.size() > most, "{}: expected NAME={}, got '{}={}'", option,
         form, its.name, its.value);
  return result;
}

// Events as they are told, with their sources.
class Told {
 public:
  explicit Told(const std::vector<std::string>& sources) {
    for (const std::string& text : sources) {
      auto [name, value] = named_value("--source", text, "TEXT");
      refuse(!sources_.emplace(name, value).second, "--source: {} has two sources; name one", name);
    }
  }

  template <class Step>
  void add(const char* option, const std::string& name, const Step& step) {
    const auto source = sources_.find(name);
    refuse(source == sources_.end(),
           "{}: who says so of {}? add --source '{}=...', as the program and its version", option,
           name, name);
    const auto [first, is_new] = options_.emplace(name, option);
    if (!is_new) {
      throw usage_error(
          fmt::format("{}: {} is told of by {} already; give each number a name of "
                      "its own",
                      option, name, first->second));
    }
    try {
      record_.push_back(foreign_event(name, source->second, step));
    } catch (const parameter_error& error) {
      throw usage_error(fmt::format("{}: {}: {}", option, name, error.what()));
    }
  }

  [[nodiscard]] Record record() && {
    for (const auto& [name, text] : sources_) {
      if (options_.contains(name)) continue;
      throw usage_error(fmt::format(
          "--source: no number is called {}; add --rdp, --approximate, --gaussian-mu or --zcdp "
          "'{}=...'",
          name, name));
    }
    return std::move(record_);
  }

 private:
  std::map<std::string, std::string> sources_;
  std::map<std::string, const char*> options_;
  Record record_;
};

}  // namespace

void add_foreign_options(CommandLine& line, ForeignOptions& options) {
  const Section others = line.section("Numbers of others");
  const Traits each{.one_at_a_time = true};
  others.add("--rdp NAME=FILE", options.rdp,
             "add what another accountant says of the same data: a CSV file of Renyi orders and "
             "RDP, with the headings order,rdp; give it once for each",
             each);
  others.add("--approximate NAME=EPSILON,DELTA", options.approximate,
             "add what is (epsilon, delta)-DP", each);
  others.add("--gaussian-mu NAME=MU", options.gaussian_mu,
             "add what has Gaussian DP: sensitivity over standard deviation", each);
  others.add("--zcdp NAME=RHO", options.zcdp,
             "add what is rho-zCDP, or (xi, rho)-zCDP as NAME=XI,RHO", each);
  others.add("--source NAME=TEXT", options.source,
             "who says so, as the program and its version; needed for every number", each);
}

std::vector<std::string> foreign_files(const ForeignOptions& options) {
  std::vector<std::string> files;
  for (const std::string& text : options.rdp) {
    files.push_back(named_value("--rdp", text, "FILE").value);
  }
  return files;
}

Record foreign_events(const ForeignOptions& options) {
  Told told(options.source);
  for (const std::string& text : options.rdp) {
    const NamedValue its = named_value("--rdp", text, "FILE");
    reports::RdpCurve curve = reports::read_rdp_curve(its.value);
    ForeignStep step;
    step.orders = std::move(curve.orders);
    step.rdp = std::move(curve.rdp);
    told.add("--rdp", its.name, step);
  }
  for (const std::string& text : options.approximate) {
    const NamedValue its = named_value("--approximate", text, "EPSILON,DELTA");
    const auto numbers = numbers_in("--approximate", its, 2, 2, "EPSILON,DELTA");
    told.add("--approximate", its.name, PrivacyClaim{numbers[0], numbers[1], 1});
  }
  for (const std::string& text : options.gaussian_mu) {
    const NamedValue its = named_value("--gaussian-mu", text, "MU");
    ForeignStep step;
    step.mu = numbers_in("--gaussian-mu", its, 1, 1, "MU").front();
    told.add("--gaussian-mu", its.name, step);
  }
  for (const std::string& text : options.zcdp) {
    const NamedValue its = named_value("--zcdp", text, "RHO or NAME=XI,RHO");
    const auto numbers = numbers_in("--zcdp", its, 1, 2, "RHO or NAME=XI,RHO");
    ForeignStep step;
    step.rho = numbers.back();
    if (numbers.size() == 2) step.xi = numbers.front();
    told.add("--zcdp", its.name, step);
  }
  return std::move(told).record();
}

}  // namespace pate::cli
