// parameters.cpp - values of parameters: as text, and as the numbers that a kernel takes.
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/system/text.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <facet/runtime/kernel.h>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string_view>

namespace facet::runtime {
namespace {

/// One number at the start of the text, which loses it; "+" may stand before it.
std::optional<double> number(std::string_view &text) {
  const std::string_view from = text.starts_with('+') ? text.substr(1) : text;
  double value = 0;
  const auto [end, error] = std::from_chars(from.data(), from.data() + from.size(), value);
  if (error != std::errc() || !std::isfinite(value))
    return {};
  text = from.substr(static_cast<std::size_t>(end - from.data()));
  return value;
}

/// "1.5", "1.5+0.1i", "-2i", "i".
std::optional<std::complex<double>> complexNumber(std::string_view text) {
  std::complex<double> sum = 0;
  for (int k = 0; k < 2; ++k) {
    if (k == 1 && !text.starts_with('+') && !text.starts_with('-'))
      return {};
    std::optional<double> part = number(text);
    if (!part && (text == "i" || text == "+i" || text == "-i")) {
      part = text == "-i" ? -1 : 1;
      text = "i";
    }
    if (!part)
      return {};
    if (text == "i")
      return std::complex<double>(sum.real(), *part);
    if (text.empty())
      return k == 0 ? std::optional(std::complex<double>(*part)) : std::nullopt;
    sum = *part;
  }
  return {};
}

std::string shown(const ParameterValue &value) {
  std::string text;
  for (const std::complex<double> z : value.numbers) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", z.real());
    if (z.imag() != 0)
      text += fmt::format("{:+}i", z.imag());
  }
  return text;
}

struct Type {
  const char *name, *option, *toml; // and an example of each
};
Type typeOf(const facet_parameter &p) {
  if (p.components == 9)
    return {"mat3", "1,0,0,0,1,0,0,0,1", "[1, 0, 0, 0, 1, 0, 0, 0, 1]"};
  if (p.components == 1)
    return p.is_complex != 0 ? Type{"cplx", "1.5+0.1i", "[1.5, 0.1]"} : Type{"real", "1.0", "1.0"};
  return p.is_complex != 0 ? Type{"cvec3", "0,1+2i,0", "[0, [1, 2], 0]"}
                           : Type{"vec3", "0,0,1", "[0, 0, 1]"};
}

std::string example(const facet_parameter &p) {
  const Type type = typeOf(p);
  return std::string("--param ") + p.name + "=" + type.option + ", or [parameters] " + p.name +
         " = " + type.toml + " in the experiment file";
}

/// The numbers of a parameter as functions take them; none if the value is of another type.
std::vector<double> numbersOf(const facet_parameter &p, const ParameterValue &value) {
  const auto isReal = [](std::complex<double> z) { return z.imag() == 0; };
  const bool reals = std::ranges::all_of(value.numbers, isReal);
  const bool pair = p.components == 1 && p.is_complex != 0 && value.numbers.size() == 2 && reals;
  std::vector<double> numbers;
  if (!pair && (value.numbers.size() != static_cast<std::size_t>(p.components) ||
                (p.is_complex == 0 && !reals)))
    return numbers;
  for (const std::complex<double> z : value.numbers) {
    numbers.push_back(z.real());
    if (p.is_complex != 0 && !pair)
      numbers.push_back(z.imag());
  }
  return numbers;
}

} // namespace

int numberCount(const facet_parameter &p) { return p.components * (1 + p.is_complex); }

ParameterValue parseParameter(const std::string &text, const std::string &where) {
  std::vector<std::complex<double>> numbers;
  if (text.find(':') != std::string::npos) {
    ParameterValue swept(numbers);
    swept.sweep = text;
    return swept;
  }
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::optional<std::complex<double>> z =
        complexNumber(std::string_view(text).substr(at, comma - at));
    if (!z)
      throw Error(where, "'" + text.substr(at, comma - at) + "' is not a finite number",
                  "kappa=0.3, n=1.5+0.1i, m=0,0,1, or from 0.1 to 0.5 in 5 values: s=0.1:0.5:5");
    numbers.push_back(*z);
    at = comma + 1;
  }
  return numbers;
}

std::vector<double> Kernel::parameters(const NamedParameters &named) const {
  const std::string where = std::string("kernel ") + description_->name;
  const std::span<const facet_parameter> all(
      description_->parameters, static_cast<std::size_t>(description_->parameter_count));
  std::vector<std::string> known;
  for (const facet_parameter &p : all)
    known.emplace_back(p.name);
  for (const auto &[name, value] : named) {
    if (std::ranges::find(known, name) == known.end())
      throw Error(where, "no parameter '" + name + "'",
                  known.empty() ? "it has no parameters" : suggestion(name, known));
    if (!value.sweep.empty())
      throw Error(where,
                  fmt::format("parameter '{}' is swept, {}, and can have one value here", name,
                              value.sweep),
                  "facet run sweeps a parameter of one particle on a grid");
  }
  std::vector<double> values;
  for (const facet_parameter &p : all) {
    const auto given = std::find_if(named.rbegin(), named.rend(),
                                    [&](const auto &one) { return one.first == p.name; });
    if (given == named.rend() && p.value == nullptr)
      throw Error(where, fmt::format("parameter '{}' has no value", p.name), example(p));
    const std::vector<double> numbers = given == named.rend()
                                            ? std::vector<double>(p.value, p.value + numberCount(p))
                                            : numbersOf(p, given->second);
    if (numbers.empty())
      throw Error(where,
                  fmt::format("parameter '{}' is a {}: {} is none", p.name, typeOf(p).name,
                              shown(given->second)),
                  example(p));
    values.insert(values.end(), numbers.begin(), numbers.end());
  }
  return values;
}

std::vector<double> likelyParameters(const facet_kernel_description &kernel) {
  std::vector<double> values;
  for (int k = 0; k < kernel.parameter_count; ++k)
    for (int n = 0; n < numberCount(kernel.parameters[k]); ++n)
      values.push_back(kernel.parameters[k].value != nullptr ? kernel.parameters[k].value[n] : 1);
  return values;
}

} // namespace facet::runtime
