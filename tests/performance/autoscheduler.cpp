// autoscheduler.cpp - direct and separable sums beside the same algorithm scheduled by Halide's
// autoschedulers: time, error, ratio, goal.
//
//   facet_bench_autoscheduler KERNEL.cpp [REPEATS]
// One thread, the best target here, class f32. The rival's algorithm is facet's own: the
// expressions of its lowering with the reduction and polynomials in them. They are written as a
// programmer would in Halide, in a few ways; the best of them counts. Each runs in a process of its
// own, since autoschedulers may abort, beside facet, in turns.
#include "bench.h"
#include "codegen/lower/lower.h"
#include "codegen/lower/sum_exprs.h"
#include "codegen/passes/passes.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/plan/plan_run.h"
#include "tests/support/folder.h"
#include <Halide.h>
#include <map>
#include <sstream>

namespace {

using namespace facet;
using Halide::Expr;
using Halide::Func;
using Halide::Tuple;
using Halide::Var;
using passes::Algorithm;

/// How the same sums are written. Values of a row and a record, and of z and a record, are
/// functions of their own or not. A sum takes so many records in the class's precision before it
/// goes on in double, 0: all of them.
struct Writing {
  bool tables = false;
  int block = 0;
};

/// One autoscheduler: its name, and its parameters.
struct Scheduler {
  std::string name;
  std::map<std::string, std::string> extra;
};

/// Records and axes as a sum of class f32 reads them, and the sums.
struct Data {
  std::vector<float> narrow;
  std::vector<double> wide;
  std::array<std::vector<double>, 3> axes;
  std::vector<double> re, im;

  Data(const runtime::Plan &plan, const runtime::Mesh &mesh, const runtime::Grid &grid)
      : re(static_cast<std::size_t>(grid.size())), im(re) {
    const facet_variant &variant = plan.run().variant();
    runtime::Records records(*plan.run().kernel);
    records.setMesh(mesh);
    narrow.resize(mesh.triangles.size() * static_cast<std::size_t>(variant.narrow_fields));
    wide.resize(mesh.triangles.size() * static_cast<std::size_t>(variant.wide_fields));
    variant.pack(records.columns().data(), mesh.size(), nullptr, narrow.data(), wide.data());
    for (std::size_t k = 0; k < 3; ++k)
      axes[k] = grid.axes[k].re;
  }
};

/// A sum over nt records on a grid 1 x ny x nz, scheduled and compiled in this process. The
/// expressions are those of facet's own lowering: its reduction, its polynomials.
class Natural {
public:
  /// `sum`: a kernel after all passes. Throws Halide::Error if the autoscheduler refuses.
  Natural(const lower::SumKernel &sum, const Writing &writing, const Scheduler &scheduler, int nt,
          int ny, int nz);
  /// Where records and axes are, and sums go (z fastest).
  void bind(Data &data);
  void run() { pipeline_.realize(*sums_, target_); }
  /// What the autoscheduler chose, as Halide code.
  std::string schedule() const { return schedule_; }

private:
  lower::Scope withTables(const lower::Scope &table, lower::Scope inner);
  void estimate(Func &out);

