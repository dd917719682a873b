// variants.cpp - the choice among the compiled variants of a kernel.
#include "runtime/files/text.h"
#include "runtime/kernel/asked.h"
#include <algorithm>
#include <facet/runtime/kernel.h>

namespace facet::runtime {

std::string className(int klass) {
  return klass == FACET_F32 ? "f32" : klass == FACET_F32_CAREFUL ? "f32-careful" : "f64";
}
std::string gridName(int grid) { return grid == FACET_PRODUCT ? "product" : "points"; }
std::string algorithmName(int algorithm) {
  return algorithm == FACET_DIRECT      ? "direct"
         : algorithm == FACET_SEPARABLE ? "separable"
                                        : "nufft";
}
std::string qName(int q) { return q == FACET_REAL_Q ? "real" : "complex"; }

facet_class classByName(const std::string &name) {
  for (const facet_class k : {FACET_F32, FACET_F32_CAREFUL, FACET_F64})
    if (className(k) == name)
      return k;
  throw Error("class '" + name + "'", "no such class",
              suggestion(name, {"f32", "f32-careful", "f64"}));
}

facet_algorithm algorithmByName(const std::string &name) {
  for (const facet_algorithm a : {FACET_DIRECT, FACET_SEPARABLE, FACET_NUFFT})
    if (algorithmName(a) == name)
      return a;
  throw Error("algorithm '" + name + "'", "no such algorithm",
              suggestion(name, {"direct", "separable", "nufft"}));
}

const facet_variant *Kernel::find(const std::string &target, int klass, int grid, int q,
                                  int algorithm) const {
  for (int i = 0; i < description_->variant_count; ++i) {
    const facet_variant &v = description_->variants[i];
    if (target == v.target && v.klass == klass && v.grid == grid && v.q == q &&
        v.algorithm == algorithm)
      return &v;
  }
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
    for (int i = 0; i < description_->variant_count; ++i)
      if (t.name == description_->variants[i].target) {
        result.push_back(t.name);
        break;
      }
  return result;
}

std::string Kernel::hostTarget() const {
  std::string best;
  for (const Target &t : targets())
    for (const std::string &name : compiledTargets())
      if (t.name == name && t.runnable())
        best = name;
  return best;
}

std::string Kernel::chooseTarget(const std::string &forced) const {
  const std::string word = askedWord(forced), asked = forcedTarget(forced);
  const std::vector<std::string> held = compiledTargets();
  std::string best, list;
  for (const std::string &name : held)
    list += (list.empty() ? "" : ", ") + name;
  for (const std::string &name : allowedTargets(word, ""))
    if (std::find(held.begin(), held.end(), name) != held.end())
      best = name;
  if (best.empty())
    throw Error(path_.empty() ? std::string("kernel ") + description_->name : path_,
                asked.empty() ? "compiled for no target that this CPU can run"
                              : "not compiled for target " + asked,
                "it holds: " + list + "; `facet machines` says what this machine can run");
  return best;
}

} // namespace facet::runtime
