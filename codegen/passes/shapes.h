// shapes.h - a term taken apart: a sum of products of factors, each of as few indices as it can.
// Also its two forms as found: separate and transform write them, explain prints.
#pragma once
#include "codegen/ir/evaluate.h"
#include "forms.h"
#include "known.h"
#include <functional>
#include <valarray>

namespace facet::passes {

/// number * factors * e^{exponent}. Factors are values of the region taken apart, in ascending
/// order; the exponent is a sum of products without exponents of their own.
struct Product {
  ir::Complex number{1};
  std::vector<ir::Id> factors{};
  std::vector<Product> exponent{};
  ir::Loc loc{};
};
using Sum = std::vector<Product>;

/// Depends on x or y, and on z: no table holds it.
inline bool hasBoth(std::uint8_t domain) { return ir::hasRow(domain) && ir::hasZ(domain); }

inline bool isOne(const Sum &sum) {
  return sum.size() == 1 && sum[0].factors.empty() && sum[0].exponent.empty() &&
         sum[0].number == ir::Complex{1};
}
/// What both of two ascending lists have, and what the first has beyond the second.
std::vector<ir::Id> common(const std::vector<ir::Id> &a, const std::vector<ir::Id> &b);
std::vector<ir::Id> without(const std::vector<ir::Id> &a, const std::vector<ir::Id> &b);
/// Whether the products are the same but for their numbers.
bool sameFactors(const Product &a, const Product &b);
/// Adds products to the sum: to one of the same factors, or as new ones.
void addTo(Sum &sum, Product product);
void addTo(Sum &sum, const Sum &products);
/// a * b, every product with every one.
Sum times(const Sum &a, const Sum &b);

/// The sum as one value, in the form that costs least later.
ir::Id valueOf(Formulas &b, const Sum &sum);
/// e^{sum} as one value: cis of the imaginary part, exp of the real one.
ir::Id exponential(Formulas &b, const Sum &sum);

/// Refuses a value that is a sum of more than `most` products: a form would not pay.
void mustBeFew(std::size_t products, std::size_t most, const ir::Region &term, ir::Id id);

/// What a form takes as a factor.
enum class Rule : std::uint8_t {
  Separable, // of t and x, y, or of t and z; exponents likewise, a part each
  Nufft      // of q alone or t alone; exponents linear in q with real coefficients of t
};

/// Takes values of `kernel.term` apart; new factors are appended there.
/// Throws Refusal if a value is not a sum of products that the rule allows.
class Products {
public:
  Products(ir::Kernel &kernel, Rule rule)
      : b(kernel, kernel.term), term(kernel.term), rule(rule), facts(b) {}

  /// The value; values without t stay whole, if not `full`.
  Sum of(ir::Id id, bool full = false);
  /// The domain of all factors together, without exponents.
  std::uint8_t domainOf(const Product &product) const;
  /// Whether an addend of an exponent is i q_k r(t), r real: a part of a wave.
  bool isLinear(const Product &addend) const;
  const ir::Value &operator[](ir::Id id) const { return b[id]; }
  Formulas b;
  const ir::Region &term;

private:
  Rule rule;
  ValueFacts facts;
  std::map<std::pair<ir::Id, bool>, Sum> done;
  std::map<std::pair<ir::Id, bool>, ir::Id> indicators; // of a condition, and of its opposite
  std::map<std::pair<ir::Op, ir::Id>, ir::Id> made;

