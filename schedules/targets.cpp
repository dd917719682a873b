// targets.cpp - the table of targets, and what this CPU has of the features they need.
#include "schedules/targets.h"
#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#if defined(__aarch64__)
#include <fmt/format.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#elif defined(__riscv)
#include <fmt/format.h>
#include <sys/auxv.h>
#endif

namespace facet::schedules {
namespace {

std::vector<std::string> words(const std::string &text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// Not by /proc/cpuinfo: under an emulator, and in some containers, that is another CPU's.
const std::set<std::string> &cpuFeatures() {
  static const std::set<std::string> features = [] {
    std::set<std::string> found;
#if defined(__x86_64__)
#define FACET_FEATURE(name)                                                                        \
  if (__builtin_cpu_supports(name))                                                                \
    found.insert(name);
#include "schedules/features.def"
#elif defined(__aarch64__)
    // Bits of HWCAP2 and the low 16 bits of PR_SVE_GET_VL: Linux, Documentation/arch/arm64.
    const int length = prctl(51);
    if ((getauxval(AT_HWCAP2) & 2) != 0 && length > 0)
      found = {"sve2", fmt::format("vector_bits_{}", 8 * (length & 0xffff))};
#elif defined(__riscv)
    if ((getauxval(AT_HWCAP) >> ('v' - 'a') & 1) != 0) {
      unsigned long bytes = 0;
      asm("csrr %0, 0xc22" : "=r"(bytes)); // vlenb
      found = {"rvv", fmt::format("vector_bits_{}", 8 * bytes)};
    }
#endif
    return found;
  }();
  return features;
}

} // namespace

const std::vector<TargetInfo> &targetTable() {
  static const std::vector<TargetInfo> table = {
#define FACET_TARGET(name, architecture, bytes, registers, halide, features, doc)                  \
  {#name, #architecture, bytes, registers, halide, features, doc},
#define FACET_DEVICE(name, interface, capability, features, shared, doc)                           \
  {name, #interface, 0, 0, features, "", doc, capability, shared},
#include "schedules/targets.def"
  };
  return table;
}

const TargetInfo *findTarget(std::string_view name) {
  const auto &table = targetTable();
  const auto found = std::ranges::find(table, name, &TargetInfo::name);
  return found == table.end() ? nullptr : &*found;
}

std::string_view halideTarget(std::string_view name) {
  const TargetInfo *target = findTarget(name);
  return target ? target->halide : std::string_view{};
}

std::string_view hostArchitecture() {
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#elif defined(__riscv) && __riscv_xlen == 64
  return "riscv64";
#else
  return "";
#endif
}

bool isOfHost(const TargetInfo &target) { return target.architecture == hostArchitecture(); }

const TargetInfo &baseline() { return *std::ranges::find_if(targetTable(), isOfHost); }

bool isDevice(const TargetInfo &target) {
  return target.architecture == "opencl" || target.architecture == "cuda";
}

std::vector<std::string> missingFeatures(const TargetInfo &target) {
  std::vector<std::string> missing = words(std::string(target.features));
  std::erase_if(missing, [](const std::string &name) { return cpuFeatures().contains(name); });
  return missing;
}

bool runsHere(const TargetInfo &target) {
  return isOfHost(target) && missingFeatures(target).empty();
}

} // namespace facet::schedules
