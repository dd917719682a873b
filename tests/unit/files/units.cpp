// units.cpp - a unit that a file states is understood, or refused: the same spellings in every
// reader.
#include "runtime/engine/system/units.h"
#include "runtime/engine/store/hdf5.h"
#include "scratch.h"
#include <facet/runtime/grid.h>
#include <facet/runtime/mesh.h>
#include <gtest/gtest.h>

namespace facet::runtime {
namespace {

struct Spelling {
  const char *text;
  double size; // nm, or nm^-1; 0: refused
};
const std::vector<Spelling> lengths{{"nm", 1},
                                    {"NM", 1},
                                    {"nanometers", 1},
                                    {"Nanometre", 1},
                                    {" nm ", 1},
                                    {"[nm]", 1},
                                    {"1e-9 m", 1},
                                    {"10^-9 m", 1},
                                    {"Angstrom", 0.1},
                                    {"ANGSTROM", 0.1},
                                    {"angstroms", 0.1},
                                    {"ang", 0.1},
                                    {"A", 0.1},
                                    {"\xC3\x85", 0.1},
                                    {"\xE2\x84\xAB", 0.1},
                                    {"A\xCC\x8A", 0.1},
                                    {"\xC5", 0.1},
                                    {"\xC3\x85ngstr\xC3\xB6m", 0.1},
                                    {"\\AA", 0.1},
                                    {"0.1 nm", 0.1},
                                    {"pm", 1e-3},
                                    {"picometres", 1e-3},
                                    {"micron", 1e3},
                                    {"Microns", 1e3},
                                    {"\xC2\xB5m", 1e3},
                                    {"\xCE\xBCm", 1e3},
                                    {"um", 1e3},
                                    {"micrometers", 1e3},
                                    {"mm", 1e6},
                                    {"cm", 1e7},
                                    {"meters", 1e9},
                                    {"m", 1e9},
                                    {"pixel", 0},
                                    {"MM", 0},
                                    {"Mm", 0},
                                    {"inch", 0},
                                    {"a", 0},
                                    {"nm^2", 0},
                                    {"1/nm", 0},
                                    {"nmm", 0},
                                    {"?", 0},
                                    {"0 nm", 0},
                                    {"-1 nm", 0},
                                    {"arbitrary", 0}};
const std::vector<Spelling> inverses{{"1/nm", 1},
                                     {"nm^-1", 1},
                                     {"nm-1", 1},
                                     {"nm**-1", 1},
                                     {"nm^{-1}", 1},
                                     {"1 / nm", 1},
                                     {"(1/nm)", 1},
                                     {"nm\xE2\x81\xBB\xC2\xB9", 1},
                                     {"inverse nm", 1},
                                     {"1/nanometre", 1},
                                     {"per nanometer", 1},
                                     {"nm\xE2\x88\x92"
                                      "1",
                                      1},
                                     {"reciprocal nanometers", 1},
                                     {"nm^(-1)", 1},
                                     {"/nm", 1},
                                     {"NM-1", 1},
                                     {"1/A", 10},
                                     {"A^-1", 10},
                                     {"A-1", 10},
                                     {"angstrom-1", 10},
                                     {"Angstrom^-1", 10},
                                     {"1/ANGSTROM", 10},
                                     {"1/angstroms", 10},
                                     {"1/ang", 10},
                                     {"1/\xC3\x85", 10},
                                     {"\xE2\x84\xAB^-1", 10},
                                     {"\xC3\x85\xE2\x81\xBB\xC2\xB9", 10},
                                     {"inverse angstrom", 10},
                                     {"inverse_angstroms", 10},
                                     {"\\AA^{-1}", 10},
                                     {"$\\mathrm{\\AA}^{-1}$", 10},
                                     {"1/(A)", 10},
                                     {"1/um", 1e-3},
                                     {"\xC2\xB5m^-1", 1e-3},
                                     {"1/pm", 1e3},
                                     {"1/m", 1e-9},
                                     {"m^-1", 1e-9},
                                     {"1/cm", 1e-7},
                                     {"pixel", 0},
                                     {"deg", 0},
                                     {"1/pixel", 0},
                                     {"nm", 0},
                                     {"1/nm^2", 0},
                                     {"A", 0},
                                     {"1/s", 0},
                                     {"2theta", 0}};

class Units : public Scratch {
protected:
  /// The box of 10 x 20 x 30 nm in that unit, which an attribute states.
  std::string box(const Spelling &unit, const char *name, bool ofTheFile) {
    Mesh mesh = makeMesh("box", {{"size", {10, 20, 30}}});
    for (auto &triangle : mesh.triangles)
      for (Vec3 &corner : triangle)
        for (double &x : corner)
          x /= unit.size > 0 ? unit.size : 1;
    const std::string file = path("a.h5");
    writeMesh(mesh, file);
    const h5::Handle whole(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    const h5::Handle data(H5Dopen2(whole, "triangles", H5P_DEFAULT), H5Dclose);
    H5Adelete(whole, "units");
    h5::attribute(ofTheFile ? whole : data, name, unit.text);
    return file;
  }
};

double sizeOf(const Spelling &s, Dimension of) { return unitSize(s.text, of).value_or(0); }

TEST(UnitSize, OfLengths) {
  for (const Spelling &s : lengths)
    EXPECT_NEAR(sizeOf(s, Dimension::Length), s.size, 1e-12 * s.size) << s.text;
}

TEST(UnitSize, OfInverseLengths) {
  for (const Spelling &s : inverses)
    EXPECT_NEAR(sizeOf(s, Dimension::InverseLength), s.size, 1e-12 * s.size) << s.text;
}

TEST(UnitSize, OfAnglesAndEnergies) {
  for (const Spelling &s : {Spelling{"deg", 1},
                            {"degrees", 1},
                            {"\xC2\xB0", 1},
                            {"rad", 180 / M_PI},
                            {"mrad", 0.18 / M_PI},
                            {"nm", 0}})
    EXPECT_NEAR(sizeOf(s, Dimension::Angle), s.size, 1e-12 * s.size) << s.text;
  for (const Spelling &s :
       {Spelling{"eV", 1}, {"keV", 1e3}, {"kev", 1e3}, {"MeV", 1e6}, {"meV", 1e-3}, {"J", 0}})
    EXPECT_NEAR(sizeOf(s, Dimension::Energy), s.size, 1e-12 * s.size) << s.text;
}

TEST(UnitSize, OfMeshesOnTheCommandLine) {
  EXPECT_EQ(parseUnit("Angstrom"), 0.1);
  EXPECT_EQ(parseUnit("2.5"), 2.5);
  EXPECT_SAYS(parseUnit("furlong"), "this is no unit of length");
  EXPECT_SAYS(parseUnit("-1"), "this is no unit of length");
}

TEST_F(Units, OfHdf5Meshes) {
  for (const Spelling &s : lengths)
    for (const char *name : {"units", "Unit"}) {
      const std::string file = box(s, name, s.text[0] == 'n');
      const std::string stated = std::string("'") + s.text + "'";
      if (s.size == 0) {
        EXPECT_SAYS(readMesh(file), stated + ", which is no length facet knows\n  help: --unit");
        EXPECT_NEAR(inspect(readMesh(file, 1)).volume, 6000, 1e-8) << s.text;
      } else {
        EXPECT_NEAR(inspect(readMesh(file)).volume, 6000, 1e-8) << s.text;
        EXPECT_NEAR(summarise(*openMeshBlocks(file)).volume, 6000, 1e-8) << s.text;
      }
    }
}

TEST_F(Units, OfHdf5MeshesAreOne) {
  const std::string file = box({"Angstrom", 0.1}, "units", false);
  h5::attribute(h5::Handle(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose), "units",
                "nm");
  EXPECT_SAYS(readMesh(file), "/triangles states 'Angstrom', and the file 'nm' too");
}

TEST_F(Units, OfCommentsAreAskedFor) {
  const std::string rows = "1 0 0 1 0 0 2\n1 0 0 -1 0 0 0\n";
  EXPECT_SAYS(readMesh(write("a.txt", "# units: Angstrom\n" + rows)),
              "a comment speaks of the unit 'Angstrom'\n  help: --unit Angstrom");
  EXPECT_SAYS(readMesh(write("b.txt", "# unit = pixel\n" + rows)), "the unit 'pixel'");
  EXPECT_SAYS(readMesh(write("c.txt", "# places (A)\n" + rows)), "the unit 'A'");
  EXPECT_EQ(readMesh(write("d.txt", "# units: nm\n" + rows)).statedUnit, "nm");
  EXPECT_DOUBLE_EQ(column(readMesh(path("a.txt"), 0.1), "area")[0], 0.01);
}

TEST_F(Units, OfPoints) {
  for (const Spelling &s : inverses) {
    h5::writeFile(path("q.h5"), 0, [&](hid_t file) {
      for (const char *axis : {"qx", "qy", "qz"}) {
        const double q = 0.3;
        const h5::Handle data = h5::writeAll(file, axis, H5T_NATIVE_DOUBLE, {1}, &q);
        h5::attribute(data, "units", s.text);
      }
    });
    if (s.size == 0)
      EXPECT_SAYS(readGrid(path("q.h5")), std::string("the unit of q is '") + s.text);
    else
      EXPECT_NEAR(readGrid(path("q.h5")).axes[0].re[0], 0.3 * s.size, 1e-12 * s.size) << s.text;
    const std::string text = write("q.txt", std::string("# q in [") + s.text + "]\n0.1 0.2 0.3\n");
    if (s.size == 1)
      EXPECT_EQ(readGrid(text).axes[0].re[0], 0.1) << s.text;
    else
      EXPECT_SAYS(readGrid(text), std::string("speaks of '") + s.text);
  }
  EXPECT_SAYS(readGrid(write("a.txt", "# 1/A\n0.1 0.2 0.3\n")), "speaks of '1/A'");
}

struct Heading {
  const char *line, *unit;
  double size; // 0: no unit of q; below 0: not bound to q
};
TEST(UnitsOfQ, InHeadings) {
  for (const Heading &h :
       {Heading{"# Q (1/A) I [1/cm] dI", "1/A", 10},
        {"| Q (1/A) | I(Q) (1/cm) | std. dev. I(Q) (1/cm) | sigmaQ |", "1/A", 10},
        {"q(A^-1),I,dI", "A^-1", 10},
        {"Q [1/Angstrom]\tI(1/cm)", "1/Angstrom", 10},
        {"q/nm^-1 I", "nm^-1", 1},
        {"1/A 1/cm 1/cm", "1/A", 10},
        {"q in inverse angstrom", "inverse angstrom", 10},
        {"<Q> 1/\xC3\x85", "1/\xC3\x85", 10},
        {"Momentum transfer in 1 / A", "1 / A", 10},
        {"units of q: A-1", "A-1", 10},
        {"I(q) [1/cm] q [nm-1]", "nm-1", 1},
        {"q_invA I", "invA", 10},
        {"q_inv_nm,I", "inv_nm", 1},
        {"Q (inv_A)", "inv_A", 10},
        {"converted from 1/A", "1/A", -10},
        {"q I dI", "", 0},
        {"q_z q_r I", "", 0},
        {"q_mean I", "", 0},
        {"# sample A-1", "", 0},
        {"I (1/cm)", "", 0}}) {
    const std::vector<StatedUnit> found = unitsOfQ(h.line);
    EXPECT_EQ(found.size(), h.size == 0 ? 0U : 1U) << h.line;
    if (!found.empty()) {
      EXPECT_EQ(found[0].text, h.unit) << h.line;
      EXPECT_EQ(found[0].size, std::abs(h.size)) << h.line;
      EXPECT_EQ(found[0].bound, h.size > 0) << h.line;
    }
  }
  ASSERT_EQ(unitsOfQ("q [pixel]").size(), 1U);
  EXPECT_EQ(unitsOfQ("q [pixel]")[0].size, 0);
  ASSERT_EQ(unitsOfQ("q_A I").size(), 1U); // asked for: it may be meant as 1/A
  EXPECT_EQ(unitsOfQ("q_A I")[0].size, 0);
}

} // namespace
} // namespace facet::runtime
