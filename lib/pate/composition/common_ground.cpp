#include "pate/composition/common_ground.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "pate/error.hpp"
#include "pate/rdp/conversion.hpp"
#include "pate/rdp/orders.hpp"

namespace pate {

void check_same_teachers(std::span<const Part> parts, bool same_teachers) {
  const Part* first = nullptr;
  for (const Part& part : parts) {
    if (!part.votes) continue;
    if (first == nullptr) first = &part;
    if (part.votes->teachers != first->votes->teachers) {
      throw input_error(fmt::format(
          "{}: teachers: expected {} as in {}, found {}: the costs of different ensembles are not "
          "added up",
          part.name, first->votes->teachers, first->name, part.votes->teachers));
    }
    const auto same = [](const std::string& a, const std::string& b) {
      return !a.empty() && a == b;
    };
    if (same_teachers || same(part.votes->sha256, first->votes->sha256) ||
        same(part.votes->digest, first->votes->digest)) {
      continue;
    }
    throw input_error(
        fmt::format("{}: {}: expected the votes of {}, found others; add "
                    "--same-teachers if the same teachers voted in both",
                    part.name, part.votes->sha256.empty() ? "votes_digest" : "inputs.votes.sha256",
                    first->name));
  }
}

std::optional<double> common_delta(std::span<const Part> parts, std::optional<double> given) {
  if (given) {
    validate_delta(*given);
    return given;
  }
  const Part* first = nullptr;
  for (const Part& part : parts) {
    if (!part.delta) continue;
    if (first == nullptr) first = &part;
    if (*part.delta != *first->delta) {
      throw input_error(
          fmt::format("{}: delta: expected {} as in {}, found {}; add --delta, at which the sum is "
                      "to be told",
                      part.name, *first->delta, first->name, *part.delta));
    }
  }
  return first == nullptr ? std::nullopt : first->delta;
}

std::vector<double> common_orders(std::span<const Part> parts,
                                  const std::optional<std::vector<double>>& given) {
  std::optional<std::vector<double>> orders;
  if (given) orders = validated_orders(*given);
  for (const Part& part : parts) {
    if (part.curves.empty()) continue;
    if (!orders) {
      orders = part.orders;
      continue;
    }
    std::vector<double> shared;
    std::set_intersection(orders->begin(), orders->end(), part.orders.begin(), part.orders.end(),
                          std::back_inserter(shared));
    if (given && shared.size() != orders->size()) {
      throw input_error(
          fmt::format("{}: rdp.orders: expected all of the given orders, found {} of "
                      "{}",
                      part.name, shared.size(), orders->size()));
    }
    if (shared.empty()) {
      throw input_error(fmt::format(
          "{}: rdp.orders: expected an order that the reports before have too, found none",
          part.name));
    }
    orders = std::move(shared);
  }
  if (orders) return *orders;
  return {default_orders().begin(), default_orders().end()};
}

}  // namespace pate
