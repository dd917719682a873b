// arrangement.h - how particles lie beside one another: S(q), which multiplies intensities.
//
// S = <|sum over particles of e^{iq.r}|^2> / N, 1 for particles that do not know of each other. On
// a sample they lie in a plane, and S is one of q parallel alone, the same for all four terms. Each
// kind is a class of kinds.h; kinds.def lists them.
#pragma once
#include "runtime/scattering/sample/dual.h"
#include <facet/runtime/scene.h>
#include <memory>
#include <string>
#include <vector>

namespace facet::runtime {

/// A key of an arrangement: a number, or a list of some.
struct ArrangementKey {
  const char *name, *unit;
  std::size_t fewest, most;
  const char *doc;
};
const std::vector<ArrangementKey> &arrangementKeys();
std::vector<std::string> arrangementTypes();
/// Throws Error: numbers that are missing, out of range, or another kind's.
void check(const Arrangement &of);
/// Whether particles of that kind may lie in a plane, as those on a sample do, or in a volume.
bool liesInPlane(const Arrangement &of);
bool liesInSpace(const Arrangement &of);
/// Whether S is a mean over all directions, too costly for each pixel of an image.
bool isOfCurves(const Arrangement &of);

/// Half the distance, nm, over which particles of a volume know of each other: S oscillates in |q|.
double correlation(const Arrangement &of);

/// The numbers of an arrangement by their keys.
template <class Real> using ArrangementNumbers = std::map<std::string, std::vector<Real>>;

template <class Real> class StructureFactorOf {
public:
  StructureFactorOf() = default;
  StructureFactorOf(const StructureFactorOf &) = delete;
  virtual ~StructureFactorOf() = default;
  /// In a plane qz counts for nothing; q and -q have the same S.
  virtual Real at(const std::array<Real, 3> &q) const = 0;
};
using StructureFactor = StructureFactorOf<double>;

std::unique_ptr<const StructureFactor> structureFactor(const Arrangement &of);
/// The same, with what it changes by as numbers change by `by`; those that are not there stay.
std::unique_ptr<const StructureFactorOf<DualReal>>
structureFactorAlong(const Arrangement &of, const ArrangementNumbers<double> &by);

/// q and S(q) of a text with two columns. Throws Error for lines that are none.
void readStructureFactor(const std::string &path, Arrangement &to);

} // namespace facet::runtime
