// structure.cpp - S of an arrangement in a scene's file, beside intensities and as what a group
// shows.
#include "runtime/engine/system/pool.h"
#include "runtime/scattering/output/scene_file.h"
#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace facet::runtime {
using namespace nexus;

void structureAt(const StructureFactor &structure, const Pixels &pixels, std::int64_t first,
                 std::int64_t count, int threads, double *to) {
  const std::int64_t columns = pixels.columns();
  inParallel(static_cast<std::size_t>(count), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::int64_t at = first + static_cast<std::int64_t>(i);
      const PixelView look = pixels.at(at / columns, at % columns);
      to[i] = look.behind ? std::numeric_limits<double>::quiet_NaN()
                          : structure.at(pixels.arrangementQ(look));
    }
  });
}

/// S of all pixels.
Numbers SceneFile::structureOf(const std::shared_ptr<const Pixels> &pixels, const Shape &shape) {
  Numbers numbers{structureName, shape, nullptr, "1", "structure factor"};
  numbers.make = [this, pixels](std::int64_t first, std::int64_t count, double *to) {
    structureAt(*layout_.structure, *pixels, first, count, threads_, to);
    note(std::span(to, static_cast<std::size_t>(count)));
  };
  return numbers;
}

std::string SceneFile::structureText() const {
  constexpr std::int64_t block = 1 << 18; // values held
  if (layout_.curve)
    note(layout_.curve->structure);
  const bool made = leastS_ <= mostS_; // but by a run that goes on with another's file
  std::vector<double> values(block);
  for (const Group &group : tiled_.file.groups)
    for (const Numbers &s : group.numbers)
      for (std::int64_t first = 0, all = elements(s.shape);
           first < all && !made && s.name == structureName && s.make; first += block)
        s.make(first, std::min(block, all - first), values.data());
  return leastS_ > mostS_ ? "" : fmt::format("S from {:.4g} to {:.4g}", leastS_, mostS_);
}

/// S lies beside I, and is what a group of its own shows.
void SceneFile::addStructure(Group axes, const Group &image) {
  std::erase_if(axes.links, [&](const Link &link) {
    return std::ranges::find(axes.axes, link.name) == axes.axes.end();
  });
  axes.links.insert(axes.links.begin(),
                    {fmt::format("{}/{}", image.name, structureName), structureName});
  axes.name = "structure" + image.name.substr(std::min(image.name.find('_'), image.name.size()));
  axes.title = image.title;
  axes.attributes["SILX_style"] = R"({"signal_scale_type": "log"})";
  tiled_.file.groups.push_back(std::move(axes));
}

} // namespace facet::runtime
