// compare_command.cpp - facet compare: the images of a result beside those that were measured.
#include "runtime/app/cli/command/commands.h"
#include "runtime/app/jobs/job.h"
#include "runtime/engine/system/files.h"
#include "runtime/scattering/derive/comparison.h"
#include <fmt/format.h>
#include <memory>

namespace facet::cli {
namespace {

struct CompareOptions {
  std::string result, data, picture;
  bool linear = false;
  runtime::ComparisonOptions how;
  runtime::PictureOptions look;
};

Lines comparisonLines(const runtime::Comparison &comparison) {
  Lines lines;
  const auto chi2 = [](double sum, double points) {
    return fmt::format("{:.6g} of {:.0f} pixels, {:.4g} each", sum, points, sum / points);
  };
  add(lines, "compared",
      fmt::format("{:.0f} pixels, {:.0f} left out", comparison.points, comparison.leftOut));
  if (comparison.scaleError > 0)
    add(lines, "scale", fmt::format("{:.8g} +- {:.2g}", comparison.scale, comparison.scaleError));
  if (comparison.backgroundError > 0)
    add(lines, "background",
        fmt::format("{:.8g} +- {:.2g}", comparison.background, comparison.backgroundError));
  add(lines, "chi^2", chi2(comparison.chi2, comparison.points));
  for (const runtime::ComparedImage &image : comparison.images)
    if (comparison.images.size() > 1)
      add(lines, "", image.group + ": " + chi2(image.chi2, image.points));
  return lines;
}

} // namespace

void addCompareCommand(Command app, const Host &host) {
  auto options = std::make_shared<CompareOptions>();
  options->look.width = 900;
  Command compare = app.command(
      "compare", "set a result beside what was measured: facet compare RESULT.h5 DATA.h5");
  compare.option("result", options->result, "an HDF5 file written by facet run, with images")
      .required();
  compare
      .option("data", options->data,
              "HDF5 with I and sigma of the same images, as --gradient-of takes it")
      .required();
  compare.option("-o,--output", options->picture,
                 "a picture of both and of the residuals: .png, .svg or .pdf");
  compare.flag("--scale", options->how.scale, "find a scale of what was computed");
  compare.flag("--background", options->how.background, "find a background");
  compare.flag("--counts", options->how.counts,
               "without sigma: these are counts, and it is their root, 1 at least");
  compare.option("--decades", options->look.decades, "of the logarithmic scale, 6 if not given");
  compare.flag("--linear", options->linear, "a linear scale");
  compare.run([options, host] {
    options->look.log = !options->linear;
    if (!options->picture.empty())
      runtime::keepApart({{"the result", options->result}, {"the data", options->data}},
                         {{"the picture", options->picture}});
    const runtime::Comparison found =
        runtime::compareImages(options->result, options->data, options->how);
    Lines lines = comparisonLines(found);
    if (!options->picture.empty())
      for (const std::string &file :
           runtime::drawComparison(found, options->picture, options->look))
        add(lines, "picture", file);
    host.listener.report(lines);
  });
}

} // namespace facet::cli
