// main.cpp - facetc: a kernel file in, any stage of its compilation out.
#include "codegen/driver/options/options.h"
#include "codegen/ir/ir.h"
#include "input.h"
#include "output.h"
#include "serve/serve.h"
#include "stages.h"
#include <exception>
#include <fmt/format.h>

using namespace facet;

namespace {

void run(const driver::Options &options) {
  if (!options.help.empty())
    return driver::writeText("", driver::helpText());
  if (!options.listPasses.empty())
    return driver::writeText(options.output, driver::passLists());
  if (!options.printOps.empty())
    return driver::writeText(options.output, driver::opsTable());
  if (!options.serve.empty())
    return driver::serve(options);
  if (!options.printKnobs.empty())
    return driver::writeText(options.output, driver::knobsTable());
  if (options.emit == "ceilings")
    return driver::emitCeilings(options);
  driver::emitStage(options, driver::readInput(options.input, options.kernel));
}

int fail(std::string_view message) {
  // The reader's messages have a place and a caret of their own.
  fmt::print(stderr, "facetc: error: {}\n", message);
  return 1;
}

} // namespace

int main(int argc, char **argv) {
  try {
    run(driver::parseOptions(argc, argv));
    return 0;
  } catch (const driver::Told &) {
    return 1;
  } catch (const ir::Error &error) {
    return fail(error.message);
  } catch (const std::exception &error) {
    return fail(error.what());
  }
}
