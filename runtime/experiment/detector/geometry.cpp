// geometry.cpp - pixels turned into the lab, then into the sample's frame; the middle of each
// column's qy and each row's qz, and the largest distance from them.
#include "runtime/experiment/detector/detector.h"
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::runtime {

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

// Orientations of pyFAI: 1 and 2 count rows from the top, 1 and 4 columns from the right (seen from
// the sample).
bool rowsFlip(const Detector &d) { return d.orientation == 1 || d.orientation == 2; }
bool columnsFlip(const Detector &d) { return d.orientation == 1 || d.orientation == 4; }
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

Geometry::Geometry(const Detector &detector) : detector_(detector), turn_(rotation(detector)) {}

Geometry::Geometry(const Detector &detector, double alphaI) : Geometry(detector) {
  if (!(alphaI >= 0 && alphaI <= std::numbers::pi / 2))
    throw Error("beam", fmt::format("an angle of incidence of {} rad", alphaI),
                "it is measured from the surface: 0 to pi/2");
  alphaI_ = alphaI, cosI_ = std::cos(alphaI), sinI_ = std::sin(alphaI);
  grazing_ = true;
}

Geometry::Vec3 Geometry::position(double row, double column) const {
  const double i = rowsFlip(detector_) ? flipped(row, detector_.rows) : row;
  const double j = columnsFlip(detector_) ? flipped(column, detector_.columns) : column;
  const Vec3 p = {(i + 0.5) * detector_.pixel1 - detector_.poni1,
                  (j + 0.5) * detector_.pixel2 - detector_.poni2, detector_.distance};
  Vec3 t;
  for (std::size_t k = 0; k < 3; ++k)
    t[k] = turn_[k][0] * p[0] + turn_[k][1] * p[1] + turn_[k][2] * p[2];
  return t;
}

Geometry::Vec3 Geometry::direction(double row, double column) const {
  const Vec3 t = position(row, column);
  const double length = std::hypot(t[0], t[1], t[2]);
  const Vec3 u = {t[2] / length, -t[1] / length, t[0] / length};
  return {cosI_ * u[0] + sinI_ * u[2], u[1], -sinI_ * u[0] + cosI_ * u[2]};
}

Pixel Geometry::pixel(double row, double column) const {
  const Vec3 t = position(row, column), f = direction(row, column);
  const double length = std::hypot(t[0], t[1], t[2]);
  Pixel pixel;
  pixel.alphaF = std::asin(f[2]);
  pixel.phiF = std::atan2(f[1], f[0]);
  pixel.twoTheta = std::atan2(std::hypot(t[0], t[1]), t[2]);
  pixel.solidAngle =
      detector_.pixel1 * detector_.pixel2 * detector_.distance / (length * length * length);
  pixel.behind = grazing_ && pixel.alphaF < 0;
  return pixel;
}

Geometry::Vec3 Geometry::q(double k, double row, double column) const {
  const Vec3 f = direction(row, column);
  return {k * (f[0] - cosI_), k * f[1], k * (f[2] + sinI_)};
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
    if (geometry.grazing() && grid.alphaF[i] < 0)
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
