// extended.cpp - the example kernels in long double.
// Built with FACET_REAL and FACET_REAL_NAMESPACE.
#include "accuracy.h"
// NOLINTBEGIN(bugprone-suspicious-include): kernel files are what is tested
#include "examples/kernels/atoms.cpp"
#include "examples/kernels/born.cpp"
#include "examples/kernels/closed.cpp"
#include "examples/kernels/exact.cpp"
#include "examples/kernels/layered.cpp"
#include "examples/kernels/magnetic.cpp"
#include "examples/kernels/resonant.cpp"
#include "examples/kernels/rough.cpp"
#include "examples/kernels/surface.cpp"
// NOLINTEND(bugprone-suspicious-include)
#include <facet/reference.h>
#include <stdexcept>

namespace facet::test {
namespace {

/// Fills a column of every record, a number or a vector, which `of` names.
template <class Record, class Of>
void fill(std::vector<Record> &records, const runtime::Mesh &mesh, const std::string &name, Of of) {
  const auto each = [&](const std::string &column, auto part) {
    const std::vector<double> values = runtime::column(mesh, column);
    for (std::size_t t = 0; t < records.size(); ++t)
      part(of(records[t])) = values[t];
  };
  if constexpr (std::is_same_v<decltype(of(records[0])), real &>) {
    each(name, [](real &x) -> real & { return x; });
  } else {
    each(name + ".x", [](vec3 &v) -> real & { return v.x; });
    each(name + ".y", [](vec3 &v) -> real & { return v.y; });
    each(name + ".z", [](vec3 &v) -> real & { return v.z; });
  }
}

template <class Record> std::vector<Record> allOf(const runtime::Mesh &mesh) {
  std::vector<Record> records(static_cast<std::size_t>(mesh.size()));
#define FACET_COLUMN(name)                                                                         \
  if constexpr (requires(Record t) { t.name; })                                                    \
  fill(records, mesh, #name, [](Record &t) -> auto & { return t.name; })
#define FACET_TRIANGLE(name, is_vector, power, moves, doc) FACET_COLUMN(name);
#include <facet/triangle.def>
  FACET_COLUMN(contrast);
  FACET_COLUMN(sigma);
  FACET_COLUMN(moment);
  FACET_COLUMN(axis);
  FACET_COLUMN(place);
  FACET_COLUMN(B);
  FACET_COLUMN(c);
  FACET_COLUMN(a1);
  FACET_COLUMN(a2);
  FACET_COLUMN(a3);
  FACET_COLUMN(a4);
  FACET_COLUMN(a5);
  FACET_COLUMN(b1);
  FACET_COLUMN(b2);
  FACET_COLUMN(b3);
  FACET_COLUMN(b4);
  FACET_COLUMN(b5);
  return records;
}

/// Parameters from their numbers, in the order of their declaration.
struct Numbers {
  std::vector<double> all;
  std::size_t at = 0;
  void to(real &x) { x = all.at(at++); }
  void to(cplx &z) { to(z.re), to(z.im); }
  void to(vec3 &v) { to(v.x), to(v.y), to(v.z); }
  void to(cvec3 &v) { to(v.x), to(v.y), to(v.z); }
};
void set(detail::no_params &, Numbers &) {}
void set(magnetic::Params &p, Numbers &from) { from.to(p.u), from.to(p.v); }
void set(resonant::Params &p, Numbers &from) {
  from.to(p.along), from.to(p.across), from.to(p.in), from.to(p.out);
}

template <class K>
std::vector<std::complex<long double>> valuesOf(const std::string &name, const runtime::Mesh &mesh,
                                                const runtime::Grid &grid,
                                                const std::vector<std::int64_t> &chosen) {
  const auto records = allOf<record_of<K>>(mesh);
  params_of<K> params;
  Numbers numbers{parametersOf(name)};
  set(params, numbers);
  std::vector<std::complex<long double>> values(outputs_of<K> * chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto at = grid.at(chosen[i]);
    q_of<K> q;
    detail::set(q.x, at[0].real(), at[0].imag());
    detail::set(q.y, at[1].real(), at[1].imag());
    detail::set(q.z, at[2].real(), at[2].imag());
    auto f = evaluate<K>(
                 q, [&](long k) -> const auto & { return records[static_cast<std::size_t>(k)]; },
                 static_cast<long>(records.size()), params)
                 .f;
    std::size_t to = i;
    facet::detail::each(f, [&](const cplx &one) {
      values[to] = {one.re, one.im};
      to += chosen.size();
    });
  }
  return values;
}

} // namespace

std::vector<std::complex<long double>> inLongDouble(const std::string &kernel,
                                                    const runtime::Mesh &mesh,
                                                    const runtime::Grid &grid,
                                                    const std::vector<std::int64_t> &at) {
#define FACET_KERNEL_NAMED(name)                                                                   \
  if (kernel == #name)                                                                             \
    return valuesOf<name>(kernel, mesh, grid, at);
  FACET_KERNEL_NAMED(atoms)
  FACET_KERNEL_NAMED(born)
  FACET_KERNEL_NAMED(closed)
  FACET_KERNEL_NAMED(exact)
  FACET_KERNEL_NAMED(layered)
  FACET_KERNEL_NAMED(magnetic)
  FACET_KERNEL_NAMED(resonant)
  FACET_KERNEL_NAMED(rough)
  FACET_KERNEL_NAMED(surface)
  throw std::invalid_argument("no kernel " + kernel);
}

} // namespace facet::test
