// mesh_columns.cpp - columns that kernels read: geometry, columns of the file, records without
// triangles.
#include "scratch.h"
#include <cmath>
#include <facet/runtime/mesh.h>

using namespace facet::runtime;

using Columns = Scratch;

TEST(GeometryColumns, AreThoseOfTheTriangle) {
  Mesh mesh;
  mesh.triangles = {{Vec3{1, 0, 0}, Vec3{3, 0, 0}, Vec3{1, 4, 0}}};
  EXPECT_EQ(column(mesh, "area")[0], 4);
  EXPECT_EQ(column(mesh, "normal.z")[0], 1);
  EXPECT_DOUBLE_EQ(column(mesh, "centroid.y")[0], 4.0 / 3);
  EXPECT_DOUBLE_EQ(column(mesh, "centroid.x", {1, 0, 0})[0], 2.0 / 3); // moved by -centre
  EXPECT_EQ(column(mesh, "vertex1.x", {1, 0, 0})[0], 2);
  EXPECT_EQ(column(mesh, "edge2.y", {1, 7, 0})[0], 4);
  EXPECT_EQ(centre(mesh), (Vec3{2, 2, 0}));
}

TEST_F(Columns, OwnOnesComeFromHdf5PlyAndText) {
  Mesh mesh = makeMesh("box");
  for (int i = 0; i < 12; ++i)
    mesh.columns["contrast"].push_back(i);
  for (const char *name : {"a.h5", "a.ply"}) {
    writeMesh(mesh, path(name));
    EXPECT_EQ(column(readMesh(path(name)), "contrast")[5], 5) << name;
  }
  std::string text = "area,normal.x,normal.y,normal.z,centroid.x,centroid.y,centroid.z,contrast\n"
                     "2,0,0,1,0,0,5,0.25\n";
  Mesh records = readMesh(write("a.csv", text), 10);
  EXPECT_EQ(column(records, "contrast")[0], 0.25);
  EXPECT_EQ(column(records, "area")[0], 200);
  EXPECT_EQ(column(records, "centroid.z")[0], 50);
}

TEST_F(Columns, RecordsNeedNotBeTriangles) {
  Mesh atoms =
      readMesh(write("atoms.csv", "position.x position.y position.z weight\n0 0 0 6\n1 0 0 8\n"));
  EXPECT_EQ(atoms.size(), 2);
  EXPECT_EQ(column(atoms, "weight")[1], 8);
  EXPECT_SAYS(column(atoms, "area"), "these records are none");
}

TEST_F(Columns, WithAnAxisHaveARow) {
  Mesh mesh = makeMesh("box");
  mesh.tables["a"] = AxisTable(1, 12, std::vector<double>(12));
  EXPECT_EQ(checkedMesh(mesh).tables.at("a").rows(), 1);
  mesh.tables["a"] = AxisTable(0, 12, {});
  EXPECT_SAYS(checkedMesh(mesh), "column 'a' with an axis has the shape [0, 12] for 12 records");
}

TEST_F(Columns, NamesMayStandBehindAHash) { // as numpy.savetxt writes a header
  Mesh atoms = readMesh(write("atoms.txt", "# x y z Z\n0 0 1 6\n# carbon\n1 0 0 8\n"));
  EXPECT_EQ(column(atoms, "z")[0], 1);
  EXPECT_EQ(column(atoms, "Z")[1], 8);
  // Seven columns are triangles whatever a comment calls them, unless by the names that they have.
  for (const char *comment :
       {"# area nx ny nz cx cy cz\n", "# a list of triangles of mine own\n",
        "# area normal.x normal.y normal.z centroid.x centroid.y centroid.z\n"})
    EXPECT_EQ(column(readMesh(write("a.txt", comment + std::string("2 0 0 1 0 0 5\n"))), "area")[0],
              2);
  EXPECT_EQ(
      column(readMesh(write("b.txt", "# normal.x normal.y normal.z area centroid.x centroid.y "
                                     "centroid.z\n0 0 1 2 0 0 5\n")),
             "area")[0],
      2);
  EXPECT_SAYS(readMesh(write("c.txt", "# 4 atoms\n0 0 1 6\n")), "this one has 4");
}

TEST_F(Columns, SevenColumnsOfThePapers) {
  Mesh mesh = readMesh(write("a.txt", "1 0 0 1 0 0 2\n1 0 0 -1 0 0 0\n0 0 0 1 0 0 0\n"));
  EXPECT_EQ(mesh.size(), 2);
  MeshReport r = inspect(mesh);
  EXPECT_FALSE(r.corners);
  EXPECT_TRUE(r.closed);
  EXPECT_SAYS(column(mesh, "vertex0.x"), "gives areas, normals and centroids only");
  EXPECT_SAYS(readMesh(write("b.txt", "1 0 0 1 0 0 2\n1 0 0 nan 0 0 0\n")), "triangle 2");
  EXPECT_SAYS(readMesh(write("c.txt", "0 0 1 1 0 0 2\n5 0 0 9 0 0 0\n")),
              "triangle 2: its normal has length 9");
  EXPECT_SAYS(readMesh(write("d.txt", "1 0 0 1 0 0\n")), "this one has 6");
  EXPECT_SAYS(readMesh(write("e.txt", "1 0 0 1 0 0 2\n1 0 0\n")),
              "e.txt:2: this row has 3 columns");
  EXPECT_SAYS(readMesh(write("f.txt", "1 0 0 1 0 0 x\n")), "f.txt:1: 'x' is not a number");
}

TEST(MissingColumn, ListsThoseThereAndTheNearest) {
  Mesh mesh = makeMesh("box");
  EXPECT_SAYS(column(mesh, "contrast"), "needs a column 'contrast', which is not there");
  mesh.columns["contrats"].assign(12, 1);
  EXPECT_SAYS(column(mesh, "contrast"), "did you mean 'contrats'?");
}
