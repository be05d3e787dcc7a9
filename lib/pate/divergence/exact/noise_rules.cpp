#include "pate/divergence/exact/noise_rules.hpp"

#include <algorithm>
#include <array>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <numbers>

#include "pate/base/require.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

// How far the rule reaches beyond the counts, in sigmas and votes: no class wins further down, and
// the largest of a million noises is below 5 sigma.
constexpr double kBelow = 10.0;
constexpr double kAbove = 15.0;
constexpr double kVotes = 3.0;
// Terms below e^-41 of the largest are left out.
constexpr double kGaussianDepth = 41.0;
// Nodes in the table, 80 bytes each.
constexpr double kMaxTable = 600'000;
// Of a query, in all its rows: where they would be more there are none.
constexpr double kMaxNumbers = 1e8;

// Terms below e^-45 of the largest are left out, and a moved vote changes the logarithm of an
// integrand by at most two votes' worth.
constexpr double kLaplaceDepth = 45.0;
// On one panel the logarithm of an integrand changes by at most about this much.
constexpr double kRise = 6.0;

constexpr int kStepsPerSigma = 8;

struct Node {
  double x;
  double weight;
};

template <unsigned Points>
void add_panel(double centre, double half, std::vector<Node>& nodes) {
  using Gauss = boost::math::quadrature::gauss<double, Points>;
  for (std::size_t i = 0; i < Gauss::abscissa().size(); ++i) {
    const double offset = half * Gauss::abscissa()[i];
    nodes.push_back({centre - offset, half * Gauss::weights()[i]});
    nodes.push_back({centre + offset, half * Gauss::weights()[i]});
  }
}

// Adds nodes for [low, high], cut into panels of at most `length`. The logarithm of an integrand
// changes by `slope` times the length of a panel; a rule of k points is wrong by about that to the
// power of 2k, divided by (2k)! and 4^k. False, and none added, where there would be more than
// `most` nodes.
bool add_panels(double low, double high, double length, double slope, double most,
                std::vector<Node>& nodes) {
  constexpr double kPointsOfPanel = 10.0;
  const double wanted = std::max(1.0, std::ceil((high - low) / length));
  if (!(wanted * kPointsOfPanel + static_cast<double>(nodes.size()) <= most)) return false;
  const auto panels = static_cast<std::int64_t>(wanted);
  const double half = 0.5 * (high - low) / static_cast<double>(panels);
  const double rise = 2.0 * half * slope;
  for (std::int64_t k = 0; k < panels; ++k) {
    const double centre = low + static_cast<double>(2 * k + 1) * half;
    if (rise < 0.25) {
      add_panel<4>(centre, half, nodes);
    } else if (rise < 1.0) {
      add_panel<6>(centre, half, nodes);
    } else {
      add_panel<10>(centre, half, nodes);
    }
  }
  return true;
}

double cdf(double u) {
  return u < 0.0 ? 0.5 * std::exp(u) : 1.0 - 0.5 * std::exp(-u);
}

// Writes the noise around a count at u = (x - n) / scale; `vote` is 1 / scale, or w / scale where w
// votes move together.
class NodeWriter {
 public:
  explicit NodeWriter(double vote) : vote_(vote), up_(std::expm1(vote)), down_(std::expm1(-vote)) {}

  void write(double* block, std::size_t stride, std::size_t i, double u, double log_weight) const {
    const auto put = [&](double log_cdf, double fallen, double risen, double log_fallen,
                         double log_risen) {
      block[i] = log_cdf;
      block[stride + i] = log_weight - std::abs(u);
      block[2 * stride + i] = fallen;
      block[3 * stride + i] = risen;
      block[4 * stride + i] = log_fallen;
      block[5 * stride + i] = log_risen;
    };
    if (u <= 0.0) {
      // F(u) = e^u / 2, and only F(u + vote) may be beyond the kink.
      const double log_cdf = u - std::numbers::ln2;
      if (u + vote_ <= 0.0) {
        put(log_cdf, up_, -down_, vote_, -vote_);
      } else {
        const double step = -0.5 * (std::expm1(-(u + vote_)) + std::expm1(u));
        const double fallen = step / cdf(u);
        put(log_cdf, fallen, -down_, std::log1p(fallen), -vote_);
      }
    } else {
      const double tail = 0.5 * std::exp(-u);
      const double fallen = -tail * down_ / (1.0 - tail);
      // F(u) - F(u - vote): the difference of two tails, or of what lies on either side of zero.
      const double step = u >= vote_ ? tail * up_ : -0.5 * (std::expm1(-u) + std::expm1(u - vote_));
      const double left = cdf(u - vote_);
      put(std::log1p(-tail), fallen, step / (1.0 - tail), std::log1p(fallen),
          -std::log1p(step / left));
    }
    // Away from the kink a vote changes the logarithm of the density by a vote's worth.
    const double fallen = u >= 0.0 ? -vote_ : u + vote_ <= 0.0 ? vote_ : -2.0 * u - vote_;
    const double risen = u <= 0.0 ? -vote_ : u >= vote_ ? vote_ : 2.0 * u - vote_;
    block[6 * stride + i] = exp_minus_one(fallen);
    block[7 * stride + i] = exp_minus_one(risen);
    block[8 * stride + i] = fallen;
    block[9 * stride + i] = risen;
  }

