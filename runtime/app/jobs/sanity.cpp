// sanity.cpp - what is wrong with a mesh; warnings as they are printed.
#include "runtime/app/jobs/sanity.h"
#include "runtime/app/jobs/terminal.h"
#include "runtime/engine/system/text.h"
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::cli {
using namespace facet::runtime;

void warn(const std::string &text, const std::string &help) {
  terminal::error("facet: warning: {}{}{}\n", text, help.empty() ? "" : "\n  help: ", help);
}

void warn(const std::vector<Remark> &remarks) {
  for (const Remark &remark : remarks)
    warn(remark.text, remark.help);
}

void warnOfDropped(const std::string &mesh, std::int64_t dropped) {
  if (dropped > 0)
    warn(fmt::format("{}: {} without area skipped", mesh, plural(dropped, "triangle")));
}

void warnOfNotes(const Mesh &mesh) {
  for (const std::string &note : mesh.notes)
    warn(mesh.name + ": " + note);
}

void warnOfSurface(const std::string &mesh, const MeshReport &found) {
  for (const Remark &remark : remarksOn(found))
    warn(mesh + ": " + remark.text, remark.help);
}

void warnOfMesh(const Kernel &kernel, const SceneMesh &input) {
  warnOfDropped(input.name, input.dropped);
  warnOfNotes(input.blocks->read(0, 1));
  if (kernel->triangle == 0)
    return;
  if (input.mesh)
    return warnOfSurface(input.name, inspect(*input.mesh));
  const MeshSummary &all = input.summary; // knows of no edges
  MeshReport seen;
  seen.corners = false;
  seen.closed = all.closed() || !all.surface;
  seen.volume = all.volume;
  warnOfSurface(input.name, seen);
}

} // namespace facet::cli
