// functions.cpp - the emitted functions of a kernel in transform form, compiled, called and
// compared with the IR they were made from.
#include "built.h"
#include "codegen/frontend/frontend.h"
#include "codegen/ir/evaluate.h"
#include "codegen/lower/cpp/emit.h"
#include "codegen/lower/library/library.h"
#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

using namespace facet;
using namespace facet::test;
using Complex = std::complex<double>;

// Two waves, real and complex strengths, a complex and a real total, a parameter on both sides.
const char *const twoWaves = R"(kernel @waves {
  triangle { area: real, normal: vec3, centroid: vec3 }
  grid product { x: real, y: real, z: cplx }
  params { kappa }
  waves t {
    %1 = component.x t.centroid
    %2 = component.y t.centroid
    %3 = component.z t.centroid
    %4 = component.x t.normal
    %5 = mul t.area, %4
    %6 = mul p.kappa, t.area
    %7 = add %3, p.kappa
    yield x0 = %1, y0 = %2, z0 = %3, b0 = %5, b1re = %6, b1im = %4, x1 = %2, y1 = 0.5, z1 = %7, b2 = 1
  }
  totals t {
    %1 = component.y t.normal
    %2 = mul t.area, %1
    yield b0re = t.area, b0im = %1, b1 = %2
  }
  finish {
    %1 = mul q.x, sum0.re
    %2 = mul q.z.re, sum1.re
    %3 = mul q.z.im, sum1.im
    %4 = add %1, %2
    %5 = sub %4, %3
    %6 = mul q.y, total0.re
    %7 = add %5, %6
    %8 = add %7, total1.re
    %9 = mul sum2.im, p.kappa
    %10 = sub sum0.im, %9
    %11 = add %10, total0.im
    yield re = %8, im = %11
  }
}
)";

/// The three functions of the kernel, behind one transforms description.
struct Compiled {
  Folder folder;
  std::shared_ptr<void> handle;
  std::vector<std::int32_t> waveOf, parts;
  facet_transforms transforms{};

  explicit Compiled(const ir::Kernel &kernel) {
    std::string text = "#include <facet/abi.h>\n#include <facet/reference.h>\nnamespace {\n";
    text += lower::cppPrelude();
    text += lower::cppWaves(kernel, "fill") + lower::cppTotals(kernel, "totals") +
            lower::cppCombine(kernel, "combine");
    text += "}\nextern \"C\" __attribute__((visibility(\"default\"))) void transforms("
            "facet_transforms *t) { t->fill = fill; t->totals_fn = totals; t->combine = combine; "
            "}\n";
    const std::string object = folder.path / "functions.o";
    const std::string library = folder.path / "functions.so";
    const std::string said = frontend::compileObject(text, "functions", object);
    EXPECT_EQ(said, "") << text;
    lower::link(lower::LibraryForm::Shared, {object}, library, {"transforms"});
    handle.reset(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL), [](void *open) {
      if (open)
        dlclose(open);
    });
    for (const ir::Wave &wave : ir::wavesOf(kernel)) {
      for (const auto &strength : wave.strengths) {
        EXPECT_EQ(strength.transform, static_cast<int>(waveOf.size()));
        waveOf.push_back(transforms.waves);
        parts.push_back(strength.realSum ? 1 : 2);
      }
      ++transforms.waves;
    }
    transforms.transforms = static_cast<std::int32_t>(waveOf.size());
    transforms.wave_of = waveOf.data();
    transforms.parts = parts.data();
    transforms.totals = ir::totalsOf(kernel);
    const auto set =
        reinterpret_cast<void (*)(facet_transforms *)>(dlsym(handle.get(), "transforms"));
    set(&transforms);
  }
};

/// F by evaluating the IR, record by record.
Complex byEvaluation(const ir::Kernel &kernel, const std::vector<std::vector<double>> &columns,
                     const ir::Vector &q, const std::vector<double> &params) {
  ir::Point point;
  point.q = q;
  for (std::size_t k = 0; k < params.size(); ++k)
    point.params[ir::slots(kernel)[k]] = params[k];
  ir::Point all = point;
  for (std::size_t t = 0; t < columns[0].size(); ++t) {
    std::size_t c = 0;
    for (const ir::Field &field : kernel.fields) {
      ir::Vector &value = point.record[field.name];
      for (int k = 0; k < (field.type == ir::Type::Vec3 ? 3 : 1); ++k)
        value[k] = columns[c++][t];
    }
    ir::evaluateRecord(kernel, point);
    all.sums.resize(point.sums.size());
    all.totals.resize(point.totals.size());
    for (std::size_t k = 0; k < all.sums.size(); ++k)
      all.sums[k] += point.sums[k];
    for (std::size_t k = 0; k < all.totals.size(); ++k)
      all.totals[k] += point.totals[k];
  }
  return ir::evaluateFinish(kernel, all).front();
}

