// command.cpp - the command line by CLI11.
#include "runtime/cli/command/command.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <sstream>

namespace facet::cli {

Option Option::required() { return Option(option_->required()); }
Option Option::range(std::int64_t least, std::int64_t most) {
  return Option(option_->check(CLI::Range(least, most)));
}
Option Option::positive() { return Option(option_->check(CLI::PositiveNumber)); }
Option Option::oneOf(const std::vector<std::string> &words) {
  return Option(option_->check(CLI::IsMember(words)));
}
Option Option::takes(int words) { return Option(option_->expected(words)); }
Option Option::oneEach() { return Option(option_->allow_extra_args(false)); }
Option Option::commas() { return Option(option_->delimiter(',')->allow_extra_args(false)); }
Option Option::needs(const Option &other) { return Option(option_->needs(other.option_)); }

Command Command::command(const std::string &name, const std::string &doc) {
  return Command(app_->add_subcommand(name, doc));
}

template <class T>
Option Command::option(const std::string &names, T &value, const std::string &doc) {
  return Option(app_->add_option(names, value, doc));
}
template Option Command::option(const std::string &, std::string &, const std::string &);
template Option Command::option(const std::string &, double &, const std::string &);
template Option Command::option(const std::string &, std::int32_t &, const std::string &);
template Option Command::option(const std::string &, std::uint32_t &, const std::string &);
template Option Command::option(const std::string &, std::int64_t &, const std::string &);
template Option Command::option(const std::string &, std::uint64_t &, const std::string &);
template Option Command::option(const std::string &, std::vector<std::string> &,
                                const std::string &);
template Option Command::option(const std::string &, std::vector<double> &, const std::string &);

void Command::flag(const std::string &names, bool &value, const std::string &doc) {
  app_->add_flag(names, value, doc);
}
void Command::footer(const std::string &text) {
  const std::string before = app_->get_footer();
  app_->footer(before.empty() ? text : before + "\n" + text);
}
void Command::needsCommand(int least, int most) {
  app_->require_subcommand(static_cast<std::size_t>(least), static_cast<std::size_t>(most));
}
void Command::run(std::function<void()> what) { app_->callback(std::move(what)); }
void Command::before(std::function<void()> what) {
  app_->preparse_callback([what = std::move(what)](std::size_t) { what(); });
}

bool Command::chosen() const { return app_->parsed(); }
std::string Command::name() const { return app_->get_name(); }
std::vector<Command> Command::commands() const {
  std::vector<Command> all;
  for (CLI::App *command : app_->get_subcommands([](CLI::App *) { return true; }))
    all.emplace_back(command);
  return all;
}

namespace {

/// The first unknown word, after a command line was refused.
std::optional<Unknown> unknownOf(const CLI::App &app) {
  const CLI::App *command = &app;
  Unknown found{app.get_name(), "", "", {}};
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    found.called += " " + command->get_name();
  }
  const std::vector<std::string> left = app.remaining(true);
  const auto word = std::ranges::find_if(
      left, [&](const std::string &w) { return command == &app || w.starts_with("-"); });
  if (word == left.end())
    return {};
  found.word = word->substr(0, word->find('='));
  found.kind = word->starts_with("-") ? "option" : "command";
  if (found.kind == "command")
    for (const CLI::App *known : app.get_subcommands([](const CLI::App *) { return true; }))
      found.names.push_back(known->get_name());
  else
    for (const CLI::Option *option : command->get_options())
      for (const std::string &name : option->get_lnames())
        found.names.push_back("--" + name);
  return found;
}

} // namespace

CommandLine::CommandLine(const std::string &doc, const std::string &name,
                         const std::string &version)
    : app_(std::make_unique<CLI::App>(doc, name)) {
  if (!version.empty())
    app_->set_version_flag("--version", version);
}
CommandLine::~CommandLine() = default;

int CommandLine::read(int argc, char **argv, const std::function<void(const Unknown &)> &unknown,
                      bool quiet) {
  try {
    app_->parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError &e) {
    if (e.get_exit_code() != 0 && unknown)
      if (const std::optional<Unknown> word = unknownOf(*app_))
        unknown(*word);
    std::ostringstream none;
    return quiet ? app_->exit(e, none, none) : app_->exit(e);
  }
}

} // namespace facet::cli
