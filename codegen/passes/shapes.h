// shapes.h - the two forms of a term as found: separate and transform write them, explain prints.
#pragma once
#include "products.h"
#include <functional>

namespace facet::passes {

/// Values of a kernel's term at random points: plausible records, q within 2 nm^-1.
class Samples {
public:
  explicit Samples(const ir::Kernel &kernel) : kernel(kernel) {}
  /// The values of number * factors * e^{exponent}, one a point.
  std::vector<ir::Complex> of(const Product &product);
  std::vector<ir::Complex> of(const Sum &sum);

private:
  const ir::Kernel &kernel;
  std::vector<std::vector<ir::Complex>> values; // [id][point]
  const std::vector<ir::Complex> &value(ir::Id id);
};

/// left(..) * right(..)
struct Pairing {
  Sum left, right;
};

/// The sum as few pairings: factors for which `isLeft` holds go left, the others right. Functions
/// that are linear combinations of others, with coefficients that are small fractions, are written
/// as such. `numbersLeft`: a number common to a pairing's right side moves to its left.
std::vector<Pairing> leastRank(Samples &samples, const Sum &sum,
                               const std::function<bool(ir::Id)> &isLeft, bool numbersLeft);

/// Whether two functions are equal at all points, to rounding.
bool sameValues(const std::vector<ir::Complex> &a, const std::vector<ir::Complex> &b);

/// term = sum over waves w and their strengths of left(q) right(t) cis(q.r_w(t))
///      + sum over totals of left(q) right(t).
struct WaveForm {
  struct Wave {
    std::array<Sum, 3> point; // r_w
    std::vector<Pairing> strengths;
  };
  std::vector<Wave> waves;
  std::vector<Pairing> totals;
  int transforms() const;
};
/// Takes kernel.term apart (it grows). Throws Refusal.
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
/// Takes kernel.term apart in the same way.
TableForm tableForm(ir::Kernel &kernel);
/// Multiply-adds of reals a record and q-point; needs the kernel the form was found in.
int multiplyAdds(const TableForm &form, const ir::Kernel &kernel);

/// Fewer than the points that ranks are decided at.
inline constexpr std::size_t fewProducts = 48;
/// Refuses, at `root`, a sum of so many products that a fast algorithm would not be one.
void mustBeFew(const Sum &sum, Products &products, ir::Id root);
inline constexpr const char *noWave =
    " has no wave e^{i q.r} in it: its sum over records is done with the direct algorithm";

/// Whether each factor is of q alone or t alone and there is no exponent.
bool isFlat(const Product &product, const Products &products);

/// The passes of the algorithm run up to separate or transform, in class f64. Throws Refusal.
ir::Kernel prepared(const ir::Kernel &source, Algorithm algorithm, bool complexQ, bool nodes);

/// Products of q-only and t-only factors leave the term: their records' sums go to `totals` of the
/// kernel (b0, b1, ..). Returns what finish is to add: the left values, in kernel.term.
std::vector<ir::Id> moveTotals(ir::Kernel &kernel, const std::vector<Pairing> &totals,
                               Products &products);
/// Puts a value made by `make` in the place of `sum` in finish.
void replaceSum(ir::Kernel &kernel,
                const std::function<ir::Id(ir::Builder &, Copier &, ir::Id sum)> &make);

} // namespace facet::passes
