// accuracy.cpp - runs every cell of the accuracy table: kernels, algorithms, accuracies, problems.
//
//   facet_accuracy LIBRARIES [--full] [KERNEL ...]        all kernels, if none is named
//
// One line a cell, separated by tabs: table kernel algorithm accuracy extent q exponent. Then
// "refused" and why, or "run" and five more. These are what ran, the error by the run's own judge
// and by some 400 q in long double, the rounding of the reference, and the verdict. That is "met",
// "missed" or "not verifiable". Exit 1: a miss.
#include "accuracy.h"
#include "runtime/engine/check/sample.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <set>
#include <span>

namespace {
using namespace facet::runtime;
using facet::test::Problem;

constexpr double memory = 1e9; // bytes a plan may use: what does not fit is a cell of the table too
constexpr double patience = 30; // seconds a cell may be expected to take

using Values = std::vector<std::complex<long double>>;

/// Every so many q of a grid, about 400 of them: odd steps meet every row and column.
std::vector<std::int64_t> someOf(const Grid &grid) {
  std::vector<std::int64_t> at;
  const std::int64_t step = grid.size() / 400 | 1;
  for (std::int64_t i = 0; i < grid.size(); i += step)
    at.push_back(i);
  return at;
}

/// The largest difference of one output at the q `at`, relative as the run's own judge has it: to
/// the largest |F| at any q damped alike.
double errorOf(std::span<const std::complex<double>> f,
               std::span<const std::complex<long double>> truth,
               const std::vector<std::int64_t> &at, const Problem &problem) {
  double worst = 0;
  std::vector<double> im;
  im.reserve(f.size());
  for (std::int64_t i = 0; i < problem.grid.size(); ++i)
    im.push_back(problem.grid.at(i)[2].imag());
  for (std::size_t k = 0; k < at.size(); ++k) {
    const auto i = static_cast<std::size_t>(at[k]);
    double most = 0;
    for (std::size_t j = 0; j < f.size(); ++j)
      if (dampedAlike(im[i], im[j], problem.extent))
        most = std::max(most, std::abs(f[j]));
    const auto error =
        static_cast<double>(std::abs(std::complex<long double>(f[i]) - truth[k])) / most;
    worst = std::isnan(error) ? HUGE_VAL : std::max(worst, error);
  }
  return worst;
}

/// The largest of all outputs, one after the other in `f` and `truth`.
double worstError(const std::vector<std::complex<double>> &f, const Values &truth,
                  const std::vector<std::int64_t> &at, const Problem &problem) {
  const auto n = static_cast<std::size_t>(problem.grid.size());
  double worst = 0;
  for (std::size_t o = 0; o * n < f.size(); ++o)
    worst =
        std::max(worst, errorOf(std::span(f).subspan(o * n, n),
                                std::span(truth).subspan(o * at.size(), at.size()), at, problem));
  return worst;
}

std::string firstLine(const std::string &text) { return text.substr(0, text.find('\n')); }

/// The rest of a cell's line; `met` is cleared by a miss.
std::string cell(const Kernel &kernel, const Problem &problem, const Mesh &records,
                 const Values &truth, const std::vector<std::int64_t> &at,
                 facet_algorithm algorithm, double accuracy, bool &met) {
  try {
    PlanOptions options;
    options.algorithm = algorithm;
    options.accuracy = accuracy;
    options.memory = memory;
    options.threads = 1;
    const std::vector<double> params = facet::test::parametersOf(kernel->name);
    options.params = params;
    Plan plan(kernel, problem.grid, records, options);
    if (plan.choice().seconds > patience)
      return fmt::format("refused\texpected to take {:.0f} s", plan.choice().seconds);
    const Measured m = executeToContract(plan, params);
    const double error = worstError(plan.values(), truth, at, problem);
    const bool kept = m.met && error <= accuracy + 2 * m.bound;
    met = met && kept;
    const std::string ran = name(plan.choice()) + "; " + plan.choice().detail;
    return fmt::format("run\t{}\t{:.1e}\t{:.1e}\t{:.1e}\t{}", ran, m.error, error, m.bound,
                       !kept          ? "missed"
                       : m.verifiable ? "met"
                                      : "not verifiable");
  } catch (const Error &error) {
    // "kernel born: separable: WHY": the row of the table says the rest.
    std::string why = firstLine(error.what());
    if (const std::string row =
            fmt::format("kernel {}: {}: ", kernel->name, algorithmName(algorithm));
        why.rfind(row, 0) == 0)
      why = why.substr(row.size());
    return "refused\t" + why;
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: facet_accuracy LIBRARIES [--full] [KERNEL ...]\n");
    return 1;
  }
  std::vector<std::string> kernels(argv + 2, argv + argc);
  const bool full = std::erase(kernels, "--full") > 0;
  if (kernels.empty())
    kernels = {"born",  "surface",  "closed",   "exact", "layered",
               "rough", "magnetic", "resonant", "atoms"};
  const std::pair<const char *, facet_algorithm> algorithms[] = {
      {"direct", FACET_DIRECT}, {"separable", FACET_SEPARABLE}, {"nufft", FACET_NUFFT}};
  const std::set<std::string> means{"exact", "rough", "magnetic", "resonant"};
  bool met = true;
  for (const std::string &kernelName : kernels) {
    const Kernel kernel = Kernel::load(fmt::format("{}/{}.so", argv[1], kernelName));
    for (const Problem &problem : facet::test::problems(full)) {
      // Means of strongly damped waves need many nodes: too long for the test.
      if (!full && means.contains(kernelName) && problem.exponent != 0)
        continue;
      const std::vector<std::int64_t> at = someOf(problem.grid);
      const Mesh records = facet::test::recordsOf(kernelName, problem.mesh);
      const Values truth = facet::test::inLongDouble(kernelName, records, problem.grid, at);
      for (const auto &[algorithmName, algorithm] : algorithms)
        for (const double accuracy : full ? std::vector<double>{1e-3, 1e-5, 1e-7, 1e-10}
                                          : std::vector<double>{1e-4, 1e-9}) {
          fmt::print("{}\t{}\t{}\t{:g}\t{:g}\t{:g}\t{:g}\t{}\n", problem.table, kernelName,
                     algorithmName, accuracy, problem.extent, problem.q, problem.exponent,
                     cell(kernel, problem, records, truth, at, algorithm, accuracy, met));
          std::fflush(stdout);
        }
    }
  }
  return met ? 0 : 1;
}
