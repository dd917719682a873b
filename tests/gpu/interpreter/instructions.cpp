// instructions.cpp - the table instructions.def by spellings.
#include "instructions.h"
#include "compute.h"
#include <algorithm>
#include <map>

namespace facet::ptx {
namespace {

const FunctionSet &functions() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return fusedFunctions;
#endif
  return plainFunctions;
}

using Table = std::map<std::string_view, Definition>;

Table tableOf(const FunctionSet &set) {
  Table table{
#define PTX_MEMORY(spelling, where, writes, bytes, count)                                          \
  {spelling,                                                                                       \
   {.kind = Kind::Memory,                                                                          \
    .space = Space::where,                                                                         \
    .write = writes,                                                                               \
    .size = bytes,                                                                                 \
    .numbers = count}},
#define PTX_MMA(spelling, of, deep) {spelling, {.kind = Kind::Matrices, .rows = of, .depth = deep}},
#define PTX_CONTROL(spelling, what) {spelling, {.kind = Kind::what}},
#include "instructions.def"
  };
  for (std::size_t k = 0; k < set.count; ++k) {
    const Named &named = set.functions[k];
    Definition made{.count = named.count, .compute = named.function};
    std::copy_n(named.bytes, 4, made.bytes);
    table.emplace(named.spelling, made);
  }
  return table;
}

const Table &table() {
  static const Table made = tableOf(functions());
  return made;
}

} // namespace

const Definition *find(std::string_view spelling) {
  const auto found = table().find(spelling);
  return found == table().end() ? nullptr : &found->second;
}

std::vector<std::string> known() {
  std::vector<std::string> spellings;
  for (const auto &[spelling, definition] : table())
    spellings.emplace_back(spelling);
  return spellings;
}

void setApproximation(int sign) { functions().setApproximation(sign); }

} // namespace facet::ptx
