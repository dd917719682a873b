// waves.cpp - a term as sum of a_k(q) b_k(t) cis(q.r_t): waves, and the fewest strengths of each.
//
//   1. The term is taken apart; products with equal phases, decided by their values, share a wave.
//   2. Each wave's weight, and what has no wave, as few products of q and of t (rank.h).
#include "shapes.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::passes {

using namespace ir;

namespace {

/// The points of a wave from its exponent i sum q_k r_k.
std::array<Sum, 3> pointOf(const Product &product, const Products &products) {
  std::array<Sum, 3> point;
  for (const Product &addend : product.exponent) {
    Product coefficient{.number = addend.number.imag(), .loc = addend.loc};
    int component = 0;
    for (const Id factor : addend.factors)
      if (const Value &value = products[factor]; value.op == Op::Axis)
        component = value.component;
      else
        coefficient.factors.push_back(factor);
    addTo(point[static_cast<std::size_t>(component)], coefficient);
  }
  return point;
}

/// A weight's products with factors of q taken apart: their parameters may go to the strengths.
Sum fullyApart(const Sum &weight, Products &products) {
  Sum out;
  for (const Product &product : weight) {
    Sum made{{.number = product.number, .loc = product.loc}};
    for (const Id factor : product.factors)
      made = Products::times(made, products[factor].domain == Q ? products.fully(factor)
                                                                : Sum{{.factors = {factor}}});
    for (const Product &part : made)
      addTo(out, part);
  }
  return out;
}

struct WaveGroup {
  WaveForm::Wave wave;
  std::array<std::vector<Complex>, 3> samples;
  Sum weight;
};

} // namespace

bool isFlat(const Product &product, const Products &products) {
  return product.exponent.empty() &&
         std::all_of(product.factors.begin(), product.factors.end(), [&](Id factor) {
           const std::uint8_t domain = products[factor].domain;
           return domain == T || (domain & T) == 0;
         });
}

void mustBeFew(const Sum &sum, Products &products, Id root) {
  if (sum.size() > fewProducts)
    products.refuse(root,
                    fmt::format(" is a sum of {} products when it is taken apart: too many to "
                                "gain by",
                                sum.size()));
}

int WaveForm::transforms() const {
  int count = 0;
  for (const Wave &wave : waves)
    count += static_cast<int>(wave.strengths.size());
  return count;
}

WaveForm waveForm(Kernel &kernel) {
  Products products(kernel, Rule::Nufft);
  const Id root = kernel.term.outputs.front().value;
  const Sum sum = products.of(root);
  mustBeFew(sum, products, root);
  Samples samples(kernel);
  Sum flat;
  std::vector<WaveGroup> groups;
  for (Product product : sum) {
    WaveGroup made{{pointOf(product, products), {}}, {}, {}};
    bool still = true;
    for (std::size_t k = 0; k < 3; ++k) {
      made.samples[k] = samples.of(made.wave.point[k]);
      still = still && sameValues(made.samples[k], std::vector<Complex>(made.samples[k].size()));
    }
    product.exponent.clear();
    if (still) {
      addTo(flat, product);
      continue;
    }
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const WaveGroup &group) {
      return std::equal(group.samples.begin(), group.samples.end(), made.samples.begin(),
                        sameValues);
    });
    WaveGroup &group = same != groups.end() ? *same : groups.emplace_back(std::move(made));
    addTo(group.weight, product);
  }
  const auto isLeft = [&](Id id) { return !ofRecord(products[id]); };
  WaveForm form;
  for (WaveGroup &group : groups) {
    // (x + y) b is one product whole, but p.a z b + p.b z c is one taken apart.
    group.wave.strengths = leastRank(samples, group.weight, isLeft, true);
    const Sum apart = fullyApart(group.weight, products);
    if (group.wave.strengths.size() > 1 && apart.size() <= fewProducts) {
      auto fewer = leastRank(samples, apart, [&](Id id) { return products[id].domain == Q; }, true);
      if (fewer.size() < group.wave.strengths.size())
        group.wave.strengths = std::move(fewer);
    }
    if (!group.wave.strengths.empty())
      form.waves.push_back(std::move(group.wave));
  }
  form.totals = leastRank(samples, flat, isLeft, true);
  if (form.waves.empty())
    products.refuse(root, noWave);
  return form;
}

} // namespace facet::passes
