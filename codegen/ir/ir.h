// ir.h - the intermediate representation: one kernel, straight-line, single assignment, typed, with
// domains. docs/ir.md describes the text form. No Clang, no Halide here.
#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace facet::ir {

/// A value's type. Wide is a real held in double whatever the class of the kernel (careful phases).
enum class Type : std::uint8_t { Bool, Real, Wide, Cplx, Vec3, CVec3 };
inline bool isVector(Type type) { return type == Type::Vec3 || type == Type::CVec3; }
inline bool isComplex(Type type) { return type == Type::Cplx || type == Type::CVec3; }
inline bool isReal(Type type) { return type == Type::Real || type == Type::Wide; }
inline bool isScalar(Type type) { return isReal(type) || type == Type::Cplx; }
inline bool isWide(Type type) { return type == Type::Wide; }
inline bool isBool(Type type) { return type == Type::Bool; }

/// The indices a value depends on, as bits: the value's domain.
enum Domain : std::uint8_t { None = 0, T = 1, X = 2, Y = 4, Z = 8, Q = 16 };
/// A row of a product grid is one x and one y.
inline bool hasRow(std::uint8_t domain) { return (domain & (X | Y)) != 0; }
inline bool hasZ(std::uint8_t domain) { return (domain & Z) != 0; }

enum class Op : std::uint8_t {
#define FACET_OP(Enum, ...) Enum,
#include "ops.def"
};

/// Which operands an op takes and how its result type follows from theirs (see ops.def).
enum class Rule : std::uint8_t {
  Leaf,
#define FACET_RULE(Enum, ...) Enum,
#include "ops.def"
};

/// What is known of an op's results without its operands, as bits.
enum Trait : std::uint8_t { Plain = 0, Commutes = 1, Total = 2, TotalOnReals = 4 };

/// A row of ops.def, without the columns that only other files compile.
struct OpInfo {
  Op op;
  std::string_view spelling;
  int arity;
  Rule rule;
  int traits, flops, instructions;
  std::string_view c;        // in plain double
  std::string_view language; // of a function: how it is called
  bool function;             // whether a kernel file may call it by its spelling
  std::string_view doc;
  bool is(Trait trait) const { return (traits & trait) != 0; }
};
const OpInfo &info(Op op);
/// All of them, in order.
std::span<const OpInfo> ops();
/// The function that a kernel file calls by this name; null if there is none.
const OpInfo *functionNamed(std::string_view name);

/// A place in the source file a value came from; line 0: unknown. Columns count from 1.
struct Loc {
  int line = 0, column = 0;
};

/// Which part of q or of the sum a leaf names.
enum class Part : std::uint8_t { Whole, Re, Im };

/// Index of a value in its region.
using Id = int;

/// One value. Only the members an op uses are set; types and domains are derived (annotate).
struct Value {
  Op op = Op::Number;
  Type type = Type::Real;
  std::uint8_t domain = None;
  std::array<Id, 3> args{-1, -1, -1};
  double number = 0;  // Number
  std::string name{}; // Field, Packed, Param
  // Axis: 0, 1, 2 for x, y, z; -1 for the whole q. Component: which one. Sum: that of a component,
  // or the transform; -1 for the only sum of the term. Total: which one
  int component = -1;
  Part part = Part::Whole; // Axis, Sum, Total
  Loc loc{};
  /// The operands that the op has.
  std::span<Id> operands() { return std::span(args).first(info(op).arity); }
  std::span<const Id> operands() const { return std::span(args).first(info(op).arity); }
};

/// A named result of a region: `yield %3`, `yield re = %1, im = %2`, `yield w0 = %4 : wide`.
struct Output {
  std::string name; // empty if there is only one
  Id value = -1;
};

/// A straight-line list of values, operands before users, and what it yields.
struct Region {
  std::vector<Value> values;
  std::vector<Output> outputs;
  bool empty() const { return outputs.empty(); }
  const Value &operator[](Id id) const { return values[id]; }
  Value &operator[](Id id) { return values[id]; }
};

/// What a pose of the particle does to a column: dsl/facet/roles.def. Unset: not found yet;
/// Unclear: in the phase, but not as the one point of a wave.
enum class Role : std::uint8_t {
#define FACET_ROLE(Enum, name, turns, power, moves, doc) Enum,
#include "dsl/facet/roles.def"
  Unclear,
  Unset
};

struct Field {
  std::string name;
  Type type = Type::Real;  // Real or Vec3 before packing; Real or Wide after
  Role role = Role::Unset; // of vectors; numbers that the phase multiplies with q: Unclear
  int power = 0;           // of numbers: the power of the particle's size with which they grow
  // For numbers with an axis: 0, 1, 2 for x, y, z, with a value for each of the axis's. ofPoints: a
  // column of the points of a list, not of the record. Else -1.
  int axis = -1;
};
inline constexpr int ofPoints = 3;

enum class GridKind : std::uint8_t { Product, Points };

