// mesh_command.cpp - facet mesh: inspect, make, convert, view.
#include "runtime/cli/command/commands.h"
#include "runtime/files/files.h"
#include <cmath>
#include <cstdio>
#include <facet/runtime/error.h>
#include <facet/runtime/grid.h>
#include <facet/runtime/mesh_stream.h>
#include <facet/runtime/output.h>
#include <filesystem>
#include <memory>

namespace facet::cli {

namespace {
using namespace facet::runtime;

struct MeshOptions {
  std::string input, output, shape, unit = "nm";
  std::vector<std::string> arguments;
  int refine = 1;
  bool noEdges = false;
  ViewOptions view;
};

void warnOfDropped(const std::string &name, std::int64_t dropped) {
  if (dropped > 0)
    std::fprintf(stderr, "facet: warning: %s: %lld triangles have zero area and were skipped\n",
                 name.c_str(), static_cast<long long>(dropped));
}

Mesh load(const MeshOptions &options) {
  keepApart({{"the mesh", options.input}}, {{"the output", options.output}});
  std::int64_t dropped = 0;
  Mesh mesh = readMesh(options.input, parseUnit(options.unit), &dropped);
  warnOfDropped(options.input, dropped);
  return mesh;
}

/// What a reader of the report must know about the mesh.
void warn(const Mesh &mesh, const MeshReport &r) {
  const char *name = mesh.name.c_str();
  if (r.corners && !r.closed)
    std::fprintf(
        stderr,
        "facet: warning: %s: the mesh is open (%lld edges belong to one triangle only): volume "
        "form factors need a closed surface and are wrong here\n",
        name, static_cast<long long>(r.openEdges));
  if (!r.corners && !r.closed)
    std::fprintf(stderr,
                 "facet: warning: %s: the sum of area times normal is not 0: the mesh is open\n",
                 name);
  if (r.corners && !r.oriented)
    std::fprintf(stderr,
                 "facet: warning: %s: %lld edges join triangles with opposite sides outward: their "
                 "contributions have the wrong sign\n",
                 name, static_cast<long long>(r.flippedEdges));
  if (r.corners && r.closed && r.oriented && !r.balanced())
    std::fprintf(
        stderr,
        "facet: warning: %s: corners that should meet do not: the sum of area times normal "
        "is %.1e of the area, not 0\n",
        name, r.gap);
  if (r.coincident > 0)
    std::fprintf(
        stderr,
        "facet: warning: %s: %lld triangles lie on others and face the same way: what they "
        "bound counts twice in F\n",
        name, static_cast<long long>(r.coincident));
  if (r.closed && r.volume < 0)
    std::fprintf(
        stderr,
        "facet: warning: %s: the mesh is inside out (normals point inward): F has the wrong sign\n",
        name);
}

void print(const Mesh &mesh, const MeshReport &r) {
  if (mesh.triangles.empty() && mesh.facets.area.empty()) {
    std::printf("records      %lld, no triangles\n", static_cast<long long>(mesh.size()));
  } else {
    std::printf("triangles    %lld%s\n", static_cast<long long>(r.triangles),
                r.corners ? "" : " (areas, normals and centroids only)");
    std::printf("area         %.6g nm^2\n", r.area);
    std::printf("volume       %.6g nm^3\n", r.volume);
    std::printf("box          %.6g x %.6g x %.6g nm, from (%.6g, %.6g, %.6g)\n",
                r.high[0] - r.low[0], r.high[1] - r.low[1], r.high[2] - r.low[2], r.low[0],
                r.low[1], r.low[2]);
    std::printf("closed       %s", r.closed ? "yes" : "no");
    if (r.openEdges > 0)
      std::printf(" (%lld open edges)", static_cast<long long>(r.openEdges));
    if (r.closed && !r.balanced())
      std::printf(" (but the sum of area times normal is %.1e of the area)", r.gap);
    std::printf("\noriented     %s", r.oriented ? "yes" : "no");
    if (r.flippedEdges > 0)
      std::printf(" (%lld flipped edges)", static_cast<long long>(r.flippedEdges));
    std::printf("\ndegenerate   %lld\n", static_cast<long long>(r.degenerate));
    if (r.corners)
      std::printf(
          "edges        median %.4g nm, longest %.4g nm (the centroid rule is good for |q| well "
          "below %.3g nm^-1)\n",
          r.medianEdge, r.longestEdge, 1 / r.longestEdge);
  }
  for (const auto &[name, values] : mesh.columns)
    std::printf("column       %s\n", name.c_str());
}

void inspectFile(const MeshOptions &options) {
  Mesh mesh = load(options);
  MeshReport report = runtime::inspect(mesh);
  print(mesh, report);
  std::fflush(stdout);
  warn(mesh, report);
}

void write(const Mesh &mesh, const std::string &path) {
  writeMesh(mesh, path);
  std::printf("%s: %lld triangles\n", path.c_str(), static_cast<long long>(mesh.size()));
}

/// To HDF5 from what is read in blocks: in little memory, however large the mesh.
void convert(const MeshOptions &options) {
  const std::string extension = std::filesystem::path(options.output).extension().string();
  const bool hdf5 = extension == ".h5" || extension == ".hdf5";
  if (!hdf5 || options.refine > 1 || !meshFileSize(options.input).blocks)
    return write(refined(load(options), options.refine), options.output);
  keepApart({{"the mesh", options.input}}, {{"the output", options.output}});
  std::int64_t dropped = 0;
  const auto mesh = openMeshBlocks(options.input, parseUnit(options.unit), &dropped);
  warnOfDropped(options.input, dropped);
  writeMeshBlocks(*mesh, options.output);
  std::printf("%s: %lld triangles\n", options.output.c_str(), static_cast<long long>(mesh->size()));
}

void make(const MeshOptions &options) {
  std::map<std::string, std::vector<double>> numbers;
  for (const std::string &argument : options.arguments) {
    std::size_t equals = argument.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error("'" + argument + "'", "is no argument of a shape",
                  "write NAME=NUMBER, e.g. radius=10");
    numbers[argument.substr(0, equals)] = parseAxis(argument.substr(equals + 1)).re;
  }
  write(makeMesh(options.shape, numbers), options.output);
}
} // namespace

void addMeshCommand(Command app) {
  Command mesh = app.command("mesh", "inspect, make, convert and view meshes");
  mesh.needsCommand(1, 1);
  auto options = std::make_shared<MeshOptions>();
  auto input = [&](Command command) {
    command.option("mesh", options->input, "STL, OBJ, PLY, HDF5 or 7-column text").required();
    command.option("--unit", options->unit,
                   "nm, angstrom, um, mm, m, or nm for one unit of the file");
  };

  Command inspect = mesh.command("inspect", "triangles, area, volume, closed, oriented");
  input(inspect);
  inspect.run([options] { inspectFile(*options); });

  Command make = mesh.command("make", "make a shape: facet mesh make torus major=20 -o torus.stl");
  make.option("shape", options->shape, "one of those below").required();
  make.option("arguments", options->arguments, "NAME=NUMBER or NAME=X,Y,Z; nm");
  make.option("-o,--output", options->output, ".stl, .obj, .ply, .h5 or .txt").required();
  make.footer("Shapes and their arguments, with defaults:\n" + shapesHelp());
  make.run([options] { cli::make(*options); });

  Command convert = mesh.command("convert", "write a mesh in another format");
  input(convert);
  convert.option("-o,--output", options->output, ".stl, .obj, .ply, .h5 or .txt").required();
  convert.option("--refine", options->refine, "cut each triangle into N*N").range(1, 1000);
  convert.run([options] { cli::convert(*options); });

  Command view = mesh.command("view", "a shaded picture of a mesh");
  input(view);
  view.option("-o,--output", options->output, "a .png, .svg or .pdf").required();
  view.option("--azimuth", options->view.azimuth, "degrees about z");
  view.option("--elevation", options->view.elevation, "degrees above the xy plane");
  view.flag("--no-edges", options->noEdges, "do not draw the edges of triangles");
  view.run([options] {
    options->view.edges = !options->noEdges;
    Mesh mesh = load(*options);
    warn(mesh, runtime::inspect(mesh));
    writeMeshPicture(mesh, options->output, options->view);
  });
}

} // namespace facet::cli
