// absolute.cpp - limits of the curve of a body, and the text on them.
#include <cmath>
#include <facet/runtime/absolute.h>
#include <fmt/format.h>
#include <numbers>

namespace facet::runtime {
namespace {

std::optional<CurveLimits> limits(bool closed, double volume, double surface) {
  if (!closed)
    return std::nullopt;
  return CurveLimits{volume * volume, 2 * std::numbers::pi * surface};
}

/// What rounding leaves of a mesh of this size, nm, is 0.
Vec3 rounded(Vec3 at, double size) {
  for (double &x : at)
    x = std::abs(x) < 1e-12 * size ? 0 : x;
  return at;
}

std::string textOf(const std::optional<Moments> &moments, const std::optional<CurveLimits> &limit) {
  if (!limit)
    return "none: the mesh is open, and bounds no volume";
  std::string text = "no centroid and radius of gyration without corners";
  if (moments) {
    const Vec3 at = rounded(moments->centroid, moments->gyration);
    text = fmt::format("centroid ({:.6g}, {:.6g}, {:.6g}) nm, radius of gyration {:.6g} nm", at[0],
                       at[1], at[2], moments->gyration);
  }
  return fmt::format("{}, |F|^2 of the volume {:.6g} nm^6 at q = 0, {:.6g} nm^2 / q^4 at large q",
                     text, limit->forward, limit->porod);
}

} // namespace

std::optional<CurveLimits> limitsOf(const MeshSummary &mesh) {
  return limits(mesh.closed(), mesh.volume, mesh.area);
}
std::optional<CurveLimits> limitsOf(const MeshReport &mesh) {
  return limits(mesh.closed && mesh.oriented, mesh.volume, mesh.area);
}

std::string absoluteText(const MeshSummary &mesh) { return textOf(mesh.moments, limitsOf(mesh)); }
std::string absoluteText(const MeshReport &mesh) { return textOf(mesh.moments, limitsOf(mesh)); }

} // namespace facet::runtime
