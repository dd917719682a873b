// tune_command.cpp - facet tune: which variants are to be tuned, their tuning one after the other,
// and what is said of it. facet tune --list: schedule files and which of their entries hold here.
#include "runtime/app/cli/command/commands.h"
#include "runtime/app/cli/command/options.h"
#include "runtime/app/jobs/prepare.h"
#include "runtime/app/jobs/terminal.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/kernel/schedule.h"
#include "runtime/engine/system/files.h"
#include "runtime/engine/system/json.h"
#include "runtime/engine/system/places.h"
#include "runtime/engine/system/reader.h"
#include "runtime/engine/system/stop_request.h"
#include "runtime/engine/tune/tuner.h"
#include <algorithm>
#include <cstdio>
#include <exception>
#include <facet/runtime/error.h>
#include <facet/runtime/output.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace facet::cli {
namespace {

using namespace facet::runtime;

struct TuneOptions {
  std::vector<std::string> kernels, algorithms, classes;
  std::string target, grid, q = "real", output, picture = "tuning.png", json, schedules;
  double limit = 0; // seconds a variant; 0: the tuner's own
  bool exhaustive = false, list = false;
};

// What is to be tuned
// ---------------------------------------------------------------------------
/// One variant, with the words it is named by.
struct TuneJob {
  TuneRequest request;
  std::string name; // "born, direct, f32"
};

Json manifestOf(const std::string &file, const std::string &name, const TuneOptions &o) {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/manifest.json";
  std::vector<std::string> words{findFacetc(), file, "--emit=manifest", "--targets=" + o.target,
                                 "-o",         path};
  words.push_back(std::string("--q=") + (o.q == "complex" ? "cplx" : "real"));
  words.push_back("--algorithms=" +
                  (o.algorithms.empty() ? "all" : fmt::format("{}", fmt::join(o.algorithms, ","))));
  if (!o.grid.empty())
    words.push_back("--grid=" + o.grid);
  if (!name.empty())
    words.push_back("--kernel=" + name);
  runFacetc(words, true);
  std::string text;
  readFile(path, text);
  const Json json = parseJson(text);
  if (!json.is_object() || !json.contains("variants"))
    throw Error(file, "facetc wrote a manifest that cannot be read", "", Exit::Failed);
  return json;
}

bool has(const std::vector<std::string> &list, const std::string &word) {
  return std::ranges::find(list, word) != list.end();
}

/// Adds a kernel's jobs. Options are complete by now, but for the kernel's own grid and algorithms.
void add(std::vector<TuneJob> &jobs, const std::string &kernel, const TuneOptions &o) {
  const auto [spec, name] = splitKernel(kernel);
  const std::string file = findKernel(spec);
  if (std::filesystem::path(file).extension() == ".so")
    throw Error(kernel, "a kernel library cannot be tuned: it is compiled",
                "give the kernel's source");
  const Json manifest = manifestOf(file, name, o);
  const std::string grid = o.grid.empty() ? manifest["grid"].value("kind", "product") : o.grid;
  const std::size_t before = jobs.size();
  for (const Json &variant : manifest["variants"]) {
    const std::string algorithm = variant.value("algorithm", ""),
                      klass = variant.value("class", "");
    if (variant.value("grid", "") != grid || variant.value("q", "") != o.q ||
        !has(o.classes, klass) || (!o.algorithms.empty() && !has(o.algorithms, algorithm)))
      continue;
    jobs.push_back({{.file = file,
                     .kernel = name,
                     .algorithm = algorithmByName(algorithm),
                     .klass = classByName(klass),
                     .target = o.target,
                     .grid = gridByName(grid),
                     .q = qByName(o.q),
                     .exhaustive = o.exhaustive,
                     .limit = o.limit},
                    fmt::format("{}, {}, {}", manifest.value("name", spec), algorithm, klass)});
  }
  if (jobs.size() == before)
    throw Error(kernel,
                fmt::format("it has no sums for {} grids, {} q and class {}", grid, o.q,
                            fmt::join(o.classes, " or ")),
                "separable has product grids, and the classes f32 and f64");
}

/// What is to be tuned, in order: all that the named kernels allow, or else the default set. Gets
/// each kernel's manifest from facetc, so that what cannot be done is said before the work begins.
/// Throws Error for an unknown kernel, an algorithm it forbids (with the expression), no variant.
std::vector<TuneJob> jobsOf(const TuneOptions &options) {
  TuneOptions o = options;
  o.target = targetsFor(o.target).front();
  if (!o.grid.empty())
    gridByName(o.grid); // throws
  o.q = qName(qByName(o.q));
  for (const std::string &name : o.classes)
    classByName(name); // throws
  if (o.classes.empty())
    o.classes = {"f32", "f64"};
  for (const std::string &name : o.algorithms)
    checkTunable(algorithmByName(name));
  std::vector<TuneJob> jobs;
  for (const std::string &kernel : o.kernels)
    add(jobs, kernel, o);
  if (!o.kernels.empty())
    return jobs;
  // The kernels people meet first, by the algorithms that are theirs.
  if (o.grid.empty())
    o.grid = "product";
  for (const auto &[kernel, algorithm] : {std::pair{"born", "direct"},
                                          {"born", "separable"},
                                          {"exact", "direct"},
                                          {"surface", "separable"}})
    if (options.algorithms.empty() || has(options.algorithms, algorithm)) {
      o.algorithms = {algorithm};
      add(jobs, kernel, o);
    }
  return jobs;
}

// What was found
// ---------------------------------------------------------------------------
/// "tile_y 4 to 6, block_t 128 to 64"; "none" if the defaults are the best.
std::string changes(const TuneResult &r) {
  std::string text;
  for (const schedules::KnobInfo &knob : schedules::knobTable())
    if (const int from = r.initial.*knob.member, to = r.tuned.knobs.*knob.member; from != to)
      text += fmt::format("{}{} {} to {}", text.empty() ? "" : ", ", knob.name, from, to);
  return text.empty() ? "none" : text;
}

/// The knobs that have a meaning for the sum.
Json knobsJson(const TuneResult &r, const schedules::Knobs &knobs) {
  Json json;
  for (const schedules::KnobInfo &knob : schedules::knobTable())
    if (r.tuned.key.uses(knob))
      json[std::string(knob.name)] = knobs.*knob.member;
  return json;
}

/// What is said of an entry: its knobs, or why it is not used.
std::string show(const TunedEntry &entry, const Schedules &here) {
  const TunedEntry *used = here.find(entry.key); // an earlier file may have the variant
  const bool isHidden = used != nullptr && (used->from != entry.from || used->line != entry.line);
  if (!entry.refusal.empty() || isHidden)
    return "not used: " + (isHidden && entry.refusal.empty()
                               ? "another entry of this variant comes first"
                               : entry.refusal);
  return fmt::format(
      "{}, of {}",
      showKnobs(entry.knobs, entry.key.algorithm == "separable", isDeviceTarget(entry.key.target)),
      entry.date);
}

void printTable(const std::vector<TuneResult> &results) {
  std::size_t wide = 6;
  for (const TuneResult &r : results)
    wide = std::max(wide, r.tuned.key.kernel.size());
  terminal::print("{:<{}}  {:<9}  {:<11}  {:>9}  {:>9}  {:>5}  {:>6}  {:>5}  {}\n", "kernel", wide,
                  "algorithm", "class", "default", "tuned", "gain", "trials", "s", "knobs changed");
  for (const TuneResult &r : results)
    terminal::print(
        "{:<{}}  {:<9}  {:<11}  {:>9.3g}  {:>9.3g}  {:>5.2f}  {:>6}  {:>5.1f}  {}\n",
        r.tuned.key.kernel, wide, r.tuned.key.algorithm, r.tuned.key.klass, r.tuned.before,
        r.tuned.throughput, r.tuned.before > 0 ? r.tuned.throughput / r.tuned.before : 1.0,
        std::ranges::count_if(r.trials, [](const Trial &t) { return t.throughput > 0; }), r.seconds,
        changes(r));
}

void writeTuneJson(const std::vector<TuneResult> &results, const std::string &path) {
  Json all = Json::array();
  for (const TuneResult &r : results) {
    Json one;
    for (const auto &[word, member] : keyWords)
      one[word] = r.tuned.key.*member;
    one["knobs"] = knobsJson(r, r.tuned.knobs);
    one["default"] = knobsJson(r, r.initial);
    one["device"] = r.tuned.device;
    one["throughput"] = r.tuned.throughput;
    one["before"] = r.tuned.before;
    one["neighbours"] = r.tuned.neighbours;
    one["seconds"] = r.seconds;
    one["compile_seconds"] = r.compileSeconds;
    one["measure_seconds"] = r.measureSeconds;
    for (const schedules::Knobs &knobs : r.path)
      one["path"].push_back(knobsJson(r, knobs));
    for (const Trial &t : r.trials)
      one["trials"].push_back({{"step", t.step},
                               {"knobs", knobsJson(r, t.knobs)},
                               {"throughput", t.throughput},
                               {"skipped", t.skipped}});
    all.push_back(one);
  }
  const Json file{{"cpu", results.empty() ? "" : results[0].tuned.cpu},
                  {"unit", "TQP/s of one thread, or of a device"},
                  {"variants", all}};
  writeText(path, file.dump(1) + "\n");
}

/// `json`: the file for schedules that hold, as facetc --schedules reads them; "" for none.
void listSchedules(const std::string &asked, const std::string &json) {
  const std::vector<ScheduleFile> files = scheduleFiles(asked);
  const Schedules here = schedulesHere(asked, {});
  if (files.empty())
    terminal::print("schedules are turned off: every kernel has its default knobs\n");
  for (const ScheduleFile &file : files) {
    terminal::print("{}{}\n", file.path, file.shipped ? " (came with facet)" : "");
    for (const TunedEntry &entry : file.entries)
      terminal::print("  {}: {}\n", entry.key.text(), show(entry, here));
    for (const std::string &refused : file.refused)
      terminal::print("  {}\n", refused);
    if (file.entries.empty() && file.refused.empty())
      terminal::print("  no entries{}\n", file.shipped ? "" : " yet: facet tune makes them");
  }
  if (!json.empty())
    writeText(json, here.held.empty() ? "{\"schedules\": []}\n" : schedulesJson(here.held));
}

// Tuning
// ---------------------------------------------------------------------------
/// Thrown when Ctrl-C was pressed, or a signal to end has come.
struct TuneStop {};

/// "[=======     ] 2/5 born, direct, f32: registers, best 5.1e+09 TQP/s, 12 trials/s, 20 s left".
std::string barOf(std::size_t job, std::size_t jobs, const std::string &name, const TuneProgress &p,
                  int trials, double seconds) {
  // All jobs are assumed to take equally long.
  const double own = p.expected > 0 ? std::min(1.0, static_cast<double>(p.done) / p.expected) : 0;
  const double part = (static_cast<double>(job) + own) / static_cast<double>(jobs);
  constexpr int width = 20;
  std::string line =
      fmt::format("[{:<{}}] {}/{} {}: {}", std::string(static_cast<std::size_t>(part * width), '='),
                  width, job + 1, jobs, name, p.step);
  if (p.best > 0)
    line += fmt::format(", best {:.2e} TQP/s", p.best);
  line += fmt::format(", {:.0f} trials/s", trials / std::max(seconds, 1e-3));
  if (part > 0.02)
    line += fmt::format(", {:.0f} s left", seconds * (1 - part) / part);
  return line;
}

/// Throws Error for all that can be found wrong before minutes of work.
void checkFirst(const TuneOptions &o, const std::string &file) {
  if (o.target == "any")
    throw Error("target 'any'", "a target is tuned by itself", "name one of `facet machines`");
  if (file.empty())
    throw Error("facet tune", "there is no file to keep schedules in",
                "-o FILE, or set FACET_SCHEDULES to a file", Exit::Failed);
  std::vector<FileUse> inputs;
  for (const std::string &kernel : o.kernels)
    inputs.push_back({"a kernel", kernel});
  keepApart(inputs, {{"the schedules", file},
                     {"the picture", o.picture == "none" ? "" : o.picture},
                     {"the trials", o.json}});
  checkSchedulesWritable(file);
  if (!o.json.empty())
    const PendingFile trial(o.json);
  if (o.picture != "none")
    checkPicture(o.picture);
}

void finish(const TuneOptions &o, const std::vector<TuneResult> &results, const std::string &file) {
  if (results.empty())
    return;
  printTable(results);
  terminal::print("schedules  {}\n", file);
  if (!o.json.empty()) {
    writeTuneJson(results, o.json);
    terminal::print("json       {}\n", o.json);
  }
  if (o.picture != "none") {
    writeHeatMap(results, o.picture);
    terminal::print("picture    {}\n", o.picture);
  }
  std::fflush(stdout); // before an error is said
}

void tuneCommand(const TuneOptions &o) {
  const std::string file = o.output.empty() ? schedulesPath() : o.output;
  checkFirst(o, file);
  const std::vector<TuneJob> jobs = jobsOf(o);
  std::vector<TuneResult> results;
  const StopRequest request;
  const Stopwatch watch;
  Terminal terminal;
  int before = 0; // trials of the jobs done
  std::exception_ptr failed;
  try {
    for (const TuneJob &job : jobs) {
      TuneRequest one = job.request;
      int done = 0;
      one.progress = [&](const TuneProgress &p) {
        if (StopRequest::signal() != 0)
          throw TuneStop{};
        done = p.done;
        if (terminal.watches())
          terminal.line(
              barOf(results.size(), jobs.size(), job.name, p, before + done, watch.seconds()));
      };
      results.push_back(tune(one));
      before += done;
      mergeSchedules(file, {results.back().tuned}); // at once, so that nothing found is lost
    }
  } catch (...) {
    failed = std::current_exception();
  }
  terminal.end();
  finish(o, results, file);
  if (failed && StopRequest::signal() != 0) // Ctrl-C ends facetc too, which is then missed
    throw Error("facet tune",
                fmt::format("stopped after {} of {} variants; what was found is kept",
                            results.size(), jobs.size()),
                "", Exit::Failed);
  if (failed)
    std::rethrow_exception(failed);
}

} // namespace