  const lower::SumKernel &sum_;
  lower::Inputs inputs_;
  int nt_, ny_, nz_, narrowFields_ = 0, wideFields_ = 0;
  Halide::Target target_;
  Halide::Pipeline pipeline_;
  std::optional<Halide::Realization> sums_;
  std::string schedule_;
};

/// `inner` with values of a row and of z read from functions of their own.
lower::Scope Natural::withTables(const lower::Scope &table, lower::Scope inner) {
  const ir::Placement placement(sum_.kernel.term);
  for (const ir::Place place : {ir::Place::RowTable, ir::Place::ZTable}) {
    const std::vector<ir::Id> ids = placement.kept({place});
    if (ids.empty())
      continue;
    const bool rows = place == ir::Place::RowTable;
    Func func(rows ? "rows" : "columns");
    const Var q(rows ? "y" : "z"), t("t");
    func(q, t) = lower::Exprs(inputs_, table).all(ids);
    inner.read(func, ids, {q, inner.t});
  }
  return inner;
}

void Natural::estimate(Func &out) {
  out.set_estimates({{0, nz_}, {0, ny_}});
  inputs_.narrow.set_estimates({{0, narrowFields_}, {0, nt_}});
  inputs_.wide.set_estimates({{0, wideFields_}, {0, nt_}});
  inputs_.count.set_estimate(nt_);
  const std::array<int, 3> extents{1, ny_, nz_};
  for (std::size_t k = 0; k < 3; ++k)
    inputs_.re[k].set_estimates({{0, extents[k]}});
}

Natural::Natural(const lower::SumKernel &sum, const Writing &writing, const Scheduler &scheduler,
                 int nt, int ny, int nz)
    : sum_(sum), inputs_(sum_), nt_(nt), ny_(ny), nz_(nz),
      narrowFields_(static_cast<int>(lower::packedColumns(sum.kernel, false).size())),
      wideFields_(static_cast<int>(lower::packedColumns(sum.kernel, true).size())),
      target_(Halide::Target(std::string(schedules::halideTarget(sum.target)))
                  .with_feature(Halide::Target::NoAsserts)
                  .with_feature(Halide::Target::NoBoundsQuery)) {
  const bool blocked = writing.block > 0;
  const int block = blocked ? writing.block : nt;
  Var z("z"), y("y"), t("t"), b("b");
  const Halide::RDom r(0, block, "r");
  lower::Scope inner, table;
  inner.at = table.at = {Expr(0), y, z};
  inner.t = blocked ? b * block + r.x : Expr(r.x);
  table.t = t;
  if (writing.tables)
    inner = withTables(table, inner);
  Func part("part"), out("out");
  const std::vector<Var> vars = blocked ? std::vector<Var>{z, y, b} : std::vector<Var>{z, y};
  const Expr zero = Halide::Internal::make_zero(inputs_.real), none(0.0);
  part(vars) = Tuple(zero, zero);
  const std::vector<Expr> at(vars.begin(), vars.end());
  lower::Exprs exprs(inputs_, inner);
  const auto &outputs = sum.kernel.term.outputs;
  part(vars) =
      Tuple(exprs.addTo(part(at)[0], outputs[0].value), exprs.addTo(part(at)[1], outputs[1].value));
  if (blocked) {
    const Halide::RDom blocks(0, nt / block, "blocks");
    out(z, y) = Tuple(none, none);
    out(z, y) = Tuple(out(z, y)[0] + Halide::cast<double>(part(z, y, blocks.x)[0]),
                      out(z, y)[1] + Halide::cast<double>(part(z, y, blocks.x)[1]));
  } else
    out(z, y) = Tuple(Halide::cast<double>(part(z, y)[0]), Halide::cast<double>(part(z, y)[1]));
  estimate(out);
  pipeline_ = Halide::Pipeline(out);
  schedule_ =
      pipeline_.apply_autoscheduler(target_, {scheduler.name, scheduler.extra}).schedule_source;
  pipeline_.compile_jit(target_);
}

void Natural::bind(Data &data) {
  inputs_.narrow.set(Halide::Buffer<float>(data.narrow.data(), narrowFields_, nt_));
  if (wideFields_ > 0)
    inputs_.wide.set(Halide::Buffer<double>(data.wide.data(), wideFields_, nt_));
  const std::array<int, 3> extents{1, ny_, nz_};
  for (std::size_t k = 0; k < 3; ++k)
    inputs_.re[k].set(Halide::Buffer<double>(data.axes[k].data(), extents[k]));
  sums_ = Halide::Realization({Halide::Buffer<double>(data.re.data(), nz_, ny_),
                               Halide::Buffer<double>(data.im.data(), nz_, ny_)});
}

const std::vector<Scheduler> schedulers = {
    {"Mullapudi2016", {{"parallelism", "1"}, {"last_level_cache_size", "2097152"}}},
    {"Adams2019", {{"parallelism", "1"}}},
    {"Li2018", {{"parallelism", "1"}}}};
// 24 was the best block of 8 to 600 records for direct sums, 200 for separable ones.
const std::vector<Writing> writings = {{false, 0}, {true, 0}, {true, 24}, {true, 200}};

std::string describe(const Writing &writing) {
  return fmt::format("{}, {}", writing.tables ? "tables" : "one sum",
                     writing.block > 0 ? fmt::format("blocks of {}", writing.block)
                                       : std::string("no blocks"));
}

/// A kernel file as IR, by facetc.
ir::Kernel readKernel(const std::string &file) {
  const test::Folder folder;
  const std::string path = folder.path / "kernel.fir";
  const int code = runtime::spawn({runtime::findFacetc(), file, "--emit=ir", "-o", path});
  if (code != 0)
    throw runtime::Error("bench", "facetc refused " + file);
  return ir::read(test::textOf(path), path);
}

/// facet's own kernel after all passes, as its variant was compiled.
lower::SumKernel sumOf(const std::string &file, Algorithm algorithm, const facet_variant &variant) {
  lower::SumKernel sum;
  sum.variant.algorithm = algorithm;
  sum.variant.addition = std::string(variant.knobs).find("addition=1") != std::string::npos;
  sum.kernel = passes::run(readKernel(file), sum.variant);
  sum.target = runtime::bestTarget();
  sum.knobs = lower::defaultKnobs(sum.kernel, sum.variant, sum.target);
  sum.symbol = "rival";
  return sum;
}

/// F at q p by the variant's `finish`.
std::complex<double> finished(const facet_variant &variant, const runtime::Grid &grid,
                              const Data &sums, std::size_t p) {
  const auto q = grid.at(static_cast<std::int64_t>(p));
  const std::array<double, 3> at{q[0].real(), q[1].real(), q[2].real()};
  const double *const re[3] = {&at[0], &at[1], &at[2]}, *const im[3] = {};
  const std::int64_t stride[3] = {0, 0, 0};
  std::array<double, 2> f{};
  const double *const from[] = {&sums.re[p], &sums.im[p]};
  double *const to[] = {&f[0], &f[1]};
  variant.finish(re, im, stride, 1, nullptr, nullptr, from, to);
  return {f[0], f[1]};
}

/// Both timed in turns; prints "seconds seconds error" of rival and facet.
void one(const std::string &file, Algorithm algorithm, const Scheduler &scheduler,
         const Writing &writing, int repeats) {
  const bool direct = algorithm == Algorithm::Direct;
  const int side = direct ? 200 : 500;
  const runtime::Mesh mesh = bench::smallTorus();
  const runtime::Grid grid = bench::standardGrid(side, side);
  runtime::Plan plan = bench::planFor(file, runtime::bestTarget(), grid, mesh,
                                      direct ? FACET_DIRECT : FACET_SEPARABLE, FACET_F32);
  const facet_variant &variant = plan.run().variant();
  const lower::SumKernel sum = sumOf(file, algorithm, variant);
  std::string plugin = scheduler.name;
  std::transform(plugin.begin(), plugin.end(), plugin.begin(), ::tolower);
  Halide::load_plugin(AUTOSCHEDULER_PREFIX + plugin + ".so");
  const double begin = bench::now();
  Natural natural(sum, writing, scheduler, static_cast<int>(mesh.size()), side, side);
  const double compiling = bench::now() - begin;
  Data data(plan, mesh, grid);
  natural.bind(data);
  plan.execute();
  natural.run();
  const auto [theirs, mine] =
      bench::inTurns(repeats, [&] { natural.run(); }, [&] { plan.execute(); });
  const double error = bench::Reference(plan.run().kernel, mesh, grid).error([&](std::size_t p) {
    return finished(variant, grid, data, p);
  });
  if (std::getenv("FACET_BENCH_SCHEDULE"))
    fmt::print(stderr, "{}\n", natural.schedule());
  fmt::print("result {} {} {} {}\n", theirs.least(), mine.least(), error, compiling);
}

struct Result {
  double rival = 0, facet = 0, error = 0, compiling = 0;
  std::string failure; // empty: none
};

/// `one` in a process of its own.
Result run(const std::string &self, const std::string &arguments) {
  Result result;
  FILE *pipe =
      popen(("HL_NUM_THREADS=1 timeout 100 '" + self + "' " + arguments + " 2>&1").c_str(), "r");
  std::string text;
  for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe))
    text += static_cast<char>(c);
  const int status = pclose(pipe);
  const std::size_t at = text.rfind("result ");
  if (status == 0 && at != std::string::npos) {
    std::istringstream(text.substr(at + 7)) >> result.rival >> result.facet >> result.error >>
        result.compiling;
    return result;
  }
  const std::size_t error = text.find("rror");
  const std::string line =
      error == std::string::npos ? text : text.substr(text.rfind('\n', error) + 1);
  result.failure = fmt::format("exit status {}: {}", status >> 8, line.substr(0, line.find('\n')));
  return result;
}

