// tune_command.cpp - facet tune: finds the knobs of kernels on this machine and keeps them.
#include "runtime/cli/command/commands.h"
#include "runtime/cli/tune/tune.h"
#include "runtime/files/clock.h"
#include "runtime/files/files.h"
#include "runtime/files/stop_request.h"
#include "runtime/tuning/heat_map.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <facet/runtime/error.h>
#include <facet/runtime/output.h>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace facet::cli {
namespace {

using namespace facet::runtime;

/// One line with rate and time left, on a terminal only; and Ctrl-C.
class TuneBar {
public:
  struct Stopped {};
  explicit TuneBar(std::size_t jobs) : jobs_(jobs) {}

  /// Throws Stopped after Ctrl-C.
  void show(std::size_t job, const std::string &name, const TuneProgress &p) {
    if (stopped())
      throw Stopped{};
    if (job != std::exchange(job_, job))
      before_ = trials_;
    trials_ = before_ + p.done;
    if (!terminal_)
      return;
    const double seconds = watch_.seconds();
    // Jobs are taken to be alike.
    const double own = p.expected > 0 ? std::min(1.0, static_cast<double>(p.done) / p.expected) : 0;
    const double part = (static_cast<double>(job) + own) / static_cast<double>(jobs_);
    constexpr int width = 20;
    std::string line = fmt::format("[{:<{}}] {}/{} {}: {}",
                                   std::string(static_cast<std::size_t>(part * width), '='), width,
                                   job + 1, jobs_, name, p.step);
    if (p.best > 0)
      line += fmt::format(", best {:.2e} TQP/s", p.best);
    line += fmt::format(", {:.0f} trials/s", trials_ / std::max(seconds, 1e-3));
    if (part > 0.02)
      line += fmt::format(", {:.0f} s left", seconds * (1 - part) / part);
    fmt::print(stderr, "\r{:<110.110}", line);
    std::fflush(stderr);
    shown_ = true;
  }
  /// Wipes the line.
  void end() {
    if (std::exchange(shown_, false))
      fmt::print(stderr, "\r{:110}\r", "");
  }
  /// Whether Ctrl-C was pressed, or a signal to end has come, since the bar was made.
  static bool stopped() { return StopRequest::signal() != 0; }

private:
  StopRequest request_;
  Stopwatch watch_;
  std::size_t jobs_;
  bool terminal_ = isatty(STDERR_FILENO) != 0, shown_ = false;
  int trials_ = 0, before_ = 0; // of the jobs done and the current one; of the jobs done
  std::size_t job_ = 0;
};

/// Everything that can be said before minutes of work.
void checkFirst(const TuneOptions &o, const std::string &file) {
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

TuneResult tuneOne(const Job &job, std::size_t index, TuneBar &bar) {
  TuneRequest request = job.request;
  request.progress = [&](const TuneProgress &p) { bar.show(index, job.name, p); };
  try {
    return tune(request);
  } catch (const Error &) { // Ctrl-C ends facetc too, which is then missed
    if (TuneBar::stopped())
      throw TuneBar::Stopped{};
    throw;
  }
}

void finish(const TuneOptions &o, const std::vector<TuneResult> &results, const std::string &file) {
  if (results.empty())
    return;
  printTable(results);
  fmt::print("schedules  {}\n", file);
  if (!o.json.empty()) {
    writeTuneJson(results, o.json);
    fmt::print("json       {}\n", o.json);
  }
  if (o.picture != "none") {
    writeHeatMap(results, o.picture);
    fmt::print("picture    {}\n", o.picture);
  }
  std::fflush(stdout); // before an error is said
}

void tuneCommand(const TuneOptions &o) {
  const std::string file = o.output.empty() ? schedulesPath() : o.output;
  checkFirst(o, file);
  const std::vector<Job> jobs = jobsOf(o);
  std::vector<TuneResult> results;
  TuneBar bar(jobs.size());
  const auto end = [&] {
    bar.end();
    finish(o, results, file);
  };
  try {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      results.push_back(tuneOne(jobs[i], i, bar));
      mergeSchedules(file, {results.back().tuned}); // at once: nothing found is lost
    }
  } catch (const TuneBar::Stopped &) {
    end();
    throw Error("facet tune",
                fmt::format("stopped after {} of {} variants; what was found is kept",
                            results.size(), jobs.size()),
                "", Exit::Failed);
  } catch (...) {
    end();
    throw;
  }
  end();
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
