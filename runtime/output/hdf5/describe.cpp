// describe.cpp - shapes, axes and labels of F and |F|^2 on a grid.
#include "runtime/output/hdf5/lay_out.h"
#include <cstdlib>

namespace facet::runtime::nexus {

namespace {
std::string squared(const std::string &unit) {
  if (unit.empty())
    return "";
  std::size_t power = unit.find('^');
  if (power == std::string::npos)
    return unit + "^2";
  return unit.substr(0, power + 1) + std::to_string(2 * std::atoi(unit.c_str() + power + 1));
}

/// Shapes and axes of F and of the picture.
struct Shapes {
  Shape f, picture;
  std::vector<std::string> fAxes, axes;
};

Shapes shapesOf(const Grid &grid, const PictureLayout &layout) {
  const auto n = grid.extents();
  const bool image = layout.view == View::Image;
  Shapes shapes{{grid.size()}, {grid.size()}, {"."}, {}};
  if (image)
    shapes.picture = {layout.rows, layout.columns};
  if (layout.product) {
    shapes.f = {n[0], n[1], n[2]};
    shapes.fAxes = {"qx", "qy", "qz"};
  } else if (image) {
    shapes.f = shapes.picture;
    shapes.fAxes = {".", "."};
  }
  if (layout.view == View::Volume)
    shapes.picture = shapes.f;
  if (layout.view == View::Curve)
    shapes.axes = {axisName(layout.along)};
  else if (layout.view == View::Scatter)
    shapes.axes = {axisName(layout.columnAxis), axisName(layout.rowAxis)};
  else if (image && layout.product)
    shapes.axes = {axisName(layout.rowAxis), axisName(layout.columnAxis)};
  else
    shapes.axes = shapes.fAxes;
  return shapes;
}

/// The values of the parameter are the slowest axis.
void addSweep(Shapes &shapes, const Sweep &sweep, View view) {
  const auto values = static_cast<std::int64_t>(sweep.values.size());
  for (Shape *shape : {&shapes.f, &shapes.picture})
    shape->insert(shape->begin(), values);
  if (view == View::Scatter) // its axes are two of one dimension
    shapes.axes = {"."};
  for (std::vector<std::string> *axes : {&shapes.fAxes, &shapes.axes})
    axes->insert(axes->begin(), sweep.name);
}

const char *style(View view) {
  return view == View::Curve
             ? R"({"axes_scale_types": ["linear", "log"], "signal_scale_type": "log"})"
             : R"({"signal_scale_type": "log"})";
}
} // namespace

GridFile describe(const Grid &grid, const std::string &title, const std::string &unit,
                  const Sweep *sweep) {
  GridFile result;
  const PictureLayout &layout = result.layout = layoutOf(grid);
  const Shapes one = shapesOf(grid, layout);
  Shapes shapes = one;
  if (sweep != nullptr)
    addSweep(shapes, *sweep, layout.view);

  Group amplitude;
  amplitude.name = "amplitude";
  amplitude.title = title;
  amplitude.attributes = {{"grid", layout.product ? "product" : "points"}};
  amplitude.signals = {{"F", Element::Complex, shapes.f, unit, "F"}};
  amplitude.axes = shapes.fAxes;
  if (sweep != nullptr) {
    amplitude.attributes["sweep"] = sweep->name;
    amplitude.numbers.push_back(
        {sweep->name, {shapes.f[0]}, sweep->values.data(), "", sweep->name});
  }

  Group picture;
  constexpr const char *names[] = {"image", "curve", "scatter", "volume"}; // as in View
  picture.name = names[static_cast<std::size_t>(layout.view)];
  picture.title = title.empty() ? "|F|^2" : title;
  picture.attributes = {{"SILX_style", style(layout.view)}};
  picture.signals = {
      {"I", Element::Real, shapes.picture, squared(unit), "|F|^2", layout.view == View::Image}};
  picture.axes = shapes.axes;
  for (int k = 0; k < 3; ++k) {
    const Axis &axis = grid.axes[k];
    const std::string name = axisName(k);
    Shape shape = layout.product ? Shape{static_cast<std::int64_t>(axis.re.size())} : one.f;
    amplitude.numbers.push_back({name, shape, axis.re.data(), "1/nm", name + " (1/nm)"});
    if (axis.isComplex())
      amplitude.numbers.push_back(
          {name + "_im", shape, axis.im.data(), "1/nm", name + ", imaginary part (1/nm)"});
  }
  for (const auto &numbers : amplitude.numbers)
    picture.links.push_back({"amplitude/" + numbers.name, numbers.name});
  result.file = {title, picture.name, {std::move(amplitude), std::move(picture)}};
  return result;
}

} // namespace facet::runtime::nexus
