// transform.cpp - the term becomes waves: points and strengths of Fourier transforms over records.
//
//   1. Each component of the term is taken apart as sum of a_k(q) b_k(t) cis(q.r_w(t)) and of
//      products without a wave. Products with equal phases, decided by their values, share a wave,
//      if their strengths read the same scalars of q (see interpolate). Those that read some
//      without a wave have one whose points are 0.
//   2. Each wave's weights in all components, and what has no wave, are written as few products of
//      q and of t (rank.cpp): a strength serves all components that need it.
//   3. `waves` yields r_w and b_k, `totals` what has no wave; both are of the record alone.
//   4. finish reads a_0 sum0 + a_1 sum1 + .. + a'_0 total0 + .. in place of a component's sum; the
//      term is gone.
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
    addTo(point[component], coefficient);
  }
  return point;
}

/// A weight's products with factors of q taken apart: their parameters may go to the strengths.
Sum fullyApart(const Sum &weight, Products &products) {
  Sum out;
  for (const Product &product : weight) {
    Sum made{{.number = product.number, .loc = product.loc}};
    for (const Id factor : product.factors)
      made = times(made, products[factor].domain == Q ? products.of(factor, true)
                                                      : Sum{{.factors = {factor}}});
    addTo(out, made);
  }
  return out;
}

struct WaveGroup {
  WaveForm::Wave wave;
  std::array<PointValues, 3> samples;
  std::vector<Sum> weights; // of each component
};

/// Products of the components by their waves and scalars; those with neither go to `flat`.
std::vector<WaveGroup> groupsOf(const std::vector<Sum> &components, const Products &products,
                                Samples &samples, const std::vector<int> &scalars,
                                std::vector<Sum> &flat) {
  std::vector<WaveGroup> groups;
  const auto place = [&](Product product, std::size_t component) {
    WaveGroup made{{pointOf(product, products), {}}, {}, std::vector<Sum>(components.size())};
    for (const Id factor : product.factors)
      made.wave.scalars |= scalars[factor];
    for (std::size_t k = 0; k < 3; ++k)
      made.samples[k] = samples.of(made.wave.point[k]);
    product.exponent.clear();
    if (std::ranges::all_of(made.samples, [](const PointValues &of) {
          return sameValues(of, PointValues(of.size()));
        })) {
      made.wave.point = {};
      if (made.wave.scalars == 0)
        return addTo(flat[component], product);
    }
    const auto same = std::ranges::find_if(groups, [&](const WaveGroup &group) {
      return group.wave.scalars == made.wave.scalars &&
             std::ranges::equal(group.samples, made.samples, sameValues);
    });
    WaveGroup &group = same != groups.end() ? *same : groups.emplace_back(std::move(made));
    addTo(group.weights[component], product);
  };
  for (std::size_t k = 0; k < components.size(); ++k)
    for (const Product &product : components[k])
      place(product, k);
  return groups;
}

} // namespace

WaveForm waveForm(Kernel &kernel) {
  if (kernel.term.empty())
    throw Error{"there is no sum: its transforms are made already", {}};
  Products products(kernel, Rule::Nufft);
  std::vector<Sum> components;
  for (std::size_t k = 0; k < kernel.term.outputs.size(); ++k) {
    const Id root = kernel.term.outputs[k].value;
    components.push_back(products.of(root));
    mustBeFew(components.back().size(), fewProducts, kernel.term, root);
  }
  Samples samples(kernel);
  std::vector<Sum> flat(components.size());
  const std::vector<int> scalars = scalarsRead(kernel, kernel.term);
  const auto isLeft = [&](Id id) {
    return !ofRecord(products[id]) && (id >= std::ssize(scalars) || scalars[id] == 0);
  };
  WaveForm form;
  for (WaveGroup &group : groupsOf(components, products, samples, scalars, flat)) {
    // (x + y) b is one product whole, but p.a z b + p.b z c is one taken apart.
    group.wave.strengths = leastRank(samples, group.weights, isLeft, true);
    std::vector<Sum> apart;
    for (const Sum &weight : group.weights)
      apart.push_back(fullyApart(weight, products));
    const bool few =
        std::ranges::all_of(apart, [](const Sum &weight) { return weight.size() <= fewProducts; });
    if (group.wave.strengths.size() > 1 && few) {
      auto fewer = leastRank(samples, apart, [&](Id id) { return products[id].domain == Q; }, true);
      if (fewer.size() < group.wave.strengths.size())
        group.wave.strengths = std::move(fewer);
    }
    if (!group.wave.strengths.empty())
      form.waves.push_back(std::move(group.wave));
  }
  for (const Sum &own : flat)
    form.totals.push_back(leastRank(samples, own, isLeft, true));
  if (form.waves.empty())
    refuse(kernel.term, kernel.term.outputs.front().value, noWave);
  return form;
}

int WaveForm::transforms() const {
  int count = 0;
  for (const Wave &wave : waves)
    count += static_cast<int>(wave.strengths.size());
  return count;
}

bool WaveForm::isLowRank() const {
  return std::ranges::all_of(waves, [](const Wave &wave) {
    return std::ranges::all_of(wave.point, [](const Sum &component) { return component.empty(); });
  });
}

void transform(Kernel &kernel, const Variant &) {
  const WaveForm form = waveForm(kernel);
  Formulas b(kernel, kernel.term);
  kernel.waves = {};
  Builder to(kernel, kernel.waves);
  Copier copyWave(kernel.term, to);
  const auto yield = [&](char name, std::size_t k, const Sum &sum) {
    kernel.waves.outputs.push_back({fmt::format("{}{}", name, k), copyWave(valueOf(b, sum))});
  };
  const std::size_t components = kernel.term.outputs.size();
  std::vector<std::vector<Id>> lefts; // of each transform, by components: -1 if it has none
  for (std::size_t w = 0; w < form.waves.size(); ++w) {
    for (std::size_t k = 0; k < 3; ++k)
      yield("xyz"[k], w, form.waves[w].point[k]);
    for (const CommonFactor &strength : form.waves[w].strengths) {
      yield('b', lefts.size(), strength.right);
      std::vector<Id> &own = lefts.emplace_back();
      for (std::size_t c = 0; c < components; ++c)
        own.push_back(strength.lefts[c].empty() ? -1 : valueOf(b, strength.lefts[c]));
    }
  }
  rewriteFinish(kernel, b, form.totals, [&](Formulas &f, Copier &copy, Id, std::size_t component) {
    Id sum = -1;
    for (int k = 0; k < std::ssize(lefts); ++k) {
      if (lefts[k][component] < 0)
        continue;
      const Id left = copy(lefts[k][component]);
      sum = f.sumOf(Op::Add, sum, f.times(left, f.sum(Part::Whole, k)));
    }
    return sum;
  });
  kernel.term = {};
}

} // namespace facet::passes
