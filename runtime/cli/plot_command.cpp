// plot_command.cpp - facet plot: a picture of a result.
#include "runtime/cli/commands.h"
#include <cstdio>
#include <facet/runtime/output.h>
#include <memory>

namespace facet::cli {

void addPlotCommand(CLI::App &app) {
  struct Options {
    std::string input, output, title;
    bool linear = false;
    runtime::PictureOptions picture;
  };
  auto options = std::make_shared<Options>();
  CLI::App *plot = app.add_subcommand("plot", "draw a result: facet plot RESULT.h5 -o PICTURE.png");
  plot->add_option("result", options->input, "an HDF5 file written by facet run")->required();
  plot->add_option("-o,--output", options->output, "a .png or .svg")->required();
  plot->add_option("--title", options->title, "instead of the result's own");
  plot->add_option("--quantity", options->picture.quantity,
                   "|F|^2 (default), |F|, re, im or phase");
  plot->add_option("--decades", options->picture.decades,
                   "of the logarithmic scale, 6 if not given");
  plot->add_flag("--linear", options->linear, "a linear scale");
  plot->add_option("--width", options->picture.width, "pixels")->check(CLI::Range(400, 8000));
  plot->add_option("--height", options->picture.height, "pixels")->check(CLI::Range(300, 8000));
  plot->callback([options] {
    runtime::Result result = runtime::readHdf5(options->input);
    if (!options->title.empty())
      result.title = options->title;
    options->picture.log = !options->linear;
    runtime::writePicture(result.output(), options->output, options->picture);
    std::printf("%s\n", options->output.c_str());
  });
}

} // namespace facet::cli