void addTuneCommand(Command app) {
  Command c = app.command("tune", "find the fastest schedules of kernels on this machine");
  const auto o = std::make_shared<TuneOptions>();
  c.option("kernels", o->kernels, "kernel files or names (born, exact and surface)");
  c.option("--algorithm", o->algorithms, "direct, separable (all that the kernel allows)").commas();
  c.option("--class", o->classes, "f32, f32-careful, f64 (f32 and f64)").commas();
  c.option("--target", o->target,
           "a target of facet machines, cuda, opencl or auto (the best of this CPU)");
  c.option("--grid", o->grid, "product or points (what the kernel says)");
  c.option("--q", o->q, "real or complex (real)");
  c.option("-o,--output", o->output, "schedule file to add to (your own)");
  c.flag("--exhaustive", o->exhaustive, "try every candidate: minutes a variant");
  c.option("--limit", o->limit,
           "seconds a variant after which nothing new is tried (60; --exhaustive: 900)")
      .positive();
  c.option("--picture", o->picture, "PNG, SVG or PDF of what was explored, or none (tuning.png)");
  c.option("--json", o->json, "every trial as JSON; with --list: what holds, for facetc");
  c.flag("--list", o->list, "list schedules, which hold here, and why others do not");
  c.option("--schedules", o->schedules, "with --list: this file alone");
  c.footer("Without kernels: born (direct, separable), exact (direct), surface (separable).\n"
           "Ctrl-C keeps what is finished. docs/schedules.md says how it works.");
  c.run([o] { o->list ? listSchedules(o->schedules, o->json) : tuneCommand(*o); });
}

} // namespace facet::cli
