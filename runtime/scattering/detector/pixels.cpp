// pixels.cpp - where the pixels of a scene's images look; angles of incidence by values of a third
// axis, with names for each.
#include "runtime/scattering/detector/pixels.h"
#include "runtime/scattering/sample/layers.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <string_view>

namespace facet::runtime {
namespace {

constexpr const char *qNames[] = {"qx", "qy", "qz"};
constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::vector<double> radians(const std::string &axis, const char *name) {
  const Axis degrees = parseAxis(axis);
  if (!degrees.im.empty())
    throw Error("grid", fmt::format("{} is complex: angles are real", name),
                "absorption is that of the layers: beta in [sample]");
  std::vector<double> values;
  for (const double v : degrees.re) {
    if (!(std::abs(v) < 90))
      throw Error("grid", fmt::format("{} = {} deg is not between -90 and 90", name, v));
    values.push_back(v * degree);
  }
  return values;
}

std::vector<double> wavenumbers(const std::string &axis, const char *name) {
  const Axis q = parseAxis(axis);
  if (!q.im.empty())
    throw Error("grid", fmt::format("{} is complex: that of a scene is real", name),
                "absorption is that of the layers: beta in [sample]");
  return q.re;
}

// A row is computed as a whole.
void checkSize(std::int64_t rows, std::int64_t columns) {
  constexpr double mostPixels = 1e9;
  constexpr std::int64_t mostColumns = 100000;
  if (static_cast<double>(rows) * static_cast<double>(columns) > mostPixels ||
      columns > mostColumns)
    throw Error("image", fmt::format("{} x {} pixels are out of reach", rows, columns),
                fmt::format("{:.0e} pixels are the most, in rows of {}", mostPixels, mostColumns));
}

/// Where a pixel at q looks in transmission.
PixelView lookAlong(const std::array<double, 3> &q) {
  PixelView look;
  look.q = q;
  look.lateral = {-q[0], -q[1]};
  look.born = -q[2];
  return look;
}

} // namespace

Pixels::Pixels(const Experiment &e, const Stack &stack, double k, double alphaI, double half)
    : stack_(stack), k_(k), alphaI_(alphaI), sinI_(std::sin(alphaI)),
      grazing_(!stack.layers.empty()) {
  if (e.detector) {
    setDetector(*e.detector, half, e.accuracy);
    return;
  }
  if (!e.alphaF.empty()) {
    kind_ = Kind::Angles;
    alphaF_ = radians(e.alphaF, "alpha_f");
    phiF_ = radians(e.phiF, "phi_f");
    setAxes(alphaF_, phiF_);
  } else if (!e.inPlane.empty()) {
    kind_ = Kind::Frame;
    sideways_ = std::string_view("2457").find(static_cast<char>('0' + e.sampleOrientation)) ==
                        std::string_view::npos
                    ? -1
                    : 1;
    outOfPlane_ = wavenumbers(e.outOfPlane, "q_oop");
    inPlane_ = wavenumbers(e.inPlane, "q_ip");
    setAxes(outOfPlane_, inPlane_);
  } else {
    setQ(e);
  }
}

void Pixels::setAxes(const std::vector<double> &ofRows, const std::vector<double> &ofColumns) {
  rows_ = std::ssize(ofRows);
  columns_ = std::ssize(ofColumns);
  remarkOne();
}

Pixels::Pixels(std::shared_ptr<const Band> band, bool partners)
    : band_(std::move(band)), points_(partners ? band_->points() : band_->directions()) {
  constexpr std::int64_t most = 8192; // points of a row
  kind_ = Kind::Spheres;
  parts_ = (band_->points() + most - 1) / most;
  columns_ = (band_->points() + parts_ - 1) / parts_;
  rows_ = parts_ * std::ssize(band_->spheres);
}

PixelView Pixels::ofSphere(std::int64_t row, std::int64_t column) const {
  PixelView look;
  const std::int64_t point = row % parts_ * columns_ + column;
  look.behind = point >= points_;
  if (look.behind)
    return look;
  const Direction direction = band_->at(point);
  for (std::size_t k = 0; k < 3; ++k)
    look.q[k] = band_->spheres[static_cast<std::size_t>(row / parts_)].k * direction.at[k];
  look.lateral = {look.q[0], look.q[1]};
  look.born = look.q[2];
  return look;
}

void Pixels::setDetector(const Detector &detector, double half, double accuracy) {
  geometry_ = grazing_ ? Geometry(detector, alphaI_) : Geometry(detector);
  rows_ = detector.rows;
  columns_ = detector.columns;
  kind_ = Kind::Detector;
  checkSize(rows_, columns_); // before a walk over all of them
  if (detector.form == "points")
    return;
  small_ = smallAngleGrid(*geometry_, inTop());
  const double error = small_.dq * half;
  const std::string bound = fmt::format("max|dq| {:.1e} nm^-1 (qx {:.1e}), phases off by up to "
                                        "{:.1e}",
                                        small_.dq, small_.dqx, error);
  // Records at one place may have other lengths, which the contract does not know.
  if (detector.form == "auto" && (error > accuracy || half == 0)) {
    remark_ = fmt::format("exact pixels: a small-angle grid would have {}", bound);
    return;
  }
  kind_ = Kind::SmallAngle;
  rowAxis_ = 2, columnAxis_ = 1;
  remark_ = fmt::format("small-angle grid, {}", bound);
}

void Pixels::setQ(const Experiment &e) {
  grid_ = std::make_shared<Grid>(makeGrid(e));
  check(*grid_);
  if (grid_->complexQ())
    throw Error("grid", "q is complex: that of a scene is real",
                "absorption is that of the layers: beta in [sample]");
  if (grid_->kind == Grid::Kind::Points) {
    kind_ = Kind::List;
    rows_ = grid_->imageRows > 0 ? grid_->imageRows : 1;
    columns_ = grid_->size() / rows_;
    return;
  }
  kind_ = Kind::Q;
  const auto n = grid_->extents();
  // The later component is vertical: qz over qy or qx, qy over qx.
  rowAxis_ = n[2] > 1 || n[1] == 1 || n[0] == 1 ? 2 : 1;
  columnAxis_ = rowAxis_ == 1 || n[1] == 1 ? 0 : 1;
  rows_ = n[static_cast<std::size_t>(rowAxis_)];
  columns_ = n[static_cast<std::size_t>(columnAxis_)];
  remarkOne();
}

void Pixels::remarkOne() {
  if ((rows_ == 1) == (columns_ == 1))
    return;
  const ImageAxis one = axis(rows_ == 1);
  remark_ = fmt::format("{} has one value, {:.6g} {}: it lies beside I, which has no axis of it",
                        one.name, one.values[0], one.unit);
}

PixelView Pixels::ofAngles(double alphaF, double phiF) const {
  if (grazing_) {
    PixelView look;
    look.behind = alphaF < 0;
    look.sine = std::sin(alphaF);
    look.lateral = lateral(stack_, k_, alphaI_, alphaF, phiF);
    look.q = {-look.lateral[0], -look.lateral[1], inTop() * (look.sine + sinI_)};
    return look;
  }
  // cos af cos phi - 1 without cancellation
  const double half = std::sin(alphaF / 2), sine = std::sin(phiF / 2);
  return lookAlong({-2 * k_ * (half * half + std::cos(alphaF) * sine * sine),
                    k_ * std::cos(alphaF) * std::sin(phiF), k_ * std::sin(alphaF)});
}

/// k_f = k_i + q has the length of k_i: that gives qx, and |q_ip| gives |qy|. There is no such qy
/// in the missing wedge (J. L. Baker et al., Langmuir 26 (2010) 9146). As in pyFAI, q_ip is above 0
/// to the right seen from the sample, where qy is below 0. Four of its eight orientations of the
/// sample are rotations about the beam, which change nothing in the sample's frame. The others are
/// mirror images of these.
PixelView Pixels::ofFrame(double outOfPlane, double inPlane) const {
  const double k = inTop(), sine = grazing_ ? sinI_ : 0, cosine = std::sqrt(1 - sine * sine);
  const double qx =
      -(inPlane * inPlane + outOfPlane * (outOfPlane - 2 * k * sine)) / (2 * k * cosine);
  const double square = (inPlane - qx) * (inPlane + qx); // of qy
  PixelView look = lookAlong(
      {qx, sideways_ * std::copysign(std::sqrt(std::max(square, 0.0)), inPlane), outOfPlane});
  if (grazing_)
    look.sine = outOfPlane / k - sine;
  look.behind = square < 0 || look.sine < 0;
  return look;
}

/// By another beam than the mean one.
PixelView Pixels::ofDirection(const std::array<double, 3> &f) const {
  const double cosine = std::cos(alphaI_), k = inTop();
  PixelView look = lookAlong({k * (f[0] - cosine * std::cos(beam_.phi)),
                              k * (f[1] - cosine * std::sin(beam_.phi)), k * (f[2] + sinI_)});
  look.sine = f[2];
  look.behind = grazing_ && look.sine < 0;
  return look;
}

PixelView Pixels::ofQ(const std::array<double, 3> &q) const {
  PixelView look = lookAlong(q);
  if (grazing_) {
    look.sine = q[2] / inTop() - sinI_;
    look.behind = look.sine < 0 || look.sine > 1;
  } else if (k_ == 0) { // as `facet run` of a plain grid: F at q itself
    look.lateral = {q[0], q[1]};
    look.born = q[2];
  }
  return look;
}

/// q of a pixel of a detector, which stays where the mean beam comes from.
std::array<double, 3> Pixels::qOf(const std::array<double, 3> &f) const {
  std::array<double, 3> q = geometry_->q(inTop(), f);
  const double mean = geometry_->alphaI(), cosine = std::cos(alphaI_);
  q[0] += inTop() * (std::cos(mean) - cosine * std::cos(beam_.phi));
  q[1] -= inTop() * cosine * std::sin(beam_.phi);
  q[2] += inTop() * (sinI_ - std::sin(mean));
  return q;
}

Pixels Pixels::by(const BeamNode &beam) const {
  Pixels one = *this;
  if (kind_ == Kind::Angles || kind_ == Kind::Frame)
    one.mean_ = std::make_shared<Pixels>(*this);
  one.beam_ = beam;
  one.k_ /= beam.wavelength;
  one.alphaI_ += beam.alphaI;
  one.sinI_ = std::sin(one.alphaI_);
  return one;
}

PixelView Pixels::ofDetector(std::int64_t row, std::int64_t column) const {
  const auto [f, solidAngle] = geometry_->direction(static_cast<double>(row) + beam_.row,
                                                    static_cast<double>(column) + beam_.column);
  PixelView look;
  if (kind_ == Kind::Detector) {
    look = lookAlong(qOf(f));
    look.sine = f[2];
  } else {
    look = lookAlong(
        {0, small_.qy[static_cast<std::size_t>(column)], small_.qz[static_cast<std::size_t>(row)]});
    look.sine = std::clamp(look.q[2] / inTop() - sinI_, -1.0, 1.0);
  }
  look.behind = grazing_ && look.sine < 0;
  const PixelMask *mask = geometry_->detector().mask.get();
  look.masked = mask != nullptr && !look.behind &&
                mask->bad[static_cast<std::size_t>(row * columns_ + column)];
  look.behind = look.behind || look.masked;
  look.solidAngle = solidAngle;
  return look;
}

/// q of a grid.
std::array<double, 3> Pixels::qAt(std::int64_t row, std::int64_t column) const {
  std::array<double, 3> q{};
  if (kind_ == Kind::List) {
    const auto at = grid_->at(row * columns_ + column);
    return {at[0].real(), at[1].real(), at[2].real()};
  }
  for (int k = 0; k < 3; ++k) {
    const std::int64_t at = k == rowAxis_ ? row : k == columnAxis_ ? column : slice_;
    q[static_cast<std::size_t>(k)] =
        grid_->axes[static_cast<std::size_t>(k)].re[static_cast<std::size_t>(at)];
  }
  return q;
}

PixelView Pixels::at(std::int64_t row, std::int64_t column) const {
  if (mean_ != nullptr) {
    const PixelView look = mean_->at(row, column);
    const double k = mean_->inTop(), cosine = std::cos(mean_->alphaI_);
    return look.behind
               ? look
               : ofDirection({look.q[0] / k + cosine, look.q[1] / k, look.q[2] / k - mean_->sinI_});
  }
  switch (kind_) {
  case Kind::Detector:
  case Kind::SmallAngle:
    return ofDetector(row, column);
  case Kind::Angles:
    return ofAngles(alphaF_[static_cast<std::size_t>(row)],
                    phiF_[static_cast<std::size_t>(column)]);
  case Kind::Frame:
    return ofFrame(outOfPlane_[static_cast<std::size_t>(row)],
                   inPlane_[static_cast<std::size_t>(column)]);
  case Kind::Spheres:
    return ofSphere(row, column);
  default:
    return ofQ(qAt(row, column));
  }
}

double Pixels::angle(double PixelAngles::*which, std::int64_t row, std::int64_t column) const {
  const auto r = static_cast<std::size_t>(row), c = static_cast<std::size_t>(column);
  const bool alpha = which == &PixelAngles::alphaF;
  if (kind_ == Kind::SmallAngle && grazing_ && alpha)
    return small_.alphaF[r];
  if (geometry_)
    return geometry_->angle(which, static_cast<double>(row), static_cast<double>(column));
  if (kind_ == Kind::Spheres || which == &PixelAngles::twoTheta)
    return 0;
  if (kind_ == Kind::Angles)
    return alpha ? alphaF_[r] : phiF_[c];
  const double sine = grazing_ ? at(row, column).sine : none;
  const double alphaF = sine >= -1 && sine <= 1 ? std::asin(sine) : none;
  if (alpha)
    return alphaF;
  const double across = at(row, column).q[1] / (inTop() * std::cos(alphaF));
  return std::abs(across) <= 1 ? std::asin(across) : none;
}

double Pixels::shortest(const PixelView &look) const {
  const double z = grazing_ ? inTop() * (look.sine - sinI_) : look.q[2];
  return std::sqrt(look.q[0] * look.q[0] + look.q[1] * look.q[1] + z * z);
}

ImageAxis Pixels::axis(bool ofRows) const {
  if (kind_ == Kind::Q) {
    const auto axis = static_cast<std::size_t>(ofRows ? rowAxis_ : columnAxis_);
    return {qNames[axis], "1/nm", grid_->axes[axis].re};
  }
  if (kind_ == Kind::SmallAngle)
    return ofRows ? ImageAxis{"qz", "1/nm", small_.qz} : ImageAxis{"qy", "1/nm", small_.qy};
  if (kind_ == Kind::Frame)
    return ofRows ? ImageAxis{"q_oop", "1/nm", outOfPlane_} : ImageAxis{"q_ip", "1/nm", inPlane_};
  ImageAxis axis{ofRows ? "row" : "column", "pixels", {}};
  if (kind_ == Kind::Angles) {
    axis = {ofRows ? "alpha_f" : "phi_f", "deg", ofRows ? alphaF_ : phiF_};
    for (double &angle : axis.values)
      angle /= degree;
  } else {
    axis.values.resize(static_cast<std::size_t>(ofRows ? rows_ : columns_));
    std::iota(axis.values.begin(), axis.values.end(), 0.0);
  }
  return axis;
}

ImageAxis Pixels::thirdAxis() const {
  // Rows are qz and columns qy if there are three axes.
  if (kind_ != Kind::Q || rowAxis_ != 2 || columnAxis_ != 1 || grid_->axes[0].re.size() < 2)
    return {};
  return {qNames[0], "1/nm", grid_->axes[0].re};
}

Pixels Pixels::slice(std::int64_t index) const {
  Pixels one = *this;
  one.slice_ = index;
  return one;
}

namespace {

// In most images a corner does. On a sample the rows that are read first are behind it, so the last
// row comes first.
bool sees(const Pixels &pixels) {
  for (const std::int64_t r : {pixels.rows() - 1, std::int64_t{0}})
    for (const std::int64_t c : {pixels.columns() - 1, std::int64_t{0}})
      if (!pixels.at(r, c).behind)
        return true;
  for (std::int64_t r = 0; r < pixels.rows(); ++r)
    for (std::int64_t c = 0; c < pixels.columns(); ++c)
      if (!pixels.at(r, c).behind)
        return true;
  return false;
}

// A result has a group for each image.
void checkImages(const Pixels &pixels, std::size_t angles) {
  constexpr double mostImages = 1e4;
  const std::size_t slices = std::max<std::size_t>(pixels.thirdAxis().values.size(), 1);
  if (static_cast<double>(slices * angles) > mostImages)
    throw Error("image", fmt::format("{} images are out of reach", slices * angles),
                fmt::format("{} are the most: take fewer qx or alpha_i", mostImages));
}

} // namespace

std::vector<SceneView> viewsOf(const Experiment &e, const Stack &stack, double k, double half) {
  if (!e.isScene())
    throw Error("experiment", "has one particle on one grid: no images", "", Exit::Failed);
  std::vector<double> angles = e.alphaI;
  if (angles.empty())
    angles = {0};
  std::vector<SceneView> views;
  bool seen = false;
  for (std::size_t a = 0; a < angles.size(); ++a) {
    const Pixels pixels(e, stack, k, angles[a] * degree, half);
    checkSize(pixels.rows(), pixels.columns());
    checkImages(pixels, angles.size());
    seen = seen || sees(pixels); // what is behind depends on no third axis
    const std::string angle = angles.size() > 1 ? fmt::format("_{}", a + 1) : "";
    const std::string title = angles[a] > 0 ? fmt::format("alpha_i = {} deg", angles[a]) : "";
    const ImageAxis third = pixels.thirdAxis();
    const auto slices = static_cast<std::int64_t>(third.values.size());
    if (slices == 0)
      views.push_back({std::make_shared<Pixels>(pixels), angles[a], a, -1, angle, title});
    for (std::int64_t s = 0; s < slices; ++s)
      views.push_back(
          {std::make_shared<Pixels>(pixels.slice(s)), angles[a], a, s,
           fmt::format("{}_{}_{}", angle, third.name, s + 1),
           fmt::format("{}{}{} = {:.6g} {}", title, title.empty() ? "" : ", ", third.name,
                       third.values[static_cast<std::size_t>(s)], third.unit)});
  }
  if (!seen)
    throw Error(e.detector ? "detector" : "grid",
                fmt::format("all of it is {}behind the sample: alpha_f < 0",
                            e.detector && e.detector->mask ? "masked or " : ""),
                e.detector
                    ? "the horizon is distance x tan(alpha_i) above the direct beam"
                    : "alpha_f is 0 or more, qz is k n_0 sin(alpha_i) or more; q_ip is outside "
                      "the missing wedge");
  return views;
}

std::vector<SceneView> viewsOf(const std::shared_ptr<const Spheres> &spheres) {
  std::vector<SceneView> views;
  for (const Band &band : spheres->bands)
    views.emplace_back().pixels =
        std::make_shared<Pixels>(std::shared_ptr<const Band>(spheres, &band), spheres->partners);
  return views;
}

std::string textOf(const Spheres &spheres) {
  return fmt::format("{} q", spheres.q.size()) +
         (spheres.smearing ? fmt::format(", smeared, of {}", spheres.smearing->at().size()) : "");
}

Curve curveOf(const Spheres &spheres, const std::vector<std::vector<std::vector<SphereSums>>> &sums,
              const std::vector<double> &errors) {
  const CurveResolution *smearing = spheres.smearing.get();
  const Curve curve =
      curveOf(spheres.at(), spheres.bands, sums, errors, spheres.loss, spheres.excess);
  return smearing != nullptr ? smearing->of(curve) : curve;
}

} // namespace facet::runtime
