// judge.cpp - <J v, g> = <v, J* g> of kernels drawn at random; the judge of random_adjoints.py.
//
//   judge KERNELS.cpp [--duals LIBRARY] [--compiled FOLDER]
// For every kernel k1, k2, .. of the file, on a problem drawn by its number, it compares:
// - J, and J* likewise, by the evaluator of the IR before and after the passes of each algorithm
//   that its form allows;
// - J by the kernel file compiled with dual numbers (random_adjoints.py makes that library);
// - J and J* by compiled code, by every algorithm, for those that are in FOLDER as kN.cpp.
//
// A line a comparison:
//   SEED WHAT agrees|moved|cancels|unsteady|refused|DIFFERS ...
// moved: further apart than rounding of what is added, no further than what moving the problem by a
// rounding does; unsteady: a branch ends at the problem.
#include "codegen/frontend/frontend.h"
#include "codegen/passes/differentiate.h"
#include "codegen/passes/forms.h"
#include "interpreted.h"
#include "runtime/app/cli/command/command.h"
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <dlfcn.h>
#include <facet/runtime/error.h>
#include <facet/runtime/plan.h>
#include <filesystem>
#include <fmt/format.h>

namespace {
using namespace facet;
using namespace facet::runtime;
using facet::test::AdjointProblem;
using facet::test::Values;
using Complex = std::complex<double>;
using passes::Algorithm;

constexpr double ofProducts = 1e-12,
                 ofDuals = 1e-11; // allowed, relative to what is added, to the largest
/// Relative to F, and to 1, about which what kernels are made of is: what is left of parts that
/// cancel whatever moves, as of a normal's length.
constexpr double ofValues = 64 * DBL_EPSILON;
constexpr double transforms = 1e-9; // accuracy asked of them
constexpr double step = 1e-9;       // by which a problem is moved
/// How far rounding may move a result that moving the problem by `step` moves by 1.
constexpr double rounding = 100 * DBL_EPSILON / step;
/// Relative to what is added: what moves by more has a branch there; what is smooth moves by about
/// `step`.
constexpr double unsteady = 1e-6;

/// A number found in two ways, and the sum of the moduli of what was added to it.
struct Product {
  double value = 0, size = 0;
};

Product forward(const Values &change, const Values &g) {
  Product made;
  for (std::size_t k = 0; k < g.size(); ++k) {
    const double part = 2 * (std::conj(g[k]) * change[k]).real();
    made.value += part;
    made.size += std::abs(part);
  }
  return made;
}

Product back(const ColumnGradient &gradient, const AdjointProblem &problem) {
  Product made;
  const auto add = [&](double part) {
    made.value += part;
    made.size += std::abs(part);
  };
  const Corners by = byCorners(problem.mesh, gradient);
  for (std::size_t t = 0; t < by.size(); ++t)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t k = 0; k < 3; ++k)
        add(by[t][c][k] * problem.along[t][c][k]);
  if (const auto own = gradient.find("contrast"); own != gradient.end())
    for (std::size_t t = 0; t < own->second.size(); ++t)
      add(own->second[t] * problem.contrast[t]);
  return made;
}

double largestOf(const Values &values) {
  double most = 0;
  for (const Complex &z : values)
    most = std::max(most, std::abs(z));
  return most;
}

/// One kernel on one problem.
class Judge {
public:
  Judge(ir::Kernel kernel, std::uint64_t seed)
      : kernel_(std::move(kernel)), seed_(seed),
        adjoint_(
            passes::adjointOf(kernel_, complexOf(seed))), // a kernel without one is refused here
        problem_(test::drawProblem(kernel_, seed, complexOf(seed))),
        tangent_(passes::tangentOf(kernel_)) {}

  /// As random_adjoints.py draws it.
  static bool complexOf(std::uint64_t seed) { return seed % 2 == 1; }

  int failures() const { return failures_; }

  void byIr() {
    const Mesh changing = problem_.changing();
    change_ = test::interpreted(tangent_, problem_, changing);
    const Product there = forward(change_, problem_.g);
    compare("ir", there, back(test::interpretedAdjoint(kernel_, adjoint_, problem_), problem_));
    const ir::Kernel list =
        passes::run(adjoint_, {ir::GridKind::Points, false, passes::Class::F64});
    back_ = back(test::interpretedAdjoint(kernel_, list, problem_), problem_);
    compare("adjoint", there, back_);
    for (const Algorithm algorithm : {Algorithm::Direct, Algorithm::Separable, Algorithm::Nufft})
      byPasses(algorithm, changing);
  }

