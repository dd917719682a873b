// options.cpp - the command line, read by the table options.def; its words, and those of tuned
// knobs, to variants, targets and passes.
#include "codegen/passes/forms.h"
#include "driver.h"
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
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
  for (const char c : word)
    out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + '\'';
}

[[noreturn]] void unknown(const std::string &word) {
  std::vector<std::string_view> known;
  for (const Option &option : table)
    known.push_back(option.name);
  const std::string_view near = schedules::nearest(word, known);
  throw ir::Error{
      fmt::format("unknown option '{}'{}", word,
                  near.empty() ? "; see facetc --help" : fmt::format("; did you mean {}?", near))};
}

std::vector<std::string> words(const std::string &text, char separator) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, separator);)
    if (!word.empty())
      out.push_back(word);
  return out;
}

/// A value by the word that options and tuned knobs have for it.
template <class T> struct Word {
  std::string_view word;
  T value;
  bool inAll = true; // one of those that "all" means
};
constexpr Word<ir::GridKind> gridWords[] = {{"product", ir::GridKind::Product},
                                            {"points", ir::GridKind::Points}};
constexpr Word<bool> qWords[] = {{"real", false}, {"cplx", true}};
constexpr Word<passes::Class> classWords[] = {{"f32", passes::Class::F32},
                                              {"f32-careful", passes::Class::F32Careful},
                                              {"f64", passes::Class::F64}};
constexpr Word<passes::Algorithm> algorithmWords[] = {{"direct", passes::Algorithm::Direct},
                                                      {"separable", passes::Algorithm::Separable},
                                                      {"nufft", passes::Algorithm::Nufft}};

/// The values that a comma-separated list names, each once; "all": every one.
template <class T>
std::vector<T> pick(std::string_view option, const std::string &text,
                    std::span<const Word<T>> known) {
  std::vector<T> out;
  for (const std::string &given : words(text, ',')) {
    bool found = given == "all";
    std::string names;
    for (const auto &[word, value, inAll] : known) {
      names += fmt::format(" {},", word);
      if (given != word && !(given == "all" && inAll))
        continue;
      found = true;
      if (std::ranges::find(out, value) == out.end())
        out.push_back(value);
    }
    if (!found)
      throw ir::Error{fmt::format("{}={}: unknown '{}'; known:{} all", option, text, given, names)};
  }
  if (out.empty())
    throw ir::Error{fmt::format("{}={}: nothing is asked for", option, text)};
  return out;
}

template <class T> T only(const std::vector<T> &values, std::string_view option) {
  if (values.size() != 1)
    throw ir::Error{fmt::format("this stage is of one variant: choose one with {}", option)};
  return values.front();
}

/// "all": the targets of this machine's architecture; others are compiled if they are named.
std::vector<std::string> pickTargets(const std::string &text) {
  std::vector<Word<std::string>> known;
  for (const schedules::TargetInfo &target : schedules::targetTable())
    known.push_back({target.name, std::string(target.name), schedules::isOfHost(target)});
  known.push_back({"native", nativeTarget(), false});
  std::vector<std::string> targets = pick<std::string>("--targets", text, known);
  std::erase(targets, "");
  if (targets.empty())
    throw ir::Error{"--targets=native: this CPU has none of the targets facet compiles for"};
  return targets;
}

} // namespace

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
        throw ir::Error{fmt::format("two input files: '{}' and '{}'", options.input, word)};
      options.input = word;
      continue;
    }
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    // One target may be written as facet writes it.
    const Option *found =
        std::ranges::find(table, name == "--target" ? "--targets" : name, &Option::name);
    if (found == std::end(table))
      unknown(name);
    if (found->value.empty()) {
      if (equals != std::string::npos)
        throw ir::Error{fmt::format("{} takes no value", name)};
      (options.*found->member).assign(1, '1');
    } else if (equals != std::string::npos) {
      options.*found->member = word.substr(equals + 1);
    } else if (k + 1 < words.size()) {
      options.*found->member = words[++k];
    }
    if ((options.*found->member).empty())
      throw ir::Error{fmt::format("{} needs a value: {}", name, found->help)};
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

