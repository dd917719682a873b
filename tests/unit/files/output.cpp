// output.cpp - results come back from HDF5 as they were; pictures are written whole; flat, empty
// and odd results are drawn, too.
#include "results.h"
#include "runtime/engine/store/hdf5.h"
#include "scratch.h"
#include <cmath>
#include <regex>
#include <string>

using namespace facet::runtime;
using Hdf5 = Scratch;
using Pictures = Scratch;

TEST_F(Hdf5, EveryGridComesBack) {
  for (const auto &[name, grid] : everyGrid()) {
    auto f = someF(grid);
    writeHdf5(outputOf(grid, f, name), path("a.h5"));
    Result back = readHdf5(path("a.h5"));
    EXPECT_EQ(back.f, f) << name;
    EXPECT_EQ(back.grid.kind, grid.kind) << name;
    EXPECT_EQ(back.grid.imageColumns, grid.imageColumns) << name;
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(back.grid.axes[k].re, grid.axes[k].re) << name;
      EXPECT_EQ(back.grid.axes[k].im, grid.axes[k].im) << name;
    }
    EXPECT_EQ(back.title, name);
    EXPECT_EQ(back.unit, "nm^3");
    EXPECT_EQ(back.provenance.at("kernel"), "born");
    EXPECT_EQ(back.numbers.at("measured_error"), 1.5e-7);
    EXPECT_EQ(back.experiment, "kernel = \"born\"\n");
    EXPECT_EQ(files(), 1U); // no temporary one
  }
}

TEST_F(Hdf5, RefusesOtherFiles) {
  EXPECT_SAYS(readHdf5(path("none.h5")), "cannot read");
  EXPECT_SAYS(readHdf5(write("a.h5", "hello")), "this is no HDF5 file");
  Grid grid = everyGrid().at("image");
  auto f = someF(grid);
  writeHdf5(outputOf(grid, f, ""), path("b.h5"));
  std::filesystem::resize_file(path("b.h5"), 2000);
  EXPECT_SAYS(readHdf5(path("b.h5")), "damaged or truncated");
}

