// figures.h - pictures of results as data, before draw(); they refer to what they show.
#pragma once
#include "runtime/picture/figure.h"
#include "runtime/picture/image.h"
#include <facet/runtime/curve.h>

namespace facet::runtime {

plot::Figure figureOf(const Output &output, const PictureOptions &options = {});
plot::Figure figureOf(const ImagePlot &image, const PictureOptions &options = {});
plot::Figure figureOf(const Curve &curve, const PictureOptions &options = {});
plot::Figure figureOf(const Mesh &mesh, const ViewOptions &options = {},
                      const MeshSlopes *slopes = nullptr);

} // namespace facet::runtime
