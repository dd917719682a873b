// algorithms.cpp - separable variants and transforms of kernel libraries, called and compared with
// the reference the library carries; means over triangles through the nodes of rules.
#include "built.h"
#include "tests/support/environment.h"
#include <gtest/gtest.h>

namespace {

using namespace facet;
using namespace facet::test;
using passes::Algorithm;

lower::LibraryRequest requestBy(const std::string &name, Algorithm algorithm) {
  lower::LibraryRequest request = test::requestFor(fileOf(name));
  request.algorithms = {algorithm};
  request.insist = true;
  request.grids = {ir::GridKind::Product};
  return request;
}

/// Something with a grid kind, for runReference.
facet_variant gridOf(bool product) {
  facet_variant variant{};
  variant.grid = product ? FACET_PRODUCT : FACET_POINTS;
  return variant;
}

class Algorithms : public testing::TestWithParam<const char *> {};

TEST_P(Algorithms, TransformsAgreeWithTheReference) {
  const Folder folder;
  const Loaded loaded = buildAndLoad(requestBy(GetParam(), Algorithm::Nufft), folder);
  const auto &kernel = *loaded.kernel;
  ASSERT_EQ(kernel.transforms_count, kernel.complex_q[2] ? 2 : 1);
  EXPECT_EQ(kernel.no_nufft, nullptr);
  const int nt = 101;
  const auto data = randomColumns(kernel, nt);
  const auto columns = pointers(data);
  const std::vector<double> params(kernel.param_count, 1.1);
  for (int k = 0; k < kernel.transforms_count; ++k)
    for (const bool product : {false, true}) {
      const facet_transforms &transforms = kernel.transforms[k];
      const Axes axes = randomAxes(kernel, transforms.q == FACET_COMPLEX_Q,
                                   product ? std::array{2, 3, 17} : std::array{35, 35, 35});
      const Values got = {byTransforms(transforms, columns, nt, axes, product, params), {}};
      const Values expected = runReference(kernel, gridOf(product), columns, nt, axes, params);
      EXPECT_LE(difference(got, expected), 1e-12) << "q " << transforms.q << " product " << product;
    }
}

TEST_P(Algorithms, SeparableVariantsAgreeWithTheReference) {
  const Folder folder;
  const Loaded loaded = buildAndLoad(requestBy(GetParam(), Algorithm::Separable), folder);
  const auto &kernel = *loaded.kernel;
  EXPECT_EQ(kernel.no_separable, nullptr);
  int separable = 0;
  for (int v = 0; v < kernel.variant_count; ++v) {
    const facet_variant &variant = kernel.variants[v];
    if (variant.algorithm != FACET_SEPARABLE)
      continue;
    ++separable;
    for (const int nt : {1, 1021})
      EXPECT_LE(errorOf(kernel, variant, nt), variant.klass == FACET_F64 ? 1e-12 : 5e-7)
          << "class " << variant.klass << " q " << variant.q << " nt " << nt;
  }
  EXPECT_EQ(separable, kernel.complex_q[2] ? 4 : 2);
}
// tests/property/matrix_test.cpp has the separable sums of the examples, tests/accuracy their
// transforms: more by --full.
INSTANTIATE_TEST_SUITE_P(Examples, Algorithms,
                         testing::ValuesIn(firstOf<const char *>(2, {"layered", "real_term", "born",
                                                                     "surface", "closed"})),
                         [](const auto &info) { return info.param; });

const std::vector<Node> onePoint = {{1, {1. / 3, 1. / 3, 1. / 3}}};

/// Degree 4, six points: Dunavant, Int. J. Numer. Meth. Eng. 21 (1985), 1129.
std::vector<Node> sixPoints() {
  std::vector<Node> rule;
  const auto orbit = [&](double weight, double a) {
    rule.push_back({weight, {1 - 2 * a, a, a}});
    rule.push_back({weight, {a, 1 - 2 * a, a}});
    rule.push_back({weight, {a, a, 1 - 2 * a}});
  };
  orbit(0.223381589678011, 0.445948490915965);
  orbit(0.109951743655322, 0.091576213509771);
  return rule;
}

/// The columns of closed with which it sums what exact sums over nodes: each node a small triangle
/// of its own.
std::vector<std::vector<double>> asClosed(const facet_kernel_description &exact,
                                          const std::vector<std::vector<double>> &nodes) {
  const auto column = [&](const std::string &name) -> const std::vector<double> & {
    for (int c = 0; c < exact.column_count; ++c)
      if (name == exact.columns[c])
        return nodes[c];
    throw std::runtime_error("exact has no column " + name);
  };
  const std::vector<double> *last = nodes.data() + exact.column_count; // node_weight, node
  std::vector<std::vector<double>> columns(7);
  for (std::size_t t = 0; t < nodes[0].size(); ++t) {
    columns[0].push_back(column("area")[t] * last[0][t]);
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string axis = std::string(".") + "xyz"[k];
      columns[1 + k].push_back(column("normal" + axis)[t]);
      double at = 0;
      for (const int corner : {0, 1, 2})
        at += last[1 + corner][t] * column("vertex" + std::to_string(corner) + axis)[t];
      columns[4 + k].push_back(at);
    }
  }
  return columns;
}

