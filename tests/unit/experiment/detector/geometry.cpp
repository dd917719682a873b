// geometry.cpp - pixels against values that agree with pyFAI; product grids in place of pixels,
// and their errors against every pixel.
#include "runtime/scattering/detector/detector.h"
#include "setups.h"
#include "tests/unit/run/refusal.h"
#include <algorithm>
#include <cmath>

namespace facet::test {
namespace {

TEST(Geometry, AnglesAndQOfPixels) {
  // row, column; alphaF, phiF and twoTheta in degrees; q
  constexpr double rows[][8] = {
      {700, 100, 2.259699925, 1.923164689, 3.122006217, -0.067613389, 1.699153543, 2.174774188},
      {1000, 900, 3.732215442, -2.016480464, 4.418489550, -0.138466753, -1.779171735, 3.475211704}};
  const Geometry geometry(camera(), 0.2 * degree);
  for (const auto &row : rows) {
    const Pixel pixel = geometry.pixel(row[0], row[1]);
    EXPECT_NEAR(pixel.alphaF / degree, row[2], 6e-10);
    EXPECT_NEAR(pixel.phiF / degree, row[3], 6e-10);
    EXPECT_NEAR(pixel.twoTheta / degree, row[4], 6e-10);
    EXPECT_FALSE(pixel.behind);
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_NEAR(geometry.q(k, row[0], row[1])[c], row[5 + c], 6e-10);
  }
}

TEST(Geometry, TiltedDetector) {
  const Geometry geometry(tilted(), 0.2 * degree);
  const auto t = geometry.position(700, 100);
  EXPECT_NEAR(t[0], 0.028480641286, 6e-13);
  EXPECT_NEAR(t[1], -0.024433982270, 6e-13);
  EXPECT_NEAR(t[2], 2.002621210061, 6e-13);
  EXPECT_NEAR(geometry.pixel(700, 100).twoTheta, 0.018736020709, 6e-13);
}

// By pyFAI 2026.9: Detector(172e-6, 150e-6, max_shape=(43, 31), orientation), calc_pos_zyx.
TEST(Geometry, EveryOrientation) {
  Detector d;
  d.rows = 43, d.columns = 31, d.pixel1 = 172e-6, d.pixel2 = 150e-6;
  d.distance = 2, d.poni1 = 0.0045, d.poni2 = 0.0012;
  d.rotation = {0.02, 0.03, 0.1};
  struct Row {
    int orientation;
    double row, column;
    Geometry::Vec3 t;
  };
  const Row rows[] = {{1, 0, 0, {-0.06121258020273031, 0.03744767980478542, 1.9987170830378076}},
                      {1, 40, 5, {-0.06798071612487824, 0.03601498616571933, 1.9985257062473907}},
                      {2, 0, 0, {-0.06076610560411699, 0.032970787043106055, 1.9988070365436648}},
                      {2, 40, 5, {-0.06768306639246938, 0.03303039099126642, 1.9985856752512954}},
                      {3, 0, 0, {-0.06795078137712966, 0.03224991495538055, 1.998590349050202}},
                      {3, 40, 5, {-0.06118264545498173, 0.03368260859444664, 1.998781725840619}},
                      {4, 0, 0, {-0.06839725597574298, 0.03672680771705991, 1.9985003955443448}},
                      {4, 40, 5, {-0.0614802951873906, 0.03666720376889955, 1.9987217568367142}}};
  for (const Row &r : rows) {
    d.orientation = r.orientation;
    const auto t = Geometry(d).position(r.row, r.column);
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_NEAR(t[c], r.t[c], 2e-14) << r.orientation << " axis " << c;
  }
}

/// The place on a detector that the angles reach; NAN if there is none.
std::array<double, 2> placeOf(const Geometry &geometry, double alphaF, double phiF) {
  return geometry.find(alphaF, phiF).value_or(std::array<double, 2>{NAN, NAN});
}

TEST(Geometry, HorizonAndSpecularSpotAreWhereTheAnglesSay) {
  const Geometry geometry(camera(), 0.2 * degree);
  const double pixels = 2 / 172e-6, ai = 0.2 * degree;
  const auto direct = placeOf(geometry, -ai, 0), horizon = placeOf(geometry, 0, 0),
             specular = placeOf(geometry, ai, 0);
  EXPECT_NEAR(direct[0], 200.75 - 0.5, 1e-9);
  EXPECT_NEAR(direct[1], 491 - 0.5, 1e-9);
  EXPECT_NEAR(horizon[0] - direct[0], std::tan(ai) * pixels, 1e-9);
  EXPECT_NEAR(specular[0] - direct[0], std::tan(2 * ai) * pixels, 1e-9);
  EXPECT_TRUE(geometry.pixel(horizon[0] - 0.01, 300).behind);
  EXPECT_FALSE(geometry.pixel(horizon[0] + 0.01, 300).behind);
  const auto q = geometry.q(k, specular[0], specular[1]);
  EXPECT_NEAR(q[0], 0, 1e-12);
  EXPECT_NEAR(q[2], 2 * k * std::sin(ai), 1e-12);
}

TEST(Geometry, FindIsTheInverseOfPixel) {
  for (Detector d : {camera(), tilted()})
    for (int orientation = 1; orientation <= 4; ++orientation) {
      d.orientation = orientation;
      const Geometry geometry(d, 0.3 * degree);
      const Pixel pixel = geometry.pixel(123.25, 700.5);
      const auto found = placeOf(geometry, pixel.alphaF, pixel.phiF);
      EXPECT_NEAR(found[0], 123.25, 1e-7);
      EXPECT_NEAR(found[1], 700.5, 1e-7);
    }
  EXPECT_FALSE(Geometry(camera(), 0.2 * degree).find(0, std::numbers::pi).has_value());
}

TEST(Geometry, TransmissionHasNoHorizon) {
  const Geometry through(camera()), grazing(camera(), 0);
  EXPECT_FALSE(through.pixel(0, 0).behind);
  EXPECT_TRUE(grazing.pixel(0, 0).behind);
  EXPECT_EQ(through.q(k, 5, 7), grazing.q(k, 5, 7));
  EXPECT_SAYS(Geometry(camera(), -0.1), "an angle of incidence of -0.1 rad");
}

// Near the direct beam q.x is a difference of two numbers near 1.
TEST(Geometry, QKeepsItsDigitsNearTheDirectBeam) {
  for (const double alphaI : {0.0, 0.2 * degree})
    for (const double column : {490.0, 491.5, 520.0}) {
      const Geometry geometry(camera(), alphaI);
      const long double sine = std::sin(alphaI), cosine = std::sqrt(1 - sine * sine);
      const auto p1 = static_cast<long double>((200 + 0.5) * 172e-6 - camera().poni1),
                 p2 = static_cast<long double>((column + 0.5) * 172e-6 - camera().poni2);
      const long double length = std::sqrt(p1 * p1 + p2 * p2 + 4);
      // 1 - cos 2 theta, without the cancellation.
      const long double off = (p1 * p1 + p2 * p2) / (length * (length + 2));
      const auto x = static_cast<double>(k * (-cosine * off + sine * p1 / length));
      EXPECT_NEAR(geometry.q(k, 200, column)[0], x, 4e-14 * std::abs(x)) << alphaI << column;
    }
}

// Angles take longer than all else, and every unit looks at its pixels.
TEST(Geometry, DirectionAgreesWithTheAngles) {
  for (const Detector &d : {camera(), camera(0.05), tilted()})
    for (const auto &[row, column] : {std::pair{0.0, 0.0}, {700.0, 100.0}, {1042.0, 980.0}}) {
      const Geometry geometry(d, 0.3 * degree);
      const auto [f, solidAngle] = geometry.direction(row, column);
      const Pixel pixel = geometry.pixel(row, column);
      EXPECT_NEAR(f[0], std::cos(pixel.alphaF) * std::cos(pixel.phiF), 4e-16);
      EXPECT_NEAR(f[1], std::cos(pixel.alphaF) * std::sin(pixel.phiF), 4e-16);
      EXPECT_NEAR(f[2], std::sin(pixel.alphaF), 4e-16);
      EXPECT_EQ(solidAngle, pixel.solidAngle);
    }
}

TEST(Geometry, NumbersNearTheEndsOfDouble) {
  for (const double scale : {1e-200, 1e200}) {
    Detector d = camera();
    for (double *length : {&d.distance, &d.pixel1, &d.pixel2, &d.poni1, &d.poni2})
      *length *= scale;
    const Geometry geometry(d, 0.2 * degree), usual(camera(), 0.2 * degree);
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_NEAR(geometry.q(k, 700, 100)[c], usual.q(k, 700, 100)[c], 1e-13);
    EXPECT_NEAR(geometry.direction(700, 100).solidAngle / usual.direction(700, 100).solidAngle, 1,
                1e-14);
  }
}

// The length of q is 2 k sin(theta), tilted or not.
TEST(Geometry, LengthOfQIsThatOfTwoTheta) {
  const Geometry geometry(tilted(), 0.2 * degree);
  for (const double row : {0.0, 500.0, 1042.0}) {
    const auto q = geometry.q(k, row, 17);
    EXPECT_NEAR(std::hypot(q[0], q[1], q[2]),
                2 * k * std::sin(geometry.pixel(row, 17).twoTheta / 2), 1e-12);
  }
}

// All solid angles of a detector add up to what it fills of the sphere: a square of half width a
// at distance L has 4 asin(a^2 / (a^2 + L^2)).
TEST(Geometry, SolidAnglesAddUp) {
  Detector d;
  d.rows = d.columns = 200, d.pixel1 = d.pixel2 = 1e-3, d.distance = 0.1;
  d.poni1 = d.poni2 = 0.1;
  d.rotation[0] = 0.7;
  double sum = 0;
  for (int i = 0; i < 200; ++i)
    for (int j = 0; j < 200; ++j)
      sum += Geometry(d).pixel(i, j).solidAngle;
  EXPECT_NEAR(sum, 4 * std::asin(0.5), 1e-4);
}

TEST(Detector, ChecksWhatIsGiven) {
  const auto refused = [](const auto &change) {
    Detector d = camera();
    change(d);
    return refusal([&] { check(d, "setup"); });
  };
  EXPECT_EQ(refused([](Detector &) {}), "");
  EXPECT_HAS(refused([](Detector &d) { d.rows = 0; }), "setup: 0 x 981 pixels");
  EXPECT_HAS(refused([](Detector &d) { d.pixel2 = -1; }), "axis 2 is -1 m");
  EXPECT_HAS(refused([](Detector &d) { d.distance = 0; }), "the distance is 0 m");
  EXPECT_HAS(refused([](Detector &d) { d.rotation[2] = NAN; }), "Rot3 is nan");
  EXPECT_HAS(refused([](Detector &d) { d.orientation = 5; }), "orientation 5");
  EXPECT_HAS(refused([](Detector &d) { d.wavelength = -1; }), "the wavelength is -1 nm");
}

/// Largest |q(pixel) - (0, qy, qz)| by the formulas of angles, over pixels above the horizon.
double bruteForce(const Geometry &geometry, const SmallAngleGrid &grid) {
  double most = 0;
  for (std::size_t i = 0; i < grid.qz.size(); ++i)
    for (std::size_t j = 0; j < grid.qy.size(); ++j) {
      const Pixel p = geometry.pixel(static_cast<double>(i), static_cast<double>(j));
      if (p.behind || (geometry.grazing() && grid.alphaF[i] < 0))
        continue;
      const double ai = geometry.alphaI();
      const double x = k * (std::cos(p.alphaF) * std::cos(p.phiF) - std::cos(ai)),
                   y = k * std::cos(p.alphaF) * std::sin(p.phiF) - grid.qy[j],
                   z = k * (std::sin(p.alphaF) + std::sin(ai)) - grid.qz[i];
      most = std::max(most, std::hypot(x, y, z));
    }
  return most;
}

Detector binned(double distance) {
  Detector d = camera(distance);
  d.rows = 131, d.columns = 123, d.pixel1 = d.pixel2 = 8 * 172e-6;
  return d;
}

TEST(SmallAngle, BoundIsThatOfAllPixels) {
  Detector crooked = binned(2);
  crooked.rotation = {0.01, -0.02, 0.05}, crooked.orientation = 2;
  for (const Detector &d : {binned(1), binned(5), crooked})
    for (const Geometry &geometry : {Geometry(d), Geometry(d, 0.2 * degree)}) {
      const SmallAngleGrid grid = smallAngleGrid(geometry, k);
      const double is = bruteForce(geometry, grid);
      EXPECT_GE(grid.dq, is * (1 - 1e-9));
      EXPECT_LE(grid.dq, 1.02 * is); // pixels just behind the horizon, of rows before it
      EXPECT_LE(grid.dq, std::hypot(grid.dqx, grid.dqy, grid.dqz) * (1 + 1e-12));
      EXPECT_GE(grid.dq, std::max({grid.dqx, grid.dqy, grid.dqz}));
    }
}

// The table of docs/experiments.md: what is lost by qx = 0, and at most what a grid of one angle a
// column and a row leaves of qy and qz.
TEST(SmallAngle, ErrorsFallWithTheDistance) {
  struct Row {
    double distance, qx, angles;
  };
  for (const Row &row :
       {Row{1, 0.67, 5e-2}, Row{2, 0.16, 6e-3}, Row{5, 0.023, 4e-4}, Row{10, 0.0045, 5e-5}}) {
    const SmallAngleGrid grid = smallAngleGrid(Geometry(camera(row.distance), 0.2 * degree), k);
    EXPECT_NEAR(grid.dqx, row.qx, 0.03 * row.qx);
    EXPECT_LE(std::hypot(grid.dqy, grid.dqz), 1.3 * row.angles);
    EXPECT_GE(std::hypot(grid.dqy, grid.dqz), 0.2 * row.angles);
  }
}

TEST(SmallAngle, GridsLieInTheMiddleOfTheirPixels) {
  const Geometry geometry(binned(2), 0.2 * degree);
  const SmallAngleGrid grid = smallAngleGrid(geometry, k);
  double low = 1e9, high = -1e9;
  for (int j = 0; j < 123; ++j) {
    const double qz = geometry.q(k, 100, j)[2];
    low = std::min(low, qz), high = std::max(high, qz);
  }
  EXPECT_DOUBLE_EQ(grid.qz[100], (low + high) / 2);
  EXPECT_NEAR(k * (std::sin(grid.alphaF[100]) + std::sin(0.2 * degree)), grid.qz[100], 1e-12);
  EXPECT_LT(grid.alphaF[0], 0);
  EXPECT_GT(grid.qy[0], 0); // column 0 is at the left seen from behind, y > 0
}

// Found by random experiments: turned by a right angle, rows cross the horizon, and their middles
// may all lie below.
TEST(SmallAngle, PixelsThatSeeSomethingCountInRowsThatDoNot) {
  Detector d = camera();
  d.rows = 2, d.columns = 5;
  d.pixel1 = d.pixel2 = 0.1;
  d.poni1 = 0, d.poni2 = 0.35;
  d.rotation = {0, 0, -std::numbers::pi / 2};
  const Geometry geometry(d, 0.2 * degree);
  int seen = 0;
  for (const double j : {0.0, 1.0, 2.0, 3.0, 4.0})
    seen += geometry.pixel(0, j).alphaF >= 0 ? 1 : 0;
  const SmallAngleGrid grid = smallAngleGrid(geometry, k);
  EXPECT_GT(seen, 0);
  EXPECT_LT(grid.alphaF[0], 0);
  EXPECT_GT(grid.dq, 0.1);
}

TEST(SmallAngle, OnePixelIsItsOwnGrid) {
  Detector d = camera();
  d.rows = d.columns = 1;
  const SmallAngleGrid grid = smallAngleGrid(Geometry(d), k);
  EXPECT_EQ(grid.qz[0], Geometry(d).q(k, 0, 0)[2]);
  EXPECT_EQ(grid.dq, grid.dqx);
}

} // namespace
} // namespace facet::test
