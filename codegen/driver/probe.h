// probe.h - a q, records and parameters at which a kernel's values are asked for (--at FILE).
#pragma once
#include "codegen/explore/explore.h"
#include "codegen/ir/trace.h"
#include "driver.h"
#include <string>
#include <vector>

namespace facet::driver {

/// What facet writes for --at, as JSON:
///   {"q": [[re, im], ...], nm^-1; "mesh": "torus", "record": 17, "records": 6600,
///    "corners": [[[x, y, z], ..], ..] nm, of triangles; "columns": {"s": [..], "m.x": [..]};
///    "params": {"kappa": [[re, im], ..]}, "unit": nm for one unit of own columns,
///    "middle": [x, y, z] nm, or none, "closed": false}
/// `corners` and `columns` have the record asked for, then others of the mesh, by whose size it is
/// judged.
struct Probe {
  std::string mesh;
  long long record = 0, records = 1;
  std::vector<ir::Point> points;  // the record's, then the others'
  std::array<double, 3> middle{}; // the places are relative to it, as in a run
  std::vector<std::string> shown; // "t.area = 0.5", a column each
};

/// Throws ir::Error for a file that is none, a column or parameter that is missing, complex numbers
/// where the kernel has real ones, columns with an axis. `axes`: of the kernel as it is evaluated.
Probe readProbe(const std::string &path, const ir::Kernel &kernel,
                const std::array<ir::AxisType, 3> &axes);

/// What a page shows of the probe that --at names beside each value of `input`'s kernel after a
/// pass; an empty function without --at. `text`: receives which record at which q. `input` outlives
/// it. Throws ir::Error (values.cpp).
explore::ProbeNumbers probeNumbers(const Options &options, const Input &input, bool complexQ,
                                   std::string &text);

} // namespace facet::driver
