// weld.cpp - numbers for the corners of a triangle soup: the same place, the same number.
#include "runtime/mesh/geometry.h"
#include "runtime/mesh/inspect.h"
#include <cstring>
#include <unordered_map>

namespace facet::runtime {

namespace {
std::uint64_t mix(std::uint64_t h, std::uint64_t word) {
  h ^= word + 0x9e3779b97f4a7c15U + (h << 6) + (h >> 2);
  h *= 0xff51afd7ed558ccdU;
  return h ^ (h >> 32);
}

std::uint64_t bits(double x) {
  x += 0.0; // -0 and +0 are one place
  std::uint64_t word = 0;
  std::memcpy(&word, &x, sizeof word);
  return word;
}

/// Open addressing: 3e7 corners of a large mesh in a few seconds.
std::vector<std::uint32_t> weldExactly(const Mesh &mesh) {
  std::size_t corners = 3 * mesh.triangles.size(), slots = 16;
  while (slots < 2 * corners)
    slots *= 2;
  constexpr std::uint32_t free = ~0U;
  std::vector<std::uint32_t> table(slots, free), result(corners);
  auto place = [&](std::size_t i) -> const Vec3 & { return mesh.triangles[i / 3][i % 3]; };
  for (std::size_t i = 0; i < corners; ++i) {
    const Vec3 &p = place(i);
    std::size_t slot = mix(mix(mix(0, bits(p[0])), bits(p[1])), bits(p[2])) & (slots - 1);
    while (table[slot] != free && place(table[slot]) != p)
      slot = (slot + 1) & (slots - 1);
    if (table[slot] == free)
      table[slot] = static_cast<std::uint32_t>(i);
    result[i] = table[slot];
  }
  return result;
}
} // namespace

std::vector<std::uint32_t> weld(const Mesh &mesh, double tolerance) {
  if (tolerance <= 0)
    return weldExactly(mesh);
  // Cells of four tolerances: the neighbours of a place are in the cells of its box of +-tolerance.
  double cell = 4 * tolerance;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> cells;
  std::vector<std::uint32_t> result(3 * mesh.triangles.size());
  auto key = [&](const Vec3 &p) {
    std::uint64_t h = 0;
    for (double x : p)
      h = mix(h, static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(x / cell))));
    return h;
  };
  auto find = [&](const Vec3 &p) -> std::int64_t {
    for (int side = 0; side < 8; ++side) {
      Vec3 near = p;
      for (int k = 0; k < 3; ++k)
        near[k] += ((side >> k & 1) != 0 ? tolerance : -tolerance);
      if (auto found = cells.find(key(near)); found != cells.end())
        for (std::uint32_t i : found->second)
          if (length(mesh.triangles[i / 3][i % 3] - p) <= tolerance)
            return i;
    }
    return -1;
  };
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Vec3 &p = mesh.triangles[i / 3][i % 3];
    std::int64_t same = find(p);
    if (same < 0) {
      same = static_cast<std::int64_t>(i);
      cells[key(p)].push_back(static_cast<std::uint32_t>(i));
    }
    result[i] = static_cast<std::uint32_t>(same);
  }
  return result;
}

} // namespace facet::runtime
