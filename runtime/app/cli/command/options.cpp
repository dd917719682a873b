// options.cpp - options that several commands have.
#include "runtime/app/cli/command/options.h"
#include <facet/runtime/error.h>

namespace facet::cli {
using namespace facet::runtime;

facet_grid_kind gridByName(const std::string &name) {
  if (name != "product" && name != "points")
    throw Error("grid '" + name + "'", "no such kind of grid", "known: product, points");
  return name == "points" ? FACET_POINTS : FACET_PRODUCT;
}

facet_q_kind qByName(const std::string &name) {
  if (name != "real" && name != "complex" && name != "cplx")
    throw Error("q '" + name + "'", "no such kind of q", "known: real, complex");
  return name == "real" ? FACET_REAL_Q : FACET_COMPLEX_Q;
}

void addSchedulesOption(Command command, std::string &to) {
  command.option("--schedules", to,
                 "a file of tuned knobs, or none (yours, and those that come with facet)");
}

} // namespace facet::cli
