// detector.cpp - what a detector has to be; calibrations of pyFAI: lines "Key: value",
// Detector_config in JSON.
#include "runtime/experiment/detector/detector.h"
#include "runtime/files/json.h"
#include "runtime/files/text.h"
#include <cctype>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <fstream>
#include <map>

namespace facet::runtime {

namespace {

struct Known {
  const char *name;
  std::int64_t rows, columns;
  double micrometres;
};
constexpr Known known[] = {
#define FACET_DETECTOR(name, rows, columns, micrometres) {name, rows, columns, micrometres},
#include "runtime/experiment/detector/known.def"
};
struct Uneven {
  const char *beginning, *why;
};
constexpr Uneven uneven[] = {
#define FACET_UNEVEN(beginning, why) {beginning, why},
#include "runtime/experiment/detector/known.def"
};

std::string trimmed(const std::string &text) {
  const auto first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}
std::string lower(std::string text) {
  for (char &c : text)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}
// As known.def writes names: "Pilatus CdTe 1M" is "pilatus1m".
std::string plain(const std::string &name) {
  std::string text = lower(name);
  std::erase_if(text, [](unsigned char c) { return std::isalnum(c) == 0; });
  if (const auto at = text.find("cdte"); at != std::string::npos)
    text.erase(at, 4);
  return text;
}

// The values of a .poni file by their keys in lower case, with where they stand.
class Poni {
public:
  explicit Poni(const std::string &path) : path_(path) {
    std::ifstream file(path);
    if (!file)
      throw Error(path, "no such file", "a calibration as pyFAI writes it, .poni");
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
      const auto colon = line.find(':');
      if (line.rfind('#', 0) == 0 || colon == std::string::npos)
        continue;
      values_[lower(trimmed(line.substr(0, colon)))] = {trimmed(line.substr(colon + 1)), number};
    }
  }

  bool has(const std::string &key) const { return values_.count(lower(key)) != 0; }
  std::string text(const std::string &key) const { return value(key).text; }
  std::string place(const std::string &key) const {
    return fmt::format("{}:{}", path_, value(key).line);
  }
  double number(const std::string &key) const {
    const std::string &text = value(key).text;
    double result = 0;
    if (!parseNumber(text, result) || !std::isfinite(result))
      throw Error(place(key), fmt::format("{}: '{}' is no number", key, text));
    return result;
  }

private:
  struct Value {
    std::string text;
    int line;
  };
  const Value &value(const std::string &key) const {
    const auto found = values_.find(lower(key));
    if (found == values_.end())
      throw Error(path_, fmt::format("no key '{}'", key),
                  "a .poni file has Distance, Poni1, Poni2 (m), Rot1, Rot2, Rot3 (rad), and a "
                  "Detector with its pixel sizes");
    return found->second;
  }
  std::string path_;
  std::map<std::string, Value> values_;
};

double version(const Poni &poni) {
  const double is = poni.has("poni_version") ? poni.number("poni_version") : 1;
  if (is != 1 && is != 2 && is != 2.1)
    throw Error(poni.place("poni_version"), fmt::format("version {} of .poni files", is),
                "facet reads versions 1, 2 and 2.1");
  return is;
}

void byName(Detector &detector, const std::string &where) {
  const std::string name = plain(detector.name);
  for (const Known &k : known)
    if (name == k.name) {
      detector.rows = k.rows, detector.columns = k.columns;
      detector.pixel1 = detector.pixel2 = k.micrometres * 1e-6;
      return;
    }
  for (const Uneven &u : uneven)
    if (name.rfind(u.beginning, 0) == 0)
      throw Error(where, fmt::format("detector '{}' {}", detector.name, u.why),
                  "facet knows flat detectors with even pixels; give other pixels as a list of q "
                  "([grid] points)");
}

// One value of Detector_config.
void read(Detector &detector, const std::string &key, const Json &value, const std::string &where) {
  const auto fail = [&](const char *wanted) {
    throw Error(where, fmt::format("Detector_config: {} is {}, not {}", key, value.dump(), wanted));
  };
  const auto isCount = [](const Json &v) { return v.is_number_integer() && v.get<double>() > 0; };
  if (key == "pixel1" || key == "pixel2") {
    if (!value.is_number() || value.get<double>() <= 0)
      fail("a size in m");
    (key == "pixel1" ? detector.pixel1 : detector.pixel2) = value.get<double>();
  } else if (key == "max_shape") {
    if (!value.is_array() || value.size() != 2 || !isCount(value[0]) || !isCount(value[1]))
      fail("[rows, columns]");
    detector.rows = value[0].get<std::int64_t>();
    detector.columns = value[1].get<std::int64_t>();
  } else if (key == "orientation") {
    if (!isCount(value) || value.get<std::int64_t>() > 4)
      fail("1 to 4");
    detector.orientation = value.get<int>();
  } else if (key != "sensor") { // of what and how thick it is: no matter of geometry
    throw Error(where, fmt::format("Detector_config: facet does not know '{}'", key),
                "it would place pixels other than an even, flat grid does");
  }
}

void readConfig(Detector &detector, const Poni &poni) {
  const std::string where = poni.place("Detector_config");
  const Json config = parseJson(poni.text("Detector_config"));
  if (config.is_null())
    return;
  if (!config.is_object())
    throw Error(where, "Detector_config is no JSON object",
                R"(like {"pixel1": 0.000172, "pixel2": 0.000172, "max_shape": [1043, 981]})");
  for (const auto &[key, value] : config.items())
    if (!value.is_null())
      read(detector, key, value, where);
}

void readDetector(Detector &detector, const Poni &poni, double version) {
  std::string where = poni.has("Detector") ? poni.place("Detector") : "";
  if (version >= 2 || poni.has("Detector")) {
    detector.name = poni.text("Detector");
    byName(detector, where);
  }
  if (poni.has("PixelSize1"))
    detector.pixel1 = poni.number("PixelSize1");
  if (poni.has("PixelSize2"))
    detector.pixel2 = poni.number("PixelSize2");
  if (poni.has("Detector_config"))
    readConfig(detector, poni);
  if (poni.has("SplineFile") && lower(poni.text("SplineFile")) != "none")
    throw Error(poni.place("SplineFile"), "a distortion by splines, which facet does not know",
                "correct the image for it, and calibrate what you get");
  if (detector.pixel1 > 0 && detector.pixel2 > 0)
    return;
  if (detector.name.empty())
    poni.text("PixelSize1"), poni.text("PixelSize2");
  std::vector<std::string> names;
  for (const Known &k : known)
    names.emplace_back(k.name);
  const std::string near = nearest(plain(detector.name), names);
  throw Error(
      where, fmt::format("detector '{}' is unknown, and its pixels have no size", detector.name),
      fmt::format("{} pixel1, pixel2 (m) and max_shape in Detector_config",
                  near.empty() ? "give" : fmt::format("did you mean '{}'? Else give", near)));
}

} // namespace

