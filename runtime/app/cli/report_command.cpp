// report_command.cpp - facet report: a page of results.
#include "runtime/app/cli/command/commands.h"
#include "runtime/app/jobs/job.h"
#include "runtime/app/page/report/report.h"
#include "runtime/engine/system/files.h"
#include <facet/runtime/error.h>
#include <memory>

namespace facet::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> inputs;
  std::string output, title;
};

} // namespace

void addReportCommand(Command app, const Host &host) {
  auto options = std::make_shared<ReportOptions>();
  Command report = app.command(
      "report", "a page of results to look into: facet report RESULT.h5 [MORE.h5 ..] -o PAGE.html");
  report.option("results", options->inputs, "HDF5 files written by facet run, or of stopped runs")
      .required();
  report.option("-o,--output", options->output, "an .html file, which needs no network").required();
  report.option("--title", options->title, "instead of the first result's own");
  report.run([options, host] {
    if (!options->output.ends_with(".html"))
      throw runtime::Error(options->output, "the page ends with .html", "-o report.html");
    std::vector<runtime::FileUse> inputs;
    for (const std::string &input : options->inputs)
      inputs.push_back({"a result", input});
    runtime::keepApart(inputs, {{"the page", options->output}});
    page::writePage(page::reportOf(options->inputs, options->title), options->output);
    host.listener.report(options->output + "\n");
  });
}

} // namespace facet::cli
