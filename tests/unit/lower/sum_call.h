// sum_call.h - compiles a sum kernel, loads it and calls it: for tests and measurements.
#pragma once
#include "codegen/ir/evaluate.h"
#include "codegen/lower/lower.h"
#include <memory>
#include <string>
#include <vector>

namespace facet::test {

/// Packed records of a kernel after all passes.
struct Records {
  int count = 0;
  std::vector<float> narrow32;
  std::vector<double> narrow64, wide;
};
Records packRecords(const lower::SumKernel &sum, const std::vector<ir::Point> &points);

/// q, padded by the caller: product grids have three axes, points three lists of one length.
struct Grid {
  std::array<std::vector<double>, 3> re, im;
};

class Emulator;

/// One compiled sum: in this process, or under an emulator if its target is of another
/// architecture.
class SumCall {
public:
  explicit SumCall(const lower::SumKernel &sum);
  SumCall(const SumCall &) = delete;
  SumCall &operator=(const SumCall &) = delete;
  ~SumCall();
  /// Adds the terms of all records to re and im, in calls of at most blockT records.
  void operator()(const Records &records, const Grid &grid, const std::vector<double> &params,
                  std::vector<double> &re, std::vector<double> &im) const;

private:
  lower::SumKernel sum;
  std::vector<lower::Argument> arguments;
  void *library = nullptr;
  void (*function)() = nullptr;
  std::unique_ptr<Emulator> emulator;
};

/// The targets of targets.def this CPU can run, best last.
std::vector<std::string> targetsHere();

} // namespace facet::test
