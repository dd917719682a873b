// share.h - shares of a run: their parts of the units, named by hand or by a batch system, and all
// of them put together.
#pragma once
#include "runtime/engine/store/share_file.h"
#include "runtime/engine/store/tiled_result.h"
#include <string>
#include <vector>

namespace facet::cli {

/// "2/3", or "auto": what the batch system says that has started this process. Throws Error.
runtime::ShareNumber shareFrom(const std::string &text);

/// All shares of one run, by number; a file that has the same as another is left out. Throws Error
/// that names the file or the share if one is missing, or of another run.
std::vector<runtime::ShareFile> sharesFrom(const std::vector<std::string> &files,
                                           const std::vector<runtime::IdentityPart> &parts);

} // namespace facet::cli
