// verifier.cpp - the rules every kernel's IR keeps, checked after each pass.
#include "ir.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace facet::ir {

namespace {

template <class... Args>
[[noreturn]] void fail(Loc loc, fmt::format_string<Args...> format, Args &&...args) {
  throw Error{"verify: " + fmt::format(format, std::forward<Args>(args)...), loc};
}

int transformsOf(const Kernel &kernel) {
  int count = 0;
  for (const Wave &wave : wavesOf(kernel))
    count += static_cast<int>(wave.strengths.size());
  return count;
}

class Verifier {
public:
  Verifier(const Kernel &kernel, const Region &region, std::string_view where)
      : kernel(kernel), region(region), where(where), name(names(region)) {}

  void check() const {
    values();
    if (&region == &kernel.pack)
      yieldsColumns();
    else if (&region == &kernel.waves || &region == &kernel.totals)
      yieldsSums();
    else if (&region == &kernel.scalars)
      yieldsScalars();
    else if (&region == &kernel.mixed)
      yieldsMixed();
    else if (&region == &kernel.term) {
      if (!region.empty() || kernel.waves.empty()) // else transforms stand for it
        yieldsComponents();
    } else if (&region == &kernel.finish)
      yieldsOutputs();
    else if (!region.empty())
      yieldsOrigin();
  }

private:
  const Kernel &kernel;
  const Region &region;
  std::string_view where;
  std::vector<std::string> name;

  void values() const {
    for (Id id = 0; id < std::ssize(region.values); ++id) {
      const Value &value = region[id];
      operands(id);
      if (!allowed(value))
        fail(value.loc, "{}: {} has no meaning here", where, leafText(value));
      Type type{};
      try {
        type = typeOf(kernel, region, value);
      } catch (const Error &error) {
        failAt(id, error.message);
      }
      if (type != value.type)
        failAt(id, fmt::format("its type is {}, not {}", spelling(type), spelling(value.type)));
      if (const auto domain = domainOf(kernel, region, value); domain != value.domain)
        failAt(id,
               fmt::format("its domain is {}, not {}", spelling(domain), spelling(value.domain)));
    }
    for (const Output &output : region.outputs)
      if (!isThere(output.value))
        fail({}, "{}: it yields a value that is not there", where);
  }

  /// One number, or the real pair `re`, `im`.
  void yieldsNumber() const {
    const auto &out = region.outputs;
    const bool one = out.size() == 1 && out[0].name.empty() && isScalar(typeAt(out[0]));
    const bool pair = out.size() == 2 && out[0].name == "re" && out[1].name == "im" &&
                      isReal(typeAt(out[0])) && isReal(typeAt(out[1]));
    if (!one && !pair)
      fail({}, "{}: it must yield one number, or re and im", where);
  }

  /// Numbers with names of their own; all whole, or all split.
  bool areNumbers(const std::vector<Component> &components) const {
    std::set<std::string_view> seen;
    std::size_t split = 0;
    bool right = !components.empty();
    for (const auto &[name, re, im] : components) {
      const bool parts = region.outputs[re].name != name;
      const auto fits = parts ? isReal : isScalar;
      right = right && fits(typeAt(region.outputs[re])) &&
              (im < 0 || fits(typeAt(region.outputs[im]))) && seen.insert(name).second;
      split += parts ? 1 : 0;
    }
    return right && (split == 0 || split == components.size());
  }

  /// One component without a name, or several, each with one of its own.
  void yieldsComponents() const {
    const std::vector<Component> components = componentsOf(region);
    if (!areNumbers(components) || std::ranges::any_of(components, [&](const Component &one) {
          return one.name.empty() != (components.size() == 1);
        }))
      fail({},
           "{}: it must yield one number, or re and im, or several of these with names of their "
           "own",
           where);
  }

