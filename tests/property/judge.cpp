// judge.cpp - one compiled kernel library on one random problem; the judge of random_kernels.py
// and of algorithm_kernels.py.
//
//   judge LIBRARY --target T --grid product|points --q real|cplx --seed N [--ir FILE.fir] --class C
//   judge LIBRARY ... --accuracy A --axes uniform|irregular [--in-form] [--narrow]
//   judge --list-targets
// --narrow: of lines in q that trials do not meet; algorithms that are forced may say that they
// missed. With a class: its direct sum against the reference, and one record by the IR against the
// reference. With an accuracy: does every algorithm keep it at every q? A line an algorithm: its
// error, or why it was refused.
#include "codegen/ir/evaluate.h"
#include "compare.h"
#include "runtime/app/cli/command/command.h"
#include "tests/support/folder.h"
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <facet/runtime/error.h>
#include <facet/runtime/mesh_stream.h>
#include <fmt/format.h>
#include <random>

namespace {
using namespace facet;
using namespace facet::runtime;
using namespace facet::test;

struct Request {
  test::Problem problem;
  std::string library, ir, target, klass = "f64";
  double accuracy = 0; // 0: one class is judged
  bool uniform = false, inForm = false, narrow = false;
};

/// A problem as it was drawn.
struct Drawn {
  Mesh mesh;
  Grid grid;
  std::vector<double> params;
  test::Reference exact;
};

/// Sizes around those of vectors and tiles, `times` as many records; sets them in the problem.
void drawSizes(test::Problem &problem, std::mt19937_64 &random, int times) {
  constexpr std::int64_t sizes[] = {1, 2, 3, 15, 16, 17, 40};
  const auto pick = [&] { return sizes[random() % std::size(sizes)]; };
  problem.nt = pick() * times;
  const std::int64_t nx = 1 + static_cast<std::int64_t>(random() % 3);
  const std::int64_t ny = pick();
  problem.n = {nx, ny, pick()};
}

Drawn draw(const test::Problem &problem, const Kernel &kernel, bool uniform) {
  Drawn drawn{
      randomMesh(problem, kernel), randomGrid(problem), randomParameters(problem, kernel), {}};
  if (uniform && problem.kind == Grid::Kind::Product)
    for (Axis &axis : drawn.grid.axes) { // over its range; imaginary parts stay as they are
      const auto [low, high] = std::minmax_element(axis.re.begin(), axis.re.end());
      axis.re = linspace(*low, *high, std::ssize(axis.re)).re;
    }
  drawn.exact = reference(kernel, drawn.mesh, drawn.grid, drawn.params);
  return drawn;
}

PlanOptions optionsOf(const Request &request, const Drawn &drawn) {
  PlanOptions options;
  options.target = request.target;
  options.threads = 1;
  options.params = drawn.params;
  return options;
}

/// The largest distance within the mesh that a plan may go by, nm: from its middle or from the
/// origin, the smaller.
double radiusOf(const Mesh &mesh) {
  const MeshSummary summary = summarise(mesh);
  return std::min(summary.farthest, summary.farthestFromOrigin);
}

/// For each q the largest |F| among those damped alike, as docs/accuracy.md has it: Im q.z differs
/// by at most a tenth, or so little that damping over the mesh does. Without the second, a q that
/// is alone with its Im q.z would be judged relative to its own F, which a narrow factor may make
/// 1e-10 of what nobody could tell from it.
std::vector<double> sizesOf(const Drawn &drawn) {
  const double radius = radiusOf(drawn.mesh);
  const std::int64_t n = drawn.grid.size();
  std::vector<double> im;
  for (std::int64_t p = 0; p < n; ++p)
    im.push_back(drawn.grid.at(p)[2].imag());
  std::vector<double> sizes(im.size());
  for (std::size_t p = 0; p < im.size(); ++p)
    for (std::size_t other = 0; other < im.size(); ++other)
      if (const double apart = std::abs(im[other] - im[p]);
          apart <= 0.1 * std::abs(im[p]) || apart * radius <= 0.1)
        sizes[p] = std::max(sizes[p], std::abs(drawn.exact.f[other]));
  return sizes;
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
int tryAlgorithm(const Request &request, const Kernel &kernel, const Drawn &drawn,
                 const std::vector<double> &size, std::optional<facet_algorithm> algorithm) {
  const std::string name = algorithm ? algorithmName(*algorithm) : "auto";
  PlanOptions options = optionsOf(request, drawn);
  options.algorithm = algorithm;
  options.accuracy = request.accuracy;
  try {
    Plan plan(kernel, drawn.grid, drawn.mesh, options);
    const Measured measured = executeToContract(plan, drawn.params);
    const Judged judged = judge(drawn.exact, size, plan.values(), request.accuracy);
    const bool good = judged.worst <= 1;
    fmt::print("{} {}: error {:.2e}, {:.2f} of what is allowed, {} repaired: {}\n", name,
               facet::runtime::name(plan.choice()), judged.error, judged.worst,
               plan.last().repaired,
               good            ? "agrees"
               : !measured.met ? "MISSED, and says so"
                               : "MISSED, unseen");
    // On a line in q that the trials of the plan do not meet the sizes of F are guessed wrongly:
    // the run says so, and without an algorithm takes another.
    return good || (request.narrow && algorithm && !measured.met) ? 0 : 1;
  } catch (const Error &error) {
    // Outside the form the fast algorithms are refused, by the expression that forbids them. A term
    // that is drawn as zero has no form, one of very many products none worth having. There is no
    // gain where conditions change within the grid for each record, nor are there nodes for a line
    // in each.
    const bool points = drawn.grid.kind == Grid::Kind::Points && name == "separable";
    const std::string text = error.what();
    const bool none =
        text.find("has no wave") != std::string::npos ||
        text.find("all would be summed directly") != std::string::npos ||
        (!request.inForm && text.find("varies too much for nodes") != std::string::npos) ||
        text.find("too many to gain by") != std::string::npos;
    const bool right = points || none ||
                       (!request.inForm && algorithm && *algorithm != FACET_DIRECT &&
                        text.find("k.cpp:") != std::string::npos);
    fmt::print("{}: {}: {}\n", name, right ? "refused" : "REFUSED", text);
    return right ? 0 : 1;
  }
}

/// How many algorithms miss the accuracy or are wrongly refused.
int judgeAlgorithms(Request request, const Kernel &kernel) {
  std::mt19937_64 random(request.problem.seed);
  request.problem.extent = random() % 2 == 0 ? 20 : 60;
  drawSizes(request.problem, random, 5);
  const Drawn drawn = draw(request.problem, kernel, request.uniform);
  const std::vector<double> size = sizesOf(drawn);
  int failures = tryAlgorithm(request, kernel, drawn, size, {});
  for (const facet_algorithm algorithm : {FACET_DIRECT, FACET_SEPARABLE, FACET_NUFFT})
    failures += tryAlgorithm(request, kernel, drawn, size, algorithm);
  return failures;
}

/// Values of random kernels are of size 1 or more, unless they vanish.
constexpr double Floor = 1e-3;

/// The largest change of each output when corners and q move by a rounding of f32, relative 2^-24:
/// what the problem itself makes of roundings. A kernel may be as wrong as a few of these.
std::vector<double> conditioning(const Kernel &kernel, const Drawn &drawn) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> u(-0x1p-24, 0x1p-24);
  const auto size = static_cast<std::size_t>(drawn.grid.size());
  std::vector<double> most(drawn.exact.f.size() / size);
  for (int n = 0; n < 4; ++n) {
    Mesh moved = drawn.mesh;
    for (auto &corners : moved.triangles)
      for (auto &corner : corners)
        for (double &x : corner)
          x *= 1 + u(random);
    for (auto &[name, values] : moved.columns)
      for (double &x : values)
        x *= 1 + u(random);
    Grid other = drawn.grid;
    for (Axis &axis : other.axes) {
      for (double &x : axis.re)
        x *= 1 + u(random);
      for (double &x : axis.im)
        x *= 1 + u(random);
    }
    const test::Reference there = reference(kernel, moved, other, drawn.params);
    for (std::size_t p = 0; p < drawn.exact.f.size(); ++p)
      most[p / size] = std::max(most[p / size], std::abs(there.f[p] - drawn.exact.f[p]));
  }
  return most;
}

/// The outputs of one record by the IR evaluator, as the front end wrote it.
std::vector<std::complex<double>> byIr(const ir::Kernel &kernel, const Mesh &mesh, const Grid &grid,
                                       std::int64_t p, const std::vector<double> &params) {
  ir::Point point;
  point.q = grid.at(p);
  for (const ir::Field &field : kernel.fields) {
    if (field.axis >= 0) {
      const auto place = grid.placesOf(p)[static_cast<std::size_t>(field.axis)];
      point.record[field.name][0] = mesh.tables.at(field.name).row(place)[0];
      continue;
    }
    const bool vector = field.type == ir::Type::Vec3;
    for (int c = 0; c < (vector ? 3 : 1); ++c) {
      const std::string name = vector ? fmt::format("{}.{}", field.name, "xyz"[c]) : field.name;
      point.record[field.name][c] = column(mesh, name)[0];
    }
  }
  for (std::size_t p = 0; p < params.size(); ++p)
    point.params[ir::slots(kernel)[p]] = params[p];
  point.setSums(ir::evaluateTerm(kernel, point));
  return ir::evaluateFinish(kernel, point);
}

/// Whether one record by the IR evaluator is what the reference has, at a few q.
bool irAgrees(const Request &request, const Kernel &kernel, const Drawn &drawn, double condition) {
  const ir::Kernel ir = ir::read(textOf(request.ir), request.ir);
  test::Problem problem = request.problem;
  problem.nt = 1;
  const Mesh one = randomMesh(problem, kernel);
  const test::Reference ref = reference(kernel, one, drawn.grid, drawn.params);
  const double bound = std::max(Floor, *std::max_element(ref.bound.begin(), ref.bound.end()));
  for (std::int64_t p = 0; p < std::min<std::int64_t>(drawn.grid.size(), 20); ++p) {
    auto at = static_cast<std::size_t>(p);
    for (const std::complex<double> &f : byIr(ir, one, drawn.grid, p, drawn.params)) {
      const double difference = std::abs(f - ref.f.at(at));
      at += static_cast<std::size_t>(drawn.grid.size());
      if (!(difference <= 1e-11 * (bound + condition * 1e5 * bound))) {
        fmt::print("IR evaluator and reference differ: {:.3g} of {:.3g} at point {}\n", difference,
                   bound, p);
        return false;
      }
    }
  }
  return true;
}

/// 0: the direct sum of the class, and the IR if there is one, agree with the reference.
int judgeClass(Request request, const Kernel &kernel) {
  std::mt19937_64 random(request.problem.seed);
  request.problem.extent = 20;
  drawSizes(request.problem, random, 1);
  const Drawn drawn = draw(request.problem, kernel, false);
  PlanOptions options = optionsOf(request, drawn);
  options.params.clear();
  options.algorithm = FACET_DIRECT; // exact means
  options.klass = static_cast<facet_class>(classByName(request.klass));
  Plan plan(kernel, drawn.grid, drawn.mesh, options);
  const std::vector<Comparison> results =
      compareEach(kernel, drawn.mesh, drawn.grid, drawn.params, plan.execute(drawn.params), Floor);
  const std::vector<double> changes = conditioning(kernel, drawn);
  bool good = true;
  double worst = 0;
  for (std::size_t o = 0; o < results.size(); ++o) {
    const double condition = changes[o] / results[o].n;
    const double tolerance =
        options.klass == FACET_F64 ? 1e-12 + condition * 100 * 0x1p-29 : 5e-6 + 100 * condition;
    worst = std::max(worst, condition);
    if (results[o].error <= tolerance)
      continue;
    good = false;
    fmt::print("target and reference differ: max error {:.3g} of output {}, allowed {:.3g}, nt {}, "
               "extents {}\n",
               results[o].error, o, tolerance, request.problem.nt,
               fmt::join(request.problem.n, " "));
  }
  return (request.ir.empty() || irAgrees(request, kernel, drawn, worst)) && good ? 0 : 1;
}

void listTargets() {
  for (const Target &t : targets())
    if (t.runnable())
      fmt::print("{}\n", t.name);
}

} // namespace

