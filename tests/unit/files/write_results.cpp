// write_results.cpp - writes a result of every kind into a folder, for silx_default.py to read.
#include "results.h"

int main(int argc, char **argv) {
  if (argc != 2)
    return 1;
  for (const auto &[name, grid] : everyGrid()) {
    auto f = someF(grid);
    facet::runtime::writeHdf5(outputOf(grid, f, name), std::string(argv[1]) + "/" + name + ".h5");
  }
}
