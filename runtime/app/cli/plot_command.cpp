// plot_command.cpp - facet plot: pictures of a result.
#include "runtime/app/cli/command/commands.h"
#include "runtime/app/jobs/job.h"
#include "runtime/engine/system/files.h"
#include "runtime/scattering/output/pictures.h"
#include <facet/runtime/error.h>
#include <memory>

namespace facet::cli {
namespace {

struct PlotOptions {
  std::string input, output;
  bool linear = false;
  runtime::ResultPictures picture;
};

/// Throws Error for what the result has no pictures of.
void check(const PlotOptions &o) {
  const bool isF = runtime::holdsF(o.input);
  if (isF && !(o.picture.axes.empty() && o.picture.groups.empty()))
    throw runtime::Error(o.picture.axes.empty() ? "--group" : "--axes",
                         "is of whole experiments: this result is F on one grid", "leave it out");
  if (!isF && o.picture.options.quantity != "|F|^2")
    throw runtime::Error("--quantity", "is of F on one grid: this result's pictures are of I",
                         "leave it out; silx view shows complex amplitudes");
}

} // namespace

void addPlotCommand(Command app, const Host &host) {
  auto options = std::make_shared<PlotOptions>();
  runtime::PictureOptions &picture = options->picture.options;
  Command plot = app.command("plot", "draw a result: facet plot RESULT.h5 -o PICTURE.png");
  plot.option("result", options->input, "an HDF5 file written by facet run").required();
  plot.option("-o,--output", options->output,
              "a .png, .svg or .pdf; several pictures add to its name")
      .required();
  plot.option("--title", options->picture.title, "instead of the result's own");
  plot.option("--quantity", picture.quantity,
              "of F on a grid: |F|^2 (default), |F|, re, im or phase");
  plot.option("--axes", options->picture.axes,
              "of a detector's image: pixels, angles or q; as the experiment has it if not "
              "given")
      .oneOf({"pixels", "angles", "q"});
  plot.option("--group", options->picture.groups,
              "of a whole experiment: only these, image_2, cut_NAME or orientation");
  plot.option("--decades", picture.decades, "of the logarithmic scale, 6 if not given");
  plot.flag("--linear", options->linear, "a linear scale");
  plot.option("--width", picture.width, "pixels").range(400, 8000);
  plot.option("--height", picture.height, "pixels").range(300, 8000);
  plot.run([options, host] {
    options->picture.options.log = !options->linear;
    runtime::keepApart({{"the result", options->input}}, {{"the picture", options->output}});
    check(*options);
    for (const std::string &file :
         runtime::writeResultPictures(options->input, options->output, options->picture))
      host.listener.report(file + "\n");
  });
}

} // namespace facet::cli
