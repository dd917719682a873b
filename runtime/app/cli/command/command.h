// command.h - a command line: commands, their options, and what becomes of the words. CLI11, which
// takes seconds to compile, is seen by command.cpp alone.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace facet::cli {

/// An option, or a word that is known by its place.
class Option {
public:
  explicit Option(CLI::Option *option) : option_(option) {}
  Option required();
  Option range(std::int64_t least, std::int64_t most);
  Option positive();
  Option oneOf(const std::vector<std::string> &words);
  /// It takes so many words.
  Option takes(int words);
  /// A list takes one word each time that the option is named.
  Option oneEach();
  /// Takes several words as one, with commas between them; takes(n): as n words too.
  Option commas();

private:
  CLI::Option *option_;
};

/// A command; copies stand for the same command.
class Command {
public:
  explicit Command(CLI::App *app) : app_(app) {}
  Command command(const std::string &name, const std::string &doc);
  /// T: a std::string, a double, an integer of 32 or 64 bits, a list of strings or doubles.
  template <class T> Option option(const std::string &names, T &value, const std::string &doc = "");
  void flag(const std::string &names, bool &value, const std::string &doc = "");
  /// Adds text below the command's help, and below text that was added before.
  void footer(const std::string &text);
  /// At least `least` and at most `most` of its commands have to be chosen.
  void needsCommand(int least, int most);
  /// Calls `what` if the command is chosen, when all words are read; before(): before its own are.
  void run(std::function<void()> what);
  void before(std::function<void()> what);

  bool chosen() const;
  std::string name() const;
  std::vector<Command> commands() const;

private:
  CLI::App *app_;
};

/// A word that is the name of no command or option, and the names there are.
struct Unknown {
  std::string called; // the command, "facet mesh make"
  std::string kind;   // "command" or "option"
  std::string word;
  std::vector<std::string> names;
};

/// A command line that the parser refuses though it knows its words.
struct UsageError {
  std::string called; // the command, "facet run"
  std::string what;   // "--threads: 'x' is no whole number"
  std::string help;   // what to write
};

/// The commands and options of a program.
class CommandLine {
public:
  CommandLine(const std::string &doc, const std::string &name, const std::string &version = "");
  ~CommandLine();
  CommandLine(CommandLine &&) = delete;
  Command root() { return Command(app_.get()); }
  /// Reads the words and runs what is chosen; prints help, or what is wrong. Returns the exit code.
  /// Before anything is printed of an error `unknown` gets the first unknown word, else `wrong`
  /// what is wrong; both may throw. `quiet`: nothing is printed.
  int read(int argc, char **argv, const std::function<void(const Unknown &)> &unknown = {},
           const std::function<void(const UsageError &)> &wrong = {}, bool quiet = false);

private:
  std::unique_ptr<CLI::App> app_;
};

} // namespace facet::cli
