// passes.h - every pass: a free function over one kernel, one file and one FileCheck test each.
#pragma once
#include "codegen/ir/ir.h"
#include <functional>
#include <string>
#include <string_view>

namespace facet::passes {

enum class Class : std::uint8_t { F32, F32Careful, F64 };
std::string_view spelling(Class klass); // "f32", "f32-careful", "f64"

/// What a kernel is compiled for, the machine apart.
struct Variant {
  ir::GridKind grid = ir::GridKind::Product;
  bool complexQ = false; // false: the real specialisation, whatever the file allows
  Class klass = Class::F32;
};

void specialise(ir::Kernel &kernel, const Variant &variant); // grid kind and real q
void expand(ir::Kernel &kernel, const Variant &variant);     // vectors to components, mean_cis to scalars
void fold(ir::Kernel &kernel, const Variant &variant);       // constants and identities
void cse(ir::Kernel &kernel, const Variant &variant);        // the same value once, unused values dropped
void hoist(ir::Kernel &kernel, const Variant &variant);      // factors without t go to finish
void turns(ir::Kernel &kernel, const Variant &variant);      // phases in half turns, exponents in powers of two
void split(ir::Kernel &kernel, const Variant &variant);      // complex to real pairs
void pack(ir::Kernel &kernel, const Variant &variant);       // record-only values to packed columns
void math(ir::Kernel &kernel, const Variant &variant);       // range reduction and polynomials for the class

struct Pass {
  std::string_view name;
  void (*run)(ir::Kernel &, const Variant &);
  std::string_view why; // the reason for its place
};
/// The list, in order.
const std::vector<Pass> &pipeline();

struct PipelineOptions {
  bool check = false;         // evaluate at random points before and after each pass
  std::string_view after;     // stop after this pass; empty: run all
  int points = 8;
};
/// Runs the list over a copy; the verifier runs after each pass. Throws ir::Error naming the pass
/// that broke a rule or, with check, changed the kernel's value.
ir::Kernel run(const ir::Kernel &kernel, const Variant &variant, const PipelineOptions &options = {});

/// Real operations and bytes by domain (the count pass).
struct Counts {
  // Operations a term for the inner loop (all axes and t), and those outside it.
  int innerFlops = 0;   // adds, multiplies, selects; fma counts 2
  int innerOps = 0;     // instructions: fma counts 1
  int tableFlops = 0;   // t and some axes
  int finishFlops = 0;  // a q-point
  int narrowFields = 0, wideFields = 0;
};
Counts count(const ir::Kernel &kernel);
std::string print(const Counts &counts); // "20 flops a triangle-q-point, ..." for people

} // namespace facet::passes
