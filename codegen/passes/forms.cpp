// forms.cpp - both forms of a kernel, or what forbids them; and what they do to finish and totals.
#include "shapes.h"
#include <fmt/format.h>

namespace facet::passes {

using namespace ir;

Kernel prepared(const Kernel &source, Algorithm algorithm, bool complexQ, bool nodes) {
  const auto grid = algorithm == Algorithm::Nufft ? GridKind::Points : GridKind::Product;
  const Variant variant{grid, complexQ, Class::F64, algorithm, nodes};
  Kernel kernel = source;
  annotate(kernel);
  for (const Pass &pass : pipeline(variant)) {
    if (pass.name == "separate" || pass.name == "transform")
      break;
    pass.run(kernel, variant);
  }
  return kernel;
}

void rewriteFinish(Kernel &kernel, Formulas &b, const std::vector<std::vector<Pairing>> &totals,
                   const MakeSum &make) {
  std::vector<std::vector<std::pair<Id, int>>>
      lefts; // of each component, with the totals they are of
  std::vector<Id> rights;
  for (const std::vector<Pairing> &own : totals) {
    lefts.emplace_back();
    for (const Pairing &pair : own) {
      lefts.back().emplace_back(valueOf(b, pair.left), static_cast<int>(rights.size()));
      rights.push_back(valueOf(b, pair.right));
    }
  }
  kernel.totals = {};
  Builder to(kernel, kernel.totals);
  Copier copyTotal(kernel.term, to);
  for (std::size_t k = 0; k < rights.size(); ++k)
    kernel.totals.outputs.push_back({fmt::format("b{}", k), copyTotal(rights[k])});
  replaceSum(kernel, [&](Formulas &f, Copier &copy, Id sum, std::size_t component) {
    sum = make(f, copy, sum, component);
    for (const auto &[id, total] : lefts[component]) {
      const Id left = copy(id);
      sum = f.sumOf(Op::Add, sum, f.times(left, f.total(total)));
    }
    if (sum < 0) // weights that vanish
      return f.number(0);
    return ir::isReal(kernel.term[kernel.term.outputs[component].value].type) && isComplex(f[sum])
               ? f.op(Op::Re, sum)
               : sum;
  });
}

namespace {

template <class Find> Form formOf(const Kernel &source, Find find) {
  Form form;
  try {
    find(form);
    form.possible = true;
  } catch (const Refusal &refusal) {
    form.reason = reasonText(refusal, source);
    form.loc = refusal.loc;
  } catch (const Error &error) {
    form.reason = error.message;
    form.loc = error.loc;
  }
  return form;
}

/// Refuses a column with an axis.
void refuseAxes(const Kernel &source, const std::string &why) {
  const Region &term = source.term;
  for (Id id = 0; id < std::ssize(term.values); ++id)
    if (term[id].op == Op::Field && !recordOnly(term[id]))
      refuse(term, id, why);
}

} // namespace

Kernel ofComponents(const Kernel &source) {
  Kernel made = source;
  made.origin = {};
  made.finish = {};
  Builder b(made, made.finish);
  const int count = static_cast<int>(componentsOf(source.term).size());
  for (int k = 0; k < count; ++k)
    made.finish.outputs.push_back(
        {count == 1 ? "" : fmt::format("c{}", k), b.sum(Part::Whole, count == 1 ? -1 : k)});
  return made;
}

Forms formsOf(const Kernel &source, bool complexQ) {
  Forms forms;
  forms.means = hasMeans(source);
  forms.separable = formOf(source, [&](Form &form) {
    if (forms.means)
      refuseAxes(source,
                 " has an axis, and the means of this term need records that are nodes of a "
                 "quadrature rule, for which the table has no values");
    Kernel kernel = prepared(source, Algorithm::Separable, complexQ, forms.means);
    for (const TableForm &found : tableForms(kernel)) {
      form.terms += found.tables();
      form.totals += static_cast<int>(found.totals.size());
      form.fma += multiplyAdds(found, kernel);
    }
  });
  forms.nufft = formOf(source, [&](Form &form) {
    refuseAxes(source, " has an axis: transforms take strengths of the record alone");
    Kernel kernel = prepared(source, Algorithm::Nufft, complexQ, forms.means);
    const WaveForm found = waveForm(kernel);
    form.terms = found.transforms();
    form.waves = static_cast<int>(found.waves.size());
    form.scalars = static_cast<int>(kernel.scalars.outputs.size());
    form.lowRank = found.isLowRank();
    for (const std::vector<Pairing> &own : found.totals)
      form.totals += static_cast<int>(own.size());
  });
  return forms;
}

} // namespace facet::passes