TEST_F(Hdf5, KeepsTheOldFileWhereTheDiskIsFull) {
  Grid grid = everyGrid().at("image");
  auto f = someF(grid);
  writeHdf5(outputOf(grid, f, "old"), path("a.h5"));
  Grid large;
  large.axes = {parseAxis("0"), parseAxis("0:1:300"), parseAxis("0:1:300")};
  auto more = someF(large);
  {
    const FullDisk full(100'000);
    EXPECT_SAYS(writeHdf5(outputOf(large, more, "new"), path("a.h5")),
                "cannot write: File too large");
  }
  EXPECT_EQ(readHdf5(path("a.h5")).title, "old");
  EXPECT_EQ(files(), 1U);
}

// HDF5 writes small datasets when they are closed, and drops them without a word if it cannot.
TEST_F(Hdf5, NoticesWhatTheDiskRefusesWhenADatasetIsClosed) {
  const std::vector<double> values(8, 1.5);
  const auto fill = [&](hid_t file) {
    h5::Handle data = h5::makeDataset(file, "small", H5T_NATIVE_DOUBLE, {8});
    h5::writeBox(data, H5T_NATIVE_DOUBLE, {0}, {4}, values.data());
    const FullDisk full(1);
    const h5::Handle closing = std::move(data);
  };
  EXPECT_SAYS(h5::writeFile(path("a.h5"), 0, fill), "cannot write: File too large");
  EXPECT_EQ(files(), 0U);
}

TEST_F(Hdf5, RefusesAFolderThatIsNotThere) {
  Grid grid = everyGrid().at("one");
  auto f = someF(grid);
  EXPECT_SAYS(writeHdf5(outputOf(grid, f, ""), path("no/a.h5")), "cannot write: No such file");
}

TEST_F(Pictures, EveryGridInEveryFormat) {
  for (const auto &[name, grid] : everyGrid()) {
    auto f = someF(grid);
    writePicture(outputOf(grid, f, name), path("a.png"));
    EXPECT_EQ(bytes("a.png").substr(1, 3), "PNG") << name;
    EXPECT_EQ(bytes("a.png").substr(bytes("a.png").size() - 8, 4), "IEND") << name;
    writePicture(outputOf(grid, f, name), path("a.svg"));
    EXPECT_HAS(bytes("a.svg"), "</svg>");
    writePicture(outputOf(grid, f, name), path("a.pdf"));
    EXPECT_EQ(bytes("a.pdf").substr(0, 5), "%PDF-") << name;
    EXPECT_HAS(bytes("a.pdf"), "%%EOF");
    const std::string first = bytes("a.pdf");
    writePicture(outputOf(grid, f, name), path("a.pdf"));
    EXPECT_EQ(bytes("a.pdf"), first) << name;
  }
  EXPECT_EQ(files(), 3U);
}

TEST_F(Pictures, ShowWhatDiffers) {
  Grid grid = everyGrid().at("image");
  auto f = someF(grid);
  writePicture(outputOf(grid, f, "one"), path("a.png"));
  f[3] *= 1e-3;
  writePicture(outputOf(grid, f, "one"), path("b.png"));
  EXPECT_NE(bytes("a.png"), bytes("b.png"));
}

// Glyphs of an SVG have places; none lies beyond the page, however long the title and whatever the
// numbers, and however the page is cut.
TEST_F(Pictures, NoTextIsCut) {
  const std::regex size("width=\"([0-9]+)[pt\"]+ height=\"([0-9]+)"),
      glyph("<use [^>]*x=\"([-0-9.]+)\" y=\"([-0-9.]+)\"");
  std::string title;
  for (int words = 0; words < 24; ++words)
    title += "cubes of gold ";
  for (const char *name : {"image", "curve", "scatter"})
    for (const double factor : {1e9, 1e-9})
      for (const std::size_t length : {90U, 300U}) {
        const Grid grid = everyGrid().at(name);
        auto f = someF(grid);
        for (auto &value : f)
          value *= factor;
        PictureOptions options;
        options.log = false;
        writePicture(outputOf(grid, f, title.substr(0, length)), path("a.svg"), options);
        const std::string text = bytes("a.svg");
        std::smatch page;
        ASSERT_TRUE(std::regex_search(text, page, size));
        const double width = std::stod(page[1]), height = std::stod(page[2]);
        int glyphs = 0;
        for (std::sregex_iterator at(text.begin(), text.end(), glyph), end; at != end; ++at) {
          const double x = std::stod((*at)[1]), y = std::stod((*at)[2]);
          ++glyphs;
          EXPECT_GE(x, 0) << name << factor << length;
          EXPECT_LE(x, width - 8) << name << factor << length; // where it begins
          EXPECT_GE(y, 8) << name << factor << length;
          EXPECT_LE(y, height) << name << factor << length;
        }
        EXPECT_GT(glyphs, 20);
      }
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
  EXPECT_SAYS(writePicture(output, path("a.gif")), "draws no '.gif' pictures");
  EXPECT_SAYS(writePicture(output, path("no/a.png")), "cannot write");
  EXPECT_SAYS(checkPicture(path("a.gif")), "use .png, .svg or .pdf");
  EXPECT_SAYS(checkPicture(path("no/a.pdf")), "cannot write");
  EXPECT_NO_THROW(checkPicture(path("a.pdf")));
  PictureOptions options;
  options.quantity = "colour";
  EXPECT_SAYS(writePicture(output, path("a.png"), options), "use |F|^2, |F|, re, im or phase");
  EXPECT_EQ(files(), 0U);
}

TEST_F(Pictures, MeshesAreDrawn) {
  writeMeshPicture(makeMesh("torus"), path("a.png"));
  EXPECT_EQ(bytes("a.png").substr(1, 3), "PNG");
  Mesh mesh;
  mesh.facets = {{1}, {Vec3{0, 0, 1}}, {Vec3{0, 0, 0}}};
  EXPECT_SAYS(writeMeshPicture(mesh, path("b.png")), "no corners of triangles to draw");
}
