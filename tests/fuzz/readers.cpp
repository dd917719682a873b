// readers.cpp - each reader on one file, and what must hold of what it has read.
#include "tests/fuzz/readers.h"
#include "codegen/ir/evaluate.h"
#include "codegen/passes/forms.h"
#include "codegen/passes/passes.h"
#include "runtime/engine/kernel/tuned.h"
#include "runtime/engine/plan/profile.h"
#include "runtime/engine/store/data_file.h"
#include "runtime/engine/store/journal.h"
#include "runtime/engine/store/tiled_result.h"
#include "runtime/engine/system/text.h"
#include "runtime/scattering/derive/observation.h"
#include "runtime/scattering/detector/detector.h"
#include "tests/fuzz/recipe.h"
#include "tests/support/folder.h"
#include <facet/runtime/experiment.h>
#include <facet/runtime/mesh_stream.h>
#include <facet/runtime/output.h>
#include <fmt/format.h>
#include <functional>

namespace facet::fuzz {
namespace {
using namespace facet::runtime;
namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string &what) { throw std::logic_error(what); }

/// What is refused is in order.
void orRefused(const std::function<void()> &read) {
  try {
    read();
  } catch (const Error &) {
  } catch (const ir::Error &) {
  }
}

/// A mesh that is read can be looked at, and read by blocks it is as large.
void mesh(const std::string &path, std::string_view) {
  orRefused([&] {
    const Mesh mesh = readMesh(path);
    for (const auto &[name, values] : mesh.columns)
      if (std::ssize(values) != mesh.size())
        fail("a column of another length: " + name);
    inspect(mesh);
    thinned(*blocksOf(std::make_shared<const Mesh>(mesh)), 3);
  });
  orRefused([&] {
    const auto blocks = openMeshBlocks(path);
    if (blocks->read(0, blocks->size()).size() != readMesh(path).size())
      fail("by blocks it has another size");
  });
  orRefused([&] { meshFileSize(path); });
}
void stl(const std::string &path, std::string_view bytes) { mesh(path, bytes); }
void obj(const std::string &path, std::string_view bytes) { mesh(path, bytes); }
void ply(const std::string &path, std::string_view bytes) { mesh(path, bytes); }
void table(const std::string &path, std::string_view bytes) { mesh(path, bytes); }

void points(const std::string &path, std::string_view) {
  orRefused([&] {
    const Grid grid = readGrid(path);
    grid.at(grid.size() - 1);
  });
}

/// What is written of an experiment is read as the same.
void checkExperiment(const Experiment &experiment) {
  const std::string text = toToml(experiment);
  std::string again;
  try {
    again = toToml(readExperimentText(text, "again"));
  } catch (const Error &error) {
    fail("what is written of it is refused: " + std::string(error.what()) + "\n" + text);
  }
  if (again != text)
    fail("what is written of it is read as another:\n" + text + "\nagain:\n" + again);
}

void experiment(const std::string &path, std::string_view) {
  orRefused([&] { checkExperiment(readExperiment(path)); });
  orRefused([&] { readBeamAndSample(path); });
}

void objects(const std::string &path, std::string_view) {
  const std::string text = "kernel = \"exact\"\n[output]\nfile = \"a.h5\"\n[beam]\nwavelength = "
                           "0.1\n[[particle]]\nmesh = \"a.stl\"\n[[particle]]\nmesh = \"b.stl\"\n"
                           "[grid]\nqy = \"0:1:2\"\n[run]\n";
  orRefused([&] {
    readExperimentText("objects = \"" + fs::path(path).filename().string() + "\"\n" + text, path);
  });
}

void poni(const std::string &path, std::string_view) {
  orRefused([&] {
    Detector detector = readPoni(path);
    if (detector.rows < 0 || detector.columns < 0)
      fail("rows or columns below 0");
    detector.rows = std::clamp<std::int64_t>(detector.rows, 1, 8);
    detector.columns = std::clamp<std::int64_t>(detector.columns, 1, 8);
    const Geometry geometry(detector, 0.2);
    geometry.pixel(1, 1);
    geometry.find(0.1, 0.2);
    smallAngleGrid(geometry, 10);
  });
}

void schedules(const std::string &path, std::string_view) {
  orRefused([&] {
    const std::vector<TunedEntry> entries = readSchedules(path, [](const std::string &) {});
    schedulesJson(entries);
    mergeSchedules(path, entries);
  });
}

void profile(const std::string &path, std::string_view) {
  orRefused([&] {
    const Profile profile(path);
    profile.nufftGuess();
    profile.knows("born");
  });
}

/// A stopped run with one of two units, and what it has left beside its journal.
struct Stopped {
  Grid grid;
  TiledFile file; // points into it
  std::string part;

