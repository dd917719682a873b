// embedded.cpp - a program that embeds facet: F of a box to a file, by one plan.
//   facet_embedded LIBRARY ALGORITHM CLASS FILE
#include <cstdio>
#include <facet/runtime/error.h>
#include <facet/runtime/plan.h>

using namespace facet::runtime;

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  try {
    const Kernel kernel = Kernel::load(argv[1]);
    const Mesh mesh = makeMesh("box", {{"size", {40, 30, 20}}, {"refine", {8}}});
    Grid grid;
    const char *const axes[] = {"0", "-2:2:96", "0.01:2:80"};
    for (std::size_t k = 0; k < 3; ++k)
      grid.axes[k] = parseAxis(axes[k]);
    PlanOptions options;
    options.algorithm = algorithmByName(argv[2]);
    options.klass = classByName(argv[3]);
    options.accuracy = 1e-3;
    options.threads = 1;
    Plan plan(kernel, grid, mesh, options);
    const auto &f = plan.execute();
    std::printf("%s\n", plan.decision().c_str());
    std::FILE *file = std::fopen(argv[4], "wb");
    const bool written =
        file != nullptr && std::fwrite(f.data(), sizeof f[0], f.size(), file) == f.size();
    return file != nullptr && std::fclose(file) == 0 && written ? 0 : 1;
  } catch (const Error &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