  Sum apart(ir::Id id, bool full);
  /// Whether the rule takes a value of this domain as one factor.
  bool isFactor(ir::Id id) const;
  Sum opaque(ir::Id id);
  Sum choice(ir::Id id, bool full);
  ir::Id finite(ir::Id factor, ir::Id condition, bool yes, ir::Id id);
  void mustBeFinite(ir::Id factor, ir::Id id);
  Sum quotient(const ir::Value &value, bool full);
  Sum wave(ir::Id id, ir::Id argument, ir::Complex by);
  Sum oscillation(ir::Id id, ir::Id argument, bool sine);
  Sum conjugate(const Sum &sum, ir::Id id);
  ir::Id unary(ir::Op op, ir::Id id);
  ir::Id reciprocal(ir::Id id);
  void mustBeLinear(const Product &addend, ir::Id id);
  [[noreturn]] void refusePhase(ir::Id id, Product addend, std::string_view why);
};

/// Values of a function, one a point.
using PointValues = std::valarray<ir::Complex>;
/// Values of a kernel's term at random points: plausible records, q within 2 nm^-1.
class Samples {
public:
  explicit Samples(const ir::Kernel &kernel) : kernel(kernel) {}
  /// The values of number * factors * e^{exponent}.
  PointValues of(const Product &product);
  PointValues of(const Sum &sum);

private:
  const ir::Kernel &kernel;
  std::vector<PointValues> values; // [id]
  const PointValues &value(ir::Id id);
};
/// Whether two functions are equal at all points, to rounding.
bool sameValues(const PointValues &a, const PointValues &b);

/// left(..) * right(..)
struct Pairing {
  Sum left, right;
};

/// What sums have in common: lefts[k](..) * right(..) is a part of sum k. A left side may be empty.
struct CommonFactor {
  std::vector<Sum> lefts;
  Sum right;
};

/// The sum as few pairings: factors for which `isLeft` holds go left, the others right. Functions
/// that are linear combinations of others, with coefficients that are small fractions, are written
/// as such. `numbersLeft`: a number common to a pairing's right side moves to its left.
std::vector<Pairing> leastRank(Samples &samples, const Sum &sum,
                               const std::function<bool(ir::Id)> &isLeft, bool numbersLeft);
/// Several sums likewise, with as few right sides for all of them.
std::vector<CommonFactor> leastRank(Samples &samples, std::span<const Sum> sums,
                                    const std::function<bool(ir::Id)> &isLeft, bool numbersLeft);

/// Each component of the term is a
///   sum over waves w and their strengths of left(q) right(t) cis(q.r_w(t))
///      + sum over its totals of left(q) right(t);
/// waves and strengths, not left sides, are common to all.
/// Right sides may read stand-ins of scalars of q (see interpolate); without a wave they are of
/// one whose points are 0.
struct WaveForm {
  struct Wave {
    std::array<Sum, 3> point;            // r_w
    std::vector<CommonFactor> strengths; // left sides by components
    int scalars = 0; // bit s is set if the strengths read the stand-in of scalar s
  };
  std::vector<Wave> waves;
  std::vector<std::vector<Pairing>> totals; // of each component
  int transforms() const;
  /// Whether no wave has points: T are sums over the records alone.
  bool isLowRank() const;
};
/// Takes the components of kernel.term apart (it grows). Throws Refusal.
WaveForm waveForm(ir::Kernel &kernel);

/// term = outer(q) * sum over blocks of (sum over k of g_k(z) A_k(x, y, t)) B(z, t)
///      + sum over totals of left(q) right(t).
struct TableForm {
  struct Block {
    std::vector<Pairing> terms; // left: g; right: A
    Sum column;                 // B
  };
  Product outer;
  std::vector<Block> blocks;
  std::vector<Pairing> totals;
  int tables() const;
};
/// Takes each component of kernel.term apart in the same way.
std::vector<TableForm> tableForms(ir::Kernel &kernel);
/// Multiply-adds of reals a record and q-point; needs the kernel the form was found in.
int multiplyAdds(const TableForm &form, const ir::Kernel &kernel);

/// Fewer than the points that ranks are decided at.
inline constexpr std::size_t fewProducts = 48;
inline constexpr const char *noWave =
    " has no wave e^{i q.r} in it: its sum over records is done with the direct algorithm";

/// The passes of the algorithm run up to separate or transform, in class f64. Throws Refusal.
ir::Kernel prepared(const ir::Kernel &source, Algorithm algorithm, bool complexQ, bool nodes);

/// Makes finish read what `make` answers, from values of the term and the sum of a component, plus
/// left0 total0 + .. of that component's `totals`. The right sides, of the record alone, are summed
/// as `totals` of the kernel. The sum of a real component is real. `make` may answer with none, -1.
/// `b` appends to the term.
void rewriteFinish(ir::Kernel &kernel, Formulas &b, const std::vector<std::vector<Pairing>> &totals,
                   const MakeSum &make);

} // namespace facet::passes
