// shapes.h - the two forms of a term as found: separate and transform write them, explain prints.
#pragma once
#include "products.h"
#include <functional>
#include <valarray>

namespace facet::passes {

/// Values of a function, one a point.
using Sampled = std::valarray<ir::Complex>;
/// Values of a kernel's term at random points: plausible records, q within 2 nm^-1.
class Samples {
public:
  explicit Samples(const ir::Kernel &kernel) : kernel(kernel) {}
  /// The values of number * factors * e^{exponent}.
  Sampled of(const Product &product);
  Sampled of(const Sum &sum);

private:
  const ir::Kernel &kernel;
  std::vector<Sampled> values; // [id]
  const Sampled &value(ir::Id id);
};
/// Whether two functions are equal at all points, to rounding.
bool sameValues(const Sampled &a, const Sampled &b);

/// left(..) * right(..)
struct Pairing {
  Sum left, right;
};

/// The sum as few pairings: factors for which `isLeft` holds go left, the others right. Functions
/// that are linear combinations of others, with coefficients that are small fractions, are written
/// as such. `numbersLeft`: a number common to a pairing's right side moves to its left.
std::vector<Pairing> leastRank(Samples &samples, const Sum &sum,
                               const std::function<bool(ir::Id)> &isLeft, bool numbersLeft);

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
inline constexpr const char *noWave =
    " has no wave e^{i q.r} in it: its sum over records is done with the direct algorithm";

/// The passes of the algorithm run up to separate or transform, in class f64. Throws Refusal.
ir::Kernel prepared(const ir::Kernel &source, Algorithm algorithm, bool complexQ, bool nodes);

/// Finish reads what `make` answers, from values of the term and the sum, + left0 total0 + ..: the
/// right sides, of the record alone, are summed as `totals` of the kernel. `b` appends to the term.
void rewriteFinish(ir::Kernel &kernel, Formulas &b, const std::vector<Pairing> &totals,
                   const std::function<ir::Id(Formulas &, Copier &, ir::Id sum)> &make);

} // namespace facet::passes
