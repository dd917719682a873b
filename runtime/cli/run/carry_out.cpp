// carry_out.cpp - decides or resumes, runs the units, measures, goes on to the next choice.
#include "runtime/cli/run/carry_out.h"
#include "runtime/blocks/run_units.h"
#include "runtime/cli/run/progress.h"
#include "runtime/files/hash.h"
#include "runtime/files/stop_request.h"
#include "runtime/output/tiled/identity.h"
#include <chrono>
#include <fmt/format.h>

namespace facet::cli {
using namespace facet::runtime;
namespace {

const char *const where = "/entry/amplitude/F";

Cut cutOf(const Decision &d, const Plan &plan, const Grid &grid, std::int64_t records,
          const std::string &text) {
  return cutFrom(text, grid, records,
                 cutRules(d.algorithm, d.algorithm == FACET_NUFFT ? nullptr : &plan.variant(), grid,
                          plan.kernel()->fixed, records));
}

std::string kernelHash(const Kernel &kernel, const std::vector<double> &params) {
  Hash hash;
  hash.field(kernel->name);
  hash.field(kernel->manifest);
  for (const double p : params)
    hash.field(fmt::format("{:a}", p));
  return hash.hex();
}

Identity identityOf(const Plan &plan, const Grid &grid, const Mesh &mesh,
                    const std::vector<double> &params, const Decision &d) {
  return {{"kernel", kernelHash(plan.kernel(), params)},
          {"mesh", hashOf(mesh)},
          {"grid", hashOf(grid)},
          {"plan", toJson(d)},
          {"facet", FACET_VERSION}};
}

class Carry {
public:
  Carry(Plan &plan, const Experiment &e, const Grid &grid, std::shared_ptr<const Mesh> mesh,
        const std::vector<double> &params, const HowToRun &how)
      : plan_(plan), e_(e), grid_(grid), mesh_(std::move(mesh)), params_(params), how_(how),
        file_(tiledFile(grid, e.title, e.fUnit)) {}

  /// One attempt, by the plan's choice. False: asked to stop.
  bool attempt(std::optional<TiledResult> &result, bool resume, bool overwrite, RunResult &found) {
    // A stopped run goes on by the plan it was begun with: another could have other bits.
    const FoundResult before = resume ? findResult(e_.output) : FoundResult();
    Decision d = before.identity.count("plan") != 0 ? planOf(before) : plan_.decision();
    if (!how_.cut.empty())
      d.cut = cutOf(d, plan_, grid_, mesh_->size(), how_.cut);
    const Units units(grid_.extents(), d.cut);
    const Identity identity = identityOf(plan_, grid_, *mesh_, params_, d);
    TiledOptions options;
    options.overwrite = overwrite;
    result = resume ? TiledResult::resume(e_.output, file_, identity, units.count(), options)
                    : TiledResult::create(e_.output, file_, identity, units.count(), options);
    for (const std::string &note : result->notes())
      fmt::print(stderr, "facet: {}\n", note);
    const std::vector<bool> &done = result->done();
    std::vector<std::int64_t> todo;
    for (std::int64_t k = 0; k < units.count(); ++k)
      if (!done[static_cast<std::size_t>(k)])
        todo.push_back(k);
    const int dataset = result->dataset(where);
    readUnits(*result, dataset, grid_, d, done, plan_.place());
    found.units = fmt::format("{} of {}", units.count(), show(d.cut));
    if (const auto before = units.count() - static_cast<std::int64_t>(todo.size()); before > 0)
      found.units += fmt::format("; {} of them finished before", before);
    return run(d, std::move(todo), *result, dataset);
  }

private:
  Decision planOf(const FoundResult &before) {
    const Decision d = decisionFromJson(before.identity.at("plan"), e_.output);
    if (!plan_.follow(d))
      throw Error(e_.output,
                  fmt::format("the stopped run was planned otherwise: {}, {}",
                              algorithmName(d.algorithm), className(d.klass)),
                  "resume with the same kernel, grid, accuracy, --algorithm, --class and --target, "
                  "or begin anew with --overwrite");
    return d;
  }

  bool run(const Decision &d, std::vector<std::int64_t> todo, TiledResult &result, int dataset) {
    const auto slices =
        std::make_shared<Slices>(plan_.kernel(), d, blocksOf(mesh_), 0.25 * d.memory);
    const bool transforms = d.algorithm == FACET_NUFFT;
    const int threads = plan_.threads();
    Progress progress;
    const UnitsJob job{grid_,
                       d,
                       params_,
                       std::move(todo),
                       transforms ? threads : 1,
                       [&] { return plan_.evaluator(d, slices, transforms ? 1 : threads); },
                       result,
                       dataset,
                       plan_.place(),
                       [&](double part, double all) {
                         progress.show(part, all * static_cast<double>(mesh_->size()));
                       }};
    const auto start = std::chrono::steady_clock::now();
    const UnitsDone done = runUnits(job);
    progress.end();
    result.flush();
    plan_.carried({std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
                   done.repaired, done.totals, done.device});
    return !done.stopped;
  }

  Plan &plan_;
  const Experiment &e_;
  const Grid &grid_;
  std::shared_ptr<const Mesh> mesh_;
  const std::vector<double> &params_;
  const HowToRun &how_;
  TiledFile file_;
};

} // namespace

std::string problemOf(const Kernel &kernel, const Grid &grid, const Mesh &mesh,
                      const std::vector<double> &params, double accuracy) {
  Hash hash;
  for (const std::string &part :
       {kernelHash(kernel, params), hashOf(mesh), hashOf(grid), fmt::format("{:a}", accuracy)})
    hash.field(part);
  return hash.hex();
}

Carried carryOut(Plan &plan, const Experiment &e, const Grid &grid,
                 const std::shared_ptr<const Mesh> &mesh, const std::vector<double> &params,
                 const HowToRun &how, RunResult &found) {
  const StopRequest stop;
  Carried carried;
  Carry carry(plan, e, grid, mesh, params, how);
  bool resume = how.resume, overwrite = how.overwrite;
  while (true) {
    if (!carry.attempt(carried.result, resume, overwrite, found))
      throw carried.result->stopped();
    carried.measured = plan.measure();
    const std::string before = name(plan.choice());
    if (carried.measured.met || !plan.useNextChoice())
      return carried;
    fmt::print(
        stderr,
        "facet: {} missed the contract ({:.1e} of max|F|, asked {:.0e}): running again, {}\n",
        before, carried.measured.error, carried.measured.contract, name(plan.choice()));
    carried.result.reset();
    resume = false;
    overwrite = true;
  }
}

} // namespace facet::cli
