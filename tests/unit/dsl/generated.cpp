// generated.cpp - the kernel `exact` as generated in f64 against closed forms, judged in long
// double: every variant of the library, through the C ABI.
#include "polyhedra.h"
#include <cstdlib>
#include <dlfcn.h>
#include <facet/abi.h>
#include <gtest/gtest.h>
#include <map>

namespace {

using facet::test::LongComplex;
using facet::test::Polyhedron;
using facet::test::Wave;

const facet_kernel_description *description() {
  static void *const library = dlopen(FACET_EXACT_LIBRARY, RTLD_NOW);
  if (!library)
    return nullptr;
  return reinterpret_cast<facet_kernel_fn>(dlsym(library, "facet_kernel"))();
}

/// The columns of a mesh by name.
std::map<std::string, std::vector<double>> columnsOf(const facet::test::Mesh &mesh) {
  std::map<std::string, std::vector<double>> columns;
  const auto add = [&](const std::string &name, const auto &value) {
    if constexpr (requires { value.x; }) {
      columns[name + ".x"].push_back(value.x);
      columns[name + ".y"].push_back(value.y);
      columns[name + ".z"].push_back(value.z);
    } else {
      columns[name].push_back(value);
    }
  };
  for (const facet::Triangle &t : mesh) {
#define FACET_TRIANGLE(name, is_vector, power, moves, doc) add(#name, t.name);
#include <facet/triangle.def>
  }
  return columns;
}

/// F of a list of points by one variant, as the runtime would without centring.
std::vector<LongComplex> formFactors(const facet_variant &variant, const Polyhedron &solid,
                                     const std::vector<Wave> &waves) {
  const auto columns = columnsOf(solid.mesh);
  std::vector<const double *> column(static_cast<std::size_t>(description()->column_count));
  for (std::size_t k = 0; k < column.size(); ++k)
    column[k] = columns.at(description()->columns[k]).data();
  const std::size_t nt = solid.mesh.size(), pad = static_cast<std::size_t>(variant.pad[0]),
                    n = (waves.size() + pad - 1) / pad * pad;
  std::vector<double> narrow(nt * static_cast<std::size_t>(variant.narrow_fields) + 1),
      wide(nt * static_cast<std::size_t>(variant.wide_fields) + 1);
  variant.pack(column.data(), static_cast<int64_t>(nt), nullptr, narrow.data(), wide.data());

  std::vector<double> x, y, z, zIm, re(n), im(n), fRe(n), fIm(n);
  for (std::size_t k = 0; k < n; ++k) {
    const Wave &q = waves[std::min(k, waves.size() - 1)];
    x.push_back(q.x), y.push_back(q.y), z.push_back(q.z.re), zIm.push_back(q.z.im);
  }
  const double *const imaginary = variant.q == FACET_COMPLEX_Q ? zIm.data() : nullptr;
  const auto points = static_cast<int64_t>(n);
  facet_sum_args args{};
  args.narrow = narrow.data(), args.wide = wide.data();
  args.t_end = static_cast<int64_t>(nt);
  args.axis_re[0] = x.data(), args.axis_re[1] = y.data(), args.axis_re[2] = z.data();
  args.axis_im[2] = imaginary;
  args.n[0] = args.end[0] = points;
  args.n[1] = args.n[2] = args.end[1] = args.end[2] = 1;
  double *const sums[] = {re.data(), im.data()}, *const parts[] = {fRe.data(), fIm.data()};
  args.sums = sums;
  EXPECT_EQ(variant.sum(&args), 0);
  const double *const qRe[3] = {x.data(), y.data(), z.data()};
  const double *const qIm[3] = {nullptr, nullptr, imaginary};
  const int64_t stride[3] = {1, 1, 1};
  variant.finish(qRe, qIm, stride, points, nullptr, nullptr, sums, parts);
  std::vector<LongComplex> f;
  f.reserve(waves.size());
  for (std::size_t k = 0; k < waves.size(); ++k)
    f.emplace_back(fRe[k], fIm[k]);
  return f;
}

void expectExact(facet_q_kind kind, const std::function<std::vector<Wave>(const Polyhedron &)> &q) {
  ASSERT_NE(description(), nullptr) << dlerror();
  int variants = 0;
  for (int k = 0; k < description()->variant_count; ++k) {
    const facet_variant &variant = description()->variants[k];
    if (variant.klass != FACET_F64 || variant.grid != FACET_POINTS || variant.q != kind)
      continue;
    ++variants;
    for (const Polyhedron &solid : facet::test::polyhedra()) {
      const std::vector<Wave> waves = q(solid);
      const std::vector<LongComplex> f = formFactors(variant, solid, waves);
      for (std::size_t p = 0; p < waves.size(); ++p)
        EXPECT_LE(facet::test::relativeError(solid, waves[p], f[p]), 1e-10)
            << solid.name << " on " << variant.target << " at " << waves[p].x << " " << waves[p].y
            << " " << waves[p].z.re << "+i" << waves[p].z.im;
    }
  }
  EXPECT_GT(variants, 0);
}

TEST(Generated, PolyhedraAtRealQAreTheirClosedForms) {
  expectExact(FACET_REAL_Q, [](const Polyhedron &s) { return facet::test::awkwardRealQ(s.mesh); });
}

TEST(Generated, RealQByTheComplexVariantIsTheSame) {
  expectExact(FACET_COMPLEX_Q,
              [](const Polyhedron &s) { return facet::test::awkwardRealQ(s.mesh); });
}

TEST(Generated, PolyhedraAtComplexQAreTheirClosedForms) {
  expectExact(FACET_COMPLEX_Q, [](const Polyhedron &) { return facet::test::awkwardComplexQ(); });
}

} // namespace
