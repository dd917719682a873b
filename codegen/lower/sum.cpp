// sum.cpp - a sum kernel's arguments, and its code in any form.
#include "dsl/facet/abi.h"
#include "sum_exprs.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <mutex>

namespace facet::lower {
namespace {

/// Vectors of a CPU's sum; 1 for devices. Throws if the knobs are not legal.
int lanesOf(const SumKernel &sum) {
  const schedules::TargetInfo &target = targetOf(sum.target);
  if (const std::string wrong = schedules::problem(sum.knobs, target.vectorBytes); !wrong.empty())
    throw ir::Error{
        fmt::format("the schedule of '{}' for {}: {}", sum.kernel.name, sum.target, wrong)};
  if (isDevice(target))
    return 1;
  const int bytes = sum.knobs.vectorBytes > 0 ? sum.knobs.vectorBytes : target.vectorBytes;
  if (bytes < target.vectorBytes && hasLongSve(target))
    throw ir::Error{fmt::format("vector_bytes={}: vectors of half a register are wrong on {}: take "
                                "{} or more",
                                bytes, sum.target, target.vectorBytes)};
  if (sum.variant.klass == passes::Class::F32Careful && hasLongSve(target))
    throw ir::Error{fmt::format("f32-careful: Halide's compiler gives up on {}, where floats and "
                                "doubles are vectors of as many lanes: take f32 or f64",
                                sum.target)};
  return bytes / (sum.variant.klass == passes::Class::F64 ? 8 : 4);
}

/// LLVM's scheduler before register allocation mixes the points of a tile and then spills the sums;
/// moving the polynomials' constants out of the loop does the same. Read by Halide once, before
/// its first compile; a value of the user's own is kept.
void setLlvmOptions() {
  static std::once_flag once;
  std::call_once(once,
                 [] { setenv("HL_LLVM_ARGS", "-enable-misched=false -disable-machine-licm", 0); });
}

} // namespace

bool hasLongSve(const schedules::TargetInfo &target) {
  return target.vectorBytes > 16 && target.halide.find("sve2") != std::string_view::npos;
}

const schedules::TargetInfo &targetOf(const std::string &name) {
  if (const schedules::TargetInfo *target = schedules::findTarget(name))
    return *target;
  std::vector<std::string_view> known;
  for (const schedules::TargetInfo &target : schedules::targetTable())
    known.push_back(target.name);
  throw ir::Error{fmt::format("unknown target '{}'; there are {}", name, fmt::join(known, ", "))};
}

std::vector<std::string> packedColumns(const ir::Kernel &kernel, bool wide) {
  std::vector<std::string> names;
  for (const ir::Output &output : kernel.pack.outputs) {
    const ir::Type type = kernel.pack.values[output.value].type;
    if ((type == ir::Type::Wide) == wide)
      names.push_back(output.name);
  }
  return names;
}

int packedBytes(const ir::Kernel &kernel, passes::Class klass) {
  const auto wide = static_cast<int>(packedColumns(kernel, true).size());
  const auto narrow = static_cast<int>(packedColumns(kernel, false).size());
  return 8 * wide + (klass == passes::Class::F64 ? 8 : 4) * narrow;
}

std::vector<ir::Field> axisFields(const ir::Kernel &kernel) {
  std::vector<ir::Field> fields;
  std::ranges::copy_if(kernel.fields, std::back_inserter(fields),
                       [](const ir::Field &field) { return field.axis >= 0; });
  return fields;
}

std::vector<Argument> arguments(const ir::Kernel &kernel) {
  using enum ArgumentKind;
  std::vector<Argument> list;
  for (bool wide : {false, true})
    if (readsPacked(kernel.term, wide))
      list.push_back({wide ? Wide : Narrow});
  std::vector<AxisId> axes = axesOf(kernel.term, ~0);
  std::ranges::sort(axes, {},
                    [](const AxisId &axis) { return std::pair(axis.second, axis.first); });
  for (const auto &[component, part] : axes)
    list.push_back({part == ir::Part::Im ? AxisIm : AxisRe, component});
  list.push_back({Count});
  const auto reads = [&](ir::Op op, const std::string &name) {
    return std::ranges::any_of(kernel.term.values,
                               [&](const ir::Value &v) { return v.op == op && v.name == name; });
  };
  const std::vector<std::string> slots = ir::slots(kernel);
  for (std::size_t k = 0; k < slots.size(); ++k)
    if (reads(ir::Op::Param, slots[k]))
      list.push_back({Param, static_cast<int>(k)});
  const std::vector<ir::Field> tables = axisFields(kernel);
  for (std::size_t k = 0; k < tables.size(); ++k)
    if (reads(ir::Op::Field, tables[k].name))
      list.push_back({Table, static_cast<int>(k)});
  for (std::size_t k = 0; k < kernel.term.outputs.size(); ++k)
    list.push_back({Out, static_cast<int>(k)});
  return list;
}

std::array<int, 3> pad(const SumKernel &sum) {
  const int lanes = lanesOf(sum);
  const schedules::Knobs &knobs = sum.knobs;
  const bool device = isDevice(targetOf(sum.target));
  if (device && knobs.tensor)
    return {1, 1, tensor::zTile};
  const int z = device ? knobs.blockZ * knobs.tileZ : lanes;
  if (sum.kernel.grid == ir::GridKind::Points)
    return {z, 1, 1};
  return {1, device ? knobs.blockY * knobs.tileY : 1, z};
}

Inputs::Inputs(const SumKernel &sum)
    : real(Halide::Float(sum.variant.klass == passes::Class::F64 ? 64 : 32)), target(sum.target),
      separable(sum.variant.algorithm == passes::Algorithm::Separable),
      device(isDevice(targetOf(sum.target))), kernel(sum.kernel) {
  narrow = Halide::ImageParam(real, 2, "narrow");
  wide = Halide::ImageParam(Halide::Float(64), 2, "wide");
  for (bool isWide : {false, true}) {
    Halide::ImageParam &records = isWide ? wide : narrow;
    const int fields = static_cast<int>(packedColumns(kernel, isWide).size());
    records.dim(0).set_bounds(0, fields).set_stride(1);
    records.dim(1).set_min(0).set_stride(fields);
  }
  for (std::size_t k = 0; k < 3; ++k)
    for (bool imaginary : {false, true}) {
      const std::string name = fmt::format("q{}_{}", "xyz"[k], imaginary ? "im" : "re");
      Halide::ImageParam axis(Halide::Float(64), 1, name);
      axis.dim(0).set_min(0);
      (imaginary ? im : re)[k] = axis;
    }
  for (const ir::Field &field : axisFields(kernel)) {
    const bool points = field.axis == ir::ofPoints;
    Halide::ImageParam table(Halide::Float(64), points ? 1 : 2,
                             fmt::format("table{}", tables.size()));
    table.dim(0).set_min(0).set_stride(1);
    if (!points)
      table.dim(1).set_min(0);
    tables.emplace_back(field, table);
  }
  for (const std::string &slot : ir::slots(kernel)) // no dots: Halide keeps them for itself
    params.emplace(slot, Halide::Param<double>(fmt::format("p{}", params.size())));
}

std::vector<Halide::Argument> Inputs::list() const {
  using enum ArgumentKind;
  std::vector<Halide::Argument> list;
  const std::vector<std::string> slots = ir::slots(kernel);
  for (const auto &[kind, index] : arguments(kernel))
    if (kind == Count)
      list.emplace_back(count);
    else if (kind == Param)
      list.emplace_back(params.at(slots[index]));
    else if (kind == Table)
      list.emplace_back(tables[static_cast<std::size_t>(index)].second);
    else if (kind == AxisRe || kind == AxisIm)
      list.emplace_back((kind == AxisIm ? im : re)[index]);
    else if (kind == Narrow || kind == Wide) // Halide appends the outputs
      list.emplace_back(kind == Wide ? wide : narrow);
  return list;
}

Halide::Expr Inputs::column(const std::string &name, const Halide::Expr &t) const {
  for (bool isWide : {false, true}) {
    const std::vector<std::string> names = packedColumns(kernel, isWide);
    for (std::size_t k = 0; k < names.size(); ++k)
      if (names[k] == name)
        return (isWide ? wide : narrow)(static_cast<int>(k), t);
  }
  throw ir::Error{fmt::format("pack makes no column '{}'", name)};
}

Halide::Expr Inputs::table(const std::string &name, const Halide::Expr &t,
                           const std::array<Halide::Expr, 3> &at) const {
  const auto found =
      std::ranges::find_if(tables, [&](const auto &table) { return table.first.name == name; });
  if (found == tables.end())
    throw ir::Error{fmt::format("the record has no column '{}' with an axis", name)};
  const auto &[field, table] = *found;
  if (field.axis == ir::ofPoints)
    return table(at[0]);
  // A CPU's z is padded beyond the last row, on devices y too; tables of a separable sum run beyond
  // the last record.
  const Halide::Expr place = at[static_cast<std::size_t>(field.axis)];
  return table(separable ? Halide::min(t, table.dim(0).extent() - 1) : t,
               field.axis == 2 || device ? Halide::min(place, table.dim(1).extent() - 1) : place);
}

void compileTo(Halide::Func output, const std::vector<Halide::Argument> &arguments, Form form,
               const std::string &symbol, const Halide::Target &machine, const std::string &path) {
  using Halide::OutputFileType;
  static constexpr OutputFileType types[] = {OutputFileType::stmt, OutputFileType::llvm_assembly,
                                             OutputFileType::assembly, OutputFileType::object,
                                             OutputFileType::device_code}; // in the order of Form
  Halide::Module module = output.compile_to_module(
      arguments, symbol,
      machine.with_feature(Halide::Target::NoRuntime).with_feature(Halide::Target::NoBoundsQuery));
  // Without metadata, which nobody reads: of the outputs of sums that are lowered side by side it
  // has names that Halide numbers as they come.
  for (Halide::Internal::LoweredFunc &function : module.functions())
    if (function.linkage == Halide::LinkageType::ExternalPlusMetadata)
      function.linkage = Halide::LinkageType::External;
  module.compile({{types[static_cast<int>(form)], path}});
}

Halide::Target cpuMachine(const std::string &target) {
  return Halide::Target(std::string(schedules::halideTarget(target)))
      .with_feature(Halide::Target::NoAsserts);
}

void emit(const SumKernel &sum, Form form, const std::string &path) {
  setLlvmOptions();
  const int lanes = lanesOf(sum);
  if (sum.kernel.term.outputs.empty())
    throw ir::Error{"the kernel's term yields nothing"};
  if (sum.kernel.term.outputs.size() > FACET_MOST_SUMS)
    throw ir::Error{
        fmt::format("the term of kernel '{}' has {} real sums, the parts of its "
                    "components, and a sum kernel has room for {}: make two kernels of it",
                    sum.kernel.name, sum.kernel.term.outputs.size(), FACET_MOST_SUMS)};
  try {
    const bool device = isDevice(targetOf(sum.target));
    if (device && sum.knobs.tensor)
      throw ir::Error{"tensor=1: sums on tensor cores are CUDA C++, which --emit=cuda shows and "
                      "--emit=library compiles; take tensor=0 for the other forms"};
    if (device)
      return gpu::emit(sum, form, path);
    if (form == Form::Device)
      throw ir::Error{fmt::format("target {} is a CPU: it has no device code", sum.target)};
    const Inputs inputs(sum);
    const bool tables = sum.variant.algorithm == passes::Algorithm::Separable;
    Halide::Func output = (tables ? separable : direct)(sum, inputs, lanes);
    const auto buffers = output.output_buffers();
    for (int k = 0; k < buffers[0].dimensions(); ++k)
      Halide::OutputImageParam(buffers[0]).dim(k).set_min(0);
    for (Halide::OutputImageParam buffer : buffers)
      buffer.dim(0).set_stride(1);
    Halide::Target machine = cpuMachine(sum.target);
    if (!inputs.tables.empty()) // rows lie apart by all records there are
      machine.set_feature(Halide::Target::LargeBuffers);
    compileTo(output, inputs.list(), form, sum.symbol, machine, path);
  } catch (const Halide::Error &error) {
    throw ir::Error{fmt::format("Halide refused the sum of '{}' for {}: {}", sum.kernel.name,
                                sum.target, error.what())};
  }
}

double errorBound(const passes::Variant &variant, const std::string &target) {
  // Polynomials of the math pass and the rounding of the operations around them; the unit tests
  // hold them to it.
  if (variant.klass == passes::Class::F64)
    return 4e-15;
  const schedules::TargetInfo &info = targetOf(target);
  if (variant.hardware && passes::takesHardware(variant) && isDevice(info)) {
    // CUDA C++ Programming Guide, intrinsic functions: in [-pi, pi] __sinf is off by at most
    // 2^-21.41, __cosf by 2^-21.19, 5.5e-7 of a wave; the angle is rounded by 3e-7, 2^a is off by
    // 2^-22 (PTX ISA, ex2.approx). The rest is for the roundings around them. OpenCL states no
    // bound for native functions; half_sin's, 8192 ulp, is taken.
    return info.architecture == "cuda" ? 1.5e-6 : 0x1p-11;
  }
  // Tables are formed in double: two factors and one of z are rounded, and two products of them.
  return variant.algorithm == passes::Algorithm::Separable ? 5 * 0x1p-24 : 1e-6;
}

double errorBound(const SumKernel &sum) {
  using passes::Class;
  const bool unbound = sum.cancels || (sum.variant.algorithm == passes::Algorithm::Direct &&
                                       sum.variant.klass == Class::F32Careful &&
                                       passes::decidesInSingle(sum.kernel));
  return unbound ? 1 : errorBound(sum.variant, sum.target);
}

} // namespace facet::lower
