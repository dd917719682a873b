// output_pictures.cpp - pictures are written whole; flat, empty and odd results are drawn, too.
#include "results.h"
#include "scratch.h"
#include <cmath>
#include <iterator>

using namespace facet::runtime;

namespace {
class Pictures : public Scratch {
protected:
  std::string bytes(const std::string &name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};
} // namespace

TEST_F(Pictures, EveryGridAsPngAndSvg) {
  for (const auto &[name, grid] : everyGrid()) {
    auto f = someF(grid);
    writePicture(outputOf(grid, f, name), path("a.png"));
    EXPECT_EQ(bytes("a.png").substr(1, 3), "PNG") << name;
    EXPECT_EQ(bytes("a.png").substr(bytes("a.png").size() - 8, 4), "IEND") << name;
    writePicture(outputOf(grid, f, name), path("a.svg"));
    EXPECT_NE(bytes("a.svg").find("</svg>"), std::string::npos) << name;
  }
  EXPECT_EQ(files(), 2U);
}

TEST_F(Pictures, ShowWhatDiffers) {
  Grid grid = everyGrid().at("image");
  auto f = someF(grid);
  writePicture(outputOf(grid, f, "one"), path("a.png"));
  f[3] *= 1e-3;
  writePicture(outputOf(grid, f, "one"), path("b.png"));
  EXPECT_NE(bytes("a.png"), bytes("b.png"));
}

TEST_F(Pictures, OddValuesAreDrawn) {
  Grid grid = everyGrid().at("image");
  for (double value : {0.0, 7.0, std::nan(""), 1e300}) {
    std::vector<std::complex<double>> f(static_cast<std::size_t>(grid.size()), value);
    writePicture(outputOf(grid, f, "odd # values"), path("a.png"));
  }
  PictureOptions options;
  for (const char *quantity : {"|F|", "re", "im", "phase"}) {
    options.quantity = quantity;
    auto f = someF(grid);
    writePicture(outputOf(grid, f, quantity), path("a.png"), options);
  }
}

TEST_F(Pictures, Refusals) {
  Grid grid = everyGrid().at("image");
  auto f = someF(grid);
  Output output = outputOf(grid, f, "");
  expectSays([&] { writePicture(output, path("a.gif")); }, "draws no '.gif' pictures");
  expectSays([&] { writePicture(output, path("no/a.png")); }, "cannot write");
  PictureOptions options;
  options.quantity = "colour";
  expectSays([&] { writePicture(output, path("a.png"), options); },
             "use |F|^2, |F|, re, im or phase");
  EXPECT_EQ(files(), 0U);
}

TEST_F(Pictures, MeshesAreDrawn) {
  writeMeshPicture(makeMesh("torus"), path("a.png"));
  EXPECT_EQ(bytes("a.png").substr(1, 3), "PNG");
  Mesh mesh;
  mesh.facets = {{1}, {Vec3{0, 0, 1}}, {Vec3{0, 0, 0}}};
  expectSays([&] { writeMeshPicture(mesh, path("b.png")); }, "no corners of triangles to draw");
}
