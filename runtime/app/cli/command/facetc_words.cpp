// facetc_words.cpp - words of facetc's command line from those of facet's.
#include "runtime/app/cli/command/facetc_words.h"
#include "runtime/app/jobs/prepare.h"
#include "runtime/app/jobs/terminal.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/kernel/schedule.h"
#include <algorithm>
#include <facet/runtime/kernel.h>

namespace facet::cli {
using namespace facet::runtime;
namespace {

bool namesDevice(const std::string &list) {
  return std::any_of(targets().begin(), targets().end(), [&](const Target &t) {
    return !t.device.empty() && ("," + list + ",").find("," + t.name + ",") != std::string::npos;
  });
}

bool hasSchedule(const std::string &stage) {
  static constexpr const char *stages[] = {"library", "stmt", "llvm", "asm", "explore"};
  return std::ranges::find(stages, stage) != std::end(stages);
}

/// For a library all targets that the words mean, else one alone.
std::string targetsOf(const std::string &asked, const std::string &stage) {
  if (stage == "library")
    return buildTargets(asked);
  if (asked == "cuda" || asked == "auto")
    return buildTargets(asked).substr(0, buildTargets(asked).find(','));
  return asked;
}

} // namespace

std::vector<std::string> facetcWords(const StageRequest &asked, const std::string &stage) {
  const auto [file, name] = splitKernel(asked.kernel);
  std::vector<std::string> words{findFacetc(), findKernel(file), "--emit=" + stage};
  const auto add = [&](const char *option, const std::string &value) {
    if (!value.empty())
      words.push_back(option + value);
  };
  const std::string targets = targetsOf(asked.target, stage);
  add("--kernel=", name);
  add("--targets=", targets);
  add("--grid=", asked.grid);
  add("--q=", asked.q == "complex" ? "cplx" : asked.q);
  add("--class=", asked.klass);
  add("--algorithms=", asked.algorithm);
  Terminal terminal;
  if (hasSchedule(stage))
    if (const std::string json = schedulesJson(
            schedulesFor(asked.schedules, namesDevice(targets), terminal).held, "", asked.q);
        !json.empty())
      add("--schedules=", schedulesFile(json));
  return words;
}

} // namespace facet::cli
