// mesh_command.cpp - facet mesh: inspect, make, convert, cut, view.
#include "runtime/app/cli/command/commands.h"
#include "runtime/app/cli/command/options.h"
#include "runtime/app/jobs/sanity.h"
#include "runtime/app/jobs/terminal.h"
#include "runtime/engine/system/files.h"
#include <cstdio>
#include <facet/runtime/absolute.h>
#include <facet/runtime/error.h>
#include <facet/runtime/grid.h>
#include <facet/runtime/mesh_stream.h>
#include <facet/runtime/output.h>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <memory>

namespace facet::cli {

namespace {
using namespace facet::runtime;

struct MeshOptions {
  std::string input, output, shape, unit; // unit "": what the file states
  std::vector<std::string> arguments;
  std::string height, below, above; // of a cut
  int refine = 1;
  bool noEdges = false;
  ViewOptions view;
};

std::optional<double> unitOf(const MeshOptions &options) {
  return options.unit.empty() ? std::nullopt : std::optional(parseUnit(options.unit));
}

Mesh load(const MeshOptions &options) {
  keepApart({{"the mesh", options.input}}, {{"the output", options.output}});
  Terminal terminal;
  std::int64_t dropped = 0;
  Mesh mesh = readMesh(options.input, unitOf(options), &dropped);
  warnOfDropped(terminal, options.input, dropped);
  warnOfNotes(terminal, mesh);
  return mesh;
}

void print(const Mesh &mesh, const MeshReport &r) {
  const auto row = [](const char *name, const std::string &text) {
    terminal::print("{:<12} {}\n", name, text);
  };
  const auto noting = [](bool yes, bool noted, const std::string &note) {
    return (yes ? "yes" : "no") + (noted ? " (" + note + ")" : "");
  };
  if (mesh.triangles.empty() && mesh.facets.area.empty()) {
    row("records", fmt::format("{}, no triangles", mesh.size()));
  } else {
    row("triangles",
        fmt::format("{}{}", r.triangles, r.corners ? "" : " (areas, normals and centroids only)"));
    row("area", fmt::format("{:.6g} nm^2", r.area));
    row("volume", r.closed ? fmt::format("{:.6g} nm^3", r.volume) : "none: the mesh is open");
    row("box", fmt::format("{:.6g} x {:.6g} x {:.6g} nm, from ({:.6g}, {:.6g}, {:.6g})",
                           r.high[0] - r.low[0], r.high[1] - r.low[1], r.high[2] - r.low[2],
                           r.low[0], r.low[1], r.low[2]));
    row("closed",
        r.openEdges > 0
            ? noting(r.closed, true, fmt::format("{} open edges", r.openEdges))
            : noting(r.closed, r.closed && !r.balanced(),
                     fmt::format("but the sum of area times normal is {:.1e} of the area", r.gap)));
    row("oriented",
        noting(r.oriented, r.flippedEdges > 0, fmt::format("{} flipped edges", r.flippedEdges)));
    row("absolute", absoluteText(r));
    row("degenerate", std::to_string(r.degenerate));
    if (r.corners)
      row("edges", fmt::format("median {:.4g} nm, longest {:.4g} nm (the centroid rule is good for "
                               "|q| well below {:.3g} nm^-1)",
                               r.medianEdge, r.longestEdge, 1 / r.longestEdge));
  }
  for (const auto &[name, values] : mesh.columns)
    row("column", name);
  for (const auto &[name, table] : mesh.tables)
    row("column", fmt::format("{}, {} values of an axis", name, table.rows()));
}

void inspectFile(const MeshOptions &options) {
  const Mesh mesh = load(options);
  const MeshReport report = inspect(mesh);
  print(mesh, report);
  Terminal terminal;
  warnOfSurface(terminal, mesh.name, report);
}

void write(const Mesh &mesh, const std::string &path) {
  writeMesh(mesh, path);
  terminal::print("{}: {} triangles\n", path, mesh.size());
}

/// Writes HDF5 from what is read in blocks in little memory, however large the mesh.
void convert(const MeshOptions &options) {
  const std::string extension = std::filesystem::path(options.output).extension().string();
  const bool hdf5 = extension == ".h5" || extension == ".hdf5";
  if (!hdf5 || options.refine > 1 || !meshFileSize(options.input).blocks)
    return write(refined(load(options), options.refine), options.output);
  keepApart({{"the mesh", options.input}}, {{"the output", options.output}});
  Terminal terminal;
  std::int64_t dropped = 0;
  const auto mesh = openMeshBlocks(options.input, unitOf(options), &dropped);
  warnOfDropped(terminal, options.input, dropped);
  warnOfNotes(terminal, mesh->read(0, 1));
  writeMeshBlocks(*mesh, options.output);
  terminal::print("{}: {} triangles\n", options.output, mesh->size());
}

void cut(const MeshOptions &options) {
  std::vector<FileUse> outputs;
  for (const auto &[what, path] :
       {std::pair{"the part below", options.below}, std::pair{"the part above", options.above}})
    if (!path.empty())
      outputs.push_back({what, path});
  if (outputs.empty())
    throw Error("facet mesh cut", "no part is to be written", "--below FILE, --above FILE or both");
  keepApart({{"the mesh", options.input}}, outputs);
  const double height = numberOf("--at", options.height, "nm");
  const MeshParts parts = cutMesh(load(options), height);
  const auto writePart = [&](const Mesh &part, const std::string &path, const char *where) {
    if (path.empty())
      return;
    if (part.triangles.empty())
      throw Error(options.input, fmt::format("has nothing {} z = {} nm", where, height),
                  "facet mesh inspect tells its box");
    write(part, path);
  };
  writePart(parts.below, options.below, "below");
  writePart(parts.above, options.above, "above");
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

void addCut(Command mesh, const std::shared_ptr<MeshOptions> &options,
            const std::function<void(Command)> &input) {
  Command cut = mesh.command("cut", "what of a closed mesh lies below and above a plane, closed");
  input(cut);
  cut.option("--at", options->height, "the plane's z, nm or \"12 A\"").required();
  cut.option("--below", options->below, "where the part below goes: .stl, .obj, .ply or .h5");
  cut.option("--above", options->above, "where the part above goes");
  cut.run([options] { cli::cut(*options); });
}

void addView(Command mesh, const std::shared_ptr<MeshOptions> &options,
             const std::function<void(Command)> &input) {
  Command view = mesh.command("view", "a shaded picture of a mesh");
  input(view);
  view.option("-o,--output", options->output, "a .png, .svg or .pdf").required();
  view.option("--azimuth", options->view.azimuth, "degrees about z");
  view.option("--elevation", options->view.elevation, "degrees above the xy plane");
  view.flag("--no-edges", options->noEdges, "do not draw the edges of triangles");
  view.run([options] {
    options->view.edges = !options->noEdges;
    const Mesh mesh = load(*options);
    Terminal terminal;
    warnOfSurface(terminal, mesh.name, inspect(mesh));
    writeMeshPicture(mesh, options->output, options->view);
  });
}
} // namespace

void addMeshCommand(Command app) {
  Command mesh = app.command("mesh", "inspect, make, convert, cut and view meshes");
  mesh.needsCommand(1, 1);
  auto options = std::make_shared<MeshOptions>();
  auto input = [&](Command command) {
    command.option("mesh", options->input, "STL, OBJ, PLY, HDF5 or 7-column text").required();
    command.option("--unit", options->unit,
                   "nm, angstrom, um, mm, m, or nm for one unit of the file; else what the file "
                   "states, or nm");
  };

  Command report =
      mesh.command("inspect", "triangles, area, volume, radius of gyration, closed, oriented");
  input(report);
  report.run([options] { inspectFile(*options); });

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

  addCut(mesh, options, input);
  addView(mesh, options, input);
}

} // namespace facet::cli
