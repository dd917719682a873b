// readers.h - what recognises and reads each kind of mesh file.
#pragma once
#include <facet/runtime/mesh.h>

namespace facet::runtime {

/// Mesh files that facet tells apart by their content.
enum class MeshFile { BinaryStl, TextStl, Obj, Ply, Hdf5, Table };

/// Looks at the beginning, the end and the size of a file. Throws Error: missing, empty, truncated
/// STL, none of these.
MeshFile recognise(const std::string &path);

using Columns = std::map<std::string, std::vector<double>>;
/// Turns columns with the built-in names into geometry; the rest stay columns.
Mesh fromColumns(Columns columns);

// Each in the file's own units, unchecked.
Mesh readObj(const std::string &path);
Mesh readTextStl(const std::string &path);
Mesh readPly(const std::string &path);
Mesh readHdf5Mesh(const std::string &path);
Mesh readTableMesh(const std::string &path);

} // namespace facet::runtime
