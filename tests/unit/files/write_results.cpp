// write_results.cpp - writes a result of every kind into a folder, for silx_default.py to read: at
// once, by tiles, by tiles and compressed.
#include "results.h"

using namespace facet::runtime;

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
