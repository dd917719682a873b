// separate.cpp - the term becomes products of tables: W = A1 + g2(z) A2 + .., sum of W B.
//
// separate:
//   Of each component of the term:
//   1. The term of a product grid as sum of (sum over k of g_k(z) A_k(x, y, t)) B(z, t): it is
//      taken apart. What has no factor of t and an axis leaves for the totals.
//   2. Factors of q that all other products share are `outer`, as are common numbers. Those that
//      are left and depend on z are taken apart in turn: x^2 + y^2 + z^2, p.a z.
//   3. Each wave becomes a factor of x, y and t and one of z and t.
//   4. Products with equal factors of z and t, B, form a block; in a block, factors of z alone, g,
//      are paired with the rest, A, as few times as there can be (rank.cpp).
//   5. Tables are written complex(re A, im A): split keeps both parts as they are. So weights stay
//      in the tables, and only products and sums depend on t, z and x or y.
//   6. finish reads outer * sum + a'_0 total0 + .. in place of the sum.
//
// chain: sums of products in the inner loop, each product one fused multiply-add.
//   1. A sum of the inner loop that is used once, by a sum, joins that one: a - (b - c) is
//      a - b + c.
//   2. Addends are added one after the other, those that are no products first:
//      A + (g c - h s) becomes (A + g c) - h s. Added to the sums over records likewise.
#include "shapes.h"
#include <algorithm>

namespace facet::passes {

using namespace ir;

namespace {

class Finder {
public:
  Finder(Kernel &kernel, Id root)
      : root(root), products(kernel, Rule::Separable), samples(kernel) {}

  TableForm run() {
    Sum flat, tabled;
    const Sum whole = products.of(root);
    mustBeFew(whole.size(), fewProducts, products.term, root);
    for (const Product &product : whole)
      addTo(isFlat(product) ? flat : tabled, product);
    if (tabled.empty())
      refuse(products.term, root, noWave);
    takeOuter(tabled);
    tabled = refined(tabled);
    mustBeFew(tabled.size(), fewProducts, products.term, root);
    for (const Product &product : tabled)
      place(settled(product));
    for (auto &[block, sum] : sums) {
      block.terms = leastRank(samples, sum, [&](Id id) { return products[id].domain == Z; }, false);
      if (!block.terms.empty())
        form.blocks.push_back(std::move(block));
    }
    if (form.blocks.empty()) // weights that vanish
      refuse(products.term, root, noWave);
    form.totals = leastRank(samples, flat, [&](Id id) { return !ofRecord(products[id]); }, true);
    return std::move(form);
  }

private:
  Id root;
  Products products;
  Samples samples;
  TableForm form;
  std::vector<std::pair<TableForm::Block, Sum>> sums;
  std::vector<std::pair<Sum, Id>> waves; // exponents and their factors

  /// Whether each factor is of q alone or t alone and there is no exponent.
  bool isFlat(const Product &product) const {
    return product.exponent.empty() &&
           std::ranges::none_of(product.factors, [&](Id id) { return isMixed(products[id]); });
  }

  /// Step 2.
  void takeOuter(Sum &sum) {
    std::vector<Id> &shared = form.outer.factors;
    for (const Id factor : sum.front().factors)
      if (!ofRecord(products[factor]))
        shared.push_back(factor);
    bool sameNumber = true;
    for (const Product &product : sum) {
      shared = common(shared, product.factors);
      sameNumber = sameNumber && product.number == sum.front().number;
    }
    form.outer.number = sameNumber ? sum.front().number : 1;
    for (Product &product : sum) {
      product.factors = without(product.factors, shared);
      if (sameNumber)
        product.number = 1;
    }
  }

  Sum refined(const Sum &sum) {
    Sum out;
    for (const Product &product : sum) {
      Sum made{{.number = product.number, .exponent = product.exponent, .loc = product.loc}};
      for (const Id factor : product.factors) {
        const std::uint8_t domain = products[factor].domain;
        Sum parts{{.factors = {factor}, .loc = products[factor].loc}};
        if (hasZ(domain) && !(domain & T)) {
          parts = products.of(factor, true);
          for (const Product &part : parts)
            for (const Id id : part.factors)
              if (hasBoth(products[id].domain))
                refuse(products.term, id,
                       " depends on z and on x or y and is no sum of products of factors that have "
                       "only some of these");
        }
        made = times(made, parts);
      }
      addTo(out, made);
    }
    return out;
  }

  Id waveOf(const Sum &exponent) {
    for (const auto &[known, id] : waves)
      if (sameFactors({.exponent = known}, {.exponent = exponent}))
        return id;
    waves.emplace_back(exponent, exponential(products.b, exponent));
    return waves.back().second;
  }

  /// Step 3.
  Product settled(Product product) {
    Sum row, column;
    for (const Product &addend : product.exponent)
      (hasZ(products.domainOf(addend)) ? column : row).push_back(addend);
    product.exponent.clear();
    for (const Sum *part : {&row, &column})
      if (!part->empty())
        product.factors.push_back(waveOf(*part));
    std::ranges::sort(product.factors);
    return product;
  }

