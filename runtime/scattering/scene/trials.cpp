// trials.cpp - how F of a kernel answers to what is done to a particle: sizes, turns, the point
// group, cuts.
//
// F is compared by the reference, before and after, at a few q of mixed directions. All records are
// summed, since one may break what holds for the others; if there are very many, a part of them.
#include "runtime/engine/check/references.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/records/geometry.h"
#include "runtime/scattering/mesh/cut.h"
#include "runtime/scattering/sample/orientation.h"
#include "runtime/scattering/scene/crossing.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <map>

namespace facet::runtime {
namespace {

using Q = std::array<double, 3>;
constexpr double tolerance = 1e-9; // of sum |term|: far above rounding, below any real difference

struct Value {
  std::complex<double> f;
  double size = 0; // sum |term| times |dF/dsum|
};

/// F at q times a number.
auto tried(const Kernel &kernel, const Mesh &mesh, const std::vector<double> &params) {
  const auto records = std::make_shared<Records>(*kernel);
  records->setMesh(mesh);
  return [&, records](const Q &q, double times = 1) -> Value {
    const Reference found = referenceAt(kernel, {times * q[0], times * q[1], times * q[2]},
                                        records->columns(), records->size(), params);
    return {found.f[0], found.sumAbs * found.factors[0]};
  };
}

std::vector<Q> fewQ(double k) {
  return {{0.4 * k, -0.7 * k, 1.1 * k},
          {-1.3 * k, 0.2 * k, 0.5 * k},
          {0.9 * k, 1.6 * k, -0.3 * k},
          {2.1 * k, -0.8 * k, 1.7 * k}};
}

bool same(double a, double b, double size) { return std::abs(a - b) <= tolerance * size; }

/// The d of F_s(q) = s^d F(s q), from the first q, if it holds at all of them.
std::optional<int> powerOf(const auto &one, const auto &sized, double scale,
                           const std::vector<Q> &qs) {
  const double ratio = std::abs(sized(qs[0]).f) / std::abs(one(qs[0], scale).f);
  const double power = std::round(std::log(ratio) / std::log(scale));
  if (!std::isfinite(power) || std::abs(power) > 6)
    return {};
  const double factor = std::pow(scale, power);
  for (const Q &q : qs) {
    const Value a = sized(q), b = one(q, scale);
    if (!(std::abs(a.f - factor * b.f) <= tolerance * (a.size + factor * b.size)))
      return {};
  }
  return static_cast<int>(power);
}

} // namespace

void checkOneF(const Kernel &kernel) {
  checkNoAxes(*kernel, "the q of an experiment lie on no axes of the table",
              "take F on a grid of q, without poses, layers and detectors");
  checkOneOutput(*kernel, "an experiment");
}

bool holds(const PointGroup &group, const Kernel &kernel, const SceneMesh &mesh,
           const std::vector<double> &params) {
  checkOneF(kernel);
  const Matrix3 any = eulerZyz({37, 63, 101}); // something of the lab may have a direction
  const double k = 1 / mesh.summary.farthest;
  const Vec3 middle = mesh.summary.middle();
  const auto as = [&](const Matrix3 &rotation) {
    return tried(kernel, posed(*mesh.mesh, middle, 1, rotation), params);
  };
  const auto here = as(any);
  return std::ranges::all_of(group.generators(), [&](const Matrix3 &rotation) {
    const auto there = as(times(any, rotation));
    return std::ranges::all_of(fewQ(k), [&](const Q &q) {
      const Value a = here(q);
      return same(std::abs(a.f), std::abs(there(q).f), a.size);
    });
  });
}

PointGroup groupOf(const Orientations &how, const SceneMesh &mesh) {
  return how.points > 0
             ? PointGroup()
             : mesh.group.turned(how.euler.empty() ? noRotation : eulerZyz(how.euler[0]));
}

Symmetries symmetriesOf(const Kernel &kernel, const MeshBlocks &mesh,
                        const std::vector<double> &params, double radius) {
  checkNoAxes(*kernel, "a curve is of all directions of q", "take F on a grid of q");
  checkOneOutput(*kernel, "a curve");
  constexpr std::int64_t most = 1 << 17; // records, which take about a second
  const Mesh some = thinned(mesh, most);
  const Matrix3 matrix = eulerZyz({37, 63, 101});
  constexpr double scale = 1.25;
  const double k = radius > 0 ? 1 / radius : 1;
  const std::vector<Q> qs = fewQ(k);
  const auto one = tried(kernel, some, params),
             sized = tried(kernel, posed(some, {}, scale, noRotation), params),
             turned = tried(kernel, posed(some, {}, 1, matrix), params);
  Symmetries answers{powerOf(one, sized, scale, qs), true, true};
  for (const Q &q : qs) {
    const Value here = one(q);
    answers.mirrored =
        answers.mirrored && same(std::abs(one(q, -1).f), std::abs(here.f), here.size);
    answers.turns =
        answers.turns && same(std::abs(turned(times(matrix, q)).f), std::abs(here.f), here.size);
  }
  return answers;
}

namespace {

/// Throws Error if a column that the kernel reads differs on a closed body.
void checkColumns(const Body &part, const Kernel &kernel) {
  constexpr std::size_t most = 64; // bodies of different columns
  const SceneMesh &mesh = part.mesh;
  for (const auto &[name, values] : mesh.blocks->read(0, 1).columns) {
    const bool read = std::any_of(kernel->columns, kernel->columns + kernel->column_count,
                                  [&, &own = name](const char *column) { return own == column; });
    std::map<double, Mesh> bodies;
    const auto add = [&, &own = name](const Mesh &some) {
      for (std::size_t t = 0; t < some.triangles.size() && bodies.size() <= most; ++t) {
        Mesh &of = bodies[some.columns.at(own)[t]];
        if (!mesh.streamed())
          of.triangles.push_back(some.triangles[t]);
      }
    };
    if (read)
      eachBlock(*mesh.blocks, add);
    if (bodies.size() < 2)
      continue;
    if (mesh.streamed() || bodies.size() > most ||
        !std::ranges::all_of(bodies, [](const auto &b) { return inspect(b.second).closed; }))
      throw Error(
          part.name,
          fmt::format("column '{}' is not the same all over the body, and the cut through it "
                      "has no values of its own",
                      name),
          "place the particle within one layer, or give each closed body one value");
  }
}

} // namespace

void checkCut(const Body &part, const Kernel &kernel, const std::vector<double> &params) {
  checkColumns(part, kernel);
  constexpr std::int64_t few = 4;
  const SceneMesh &mesh = part.mesh;
  const double radius = mesh.summary.farthest;
  const Mesh whole = posed(thinned(*mesh.blocks, few), part.middle, 1, eulerZyz({37, 63, 101}));
  Mesh below, above;
  for (std::int64_t t = 0; t < whole.size(); ++t) {
    const Mesh one = taken(whole, {t});
    const auto [low, high] =
        std::ranges::minmax(one.triangles[0], {}, [](const Vec3 &corner) { return corner[2]; });
    const MeshParts parts =
        cutTriangles(one, (low[2] + high[2]) / 2, roundingOfCut(radius), {{0, 0}});
    append(parts.below, below);
    append(parts.above, above);
  }
  const auto all = tried(kernel, whole, params), under = tried(kernel, below, params),
             over = tried(kernel, above, params);
  for (const Q &q : fewQ(1 / radius)) {
    const Value a = all(q), b = under(q), c = over(q);
    if (!(std::abs(a.f - b.f - c.f) <= tolerance * (a.size + b.size + c.size)))
      throw Error(std::string("kernel ") + kernel->name,
                  fmt::format("{}: F of two parts of a cut triangle, closed by signed ones, is not "
                              "that of the triangle: the term is not linear in the surface",
                              part.name),
                  "place the particle within one layer, or take a volume form factor, as exact");
  }
}

} // namespace facet::runtime
