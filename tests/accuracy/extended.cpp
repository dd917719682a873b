// extended.cpp - the example kernels in long double.
// Built with FACET_REAL and FACET_REAL_NAMESPACE.
#include "accuracy.h"
// NOLINTBEGIN(bugprone-suspicious-include): kernel files are what is tested
#include "examples/kernels/born.cpp"
#include "examples/kernels/closed.cpp"
#include "examples/kernels/exact.cpp"
#include "examples/kernels/layered.cpp"
#include "examples/kernels/surface.cpp"
// NOLINTEND(bugprone-suspicious-include)
#include <facet/reference.h>
#include <stdexcept>

namespace facet::test {
namespace {

struct Columns {
  std::vector<std::pair<std::string, std::vector<double>>> all;
  explicit Columns(const runtime::Mesh &mesh) {
#define FACET_TRIANGLE(name, is_vector, power, moves, doc)                                         \
  if (is_vector)                                                                                   \
    for (const char *part : {#name ".x", #name ".y", #name ".z"})                                  \
      all.emplace_back(part, runtime::column(mesh, part));                                         \
  else                                                                                             \
    all.emplace_back(#name, runtime::column(mesh, #name));
#include <facet/triangle.def>
    all.emplace_back("contrast", runtime::column(mesh, "contrast"));
  }
};

void set(real &value, const Columns &from, std::size_t t, std::size_t &column) {
  value = from.all[column++].second[t];
}
void set(vec3 &value, const Columns &from, std::size_t t, std::size_t &column) {
  for (real *part : {&value.x, &value.y, &value.z})
    set(*part, from, t, column);
}

template <class Record> std::vector<Record> recordsOf(const Columns &columns) {
  std::vector<Record> records(columns.all[0].second.size());
  for (std::size_t t = 0; t < records.size(); ++t) {
    std::size_t column = 0;
#define FACET_TRIANGLE(name, is_vector, power, moves, doc) set(records[t].name, columns, t, column);
#include <facet/triangle.def>
    if constexpr (requires { records[t].contrast; })
      set(records[t].contrast, columns, t, column);
  }
  return records;
}

template <class K>
std::vector<std::complex<long double>> valuesOf(const runtime::Mesh &mesh,
                                                const runtime::Grid &grid,
                                                const std::vector<std::int64_t> &chosen) {
  const auto records = recordsOf<record_of<K>>(Columns(mesh));
  std::vector<std::complex<long double>> values;
  for (const std::int64_t i : chosen) {
    const auto at = grid.at(i);
    q_of<K> q;
    detail::set(q.x, at[0].real(), at[0].imag());
    detail::set(q.y, at[1].real(), at[1].imag());
    detail::set(q.z, at[2].real(), at[2].imag());
    const cplx f =
        evaluate<K>(
            q, [&](long k) -> const auto & { return records[static_cast<std::size_t>(k)]; },
            static_cast<long>(records.size()))
            .f;
    values.emplace_back(f.re, f.im);
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
    return valuesOf<name>(mesh, grid, at);
  FACET_KERNEL_NAMED(born)
  FACET_KERNEL_NAMED(closed)
  FACET_KERNEL_NAMED(exact)
  FACET_KERNEL_NAMED(layered)
  FACET_KERNEL_NAMED(surface)
  throw std::invalid_argument("no kernel " + kernel);
}

} // namespace facet::test
