// lettering.cpp - on every kind of picture, with long names and many series: no text below 9 pixels
// as shown, none over another, none beyond the page. All write q_y, alpha_f and powers in one way.
#include "runtime/engine/tune/roofline/roofline.h"
#include "runtime/engine/tune/tuner.h"
#include "runtime/picture/figures.h"
#include "tests/unit/files/results.h"
#include <cmath>
#include <facet/runtime/mesh.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace facet::runtime {
namespace {

constexpr const char *longTitle =
    "Gold nanoparticles on silicon with an oxide of 2 nm: qy at alpha_f = 0.18 deg, alpha_i = 0.3 "
    "deg, sizes 1e-05 to 8.75e9, and what else a title of an experiment may say of its sample";

/// All faults of a figure, in one text.
std::string faults(const plot::Figure &figure) {
  std::string all;
  for (const std::string &fault : plot::faultsOf(figure))
    all += fault + "\n";
  return all;
}

const std::vector<std::pair<int, int>> pageSizes{{1200, 900}, {640, 552},  {400, 300},
                                                 {400, 1600}, {2400, 600}, {4000, 3000}};

TEST(Notation, IsOneForAllPictures) {
  const std::pair<const char *, const char *> rows[] = {
      {"qy (1/nm)", "q_{y} (nm⁻¹)"},
      {"q.z at alpha_f = 0.18 deg", "q_{z} at α_{f} = 0.18°"},
      {"phi_f (degrees)", "φ_{f} (°)"},
      {"two_theta (deg)", "2θ (°)"},
      {"dSigma/dOmega (1/cm)", "dΣ/dΩ (cm⁻¹)"},
      {"dsigma/dOmega (nm^2)", "dσ/dΩ (nm²)"},
      {"|psi|^2", "|ψ|²"},
      {"1e-05 and 8.75e9, 1e5", "10⁻⁵ and 8.75·10⁹, 10⁵"},
      {"-0.5, (-2) to -π", "−0.5, (−2) to −π"},
      {"10⁻¹⁵ 1/nm^2", "10⁻¹⁵ nm⁻²"},
      {"half of chi^2, (I - I_obs)^2", "half of χ², (I - I_{obs})²"},
      // Names that only look like it.
      {"qy.h5, my_qy, alpha_fast", "qy.h5, my_qy, alpha_fast"},
      {"run_1e5.h5, 1e5.h5, 2026-11-21", "run_1e5.h5, 1e5.h5, 2026-11-21"},
      {"tile_y, 1 / (1 + t² u²)", "tile_y, 1 / (1 + t² u²)"}};
  for (const auto &[text, drawn] : rows) {
    EXPECT_EQ(plot::notation(text), drawn);
    EXPECT_EQ(plot::notation(drawn), drawn) << "a second time";
  }
}

TEST(Notation, LowersAndRaises) {
  const double base = plot::textWidth("q", 20), low = plot::textWidth("q_{y}", 20);
  EXPECT_NEAR(low - base, 0.7 * plot::textWidth("y", 20), 1e-6);
  const auto bottom = [](const char *text) {
    return plot::letteringAt({}, text, 20).corners[2][1];
  };
  EXPECT_GT(bottom("o_{o}"), bottom("o") + 1);
  EXPECT_NEAR(bottom("o^{o}"), bottom("o"), 1e-6);
}

TEST(Faults, AreFound) {
  plot::Figure figure;
  plot::Panel page = figure.page();
  page.add(plot::Text{600, 300, "one", 1});
  page.add(plot::Text{600, 500, "two", 0.01}); // is enlarged
  figure.panels = {page};
  EXPECT_EQ(faults(figure), "");
  EXPECT_NEAR(plot::letteringOf(figure)[1].pixels, 9 * 1200 / 880.0, 1e-9);
  figure.panels[0].add(plot::Text{620, 305, "three", 1});
  figure.panels[0].add(plot::Text{1200, 500, "four", 1});
  EXPECT_EQ(faults(figure), "'three' overlaps 'one'\n'four' leaves the page\n");
  // Turned rectangles are compared as they are, not by the boxes about them.
  const auto turned = [](double x, double y) {
    return plot::letteringAt({x, y, 0.5, M_PI / 4}, "a long text", 20);
  };
  EXPECT_FALSE(turned(100, 100).overlaps(turned(130, 70)));
  EXPECT_TRUE(turned(100, 100).overlaps(turned(105, 95)));
}

TEST(Lettering, OfFOnEveryGrid) {
  for (const auto &[name, grid] : everyGrid())
    for (const char *quantity : {"|F|^2", "re", "phase"})
      for (const double factor : {1.0, 1e9, 1e-9})
        for (const auto &[width, height] : pageSizes) {
          auto f = someF(grid);
          for (auto &value : f)
            value *= factor;
          PictureOptions options;
          options.quantity = quantity, options.log = factor == 1;
          options.width = width, options.height = height;
          EXPECT_EQ(faults(figureOf(outputOf(grid, f, longTitle), options)), "")
              << name << quantity << factor << " " << width << " x " << height;
        }
}

TEST(Lettering, OfCurvesAndImages) {
  for (const double scale : {1e-12, 1e-3, 1.0, 4321.0, 1e15})
    for (const auto &[width, height] : pageSizes) {
      Curve curve;
      ImagePlot image;
      image.rows = 2, image.columns = 3;
      for (int k = 1; k <= 60; ++k) {
        curve.q.push_back(0.013 * k);
        curve.intensity.push_back(scale / (k * k));
      }
      curve.title = image.title = longTitle;
      curve.quantity = "counts a steradian for one photon of the beam";
      PictureOptions options;
      options.width = width, options.height = height;
      for (const bool log : {true, false}) {
        options.log = log;
        EXPECT_EQ(faults(figureOf(curve, options)), "") << scale << " " << width << log;
        image.values = curve.intensity.data();
        image.x = {-2.35 * scale, 0, 2.35 * scale}, image.y = {-0.0001, 0.0001};
        image.xLabel = "phi_f (degrees)", image.yLabel = "alpha_f (degrees)";
        image.label = curve.quantity;
        EXPECT_EQ(faults(figureOf(image, options)), "") << scale << " " << width << log;
      }
    }
}

TEST(Lettering, OfMeshes) {
  MeshSlopes slopes{{}, "dL by each vertex, outwards (1/nm)", longTitle};
  for (const double size : {0.0003, 12.0, 12345.0})
    for (const auto &[width, height] : pageSizes)
      for (const double azimuth : {-170.0, -90.0, 0.0, 35.0, 80.0})
        for (const double elevation : {-30.0, 0.0, 25.0, 90.0}) {
          Mesh mesh = makeMesh("box", {{"size", {size, 3 * size, 0.6 * size}}, {"n", {1}}});
          mesh.name = "a_long_name_of_a_file_of_somebodys_sample_of_nanoparticles_in_a_film.h5";
          slopes.corners.assign(mesh.triangles.size(), {});
          const ViewOptions options{azimuth, elevation, true, width, height};
          for (const MeshSlopes *shown : std::initializer_list<MeshSlopes *>{nullptr, &slopes})
            EXPECT_EQ(faults(figureOf(mesh, options, shown)), "")
                << size << " " << width << " x " << height << " " << azimuth << " " << elevation;
        }
}

TEST(Lettering, OfSpheres) {
  for (const Vec3 &director :
       {Vec3{0, 0, 1}, Vec3{0, 1, 0}, Vec3{1, 0, 0}, Vec3{0.5, -0.5, 0.7071}})
    for (const auto &[width, height] : pageSizes) {
      PictureOptions options;
      options.width = width, options.height = height;
      const SpherePlot plot{[](const Vec3 &u) { return std::exp(8 * u[1] * u[1]); },
                            {{0, 1, 0}, {0, 0, 1}},
                            {{director, "director"}},
                            longTitle,
                            "density of axes (1/sr)"};
      EXPECT_EQ(faults(figureOf(plot, options)), "") << width << " x " << height;
    }
}

TEST(Lettering, OfTuning) {
  for (const std::size_t panels : {1U, 2U, 3U, 8U, 24U}) {
    TuneResult r;
    for (const int y : {1, 2, 3, 4, 5, 6, 8, 10, 12, 16})
      for (const int z : {1, 2, 3, 4}) {
        Trial trial;
        trial.knobs.tileY = y, trial.knobs.tileZ = z, trial.throughput = 1e9 * (0.123 + y + z);
        r.trials.push_back(trial);
      }
    r.initial = r.trials[0].knobs, r.tuned.knobs = r.trials[9].knobs;
    r.tuned.key.kernel = "a_kernel_with_a_long_name", r.tuned.key.algorithm = "separable";
    r.tuned.key.klass = "f64";
    const plot::Figure figure = heatMapFigure(std::vector<TuneResult>(panels, r));
    EXPECT_EQ(faults(figure), "") << panels;
    EXPECT_GE(plot::letteringOf(figure).size(), panels * 40) << "cells have their figures";
  }
}

/// Kernels as fast as each other, one after the other by 2%.
Roofline manyKernels(int kernels, const std::vector<std::string> &classes) {
  Roofline roofline;
  roofline.date = "2026-11-21";
  Ceilings &c = roofline.ceilings;
  c.target = "avx512", c.vectorBytes = 64, c.flops = {228e9, 114e9};
  c.sincos = {5e9, 2e9}, c.sincosFlops = {24, 40};
  c.levels = {{"L1", 48e3, 357e9}, {"L2", 2e6, 300e9}, {"L3", 2e7, 33.8e9}, {"memory", 0, 31e9}};
  for (const std::string &klass : classes)
    for (int k = 0; k < kernels; ++k) {
      Reading r;
      r.key.kernel = k == 0 ? "a_kernel_with_a_long_name_of_its_own" : "born";
      r.key.algorithm = "separable", r.key.klass = klass;
      r.operations.flopsAQ = "112 nt + 8";
      r.operations.innerFlops = 12, r.operations.innerInstructions = 6;
      r.rate = 1e9 * (8 - 0.16 * k);
      r.traffic.bytes = {10, 4, 0.5, 0.01};
      roofline.readings.push_back(r);
    }
  return roofline;
}

TEST(Lettering, OfRooflines) {
  const std::vector<std::vector<std::string>> classes{
      {"f32"}, {"f32", "f64"}, {"f32", "f64", "mixed"}};
  for (const auto &some : classes)
    for (const int kernels : {1, 2, 4, 12}) {
      const plot::Figure figure = rooflineFigure(manyKernels(kernels, some));
      EXPECT_EQ(faults(figure), "") << some.size() << " classes, " << kernels;
      std::string all;
      for (const plot::Lettering &one : plot::letteringOf(figure))
        all += one.text + "\n";
      for (const char *name : {"L1 357 GB/s", "L2 300 GB/s", "L3 33.8 GB/s", "memory 31 GB/s"})
        EXPECT_NE(all.find(name), std::string::npos) << name;
    }
}

TEST(Lettering, OfTimelines) {
  for (const int streams : {1, 3, 16})
    for (const double end : {1e-5, 0.4758, 7e4}) {
      Timeline timeline;
      for (int s = 0; s < streams; ++s)
        timeline.calls.push_back({s, {0, 0.1 * end, 0.9 * end, end}});
      EXPECT_EQ(faults(timelineFigure(timeline, longTitle)), "") << streams << " " << end;
    }
}

} // namespace
} // namespace facet::runtime