 private:
  [[nodiscard]] double exp_minus_one(double x) const {
    return x == vote_ ? up_ : x == -vote_ ? down_ : std::expm1(x);
  }

  double vote_;
  double up_;    // e^vote - 1
  double down_;  // e^-vote - 1
};

std::unique_ptr<NoiseRule> rule_for(const GaussianNoisyMax& noise, std::int64_t teachers,
                                    std::int64_t moved) {
  constexpr double kMinSigma = 0.25;
  if (noise.sigma < kMinSigma * static_cast<double>(moved)) return nullptr;
  return std::make_unique<GaussianLattice>(noise.sigma, teachers, kStepsPerSigma, moved);
}

constexpr double kMinScale = 0.05;  // of Laplace noise

std::unique_ptr<NoiseRule> rule_for(const LaplaceNoisyMax& noise, std::int64_t /*teachers*/,
                                    std::int64_t moved) {
  if (noise.scale < kMinScale * static_cast<double>(moved)) return nullptr;
  return std::make_unique<LaplacePanels>(noise.scale, 1.0, moved);
}

std::unique_ptr<NoiseRule> rule_for(const OneLaplaceNoise& noise, std::int64_t /*teachers*/,
                                    std::int64_t moved) {
  require(moved <= 1,
          "exact costs of one Laplace noise are for votes that all count one: give noise to every "
          "count, or leave out weights");
  if (noise.scale < kMinScale) return nullptr;
  return std::make_unique<OneLaplaceOutcomes>(noise.scale);
}

}  // namespace

std::unique_ptr<NoiseRule> noise_rule(const NoisyMax& noisy_max, std::int64_t teachers,
                                      std::int64_t moved) {
  return noisy_max.visit([=](const auto& noise) { return rule_for(noise, teachers, moved); });
}

GaussianLattice::GaussianLattice(double sigma, std::int64_t teachers, int steps_per_sigma,
                                 std::int64_t moved)
    : sigma_(sigma),
      moved_(static_cast<double>(moved)),
      votes_per_step_(std::floor(sigma / steps_per_sigma)) {
  if (votes_per_step_ < 1.0) {
    per_vote_ = static_cast<std::int64_t>(std::ceil(steps_per_sigma / sigma));
    votes_per_step_ = 1.0 / static_cast<double>(per_vote_);
  }
  const auto most = static_cast<double>(teachers);
  // A whole number of steps below zero, so that the nodes contain the integers.
  lowest_ = -std::ceil((kBelow * sigma + kVotes * moved_) / votes_per_step_) * votes_per_step_;
  nodes_ = static_cast<std::int64_t>(
      std::ceil((most + kAbove * sigma + kVotes * moved_ - lowest_) / votes_per_step_));
  most_steps_ = position(teachers).steps;
  const double residues = std::min(std::max(votes_per_step_, 1.0), most + 1.0);
  const auto row = static_cast<double>(nodes_ + most_steps_);
  if (!(residues * row <= kMaxTable)) return;
  const auto size = static_cast<std::size_t>(nodes_ + most_steps_);
  table_.resize(static_cast<std::size_t>(residues) * size * kNoiseArrays);
  for (std::size_t residue = 0; residue < static_cast<std::size_t>(residues); ++residue) {
    fill(table_.data() + residue * size * kNoiseArrays, static_cast<std::int64_t>(residue),
         -most_steps_, nodes_ + most_steps_);
  }
}

