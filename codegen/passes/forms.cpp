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

void rewriteFinish(Kernel &kernel, Formulas &b, const std::vector<Pairing> &totals,
                   const std::function<Id(Formulas &, Copier &, Id)> &make) {
  std::vector<Id> lefts, rights;
  for (const Pairing &pair : totals) {
    lefts.push_back(valueOf(b, pair.left));
    rights.push_back(valueOf(b, pair.right));
  }
  kernel.totals = {};
  Builder to(kernel, kernel.totals);
  Copier copyTotal(kernel.term, to);
  for (std::size_t k = 0; k < rights.size(); ++k)
    kernel.totals.outputs.push_back({fmt::format("b{}", k), copyTotal(rights[k])});
  replaceSum(kernel, [&](Formulas &f, Copier &copy, Id sum) {
    sum = make(f, copy, sum);
    for (int k = 0; k < std::ssize(lefts); ++k) {
      const Id left = copy(lefts[k]);
      sum = f.sumOf(Op::Add, sum, f.times(left, f.total(k)));
    }
    return sum;
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

} // namespace

Forms formsOf(const Kernel &source, bool complexQ) {
  Forms forms;
  forms.means = hasMeans(source);
  forms.separable = formOf(source, [&](Form &form) {
    Kernel kernel = prepared(source, Algorithm::Separable, complexQ, forms.means);
    const TableForm found = tableForm(kernel);
    form.terms = found.tables();
    form.totals = static_cast<int>(found.totals.size());
    form.fma = multiplyAdds(found, kernel);
  });
  forms.nufft = formOf(source, [&](Form &form) {
    Kernel kernel = prepared(source, Algorithm::Nufft, complexQ, forms.means);
    const WaveForm found = waveForm(kernel);
    form.terms = found.transforms();
    form.waves = static_cast<int>(found.waves.size());
    form.scalars = static_cast<int>(kernel.scalars.outputs.size());
    form.lowRank = found.isLowRank();
    form.totals = static_cast<int>(found.totals.size());
  });
  return forms;
}

} // namespace facet::passes