/// One component of q, real or complex; `fixed` is its extent if that is known, else 0.
struct AxisType {
  Type type = Type::Real;
  std::int64_t fixed = 0;
};

/// A run-time parameter as the kernel declares it. Regions read the real numbers that it is made
/// of, its slots.
struct Param {
  std::string name;
  Type type = Type::Real;      // real, cplx, vec3 or cvec3; of a row where it is a matrix
  std::vector<double> value{}; // its default, a number a slot; empty: it has none
  bool matrix = false;         // mat3: three rows of type vec3
};
/// "real", "mat3".
std::string_view spelling(const Param &param);
/// "kappa"; "n.re", "n.im"; "m.x", "m.y", "m.z"; "e.x.re", "e.x.im", ..; "r.x.x", "r.x.y", ..: what
/// `p.NAME` may be, in the order in which functions of a library are given the numbers.
std::vector<std::string> slots(const Param &param);

/// A kernel: F(q) = finish(q, sum over t of term(q, t)).
struct Kernel {
  std::string name;
  std::string doc;           // the comment above the struct, one line
  bool triangle = true;      // false: a record that is no triangle
  std::vector<Field> fields; // the columns the kernel uses
  GridKind grid = GridKind::Product;
  std::array<AxisType, 3> axes;
  std::vector<Param> params;
  Region origin; // the value at q = 0, summed over t like the term; empty if not given
  Region pack;   // made by the pass of that name: record columns to packed columns
  Region term;   // yields term(q, t), summed over t
  Region finish; // yields F from q and the sum
  // Made by the passes separate and transform.
  Region totals; // yields b0, b1, ..: record-only values, summed over t: total0, total1 of finish
  // Made by the pass interpolate: yields real functions of q. They are named as the parameters that
  // stand for them in the term and in the strengths. These are the last of `params`, but for the
  // ends of `mixed`.
  Region scalars;
  // Made by interpolate where conditions mix scalars of q with the record. Yields `mixed`: 1 for a
  // record for which a condition may change over the ranges of the scalars, else 0. The ends of the
  // ranges are parameters NAME_low and NAME_high after those of the scalars. finish then reads
  // `rest`.
  Region mixed;
  Region waves; // instead of the term: points and strengths of its transforms, see wavesOf
};

/// The regions in the order of their text, and their names there; pack first, which gives packed
/// columns their types.
inline constexpr std::string_view regionNames[] = {"pack",  "sum",    "scalars", "mixed",
                                                   "waves", "totals", "finish",  "origin"};
template <class K> auto regionsOf(K &kernel) {
  return std::array{&kernel.pack,  &kernel.term,   &kernel.scalars, &kernel.mixed,
                    &kernel.waves, &kernel.totals, &kernel.finish,  &kernel.origin};
}

/// The column of that name; null if there is none.
const Field *fieldNamed(const Kernel &kernel, std::string_view name);
/// A column of the points; null if there is none. Only lists have such, made by differentiate: a
/// point is then more than q.
const Field *pointField(const Kernel &kernel);
/// A column with an axis, x, y or z; null if none has one. Passes leave its reads in the term: it
/// is not packed, and only product grids have axes.
const Field *axisField(const Kernel &kernel);
/// The slots of all parameters.
std::vector<std::string> slots(const Kernel &kernel);
/// Drops the values that no output needs; the old numbers of those that are left.
std::vector<Id> prune(Region &region);
/// Whether a value of the region is a slot of the parameter.
bool reads(const Region &region, const Param &param);

/// One component of what a region yields: a number of its own, of the term with a sum of its own.
/// Numbers are indices of the region's outputs.
struct Component {
  std::string name{};   // "" of the only one; "n", "m.x"
  int re = -1, im = -1; // not split: re is the whole; split: im -1: a real one
};
/// The components of a region that yields numbers, from the names of its outputs: one without a
/// name, or NAME, ..; split `re` and `im`, or NAME.re, NAME.im, ..; of a real one `re` alone. The
/// sums of several are sum0, sum1, .. of finish, that of one is sum.
std::vector<Component> componentsOf(const Region &region);
/// What finish may yield: one number without a name, or so many outputs with names, each complex or
/// real by its type; split NAME.re and NAME.im, which is 0 of a real one.
inline constexpr std::size_t mostOutputs = 8;
/// Most outputs of a kernel whose points have columns, each a real output.
inline constexpr std::size_t mostPointOutputs = 32;
/// The outputs by name, and whether each is complex: by its type, of a kernel as it is written,
/// also of the only one without a name.
std::vector<std::pair<std::string, bool>> outputsOf(const Kernel &kernel);
/// Whether an output may have the name: result files have groups of their own beside it.
bool isOutputName(std::string_view name);
/// The name of a component's part, "re" or "im", after split.
std::string partName(const std::string &component, std::string_view part);