  explicit Stopped(const std::string &path) {
    grid.axes = {parseAxis("0"), parseAxis("0:1:2"), parseAxis("0:1:3")};
    file = tiledFile(grid, "fuzzed", "nm^3");
    {
      const std::vector<std::complex<double>> values(3);
      TiledResult begun = TiledResult::create(path, file, identity(), 2, {true, 0});
      begun.write(0, 0, {0, 0, 0}, {1, 1, 3}, values.data());
      begun.finishUnit(0);
    }
    part = test::textOf(path + ".part");
  }
  static Identity identity() { return {{"kernel", "k"}}; }
  void resume(const std::string &path) const {
    TiledResult::resume(path, file, identity(), 2, {false, 0});
  }
};

/// The lines of a journal with their sums.
std::string summed(std::string_view lines) {
  Words all;
  splitWords(lines, all, "\n");
  std::string text;
  for (const auto line : all)
    text += fmt::format("{} {:08x}\n", line, tiled::addToSum(0, line.data(), std::ssize(line)));
  return text;
}

/// The journal, beside a file of values as a run had laid it out.
void journal(const std::string &path, std::string_view bytes) {
  const std::string result = path.substr(0, path.find(".journal"));
  static const Stopped stopped(result);
  std::ofstream(path, std::ios::trunc) << summed(bytes);
  std::ofstream(result + ".part", std::ios::trunc) << stopped.part;
  orRefused([&] { tiled::readJournal(path); });
  orRefused([&] { findResult(result); });
  orRefused([&] { stopped.resume(result); });
  for (const auto &entry : fs::directory_iterator(fs::path(path).parent_path()))
    fs::remove(entry.path());
}

void words(const std::string &, std::string_view bytes) {
  Words lines;
  splitWords(bytes, lines, "\n");
  for (const auto line : lines) {
    const std::string text(line.substr(0, 200));
    if (text.find("00000") == std::string::npos) // not a million values each time
      orRefused([&] { parseAxis(text); });
    orRefused([&] { parseUnit(text); });
    orRefused([&] { parseParameter(text, "here"); });
    orRefused([&] {
      Particle particle;
      setShape(particle, text);
    });
  }
}

/// Printed, a kernel is read as the same; and it has values.
void ir(const std::string &path, std::string_view bytes) {
  orRefused([&] {
    const facet::ir::Kernel kernel = facet::ir::read(bytes, path);
    facet::ir::verify(kernel);
    const std::string text = facet::ir::print(kernel);
    std::string again;
    try {
      again = facet::ir::print(facet::ir::read(text, "again"));
    } catch (const facet::ir::Error &error) {
      fail("what is printed of it is refused: " + error.message + "\n" + text);
    }
    if (again != text)
      fail("what is printed of it is read as another:\n" + text + "\nagain:\n" + again);
    facet::ir::Point point = facet::ir::randomPoint(kernel, 1);
    facet::ir::evaluateScalars(kernel, point);
    facet::ir::evaluateRecord(kernel, point);
    facet::ir::evaluateFinish(kernel, point);
  });
}

void passes(const std::string &path, std::string_view bytes) {
  using namespace facet::passes;
  orRefused([&] {
    const facet::ir::Kernel kernel = facet::ir::read(bytes, path);
    facet::ir::verify(kernel);
    orRefused([&] { explain(kernel, "kernel.fir", std::string(bytes)); });
    for (const Algorithm algorithm : {Algorithm::Direct, Algorithm::Separable, Algorithm::Nufft})
      for (const bool complexQ : {false, true})
        orRefused([&] {
          Variant variant;
          variant.complexQ = complexQ;
          variant.algorithm = algorithm;
          variant.klass = algorithm == Algorithm::Nufft ? Class::F64 : Class::F32;
          variant.nodes = algorithm != Algorithm::Direct;
          if (algorithm == Algorithm::Nufft)
            variant.grid = facet::ir::GridKind::Points;
          count(facet::passes::run(kernel, variant));
        });
  });
}

void hdf5(const std::string &path, std::string_view bytes) {
  writeRecipe(path, bytes);
  mesh(path, bytes);
  points(path, bytes);
  orRefused([&] { readProvenance(path); });
  orRefused([&] {
    double first = 0;
    ShareFile::Values(ShareFile(path)).take(&first, 1);
  });
  orRefused([&] {
    if (holdsF(path))
      readHdf5(path);
  });
  orRefused([&] {
    static const double axis[] = {0, 0.5, 1};
    const Observation observed(path, {{"image", {2, 3}, {{"qy", {3}, axis, "1/nm", "qy"}}}});
    observed.hash();
  });
  orRefused([&] {
    const DataFile file(path);
    file.experiment();
    for (const DataGroup &group : file.groups()) {
      file.read(group, group.signal, 16);
      if (!group.errors.empty())
        file.read(group, group.errors, 16);
      file.number(group, "scale");
    }
  });
}

} // namespace

const std::vector<Reader> &readers() {
  static const std::vector<Reader> all = {
#define FACET_READER(name, file, what) {#name, file, what, name},
#include "tests/fuzz/readers.def"
  };
  return all;
}

void readOnce(const Reader &reader, std::string_view bytes) {
  static const test::Folder folder;
  const std::string path = folder.path / reader.file;
  std::ofstream(path, std::ios::trunc | std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  reader.read(path, bytes);
}

} // namespace facet::fuzz