int main(int argc, char **argv) {
  facet::cli::CommandLine line("one kernel library on a random problem", "facet_judge");
  facet::cli::Command app = line.root();
  Request request;
  std::string grid = "product", axes = "uniform", q = "real";
  bool list = false;
  app.option("library", request.library);
  app.option("--ir", request.ir);
  app.option("--target", request.target);
  app.option("--class", request.klass);
  app.option("--grid", grid).oneOf({"product", "points"});
  app.option("--axes", axes).oneOf({"uniform", "irregular"});
  app.option("--q", q).oneOf({"real", "cplx"});
  app.option("--accuracy", request.accuracy);
  app.option("--seed", request.problem.seed);
  app.flag("--in-form", request.inForm);
  app.flag("--narrow", request.narrow);
  app.flag("--list-targets", list);
  int failures = 0;
  app.run([&] {
    if (list)
      return listTargets();
    request.uniform = axes == "uniform";
    request.problem.kind = grid == "points" ? Grid::Kind::Points : Grid::Kind::Product;
    request.problem.complexQ = q == "cplx";
    const Kernel kernel = Kernel::load(request.library);
    failures =
        request.accuracy > 0 ? judgeAlgorithms(request, kernel) : judgeClass(request, kernel);
  });
  try {
    const int refused = line.read(argc, argv);
    return refused != 0 || failures != 0 ? 1 : 0;
  } catch (const facet::ir::Error &error) {
    fmt::print("{}: {}:{}: {}\n", request.ir, error.loc.line, error.loc.column, error.message);
  } catch (const std::exception &error) {
    fmt::print("{}\n", error.what());
  }
  return 1;
}
