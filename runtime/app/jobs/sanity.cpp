// sanity.cpp - what is wrong with a mesh.
#include "runtime/app/jobs/sanity.h"
#include "runtime/engine/system/text.h"
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::cli {
using namespace facet::runtime;

void warnOfDropped(Listener &listener, const std::string &mesh, std::int64_t dropped) {
  if (dropped > 0)
    listener.warn(fmt::format("{}: {} without area skipped", mesh, plural(dropped, "triangle")));
}

void warnOfNotes(Listener &listener, const Mesh &mesh) {
  for (const std::string &note : mesh.notes)
    listener.warn(mesh.name + ": " + note);
}

void warnOfSurface(Listener &listener, const std::string &mesh, const MeshReport &found) {
  for (const Remark &remark : remarksOn(found))
    listener.warn(mesh + ": " + remark.text, remark.help);
}

void warnOfMesh(Listener &listener, const Kernel &kernel, const SceneMesh &input) {
  warnOfDropped(listener, input.name, input.dropped);
  warnOfNotes(listener, input.blocks->read(0, 1));
  if (kernel->triangle == 0)
    return;
  if (input.mesh)
    return warnOfSurface(listener, input.name, inspect(*input.mesh));
  const MeshSummary &all = input.summary; // knows of no edges
  MeshReport seen;
  seen.corners = false;
  seen.closed = all.closed() || !all.surface;
  seen.volume = all.volume;
  warnOfSurface(listener, input.name, seen);
}

} // namespace facet::cli