/// One wave of a kernel in transform form: T_k(q) = sum over t of b_k(t) cis(q.r_t) for each of its
/// strengths. Numbers are indices of outputs of Kernel::waves.
struct Wave {
  std::array<int, 3> point; // r_t, nm: outputs x0, y0, z0 of wave 0
  struct Strength {
    int transform;        // k of b_k and of `sum k` in finish
    int re = -1, im = -1; // outputs b0 (not split: re only), or b0re and b0im; im -1: real
    bool realSum = false; // T_k is real: b_k is, and the points are 0
  };
  std::vector<Strength> strengths;
  int scalars = 0; // bit s is set if a strength reads the parameter of scalar s
};
/// How many totals a kernel has, from the names that region yields: b0, or split b0re and b0im; b1,
/// ... Throws ir::Error for other names.
int totalsOf(const Kernel &kernel);
/// Strengths of a kernel are interpolated in so many scalars of q at most: the transforms multiply.
inline constexpr std::size_t mostScalars = 2;
/// Bits of the scalars whose stand-in each value of the region reads.
std::vector<int> scalarsRead(const Kernel &kernel, const Region &region);
/// The waves of a kernel, from the names its waves region yields, in this order:
/// x0, y0, z0, then the strengths of wave 0; x1, y1, z1, ... Throws ir::Error for other names.
std::vector<Wave> wavesOf(const Kernel &kernel);

// Types, domains and placement (types.cpp).
// -------------------------------------------------------------------

/// The type of `value` by its rule; throws ir::Error if operands do not fit.
Type typeOf(const Kernel &kernel, const Region &region, const Value &value);
/// The domain of `value`: that of a leaf, else what its operands depend on.
std::uint8_t domainOf(const Kernel &kernel, const Region &region, const Value &value);
/// Recomputes every type and domain in all regions: passes build values and call this.
void annotate(Kernel &kernel);
std::string_view spelling(Type type);
/// "[x y z t]"; the empty domain is "[]".
std::string spelling(std::uint8_t domain);
/// Whether the op's value is printed where it is used, without a number of its own.
bool isLeaf(Op op);

/// Where a sum computes a value of its term, by the value's domain. The builders of all sums, the
/// counter of operations and the knobs take it from here.
enum class Place : std::uint8_t {
  Call,     // nothing: numbers and parameters
  RowAxis,  // x or y
  ZAxis,    // z
  Axes,     // x or y, and z; or a point: once a q
  Record,   // t: a packed column, or computed where it is used
  RowTable, // x or y, and t: a table of rows and records
  ZTable,   // z and t: likewise
  Inner     // all of them: once a q and record
};
Place placeOf(std::uint8_t domain);
/// "call", "row axis", .., "inner".
std::string_view spelling(Place place);

/// The places of a term's values, and which of them a sum keeps for its inner loop.
class Placement {
public:
  explicit Placement(const Region &term) : term(term) {}
  Place operator[](Id id) const { return placeOf(term[id].domain); }
  /// Values at these places that are the term itself or are read by the inner loop (or by what is
  /// computed once a q). No tests, and no leaves but columns with an axis.
  std::vector<Id> kept(std::initializer_list<Place> places) const;
  /// Whether values at these places are remainders a - round(a).
  bool hasRemainders(std::initializer_list<Place> places) const;
  /// Operations of the inner loop.
  int innerOperations() const;

private:
  const Region &term;
};

// Text (printer.cpp, reader.cpp).
// ------------------------------------------------------------------

/// The kernel as text; read(print(k)) == k, print(read(s)) == s for canonical s. `places`: each
/// value with its place as a comment.
std::string print(const Kernel &kernel, bool places = false);
/// FNV-1a (Fowler, Noll, Vo), 64 bits, as 16 hex digits: detects a changed text, not a forged one.
std::string hashOf(std::string_view bytes);
/// Reads one kernel. Throws ir::Error with line, column, and the line quoted with a caret.
Kernel read(std::string_view text, std::string_view fileName);

/// The line of `text` at `loc`, and a caret under the column; each after `indent`. Empty if there
/// is no such line.
std::string quoted(std::string_view text, Loc loc, std::string_view indent = "");
/// A leaf as it is written where it is used: 2.5, i, t.area, r.w0, q.z.re, p.kappa, sum.im.
std::string leafText(const Value &value);
/// The name of every value of a region: leaves as above, the others %1, %2.. in order.
std::vector<std::string> names(const Region &region);
/// Op and operands, without a name and a type: "mul t.area, %1".
std::string expressionText(const Value &value, const std::vector<std::string> &names);

// Checks (verifier.cpp).
// ---------------------------------------------------------------------------

/// Throws ir::Error if the kernel breaks a rule: operands after users, types, stale domains,
/// leaves in the wrong region (t.* in finish, sum in term), outputs missing.
void verify(const Kernel &kernel);

/// What is wrong with a kernel's IR, with a message for people.
struct Error {
  std::string message;
  Loc loc{};
};

} // namespace facet::ir
