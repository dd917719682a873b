// kernel.cpp - a kernel library opened, its variants, their knobs, what a pose does to its columns.
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/kernel/schedule.h"
#include "runtime/engine/system/text.h"
#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <span>

namespace facet::runtime {
namespace {

// The first two fields are fixed for all time; nothing else is read before they are right.
void checkAbi(const facet_kernel_description *d, const std::string &where) {
  const auto refuse = [&](const std::string &what) {
    throw Error(where, what, "build it again with facet build");
  };
  if (d == nullptr)
    refuse("the library holds no kernel");
  if (d->abi != FACET_ABI_VERSION)
    refuse(fmt::format("kernel library with ABI {}, this facet speaks ABI {}", d->abi,
                       FACET_ABI_VERSION));
  if (d->size != sizeof(facet_kernel_description))
    refuse(fmt::format("kernel library whose description has {} bytes, {} expected", d->size,
                       sizeof(facet_kernel_description)));
}

std::span<const facet_variant> variantsOf(const facet_kernel_description &kernel) {
  return {kernel.variants, static_cast<std::size_t>(kernel.variant_count)};
}

template <class Value>
Value byName(const std::string &what, const std::string &name, std::string (*nameOf)(int),
             std::initializer_list<Value> values) {
  std::vector<std::string> known;
  for (const Value value : values)
    if (known.push_back(nameOf(value)); known.back() == name)
      return value;
  throw Error(what + " '" + name + "'", "no such " + what, suggestion(name, known));
}

/// The columns for which `is` holds, each vector once.
template <class Is> std::string listOf(const facet_kernel_description &kernel, const Is &is) {
  std::string list;
  for (int c = 0; c < kernel.column_count; ++c) {
    const std::string name = kernel.columns[c];
    const bool vector = kernel.roles[c].turns != 0;
    if (is(kernel.roles[c]) && (!vector || name.ends_with(".x")))
      list += (list.empty() ? "" : ", ") + (vector ? name.substr(0, name.size() - 2) : name);
  }
  return list;
}

std::string whereOf(const facet_kernel_description &kernel) {
  return std::string("kernel ") + kernel.name;
}

} // namespace

std::span<const facet_output> outputsOf(const facet_kernel_description &kernel) {
  return {kernel.outputs, static_cast<std::size_t>(kernel.output_count)};
}

std::string nameOf(const facet_output &output) { return *output.name == 0 ? "F" : output.name; }

void checkOneOutput(const facet_kernel_description &kernel, const std::string &what) {
  const std::span<const facet_output> outputs = outputsOf(kernel);
  if (*outputs.front().name == 0)
    return;
  std::string names;
  for (const facet_output &output : outputs)
    names += (names.empty() ? "" : ", ") + nameOf(output);
  throw Error(std::string("kernel ") + kernel.name,
              fmt::format("has outputs by name ({}), and {} takes one F", names, what),
              "let finish return one number, of those chosen by a parameter");
}

void checkNoAxes(const facet_kernel_description &kernel, const std::string &what,
                 const std::string &help) {
  if (kernel.axis_column_count > 0)
    throw Error(whereOf(kernel),
                fmt::format("column '{}' has the axis {}, and {}", kernel.axis_columns[0].name,
                            "xyzq"[kernel.axis_columns[0].axis], what),
                help);
}

Kernel::Kernel(const facet_kernel_description *description, std::string where)
    : description_(description), path_(std::move(where)) {
  checkAbi(description_, path_.empty() ? "kernel linked into the program" : path_);
}

Kernel Kernel::load(const std::string &path) {
  const std::filesystem::path file = std::filesystem::absolute(path);
  if (std::error_code none; !std::filesystem::exists(file, none))
    throw Error(path, "no such file", "a kernel library is made by facet build");
  // RTLD_LOCAL: libraries of two kernels, or of two versions of one, must not see each other.
  const std::shared_ptr<void> library(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL), [](void *p) {
    if (p != nullptr)
      dlclose(p);
  });
  if (!library) {
    const char *reason = dlerror(); // NOLINT(concurrency-mt-unsafe): the text is per thread
    throw Error(path, std::string("not a kernel library: ") + (reason != nullptr ? reason : "?"),
                "build it again with facet build");
  }
  const auto entry = reinterpret_cast<facet_kernel_fn>(dlsym(library.get(), "facet_kernel"));
  if (entry == nullptr)
    throw Error(path, "a shared library, but no kernel library: it has no facet_kernel()",
                "a kernel library is made by facet build");
  Kernel kernel(entry(), path);
  kernel.library_ = library;
  return kernel;
}

std::string className(int klass) {
  return klass == FACET_F32 ? "f32" : klass == FACET_F32_CAREFUL ? "f32-careful" : "f64";
}
std::string gridName(int grid) { return grid == FACET_PRODUCT ? "product" : "points"; }
std::string qName(int q) { return q == FACET_REAL_Q ? "real" : "complex"; }

facet_class classByName(const std::string &name) {
  return byName("class", name, className, {FACET_F32, FACET_F32_CAREFUL, FACET_F64});
}

const facet_variant *Kernel::find(const std::string &target, int klass, int grid, int q,
                                  int algorithm) const {
  for (const facet_variant &v : variantsOf(*description_))
    if (target == v.target && v.klass == klass && v.grid == grid && v.q == q &&
        v.algorithm == algorithm)
      return &v;
  return nullptr;
}

