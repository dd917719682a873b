// options.cpp - the command line, read by the table options.def.
#include "codegen/driver/options/options.h"
#include "codegen/ir/ir.h"
#include "schedules/knobs.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <vector>

namespace facet::driver {

namespace {

struct Option {
  std::string Options::*member;
  std::string_view name, value, help;
};

constexpr Option table[] = {
#define FACET_OPTION(member, name, value, help) {&Options::member, name, value, help},
#include "codegen/driver/options/options.def"
};

/// A word as a shell takes it back.
std::string shellWord(const std::string &word) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view{"-_=./,:+@%"}.find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain))
    return word;
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  out += '\'';
  return out;
}

[[noreturn]] void unknown(const std::string &word) {
  std::string known;
  for (const Option &option : table)
    known += fmt::format("{}|", option.name);
  const std::string near = nearest(word, known);
  throw ir::Error{
      fmt::format("unknown option '{}'{}", word,
                  near.empty() ? "; see facetc --help" : fmt::format("; did you mean {}?", near)),
      {}};
}

} // namespace

std::string nearest(const std::string &word, const std::string &known) {
  std::string best;
  std::size_t fewest = word.size() / 3 + 2;
  for (std::size_t at = 0; at < known.size();) {
    const std::size_t end = std::min(known.find('|', at), known.size());
    const std::string candidate = known.substr(at, end - at);
    if (const auto n = schedules::edits(word, candidate); !candidate.empty() && n < fewest) {
      fewest = n;
      best = candidate;
    }
    at = end + 1;
  }
  return best;
}

int wholeNumber(const std::string &option, const std::string &text, int least) {
  int value = 0;
  const char *end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc{} || result.ptr != end || value < least)
    throw ir::Error{
        fmt::format("{}={}: it needs a whole number of at least {}", option, text, least), {}};
  return value;
}

Options parseOptions(int argc, char **argv) {
  Options options;
  const std::vector<std::string> words(argv, argv + argc);
  for (const std::string &word : words)
    options.commandLine +=
        fmt::format("{}{}", options.commandLine.empty() ? "" : " ", shellWord(word));
  for (std::size_t k = 1; k < words.size(); ++k) {
    const std::string &word = words[k];
    if (word.size() < 2 || word[0] != '-') {
      if (!options.input.empty())
        throw ir::Error{fmt::format("two input files: '{}' and '{}'", options.input, word), {}};
      options.input = word;
      continue;
    }
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const Option *found = std::find_if(std::begin(table), std::end(table),
                                       [&](const Option &option) { return option.name == name; });
    if (found == std::end(table))
      unknown(name);
    if (found->value.empty()) {
      if (equals != std::string::npos)
        throw ir::Error{fmt::format("{} takes no value", name), {}};
      (options.*found->member).assign(1, '1');
    } else if (equals != std::string::npos) {
      options.*found->member = word.substr(equals + 1);
    } else if (k + 1 < words.size()) {
      options.*found->member = words[++k];
    }
    if ((options.*found->member).empty())
      throw ir::Error{fmt::format("{} needs a value: {}", name, found->help), {}};
  }
  return options;
}

std::string helpText() {
  std::string out = "facetc - compiles form-factor kernels\n\n"
                    "usage: facetc FILE.cpp|FILE.fir [options]\n";
  const auto line = [&](std::string_view name, std::string_view value, std::string_view help) {
    const std::string left = fmt::format("{}{}{}", name,
                                         value.empty()      ? ""
                                         : name.size() == 2 ? " "
                                                            : "=",
                                         value);
    out += fmt::format("  {:<18} {}\n", left, help);
  };
#define FACET_GROUP(title) out += fmt::format("\n{}:\n", title);
#define FACET_OPTION(member, name, value, help) line(name, value, help);
#include "codegen/driver/options/options.def"
  return out;
}

} // namespace facet::driver
