// merge_command.cpp - facet merge: the shares of a run put together and judged.
#include "runtime/app/cli/command/commands.h"
#include "runtime/app/jobs/job.h"
#include "runtime/app/jobs/share.h"
#include "runtime/engine/system/files.h"
#include "runtime/engine/system/machine.h"
#include <filesystem>

namespace facet::cli {
namespace {

using namespace facet::runtime;

struct MergeOptions {
  std::vector<std::string> shares;
  std::string output, picture, memory;
  bool overwrite = false, compress = false;
  int threads = 0;
};

/// The experiment of a share, with what the options replace.
Experiment experimentOfShare(const ShareFile &share, const MergeOptions &o) {
  Experiment e = readExperimentText(share.experiment(), share.path());
  if (!o.output.empty())
    e.output = o.output;
  if (!o.picture.empty())
    e.picture = o.picture;
  else if (!o.output.empty() && e.picture != "none")
    e.picture = std::filesystem::path(o.output).replace_extension(".png");
  if (!o.memory.empty())
    e.memory = o.memory;
  e.threads = o.threads;
  checkThreads(e.threads);
  return e;
}

void mergeCommand(const MergeOptions &o, const Host &host) {
  JobOptions how;
  how.listener = &host.listener;
  how.run.merge = sharesFrom(o.shares, identityParts());
  const Experiment e = experimentOfShare(how.run.merge[0], o);
  how.schedules = how.run.merge[0].provenance().at("schedules");
  how.run.compress = o.compress;
  how.run.overwrite = o.overwrite;
  how.run.resume = !o.overwrite && findResult(e.output).state == FoundResult::State::Unfinished;
  std::vector<FileUse> inputs;
  for (const std::string &file : o.shares)
    inputs.push_back({"a share", file});
  checkOutputs(inputs, {{"the result", e.output}});
  checkOutputs(e, how.schedules, "", "");
  jobOf(e, how, host.ranks)->run();
}

} // namespace

void addMergeCommand(Command app, const Host &host) {
  Command c = app.command("merge", "join the shares of a run (facet run --array) and measure the "
                                   "error: facet merge result.*-of-3.h5 -o result.h5");
  const auto o = std::make_shared<MergeOptions>();
  c.option("shares", o->shares, "all shares of one run").required();
  c.option("-o,--output", o->output, "HDF5 file (that of the run)");
  c.option("--picture", o->picture, "PNG, SVG or PDF file, or none (beside the output)");
  c.option("--memory", o->memory, "allowed: 8GB (that of the run)");
  c.option("--threads", o->threads, "0: all").range(0, 100000);
  c.flag("--overwrite", o->overwrite, "discard what a stopped run had finished");
  c.flag("--compress", o->compress, "compress the file when it is finished");
  c.run([o, host] { mergeCommand(*o, host); });
}

} // namespace facet::cli
