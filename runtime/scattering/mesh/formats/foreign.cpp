// foreign.cpp - meshes in formats that facet does not read: what they are, and the line that
// converts them.
#include "runtime/engine/records/geometry.h"
#include "runtime/engine/system/text.h"
#include <filesystem>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

enum class Way { Meshio, Trimesh, PyVista, Gmsh, Atoms, NumPy, Unpack, Encode, Export };

struct Foreign {
  std::string_view beginning, ending; // of the content; of the name
  const char *name;
  Way way;
};

constexpr Foreign foreign[] = {
#define FACET_FOREIGN(beginning, ending, name, way) {beginning, ending, name, Way::way},
#include "runtime/scattering/mesh/formats/foreign.def"
};

std::string lineOf(Way way, const std::string &path, const std::string &stem) {
  switch (way) {
  case Way::Meshio:
    return fmt::format("convert it by meshio: pip install meshio && meshio convert '{}' '{}.obj'",
                       path, stem);
  case Way::Trimesh:
    return fmt::format("convert it by trimesh (pip install 'trimesh[easy]'): python -c \"import "
                       "trimesh; trimesh.load('{}', force='mesh').export('{}.ply')\"",
                       path, stem);
  case Way::PyVista:
    return fmt::format("convert it by PyVista (pip install pyvista): python -c \"import pyvista; "
                       "pyvista.read('{}').extract_surface().save('{}.ply')\"",
                       path, stem);
  case Way::Gmsh:
    return fmt::format("mesh it by gmsh (pip install gmsh): gmsh -2 -clmax SIZE '{}' -o '{}.stl'",
                       path, stem);
  case Way::Atoms:
    return fmt::format("make a table of its atoms: python examples/meshes/atoms.py '{}' -o '{}.h5'",
                       path, stem);
  case Way::NumPy:
    return "load it in Python: facet.Mesh(vertices, faces), or facet.Mesh.records(columns)";
  case Way::Unpack:
    return "unpack it first";
  case Way::Encode:
    return fmt::format("write it as UTF-8: iconv -f UTF-16 -t UTF-8 '{}' > other", path);
  case Way::Export:
    break;
  }
  return "export it as STL, OBJ or PLY by the program that made it, or by Blender";
}

/// A name of letters is a word of its own: "office" is no OFF.
bool begins(std::string_view first, const Foreign &f) {
  const std::size_t size = f.beginning.size();
  return first.starts_with(f.beginning) && (first.size() == size || !isLetter(f.beginning.back()) ||
                                            f.way == Way::Unpack || !isLetter(first[size]));
}

} // namespace

void refuseForeign(const std::string &path, std::string_view first) {
  const std::filesystem::path file(path);
  const std::string ending = lower(file.extension().string());
  for (const Foreign &f : foreign) {
    const bool named = !f.ending.empty() && ending == f.ending;
    if (f.beginning.empty() ? named && first.empty()
                            : begins(first, f) && (f.ending.empty() || named))
      throw Error(path, fmt::format("this is {}, which facet does not read", f.name),
                  lineOf(f.way, path, (file.parent_path() / file.stem()).string()));
  }
}

} // namespace facet::runtime