  /// One number without a name, or outputs with names that may be those of groups.
  void yieldsOutputs() const {
    const std::vector<Component> outputs = componentsOf(region);
    if (outputs.size() == 1 && outputs.front().name.empty())
      return yieldsNumber();
    const bool ofPoint = pointField(kernel) != nullptr; // whose outputs are called as columns are
    const std::size_t most = ofPoint ? mostPointOutputs : mostOutputs;
    if (!areNumbers(outputs) || outputs.size() > most ||
        std::ranges::any_of(outputs, [&](const Component &one) {
          return one.name.empty() ||
                 (!ofPoint && (one.name.find('.') != std::string::npos || !isOutputName(one.name)));
        }))
      fail({},
           "{}: it must yield one number, or re and im, or 1 to {} outputs with names of their own",
           where, most);
  }

  /// What finish yields, by the same names.
  void yieldsOrigin() const {
    const std::vector<Component> own = componentsOf(region), all = componentsOf(kernel.finish);
    if (own.size() == 1 && own.front().name.empty())
      yieldsNumber();
    if (!areNumbers(own) || !std::ranges::equal(own, all, {}, &Component::name, &Component::name))
      fail({}, "origin: it must yield the outputs of finish");
  }

  /// Columns with names of their own, real or wide.
  void yieldsColumns() const {
    std::set<std::string_view> seen;
    for (const Output &output : region.outputs) {
      if (!isReal(typeAt(output)))
        fail({}, "pack: column '{}' is {}, not real or wide", output.name,
             spelling(typeAt(output)));
      if (output.name.empty() || !seen.insert(output.name).second)
        fail({}, "pack: two columns are named '{}'", output.name);
    }
  }

  /// Strengths and totals are numbers, complex or in real parts; points are real.
  void yieldsSums() const {
    for (const Output &output : region.outputs) {
      const Type type = typeAt(output);
      const bool whole = output.name.starts_with('b') && !output.name.ends_with("re") &&
                         !output.name.ends_with("im");
      if (!isReal(type) && !(whole && type == Type::Cplx))
        fail({}, "{}: {} is {}, not {}", where, output.name, spelling(type),
             whole ? "a number" : "real");
    }
  }

  /// Real numbers, each of the name of a parameter; two at most.
  void yieldsScalars() const {
    if (region.outputs.size() > mostScalars)
      fail({}, "scalars: there are {}, not {} at most", region.outputs.size(), mostScalars);
    for (const Output &output : region.outputs)
      if (typeAt(output) != Type::Real ||
          std::ranges::count(kernel.params, output.name, &Param::name) != 1)
        fail({}, "scalars: '{}' is no real number with a parameter of its name", output.name);
  }

  /// One real number.
  void yieldsMixed() const {
    if (!region.empty() && (region.outputs.size() != 1 || region.outputs[0].name != "mixed" ||
                            typeAt(region.outputs[0]) != Type::Real))
      fail({}, "mixed: it is to yield one real number, mixed = ..");
  }

  bool isThere(Id id) const { return id >= 0 && id < std::ssize(region.values); }
  Type typeAt(const Output &output) const { return region[output.value].type; }

  [[noreturn]] void failAt(Id id, std::string_view what) const {
    fail(region[id].loc, "{}: {} = {}: {}", where, name[id], expressionText(region[id], name),
         what);
  }

  /// An operand that is to be a number, of at most this size.
  void constant(Id id, std::size_t operand, double most) const {
    const Value &given = region[region[id].args[operand]];
    if (given.op != Op::Number || !(std::abs(given.number) <= most))
      failAt(id,
             fmt::format("operand {} must be a number from {} to {}", operand + 1, -most, most));
  }

  void operands(Id id) const {
    const Value &value = region[id];
    const int arity = info(value.op).arity;
    for (int a = 0; a < 3; ++a) {
      const Id arg = value.args[a];
      if (a >= arity && arg != -1)
        failAt(id, fmt::format("it takes {} operands", arity));
      if (a < arity && arg >= id)
        failAt(id, fmt::format("operand {} comes after its user", a + 1));
    }
    if (value.op == Op::Component && (value.component < 0 || value.component > 2))
      failAt(id, "it names no component");
    if (value.op == Op::Pow)
      constant(id, 1, 1000);
    if (value.op == Op::Edge)
      constant(id, 2, 1);
  }

