// detector.cpp - what a detector has to be. Calibrations of pyFAI: lines "Key: value", with
// Detector_config in JSON. Pixels turned into the lab, then into the sample's frame. The middle of
// each column's qy and each row's qz, and the largest distance from them.
#include "runtime/scattering/detector/detector.h"
#include "runtime/engine/system/json.h"
#include "runtime/engine/system/reader.h"
#include "runtime/engine/system/text.h"
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <map>

namespace facet::runtime {

namespace {

struct DetectorModel {
  const char *name;
  std::int64_t rows, columns;
  double micrometres;
};
constexpr DetectorModel known[] = {
#define FACET_DETECTOR(name, rows, columns, micrometres) {name, rows, columns, micrometres},
#include "runtime/scattering/detector/known.def"
};
struct UnevenModel {
  const char *beginning, *why;
};
constexpr UnevenModel uneven[] = {
#define FACET_UNEVEN(beginning, why) {beginning, why},
#include "runtime/scattering/detector/known.def"
};

std::string trimmed(const std::string &text) {
  const auto first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}
// As known.def writes names: "Pilatus CdTe 1M" is "pilatus1m".
std::string plain(const std::string &name) {
  std::string text = lower(name);
  std::erase_if(text, [](char c) { return !isLetter(c) && !isDigit(c); });
  if (const auto at = text.find("cdte"); at != std::string::npos)
    text.erase(at, 4);
  return text;
}

// The values of a .poni file by their keys in lower case, with where they stand.
class Poni {
public:
  explicit Poni(const std::string &path) : path_(path) {
    FileReader file(path, FileReader::Content::Lines);
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
  std::vector<std::string> keys() const { // in lower case
    std::vector<std::string> all;
    for (const auto &[key, value] : values_)
      all.push_back(key);
    return all;
  }
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
  if (is != 1 && is != 2 && is != 2.1 && is != 3)
    throw Error(poni.place("poni_version"), fmt::format("version {} of .poni files", is),
                "facet reads versions 1, 2, 2.1, and 3 without parallax");
  for (const std::string &key : poni.keys())
    if (const std::string text = lower(poni.text(key)); key.find("parallax") != std::string::npos &&
                                                        text != "false" && text != "none" &&
                                                        text != "null" && text != "0")
      throw Error(poni.place(key), "a correction of parallax, which facet does not know",
                  "calibrate without parallax");
  return is;
}

void byName(Detector &detector, const std::string &where) {
  const std::string name = plain(detector.name);
  for (const DetectorModel &k : known)
    if (name == k.name) {
      detector.rows = k.rows, detector.columns = k.columns;
      detector.pixel1 = detector.pixel2 = k.micrometres * 1e-6;
      return;
    }
  for (const UnevenModel &u : uneven)
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
  const auto isCount = [](const Json &v) {
    return v.is_number_integer() && v.get<double>() > 0 && v.get<double>() < 1e9;
  };
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

/// Throws Error if pixels have another size than those of a known detector, and there are as many:
/// the image was binned, or there is none.
void checkKnown(const Detector &detector, const Detector &known, const std::string &where) {
  const auto differ = [](double a, double b) { return b > 0 && std::abs(a / b - 1) > 1e-3; };
  const bool other = differ(detector.pixel1, known.pixel1) || differ(detector.pixel2, known.pixel2);
  if (other && detector.rows == known.rows && detector.columns == known.columns)
    throw Error(
        where,
        fmt::format(
            "detector '{}' has pixels of {:g} x {:g} m, and the calibration says {:g} x {:g} m",
            detector.name, known.pixel1, known.pixel2, detector.pixel1, detector.pixel2),
        "say in Detector_config how many pixels the image has: max_shape");
}

void readDetector(Detector &detector, const Poni &poni, double version) {
  std::string where = poni.has("Detector") ? poni.place("Detector") : "";
  if (version >= 2 || poni.has("Detector")) {
    detector.name = poni.text("Detector");
    byName(detector, where);
  }
  const Detector named = detector;
  if (poni.has("PixelSize1"))
    detector.pixel1 = poni.number("PixelSize1");
  if (poni.has("PixelSize2"))
    detector.pixel2 = poni.number("PixelSize2");
  if (poni.has("Detector_config"))
    readConfig(detector, poni);
  checkKnown(detector, named, where);
  if (poni.has("SplineFile") && lower(poni.text("SplineFile")) != "none")
    throw Error(poni.place("SplineFile"), "a distortion by splines, which facet does not know",
                "correct the image for it, and calibrate what you get");
  if (detector.pixel1 > 0 && detector.pixel2 > 0)
    return;
  if (detector.name.empty())
    poni.text("PixelSize1"), poni.text("PixelSize2");
  std::vector<std::string> names;
  for (const DetectorModel &k : known)
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

namespace {

// pyFAI's R3 R2 R1: about axis 1 and 2 left-handed, about axis 3 right-handed, written so that t =
// R (p1, p2, L).
std::array<Geometry::Vec3, 3> rotation(const Detector &d) {
  const double s1 = std::sin(d.rotation[0]), c1 = std::cos(d.rotation[0]);
  const double s2 = std::sin(d.rotation[1]), c2 = std::cos(d.rotation[1]);
  const double s3 = std::sin(d.rotation[2]), c3 = std::cos(d.rotation[2]);
  return {{{c2 * c3, c3 * s1 * s2 - c1 * s3, -(c1 * c3 * s2 + s1 * s3)},
           {c2 * s3, c1 * c3 + s1 * s2 * s3, -(c1 * s2 * s3 - c3 * s1)},
           {s2, -c2 * s1, c1 * c2}}};
}

Geometry::Vec3 times(const std::array<Geometry::Vec3, 3> &matrix, const Geometry::Vec3 &v) {
  Geometry::Vec3 product;
  for (std::size_t k = 0; k < 3; ++k)
    product[k] = matrix[k][0] * v[0] + matrix[k][1] * v[1] + matrix[k][2] * v[2];
  return product;
}

double flipped(double index, std::int64_t count) { return static_cast<double>(count - 1) - index; }

std::vector<double> middles(const std::vector<Range> &ranges) {
  std::vector<double> values(ranges.size());
  std::ranges::transform(ranges, values.begin(),
                         [](const Range &r) { return (r.low + r.high) / 2; });
  return values;
}

template <class Use> void walk(const Geometry &geometry, double k, const Use &use) {
  const auto rows = static_cast<std::size_t>(geometry.detector().rows),
             columns = static_cast<std::size_t>(geometry.detector().columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      use(i, j, geometry.q(k, static_cast<double>(i), static_cast<double>(j)));
}

} // namespace

Geometry::Geometry(const Detector &detector) : Geometry(detector, 0) { grazing_ = false; }

Geometry::Geometry(const Detector &detector, double alphaI)
    : detector_(detector), alphaI_(alphaI), cosI_(std::cos(alphaI)), sinI_(std::sin(alphaI)),
      grazing_(true), turn_(rotation(detector)) {
  if (!(alphaI >= 0 && alphaI <= std::numbers::pi / 2))
    throw Error("beam", fmt::format("an angle of incidence of {} rad", alphaI),
                "it is measured from the surface: 0 to pi/2");
  // Squares of places over this are within the range of double.
  const double far = detector.distance + std::abs(detector.poni1) + std::abs(detector.poni2) +
                     static_cast<double>(detector.rows) * detector.pixel1 +
                     static_cast<double>(detector.columns) * detector.pixel2;
  fill_ = detector.pixel1 / far * (detector.pixel2 / far) * (detector.distance / far);
  for (std::size_t c = 0; c < 3; ++c) {
    const Vec3 u = {turn_[2][c] / far, -turn_[1][c] / far, turn_[0][c] / far};
    toward_[0][c] = cosI_ * u[0] + sinI_ * u[2];
    toward_[1][c] = u[1];
    toward_[2][c] = -sinI_ * u[0] + cosI_ * u[2];
  }
}

Geometry::Vec3 Geometry::inPlane(double row, double column) const {
  const double i = rowsFlip(detector_) ? flipped(row, detector_.rows) : row;
  const double j = columnsFlip(detector_) ? flipped(column, detector_.columns) : column;
  return {(i + 0.5) * detector_.pixel1 - detector_.poni1,
          (j + 0.5) * detector_.pixel2 - detector_.poni2, detector_.distance};
}

Geometry::Vec3 Geometry::position(double row, double column) const {
  return times(turn_, inPlane(row, column));
}

PixelDirection Geometry::direction(double row, double column) const {
  const Vec3 at = times(toward_, inPlane(row, column));
  const double length = std::sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
  return {{at[0] / length, at[1] / length, at[2] / length}, fill_ / (length * length * length)};
}

double Geometry::angle(double PixelAngles::*which, double row, double column) const {
  if (which == &PixelAngles::twoTheta) {
    const Vec3 t = position(row, column);
    return std::atan2(std::sqrt(t[0] * t[0] + t[1] * t[1]), t[2]);
  }
  const Vec3 f = direction(row, column).f;
  return which == &PixelAngles::alphaF ? std::asin(f[2]) : std::atan2(f[1], f[0]);
}

Pixel Geometry::pixel(double row, double column) const {
  const auto [f, solidAngle] = direction(row, column);
  const auto of = [&](double PixelAngles::*which) { return angle(which, row, column); };
  return {{of(&PixelAngles::alphaF), of(&PixelAngles::phiF), of(&PixelAngles::twoTheta)},
          solidAngle,
          grazing_ && f[2] < 0};
}

// Near the direct beam f.x - cos ai is a small difference; |f| = 1 gives it without cancellation.
Geometry::Vec3 Geometry::q(double k, const Vec3 &f) const {
  const double x =
      f[0] > 0 ? (f[1] * f[1] + (f[2] - sinI_) * (f[2] + sinI_)) / (cosI_ + f[0]) : cosI_ - f[0];
  return {-k * x, k * f[1], k * (f[2] + sinI_)};
}

std::optional<std::array<double, 2>> Geometry::find(double alphaF, double phiF) const {
  const Vec3 f = {std::cos(alphaF) * std::cos(phiF), std::cos(alphaF) * std::sin(phiF),
                  std::sin(alphaF)};
  const Vec3 u = {cosI_ * f[0] - sinI_ * f[2], f[1], sinI_ * f[0] + cosI_ * f[2]};
  const Vec3 t = {u[2], -u[1], u[0]};
  Vec3 p; // the rotation's inverse is its transpose
  for (std::size_t k = 0; k < 3; ++k)
    p[k] = turn_[0][k] * t[0] + turn_[1][k] * t[1] + turn_[2][k] * t[2];
  if (!(p[2] > 0))
    return std::nullopt;
  const double scale = detector_.distance / p[2];
  const double i = (p[0] * scale + detector_.poni1) / detector_.pixel1 - 0.5;
  const double j = (p[1] * scale + detector_.poni2) / detector_.pixel2 - 0.5;
  return std::array{rowsFlip(detector_) ? flipped(i, detector_.rows) : i,
                    columnsFlip(detector_) ? flipped(j, detector_.columns) : j};
}

SmallAngleGrid smallAngleGrid(const Geometry &geometry, double k) {
  std::vector<Range> columns(static_cast<std::size_t>(geometry.detector().columns)),
      rows(static_cast<std::size_t>(geometry.detector().rows));
  walk(geometry, k, [&](std::size_t i, std::size_t j, const Geometry::Vec3 &q) {
    columns[j].add(q[1]);
    rows[i].add(q[2]);
  });
  SmallAngleGrid grid;
  grid.qy = middles(columns);
  grid.qz = middles(rows);
  const double sine = std::sin(geometry.alphaI());
  for (const double qz : grid.qz)
    grid.alphaF.push_back(std::asin(std::clamp(qz / k - sine, -1.0, 1.0)));

  walk(geometry, k, [&](std::size_t i, std::size_t j, const Geometry::Vec3 &q) {
    // A pixel that sees something counts, though the row of a turned detector lies behind the
    // sample.
    if (geometry.grazing() && grid.alphaF[i] < 0 && q[2] / k < sine)
      return;
    const double y = q[1] - grid.qy[j], z = q[2] - grid.qz[i];
    grid.dqx = std::max(grid.dqx, std::abs(q[0]));
    grid.dqy = std::max(grid.dqy, std::abs(y));
    grid.dqz = std::max(grid.dqz, std::abs(z));
    grid.dq = std::max(grid.dq, q[0] * q[0] + y * y + z * z);
  });
  grid.dq = std::sqrt(grid.dq);
  return grid;
}

} // namespace facet::runtime
