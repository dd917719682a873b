// interpreted.cpp - sums over records at each q, and over q at each record, by the IR's evaluator.
#include "interpreted.h"
#include <fmt/format.h>

namespace facet::test {
using namespace runtime;
using ir::Complex;

namespace {

void addTo(std::vector<Complex> &sum, const std::vector<Complex> &more) {
  sum.resize(more.size());
  for (std::size_t k = 0; k < more.size(); ++k)
    sum[k] += more[k];
}

/// The outputs of F at one q; the records' sums are those of components or of transforms.
std::vector<Complex> at(const ir::Kernel &kernel, const std::vector<ir::Point> &records,
                        const std::array<Complex, 3> &q) {
  if (atOrigin(kernel, q)) {
    std::vector<Complex> sum;
    for (const ir::Point &record : records)
      addTo(sum, ir::evaluateOrigin(kernel, record));
    return sum;
  }
  ir::Point whole = records.front();
  whole.q = q;
  if (!kernel.scalars.empty())
    ir::evaluateScalars(kernel, whole);
  std::vector<Complex> sums, totals;
  for (const ir::Point &record : records) {
    ir::Point point = record;
    point.q = q;
    point.params = whole.params;
    ir::evaluateRecord(kernel, point);
    addTo(sums, point.sums);
    addTo(totals, point.totals);
  }
  if (!sums.empty())
    whole.setSums(sums);
  whole.totals = totals;
  return ir::evaluateFinish(kernel, whole);
}

/// Columns of the adjoint's records at one q.
class RecordsOfQ {
public:
  RecordsOfQ(const ir::Kernel &source, const AdjointProblem &problem)
      : source_(source), problem_(problem),
        records_(recordsOf(source, problem.mesh, problem.params)) {}

  ir::Point of(std::int64_t p) const {
    ir::Point made;
    const std::array<Complex, 3> q = problem_.grid.at(p);
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string name = fmt::format("q.{}", "xyz"[k]);
      made.record[name] = {q[k].real()};
      made.record[name + ".im"] = {q[k].imag()};
    }
    for (std::size_t o = 0; o < source_.finish.outputs.size(); ++o)
      set(made, fmt::format("cotangent{}", o),
          problem_
              .g[o * static_cast<std::size_t>(problem_.grid.size()) + static_cast<std::size_t>(p)]);
    std::vector<Complex> sums;
    for (ir::Point record : records_) {
      record.q = q;
      addTo(sums, ir::evaluateTerm(source_, record));
    }
    for (std::size_t c = 0; c < sums.size(); ++c)
      set(made, fmt::format("sum{}", c), sums[c]);
    return made;
  }

private:
  const ir::Kernel &source_;
  const AdjointProblem &problem_;
  std::vector<ir::Point> records_;

  static void set(ir::Point &point, const std::string &name, Complex value) {
    point.record[name + ".re"] = {value.real()};
    point.record[name + ".im"] = {value.imag()};
  }
};

} // namespace

bool atOrigin(const ir::Kernel &kernel, const std::array<Complex, 3> &q) {
  return !kernel.origin.empty() && q == std::array<Complex, 3>{};
}

Values interpreted(const ir::Kernel &kernel, const AdjointProblem &problem, const Mesh &mesh) {
  const std::vector<ir::Point> records = recordsOf(kernel, mesh, problem.params);
  std::vector<Values> outputs;
  for (std::int64_t p = 0; p < problem.grid.size(); ++p) {
    const std::vector<Complex> f = at(kernel, records, problem.grid.at(p));
    outputs.resize(f.size());
    for (std::size_t o = 0; o < f.size(); ++o)
      outputs[o].push_back(f[o]);
  }
  Values all;
  for (const Values &output : outputs)
    all.insert(all.end(), output.begin(), output.end());
  return all;
}

ColumnGradient interpretedAdjoint(const ir::Kernel &source, const ir::Kernel &adjoint,
                                  const AdjointProblem &problem) {
  const RecordsOfQ qs(source, problem);
  std::vector<ir::Point> records;
  Values atZero(ir::componentsOf(source.origin).size()); // of each output
  for (std::int64_t p = 0; p < problem.grid.size(); ++p)
    if (atOrigin(source, problem.grid.at(p)))
      for (std::size_t o = 0; o < atZero.size(); ++o)
        atZero[o] +=
            problem
                .g[o * static_cast<std::size_t>(problem.grid.size()) + static_cast<std::size_t>(p)];
    else
      records.push_back(qs.of(p));
  ColumnGradient made;
  for (ir::Point own : recordsOf(adjoint, problem.mesh, {})) {
    for (std::size_t p = 0; p < problem.params.size(); ++p)
      own.params[ir::slots(source)[p]] = problem.params[p];
    for (std::size_t o = 0; o < atZero.size(); ++o) {
      own.params[fmt::format("cotangent{}.re", o)] = atZero[o].real();
      own.params[fmt::format("cotangent{}.im", o)] = atZero[o].imag();
    }
    std::vector<Complex> sums(adjoint.term.outputs.size());
    for (const ir::Point &record : records) {
      for (const auto &[name, value] : record.record)
        own.record[name] = value;
      addTo(sums, ir::evaluateTerm(adjoint, own));
    }
    own.setSums(sums);
    const std::vector<Complex> f = ir::evaluateFinish(adjoint, own);
    std::size_t next = 0;
    for (const ir::Component &output : ir::componentsOf(adjoint.finish))
      made[output.name].push_back(f[next++].real());
  }
  return made;
}

} // namespace facet::test