  /// By the function of random_adjoints.py: what F changes by at every q.
  void byDuals(void *library) {
    using Change =
        void (*)(const double *q, const double *records, long n, double kappa, double *f);
    const std::string name = fmt::format("change{}", seed_);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): what dlsym gives
    const auto change = reinterpret_cast<Change>(dlsym(library, name.c_str()));
    if (change == nullptr)
      return;
    const std::vector<double> records = numbersOf(problem_.changing());
    const auto outputs = kernel_.finish.outputs.size(),
               size = static_cast<std::size_t>(problem_.grid.size());
    Values wanted(outputs * size), f(outputs);
    for (std::size_t p = 0; p < size; ++p) {
      const auto q = problem_.grid.at(static_cast<std::int64_t>(p));
      const std::array<double, 4> at{q[0].real(), q[1].real(), q[2].real(), q[2].imag()};
      change(at.data(), records.data(), static_cast<long>(problem_.mesh.size()), problem_.params[0],
             reinterpret_cast<double *>(f.data()));
      for (std::size_t o = 0; o < outputs; ++o)
        wanted[o * size + p] = f[o];
    }
    const double largest = largestOf(wanted), allowed = ofDuals * largest;
    const double apart = largestApart(wanted, [](std::size_t) { return true; });
    // A q where a branch ends, as one across a triangle, is small beside another where F is large.
    const auto isSteady = [&](std::size_t k) {
      moved();
      return movedAt_[k] <= unsteady * std::abs(change_[k]);
    };
    if (std::isfinite(apart) && apart > allowed && largestApart(wanted, isSteady) <= allowed)
      return fmt::print("{} duals unsteady {:.2g} of {:.3g}\n", seed_, apart, largest);
    say("duals", apart, largest, ofDuals);
  }

  void byCode(const std::string &file) {
    const Mesh changing = problem_.changing();
    std::vector<double> params = problem_.params;
    params.push_back(0); // which does not change
    for (const facet_algorithm algorithm : {FACET_DIRECT, FACET_SEPARABLE, FACET_NUFFT})
      tried(fmt::format("code {}", algorithmName(algorithm)), [&](const std::string &what) {
        const Kernel tangent = tangentFor(file, algorithm);
        PlanOptions options;
        options.algorithm = algorithm;
        options.accuracy = transforms;
        options.params = params;
        if (algorithm != FACET_NUFFT)
          options.klass = FACET_F64;
        Plan plan(tangent, problem_.grid, changing, options);
        const bool exact = algorithm != FACET_NUFFT && !plan.choice().nodes; // of means
        if (!exact && !executeToContract(plan, params).met)
          throw Error(
              file,
              "missed the accuracy, and says so"); // no direct sums are there to repair small q
        const Values change = plan.execute(params);
        double most = 0; // that an error of transforms may make
        for (const Complex &g : problem_.g)
          most += 2 * std::abs(g) * transforms * largestOf(change);
        compare(what, forward(change, problem_.g), back_, exact ? 0 : most);
      });
    for (const facet_algorithm algorithm : {FACET_DIRECT, FACET_NUFFT})
      tried(fmt::format("gradient {}", algorithmName(algorithm)),
            [&](const std::string &what) { byGradient(what, file, algorithm); });
  }

