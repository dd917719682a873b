// render.h - triangles to shaded pixels with a depth buffer.
#pragma once
#include "runtime/output/figure.h"
#include <facet/runtime/mesh.h>

namespace facet::runtime {

/// A parallel projection: x to the right, y up, z towards the eye.
struct Projection {
  Vec3 right, up, eye; // unit vectors
  double scale = 1;    // pixels a nm
  double x0 = 0, y0 = 0;
  /// Pixels, y down; the third is the depth in nm, larger is nearer.
  Vec3 operator()(const Vec3 &p) const;
};
/// Looking at the origin from azimuth and elevation (degrees), z up.
Projection lookFrom(double azimuth, double elevation);

/// Draws the mesh with several samples a pixel; uncovered where there is none of it.
/// Outsides are golden, insides (seen through holes, or of a mesh inside out) red.
Raster render(const Mesh &mesh, const Projection &projection, int width, int height, bool edges);

} // namespace facet::runtime
