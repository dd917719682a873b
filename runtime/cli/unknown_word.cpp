// unknown_word.cpp - the first word of a command line that nobody knows, and the name nearest to
// it.
#include "runtime/cli/unknown_word.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::cli {
namespace {

using namespace facet::runtime;

std::vector<std::string> names(const CLI::App &app, const CLI::App &command, bool option) {
  std::vector<std::string> known;
  if (option)
    for (const CLI::Option *o : command.get_options())
      for (const std::string &name : o->get_lnames())
        known.push_back("--" + name);
  else
    for (const CLI::App *c : app.get_subcommands({}))
      known.push_back(c->get_name());
  return known;
}

/// "facet mesh make"
std::string calledName(const CLI::App *command) {
  std::string name = command->get_name();
  while ((command = command->get_parent()) != nullptr)
    name = command->get_name() + " " + name;
  return name;
}

} // namespace

void nameUnknown(const CLI::App &app) {
  const bool chosen = !app.get_subcommands().empty();
  const std::vector<std::string> left = app.remaining(true);
  const auto word = std::find_if(left.begin(), left.end(),
                                 [&](const auto &w) { return !chosen || w.starts_with("-"); });
  if (word == left.end())
    return;
  const bool option = word->starts_with("-");
  const CLI::App *command = &app;
  while (!command->get_subcommands().empty())
    command = command->get_subcommands().front();
  const std::string name = word->substr(0, word->find('='));
  const std::string near = nearest(name, names(app, *command, option));
  const std::string called = calledName(command);
  throw Error("", fmt::format("{} has no {} '{}'", called, option ? "option" : "command", name),
              fmt::format("{}{} --help lists them",
                          near.empty() ? "" : fmt::format("did you mean '{}'? ", near), called));
}

} // namespace facet::cli