private:
  ir::Kernel kernel_;
  std::uint64_t seed_;
  ir::Kernel adjoint_;
  AdjointProblem problem_;
  ir::Kernel tangent_;
  Values change_;
  Product back_;
  std::optional<double> moves_; // of <J v, g>, if the problem is moved by `step`
  std::vector<double> movedAt_; // of what F changes by at each q then
  int failures_ = 0;

  void byPasses(Algorithm algorithm, const Mesh &changing) {
    const bool product = problem_.grid.kind == Grid::Kind::Product;
    const auto kind =
        product && algorithm != Algorithm::Nufft ? ir::GridKind::Product : ir::GridKind::Points;
    const std::string what(spelling(algorithm));
    const passes::Forms forms = passes::formsOf(tangent_, problem_.complexQ);
    const passes::Form &form = algorithm == Algorithm::Nufft ? forms.nufft : forms.separable;
    if (algorithm == Algorithm::Separable && !product)
      return;
    if (algorithm != Algorithm::Direct && (!form.possible || forms.means))
      return fmt::print("{} {} refused {}\n", seed_, what,
                        form.possible ? "its means are sums over nodes" : form.reason);
    const ir::Kernel lowered =
        passes::run(tangent_, {kind, problem_.complexQ, passes::Class::F64, algorithm});
    const Values change = test::interpreted(lowered, problem_, changing);
    if (algorithm != Algorithm::Nufft)
      return compare(what, forward(change, problem_.g), back_);
    double apart =
        0; // where F does not magnify cis - 1, which transforms take apart: plans repair such q
    for (std::size_t k = 0; k < change.size(); ++k)
      if (!isSmall(k))
        apart += 2 * std::abs(problem_.g[k]) * std::abs(change[k] - change_[k]);
    say(what, apart, forward(change_, problem_.g).size + back_.size, ofProducts);
  }

  /// From what F changes by, of those that count; not a number, if one is none.
  template <class Counts> double largestApart(const Values &wanted, const Counts &counts) const {
    constexpr double magnified =
        1e-3; // what counts next to q = 0, where finish may magnify rounding
    double apart = 0;
    for (std::size_t k = 0; k < wanted.size(); ++k)
      if (const double here = (isSmall(k) ? magnified : 1) * std::abs(wanted[k] - change_[k]);
          !(here <= apart) && counts(k))
        apart = here;
    return apart;
  }

  bool isSmall(std::size_t k) const {
    double square = 0;
    for (const Complex &q : problem_.grid.at(static_cast<std::int64_t>(k) % problem_.grid.size()))
      square += std::norm(q);
    return square < 1e-6;
  }

  /// The library with transforms is that which Gradient takes, too.
  Kernel tangentFor(const std::string &file, facet_algorithm algorithm) const {
    const bool product = problem_.grid.kind == Grid::Kind::Product;
    CompileRequest request;
    request.target = bestTarget();
    request.grid = product ? FACET_PRODUCT : FACET_POINTS;
    request.q = problem_.grid.complexQ() ? FACET_COMPLEX_Q : FACET_REAL_Q;
    request.algorithms = algorithm == FACET_NUFFT ? "nufft?" : "direct,separable?";
    if (algorithm != FACET_NUFFT)
      request.klass = "f64";
    request.derive = "tangent";
    return Kernel::load(compileKernel(file, request).library);
  }

  void byGradient(const std::string &what, const std::string &file, facet_algorithm algorithm) {
    GradientOptions options;
    options.algorithm = algorithm;
    options.accuracy = transforms;
    Gradient gradient(file, problem_.grid, problem_.mesh, options);
    const ColumnGradient columns = gradient.columns(problem_.g, problem_.params);
    const Mesh changing = problem_.changing();
    double most = 0;
    for (const auto &[name, values] : columns) {
      double largest = 0;
      for (const double value : values)
        largest = std::max(largest, std::abs(value));
      for (const double change : changing.columns.at("d_" + name))
        most += transforms * largest * std::abs(change);
    }
    compare(what, forward(change_, problem_.g), back(columns, problem_),
            algorithm == FACET_NUFFT ? most : 0);
    if (gradient.last().algorithm != algorithm)
      fmt::print("{} {} refused {}\n", seed_, what, gradient.last().reason);
  }

  template <class Work> void tried(const std::string &what, const Work &work) {
    try {
      work(what);
    } catch (const Error &error) {
      std::string text = error.what();
      std::ranges::replace(text, '\n', ' ');
      fmt::print("{} {} refused {}\n", seed_, what, text);
    }
  }

  /// `more`: allowed beside rounding.
  void compare(const std::string &what, const Product &there, const Product &back,
               double more = 0) {
    say(what, std::abs(there.value - back.value), there.size + back.size, ofProducts, more);
  }

  void say(const std::string &what, double apart, double size, double relative, double more = 0) {
    const double allowed = relative * size + more;
    const char *verdict = "agrees";
    constexpr double least = DBL_MIN / DBL_EPSILON; // smaller numbers have fewer digits
    if (size <= least && apart <= least)
      verdict = "vanishes";
    else if (!(apart <= allowed))
      verdict = !std::isfinite(apart)                   ? (finiteNear() ? "unsteady" : "DIFFERS")
                : !(moved() <= unsteady * size)         ? "unsteady"
                : apart <= allowed + rounding * moved() ? "moved"
                : apart <= ofValues * sizeOfParts()     ? "cancels"
                                                        : "DIFFERS";
    failures_ += std::string_view(verdict) == "DIFFERS";
    fmt::print("{} {} {} {:.2g} of {:.3g}\n", seed_, what, verdict, apart, size);
  }

  /// A root of 0 has no derivative; that next to it has one.
  bool finiteNear() const {
    test::Draw draw{std::mt19937_64(seed_)};
    const AdjointProblem near = problem_.moved(draw, step);
    return std::isfinite(
        forward(test::interpreted(tangent_, near, near.changing()), problem_.g).size);
  }

  double sizeOfParts() const {
    double size = forward(test::interpreted(kernel_, problem_, problem_.mesh), problem_.g).size;
    for (const Complex &g : problem_.g)
      size += 2 * std::abs(g);
    return size;
  }

  /// The largest change of <J v, g> and of what F changes by, of some problems near this one: of
  /// few, a branch may be taken alike by all.
  double moved() {
    if (moves_)
      return *moves_;
    test::Draw draw{std::mt19937_64(seed_)};
    double most = 0;
    movedAt_.assign(change_.size(), 0);
    for (int k = 0; k < 8; ++k) {
      const AdjointProblem near = problem_.moved(draw, step);
      const Values change = test::interpreted(tangent_, near, near.changing());
      double apart = 0;
      for (std::size_t i = 0; i < change.size(); ++i) {
        const double here = std::abs(change[i] - change_[i]);
        apart += 2 * std::abs(problem_.g[i]) * here;
        movedAt_[i] = std::max(movedAt_[i], here);
      }
      most = std::max(most, apart);
    }
    moves_ = most;
    return most;
  }

  /// The numbers of each record, each with what it changes by, in the order of random_adjoints.py.
  static std::vector<double> numbersOf(const Mesh &mesh) {
    std::vector<std::string> names{"area"};
    for (const char *vector :
         {"normal", "centroid", "vertex0", "vertex1", "vertex2", "edge1", "edge2"})
      for (const char k : {'x', 'y', 'z'})
        names.push_back(fmt::format("{}.{}", vector, k));
    names.emplace_back("contrast");
    std::vector<std::vector<double>> columns;
    for (const std::string &name : names)
      for (const std::string &of : {name, "d_" + name})
        columns.push_back(column(mesh, of));
    std::vector<double> made;
    for (std::size_t t = 0; t < columns[0].size(); ++t)
      for (const std::vector<double> &values : columns)
        made.push_back(values[t]);
    return made;
  }
};

