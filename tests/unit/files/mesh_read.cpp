// mesh_read.cpp - every format keeps the mesh; bad files are refused with what is wrong.
#include "runtime/engine/store/hdf5.h"
#include "scratch.h"
#include <cmath>
#include <facet/runtime/mesh.h>
#include <sys/stat.h>

using namespace facet::runtime;

namespace {
using ReadMesh = Scratch;

std::string textStl(const std::string &corner = "1 0 0") {
  return "solid one\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex " + corner +
         "\nvertex 0 1 0\nendloop\nendfacet\nendsolid one\n";
}
} // namespace

TEST_F(ReadMesh, EveryFormatKeepsTheMesh) {
  Mesh mesh = makeMesh("truncated-octahedron", {{"n", {2}}});
  for (const char *name : {"a.stl", "a.obj", "a.ply", "a.h5", "a.txt"}) {
    writeMesh(mesh, path(name));
    Mesh back = readMesh(path(name), 2);
    MeshReport r = inspect(back);
    EXPECT_EQ(r.triangles, mesh.size()) << name;
    EXPECT_NEAR(r.volume, 8 * 4000, 1e-2) << name; // the unit cubed
    EXPECT_TRUE(r.closed && r.oriented) << name;
    const double exact = std::string(name) == "a.stl" ? 1e-6 : 0; // of binary STL: floats
    for (std::size_t i = 0; i < back.triangles.size(); ++i)       // in the same order
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t k = 0; k < 3; ++k)
          EXPECT_NEAR(back.triangles[i][c][k], 2 * mesh.triangles[i][c][k], 20 * exact) << name;
  }
  EXPECT_EQ(files(), 5U); // no temporary ones
}

TEST_F(ReadMesh, ContentDecidesNotTheName) {
  writeMesh(makeMesh("torus"), path("a.ply"));
  std::filesystem::rename(path("a.ply"), path("a.stl"));
  EXPECT_EQ(readMesh(path("a.stl")).size(), 6600);
}

TEST_F(ReadMesh, TextKeepsEveryDigit) {
  const std::string number = "0.12345678901234567", corners = "0 0 0\n" + number + " 0 0\n0 1 0\n";
  const std::string ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty "
                          "double y\nproperty double z\nelement face 1\nproperty list uchar int "
                          "vertex_indices\nend_header\n";
  for (const std::string &file :
       {write("a.obj", "v 0 0 0\nv " + number + " 0 0\nv 0 1 0\nf 1 2 3\n"),
        write("a.stl", textStl(number + " 0 0")), write("a.ply", ply + corners + "3 0 1 2\n")})
    EXPECT_EQ(readMesh(file).triangles[0][1][0], std::stod(number)) << file;
}

TEST_F(ReadMesh, ObjIsReadAsItsSpecificationHasIt) {
  const std::string obj = "# a comment\r\nmtllib none.mtl\r\no thing\r\n"
                          "f 1/1/1 2//1 3/2\r\n" // before its vertices
                          "v 0 0 0\r\nv +2e0 0 0 2 # of weight 2\r\nvt 0 0\r\nvn 0 0 1\r\n"
                          "v 0 1 \\\r\n 0\r\ng part\r\nf -3 -1 -2\r\nl 1 2\r\nf 1 2\r\n";
  const Mesh mesh = readMesh(write("a.obj", obj));
  ASSERT_EQ(mesh.size(), 2);
  EXPECT_EQ(mesh.triangles[0], (std::array<Vec3, 3>{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}));
  EXPECT_EQ(mesh.triangles[1], (std::array<Vec3, 3>{{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}}}));
}

TEST_F(ReadMesh, TextStlMayHaveSeveralSolidsAndAnyNames) {
  const std::string one = textStl(), two = "SOLID vertex facet # 7\n" + one.substr(10);
  EXPECT_EQ(readMesh(write("a.stl", one + two)).size(), 2);
}

TEST_F(ReadMesh, PolygonsAreCutIntoTriangles) {
  std::string obj = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
  Mesh mesh = readMesh(write("quad.obj", obj));
  EXPECT_EQ(mesh.size(), 2);
  EXPECT_NEAR(inspect(mesh).area, 1, 1e-12);
  // An L, whose fan from its first corner would lie outside it.
  const std::string corners[] = {"2 0", "2 1", "1 1", "1 2", "0 2", "0 0"};
  std::string l, ply;
  for (const std::string &corner : corners) {
    l += "v " + corner + " 0\n";
    ply += corner + " 0\n";
  }
  const std::string head =
      "ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty "
      "float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_index\n"
      "property int layer\nend_header\n";
  for (const std::string &file :
       {write("l.obj", l + "f 1 2 3 4 5 6\n"), write("l.ply", head + ply + "6 0 1 2 3 4 5 7\n")}) {
    mesh = readMesh(file);
    EXPECT_EQ(mesh.size(), 4) << file;
    EXPECT_NEAR(inspect(mesh).area, 3, 1e-12) << file;
  }
  EXPECT_EQ(mesh.columns.at("layer"), (std::vector<double>{7, 7, 7, 7}));
}

