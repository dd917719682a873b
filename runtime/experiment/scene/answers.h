// answers.h - how F of a particle answers when it is sized, turned, and seen from behind: tried on
// some of its records with the kernel's reference.
#pragma once
#include <facet/runtime/kernel.h>
#include <facet/runtime/mesh_stream.h>
#include <optional>
#include <vector>

namespace facet::runtime {

struct Answers {
  std::optional<int> power; // d of F_s(q) = s^d F(s q) for sizes s; none if there is no such d
  bool mirrored = false;    // |F(-q)| = |F(q)|
  bool turns = false;       // |F| is the same if the particle and q turn together
};
/// `radius`: of the particle about its middle, nm. Its columns have their roles (giveRoles).
Answers answersOf(const Kernel &kernel, const MeshBlocks &mesh, const std::vector<double> &params,
                  double radius);

} // namespace facet::runtime
