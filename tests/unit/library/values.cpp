// values.cpp - columns of random triangles and of nodes on them; kernel libraries called as a
// runtime would, on one tile, and their references.
#include "values.h"
#include <cmath>
#include <map>
#include <random>
#include <stdexcept>

namespace facet::test {
namespace {

using Vector = std::array<double, 3>;

Vector along(const Vector &from, const Vector &to) {
  return {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
}

/// The built-in columns of a triangle: what belongs together does, as analysis may rely on it.
std::map<std::string, Vector> triangle(const std::array<Vector, 3> &v) {
  const Vector a = along(v[0], v[1]);
  const Vector b = along(v[0], v[2]);
  const Vector n = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                    a[0] * b[1] - a[1] * b[0]};
  const double twice = std::hypot(n[0], n[1], n[2]);
  Vector normal{};
  Vector centroid{};
  for (int k = 0; k < 3; ++k) {
    normal[k] = n[k] / twice;
    centroid[k] = (v[0][k] + v[1][k] + v[2][k]) / 3;
  }
  return {{"area", {twice / 2}}, {"normal", normal}, {"centroid", centroid}, {"vertex0", v[0]},
          {"vertex1", v[1]},     {"vertex2", v[2]},  {"edge1", a},           {"edge2", b}};
}

} // namespace

std::vector<std::vector<double>> randomColumns(const facet_kernel_description &kernel, int nt,
                                               double size) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> within(-1, 1);
  std::vector<std::vector<double>> columns(kernel.column_count);
  for (int t = 0; t < nt; ++t) {
    std::array<Vector, 3> corners{};
    const Vector centre = {5 * within(random), 5 * within(random), 5 * within(random)};
    for (Vector &corner : corners)
      for (int k = 0; k < 3; ++k)
        corner[k] = centre[k] + size * within(random);
    const auto own = triangle(corners);
    for (int c = 0; c < kernel.column_count; ++c) {
      const std::string name = kernel.columns[c];
      const std::size_t dot = name.find('.');
      const auto found = own.find(name.substr(0, dot));
      columns[c].push_back(found == own.end()
                               ? 1 + 0.5 * within(random)
                               : found->second[dot == std::string::npos ? 0 : name[dot + 1] - 'x']);
    }
  }
  return columns;
}

std::vector<std::vector<double>> atNodes(const std::vector<std::vector<double>> &columns,
                                         const std::vector<Node> &rule) {
  std::vector<std::vector<double>> nodes(columns.size() + 4);
  for (std::size_t t = 0; t < columns[0].size(); ++t)
    for (const Node &node : rule) {
      for (std::size_t c = 0; c < columns.size(); ++c)
        nodes[c].push_back(columns[c][t]);
      nodes[columns.size()].push_back(node.weight);
      for (std::size_t k = 0; k < 3; ++k)
        nodes[columns.size() + 1 + k].push_back(node.barycentric[k]);
    }
  return nodes;
}

std::vector<const double *> pointers(const std::vector<std::vector<double>> &columns) {
  std::vector<const double *> out;
  out.reserve(columns.size());
  for (const auto &column : columns)
    out.push_back(column.data());
  return out;
}

Axes randomAxes(const facet_kernel_description &kernel, bool complexQ, std::array<int, 3> n) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> within(0.1, 1.5);
  Axes axes;
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < n[k]; ++j) {
      axes.re[k].push_back(within(random));
      if (complexQ && kernel.complex_q[k])
        axes.im[k].push_back(0.1 * within(random));
    }
  return axes;
}

