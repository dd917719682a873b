// duals.cpp - derivatives that facet makes of the example kernels against the same files compiled
// with dual numbers.
#include "codegen/passes/differentiate.h"
#include "kernels.h"
// NOLINTBEGIN(bugprone-suspicious-include): kernel files are what is tested
#include "examples/kernels/atoms.cpp"
#include "examples/kernels/born.cpp"
#include "examples/kernels/closed.cpp"
#include "examples/kernels/exact.cpp"
#include "examples/kernels/layered.cpp"
#include "examples/kernels/magnetic.cpp"
#include "examples/kernels/resonant.cpp"
#include "examples/kernels/rough.cpp"
#include "examples/kernels/surface.cpp"
#include "examples/kernels/value_at_risk.cpp"
// NOLINTEND(bugprone-suspicious-include)
#include <facet/reference.h>
#include <gtest/gtest.h>
#include <random>

namespace {

using facet::ir::Complex;
using facet::ir::Point;
using facet::ir::Vector;
namespace ir = facet::ir;

real numberOf(const Point &point, const std::string &name, std::size_t k = 0) {
  const auto of = [&](const std::string &column) {
    const auto found = point.record.find(column);
    return found == point.record.end() ? 0.0 : found->second[k].real();
  };
  return {of(name), of("d_" + name)};
}
void read(const Point &point, const char *name, real &to) { to = numberOf(point, name); }
void read(const Point &point, const char *name, vec3 &to) {
  to = {numberOf(point, name, 0), numberOf(point, name, 1), numberOf(point, name, 2)};
}

/// What a parameter changes by, or q along an axis.
double changeOf(const Point &point, const std::string &name) {
  const auto found = point.params.find("d_" + name);
  return found == point.params.end() ? 0.0 : found->second;
}
real slotOf(const Point &point, const std::string &name) {
  return {point.params.at(name), changeOf(point, name)};
}
cplx complexSlot(const Point &point, const std::string &name) {
  const real re = slotOf(point, name + ".re");
  return {re, slotOf(point, name + ".im")};
}
void slot(const Point &point, const std::string &name, cplx &to) { to = complexSlot(point, name); }
void slot(const Point &point, const std::string &name, vec3 &to) {
  to = {slotOf(point, name + ".x"), slotOf(point, name + ".y"), slotOf(point, name + ".z")};
}
void slot(const Point &point, const std::string &name, cvec3 &to) {
  to = {complexSlot(point, name + ".x"), complexSlot(point, name + ".y"),
        complexSlot(point, name + ".z")};
}

#define READ(name)                                                                                 \
  if constexpr (requires { t.name; })                                                              \
  read(point, #name, t.name)
#define SLOT(name)                                                                                 \
  if constexpr (requires { p.name; })                                                              \
  slot(point, #name, p.name)

template <class K> facet::record_of<K> recordAt(const Point &point) {
  facet::record_of<K> t;
  READ(area);
  READ(normal);
  READ(centroid);
  READ(vertex0);
  READ(vertex1);
  READ(vertex2);
  READ(contrast);
  READ(moment);
  READ(axis);
  READ(sigma);
  READ(place);
  READ(a1);
  READ(a2);
  READ(a3);
  READ(a4);
  READ(a5);
  READ(c);
  READ(b1);
  READ(b2);
  READ(b3);
  READ(b4);
  READ(b5);
  READ(B);
  READ(amount);
  READ(foreign);
  READ(years);
  return t;
}
template <class K> facet::params_of<K> paramsAt(const Point &point) {
  facet::params_of<K> p;
  SLOT(u);
  SLOT(v);
  SLOT(along);
  SLOT(across);
  SLOT(in);
  SLOT(out);
  return p;
}

void set(real &to, Complex from, double change) { to = {from.real(), change}; }
void set(cplx &to, Complex from, double change) { to = {{from.real(), change}, from.imag()}; }

/// What F of one record changes by: its outputs, by the kernel file.
template <class K> std::vector<Complex> changes(const Point &point) {
  facet::q_of<K> q;
  set(q.x, point.q[0], changeOf(point, "q.x"));
  set(q.y, point.q[1], changeOf(point, "q.y"));
  set(q.z, point.q[2], changeOf(point, "q.z"));
  const auto p = paramsAt<K>(point);
  const auto sum = facet::term<K>(q, recordAt<K>(point), p);
  auto f = facet::finish<K>(q, sum, p);
  std::vector<Complex> all;
  facet::detail::each(f, [&](const cplx &value) {
    all.emplace_back(static_cast<double>(value.re.change), static_cast<double>(value.im.change));
  });
  return all;
}

/// A point of the tangent, directions included: q of all sizes, along normals and edges, without a
/// square.
Point pointOf(const ir::Kernel &tangent, std::uint64_t seed, bool singular) {
  Point point = ir::randomPoint(tangent, seed);
  std::mt19937_64 engine(seed);
  const auto draw = [&] { return static_cast<double>(engine() >> 11) * 0x1p-52 - 1; };
  for (auto &[name, value] : point.record)
    if (name.starts_with("d_"))
      value = {draw(), draw(), draw()};
  for (const char *name : {"d_area", "d_contrast", "d_sigma"})
    if (const auto found = point.record.find(name); found != point.record.end())
      found->second = {draw()};
  const auto column = [&](const char *name) {
    const auto found = point.record.find(name);
    return found == point.record.end() ? Vector{1, 2, 0.5} : found->second;
  };
  const Vector normal = column("normal"), from = column("vertex0"), to = column("vertex1");
  for (std::size_t k = 0; k < 3; ++k) {
    if (seed % 6 == 1)
      point.q[k] *= 1e-7;
    if (seed % 6 == 2)
      point.q[k] = 0.8 * normal[k];
    if (seed % 6 == 3)
      point.q[k] = 0.3 * (to[k] - from[k]);
    if (seed % 6 == 4)
      point.q[k] *= 1e-2;
  }
  if (seed % 6 == 5 && !singular && tangent.axes[2].type == ir::Type::Cplx)
    point.q = {0.6, 0.8, Complex(0, 1)};
  return point;
}

template <class K> class Derivative : public testing::Test {};
using Kernels = testing::Types<atoms, born, closed, exact, layered, magnetic, resonant, rough,
                               surface, value_at_risk>;
template <class K> constexpr const char *name = nullptr;
#define NAME(kernel) template <> constexpr const char *name<kernel> = #kernel
NAME(atoms);
NAME(born);
NAME(closed);
NAME(exact);
NAME(layered);
NAME(magnetic);
NAME(resonant);
NAME(rough);
NAME(surface);
NAME(value_at_risk);
TYPED_TEST_SUITE(Derivative, Kernels);

/// F of the kernel made by facet, before the passes and after those of f64, against the file's; to
/// 1e-11 of the largest output.
template <class K> void expectChanges(const ir::Kernel &tangent, bool singular) {
  const ir::Kernel lowered = facet::passes::run(
      tangent, {tangent.grid, tangent.axes[2].type == ir::Type::Cplx, facet::passes::Class::F64});
  for (std::uint64_t seed = 1; seed <= 240; ++seed) {
    const Point point = pointOf(tangent, seed, singular);
    const std::vector<Complex> want = changes<K>(point),
                               made = facet::passes::composed(tangent, point),
                               last = facet::passes::composed(lowered, point);
    ASSERT_EQ(made.size(), want.size());
    double largest = 0;
    for (const Complex &f : want)
      largest = std::max(largest, std::abs(f));
    for (std::size_t o = 0; o < want.size(); ++o) {
      ASSERT_TRUE(std::isfinite(std::abs(want[o])));
      EXPECT_LE(std::abs(made[o] - want[o]), 1e-11 * largest) << seed << " output " << o;
      EXPECT_LE(std::abs(last[o] - want[o]), 1e-11 * largest) << seed << " output " << o;
    }
  }
}

template <class K>
constexpr bool isSingular = std::is_same_v<K, born> || std::is_same_v<K, magnetic>;

TYPED_TEST(Derivative, IsThatOfTheKernelFile) {
  expectChanges<TypeParam>(facet::passes::tangentOf(facet::passes::example(name<TypeParam>)),
                           isSingular<TypeParam>);
}

TYPED_TEST(Derivative, ByQIsThatOfTheKernelFile) {
  expectChanges<TypeParam>(facet::passes::qTangentOf(facet::passes::example(name<TypeParam>)),
                           isSingular<TypeParam>);
}

} // namespace
