// passes.h - every pass: a free function over one kernel, with a FileCheck test each.
#pragma once
#include "codegen/ir/ir.h"
#include <string>
#include <string_view>
#include <vector>

namespace facet::passes {

enum class Class : std::uint8_t { F32, F32Careful, F64 };
std::string_view spelling(Class klass); // "f32", "f32-careful", "f64"

enum class Algorithm : std::uint8_t { Direct, Separable, Nufft };
std::string_view spelling(Algorithm algorithm); // "direct", "separable", "nufft"

/// What a kernel is compiled for, the machine apart.
struct Variant {
  ir::GridKind grid = ir::GridKind::Product;
  bool complexQ = false; // false: the real specialisation, whatever the file allows
  Class klass = Class::F32;
  /// Separable: product grids. Nufft: written for points, serves both grid kinds; class F64.
  Algorithm algorithm = Algorithm::Direct;
  /// Means over triangles become sums over nodes of a quadrature rule: records are nodes, with
  /// columns node_weight and node (see quadrature).
  bool nodes = false;
  /// Direct sums: cis(a + b) becomes a product of cis(a), of a row and a record, and cis(b), of z
  /// and a record (the knob `addition`).
  bool addition = false;
  /// Sines, cosines and powers of two by the device's own functions (the knob `hardware`), if
  /// takesHardware and errors relative to the wave are all that counts (see math).
  bool hardware = false;
};
/// Direct sums in f32: careful ones want more digits, separable ones make tables in double.
inline bool takesHardware(const Variant &variant) {
  return variant.klass == Class::F32 && variant.algorithm == Algorithm::Direct;
}

// In the order of the pipeline, which says why it is that one.
void specialise(ir::Kernel &kernel, const Variant &variant); // grid kind and real q
void expand(ir::Kernel &kernel, const Variant &variant);     // vectors and means to scalars
void fold(ir::Kernel &kernel, const Variant &variant);       // constants and identities
void cse(ir::Kernel &kernel, const Variant &variant);        // the same value once, unused dropped
void hoist(ir::Kernel &kernel, const Variant &variant);      // factors without t go to finish
void gather(ir::Kernel &kernel, const Variant &variant);     // factors of the record alone meet
void addition(ir::Kernel &kernel, const Variant &variant);   // waves to products of row and z
void split(ir::Kernel &kernel, const Variant &variant);      // complex to real pairs
void turns(ir::Kernel &kernel, const Variant &variant);      // half turns, powers of two
void widen(ir::Kernel &kernel, const Variant &variant);      // careful phases in double
void pack(ir::Kernel &kernel, const Variant &variant);       // values of the record to columns
void math(ir::Kernel &kernel, const Variant &variant);       // range reduction and polynomials
void signs(ir::Kernel &kernel, const Variant &variant);      // one sign for a sine and a cosine

// Passes of the separable algorithm and of transforms.
void quadrature(ir::Kernel &kernel, const Variant &variant);  // means to nodes
void interpolate(ir::Kernel &kernel, const Variant &variant); // f(u(q), t) to functions of t
void separate(ir::Kernel &kernel, const Variant &variant);    // the term to products of tables
void transform(ir::Kernel &kernel, const Variant &variant);   // the term to waves and strengths
void chain(ir::Kernel &kernel, const Variant &variant);       // inner sums to multiply-adds
void widenTables(ir::Kernel &kernel, const Variant &variant); // tables in double, rounded once

/// Folds constants alone, for people to read: 2 * pi becomes one number; nothing else moves.
void foldConstants(ir::Kernel &kernel);

struct Pass {
  std::string_view name; // unique: the second fold is "fold-2"
  void (*run)(ir::Kernel &, const Variant &);
  std::string_view why;     // the reason for its place
  bool approximate = false; // values change within the class's error
};
/// The list of the variant's algorithm, in order.
const std::vector<Pass> &pipeline(const Variant &variant = {});

struct PipelineOptions {
  bool check = false;       // evaluate at random points before and after each pass
  std::string_view after{}; // stop after this pass; empty: run all
  std::string_view only{};  // run this pass alone, on the kernel as it is; empty: run all
  int points = 8;
};
/// Runs the variant's list over a copy; the verifier runs after each pass. Throws ir::Error naming
/// the pass that broke a rule or, with check, changed the kernel's value; or an unknown pass in the
/// options.
ir::Kernel run(const ir::Kernel &kernel, const Variant &variant,
               const PipelineOptions &options = {});
/// The same over another list of passes.
ir::Kernel run(const std::vector<Pass> &passes, const ir::Kernel &kernel, const Variant &variant,
               const PipelineOptions &options = {});

/// Relative error a class allows one term's elementary functions; `check` gives it to approximate
/// passes (1e-10 to others, and at least: rewriting an ill-conditioned kernel moves its last
/// digits).
double tolerance(Class klass);

/// FLOPs (ops.def) and machine instructions (a multiply-add being one instruction).
struct Work {
  int flops = 0, instructions = 0;
};
/// What a kernel costs, by domain (the count pass). Products: rows are pairs (x, y); lists: all
/// that depends on the point is inner.
struct Counts {
  Work inner;   // a row, z and t: once a triangle-q-point; adding the term to its sums included
  Work rows;    // a row and t, without z: tables
  Work columns; // z and t, without a row: tables (separable), or once a register tile (direct)
  Work axes;    // without t: once a tile
  Work pack, totals; // once a record, in double; totals: of sums that have no q in them
  Work finish;       // once a q-point, in double
  // In the inner loop: fused multiply-adds; range reductions of a sine with its cosine, and of
  // powers of two; divisions and roots.
  int fused = 0, sincos = 0, powers = 0, divisions = 0;
  int special = 0; // of the inner loop: functions that the device has itself
  // Numbers a row (a z) and record that the inner loop reads, and columns of the record that it, or
  // a column value, reads.
  int rowValues = 0, columnValues = 0, recordValues = 0;
  int narrowFields = 0, wideFields = 0; // of a packed record
};
/// Whether the term, after the pass pack or later, has a sum in single precision that may cancel
/// without a bound of its error. Such sums join what is of q alone with what is of the record
/// alone, or their products in denominators, exponents and such (widen.cpp). Before math it is
/// known what a sum is the argument of. For triangles sin(q.z + t.c) and erf(q.z + t.c) err as
/// waves with such a phase do.
bool cancelsInSingle(const ir::Kernel &kernel);
/// Whether it has, after all passes, a condition of q and the record that is decided in single
/// precision. Where both sides are as good as equal, F is wrong by a whole term.
bool decidesInSingle(const ir::Kernel &kernel);
/// Counts the operations of a kernel after all passes.
Counts count(const ir::Kernel &kernel);
/// "27 nt + 8": FLOPs a q-point, as papers state them: those of the inner loop, and of finish.
std::string flopsText(const Counts &counts);
std::string print(const Counts &counts); // a line a domain, for people

} // namespace facet::passes
