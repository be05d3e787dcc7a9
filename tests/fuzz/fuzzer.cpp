// What libFuzzer calls. Every fuzzer is this file, with the name of its target as PATE_FUZZ_TARGET.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "fuzz/targets.hpp"

namespace {

constexpr const pate::fuzz::Target& kTarget =
    *std::ranges::find(pate::fuzz::kTargets, PATE_FUZZ_TARGET, &pate::fuzz::Target::name);

// What can be done to a value of a report: gone, twice, another's, or another number or word.
void change(nlohmann::json& report, std::mt19937& random) {
  using nlohmann::json;
  static const std::array kOther{json(0),
                                 json(-1),
                                 json(1),
                                 json(1e-300),
                                 json(1e300),
                                 json(1e10),
                                 json(0.5),
                                 json(true),
                                 json(false),
                                 json(nullptr),
                                 json(""),
                                 json("inf"),
                                 json::array(),
                                 json::object(),
                                 json("public"),
                                 json("private"),
                                 json(9007199254740993)};
  const json flat = report.flatten();
  if (flat.empty()) return;
  const auto any = [&] {
    return std::next(flat.begin(), static_cast<long>(random() % flat.size()));
  };
  json::json_pointer place(any().key());
  // A leaf, or what it is in.
  for (std::uint32_t up = random() % 8; up >= 6 && !place.empty(); --up) place.pop_back();
  json& value = report[place];
  switch (random() % 6) {
    case 0:
      if (!place.empty()) {
        json& parent = report[place.parent_pointer()];
        if (parent.is_object()) {
          parent.erase(place.back());
        } else {
          parent.erase(random() % parent.size());
        }
      }
      break;
    case 1:
      if (value.is_array() && !value.empty()) value.push_back(value[0]);
      break;
    case 2:
      value = any().value();
      break;
    case 3:
      if (value.is_number()) value = value.get<double>() * (random() % 2 == 0 ? 1.0 + 1e-9 : 0.5);
      break;
    default:
      value = kOther.at(random() % kOther.size());
  }
}

}  // namespace

// Changes of bytes never leave a report in one piece for long, so of reports half are of values.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t room);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t room, unsigned int seed) {
  std::mt19937 random(seed);
  if (!kTarget.is_report || random() % 4 == 0) return LLVMFuzzerMutate(data, size, room);
  nlohmann::json value = nlohmann::json::parse(data, data + size, nullptr, false);
  if (value.is_discarded()) return LLVMFuzzerMutate(data, size, room);
  for (std::uint32_t i = 1 + random() % 3; i > 0; --i) change(value, random);
  const std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::ignore);
  if (text.size() > room) return LLVMFuzzerMutate(data, size, room);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)pate::fuzz::run(kTarget, {data, size});
  return 0;
}
