// assimp.cpp - STL and OBJ through assimp: every triangle as it is in the file.
#include "runtime/mesh/files/readers.h"
#include <assimp/Importer.hpp>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <facet/runtime/error.h>

namespace facet::runtime {

namespace {
const char *hint(MeshFile kind) { return kind == MeshFile::Obj ? "obj" : "stl"; }
} // namespace

Mesh readByAssimp(const std::string &path, MeshFile kind) {
  // Polygons are cut into triangles; nothing else is asked for: no joining, no smoothing, no
  // dropping of degenerate faces, which would change the sum. facet counts and drops those itself.
  Assimp::Importer importer;
  const aiScene *scene = nullptr;
  std::string extension = path.substr(std::min(path.size(), path.rfind('.')));
  if (importer.IsExtensionSupported(extension) && extension.size() > 1 &&
      extension.find(hint(kind)) != std::string::npos) {
    scene = importer.ReadFile(path, aiProcess_Triangulate);
  } else { // a name that misleads: assimp chooses its reader by name, facet by content
    std::string bytes;
    if (std::FILE *file = std::fopen(path.c_str(), "rb")) {
      std::array<char, 65536> block{};
      for (std::size_t n = 0; (n = std::fread(block.data(), 1, block.size(), file)) > 0;)
        bytes.append(block.data(), n);
      std::fclose(file);
    }
    scene =
        importer.ReadFileFromMemory(bytes.data(), bytes.size(), aiProcess_Triangulate, hint(kind));
  }
  if (!scene)
    throw Error(path,
                std::string("this ") + hint(kind) + " file is damaged (" +
                    importer.GetErrorString() + ")",
                "export the mesh again");
  Mesh mesh;
  for (unsigned m = 0; m < scene->mNumMeshes; ++m) {
    const aiMesh &part = *scene->mMeshes[m];
    mesh.triangles.reserve(mesh.triangles.size() + part.mNumFaces);
    for (unsigned f = 0; f < part.mNumFaces; ++f) {
      const aiFace &face = part.mFaces[f];
      if (face.mNumIndices != 3) // points and lines
        continue;
      std::array<Vec3, 3> corners{};
      for (int c = 0; c < 3; ++c) {
        if (face.mIndices[c] >= part.mNumVertices)
          throw Error(path, "a face names corner " + std::to_string(face.mIndices[c] + 1) +
                                ", and there are only " + std::to_string(part.mNumVertices));
        const aiVector3D &v = part.mVertices[face.mIndices[c]];
        corners[c] = {v.x, v.y, v.z};
      }
      mesh.triangles.push_back(corners);
    }
  }
  return mesh;
}

} // namespace facet::runtime
