// probe.h - a q and a record at which the values of a kernel are looked at, as facetc takes them.
#pragma once
#include <complex>
#include <facet/runtime/experiment.h>
#include <string>
#include <vector>

namespace facet::cli {

/// The three components of q, nm^-1, from "q=0,1,0.5+0.01i". Throws runtime::Error.
std::vector<std::complex<double>> probeQ(const std::string &text);

/// JSON for facetc --at: the record (from 0) of the mesh, and up to 64 others by whose size it is
/// judged; q; parameters. Throws runtime::Error for a record that there is not, and a sweep.
std::string probeJson(const runtime::Mesh &mesh, std::int64_t record,
                      const std::vector<std::complex<double>> &q,
                      const runtime::NamedParameters &parameters);

} // namespace facet::cli
