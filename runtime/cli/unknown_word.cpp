// unknown_word.cpp - the first word of a command line that nobody knows, and the name nearest to
// it.
#include "runtime/cli/unknown_word.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::cli {
namespace {

using namespace facet::runtime;

std::vector<std::string> namesOf(const std::vector<Command> &commands) {
  std::vector<std::string> names;
  for (const Command &command : commands)
    names.push_back(command.name());
  return names;
}

} // namespace

void nameUnknown(const Command &app) {
  Command command = app;
  while (!command.chosenCommands().empty())
    command = command.chosenCommands().front();
  const bool chosen = !app.chosenCommands().empty();
  const std::vector<std::string> left = app.left();
  const auto word = std::find_if(left.begin(), left.end(),
                                 [&](const auto &w) { return !chosen || w.starts_with("-"); });
  if (word == left.end())
    return;
  const bool option = word->starts_with("-");
  const std::string name = word->substr(0, word->find('='));
  const std::string near = nearest(name, option ? command.longOptions() : namesOf(app.commands()));
  const std::string called = command.called();
  throw Error("", fmt::format("{} has no {} '{}'", called, option ? "option" : "command", name),
              fmt::format("{}{} --help lists them",
                          near.empty() ? "" : fmt::format("did you mean '{}'? ", near), called));
}

} // namespace facet::cli