facet_kernel_description columnsOf(const std::vector<const char *> &names) {
  facet_kernel_description description{};
  description.columns = names.data();
  description.column_count = static_cast<std::int32_t>(names.size());
  description.complex_q[2] = 1;
  return description;
}

class Functions : public testing::TestWithParam<std::tuple<bool, bool>> {};

TEST_P(Functions, OfTransformFormGiveWhatTheIrSays) {
  const auto [product, complexQ] = GetParam();
  const ir::Kernel kernel = ir::read(twoWaves, "waves.fir");
  const Compiled compiled(kernel);
  const std::vector<const char *> names = {"area",       "normal.x",   "normal.y",  "normal.z",
                                           "centroid.x", "centroid.y", "centroid.z"};
  auto description = columnsOf(names);
  description.triangle = 1;
  const std::vector<double> params = {0.7};
  for (const int nt : {1, 2, 3, 8, 33}) {
    const auto columns = randomColumns(description, nt);
    const Axes axes =
        randomAxes(description, complexQ, product ? std::array{2, 3, 17} : std::array{19, 19, 19});
    const auto f = byTransforms(compiled.transforms, pointers(columns), nt, axes, product, params);
    std::size_t next = 0;
    const auto compare = [&](std::size_t x, std::size_t y, std::size_t z) {
      const ir::Vector q = {axes.re[0][x], axes.re[1][y],
                            Complex(axes.re[2][z], complexQ ? axes.im[2][z] : 0)};
      const Complex expected = byEvaluation(kernel, columns, q, params);
      EXPECT_LE(std::abs(f.at(next) - expected), 1e-13 * nt * 10)
          << fmt::format("nt {} q {}: {} {}, expected {} {}", nt, next, f[next].real(),
                         f[next].imag(), expected.real(), expected.imag());
      ++next;
    };
    if (product) {
      for (std::size_t x = 0; x < 2; ++x)
        for (std::size_t y = 0; y < 3; ++y)
          for (std::size_t z = 0; z < 17; ++z)
            compare(x, y, z);
    } else {
      for (std::size_t p = 0; p < 19; ++p)
        compare(p, p, p);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Grids, Functions, testing::Combine(testing::Bool(), testing::Bool()));

TEST(Functions, TotalsAreCompensatedAndTellTheirSize) {
  const Compiled compiled(ir::read(twoWaves, "waves.fir"));
  const std::vector<double> area = {1, 1e100, 1, -1e100};
  const std::vector<double> one(4, 1);
  const std::vector<const double *> columns = {area.data(), one.data(), one.data(), one.data(),
                                               one.data(),  one.data(), one.data()};
  const double params[] = {1};
  double totals[4];
  double sizes[2];
  compiled.transforms.totals_fn(columns.data(), 4, params, totals, sizes);
  EXPECT_EQ(totals[0], 2) << "Neumaier's sum keeps what a plain sum loses";
  EXPECT_EQ(totals[1], 4);
  EXPECT_EQ(totals[2], 2);
  EXPECT_EQ(totals[3], 0) << "a real total has no imaginary part";
  EXPECT_DOUBLE_EQ(sizes[0], 2e100);
  EXPECT_DOUBLE_EQ(sizes[1], 2e100);
  compiled.transforms.totals_fn(columns.data(), 0, params, totals, sizes);
  EXPECT_EQ(totals[0], 0);
  EXPECT_EQ(sizes[0], 0);
}

TEST(Functions, NodesAreReadAfterTheColumnsOfTheKernel) {
  std::string text = twoWaves;
  text.replace(text.find("centroid: vec3 }"), 16,
               "centroid: vec3, node_weight: real, node: vec3 }");
  text.replace(text.find("%6 = mul p.kappa, t.area"), 24, "%6 = mul t.node_weight, t.area");
  const ir::Kernel kernel = ir::read(text, "nodes.fir");
  const std::string waves = lower::cppWaves(kernel, "fill");
  EXPECT_NE(waves.find("columns[7]; // node_weight"), std::string::npos) << waves;
  EXPECT_EQ(lower::columnNames(kernel).back(), "node.z");
}

TEST(Functions, MixedFormsAreRefused) {
  std::string text = twoWaves;
  EXPECT_REFUSED(lower::cppFinish(ir::read(text, "waves.fir"), "f"), "with transforms only");
  text.replace(text.find("sum0.re"), 7, "sum.re");
  EXPECT_REFUSED(lower::cppCombine(ir::read(text, "waves.fir"), "f"), "has a number");
}

} // namespace