bool table(const std::string &self, const std::string &file, Algorithm algorithm, double goal,
           int repeats) {
  const bool direct = algorithm == Algorithm::Direct;
  const double work = 1e-9 * 6600 * (direct ? 200.0 * 200 : 500.0 * 500);
  const std::string name(passes::spelling(algorithm));
  double best = 0;
  std::string which;
  for (std::size_t s = 0; s < schedulers.size(); ++s)
    for (const Writing &writing : writings) {
      const std::string what =
          fmt::format("{:9} {:13} {:22}", name, schedulers[s].name, describe(writing));
      const Result result =
          run(self, fmt::format("'{}' {} --one {} {} {} {}", file, repeats, direct ? 0 : 1, s,
                                writing.tables ? 1 : 0, writing.block));
      if (!result.failure.empty()) {
        fmt::print("{} failed: {}\n", what, result.failure);
        continue;
      }
      const double ratio = result.rival / result.facet;
      fmt::print("{} {:6.2f} rival, error {:.1e}, compiled in {:.1f} s; {:6.2f} facet; x{:.2f}\n",
                 what, work / result.rival, result.error, result.compiling, work / result.facet,
                 ratio);
      std::fflush(stdout);
      if (best == 0 || ratio < best)
        best = ratio, which = what;
    }
  if (best == 0) {
    fmt::print("{:9} [SKIP] no autoscheduler gave a result\n", name);
    return true;
  }
  return bench::verdict(fmt::format("{:9} times the best,", name), best, goal, "x{:.2f}");
}

} // namespace

int main(int argc, char **argv) {
  return bench::program(argc, argv, 1, "KERNEL.cpp [REPEATS]", [&] {
    const std::string file = argv[1];
    const int repeats = argc > 2 ? std::atoi(argv[2]) : 5;
    if (argc <= 7) {
      bench::sayTuned();
      fmt::print(
          "least of alternating runs, 1e9 TQP/s; 6,600 triangles, f32, real q, one thread, {}; "
          "direct 200 x 200, separable 500 x 500\n",
          runtime::bestTarget());
      const bool met = table(argv[0], file, Algorithm::Direct, 1.05, repeats);
      return table(argv[0], file, Algorithm::Separable, 1.15, repeats) && met;
    }
    try {
      one(file, std::atoi(argv[4]) == 0 ? Algorithm::Direct : Algorithm::Separable,
          schedulers.at(static_cast<std::size_t>(std::atoi(argv[5]))),
          {std::atoi(argv[6]) != 0, std::atoi(argv[7])}, repeats);
      return true;
    } catch (const Halide::Error &error) {
      throw runtime::Error("Error", error.what());
    } catch (const ir::Error &error) {
      throw runtime::Error("Error", error.message);
    }
  });
}