  /// Whether there is such a sum, and such a part of it.
  bool isSum(const Value &value) const {
    if (!kernel.waves.empty())
      return value.component >= 0 && value.component < transformsOf(kernel);
    const std::vector<Component> components = componentsOf(kernel.term);
    const std::size_t k = value.component < 0 ? 0 : static_cast<std::size_t>(value.component);
    if (k >= components.size() || (value.component < 0) != (components.size() == 1))
      return false;
    const bool split = kernel.term.outputs[components[k].re].name != components[k].name;
    return !split || value.part != Part::Im || components[k].im >= 0;
  }

  /// Whether a leaf may stand in the region.
  bool allowed(const Value &value) const {
    const bool finish = &region == &kernel.finish, term = &region == &kernel.term;
    const bool scalars = &region == &kernel.scalars;
    const bool packed = term && !kernel.pack.empty();
    switch (value.op) {
    case Op::Field:
      if (const Field *field = fieldNamed(kernel, value.name); field != nullptr && field->axis >= 0)
        return term || (finish && field->axis == ofPoints);
      return !finish && !packed && !scalars;
    case Op::Packed:
      return packed;
    case Op::Axis:
      return finish || term || scalars;
    case Op::Sum:
      return finish && isSum(value);
    case Op::Rest:
      return finish && !kernel.mixed.empty() && value.component >= 0;
    case Op::Total:
      return finish && value.component >= 0 && value.component < totalsOf(kernel);
    default:
      return true;
    }
  }
};

void verifyNames(const Kernel &kernel) {
  std::set<std::string_view> seen;
  for (const Field &field : kernel.fields) {
    if (!seen.insert(field.name).second)
      fail({}, "two columns are named '{}'", field.name);
    if (field.type != Type::Real && field.type != Type::Vec3)
      fail({}, "column '{}' is {}, not real or vec3", field.name, spelling(field.type));
    if (field.axis >= 0 && (field.type != Type::Real || field.axis > ofPoints))
      fail({}, "column '{}' has an axis: it must be real, and the axis x, y or z", field.name);
    if (field.axis == ofPoints && kernel.grid == GridKind::Product)
      fail({}, "column '{}' is one of points, and a product grid has none", field.name);
    if (field.axis >= 0 && field.axis != ofPoints && kernel.grid == GridKind::Points)
      fail({}, "column '{}' has the axis {}, and a list of points has none", field.name,
           "xyz"[field.axis]);
  }
  std::set<std::string> all;
  for (const Param &param : kernel.params) {
    const std::vector<std::string> own = slots(param);
    for (const std::string &slot : own)
      if (!all.insert(slot).second)
        fail({}, "two parameters are named '{}'", slot);
    if (own.empty())
      fail({}, "parameter '{}' is {}, not real, cplx, vec3, cvec3 or mat3", param.name,
           spelling(param.type));
    if (!param.value.empty() && param.value.size() != own.size())
      fail({}, "the default of parameter '{}' has {} numbers, not {}", param.name,
           param.value.size(), own.size());
  }
  for (int k = 0; k < 3; ++k)
    if (const AxisType &axis = kernel.axes[k];
        (axis.type != Type::Real && axis.type != Type::Cplx) || axis.fixed < 0)
      fail({}, "axis {} must be real or cplx, its extent positive", "xyz"[k]);
}

} // namespace

void verify(const Kernel &kernel) {
  verifyNames(kernel);
  if (!kernel.waves.empty() && !kernel.term.empty())
    fail({}, "a kernel has a sum or waves, not both");
  totalsOf(kernel); // checks names even if finish reads none
  wavesOf(kernel);
  const auto *called = regionNames;
  for (const Region *region : regionsOf(kernel))
    Verifier(kernel, *region, *called++).check();
}

} // namespace facet::ir
