// report.h - a page of results: images, curves, F on grids, meshes, layers, where all is from.
#pragma once
#include "runtime/app/page/page.h"

namespace facet::page {

/// Most numbers of a dataset that a page takes as they are: 2,048 x 2,048. A larger one becomes
/// means of blocks, and the page says so.
constexpr std::int64_t mostOfASide = 2048, mostOfAll = mostOfASide * mostOfASide;
/// Most triangles of a mesh that a page shows.
constexpr std::size_t mostTriangles = 100000;

/// The page of results that facet run wrote, of whole ones and of those not finished (PATH.part).
/// `title`: "": the title of the first. Throws Error for a file that is no result, or is damaged.
Page reportOf(const std::vector<std::string> &results, const std::string &title);

} // namespace facet::page
