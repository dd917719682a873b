// readers.h - what recognises and reads each kind of mesh file.
#pragma once
#include <facet/runtime/mesh.h>

namespace facet::runtime {

/// Mesh files that facet tells apart by their content.
enum class MeshFile { BinaryStl, TextStl, Obj, Ply, Hdf5, Table };

/// Looks at the beginning, the end and the size of a file. Throws Error: missing, empty, truncated
/// STL, none of these.
MeshFile recognise(const std::string &path);

// Each in the file's own units, unchecked. Throw Error: not to be read, damaged.
Mesh readObj(const std::string &path);
Mesh readTextStl(const std::string &path);
Mesh readPly(const std::string &path);
Mesh readHdf5Mesh(const std::string &path);
Mesh readTableMesh(const std::string &path);

constexpr std::int64_t rowsAtOnce = 1 << 15; // read or written at once when the whole file is

/// Blocks by a function that several threads may call.
using ReadBlock = std::function<Mesh(std::int64_t first, std::int64_t count)>;
std::shared_ptr<const MeshBlocks> blocksBy(std::int64_t size, ReadBlock read);

/// Rows of a mesh file as they are: no units, no checks. Throws Error: not to be read, or a mesh
/// that has no rows.
std::shared_ptr<const MeshBlocks> openHdf5Rows(const std::string &path);
std::shared_ptr<const MeshBlocks> openBinaryStl(const std::string &path);

/// Adds the triangles of a polygon, which face as it does: a fan if it is convex, else ear by
/// ear (G. H. Meisters, Am. Math. Monthly 82 (1975) 648). Nothing of fewer than three corners.
/// False if a polygon is not convex and has more than 1,000 corners, which would take minutes.
bool addPolygon(const std::vector<Vec3> &corners, std::vector<std::array<Vec3, 3>> &to);

} // namespace facet::runtime
