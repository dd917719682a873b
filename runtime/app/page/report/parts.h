// parts.h - the parts of a report: what is drawn of a result, and what its experiment says.
#pragma once
#include "runtime/app/page/page.h"
#include "runtime/engine/store/hdf5.h"
#include "runtime/engine/store/journal.h"
#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace facet::page {

/// A result file, and the boxes of its datasets that are computed.
struct ResultFile {
  /// Throws Error if there is neither PATH nor PATH.part.
  explicit ResultFile(const std::string &path);
  std::string path, file; // as it is asked for; what is read: it, or PATH.part
  bool isFinished = true; // else units of `units` are done
  std::int64_t done = 0, units = 0;
  std::map<std::string, std::vector<runtime::tiled::DatasetBox>> boxes; // "/entry/image/I"

  /// For each element of a dataset whether it is computed; empty if the result is finished.
  std::vector<bool> computed(const std::string &dataset, const runtime::nexus::Shape &shape) const;
};

/// What a pixel is, in the page: raster.js.
enum class PixelState : std::uint8_t { Good, Masked, Missing, Without };

/// Bytes of a page by names of their own.
class Blobs {
public:
  explicit Blobs(Page &page) : page_(page) {}
  template <class T> std::string add(std::span<const T> values) {
    page_.blobs.emplace_back("b" + std::to_string(page_.blobs.size()),
                             std::string(reinterpret_cast<const char *>(values.data()), // NOLINT
                                         values.size_bytes()));
    return page_.blobs.back().first;
  }
  template <class T> std::string add(const std::vector<T> &values) {
    return add(std::span<const T>(values));
  }

private:
  Page &page_;
};

/// What is drawn of a result: a list of views, each with its kind: "F", "image", "curve".
nlohmann::json viewsOf(const ResultFile &result, Blobs &blobs);
/// F on a grid.
nlohmann::json gridView(const ResultFile &result, Blobs &blobs);
/// Beam, layers, detector, particles with their meshes; null if the file has no experiment. What
/// cannot be read is said in "notes".
nlohmann::json sceneOf(const ResultFile &result, Blobs &blobs);
/// Meshes with what a misfit changes by at each vertex; empty without --gradient-of.
nlohmann::json slopesOf(const ResultFile &result, Blobs &blobs);

} // namespace facet::page
