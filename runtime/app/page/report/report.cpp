// report.cpp - results as data of a page.
#include "runtime/app/page/report/report.h"
#include "runtime/app/page/report/parts.h"
#include "runtime/engine/system/trial.h"
#include <facet/runtime/error.h>
#include <filesystem>
#include <fmt/format.h>

namespace facet::page {

namespace fs = std::filesystem;
using nlohmann::json;
using namespace runtime;

// Results that are not finished
// ---------------------------------------------------------------------------
ResultFile::ResultFile(const std::string &asked) : path(asked), file(asked) {
  if (path.ends_with(".part"))
    path.resize(path.size() - 5);
  if (fs::exists(path))
    file = path;
  else if (fs::exists(path + ".part"))
    file = path + ".part";
  else
    throw Error(asked, "no such file", "a result that facet run wrote, RESULT.h5");
  if (file == path)
    return;
  isFinished = false;
  std::optional<tiled::Head> head;
  std::map<std::int64_t, const tiled::UnitLine *> finished;
  const auto journals = tiled::readJournals(path, head);
  if (!head)
    throw Error(path, "of this stopped run no journal is left, and no number can be trusted",
                "run it again");
  for (const auto &[rank, journal] : journals)
    for (const tiled::UnitLine &line : journal.units)
      finished[line.unit] = &line;
  done = static_cast<std::int64_t>(finished.size()), units = head->units;
  for (const auto &[unit, line] : finished)
    for (const tiled::Piece &piece : line->pieces)
      if (static_cast<std::size_t>(piece.dataset) < head->datasets.size())
        boxes[head->datasets[static_cast<std::size_t>(piece.dataset)]].push_back(piece.box);
}

std::vector<bool> ResultFile::computed(const std::string &dataset,
                                       const nexus::Shape &shape) const {
  if (isFinished)
    return {};
  std::vector<bool> there(static_cast<std::size_t>(nexus::elements(shape)));
  const auto found = boxes.find(dataset);
  if (found == boxes.end())
    return there;
  for (const tiled::DatasetBox &box : found->second)
    if (tiled::within(box, shape))
      (void)tiled::eachRun(shape, box, [&](std::int64_t at, std::int64_t, std::int64_t count) {
        std::fill_n(there.begin() + at, count, true);
        return 0;
      });
  return there;
}

// The page
// ---------------------------------------------------------------------------
namespace {

/// Attributes of /entry/process: numbers, and texts.
json processOf(const h5::Object &file) {
  json texts = json::object(), numbers = json::object();
  if (!file.has("entry/process"))
    return {{"texts", texts}, {"numbers", numbers}};
  const h5::Object process = file.open("entry/process");
  for (const std::string &name : process.attributeNames())
    if (const auto value = process.numberAttribute(name))
      numbers[name] = *value;
    else if (name != "NX_class" && name != "canSAS_class")
      texts[name] = process.attribute(name);
  return {{"texts", texts}, {"numbers", numbers}};
}

/// All that is in the file itself.
json contentOf(const ResultFile &result, Blobs &blobs) {
  const h5::Object file(result.file);
  json made = {{"file", fs::path(result.path).filename().string()},
               {"title", file.text("entry/title")},
               {"finished", result.isFinished},
               {"done", result.done},
               {"units", result.units},
               {"process", processOf(file)},
               {"experiment", file.text("entry/process/experiment")}};
  made["views"] = viewsOf(result, blobs);
  made["slopes"] = slopesOf(result, blobs);
  return made;
}

/// Reads all of it in a child process: some damage crashes HDF5 by what lies in memory behind it,
/// which reading a little of everything does not find.
void tryContent(const ResultFile &result) {
  constexpr std::uintmax_t most = 500'000'000; // bytes: a child has half a minute
  const h5::Object before(result.file); // tried by itself first, so that both processes do the same
  if (fs::file_size(result.file) > most)
    return;
  tryReading(
      result.file, "HDF5", h5::alone,
      [&](const auto &tell) {
        tell("/entry");
        Page nothing;
        Blobs blobs(nothing);
        contentOf(result, blobs);
      },
      true);
}

json resultOf(const std::string &path, Blobs &blobs) {
  const ResultFile result(path);
  tryContent(result);
  json made = contentOf(result, blobs);
  made["scene"] = sceneOf(result, blobs);
  return made;
}

} // namespace

Page reportOf(const std::vector<std::string> &results, const std::string &title) {
  Page page;
  Blobs blobs(page);
  page.data = {{"results", json::array()}};
  for (const std::string &path : results)
    page.data["results"].push_back(resultOf(path, blobs));
  const std::string own = page.data["results"][0]["title"];
  page.title = !title.empty() ? title
               : own.empty()  ? fs::path(results[0]).filename().string()
                              : own;
  page.scripts = {"uPlot.iife.js", "scale.js",      "raster.js", "image.js", "image_controls.js",
                  "mesh.js",       "geometry.js",   "curves.js", "cuts.js",  "quantities.js",
                  "comparison.js", "provenance.js", "report.js"};
  return page;
}

} // namespace facet::page
