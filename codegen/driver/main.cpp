// main.cpp - facetc: a kernel file in, any stage of its compilation out.
#include "driver.h"
#include "schedules/shown.h"
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <new>

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
  auto bounded = std::make_unique<driver::ResourceLimits>(options.input);
  if (options.emit == "check")
    return driver::check(options);
  const driver::Input input = driver::readInput(options);
  bounded.reset();
  driver::emitStage(options, input);
}

constexpr int badInput = 1, failed = 2; // exit codes, as those of facet

int fail(std::string_view message, int code) {
  // The reader's messages have a place and a caret of their own.
  fmt::print(stderr, "facetc: error: {}\n", schedules::shown(message));
  return code;
}

} // namespace

int main(int argc, char **argv) {
  if (const std::string_view first = argc > 1 ? argv[1] : "";
      first == "ld.lld" || first == "wasm-ld")
    return driver::linkObjects(argc - 1, argv + 1);
  driver::speakForLlvm();
  try {
    run(driver::parseOptions(argc, argv));
    return 0;
  } catch (const driver::ReportedError &) {
    return badInput;
  } catch (const lower::Unwritable &error) {
    return fail(error.message, failed);
  } catch (const ir::Error &error) {
    return fail(error.message, badInput);
  } catch (const std::bad_alloc &) {
    return fail("the memory is not enough for this kernel", failed);
  } catch (const std::filesystem::filesystem_error &error) {
    return fail(error.path1().string() + ": " + error.code().message(), failed);
  } catch (const std::exception &error) {
    return fail(error.what(), failed);
  }
}