TEST_F(ReadMesh, ZeroAreaIsCountedAndDropped) {
  std::string obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3\nf 1 2 2\nf 1 2 4\n";
  std::int64_t dropped = 0;
  EXPECT_EQ(readMesh(write("a.obj", obj), 1, &dropped).size(), 1);
  EXPECT_EQ(dropped, 2);
  EXPECT_SAYS(readMesh(write("b.obj", "v 0 0 0\nv 1 0 0\nf 1 2 2\n")),
              "every triangle has zero area");
}

TEST_F(ReadMesh, RefusesWhatIsNoMesh) {
  EXPECT_SAYS(readMesh(path("none.stl")), "there is no such file");
  EXPECT_SAYS(readMesh(folder.string()), "this is a folder");
  EXPECT_SAYS(readMesh(write("empty.stl", "")), "this file is empty");
  EXPECT_SAYS(readMesh(write("hello.stl", "hello, world\n")), "this is no STL file");
  EXPECT_SAYS(readMesh(write("a.png", "\x89PNG\r\n\x1a\n")), "no mesh that facet knows");
  EXPECT_SAYS(readMesh(write("a.obj", "v 0 0 0\nv 1 0 0\nf 1 2 9\n")),
              "a.obj:3: a face names vertex 9, and there are 2");
  EXPECT_SAYS(readMesh(write("a.obj", "v 0 0 0\nf 1 1 -2\n")),
              "a.obj:2: a face names vertex -2, and there are 1");
  EXPECT_SAYS(readMesh(write("a.obj", "v 0 0 1,5\n")), "a.obj:1: '1,5' is not a number");
  EXPECT_SAYS(readMesh(write("a.obj", "v 0 0\n")), "a.obj:1: a vertex of 2 numbers");
  EXPECT_SAYS(readMesh(write("a.obj", "v 0 0 0\nf 1 x 1\n")), "a.obj:2: 'x' is no corner");
  EXPECT_SAYS(readMesh(write("a.stl", textStl("1 0"))), "a.stl:5: a vertex of fewer than 3");
  EXPECT_SAYS(readMesh(write("a.stl", textStl("1 0 0\nvertex 1 1 0"))),
              "a.stl:9: a facet of 4 corners, not 3");
  EXPECT_SAYS(readMesh(write("a.stl", textStl("1 0 0\nhello"))),
              "a.stl:6: 'hello' is no word of STL");
  EXPECT_SAYS(readMesh(write("b.stl", textStl()), -1), "unit: must be a number greater than 0");
}

TEST_F(ReadMesh, RefusesTruncatedStl) {
  writeMesh(makeMesh("box"), path("a.stl"));
  std::filesystem::resize_file(path("a.stl"), 84 + 7 * 50 + 20);
  EXPECT_SAYS(readMesh(path("a.stl")), "announces 12 triangles, the file holds 7");
  std::string text = textStl();
  EXPECT_SAYS(readMesh(write("b.stl", text.substr(0, text.size() - 14))),
              "does not end with endsolid");
  EXPECT_EQ(readMesh(write("c.stl", text)).size(), 1);
}

TEST_F(ReadMesh, RefusesTruncatedOrDamagedPly) {
  writeMesh(makeMesh("box"), path("a.ply"));
  std::filesystem::resize_file(path("a.ply"), std::filesystem::file_size(path("a.ply")) - 20);
  EXPECT_SAYS(readMesh(path("a.ply")), "announces 12 of 'face', the file holds 10");
  std::string head = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                     "property float z\nelement face 1\nproperty list uchar int "
                     "vertex_index\nproperty int layer\nend_header\n";
  Mesh mesh = readMesh(write("b.ply", head + "0 0 0\n1 0 0\n0 1 0\n3 0 1 2 7\n"));
  EXPECT_EQ(mesh.columns.at("layer"), std::vector<double>{7});
  EXPECT_SAYS(readMesh(write("c.ply", head + "0 0 0\n1 0 0\n0 1 0\n3 0 1 9 7\n")),
              "names a vertex that is not there");
  EXPECT_SAYS(readMesh(write("d.ply", head + "0 0 0\n1 0 0\n0 one\n")), "one is not a number");
  EXPECT_SAYS(readMesh(write("e.ply", "ply\nelement vertex many\n")),
              "element vertex many: no line of a header");
  std::string flat = head;
  flat.replace(flat.find("float z"), 7, "float w");
  EXPECT_SAYS(readMesh(write("f.ply", flat + "0 0 1\n1 0 1\n0 1 1\n3 0 1 2 7\n")),
              "its vertices have no property z");
  EXPECT_SAYS(readMesh(write("g.ply", "ply\nformat binary 1.0\nend_header\n")),
              "format binary 1.0: no line of a header");
  EXPECT_SAYS(readMesh(write("h.ply", head + "0 0 0\n1 0 0\n0 1 0\n3 0 1 2 7\n3 0 2 1 7\n")),
              "holds more than its header announces");
  EXPECT_SAYS(readMesh(write("i.ply", "ply\nelement face 1\nelement face 1\n")),
              "element face 1: no line of a header");
}

