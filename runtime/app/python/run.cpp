// run.cpp - facet's commands run, plot, report and explore in process for Python: words of a
// command line in, the interpreter's lock released while facet computes.
#include "runtime/app/cli/command/commands.h"
#include "runtime/app/cli/command/options.h"
#include "runtime/app/jobs/job.h"
#include "runtime/app/python/arrays.h"
#include "runtime/engine/system/stop_request.h"
#include <csignal>
#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace facet::runtime;

namespace facet::python {
namespace {

/// Keeps sentences for Python, which may make an exception of one. Reports are in the result.
class Ear final : public cli::Listener {
public:
  void note(const std::string &text) override { heard.push_back(text); }
  void warning(const std::string &text) override { heard.push_back("warning: " + text); }
  std::vector<std::string> heard;
};

void carryOut(const std::vector<std::string> &words, Ear &ear) {
  Communicator alone; // under mpirun, too, each Python makes runs of its own
  const cli::Host host{alone, ear};
  cli::CommandLine line("", "facet");
  cli::addRunCommand(line.root(), host);
  cli::addPlotCommand(line.root(), host);
  cli::addReportCommand(line.root(), host);
  cli::addExploreCommand(line.root());
  std::vector<std::string> all = words;
  all.insert(all.begin(), "facet");
  std::vector<char *> argv;
  for (std::string &word : all)
    argv.push_back(word.data());
  cli::readWords(line, static_cast<int>(argv.size()), argv.data(), true);
}

/// Hands a signal on that would have ended the process if no run had held it.
void handOn(int signal) {
  struct sigaction now{};
  if (signal != 0 && sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL)
    std::raise(signal);
}

/// Throws Error, or what Python makes of a signal or of a sentence that `say` gets.
void command(const std::vector<std::string> &words,
             const std::function<void(const std::string &)> &say) {
  Ear ear;
  std::optional<Failure> failed;
  {
    const nb::gil_scoped_release released;
    int signal = 0;
    {
      const StopRequest stop; // for what comes before the units and after them
      try {
        carryOut(words, ear);
      } catch (...) {
        failed = failure();
      }
      signal = StopRequest::signal();
    }
    handOn(signal);
  }
  if (PyErr_CheckSignals() != 0)
    throw nb::python_error();
  for (const std::string &text : ear.heard)
    say(text);
  if (failed)
    throw Error("", failed->message, "", failed->code);
}

} // namespace

void addRun(nb::module_ &m) { m.def("command", &command); }

} // namespace facet::python
