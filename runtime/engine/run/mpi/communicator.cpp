// communicator.cpp - which launcher has begun this process; one process, or the ranks that
// libfacet_mpi knows; a run of all of them.
#include "runtime/engine/run/mpi/communicator.h"
#include "runtime/engine/system/places.h"
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <exception>
#include <facet/runtime/error.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <new>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

namespace facet::runtime {

namespace {

[[noreturn]] void noRank(int rank) {
  throw Error("", fmt::format("there is no rank {}: this run is one process", rank), "",
              Exit::Failed);
}

void print(const std::string &message) {
  if (!message.empty()) // empty: facetc has said it
    std::fprintf(stderr, "facet: error: %s\n", shown(message).c_str());
}

struct Kind {
  const char *name, *rank, *ranks;
};
// Slurm sets SLURM_PROCID in a batch script without srun, too; SLURM_STEP_NUM_TASKS is srun's.
constexpr Kind slurm{"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"};
constexpr Kind kinds[] = {{"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                          {"mpirun", "PMI_RANK", "PMI_SIZE"}};

constexpr const char *library = "libfacet_mpi.so";

/// The library that comes with libfacet, or $FACET_MPI, which may name one for another MPI.
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
    return std::make_unique<Communicator>();
  std::unique_ptr<Communicator> ranks(openMpi(by));
  if (by.ranks > 0 && ranks->size() != by.ranks)
    refuse(by, fmt::format("MPI knows {} of them", ranks->size()),
           "use the launcher of the MPI that facet was built with");
  if (ranks->rank() > 0)
    silence(STDOUT_FILENO);
  return ranks;
}

} // namespace

Failure failure() {
  constexpr const char *noMemory = "the memory is not enough\n  help: take a smaller grid or mesh, "
                                   "or say with --memory what may be used";
  try {
    throw;
  } catch (const Error &e) {
    return {e.what(), e.exit};
  } catch (const std::filesystem::filesystem_error &e) {
    const std::string where = e.path1().empty() ? "TMPDIR" : e.path1().string();
    return {where + ": " + e.code().message()};
  } catch (const std::system_error &e) {
    return {"the system refused: " + e.code().message()};
  } catch (const std::bad_alloc &) {
    return {noMemory};
  } catch (const std::length_error &) { // of a container larger than any memory
    return {noMemory};
  } catch (const std::exception &e) {
    return {e.what()};
  } catch (...) {
    return {"an exception of unknown kind"};
  }
}

Communicator::~Communicator() = default;

void Communicator::send(int to, const void * /*bytes*/, std::size_t /*size*/) { noRank(to); }
void Communicator::receive(int from, void * /*bytes*/, std::size_t /*size*/) { noRank(from); }

void Communicator::fail(const std::string &message, int code) {
  print(message);
  std::fflush(nullptr);
  _exit(code); // other threads may be at work
}

Launcher launcherOf(const std::function<const char *(const char *)> &environment) {
  const auto number = [&](const char *name) {
    const char *text = environment(name);
    return text == nullptr ? -1 : std::atoi(text);
  };
  const char *asked = environment("FACET_MPI");
  if (asked != nullptr && std::string(asked) == "off")
    return {};
  const int tasks = number(slurm.ranks);
  for (const Kind &kind : kinds)
    if (const int ranks = number(kind.ranks); ranks > 0 && number(kind.rank) >= 0) {
      const bool kills = tasks <= 0;
      if (ranks == 1)
        return {"", 0, 0, true, kills};
      return {kills ? kind.name : slurm.name, ranks, number(kind.rank), true, kills};
    }
  const bool pmix = number("PMIX_RANK") >= 0;
  if (tasks == 1)
    return {};
  if (tasks > 1)
    return {slurm.name, tasks, pmix ? number("PMIX_RANK") : number(slurm.rank),
            pmix || environment("PMI_FD") != nullptr, false};
  if (pmix)
    return {"a PMIx launcher", 0, number("PMIX_RANK"), true, true};
  return {};
}

Launcher launcher() {
  return launcherOf([](const char *name) { return std::getenv(name); });
}

Communicator &world() {
  // Never destroyed: MPI ends in finish(), or with the process.
  static Communicator *const ranks = begin().release();
  return *ranks;
}

int together(const std::function<int()> &body) {
  Communicator *ranks = nullptr;
  try {
    ranks = &world();
  } catch (...) {
    // Without MPI ranks cannot agree on who speaks; the cause is the same for all.
    const Failure f = failure();
    if (launcher().rank == 0)
      print(f.message);
    return static_cast<int>(f.code);
  }
  try {
    return ranks->finish(body());
  } catch (...) {
    const Failure f = failure();
    if (ranks->size() > 1)
      ranks->fail(f.message, static_cast<int>(f.code));
    print(f.message);
    return static_cast<int>(f.code);
  }
}

} // namespace facet::runtime
