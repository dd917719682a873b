// explore_command.cpp - facet explore: a kernel's way to machine code, as a page.
#include "runtime/app/cli/command/commands.h"
#include "runtime/app/cli/command/facetc_words.h"
#include "runtime/app/cli/command/options.h"
#include "runtime/app/cli/command/probe_options.h"
#include "runtime/app/cli/explore_plan.h"
#include "runtime/app/jobs/terminal.h"
#include "runtime/app/page/explore.h"
#include "runtime/app/page/live.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/system/files.h"
#include "runtime/engine/system/reader.h"
#include "runtime/engine/tune/roofline/roofline.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <facet/runtime/kernel.h>
#include <filesystem>
#include <fmt/format.h>
#include <future>
#include <memory>

namespace facet::cli {
namespace {

using namespace facet::runtime;
using nlohmann::json;
namespace fs = std::filesystem;

/// `kernel` of StageRequest is not used: there may be two.
struct ExploreOptions : StageRequest {
  std::vector<std::string> kernels;
  std::string knobs, output;
  std::string places; // of Python
  bool roofline = false;
  PlanRequest plan;
  ProbeOptions probe;
  std::shared_ptr<const ProbeFile> probeFile; // null: without --at
};

std::string readWhole(const std::string &path) {
  std::string text;
  if (!readFile(path, text))
    throw Error(path, "cannot be read", "is it there, and may you read it?");
  return text;
}

/// The words for facetc, without where to write.
std::vector<std::string> wordsFor(const ExploreOptions &asked, const std::string &kernel,
                                  const std::string &knobs) {
  StageRequest one = asked;
  one.kernel = kernel;
  std::vector<std::string> words = facetcWords(one, "explore");
  if (!knobs.empty())
    words.push_back("--knobs=" + knobs);
  if (asked.probeFile != nullptr)
    words.push_back("--at=" + asked.probeFile->path);
  return words;
}

/// What facetc says of a file that it refuses: the text, and what is wrong where. Null: nothing.
json refusalOf(const std::string &file, const std::string &output) {
  const PendingFile said(output + ".json");
  if (spawn({findFacetc(), file, "--emit=check", "--json", "-o", said.temporary()}, true) > 128)
    return {};
  const json all = json::parse(readWhole(said.temporary()), nullptr, false);
  if (!all.is_object() || all.value("diagnostics", json::array()).empty())
    return {};
  return {{"file", fs::path(file).filename()},
          {"text", readWhole(file)},
          {"diagnostics", all["diagnostics"]}};
}

/// The data of one kernel. `refused` gets the error of a kernel that is refused, which is data too.
json kernelData(const ExploreOptions &asked, const std::string &kernel, const std::string &knobs,
                std::unique_ptr<Error> &refused) {
  const PendingFile written(asked.output + ".json");
  std::vector<std::string> words = wordsFor(asked, kernel, knobs);
  words.insert(words.end(), {"-o", written.temporary()});
  json data;
  try {
    runFacetc(words, true);
    data = json::parse(readWhole(written.temporary()));
    data["label"] = data["kernel"];
    if (!asked.places.empty())
      page::movePlaces(data, json::parse(readWhole(asked.places)));
  } catch (const Error &error) {
    data = refusalOf(words[1], asked.output);
    if (data.is_null())
      throw;
    refused = std::make_unique<Error>(error);
    data["label"] = data["file"];
  }
  if (!knobs.empty())
    data["label"] = fmt::format("{} with {}", data["label"].get<std::string>(), knobs);
  return data;
}

/// The kernel as WebAssembly, for the page to run; or what facetc says against that.
page::LiveKernel liveKernel(const ExploreOptions &asked) {
  const auto [file, name] = splitKernel(asked.kernels[0]);
  const PendingFile made(asked.output + ".wasm");
  std::vector<std::string> words{findFacetc(),    findKernel(file), "--target=wasm",
                                 "--emit=module", "--grid=product", "-o",
                                 made.temporary()};
  if (!name.empty())
    words.push_back("--kernel=" + name);
  std::string said;
  if (spawn(words, true, &said) != 0)
    return {"", said};
  return {readWhole(made.temporary()), ""};
}

/// What facet roofline measures of these kernels, a few seconds.
json measured(const ExploreOptions &asked) {
  RooflineRequest request;
  request.kernels = asked.kernels;
  request.target = asked.target.substr(0, asked.target.find(','));
  request.grid = gridByName(asked.grid.empty() ? "product" : asked.grid);
  request.q = qByName(asked.q.empty() ? "real" : asked.q);
  if (!asked.klass.empty())
    request.classes = {asked.klass.substr(0, asked.klass.find(','))};
  request.schedules = asked.schedules;
  return json::parse(rooflineJson(measureRoofline(request)));
}

bool isPlanned(const ExploreOptions &asked) {
  return std::ranges::any_of(asked.plan.axes,
                             [](const std::string &axis) { return !axis.empty(); });
}

/// What a plan weighs for the grid and mesh given.
json planned(const ExploreOptions &asked) {
  PlanRequest plan = asked.plan;
  plan.kernel = asked.kernels[0];
  plan.target = asked.target.substr(0, asked.target.find(','));
  plan.schedules = asked.schedules;
  return planJson(plan, asked.probe);
}

void explore(ExploreOptions &asked) {
  if (asked.kernels.size() > 2)
    throw Error("facet explore", fmt::format("{} kernels", asked.kernels.size()),
                "name one, or two to compare");
  const bool named = !asked.output.empty();
  if (!named)
    asked.output =
        fs::path(findKernel(splitKernel(asked.kernels[0]).first)).stem().string() + ".html";
  std::vector<FileUse> inputs;
  for (const std::string &kernel : asked.kernels)
    inputs.push_back({"the kernel", findKernel(splitKernel(kernel).first)});
  keepApart(inputs, {{"the page", asked.output}});
  if (!asked.probe.at.empty())
    asked.probeFile = std::make_shared<ProbeFile>(asked.probe, "facet explore --at", asked.q);
  else if (asked.probe.record >= 0 || (asked.probe.given() && !isPlanned(asked)))
    throw Error("facet explore", "a mesh, a record and parameters are with --at, or with a grid",
                "say at which q: --at q=0,1,0.5, or on which: --qy=-2:2:200 --qz=0:2:200");
  std::unique_ptr<Error> refused;
  page::Exploration data;
  auto live = std::async(std::launch::async, [&] { return liveKernel(asked); });
  for (const std::string &kernel : asked.kernels)
    data.kernels.push_back(kernelData(asked, kernel, "", refused));
  if (!asked.knobs.empty() && refused == nullptr)
    data.kernels.push_back(kernelData(asked, asked.kernels[0], asked.knobs, refused));
  if (asked.roofline && refused == nullptr)
    data.roofline = measured(asked);
  if (isPlanned(asked) && refused == nullptr)
    data.plan = planned(asked);
  page::Page page = page::explorePage(data);
  if (refused == nullptr)
    addLive(page, live.get());
  page::writePage(page, asked.output);
  if (!named)
    terminal::print("{}\n", asked.output);
  if (refused != nullptr)
    throw Error(*refused);
}

} // namespace

void addExploreCommand(Command app) {
  const auto o = std::make_shared<ExploreOptions>();
  Command c = app.command("explore", "write a page that shows a kernel's way to machine code");
  c.option("kernels", o->kernels,
           "kernel file (FILE:NAME where it holds several) or name; two are compared")
      .required();
  c.option("-o,--output", o->output, "page to write (NAME.html)");
  c.option("--target", o->target,
           "targets of facet machines, a list, or cuda (the best of this CPU)");
  c.option("--algorithm", o->algorithm,
           "list of direct, separable, nufft (all that the kernel allows)");
  c.option("--class", o->klass, "list of f32, f32-careful, f64, or all (f32)");
  c.option("--grid", o->grid, "product or points (as the file says)");
  c.option("--q", o->q, "real, complex or all (real)");
  c.option("--knobs", o->knobs,
           "numbers of a schedule, as tile_y=4: compared with the one that is used");
  for (std::size_t k = 0; k < 3; ++k)
    c.option(std::string("--q") + "xyz"[k], o -> plan.axes[k],
             "with a mesh: an axis of the grid whose plan is shown, nm^-1, as facet plan has it");
  c.option("--accuracy", o->plan.accuracy, "of that plan, relative to max|F| (1e-5)");
  c.flag("--roofline", o->roofline,
         "measure the machine and the sums, some seconds, for a roofline");
  c.option("--places", o->places,
           "places of a kernel that was written in Python, as it keeps them");
  addProbeOptions(c, o->probe, "each value's number at this q, nm^-1: q=0,1,0.5");
  addSchedulesOption(c, o->schedules);
  c.run([o] { explore(*o); });
}

} // namespace facet::cli