/// How many comparisons of a kernel fail.
int judge(const ir::Kernel &kernel, void *duals, const std::string &folder) {
  const std::uint64_t seed = std::stoull(kernel.name.substr(1));
  try {
    Judge one(kernel, seed);
    one.byIr();
    if (duals != nullptr)
      one.byDuals(duals);
    const std::string file = fmt::format("{}/{}.cpp", folder, kernel.name);
    if (!folder.empty() && std::filesystem::exists(file))
      one.byCode(file);
    return one.failures();
  } catch (const ir::Error &error) {
    const bool none = error.message.find("depends on no column") != std::string::npos ||
                      error.message.find("there is no adjoint of it") != std::string::npos;
    fmt::print("{} kernel {} {}\n", seed, none ? "refused" : "DIFFERS", error.message);
    return none ? 0 : 1;
  }
}

} // namespace

int main(int argc, char **argv) {
  facet::cli::CommandLine line("<J v, g> = <v, J* g> of random kernels", "facet_adjoint_judge");
  facet::cli::Command app = line.root();
  std::string kernels, duals, folder;
  app.option("kernels", kernels);
  app.option("--duals", duals);
  app.option("--compiled", folder);
  int failures = 0;
  app.run([&] {
    const frontend::FileKernels parsed = frontend::parse(kernels, frontend::Say::Collect);
    failures += parsed.errors;
    for (const frontend::Remark &remark : parsed.messages)
      if (remark.severity == "error")
        fmt::print("line {}: {}\n", remark.line, remark.text);
    void *library = duals.empty() ? nullptr : dlopen(duals.c_str(), RTLD_NOW);
    if (!duals.empty() && library == nullptr)
      throw Error(duals, dlerror());
    for (const ir::Kernel &kernel : parsed.kernels)
      failures += judge(kernel, library, folder);
  });
  try {
    const int refused = line.read(argc, argv);
    return refused != 0 || failures != 0 ? 1 : 0;
  } catch (const std::exception &error) {
    fmt::print("{}\n", error.what());
  }
  return 1;
}
