// command.cpp - the command line by CLI11.
#include "runtime/app/cli/command/command.h"
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
Option Option::takes(int words) { return Option(option_->delimiter(',')->expected(words)); }
Option Option::oneEach() { return Option(option_->allow_extra_args(false)); }
Option Option::commas() { return Option(option_->delimiter(',')->allow_extra_args(false)); }

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

/// The command that was chosen, and as what it is known.
std::pair<const CLI::App *, std::string> chosenOf(const CLI::App &app) {
  const CLI::App *command = &app;
  std::string called = app.get_name();
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    called += " " + command->get_name();
  }
  return {command, called};
}

/// The first unknown word, after a command line was refused.
std::optional<Unknown> unknownOf(const CLI::App &app) {
  const auto [command, called] = chosenOf(app);
  Unknown found{called, "", "", {}};
  const std::vector<std::string> left = app.remaining(true);
  const auto word = std::ranges::find_if(
      left, [&, of = command](const std::string &w) { return of == &app || w.starts_with("-"); });
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

/// What is wrong with the value of an option, in the place of the parser's own words.
std::string wrongValue(const CLI::ParseError &e, const CLI::Option &option) {
  const std::vector<std::string> &given = option.results();
  const std::string last = given.empty() ? "" : given.back(), type = option.get_type_name();
  if (dynamic_cast<const CLI::RequiredError *>(&e) != nullptr)
    return "is missing";
  if (dynamic_cast<const CLI::RequiresError *>(&e) != nullptr)
    return std::string(e.what()).substr(option.get_name().size() + 1);
  if (dynamic_cast<const CLI::ArgumentMismatch *>(&e) != nullptr) {
    const int takes = option.get_items_expected_min();
    if (given.empty())
      return "its value is missing";
    return takes == 1 ? "is given " + std::to_string(given.size()) + " times"
                      : "takes " + std::to_string(takes) + " numbers, and got " +
                            std::to_string(given.size());
  }
  const bool number = !last.empty() && last.find_first_not_of("+-0123456789.eE") == last.npos;
  if (type.starts_with("INT") || type.starts_with("UINT") || type.starts_with("FLOAT"))
    if (!number)
      return "'" + last + "' is no " + (type.starts_with("FLOAT") ? "number" : "whole number");
  const std::string text = e.what();
  const std::size_t range = text.find("not in ");
  return "'" + last + "' is " + (range == text.npos ? "no value of it" : text.substr(range));
}

/// What is wrong with a command line whose words are known, and what to write.
UsageError wrongOf(const CLI::ParseError &e, const CLI::App &app) {
  const auto [command, called] = chosenOf(app);
  const std::string text = e.what(), list = called + " --help lists ";
  for (const CLI::Option *option : command->get_options()) {
    const std::string name = option->get_name();
    if (!text.starts_with(name + ":") && !text.starts_with(name + " ") &&
        text.find(" " + name + " =") == text.npos)
      continue;
    const std::string type = option->get_type_name();
    return {called, name + ": " + wrongValue(e, *option),
            "write " + name + (name.starts_with("-") ? " " + type.substr(0, type.find(':')) : "") +
                ": " + option->get_description()};
  }
  if (const auto left = command->remaining(); !left.empty())
    return {called, "it takes no further word '" + left.front() + "'", list + "what it takes"};
  if (dynamic_cast<const CLI::RequiredError *>(&e) != nullptr)
    return {called, "a command is missing", list + "them"};
  return {called, text, list + "what it takes"};
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
                      const std::function<void(const UsageError &)> &wrong, bool quiet) {
  try {
    app_->parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError &e) {
    if (e.get_exit_code() != 0 && unknown)
      if (const std::optional<Unknown> word = unknownOf(*app_))
        unknown(*word);
    if (e.get_exit_code() != 0 && wrong)
      wrong(wrongOf(e, *app_));
    std::ostringstream none;
    return quiet ? app_->exit(e, none, none) : app_->exit(e);
  }
}

} // namespace facet::cli