GaussianLattice::Position GaussianLattice::position(std::int64_t count) const {
  if (per_vote_ > 1 || votes_per_step_ == 1.0) return {0, count * per_vote_};
  if (votes_per_step_ > static_cast<double>(count)) return {count, 0};
  const auto step = static_cast<std::int64_t>(votes_per_step_);
  return {count % step, count / step};
}

void GaussianLattice::fill(double* block, std::int64_t residue, std::int64_t first,
                           std::int64_t size) const {
  const double vote = moved_ / sigma_;
  const double log_weight = std::log(votes_per_step_ / sigma_);
  const auto stride = static_cast<std::size_t>(size);
  for (std::size_t i = 0; i < stride; ++i) {
    const auto steps = static_cast<double>(first + static_cast<std::int64_t>(i));
    const double z =
        lowest_ / sigma_ + (steps * votes_per_step_ - static_cast<double>(residue)) / sigma_;
    const double log_fallen = log_normal_cdf_ratio(z, vote);
    const double log_risen = log_normal_cdf_ratio(z, -vote);
    const double log_fallen_density = -(z + 0.5 * vote) * vote;
    const double log_risen_density = (z - 0.5 * vote) * vote;
    const std::array<double, kNoiseArrays> values{log_normal_cdf(z),
                                                  log_normal_density(z) + log_weight,
                                                  std::expm1(log_fallen),
                                                  -std::expm1(log_risen),
                                                  log_fallen,
                                                  log_risen,
                                                  std::expm1(log_fallen_density),
                                                  std::expm1(log_risen_density),
                                                  log_fallen_density,
                                                  log_risen_density};
    for (std::size_t k = 0; k < kNoiseArrays; ++k) block[k * stride + i] = values[k];
  }
}

void GaussianLattice::at(const GroupedVotes& votes, NoiseAtNodes& result) const {
  const auto highest = static_cast<double>(votes.groups.front().count);
  const std::int64_t first = position(votes.groups.back().count).steps;
  const std::int64_t last = std::min(
      nodes_, static_cast<std::int64_t>(std::ceil(
                  (highest + kAbove * sigma_ + kVotes * moved_ - lowest_) / votes_per_step_)));
  result.nodes = static_cast<std::size_t>(last - first);
  result.depth = kGaussianDepth;
  // A moved vote moves the peak of an integrand by no more than two votes.
  result.widening = static_cast<std::size_t>(std::ceil(2.0 * moved_ / votes_per_step_));
  result.rows.clear();
  const double numbers = static_cast<double>(votes.groups.size()) *
                         static_cast<double>(result.nodes) *
                         (table_.empty() ? static_cast<double>(kNoiseArrays) : 1.0);
  if (!(numbers <= kMaxNumbers)) return;
  const std::size_t block_size = result.nodes * kNoiseArrays;
  if (table_.empty()) result.storage.resize(votes.groups.size() * block_size);
  const auto stride = static_cast<std::size_t>(nodes_ + most_steps_);
  for (const VoteGroup& group : votes.groups) {
    const Position at = position(group.count);
    if (table_.empty()) {
      double* const block = result.storage.data() + result.rows.size() * block_size;
      fill(block, at.residue, first - at.steps, last - first);
      result.rows.push_back(noise_row(block, result.nodes));
      continue;
    }
    const double* const block = table_.data() +
                                static_cast<std::size_t>(at.residue) * stride * kNoiseArrays +
                                static_cast<std::size_t>(first - at.steps + most_steps_);
    result.rows.push_back(noise_row(block, stride));
  }
}

LaplacePanels::LaplacePanels(double scale, double panels_per_scale, std::int64_t moved)
    : scale_(scale), panels_per_scale_(panels_per_scale), moved_(static_cast<double>(moved)) {}

