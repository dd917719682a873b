// shapes.h - the two forms of a term as found: what separate and transform write and explain
// prints.
#pragma once
#include "rank.h"

namespace facet::passes {

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
/// Likewise.
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

} // namespace facet::passes
