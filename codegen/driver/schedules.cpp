// schedules.cpp - tuned knobs from JSON.
#include "options.h"
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace facet::driver {
namespace {

using Json = nlohmann::json;

[[noreturn]] void fail(const std::string &path, std::size_t entry, const std::string &why) {
  throw ir::Error{fmt::format("{}: schedule {}: {}", path, entry + 1, why), {}};
}

template <class T, std::size_t N>
T word(const Json &entry, const char *key, const Word<T> (&known)[N]) {
  const std::string text = entry.value(key, "");
  for (const auto &[name, value] : known)
    if (name == text)
      return value;
  throw std::invalid_argument(fmt::format("{} is '{}'", key, text));
}

lower::TunedKnobs read(const Json &entry) {
  using passes::Algorithm;
  lower::TunedKnobs tuned;
  tuned.shape = entry.value("shape", "");
  tuned.target = entry.value("target", "");
  tuned.from = entry.value("from", "tuned");
  tuned.variant.algorithm = word<Algorithm, 2>(
      entry, "algorithm", {{"direct", Algorithm::Direct}, {"separable", Algorithm::Separable}});
  tuned.variant.klass = word(entry, "class", classWords);
  tuned.variant.grid = word(entry, "grid", gridWords);
  tuned.variant.complexQ = word<bool, 2>(entry, "q", {{"real", false}, {"complex", true}});
  for (const auto &[name, value] : entry.at("knobs").items())
    if (const std::string wrong =
            schedules::parse(fmt::format("{}={}", name, value.dump()), tuned.knobs);
        !wrong.empty())
      throw std::invalid_argument(wrong);
  return tuned;
}

} // namespace

std::vector<lower::TunedKnobs> readSchedules(const std::string &path) {
  if (path.empty())
    return {};
  std::ifstream file(path);
  const Json root = Json::parse(file, nullptr, false);
  if (!root.is_object() || !root.contains("schedules") || !root["schedules"].is_array())
    throw ir::Error{fmt::format("--schedules={}: cannot be read as JSON with \"schedules\"", path),
                    {}};
  std::vector<lower::TunedKnobs> list;
  for (const Json &entry : root["schedules"])
    try {
      list.push_back(read(entry));
    } catch (const std::exception &error) { // the library's own and ours
      fail(path, list.size(), error.what());
    }
  return list;
}

} // namespace facet::driver
