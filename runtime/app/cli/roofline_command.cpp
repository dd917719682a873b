// roofline_command.cpp - facet roofline: what bounds kernels on this machine, in words and a
// picture.
#include "runtime/app/cli/command/commands.h"
#include "runtime/app/cli/command/options.h"
#include "runtime/app/jobs/prepare.h"
#include "runtime/app/jobs/terminal.h"
#include "runtime/engine/system/files.h"
#include "runtime/engine/system/machine.h"
#include "runtime/engine/tune/roofline/roofline.h"
#include <cstdio>
#include <facet/runtime/error.h>
#include <facet/runtime/output.h>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace facet::cli {
namespace {

using namespace facet::runtime;

struct RooflineOptions {
  RooflineRequest request;
  std::string grid = "product", q = "real", points, picture, json, schedules;
};

/// "500x500": q.y by q.z.
std::array<std::int64_t, 2> pointsOf(const std::string &text) {
  long long y = 0, z = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%lldx%lld%c", &y, &z, &rest) != 2 || y < 1 || z < 1 ||
      y > 100000000 / z)
    throw Error("--points " + text, "not NxM, at most 1e8 in all", "e.g. --points 500x500");
  return {y, z};
}

void roofline(RooflineOptions &o) {
  RooflineRequest &r = o.request;
  for (const std::string &klass : r.classes)
    classByName(klass);
  r.grid = gridByName(o.grid);
  r.q = qByName(o.q);
  if (!o.points.empty())
    r.points = pointsOf(o.points);
  if (r.threads < 1)
    throw Error("--threads " + std::to_string(r.threads), "is to be 1 or more");
  checkThreads(r.threads);
  if (r.triangles < 1)
    throw Error("--triangles " + std::to_string(r.triangles), "is to be 1 or more");
  std::vector<FileUse> inputs{{"the file of schedules", o.schedules}};
  for (const std::string &kernel : r.kernels)
    inputs.push_back({"a kernel", kernel.substr(0, kernel.find('@'))});
  keepApart(inputs, {{"the picture", o.picture}, {"the numbers", o.json == "-" ? "" : o.json}});
  if (!o.picture.empty())
    checkPicture(o.picture);
  Terminal terminal;
  if (terminal.watches())
    r.say = [&](const std::string &text) { terminal.note(text); };
  r.tuned = schedulesFor(o.schedules, false, terminal);
  r.schedules = schedulesJson(r.tuned.held, r.target, qName(r.q));
  const Roofline made = measureRoofline(r);
  if (o.json != "-")
    terminal::print("{}", rooflineText(made));
  if (o.json == "-")
    terminal::print("{}", rooflineJson(made));
  else if (!o.json.empty())
    writeText(o.json, rooflineJson(made));
  if (!o.picture.empty()) {
    writeRoofline(made, o.picture);
    if (o.json != "-")
      terminal::print("\npicture    {}\n", o.picture);
  }
}

} // namespace

void addRooflineCommand(Command app) {
  Command c = app.command(
      "roofline", "say what bounds kernels on this machine, how far from the bound they are, and "
                  "what would help");
  const auto o = std::make_shared<RooflineOptions>();
  RooflineRequest &r = o->request;
  c.option("kernels", r.kernels,
           "kernels, by name or file; born@direct: with an algorithm of its own")
      .required();
  c.option("--algorithm", r.algorithms, "direct,separable (all that a kernel has)").commas();
  c.option("--class", r.classes, "f32,f32-careful,f64 (f32)").commas();
  c.option("--target", r.target, "a target of facet machines (the best)");
  c.option("--grid", o->grid, "product or points (product)");
  c.option("--q", o->q, "real or cplx: q.z of an absorbing layer (real)");
  c.option("--threads", r.threads, "of kernels and ceilings (1)");
  c.option("--triangles", r.triangles, "of a torus (6600)");
  c.option("--points", o->points, "NxM: q.y by q.z (500x500; direct sums 200x200)");
  c.option("-o,--output", o->picture, "a picture: .png, .svg or .pdf");
  c.option("--json", o->json, "the numbers and words, to a file; '-': to standard output");
  addSchedulesOption(c, o->schedules);
  c.run([o] { roofline(*o); });
}

} // namespace facet::cli
