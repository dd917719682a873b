// write_results.cpp - writes a result of every kind into a folder, for silx_default.py to read: at
// once, by tiles, by tiles and compressed.
#include "results.h"
#include "runtime/output/tiled/tiled_result.h"

namespace {
using namespace facet::runtime;

void writeTiled(const Output &output, const std::string &path, bool compress) {
  const TiledFile file = tiledFile(*output.grid, output.title, output.unit);
  const nexus::Shape shape = file.file.groups[0].signals[0].shape;
  const std::int64_t row = nexus::elements(shape) / shape[0];
  TiledResult result = TiledResult::create(path, file, {}, shape[0]);
  for (std::int64_t unit = 0; unit < shape[0]; ++unit) {
    nexus::Shape begin(shape.size(), 0), end = shape;
    begin[0] = unit;
    end[0] = unit + 1;
    result.write(unit, result.dataset("/entry/amplitude/F"), begin, end,
                 output.f->data() + unit * row);
    result.finishUnit(unit);
  }
  result.finalise({output.provenance, output.numbers, output.experiment}, compress);
}
} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return 1;
  for (const auto &[name, grid] : everyGrid()) {
    const auto f = someF(grid);
    const Output output = outputOf(grid, f, name);
    const std::string path = std::string(argv[1]) + "/" + name;
    writeHdf5(output, path + ".h5");
    writeTiled(output, path + ".tiled.h5", false);
    writeTiled(output, path + ".compressed.h5", true);
  }
}
