// verify.cpp - one compiled kernel library against its reference and against its IR, on a random
// problem; the judge of random_kernels.py.
//
//   verify LIBRARY --ir FILE.fir --target T --class C --grid G --q real|cplx --seed N
//   verify --list-targets
#include "codegen/ir/evaluate.h"
#include "compare.h"
#include "runtime/cli/command.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <random>
#include <sstream>

namespace {
using namespace facet;
using namespace facet::runtime;
using namespace facet::test;

/// Values of random kernels are of size 1 or more, unless they vanish.
constexpr double Floor = 1e-3;

/// The largest change of F when corners and q move by a rounding of f32, relative 2^-24: what the
/// problem itself makes of roundings. A kernel may be as wrong as a few of these.
double conditioning(const Kernel &kernel, const Mesh &mesh, const Grid &grid,
                    const std::vector<double> &params) {
  const test::Reference exact = reference(kernel, mesh, grid, params);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> u(-0x1p-24, 0x1p-24);
  double most = 0;
  for (int n = 0; n < 4; ++n) {
    Mesh moved = mesh;
    for (auto &corners : moved.triangles)
      for (auto &corner : corners)
        for (double &x : corner)
          x *= 1 + u(random);
    for (auto &[name, values] : moved.columns)
      for (double &x : values)
        x *= 1 + u(random);
    Grid other = grid;
    for (Axis &axis : other.axes) {
      for (double &x : axis.re)
        x *= 1 + u(random);
      for (double &x : axis.im)
        x *= 1 + u(random);
    }
    const test::Reference there = reference(kernel, moved, other, params);
    for (std::size_t p = 0; p < exact.f.size(); ++p)
      most = std::max(most, std::abs(there.f[p] - exact.f[p]));
  }
  return most;
}

/// F of one record by the IR evaluator, as the front end wrote it.
std::complex<double> byIr(const ir::Kernel &kernel, const Mesh &mesh,
                          const std::array<std::complex<double>, 3> &q,
                          const std::vector<double> &params) {
  ir::Point point;
  point.q = q;
  for (const ir::Field &field : kernel.fields) {
    const bool vector = field.type == ir::Type::Vec3;
    for (int c = 0; c < (vector ? 3 : 1); ++c) {
      const std::string name = vector ? fmt::format("{}.{}", field.name, "xyz"[c]) : field.name;
      point.record[field.name][c] = column(mesh, name)[0];
    }
  }
  for (std::size_t p = 0; p < params.size(); ++p)
    point.params[ir::slots(kernel)[p]] = params[p];
  point.sum = ir::evaluateTerm(kernel, point);
  return ir::evaluateFinish(kernel, point);
}

int verify(const std::string &libraryPath, const std::string &irPath, const Problem &asked,
           facet_class klass, const std::string &target) {
  const Kernel kernel = Kernel::load(libraryPath);
  std::mt19937_64 random(asked.seed);
  const std::vector<std::int64_t> sizes{1, 2, 3, 15, 16, 17, 40};
  const auto pick = [&] { return sizes[random() % sizes.size()]; };
  Problem problem = asked;
  problem.extent = 20;
  problem.nt = pick();
  problem.n = {1 + static_cast<std::int64_t>(random() % 3), pick(), pick()};
  const Mesh mesh = randomMesh(problem, kernel);
  const Grid grid = randomGrid(problem);
  const std::vector<double> params = randomParameters(problem, kernel);

  PlanOptions options;
  options.algorithm = FACET_DIRECT; // exact means; algorithm_kernels.py has the others
  options.klass = klass;
  options.target = target;
  options.threads = 1;
  Plan plan(kernel, grid, mesh, options);
  const Comparison result = compare(kernel, mesh, grid, params, plan.execute(params), Floor);
  const double condition = conditioning(kernel, mesh, grid, params) / result.n;
  const double tolerance =
      klass == FACET_F64 ? 1e-12 + condition * 100 * 0x1p-29 : 5e-6 + 100 * condition;
  bool good = result.error <= tolerance;
  if (!good)
    fmt::print(
        "target and reference differ: max error {:.3g}, allowed {:.3g}, nt {}, extents {} {} {}\n",
        result.error, tolerance, problem.nt, problem.n[0], problem.n[1], problem.n[2]);

  if (!irPath.empty()) {
    std::stringstream text;
    text << std::ifstream(irPath).rdbuf();
    const ir::Kernel ir = ir::read(text.str(), irPath);
    problem.nt = 1;
    const Mesh one = randomMesh(problem, kernel);
    const test::Reference ref = reference(kernel, one, grid, params);
    const double bound = std::max(Floor, *std::max_element(ref.bound.begin(), ref.bound.end()));
    for (std::int64_t p = 0; p < std::min<std::int64_t>(grid.size(), 20); ++p) {
      const double difference = std::abs(byIr(ir, one, grid.at(p), params) - ref.f[p]);
      if (!(difference <= 1e-11 * (bound + condition * 1e5 * bound))) {
        fmt::print("IR evaluator and reference differ: {:.3g} of {:.3g} at point {}\n", difference,
                   bound, p);
        good = false;
        break;
      }
    }
  }
  return good ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  facet::cli::CommandLine line("one kernel library against its reference and its IR",
                               "facet_verify");
  facet::cli::Command app = line.root();
  std::string library, ir, target, klass = "f64", grid = "product", q = "real";
  Problem problem;
  bool list = false;
  app.option("library", library);
  app.option("--ir", ir);
  app.option("--target", target);
  app.option("--class", klass);
  app.option("--grid", grid).oneOf({"product", "points"});
  app.option("--q", q).oneOf({"real", "cplx"});
  app.option("--seed", problem.seed);
  app.flag("--list-targets", list);
  int failed = 0;
  app.run([&] {
    if (list) {
      for (const Target &t : targets())
        if (t.runnable())
          fmt::print("{}\n", t.name);
      return;
    }
    problem.kind = grid == "points" ? Grid::Kind::Points : Grid::Kind::Product;
    problem.complexQ = q == "cplx";
    failed = verify(library, ir, problem, classByName(klass), target);
  });
  try {
    const int refused = line.read(argc, argv);
    return refused != 0 ? 1 : failed;
  } catch (const facet::ir::Error &error) {
    fmt::print("{}: {}:{}: {}\n", ir, error.loc.line, error.loc.column, error.message);
  } catch (const std::exception &error) {
    fmt::print("{}\n", error.what());
  }
  return 1;
}