void LaplacePanels::at(const GroupedVotes& votes, NoiseAtNodes& result) const {
  std::vector<double> kinks;
  double classes = 0.0;
  for (const VoteGroup& group : votes.groups) {
    for (const double move : {-moved_, 0.0, moved_}) {
      kinks.push_back(static_cast<double>(group.count) + move);
    }
    classes += group.classes;
  }
  std::sort(kinks.begin(), kinks.end());
  kinks.erase(std::unique(kinks.begin(), kinks.end()), kinks.end());
  const double depth = kLaplaceDepth + 4.0 * moved_ / scale_;

  result.rows.clear();
  result.nodes = 0;
  const double longest = scale_ / panels_per_scale_;
  const double vote = 1.0 / scale_;
  const double most = kMaxNumbers / static_cast<double>(votes.groups.size() * kNoiseArrays);

  std::vector<Node> nodes;
  bool fits = true;
  // Where k classes are above the node, and with them the factors of k classes rise, the slope is
  // at most k + 1 per scale; but all that are close to it bend.
  const auto add = [&](double low, double high, double above) {
    const double slope = (above + 1.0) * vote;
    fits = fits && add_panels(low, high, std::min(longest, kRise / slope / panels_per_scale_),
                              (classes + 1.0) * vote, most, nodes);
  };
  // Below all kinks every class's factor falls.
  add(kinks.front() - depth * scale_ / classes, kinks.front(), classes);
  double above = classes;  // classes whose count is not below the panel
  auto next = votes.groups.rbegin();
  for (std::size_t k = 0; k + 1 < kinks.size(); ++k) {
    while (next != votes.groups.rend() && next->count + moved_ <= kinks[k]) {
      above -= next->classes;
      ++next;
    }
    add(kinks[k], kinks[k + 1], above);
  }
  fits = fits && add_panels(kinks.back(), kinks.back() + depth * scale_, 0.5 * longest,
                            (classes + 1.0) * vote, most, nodes);
  if (!fits) return;

  result.nodes = nodes.size();
  result.depth = depth;
  result.widening = 0;
  result.storage.resize(votes.groups.size() * nodes.size() * kNoiseArrays);
  const NodeWriter writer(moved_ / scale_);
  std::vector<double> log_weights;
  for (const Node& node : nodes) log_weights.push_back(std::log(0.5 * node.weight * vote));
  for (std::size_t g = 0; g < votes.groups.size(); ++g) {
    const std::size_t stride = nodes.size();
    double* const block = result.storage.data() + g * stride * kNoiseArrays;
    for (std::size_t i = 0; i < stride; ++i) {
      writer.write(block, stride, i, (nodes[i].x - votes.groups[g].count) * vote, log_weights[i]);
    }
    result.rows.push_back(noise_row(block, stride));
  }
}

void OneLaplaceOutcomes::at(const GroupedVotes& votes, NoiseAtNodes& result) const {
  const std::size_t groups = votes.groups.size();
  std::int64_t classes = 0;
  for (const auto& group : votes.groups) classes += group.classes;
  require_classes({OneLaplaceNoise{scale_}}, classes);
  const double eps = 1.0 / scale_;
  // log Pr[a class that leads by so many votes wins].
  const auto log_wins = [this](std::int64_t lead) {
    const double rarer = log_pair_probability(OneLaplaceNoise{scale_}, std::abs(lead));
    return lead < 0 ? rarer : log1mexp(rarer);
  };
  struct Change {
    double log_ratio;
    double less_one;  // the ratio, less one
  };
  // Of the probability of a class whose lead becomes `moved`, two votes away.
  const auto change = [&](std::int64_t lead, std::int64_t moved) -> Change {
    const double up = lead < moved ? eps : -eps;
    if (lead <= 0 && moved <= 0) return {up, std::expm1(up)};
    if (lead >= 0 && moved >= 0) {
      // What the other class, the rarer one, gains or loses.
      const double rarer = lead == 0 ? 1.0 : std::exp(log_wins(-lead) - log_wins(lead));
      const double gained = -rarer * std::expm1(-up);
      return {std::log1p(gained), gained};
    }
    const double turned = std::log1p(2.0 * std::expm1(0.5 * eps));
    return lead < moved ? Change{turned, 2.0 * std::expm1(0.5 * eps)}
                        : Change{-turned, std::expm1(-turned)};
  };
  result.nodes = 1;
  result.depth = kLaplaceDepth;
  result.widening = 0;
  result.storage.assign(groups * kNoiseArrays, 0.0);
  result.rows.clear();
  const std::int64_t gap = std::int64_t{votes.groups.front().count} - votes.groups.back().count;
  for (std::size_t g = 0; g < groups; ++g) {
    double* const row = result.storage.data() + g * kNoiseArrays;
    const std::int64_t lead = g == 0 ? gap : -gap;
    const Change fallen = change(lead, lead - 2);
    const Change risen = change(lead, lead + 2);
    row[1] = log_wins(lead);
    row[6] = fallen.less_one;
    row[7] = risen.less_one;
    row[8] = fallen.log_ratio;
    row[9] = risen.log_ratio;
    result.rows.push_back(noise_row(row, 1));
  }
}

}  // namespace pate
