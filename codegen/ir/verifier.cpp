// verifier.cpp - the rules every kernel's IR keeps, checked after each pass.
#include "printer.h"
#include <fmt/format.h>
#include <set>

namespace facet::ir {

namespace {

/// Where leaves may stand: in the sum over records, the packing of records, the finish, the origin.
struct Place {
  std::string_view name;
  bool record; // t.NAME
  bool packed; // r.NAME
  bool grid;   // q
  bool sum;    // sum, sum0, total0
};

int transformsOf(const Kernel &kernel) {
  int count = 0;
  for (const Wave &wave : wavesOf(kernel))
    count += static_cast<int>(wave.strengths.size());
  return count;
}

/// How many totals there are, from the names: b0 or b0re, b0im; then b1, ...
int totalsOf(const Kernel &kernel) {
  const auto &outputs = kernel.totals.outputs;
  int count = 0;
  for (std::size_t k = 0; k < outputs.size(); ++k, ++count) {
    const std::string b = fmt::format("b{}", count);
    const bool pair =
        outputs[k].name == b + "re" && k + 1 < outputs.size() && outputs[k + 1].name == b + "im";
    if (!pair && outputs[k].name != b)
      throw Error{fmt::format("verify: totals: '{}' where {} is to stand", outputs[k].name, b), {}};
    k += pair ? 1 : 0;
  }
  return count;
}

class Verifier {
public:
  Verifier(const Kernel &kernel, const Region &region, Place place)
      : kernel(kernel), region(region), place(place), name(names(region)) {}

  void values() const {
    for (std::size_t k = 0; k < region.values.size(); ++k) {
      const Value &value = region.values[k];
      operands(k);
      leaf(value);
      Type type{};
      try {
        type = typeOf(kernel, region, value);
      } catch (const Error &error) {
        fail(k, error.message);
      }
      if (type != value.type)
        fail(k, fmt::format("its type is {}, not {}", spelling(type), spelling(value.type)));
      if (const auto domain = domainOf(kernel, region, value); domain != value.domain)
        fail(k, fmt::format("its domain is {}, not {}", spelling(domain), spelling(value.domain)));
    }
    for (const Output &output : region.outputs)
      if (output.value < 0 || static_cast<std::size_t>(output.value) >= region.values.size())
        throw Error{fmt::format("verify: {}: it yields a value that is not there", place.name), {}};
  }

  /// One number, or the real pair `re`, `im`.
  void yieldsNumber() const {
    const auto &out = region.outputs;
    const auto type = [&](std::size_t k) {
      return region.values[static_cast<std::size_t>(out[k].value)].type;
    };
    const bool one = out.size() == 1 && out[0].name.empty() &&
                     (type(0) == Type::Real || type(0) == Type::Wide || type(0) == Type::Cplx);
    const bool pair = out.size() == 2 && out[0].name == "re" && out[1].name == "im" &&
                      (type(0) == Type::Real || type(0) == Type::Wide) &&
                      (type(1) == Type::Real || type(1) == Type::Wide);
    if (!one && !pair)
      throw Error{fmt::format("verify: {}: it must yield one number, or re and im", place.name),
                  {}};
  }

  /// Columns with names of their own, real or wide.
  void yieldsColumns() const {
    std::set<std::string_view> seen;
    for (const Output &output : region.outputs) {
      const Type type = region.values[static_cast<std::size_t>(output.value)].type;
      if (type != Type::Real && type != Type::Wide)
        throw Error{fmt::format("verify: pack: column '{}' is {}, not real or wide", output.name,
                                spelling(type)),
                    {}};
      if (output.name.empty() || !seen.insert(output.name).second)
        throw Error{fmt::format("verify: pack: two columns are named '{}'", output.name), {}};
    }
  }

  /// Strengths and totals are numbers, complex or in real parts; points are real.
  void yieldsSums() const {
    for (const Output &output : region.outputs) {
      const Type type = region.values[static_cast<std::size_t>(output.value)].type;
      const bool real = type == Type::Real || type == Type::Wide;
      const bool whole = output.name.starts_with('b') && !output.name.ends_with("re") &&
                         !output.name.ends_with("im");
      if (!real && !(whole && type == Type::Cplx))
        throw Error{fmt::format("verify: {}: {} is {}, not {}", place.name, output.name,
                                spelling(type), whole ? "a number" : "real"),
                    {}};
    }
  }

private:
  const Kernel &kernel;
  const Region &region;
  Place place;
  std::vector<std::string> name;