const facet_transforms *Kernel::transforms(int q) const {
  for (int i = 0; i < description_->transforms_count; ++i)
    if (description_->transforms[i].q == q)
      return &description_->transforms[i];
  return nullptr;
}

std::vector<std::string> Kernel::compiledTargets() const {
  std::vector<std::string> result;
  for (const Target &t : targets())
    if (std::ranges::find(variantsOf(*description_), t.name, &facet_variant::target) !=
        variantsOf(*description_).end())
      result.push_back(t.name);
  return result;
}

std::string Kernel::chooseTarget(const std::string &forced) const {
  const std::string word = askedWord(forced), asked = forcedTarget(forced);
  const std::vector<std::string> held = compiledTargets();
  std::string best;
  for (const std::string &name : allowedTargets(word, ""))
    if (std::ranges::find(held, name) != held.end())
      best = name;
  if (best.empty())
    throw Error(path_.empty() ? std::string("kernel ") + description_->name : path_,
                asked.empty() ? "compiled for no target that this CPU can run"
                              : "not compiled for target " + asked,
                fmt::format("it holds: {}; `facet machines` says what this machine can run",
                            fmt::join(held, ", ")));
  return best;
}

ColumnRoles rolesOf(const facet_kernel_description &kernel) {
  ColumnRoles roles;
  for (int c = 0; c < kernel.column_count; ++c) {
    const std::string name = kernel.columns[c];
    const facet_role &role = kernel.roles[c];
    roles[role.turns != 0 ? name.substr(0, name.rfind('.')) : name] = {
        role.turns != 0, role.moves != 0, role.power, role.known != 0};
  }
  return roles;
}

const Mesh &inNm(const Mesh &mesh, const facet_kernel_description &kernel, Mesh &room) {
  if (mesh.unit == 1)
    return mesh;
  room = mesh;
  giveRoles(room, rolesOf(kernel));
  return room;
}

void checkTurns(const facet_kernel_description &kernel) {
  const std::string numbers =
      listOf(kernel, [](const facet_role &r) { return r.known == 0 && r.turns == 0; });
  constexpr auto help = "write a place as one vector in the record, vec3 place, and the phase as "
                        "dot(q, t.place)";
  if (!numbers.empty())
    throw Error(whereOf(kernel),
                fmt::format("its records cannot be turned: the phase takes {} for coordinates, and "
                            "these are numbers of their own",
                            numbers),
                help);
  if (kernel.triangle == 0 &&
      listOf(kernel, [](const facet_role &r) { return r.turns != 0; }).empty())
    throw Error(whereOf(kernel),
                "its records cannot be turned: they have no vector that turns with the particle",
                help);
}

void checkPlaces(const facet_kernel_description &kernel, const std::string &what) {
  checkTurns(kernel);
  const std::string unclear = listOf(kernel, [](const facet_role &r) { return r.known == 0; });
  if (!unclear.empty())
    throw Error(
        whereOf(kernel),
        fmt::format("its records cannot be {}: the formula does not say what {} is", what, unclear),
        "say it in the record: position3 for a place, offset3 for what leads from one place "
        "to another, direction3 or fixed3 in the place of vec3");
  if (kernel.triangle == 0 &&
      listOf(kernel, [](const facet_role &r) { return r.moves != 0; }).empty())
    throw Error(whereOf(kernel), fmt::format("its records cannot be {}: they have no place", what),
                "say which vector is the place: position3 in the place of vec3");
}

schedules::Knobs knobsOf(const facet_variant &variant) {
  schedules::Knobs knobs;
  if (variant.knobs != nullptr)
    schedules::parse(variant.knobs, knobs);
  return knobs;
}

Json inManifest(const facet_kernel_description &kernel, const facet_variant &variant) {
  const Json manifest = parseJson(kernel.manifest);
  if (manifest.is_object() && manifest.contains("variants"))
    for (const Json &one : manifest["variants"])
      if (one.is_object() && one.value("target", "") == variant.target &&
          one.value("class", "") == className(variant.klass) &&
          one.value("grid", "") == gridName(variant.grid) &&
          one.value("q", "") == qName(variant.q) &&
          one.value("algorithm", "") == algorithmName(variant.algorithm))
        return one;
  return Json::object();
}

std::string scheduleOf(const Kernel &kernel, const facet_variant &variant) {
  return inManifest(*kernel, variant).value("schedule", "");
}

std::string showKnobs(const schedules::Knobs &knobs, bool separable, bool device) {
  std::string text;
  int place = 0;
  for (const schedules::KnobInfo &knob : schedules::knobTable()) {
    const int value = knobs.*knob.member;
    if (schedules::isUsed(knob, separable, device) && (place < 3 || value != knob.fallback))
      text += (text.empty() ? "" : ", ") + std::string(knob.name) + "=" + std::to_string(value);
    ++place;
  }
  return text;
}

std::string showSchedule(const Kernel &kernel, const facet_variant &variant) {
  const std::string from = scheduleOf(kernel, variant);
  return showKnobs(knobsOf(variant), variant.algorithm == FACET_SEPARABLE,
                   variant.interface_ != FACET_CPU) +
         (from.empty() ? "" : " (" + from + ")");
}

} // namespace facet::runtime
