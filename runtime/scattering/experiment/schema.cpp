// schema.cpp - reads an experiment from a file and writes it as text; what a run depends on; the
// document's keys.
#include "runtime/scattering/experiment/schema.h"
#include "runtime/engine/system/hash.h"
#include "runtime/engine/system/reader.h"
#include "runtime/engine/system/toml.h"
#include "runtime/scattering/experiment/keys.h"
#include "runtime/scattering/sample/layers.h"
#include <filesystem>

namespace facet::runtime {
namespace fs = std::filesystem;
namespace {

using namespace schema;

toml::table parseFile(const std::string &path) {
  std::string text;
  if (std::error_code none; fs::is_directory(path, none) || !readFile(path, text))
    throw Error(path, "the experiment file cannot be read");
  try {
    return parseToml(text, path);
  } catch (const toml::parse_error &e) {
    throw Error(fmt::format("{}:{}", path, e.source().begin.line),
                fmt::format("not TOML: {}", e.description()));
  }
}

Experiment readTables(const toml::table &root, const std::string &path, const auto &keys) {
  Experiment e;
  e.title = fs::path(path).stem();
  e.output = fs::path(path).stem().string() + ".h5";
  Reader(Source{root, "", path}, e, keys, experimentKeys);
  return e;
}

std::string tomlOf(Experiment e, const auto &keys) {
  if (!e.objectsFile.empty())
    e.objects.clear(); // they are in the file
  std::string text;
  const UseLine add = [&](const Line &line) {
    if (!line.header.empty())
      text += fmt::format("\n{}\n", line.header);
    text += fmt::format("{} = {}\n", line.key, line.text);
  };
  Writer(add, std::as_const(e), keys, "", true);
  return text;
}

} // namespace

Experiment readExperiment(const std::string &path) {
  Experiment e = readTables(parseFile(path), path, experimentKeys);
  e.files.push_back(path);
  return e;
}

Experiment readBeamAndSample(const std::string &path) {
  Experiment e = readTables(parseFile(path), path, layersKeys);
  if (!(e.wavelength > 0))
    throw Error(path, "a sample needs a beam: its wavelength", "[beam] wavelength = 0.124, nm");
  if (e.layers.size() < 2)
    throw Error(path, "no sample that reflects: it has less than two layers",
                "[sample] layers = [{ name = \"vacuum\" }, { name = \"Si\", delta = 4.9e-6, beta = "
                "7.4e-8 }]");
  check(Stack{e.layers}, path + ": sample");
  return e;
}

Experiment readExperimentText(const std::string &text, const std::string &name) {
  try {
    return readTables(parseToml(text, name), name, experimentKeys);
  } catch (const toml::parse_error &e) {
    throw Error(name, fmt::format("its experiment is not TOML: {}", e.description()));
  }
}

std::string toToml(const Experiment &e) { return tomlOf(e, experimentKeys); }

std::string schema::layersToToml(const Experiment &e) { return tomlOf(e, layersKeys); }

std::map<std::string, std::string> schema::identityOf(const Experiment &e) {
  std::map<std::string, std::string> parts;
  const UseLine add = [&](const Line &line) {
    std::string &part = parts[line.part];
    part += fmt::format("{}{} = {}", part.empty() ? "" : "; ", line.key, line.text);
  };
  Writer(add, e, experimentKeys, "", true);
  parts.erase(""); // how and where it is run
  constexpr std::size_t most = 4000;
  for (auto &[name, part] : parts)
    if (part.size() > most) { // thousands of objects
      Hash hash;
      hash.field(part);
      part = hash.hex();
    }
  return parts;
}

std::vector<KeyRow> schema::allKeys() {
  Rows all("", Experiment(), experimentKeys);
  std::ranges::move(all.inside, std::back_inserter(all.own));
  std::ranges::move(Rows("axis", AxisNumbers(), axisKeys).own, std::back_inserter(all.own));
  return all.own;
}

} // namespace facet::runtime
