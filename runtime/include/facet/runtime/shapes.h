// shapes.h - the shapes that makeMesh makes, with their arguments, as data.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace facet::runtime {

struct MeshShape {
  struct Argument {
    /// nm, above 0; nm; whole numbers; plural: three of them, or one for all.
    enum class Kind : std::uint8_t { Length, Size, Count, Lengths, Counts };
    std::string name;
    Kind kind;
    double standard; // where it is not given
    std::string doc;
  };
  std::string name, doc;
  std::vector<Argument> arguments;
};
std::vector<MeshShape> meshShapes();

} // namespace facet::runtime
