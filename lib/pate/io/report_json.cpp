#include "pate/io/report_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace pate {

namespace {

using Json = nlohmann::ordered_json;

Json settings_json(const Settings& settings) {
  Json result = Json::object();
  for (const auto& [key, value] : settings) {
    result[key] = std::visit(
        [](const auto& v) -> Json {
          using T = std::decay_t<decltype(v)>;
          if constexpr (std::is_same_v<T, std::monostate>) {
            return nullptr;
          } else if constexpr (std::is_same_v<T, double>) {
            return std::isfinite(v) ? Json(v) : Json(nullptr);
          } else {
            return v;
          }
        },
        value);
  }
  return result;
}

Json inputs_json(const std::vector<InputFile>& inputs) {
  Json result = Json::object();
  for (const InputFile& input : inputs) {
    Json file = {{"path", input.path}, {"format", input.format}};
    if (input.layout) file["layout"] = *input.layout;
    file["dtype"] = input.dtype;
    file["shape"] = input.shape;
    file["sha256"] = input.sha256;
    if (input.votes_digest) file["votes_digest"] = *input.votes_digest;
    result[input.role] = std::move(file);
  }
  return result;
}

std::string text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string report_head_json(std::string_view command, const ReportContext& context) {
  Json head;
  head["schema"] = "pate/" + std::string(command) + "/v1";
  head["tool"] = {{"name", "pate"}, {"version", context.version}};
  head["settings"] = settings_json(context.settings);
  head["inputs"] = inputs_json(context.inputs);
  return text(head);
}

std::string notices_json(const std::vector<Notice>& notices) {
  Json result = Json::array();
  for (const Notice& notice : notices) {
    result.push_back({{"code", notice.code}, {"message", notice.message}});
  }
  return text(result);
}

}  // namespace pate
