// transform.cpp - the term becomes waves: points and strengths of Fourier transforms over records.
//
//   1. The term as sum of a_k(q) b_k(t) cis(q.r_w(t)) and of products without a wave (waves.cpp).
//   2. `waves` yields r_w and b_k, `totals` what has no wave; both are of the record alone.
//   3. finish reads a_0 sum0 + a_1 sum1 + .. + a'_0 total0 + .. in place of the sum; the term is
//      gone.
#include "fast.h"
#include "regions.h"
#include <fmt/format.h>

namespace facet::passes {

using namespace ir;

void transform(Kernel &kernel, const Variant &) {
  const WaveForm form = waveForm(kernel);
  Products products(kernel, Rule::Nufft);
  std::vector<Id> lefts;
  std::vector<std::pair<std::string, Id>> outputs;
  for (std::size_t w = 0; w < form.waves.size(); ++w) {
    for (std::size_t k = 0; k < 3; ++k)
      outputs.emplace_back(fmt::format("{}{}", "xyz"[k], w),
                           products.value(form.waves[w].point[k]));
    for (const Pairing &pair : form.waves[w].strengths) {
      outputs.emplace_back(fmt::format("b{}", lefts.size()), products.value(pair.right));
      lefts.push_back(products.value(pair.left));
    }
  }
  kernel.waves = {};
  Builder to(kernel, kernel.waves);
  Copier copy(kernel.term, to);
  for (const auto &[name, id] : outputs)
    kernel.waves.outputs.push_back({name, copy(id)});
  const std::vector<Id> still = moveTotals(kernel, form.totals, products);

  replaceSum(kernel, [&](Builder &b, Copier &copied, Id) {
    Id sum = -1;
    const auto add = [&](Id left, Id value) {
      const Value a = b[left];
      const Id made = isNumber(a) && a.number == 1 ? value : b.op(Op::Mul, left, value);
      sum = sum < 0 ? made : b.op(Op::Add, sum, made);
    };
    for (std::size_t k = 0; k < lefts.size(); ++k) {
      const Id left = copied(lefts[k]);
      add(left, b.sum(Part::Whole, static_cast<int>(k)));
    }
    for (std::size_t k = 0; k < still.size(); ++k) {
      const Id left = copied(still[k]);
      add(left, b.total(static_cast<int>(k)));
    }
    return sum;
  });
  kernel.term = {};
}

} // namespace facet::passes