  /// Step 4.
  void place(const Product &product) {
    Product column{.loc = product.loc}, rest{.number = product.number, .loc = product.loc};
    for (const Id factor : product.factors)
      (products[factor].domain == (Z | T) ? column : rest).factors.push_back(factor);
    const PointValues values = samples.of(column);
    auto found = std::ranges::find_if(sums, [&](const auto &known) {
      return sameValues(samples.of(known.first.column), values);
    });
    if (found == sums.end())
      found = sums.insert(found, {{.terms = {}, .column = {column}}, Sum{}});
    addTo(found->second, rest);
  }
};

} // namespace

int TableForm::tables() const {
  int count = 0;
  for (const Block &block : blocks)
    count += static_cast<int>(block.terms.size());
  return count;
}

std::vector<TableForm> tableForms(Kernel &kernel) {
  if (kernel.term.empty())
    throw Error{"there is no sum: its transforms are made already", {}};
  std::vector<TableForm> forms;
  for (std::size_t k = 0; k < kernel.term.outputs.size(); ++k) {
    forms.push_back(Finder(kernel, kernel.term.outputs[k].value).run());
    // One factor of z alone: it joins the column, outside the inner loop.
    for (TableForm::Block &block : forms.back().blocks)
      if (block.terms.size() == 1 && !isOne(block.terms[0].left)) {
        block.column = times(block.column, block.terms[0].left);
        block.terms[0].left = {{}};
      }
  }
  return forms;
}

int multiplyAdds(const TableForm &form, const Kernel &kernel) {
  const auto complex = [&](const Sum &sum) {
    return std::ranges::any_of(sum, [&](const Product &product) {
      return product.number.imag() != 0 || std::ranges::any_of(product.factors, [&](Id id) {
               return isComplex(kernel.term[id]);
             });
    });
  };
  // A product of reals is one multiply-add, of a real and a complex number two, of complex ones 4.
  const auto cost = [](bool a, bool b) { return (a ? 2 : 1) * (b ? 2 : 1); };
  int count = 0;
  for (const TableForm::Block &block : form.blocks) {
    bool weight = false;
    for (const Pairing &pair : block.terms)
      weight = weight || complex(pair.left) || complex(pair.right);
    for (const Pairing &pair : block.terms)
      if (!isOne(pair.left))
        count += cost(complex(pair.left), complex(pair.right));
    count += isOne(block.column) ? (weight ? 2 : 1) : cost(weight, complex(block.column));
  }
  return count;
}

void separate(Kernel &kernel, const Variant &) {
  const std::vector<TableForm> forms = tableForms(kernel);
  Formulas old(kernel, kernel.term);
  std::vector<Id> outer;
  std::vector<std::vector<Pairing>> totals;
  for (const TableForm &form : forms) {
    outer.push_back(valueOf(old, {form.outer}));
    totals.push_back(form.totals);
  }
  rewriteFinish(kernel, old, totals, [&](Formulas &b, Copier &copy, Id sum, std::size_t component) {
    return b.times(copy(outer[component]), sum);
  });
  Region term;
  Formulas b(kernel, term);
  Copier copy(kernel.term, b);
  const auto written = [&](const Sum &sum) { return b.whole(copy(valueOf(old, sum))); };
  for (std::size_t k = 0; k < forms.size(); ++k) {
    Id sum = -1;
    for (const TableForm::Block &block : forms[k].blocks) {
      Id w = -1;
      for (const Pairing &pair : block.terms) {
        const Id g = written(pair.left), table = written(pair.right);
        w = b.sumOf(Op::Add, w, b.times(g, table));
      }
      const Id column = written(block.column);
      sum = b.sumOf(Op::Add, sum, b.times(w, column));
    }
    term.outputs.push_back({kernel.term.outputs[k].name, sum});
  }
  kernel.term = std::move(term);
  prune(kernel.term);
}

namespace {

struct Addend {
  Id id;
  bool negative;
};

class Chains {
public:
  explicit Chains(const Region &term) : term(term), uses(useCounts(term)) {}

  bool applies(Id id) const {
    const Op op = term[id].op;
    return (op == Op::Add || op == Op::Sub || op == Op::Neg) && isInner(term[id]);
  }
  std::vector<Addend> addends(Id id) const {
    std::vector<Addend> out;
    collect(id, false, true, out);
    std::ranges::stable_sort(out, {}, [&](const Addend &addend) { return rank(addend); });
    return out;
  }

private:
  const Region &term;
  std::vector<int> uses;

  /// First what is no product; a negative one cannot begin.
  int rank(const Addend &addend) const {
    const Value &value = term[addend.id];
    const bool product = value.op == Op::Mul && isInner(value);
    return (product ? 2 : 0) + (addend.negative ? 1 : 0);
  }

  void collect(Id id, bool negative, bool root, std::vector<Addend> &out) const {
    const Value &value = term[id];
    if (!applies(id) || (!root && uses[id] > 1))
      return out.push_back({id, negative});
    collect(value.args[0], negative != (value.op == Op::Neg), false, out);
    if (value.op != Op::Neg)
      collect(value.args[1], negative != (value.op == Op::Sub), false, out);
  }
};

} // namespace

void chain(Kernel &kernel, const Variant &) {
  const Chains chains(kernel.term);
  Rewriter to(kernel, kernel.term);
  to.run([&](const Value &value, Id id) {
    if (!chains.applies(id))
      return to.b.copy(value);
    Id sum = -1;
    for (const Addend &addend : chains.addends(id))
      sum = to.b.sumOf(addend.negative ? Op::Sub : Op::Add, sum, to.renamed[addend.id]);
    return sum;
  });
}

} // namespace facet::passes