/// Compares what `run` makes of the nodes of exact with closed at the same places.
void compareAtNodes(const facet_kernel_description &exact, const facet_variant &grid,
                    const Axes &axes, double tolerance,
                    const std::function<Values(const std::vector<const double *> &, int)> &run) {
  facet_kernel_description closed = exact;
  closed.reference = closedByGcc;
  for (const auto &rule : {onePoint, sixPoints()}) {
    const auto nodes = atNodes(randomColumns(exact, 67, 0.2), rule);
    const int n = static_cast<int>(nodes[0].size());
    const auto expected = asClosed(exact, nodes);
    EXPECT_LE(difference(run(pointers(nodes), n),
                         runReference(closed, grid, pointers(expected), n, axes, {})),
              tolerance)
        << rule.size() << " nodes";
  }
}

TEST(Nodes, TransformsSumOverThem) {
  const Folder folder;
  const Loaded loaded = buildAndLoad(requestBy("exact", Algorithm::Nufft), folder);
  const auto &kernel = *loaded.kernel;
  ASSERT_EQ(kernel.transforms_count, 2);
  for (int k = 0; k < 2; ++k)
    for (const bool product : {false, true}) {
      const facet_transforms &transforms = kernel.transforms[k];
      EXPECT_EQ(transforms.nodes, 1);
      const Axes axes = randomAxes(kernel, transforms.q == FACET_COMPLEX_Q,
                                   product ? std::array{2, 3, 17} : std::array{35, 35, 35});
      compareAtNodes(kernel, gridOf(product), axes, 1e-12, [&](const auto &columns, int n) {
        return Values{byTransforms(transforms, columns, n, axes, product, {}), {}};
      });
    }
}

TEST(Nodes, SeparableVariantsSumOverThem) {
  const Folder folder;
  const Loaded loaded = buildAndLoad(requestBy("exact", Algorithm::Separable), folder);
  const auto &kernel = *loaded.kernel;
  int separable = 0;
  for (int v = 0; v < kernel.variant_count; ++v) {
    const facet_variant &variant = kernel.variants[v];
    EXPECT_EQ(variant.nodes, variant.algorithm == FACET_SEPARABLE ? 1 : 0);
    if (variant.algorithm != FACET_SEPARABLE)
      continue;
    ++separable;
    const Axes axes = randomAxes(kernel, variant.q == FACET_COMPLEX_Q, {2, 3, 17});
    compareAtNodes(
        kernel, variant, axes, variant.klass == FACET_F64 ? 1e-12 : 5e-7,
        [&](const auto &columns, int n) { return runVariant(variant, columns, n, axes, {}); });
  }
  EXPECT_GT(separable, 0);
}

TEST(Nodes, ASixPointRuleIsCloseToTheMean) {
  const Folder folder;
  const Loaded loaded = buildAndLoad(requestBy("exact", Algorithm::Nufft), folder);
  const auto &kernel = *loaded.kernel;
  const auto columns = randomColumns(kernel, 67, 0.2);
  const Axes axes = randomAxes(kernel, false, {35, 35, 35});
  const auto error = [&](const std::vector<Node> &rule) {
    const auto nodes = atNodes(columns, rule);
    return difference({byTransforms(kernel.transforms[0], pointers(nodes),
                                    static_cast<int>(nodes[0].size()), axes, false, {}),
                       {}},
                      runReference(kernel, gridOf(false), pointers(columns), 67, axes, {}));
  };
  EXPECT_LE(error(sixPoints()), 1e-4); // 2 x^5 / 5! with x to 0.4
  EXPECT_GT(error(onePoint), 1e-4);
}

TEST(Plans, HoldWhatWasAskedForAndTheVariantThatRepairs) {
  lower::LibraryRequest request = requestBy("born", Algorithm::Direct);
  request.complexQ = {false};
  const auto algorithms = [&](std::vector<Algorithm> list) {
    request.algorithms = std::move(list);
    const lower::LibraryPlan plan = lower::planLibrary(request);
    std::string text;
    for (const auto &variant : plan.variants)
      text += std::string(passes::spelling(variant.variant.algorithm)) +
              (variant.variant.grid == ir::GridKind::Points ? " points " : " product ") +
              std::string(passes::spelling(variant.variant.klass)) + "; ";
    return text + std::to_string(plan.transforms.size()) + " transforms";
  };
  EXPECT_EQ(algorithms({Algorithm::Direct}),
            "direct product f32; direct product f32-careful; direct product f64; 0 transforms");
  EXPECT_EQ(algorithms({Algorithm::Separable}),
            "separable product f32; separable product f64; direct points f64; 0 transforms");
  EXPECT_EQ(algorithms({Algorithm::Nufft}), "direct points f64; 1 transforms");
}

} // namespace
