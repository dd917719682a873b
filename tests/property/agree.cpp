// agree.cpp - one kernel library, one random problem, every algorithm: does each keep the accuracy
// asked for at every q? The judge of algorithm_kernels.py.
//
//   agree LIBRARY --target T --grid product|points --axes uniform|irregular --q real|cplx
//         --accuracy A --seed N [--in-form]
// Prints a line an algorithm: its error, or why it was refused.
#include "compare.h"
#include "runtime/cli/command.h"
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <random>

namespace {
using namespace facet;
using namespace facet::runtime;
using namespace facet::test;

struct Asked {
  Problem problem;
  std::string library, target;
  double accuracy = 1e-5;
  bool uniform = false, inForm = false;
};

/// Equidistant values over the range of an axis; imaginary parts stay as they are.
void makeUniform(Axis &axis) {
  const auto [low, high] = std::minmax_element(axis.re.begin(), axis.re.end());
  const Axis even = linspace(*low, *high, static_cast<std::int64_t>(axis.re.size()));
  axis.re = even.re;
}

/// The largest |F| among q whose Im q.z lies within a tenth of that of q `at`.
double sizeNear(const Grid &grid, const std::vector<std::complex<double>> &f, std::int64_t at) {
  const double im = std::abs(grid.at(at)[2].imag());
  double most = 0;
  for (std::int64_t p = 0; p < grid.size(); ++p)
    if (std::abs(std::abs(grid.at(p)[2].imag()) - im) <= 0.1 * im)
      most = std::max(most, std::abs(f[static_cast<std::size_t>(p)]));
  return most;
}

struct Judged {
  double worst = 0; // difference / what is allowed
  double error = 0; // difference / |F| near it
};

Judged judge(const test::Reference &exact, const std::vector<double> &size,
             const std::vector<std::complex<double>> &f, double accuracy) {
  Judged judged;
  for (std::size_t p = 0; p < f.size(); ++p) {
    const double difference = std::abs(f[p] - exact.f[p]);
    // What double itself can judge: the rounding of the reference.
    const double allowed = accuracy * size[p] + 4 * DBL_EPSILON * exact.bound[p];
    const double ratio = difference == 0 ? 0 : difference / allowed;
    if (!(ratio <= judged.worst)) { // a NaN is the worst
      judged.worst = ratio;
      judged.error = difference / size[p];
    }
  }
  return judged;
}

/// 0: agreed or rightly refused.
int tryAlgorithm(const Asked &asked, const Kernel &kernel, const Mesh &mesh, const Grid &grid,
                 const std::vector<double> &params, const test::Reference &exact,
                 const std::vector<double> &size, std::optional<facet_algorithm> algorithm) {
  const std::string name = algorithm ? algorithmName(*algorithm) : "auto";
  PlanOptions options;
  options.algorithm = algorithm;
  options.accuracy = asked.accuracy;
  options.target = asked.target;
  options.threads = 1;
  options.params = params;
  try {
    Plan plan(kernel, grid, mesh, options);
    const Measured measured = executeToContract(plan, params);
    const Judged judged = judge(exact, size, plan.values(), asked.accuracy);
    const bool good = judged.worst <= 1;
    fmt::print("{} {}: error {:.2e}, {:.2f} of what is allowed, {} repaired: {}\n", name,
               facet::runtime::name(plan.choice()), judged.error, judged.worst,
               plan.last().repaired,
               good            ? "agrees"
               : !measured.met ? "MISSED, and says so"
                               : "MISSED, unseen");
    return good ? 0 : 1;
  } catch (const Error &error) {
    // Outside the form the fast algorithms are refused, by the expression that forbids them; a term
    // that is drawn as zero has no form, one of very many products none worth having.
    const bool points = grid.kind == Grid::Kind::Points && name == "separable";
    const std::string text = error.what();
    const bool none = text.find("has no wave") != std::string::npos ||
                      text.find("too many to gain by") != std::string::npos;
    const bool right = points || none ||
                       (!asked.inForm && algorithm && *algorithm != FACET_DIRECT &&
                        text.find("k.cpp:") != std::string::npos);
    fmt::print("{}: {}: {}\n", name, right ? "refused" : "REFUSED", text);
    return right ? 0 : 1;
  }
}

int agree(Asked asked) {
  const Kernel kernel = Kernel::load(asked.library);
  std::mt19937_64 random(asked.problem.seed);
  const std::vector<std::int64_t> sizes{1, 2, 3, 15, 16, 17, 40};
  const auto pick = [&] { return sizes[random() % sizes.size()]; };
  Problem &problem = asked.problem;
  problem.extent = random() % 2 == 0 ? 20 : 60;
  problem.nt = pick() * 5;
  problem.n = {1 + static_cast<std::int64_t>(random() % 3), pick(), pick()};
  const Mesh mesh = randomMesh(problem, kernel);
  Grid grid = randomGrid(problem);
  if (asked.uniform && problem.kind == Grid::Kind::Product)
    for (Axis &axis : grid.axes)
      makeUniform(axis);
  const std::vector<double> params = randomParameters(problem, kernel);
  const test::Reference exact = reference(kernel, mesh, grid, params);
  std::vector<double> size;
  for (std::int64_t p = 0; p < grid.size(); ++p)
    size.push_back(sizeNear(grid, exact.f, p));
  int failures = 0;
  for (const std::optional<facet_algorithm> algorithm :
       {std::optional<facet_algorithm>{}, std::optional{FACET_DIRECT},
        std::optional{FACET_SEPARABLE}, std::optional{FACET_NUFFT}})
    failures += tryAlgorithm(asked, kernel, mesh, grid, params, exact, size, algorithm);
  return failures;
}

} // namespace

int main(int argc, char **argv) {
  facet::cli::CommandLine line("one kernel by every algorithm against its reference",
                               "facet_agree");
  facet::cli::Command app = line.root();
  Asked asked;
  std::string grid = "product", axes = "uniform", q = "real";
  app.option("library", asked.library).required();
  app.option("--target", asked.target);
  app.option("--grid", grid).oneOf({"product", "points"});
  app.option("--axes", axes).oneOf({"uniform", "irregular"});
  app.option("--q", q).oneOf({"real", "cplx"});
  app.option("--accuracy", asked.accuracy);
  app.option("--seed", asked.problem.seed);
  app.flag("--in-form", asked.inForm);
  int failures = 0;
  app.run([&] {
    asked.uniform = axes == "uniform";
    asked.problem.kind = grid == "points" ? Grid::Kind::Points : Grid::Kind::Product;
    asked.problem.complexQ = q == "cplx";
    failures = agree(std::move(asked));
  });
  try {
    const int refused = line.read(argc, argv);
    return refused != 0 || failures != 0 ? 1 : 0;
  } catch (const std::exception &error) {
    fmt::print("{}\n", error.what());
    return 1;
  }
}