TEST_F(ReadMesh, VerticesOfPlyMayComeAfterFaces) {
  const Mesh mesh =
      readMesh(write("a.ply", "ply\nformat ascii 1.0\nelement face 2\nproperty list uchar int "
                              "vertex_index\nproperty int layer\nelement vertex 4\nproperty "
                              "float x\nproperty float y\nproperty float z\nend_header\n4 0 1 2 3 "
                              "7\n3 0 2 1 8\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n"));
  ASSERT_EQ(mesh.size(), 3);
  EXPECT_EQ(mesh.columns.at("layer"), (std::vector<double>{7, 7, 8}));
  EXPECT_EQ(mesh.triangles[2][1], (Vec3{1, 1, 0}));
}

TEST_F(ReadMesh, TextMayBeginWithAByteOrderMark) {
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_EQ(readMesh(write("a.obj", mark + "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")).size(), 1);
  EXPECT_EQ(readMesh(write("a.stl", mark + textStl())).size(), 1);
}

TEST_F(ReadMesh, HasTheUnitThatHdf5Says) {
  for (const bool ofTheFile : {false, true}) {
    const std::string file = path("a.h5");
    writeMesh(makeMesh("box"), file);
    {
      const h5::Handle whole(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
      const h5::Handle data(H5Dopen2(whole, "triangles", H5P_DEFAULT), H5Dclose);
      H5Adelete(whole, "units");
      h5::attribute(ofTheFile ? whole : data, "units", "angstrom");
    }
    EXPECT_SAYS(readMesh(file, 1),
                "states 'angstrom', and it is read in 1 nm\n  help: --unit angstrom");
    for (const std::optional<double> unit : {std::optional<double>(), std::optional(0.1)})
      EXPECT_NEAR(inspect(readMesh(file, unit)).volume, 0.001 * inspect(makeMesh("box")).volume,
                  1e-9);
  }
}

TEST_F(ReadMesh, TakesWholeNumbersForIndices) {
  h5::writeFile(path("a.h5"), 0, [](hid_t file) {
    const std::vector<double> places{0, 0, 0, 1, 0, 0, 0, 1, 0}, faces{0, 1, 1.6};
    h5::writeAll(file, "vertices", H5T_NATIVE_DOUBLE, {3, 3}, places.data());
    h5::writeAll(file, "faces", H5T_NATIVE_DOUBLE, {1, 3}, faces.data());
  });
  EXPECT_SAYS(readMesh(path("a.h5")), "face 1 names vertex 1.6");
}

TEST_F(ReadMesh, CommentsOfObjEndWithTheirLine) {
  EXPECT_EQ(
      readMesh(write("a.obj", "# from C:\\models\\\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")).size(),
      1);
}

TEST_F(ReadMesh, NamesTheFirstTriangleThatIsNotFinite) {
  Mesh mesh = makeMesh("box");
  mesh.triangles[4][2][1] = std::nan("");
  mesh.triangles[8][2][1] = INFINITY;
  for (const char *name : {"a.stl", "a.h5", "a.ply"}) {
    writeMesh(mesh, path(name));
    EXPECT_SAYS(readMesh(path(name)), "triangle 5: a corner is NaN or infinite");
  }
  EXPECT_SAYS(readMesh(write("t.stl", textStl("nan 0 0"))), "triangle 1: a corner is NaN");
}

// Its area is no number, so that it seemed to have none.
TEST_F(ReadMesh, RefusesWhatIsTooFarToBeComputedWith) {
  const std::string far = "triangle 1: a corner is beyond 1e50 nm";
  EXPECT_SAYS(readMesh(write("a.stl", textStl("1e200 0 0"))), far);
  EXPECT_SAYS(readMesh(write("a.stl", textStl("1e45 0 0")), 1e9), far);
  EXPECT_SAYS(readMesh(write("a.txt", "1 0 0 1 0 0 1e90\n")), "its centroid is beyond 1e50 nm");
}

TEST_F(ReadMesh, WritesNothingWhereItCannot) {
  Mesh mesh = makeMesh("box");
  EXPECT_SAYS(writeMesh(mesh, path("no/a.stl")),
              "No such file or directory\n  help: make the folder");
  EXPECT_SAYS(writeMesh(mesh, path("a.xyz")), "writes no '.xyz' meshes");
  std::filesystem::create_directory(path("b.stl"));
  EXPECT_SAYS(writeMesh(mesh, path("b.stl")), "this is a folder");
  ASSERT_EQ(mkfifo(path("c.stl").c_str(), 0600), 0);
  EXPECT_SAYS(writeMesh(mesh, path("c.stl")), "is no file that an output could replace");
  EXPECT_TRUE(std::filesystem::is_fifo(path("c.stl")));
  std::filesystem::remove(path("c.stl"));
  EXPECT_EQ(files(), 1U);
}
