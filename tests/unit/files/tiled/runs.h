// runs.h - small results written tile by tile as a run would: resumed, killed, compared.
#pragma once
#include "../results.h"
#include "../scratch.h"
#include "runtime/engine/store/identity.h"
#include "runtime/engine/store/tiled_result.h"
#include <sys/wait.h>

using namespace facet::runtime;

/// 3 x 8 x 10 values in 12 units of 1 x 2 x 10, or of any other height.
inline Grid smallGrid() {
  Grid grid;
  grid.axes = {parseAxis("0:1:3"), parseAxis("-1:1:8"), parseAxis("0:2:10")};
  return grid;
}

struct SmallRun {
  std::string path;
  Grid grid = smallGrid();
  Identity identity = {
      {"kernel", "k1"}, {"mesh", "m1"}, {"grid", hashOf(grid)}, {"plan", R"({"tile":[1,2,10]})"}};
  TiledOptions options{false, 0};
  int microseconds = 0; // of work in a unit
  std::int64_t units = 12;

  explicit SmallRun(std::string path) : path(std::move(path)) {}
  TiledFile file() const { return tiledFile(grid, "small", "nm^3"); }
  static nexus::Process process() {
    return {{{"kernel", "born"}}, {{"measured_error", 1e-7}}, "a = 1\n"};
  }

  TiledResult create() const { return TiledResult::create(path, file(), identity, units, options); }
  TiledResult resume() const { return TiledResult::resume(path, file(), identity, units, options); }
  TiledResult join(int rank, const std::vector<bool> &done) const {
    return TiledResult::join(path, file(), identity, units, rank, done, options);
  }
  void compute(TiledResult &result, std::int64_t unit) const {
    usleep(static_cast<useconds_t>(microseconds));
    std::vector<std::complex<double>> f;
    for (int k = 0; k < 20; ++k)
      f.emplace_back(static_cast<double>(unit + 1), 0.1 * k);
    const std::int64_t x = unit / 4, y = unit % 4 * 2;
    result.write(unit, result.dataset("/entry/amplitude/F"), {x, y, 0}, {x + 1, y + 2, 10},
                 f.data());
    result.finishUnit(unit);
  }
  void computeAll(TiledResult &result) const {
    const std::vector<bool> done = result.done();
    for (std::int64_t unit = 0; unit < units; ++unit)
      if (!done[static_cast<std::size_t>(unit)])
        compute(result, unit);
  }
  void whole() const {
    TiledResult result = create();
    computeAll(result);
    result.finalise(process());
  }
  /// A run that ends after so many units, leaving what a kill would.
  void partly(std::int64_t count) const {
    TiledResult result = create();
    for (std::int64_t unit = 0; unit < count; ++unit)
      compute(result, unit);
  }
};

/// Runs in a process of its own; its exit status, or minus the signal that ended it.
inline int inChild(const std::function<void()> &action) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      action();
    } catch (const std::exception &) {
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

class Tiled : public Scratch {
protected:
  SmallRun run{path("a.h5")};
  /// The bytes of the file of an uninterrupted run.
  std::string expected() const {
    const SmallRun other(path("expected.h5"));
    other.whole();
    std::string whole = bytes("expected.h5");
    std::filesystem::remove(other.path);
    return whole;
  }
};