Values runVariant(const facet_variant &variant, const std::vector<const double *> &columns, int nt,
                  const Axes &axes, const std::vector<double> &params, facet_device *device,
                  int outputs) {
  std::vector<double> totals(std::size_t{2} * variant.totals);
  std::vector<double> sizes(variant.totals);
  if (variant.totals_fn)
    variant.totals_fn(columns.data(), nt, params.data(), totals.data(), sizes.data());
  const bool product = variant.grid == FACET_PRODUCT;
  // Padded as the runtime does: the last value again.
  Axes padded = axes;
  for (int k = 0; k < 3; ++k) {
    const int multiple = variant.pad[product ? k : 0];
    for (auto *part : {&padded.re[k], &padded.im[k]})
      while (part->size() % multiple != 0)
        part->push_back(part->back());
  }
  // 16 doubles to spare: vectors may not read beyond, and this shows it under the sanitizers.
  std::vector<float> narrow(static_cast<std::size_t>(nt) * variant.narrow_fields * 2);
  std::vector<double> wide(static_cast<std::size_t>(nt) * variant.wide_fields);
  variant.pack(columns.data(), nt, params.data(), narrow.data(), wide.data());

  facet_sum_args args{};
  args.narrow = narrow.data();
  args.wide = wide.data();
  args.t_end = nt;
  std::int64_t size = 1;
  for (int k = 0; k < 3; ++k) {
    args.axis_re[k] = padded.re[k].data();
    args.axis_im[k] = padded.im[k].empty() ? nullptr : padded.im[k].data();
    args.n[k] = args.end[k] =
        product || k == 0 ? static_cast<std::int64_t>(padded.re[k].size()) : 1;
    size *= args.n[k];
  }
  std::vector<std::vector<double>> sums; // real ones
  std::vector<double *> places;
  for (int c = 0; c < variant.components; ++c)
    for (int part = 0; part < variant.parts[c]; ++part)
      sums.emplace_back(size);
  for (std::vector<double> &sum : sums)
    places.push_back(sum.data());
  args.sums = places.data();
  args.params = params.data();
  args.device = device;
  if (const int error = variant.sum(&args))
    throw std::runtime_error("sum returned " + std::to_string(error));

  Values values;
  const auto finish = [&](std::int64_t first, std::size_t n, std::array<std::size_t, 3> at,
                          std::array<std::int64_t, 3> stride) {
    std::array<const double *, 3> qre{};
    std::array<const double *, 3> qim{};
    for (int k = 0; k < 3; ++k) {
      qre[k] = axes.re[k].data() + at[k];
      qim[k] = axes.im[k].empty() ? nullptr : axes.im[k].data() + at[k];
    }
    std::vector<double> parts(2 * n * static_cast<std::size_t>(outputs));
    std::vector<double *> f;
    for (std::size_t part = 0; part < parts.size(); part += n)
      f.push_back(parts.data() + part);
    std::vector<const double *> from;
    for (const double *sum : places)
      from.push_back(sum + first);
    variant.finish(qre.data(), qim.data(), stride.data(), static_cast<std::int64_t>(n),
                   params.data(), totals.data(), from.data(), f.data());
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t o = 0; o < f.size(); o += 2)
        values.f.emplace_back(f[o][k], f[o + 1][k]);
  };
  if (!product) {
    finish(0, axes.re[0].size(), {0, 0, 0}, {1, 1, 1});
    return values;
  }
  for (std::size_t x = 0; x < axes.re[0].size(); ++x)
    for (std::size_t y = 0; y < axes.re[1].size(); ++y)
      finish(static_cast<std::int64_t>(x * args.n[1] + y) * args.n[2], axes.re[2].size(), {x, y, 0},
             {0, 0, 1});
  return values;
}

Values runReference(const facet_kernel_description &kernel, const facet_variant &variant,
                    const std::vector<const double *> &columns, int nt, const Axes &axes,
                    const std::vector<double> &params) {
  std::vector<double> q;
  const auto add = [&](std::array<std::size_t, 3> at) {
    for (int k = 0; k < 3; ++k) {
      q.push_back(axes.re[k][at[k]]);
      q.push_back(axes.im[k].empty() ? 0 : axes.im[k][at[k]]);
    }
  };
  if (variant.grid == FACET_PRODUCT) {
    for (std::size_t x = 0; x < axes.re[0].size(); ++x)
      for (std::size_t y = 0; y < axes.re[1].size(); ++y)
        for (std::size_t z = 0; z < axes.re[2].size(); ++z)
          add({x, y, z});
  } else {
    for (std::size_t k = 0; k < axes.re[0].size(); ++k)
      add({k, k, k});
  }
  const std::size_t n = q.size() / 6;
  const auto outputs = static_cast<std::size_t>(kernel.output_count);
  std::vector<double> f(2 * n * outputs), sumAbs(n), factor(n * outputs);
  kernel.reference(q.data(), static_cast<std::int64_t>(n), columns.data(), nt, params.data(),
                   f.data(), sumAbs.data(), factor.data());
  Values values;
  for (std::size_t k = 0; k < n * outputs; ++k) {
    values.f.emplace_back(f[2 * k], f[2 * k + 1]);
    values.bound.push_back(sumAbs[k / outputs] * factor[k]);
  }
  return values;
}

double difference(const Values &a, const Values &b) {
  double worst = 0;
  double scale = 0;
  for (std::size_t k = 0; k < b.f.size(); ++k) {
    const double here = std::abs(a.f.at(k) - b.f[k]);
    worst = std::isfinite(here) ? std::max(worst, here) : INFINITY;
    scale = std::max(scale, b.bound[k]);
  }
  return worst / scale;
}

double errorOf(const facet_kernel_description &kernel, const facet_variant &variant, int nt,
               std::array<int, 3> product, int points, facet_device *device) {
  // A node at the centroid of a triangle this small is as good as the triangle.
  const auto data = randomColumns(kernel, nt, variant.nodes ? 1e-6 : 1);
  const auto atCentroids = atNodes(data, {{1, {1. / 3, 1. / 3, 1. / 3}}});
  const auto columns = pointers(data), records = variant.nodes ? pointers(atCentroids) : columns;
  const std::vector<double> params(kernel.param_count, 1.1);
  const Axes axes =
      randomAxes(kernel, variant.q == FACET_COMPLEX_Q,
                 variant.grid == FACET_PRODUCT ? product : std::array{points, points, points});
  return difference(runVariant(variant, records, nt, axes, params, device, kernel.output_count),
                    runReference(kernel, variant, columns, nt, axes, params));
}

} // namespace facet::test
