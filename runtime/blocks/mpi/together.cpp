// together.cpp - begins the ranks, runs, ends them, whatever happens.
#include "runtime/blocks/mpi/together.h"
#include "runtime/blocks/mpi/communicator.h"
#include "runtime/blocks/mpi/launcher.h"
#include <cstdio>
#include <exception>
#include <facet/runtime/error.h>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

namespace facet::runtime {
namespace {

struct Failure {
  std::string message;
  int code = 0;
};

Failure outOfMemory() {
  return {
      "the memory is not enough\n  help: take a smaller grid or mesh, or say with --memory what "
      "may be used",
      static_cast<int>(Exit::Failed)};
}

/// Of the exception that is being handled.
Failure failure() {
  try {
    throw;
  } catch (const Error &e) {
    return {e.what(), static_cast<int>(e.exit)};
  } catch (const std::filesystem::filesystem_error &e) {
    const std::string where = e.path1().empty() ? "TMPDIR" : e.path1().string();
    return {where + ": " + e.code().message(), static_cast<int>(Exit::Failed)};
  } catch (const std::system_error &e) {
    return {"the system refused: " + e.code().message(), static_cast<int>(Exit::Failed)};
  } catch (const std::bad_alloc &) {
    return outOfMemory();
  } catch (const std::length_error &) { // of a container larger than any memory
    return outOfMemory();
  } catch (const std::exception &e) {
    return {e.what(), static_cast<int>(Exit::Failed)};
  } catch (...) {
    return {"an exception of unknown kind", static_cast<int>(Exit::Failed)};
  }
}

void print(const Failure &f) {
  if (!f.message.empty()) // empty: facetc has said it
    std::fprintf(stderr, "facet: error: %s\n", f.message.c_str());
}

} // namespace

int together(const std::function<int()> &body) {
  Communicator *ranks = nullptr;
  try {
    ranks = &world();
  } catch (...) {
    // Without MPI ranks cannot agree on who speaks; the cause is the same for all.
    const Failure f = failure();
    if (launcher().rank == 0)
      print(f);
    return f.code;
  }
  try {
    return ranks->finish(body());
  } catch (...) {
    const Failure f = failure();
    if (ranks->size() > 1)
      ranks->fail(f.message, f.code);
    print(f);
    return f.code;
  }
}

} // namespace facet::runtime
