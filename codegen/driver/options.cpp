// options.cpp - the command line, read by the table options.def; its words to variants, targets and
// passes.
#include "options.h"
#include "codegen/passes/forms.h"
#include "schedules/knobs.h"
#include "schedules/targets.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <sstream>

namespace facet::driver {

namespace {

struct Option {
  std::string Options::*member;
  std::string_view name, value, help;
};

constexpr Option table[] = {
#define FACET_OPTION(member, name, value, help) {&Options::member, name, value, help},
#include "codegen/driver/options.def"
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
  std::vector<std::string_view> known;
  for (const Option &option : table)
    known.push_back(option.name);
  const std::string_view near = schedules::nearest(word, known);
  throw ir::Error{
      fmt::format("unknown option '{}'{}", word,
                  near.empty() ? "; see facetc --help" : fmt::format("; did you mean {}?", near)),
      {}};
}

std::vector<std::string> words(const std::string &text, char separator) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, separator);)
    if (!word.empty())
      out.push_back(word);
  return out;
}

/// The values that a comma-separated list names; "all": every one.
template <class T, std::size_t N>
std::vector<T> pick(std::string_view option, const std::string &text, const Word<T> (&known)[N]) {
  std::vector<T> out;
  const auto add = [&](const T &value) {
    if (std::find(out.begin(), out.end(), value) == out.end())
      out.push_back(value);
  };
  for (const std::string &word : words(text, ',')) {
    bool found = false;
    std::string names;
    for (const auto &[name, value] : known) {
      names += fmt::format(" {},", name);
      if (word == name || word == "all") {
        add(value);
        found = true;
      }
    }
    if (!found)
      throw ir::Error{fmt::format("{}={}: unknown '{}'; known:{} all", option, text, word, names),
                      {}};
  }
  if (out.empty())
    throw ir::Error{fmt::format("{}={}: nothing is asked for", option, text), {}};
  return out;
}

template <class T> T only(const std::vector<T> &values, std::string_view option) {
  if (values.size() != 1)
    throw ir::Error{fmt::format("this stage is of one variant: choose one with {}", option), {}};
  return values.front();
}

/// "all": the targets of this machine's architecture; others are compiled if they are named.
std::vector<std::string> pickTargets(const std::string &text) {
  std::vector<std::string> out;
  const auto add = [&](std::string_view name) {
    if (!name.empty() && std::find(out.begin(), out.end(), name) == out.end())
      out.emplace_back(name);
  };
  for (const std::string &word : words(text, ',')) {
    std::string known;
    for (const schedules::TargetInfo &target : schedules::targetTable()) {
      known += fmt::format(" {},", target.name);
      if (word == target.name || (word == "all" && schedules::isOfHost(target)))
        add(target.name);
    }
    if (word == "native")
      add(nativeTarget());
    else if (word != "all" && !schedules::findTarget(word))
      throw ir::Error{
          fmt::format("--targets={}: unknown '{}'; known:{} native, all", text, word, known), {}};
  }
  return out;
}

} // namespace

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
#include "codegen/driver/options.def"
  return out;
}

std::string nativeTarget() {
  std::string best;
  for (const schedules::TargetInfo &target : schedules::targetTable())
    if (schedules::runsHere(target))
      best = target.name;
  return best;
}

passes::Variant Choice::variant() const {
  passes::Variant variant{only(grids, "--grid"), only(complexQ, "--q"), only(classes, "--class")};
  variant.algorithm = only(algorithms, "--algorithms");
  variant.nodes = means && variant.algorithm != passes::Algorithm::Direct;
  if (variant.algorithm == passes::Algorithm::Separable &&
      variant.klass == passes::Class::F32Careful)
    throw ir::Error{"--class=f32-careful: a separable sum is f32 or f64; it forms its tables in "
                    "double in both",
                    {}};
  if (variant.algorithm == passes::Algorithm::Separable)
    variant.grid = ir::GridKind::Product;
  if (variant.algorithm == passes::Algorithm::Nufft) {
    variant.grid = ir::GridKind::Points;
    variant.klass = passes::Class::F64;
  }
  return variant;
}

const std::string &Choice::target() const {
  only(targets, "--targets");
  return targets.front();
}

Choice choose(const Options &options, const ir::Kernel &kernel, bool everything) {
  const bool complexFile = std::any_of(kernel.axes.begin(), kernel.axes.end(),
                                       [](auto &axis) { return axis.type == ir::Type::Cplx; });
  const auto word = [&](const std::string &given, const char *single) {
    return !given.empty() ? given : everything ? "all" : single;
  };
  Choice choice;
  choice.means = passes::hasMeans(kernel);
  choice.grids =
      pick("--grid", word(options.grid, kernel.grid == ir::GridKind::Points ? "points" : "product"),
           gridWords);
  choice.complexQ = pick<bool, 2>("--q", word(options.q, complexFile ? "cplx" : "real"),
                                  {{"real", false}, {"cplx", true}});
  if (!complexFile) {
    if (options.q == "cplx")
      throw ir::Error{fmt::format("--q=cplx: every component of q is real in kernel '{}': write "
                                  "cplx in its Grid",
                                  kernel.name),
                      {}};
    choice.complexQ = {false};
  }
  choice.classes = pick("--class", word(options.klass, "f32"), classWords);
  using passes::Algorithm;
  const std::string algorithms = word(options.algorithms, "direct");
  choice.algorithms = pick<Algorithm, 3>("--algorithms", algorithms,
                                         {{"direct", Algorithm::Direct},
                                          {"separable", Algorithm::Separable},
                                          {"nufft", Algorithm::Nufft}});
  choice.insist = algorithms.find("all") == std::string::npos;

  choice.targets = pickTargets(word(options.targets, "native"));
  if (choice.targets.empty())
    throw ir::Error{"--targets=native: this CPU has none of the targets facet compiles for", {}};
  return choice;
}

passes::PipelineOptions pipelineOptions(const Options &options) {
  passes::PipelineOptions out;
#ifdef FACET_CHECK_PASSES
  out.check = true;
#else
  out.check = !options.checkPasses.empty();
#endif
  out.only = options.only;
  if (options.after != "all")
    out.after = options.after;
  return out;
}

} // namespace facet::driver
