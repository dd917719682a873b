// describe.cpp - what result files of F on a grid hold, and those written at once: F and |F|^2.
#include "runtime/engine/store/lay_out.h"
#include "runtime/engine/system/units.h"
#include <algorithm>
#include <array>
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::runtime {
namespace nexus {

namespace {
/// Shapes and axes of F and of the picture.
void setAxes(const Grid &grid, const PictureLayout &layout, Group &amplitude, Group &picture) {
  using Names = std::vector<std::string>;
  const auto n = grid.extents();
  const bool image = layout.view == View::Image;
  Shape &f = amplitude.signals[0].shape, &i = picture.signals[0].shape;
  i = image ? Shape{layout.rows, layout.columns} : Shape{grid.size()};
  f = layout.product ? Shape{n[0], n[1], n[2]} : i;
  if (layout.view == View::Volume)
    i = f;
  amplitude.axes = layout.product ? Names{"qx", "qy", "qz"} : Names(f.size(), ".");
  const auto names = [](int a, int b) { return Names{axisName(a), axisName(b)}; };
  picture.axes = layout.view == View::Curve     ? Names{axisName(layout.along)}
                 : layout.view == View::Scatter ? names(layout.columnAxis, layout.rowAxis)
                 : image && layout.product      ? names(layout.rowAxis, layout.columnAxis)
                                                : amplitude.axes;
}

/// The values of the parameter are the slowest axis.
void addSweep(const Sweep &sweep, View view, Group &amplitude, Group &picture) {
  amplitude.attributes["sweep"] = sweep.name;
  if (view == View::Scatter) // its axes are two of one dimension
    picture.axes = {"."};
  for (Group *group : {&amplitude, &picture}) {
    Shape &shape = group->signals[0].shape;
    shape.insert(shape.begin(), std::ssize(sweep.values));
    group->axes.insert(group->axes.begin(), sweep.name);
  }
}

const char *style(View view) {
  return view == View::Curve
             ? R"({"axes_scale_types": ["linear", "log"], "signal_scale_type": "log"})"
             : R"({"signal_scale_type": "log"})";
}

/// The two groups of one output: its values, and what is drawn of them.
std::array<Group, 2> groupsOf(const NamedOutput &output, const Grid &grid, const std::string &title,
                              const std::string &unit) {
  constexpr const char *names[] = {"image", "curve", "scatter", "volume"}; // as in View
  const PictureLayout layout = layoutOf(grid);
  const std::string view = names[static_cast<std::size_t>(layout.view)];
  const bool named = !output.name.empty();
  const std::string symbol = named ? output.name : "F";
  const bool squared = output.isComplex || !named;
  const std::string drawn = squared ? "|" + symbol + "|^2" : symbol;
  Group amplitude{named ? output.name : "amplitude",
                  title,
                  {{"grid", layout.product ? "product" : "points"}},
                  {{"F", output.isComplex ? Element::Complex : Element::Real, {}, unit, symbol}}};
  Group picture{named ? output.name + "_" + view : view,
                title.empty() ? drawn : title,
                {{"SILX_style", style(layout.view)}},
                {{"I",
                  Element::Real,
                  {},
                  unit.empty() || !squared ? unit : toPower(unit, 2),
                  drawn,
                  layout.view == View::Image}}};
  amplitude.signals[0].squared = squared;
  setAxes(grid, layout, amplitude, picture);
  return {std::move(amplitude), std::move(picture)};
}

/// The axes lie in the first group, with links to them in the others.
void addAxes(const Grid &grid, const Sweep *sweep, std::vector<Group> &groups) {
  Group &first = groups.front();
  if (sweep != nullptr)
    first.numbers.push_back(
        {sweep->name, {std::ssize(sweep->values)}, sweep->values.data(), "", sweep->name});
  for (int k = 0; k < 3; ++k) {
    const Axis &axis = grid.axes[k];
    const std::string name = axisName(k);
    const Shape shape =
        layoutOf(grid).product ? Shape{std::ssize(axis.re)} : first.signals[0].shape;
    first.numbers.push_back({name, shape, axis.re.data(), "1/nm", name + " (1/nm)"});
    if (axis.isComplex())
      first.numbers.push_back(
          {name + "_im", shape, axis.im.data(), "1/nm", name + ", imaginary part (1/nm)"});
  }
  for (auto group = groups.begin() + 1; group != groups.end(); ++group)
    for (const auto &numbers : first.numbers)
      group->links.push_back({first.name + "/" + numbers.name, numbers.name});
}
} // namespace

File describe(const Grid &grid, const std::string &title, const std::string &unit,
              const Sweep *sweep, const std::vector<NamedOutput> &outputs) {
  File file{title, {}, {}};
  std::vector<std::string> names;
  for (const NamedOutput &output : outputs)
    if (!output.name.empty())
      names.push_back(output.name);
  for (const NamedOutput &output : outputs.empty() ? std::vector(1, NamedOutput()) : outputs)
    for (Group &group : groupsOf(output, grid, title, unit)) {
      if (!names.empty() && group.attributes.contains("grid"))
        group.lists["outputs"] = names;
      file.groups.push_back(std::move(group));
    }
  file.plot = file.groups[1].name;
  addAxes(grid, sweep, file.groups);
  if (sweep != nullptr)
    addSweep(*sweep, layoutOf(grid).view, file.groups[0], file.groups[1]);
  return file;
}

} // namespace nexus

void writeHdf5(const Output &output, const std::string &path) {
  const auto &f = *output.f;
  const std::int64_t size = output.grid->size(),
                     steps = output.sweep != nullptr ? std::ssize(output.sweep->values) : 1,
                     outputs = std::max<std::int64_t>(std::ssize(output.outputs), 1);
  if (std::ssize(f) != steps * outputs * size || steps * outputs > std::max(steps, outputs))
    throw Error(path, fmt::format("F has {} values for {} q", f.size(), steps * outputs * size), "",
                Exit::Failed);
  check(*output.grid);
  nexus::File file =
      nexus::describe(*output.grid, output.title, output.unit, output.sweep, output.outputs);
  // Values are made piece by piece, so that no second array of the size of F is needed.
  const PictureLayout layout = layoutOf(*output.grid);
  const bool image = layout.view == View::Image;
  for (std::size_t o = 0; o < static_cast<std::size_t>(outputs); ++o) {
    nexus::Signal &values = file.groups[2 * o].signals[0];
    const std::complex<double> *own = f.data() + static_cast<std::int64_t>(o) * size;
    const bool real = values.element == nexus::Element::Real, squared = values.squared;
    if (real)
      values.make = [=](std::int64_t first, std::int64_t count, double *to) {
        for (std::int64_t k = 0; k < count; ++k)
          to[k] = own[first + k].real();
      };
    else
      values.values = own;
    file.groups[2 * o + 1].signals[0].make = [=](std::int64_t first, std::int64_t count,
                                                 double *to) {
      std::int64_t q = first % size; // of its step
      for (const double *end = to + count; to != end; ++to, ++first) {
        const std::int64_t at = image ? layout.index(q / layout.columns, q % layout.columns) : q;
        const std::complex<double> &value = own[first - q + at];
        *to = squared ? std::norm(value) : value.real();
        q = q + 1 < size ? q + 1 : 0;
      }
    };
  }
  nexus::writeFile(path, file, {output.provenance, output.numbers, output.experiment});
}

} // namespace facet::runtime