passes::Variant variantOf(const Options &options, const ir::Kernel &kernel) {
  const lower::Selection choice = choose(options, kernel, false);
  passes::Variant variant{only(choice.grids, "--grid"), only(choice.complexQ, "--q"),
                          only(choice.classes, "--class"), only(choice.algorithms, "--algorithms")};
  variant.nodes = variant.algorithm != passes::Algorithm::Direct && passes::hasMeans(kernel);
  if (variant.algorithm == passes::Algorithm::Separable &&
      variant.klass == passes::Class::F32Careful)
    throw ir::Error{"--class=f32-careful: a separable sum is f32 or f64; it forms its tables in "
                    "double in both"};
  if (variant.algorithm == passes::Algorithm::Separable)
    variant.grid = ir::GridKind::Product;
  if (variant.algorithm == passes::Algorithm::Nufft) {
    variant.grid = ir::GridKind::Points;
    variant.klass = passes::Class::F64;
  }
  return variant;
}

std::string targetOf(const Options &options, const ir::Kernel &kernel) {
  return only(choose(options, kernel, false).targets, "--targets");
}

lower::Selection choose(const Options &options, const ir::Kernel &kernel, bool everything) {
  const bool complexFile = std::ranges::count(kernel.axes, ir::Type::Cplx, &ir::AxisType::type) > 0;
  const bool module = options.emit == "module";
  const auto word = [&](const std::string &given, const char *single, const char *all = "all") {
    return !given.empty() ? given : everything ? all : single;
  };
  lower::Selection choice;
  choice.grids = pick<ir::GridKind>(
      "--grid", word(options.grid, kernel.grid == ir::GridKind::Points ? "points" : "product"),
      gridWords);
  choice.complexQ = pick<bool>("--q", word(options.q, complexFile ? "cplx" : "real"), qWords);
  if (!complexFile) {
    if (options.q == "cplx")
      throw ir::Error{fmt::format("--q=cplx: every component of q is real in kernel '{}': write "
                                  "cplx in its Grid",
                                  kernel.name)};
    choice.complexQ = {false};
  }
  choice.classes = pick<passes::Class>(
      "--class", word(options.klass, "f32", module ? "f32,f64" : "all"), classWords);
  std::string algorithms = word(options.algorithms, "direct", module ? "direct,separable?" : "all");
  const bool ifAllowed = algorithms.ends_with('?');
  algorithms.resize(algorithms.size() - (ifAllowed ? 1 : 0));
  choice.algorithms = pick<passes::Algorithm>("--algorithms", algorithms, algorithmWords);
  choice.insist = !ifAllowed && algorithms.find("all") == std::string::npos;
  choice.targets = pickTargets(word(options.targets, "native", module ? "wasm" : "all"));
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

namespace {

using Json = nlohmann::json;

template <class T> T wordOf(const Json &entry, const char *key, std::span<const Word<T>> known) {
  const std::string text = entry.value(key, "");
  for (const Word<T> &one : known)
    if (one.word == text)
      return one.value;
  throw std::invalid_argument(fmt::format("{} is '{}'", key, text));
}

lower::TunedKnobs tunedKnobs(const Json &entry) {
  static constexpr Word<bool> realOrComplex[] = {{"real", false}, {"complex", true}};
  lower::TunedKnobs tuned;
  tuned.shape = entry.value("shape", "");
  tuned.target = entry.value("target", "");
  tuned.from = entry.value("from", "tuned");
  tuned.variant.algorithm =
      wordOf<passes::Algorithm>(entry, "algorithm", std::span(algorithmWords).first(2)); // no nufft
  tuned.variant.klass = wordOf<passes::Class>(entry, "class", classWords);
  tuned.variant.grid = wordOf<ir::GridKind>(entry, "grid", gridWords);
  tuned.variant.complexQ = wordOf<bool>(entry, "q", realOrComplex);
  for (const auto &[name, value] : entry.at("knobs").items())
    if (const std::string wrong =
            schedules::parse(fmt::format("{}={}", name, value.dump()), tuned.knobs);
        !wrong.empty())
      throw std::invalid_argument(wrong);
  return tuned;
}

} // namespace

std::vector<lower::TunedKnobs> readSchedules(const std::string &path) {
  if (path.empty())
    return {};
  std::ifstream file(path);
  const Json root = Json::parse(file, nullptr, false);
  if (!root.is_object() || !root.contains("schedules") || !root["schedules"].is_array())
    throw ir::Error{fmt::format("--schedules={}: cannot be read as JSON with \"schedules\"", path)};
  std::vector<lower::TunedKnobs> list;
  for (const Json &entry : root["schedules"])
    try {
      list.push_back(tunedKnobs(entry));
    } catch (const std::exception &error) { // the library's own and ours
      throw ir::Error{fmt::format("{}: schedule {}: {}", path, list.size() + 1, error.what())};
    }
  return list;
}

} // namespace facet::driver
