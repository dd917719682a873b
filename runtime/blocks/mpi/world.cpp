// world.cpp - one process, or the ranks that libfacet_mpi knows.
#include "runtime/blocks/mpi/launcher.h"
#include "runtime/blocks/mpi/plugin.h"
#include "runtime/files/places.h"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <facet/runtime/error.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace facet::runtime {
namespace {

class OneProcess final : public Communicator {
public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  int localRank() const override { return 0; }
  int localSize() const override { return 1; }
  void broadcast(void * /*bytes*/, std::size_t /*size*/, int /*from*/) override {}
  std::vector<std::string> gather(const std::string &mine) override { return {mine}; }
  void sum(double * /*values*/, std::size_t /*count*/) override {}
  void max(double * /*values*/, std::size_t /*count*/) override {}
  void barrier() override {}
  bool anyThread() const override { return true; }
  void send(int to, const void * /*bytes*/, std::size_t /*size*/) override { nobody(to); }
  void receive(int from, void * /*bytes*/, std::size_t /*size*/) override { nobody(from); }
  void tell(double done) override { done_ = done; }
  double told() const override { return done_; }
  [[noreturn]] void fail(const std::string &message, int code) override {
    if (!message.empty())
      std::fprintf(stderr, "facet: error: %s\n", message.c_str());
    std::fflush(nullptr);
    std::exit(code); // NOLINT(concurrency-mt-unsafe)
  }
  int finish(int code) override { return code; }

private:
  [[noreturn]] static void nobody(int rank) {
    throw Error("", fmt::format("there is no rank {}: this run is one process", rank), "",
                Exit::Failed);
  }
  std::atomic<double> done_ = 0;
};

constexpr const char *library = "libfacet_mpi.so";

/// Comes with libfacet; $FACET_MPI, for another MPI, comes first.
std::string findLibrary() {
  if (const char *named = std::getenv("FACET_MPI"); named != nullptr && *named != 0)
    return named;
  return besideLibrary(library);
}

[[noreturn]] void refuse(const Launcher &launcher, const std::string &what,
                         const std::string &help) {
  throw Error("",
              fmt::format("{} runs {}, but {}", launcher.name,
                          launcher.ranks > 0 ? fmt::format("{} processes", launcher.ranks)
                                             : "several processes",
                          what),
              help + "; FACET_MPI=off makes each process a run of its own", Exit::Failed);
}

Communicator *openMpi(const Launcher &launcher) {
  if (!launcher.canJoin)
    refuse(launcher, "gives them no way to find each other",
           "use srun --mpi=pmix (srun --mpi=list shows what there is), or mpirun");
  const std::string path = findLibrary();
  if (path.empty())
    refuse(launcher, fmt::format("this facet was built without MPI (no {})", library),
           "build facet with an MPI installed (Debian: libopenmpi-dev), or start one process");
  // Global: parts of MPI libraries look for the library's symbols in the process.
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr)
    refuse(launcher, fmt::format("MPI cannot be opened ({})", dlerror()),
           "load the MPI that facet was built with, or build facet with the one there is");
  const auto version = reinterpret_cast<decltype(&facet_mpi_version)>( // NOLINT
      dlsym(handle, "facet_mpi_version"));
  const auto open = reinterpret_cast<decltype(&facet_mpi_open)>( // NOLINT
      dlsym(handle, "facet_mpi_open"));
  if (version == nullptr || open == nullptr || std::string(version()) != FACET_VERSION)
    refuse(launcher, path + " is not of this facet", "build both together");
  char why[512] = "";
  Communicator *ranks = open(why, sizeof why);
  if (ranks == nullptr)
    refuse(launcher, fmt::format("MPI does not start: {}", why),
           "use the launcher of the MPI that facet was built with");
  return ranks;
}

void silence(int descriptor) {
  std::fflush(nullptr);
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing < 0)
    return;
  dup2(nothing, descriptor);
  close(nothing);
}

std::unique_ptr<Communicator> begin() {
  const Launcher by = launcher();
  if (by.name.empty())
    return std::make_unique<OneProcess>();
  std::unique_ptr<Communicator> ranks(openMpi(by));
  if (by.ranks > 0 && ranks->size() != by.ranks)
    refuse(by, fmt::format("MPI knows {} of them", ranks->size()),
           "use the launcher of the MPI that facet was built with");
  if (ranks->rank() > 0)
    silence(STDOUT_FILENO);
  return ranks;
}

} // namespace

Communicator &world() {
  // Never destroyed: MPI ends in finish(), or with the process.
  static Communicator *const ranks = begin().release();
  return *ranks;
}

} // namespace facet::runtime