Detector readPoni(const std::string &path) {
  const Poni poni(path);
  Detector detector;
  readDetector(detector, poni, version(poni));
  detector.distance = poni.number(poni.has("Distance") || !poni.has("Dist") ? "Distance" : "Dist");
  detector.poni1 = poni.number("Poni1");
  detector.poni2 = poni.number("Poni2");
  detector.rotation = {poni.number("Rot1"), poni.number("Rot2"), poni.number("Rot3")};
  if (poni.has("Wavelength"))
    detector.wavelength = 1e9 * poni.number("Wavelength");
  Detector sized = detector; // a file need not say how many pixels there are
  sized.rows = std::max<std::int64_t>(1, sized.rows);
  sized.columns = std::max<std::int64_t>(1, sized.columns);
  check(sized, path);
  return detector;
}

void check(const Detector &detector, const std::string &where) {
  const auto positive = [&](const char *what, double value) {
    if (!(value > 0 && std::isfinite(value)))
      throw Error(where, fmt::format("{} is {} m", what, value), "it has to be above 0");
  };
  const auto finite = [&](const char *what, double value) {
    if (!std::isfinite(value))
      throw Error(where, fmt::format("{} is {}", what, value), "it has to be a finite number");
  };
  if (detector.rows < 1 || detector.columns < 1)
    throw Error(where, fmt::format("{} x {} pixels", detector.rows, detector.columns),
                "give the detector's rows and columns (max_shape in a .poni file)");
  positive("the pixel size along axis 1", detector.pixel1);
  positive("the pixel size along axis 2", detector.pixel2);
  positive("the distance", detector.distance);
  finite("Poni1", detector.poni1);
  finite("Poni2", detector.poni2);
  finite("Rot1", detector.rotation[0]);
  finite("Rot2", detector.rotation[1]);
  finite("Rot3", detector.rotation[2]);
  if (!(detector.wavelength >= 0 && std::isfinite(detector.wavelength)))
    throw Error(where, fmt::format("the wavelength is {} nm", detector.wavelength),
                "it has to be above 0");
  if (detector.orientation < 1 || detector.orientation > 4)
    throw Error(where, fmt::format("orientation {}", detector.orientation),
                "facet knows 1 to 4: rows and columns as they are or flipped, 3 where it is "
                "not said");
}

} // namespace facet::runtime
