// natural.h - facet's sums as a programmer would write them in Halide, for an autoscheduler.
#pragma once
#include "codegen/lower/lower.h"
#include "codegen/lower/sum_exprs.h"
#include <Halide.h>
#include <map>
#include <string>

namespace facet::bench {

/// How the same sums are written: whether values of a row and a record, and of z and a record, are
/// functions of their own; records a sum in the class's precision takes before it goes on in
/// double, 0: all of them.
struct Writing {
  bool tables = false;
  int block = 0;
};

/// One autoscheduler: its name, and its parameters.
struct Scheduler {
  std::string name;
  std::map<std::string, std::string> extra;
};

/// A sum over nt records on a grid 1 x ny x nz, scheduled and compiled in this process. The
/// expressions are those of facet's own lowering: its reduction, its polynomials.
class Natural {
public:
  /// `sum`: a kernel after all passes. Throws Halide::Error where the autoscheduler refuses.
  Natural(const lower::SumKernel &sum, const Writing &writing, const Scheduler &scheduler, int nt,
          int ny, int nz);
  /// Packed records and axes; they must outlive the calls.
  void bind(const void *narrow, double *wide, double *x, double *y, double *z);
  /// Sums, z fastest.
  void run(double *re, double *im);
  /// What the autoscheduler chose, as Halide code.
  std::string schedule() const { return schedule_; }

private:
  const lower::SumKernel &sum_;
  lower::Inputs inputs_;
  int nt_, ny_, nz_, narrowFields_ = 0, wideFields_ = 0;
  Halide::Target target_;
  Halide::Pipeline pipeline_;
  std::string schedule_;
};

} // namespace facet::bench
