#include "pate/votes/tables/npy_refusal.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "pate/votes/conversion_line.hpp"

namespace pate::io {

std::string_view reason_against(char kind) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kReasons{
      {{"O", "Python objects"},
       {"SaU", "strings"},
       {"c", "complex numbers"},
       {"V", "raw bytes, as bfloat16 is stored,"},
       {"Mm", "dates and times"},
       {"f", "floats of this size"}}};
  for (const auto& [kinds, reason] : kReasons) {
    if (kinds.find(kind) != std::string_view::npos) return reason;
  }
  return "this type";
}

std::string help_with(const std::string& name, char kind, std::size_t dimensions) {
  if (kind == 'O') {
    constexpr std::string_view kTrust =
        "; of a file that you trust (to read objects is to run what it says), what makes ";
    if (dimensions == 0) {
      return fmt::format(
          "{}an array of the entry NAME of a dict: {}", kTrust,
          conversion_line(
              name,
              R"(python3 -c 'import numpy as n; n.save("{1}.npy", n.load("{0}", allow_pickle=True).item()["NAME"])')"));
    }
    if (dimensions > 2) {
      return fmt::format(
          "{}numbers of it: {}", kTrust,
          conversion_line(
              name,
              R"(python3 -c 'import numpy as n; n.save("{1}.npy", n.load("{0}", allow_pickle=True).astype(float))')"));
    }
    return fmt::format(
        "{}text of it: {}", kTrust,
        conversion_line(
            name,
            R"(python3 -c 'import numpy as n; n.savetxt("{1}.csv", n.array(n.load("{0}", allow_pickle=True).tolist()), "%s", ",")')"));
  }
  if (kind == 'f') {
    return "; what makes numbers of 64 bits of it: " +
           conversion_line(
               name,
               R"(python3 -c 'import numpy as n; n.save("{1}.npy", n.load("{0}").astype(float))')");
  }
  if (kind == 'S' || kind == 'U') {
    return "; what makes text of it, to be read with --classes a,b,c: " +
           conversion_line(
               name,
               R"(python3 -c 'import numpy as n; n.savetxt("{1}.csv", n.load("{0}").astype(str), "%s", ",")')");
  }
  return {};
}

std::string help_with_pickle(const std::string& name) {
  return ", as a pickle begins; of a file that you trust (to read it is to run what it says), what "
         "makes an array of it: " +
         conversion_line(
             name,
             R"(python3 -c 'import numpy as n; n.save("{1}.npy", n.asarray(n.load("{0}", allow_pickle=True)))')");
}

}  // namespace pate::io
