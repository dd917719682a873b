// parameters.h - values of a kernel's run-time parameters, as people give them.
#pragma once
#include "error.h"
#include <complex>
#include <string>
#include <utility>
#include <vector>

namespace facet::runtime {

/// What a parameter is given before its kernel says of which type it is: numbers, or a sweep.
struct ParameterValue {
  ParameterValue(double number) : numbers{number} {}
  ParameterValue(std::complex<double> number) : numbers{number} {}
  ParameterValue(std::vector<std::complex<double>> numbers) : numbers(std::move(numbers)) {}
  bool operator==(const ParameterValue &) const = default;

  std::vector<std::complex<double>> numbers;
  std::string sweep{}; // "0.1:0.5:5", as an axis is written: one value after the other
};
using NamedParameters = std::vector<std::pair<std::string, ParameterValue>>;

/// "0.3", "1.5+0.1i", "0,0,1", "1+2i,0,3i", or a sweep "0.1:0.5:5". Throws Error (beginning with
/// `where`).
ParameterValue parseParameter(const std::string &text, const std::string &where);

} // namespace facet::runtime