  [[noreturn]] void fail(std::size_t k, std::string_view what) const {
    throw Error{fmt::format("verify: {}: {} = {}: {}", place.name, name[k],
                            expressionText(region.values[k], name), what),
                region.values[k].loc};
  }

  void operands(std::size_t k) const {
    const Value &value = region.values[k];
    const int arity = info(value.op).arity;
    for (int a = 0; a < 3; ++a) {
      const Id id = value.args[static_cast<std::size_t>(a)];
      if (a >= arity && id != -1)
        fail(k, fmt::format("it takes {} operands", arity));
      if (a < arity && (id < 0 || static_cast<std::size_t>(id) >= region.values.size()))
        fail(k, fmt::format("operand {} is missing", a + 1));
      if (a < arity && static_cast<std::size_t>(id) >= k)
        fail(k, fmt::format("operand {} comes after its user", a + 1));
    }
    if (value.op == Op::Component && (value.component < 0 || value.component > 2))
      fail(k, "it names no component");
  }

  void leaf(const Value &value) const {
    const auto allow = [&](bool allowed) {
      if (!allowed)
        throw Error{fmt::format("verify: {}: {} has no meaning here", place.name, leafText(value)),
                    value.loc};
    };
    switch (value.op) {
    case Op::Field:
      return allow(place.record);
    case Op::Packed:
      return allow(place.packed);
    case Op::Axis:
      return allow(place.grid);
    case Op::Sum:
      return allow(place.sum && (value.component < 0 ? kernel.waves.empty()
                                                     : value.component < transformsOf(kernel)));
    case Op::Total:
      return allow(place.sum && value.component >= 0 && value.component < totalsOf(kernel));
    default:
      return;
    }
  }
};

void verifyNames(const Kernel &kernel) {
  std::set<std::string_view> seen;
  for (const Field &field : kernel.fields) {
    if (!seen.insert(field.name).second)
      throw Error{fmt::format("verify: two columns are named '{}'", field.name), {}};
    if (field.type != Type::Real && field.type != Type::Vec3)
      throw Error{fmt::format("verify: column '{}' is {}, not real or vec3", field.name,
                              spelling(field.type)),
                  {}};
  }
  std::set<std::string> all;
  for (const Param &param : kernel.params) {
    const std::vector<std::string> own = slots(param);
    const std::size_t numbers = own.size();
    for (const std::string &slot : own)
      if (!all.insert(slot).second)
        throw Error{fmt::format("verify: two parameters are named '{}'", slot), {}};
    if (numbers == 0)
      throw Error{fmt::format("verify: parameter '{}' is {}, not real, cplx, vec3 or cvec3",
                              param.name, spelling(param.type)),
                  {}};
    if (!param.value.empty() && param.value.size() != numbers)
      throw Error{fmt::format("verify: the default of parameter '{}' has {} numbers, not {}",
                              param.name, param.value.size(), numbers),
                  {}};
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const AxisType &axis = kernel.axes[k];
    if ((axis.type != Type::Real && axis.type != Type::Cplx) || axis.fixed < 0)
      throw Error{
          fmt::format("verify: axis {} must be real or cplx, its extent positive", "xyz"[k]), {}};
  }
}

} // namespace

void verify(const Kernel &kernel) {
  verifyNames(kernel);
  const bool packed = !kernel.pack.empty();
  const Verifier pack(kernel, kernel.pack, {"pack", true, false, false, false});
  const Verifier term(kernel, kernel.term, {"sum", !packed, packed, true, false});
  const Verifier finish(kernel, kernel.finish, {"finish", false, false, true, true});
  const Verifier origin(kernel, kernel.origin, {"origin", true, false, false, false});
  pack.values();
  pack.yieldsColumns();
  term.values();
  if (kernel.waves.empty()) // else transforms stand for the term
    term.yieldsNumber();
  else if (!kernel.term.empty())
    throw Error{"verify: a kernel has a sum or waves, not both", {}};
  for (const auto &[name, region] :
       {std::pair{"waves", &kernel.waves}, {"totals", &kernel.totals}}) {
    const Verifier sums(kernel, *region, {name, true, false, false, false});
    sums.values();
    sums.yieldsSums();
  }
  totalsOf(kernel); // names, even where finish reads none
  wavesOf(kernel);
  finish.values();
  finish.yieldsNumber();
  if (origin.values(); !kernel.origin.empty())
    origin.yieldsNumber();
}

} // namespace facet::ir
