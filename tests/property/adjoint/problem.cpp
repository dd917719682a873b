// problem.cpp - problems of derivatives drawn from seeds.
#include "problem.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace facet::test {
using namespace runtime;
using ir::Complex;

namespace {

using Q = std::array<Complex, 3>;

class Drawing {
public:
  Drawing(const ir::Kernel &kernel, std::uint64_t seed, bool complexQ)
      : kernel_(kernel), draw_{std::mt19937_64(seed)}, complexQ_(complexQ) {}

  AdjointProblem run() {
    AdjointProblem made;
    made.complexQ = complexQ_;
    made.params = {draw_.between(0.5, 2)};
    made.mesh = mesh();
    made.zero = draw_.below(3) == 0 && finiteAtZero(made);
    if (kernel_.grid == ir::GridKind::Product)
      made.grid = product(made.zero);
    else
      made.grid = list(made.mesh, made.zero);
    for (std::int64_t t = 0; t < made.mesh.size(); ++t) {
      made.contrast.push_back(draw_());
      auto &triangle = made.along.emplace_back();
      for (Vec3 &v : triangle)
        v = {draw_(), draw_(), draw_()};
    }
    made.g.resize(kernel_.finish.outputs.size() * static_cast<std::size_t>(made.grid.size()));
    for (Complex &z : made.g)
      z = {draw_(), draw_()};
    for (std::size_t k = 0; k < made.g.size(); ++k)
      made.g[k] *= weightAt(made.grid.at(static_cast<std::int64_t>(k) % made.grid.size()), made);
    return made;
  }

private:
  const ir::Kernel &kernel_;
  Draw draw_;
  bool complexQ_;

  /// Next to q = 0, not there, finish may magnify the rounding of a sum, by 1 / |q| or its square:
  /// that is not to hide what differs elsewhere.
  double weightAt(const Q &q, const AdjointProblem &problem) const {
    double square = 0;
    for (const Complex &component : q)
      square += std::norm(component);
    return square == 0 || square >= 1e-6 ? 1 : std::min(1e-6, 10 / magnifiedAt(q, problem));
  }

  /// The largest output of sums that are 1.
  double magnifiedAt(const Q &q, const AdjointProblem &problem) const {
    ir::Point point = recordsOf(kernel_, problem.mesh, problem.params).front();
    point.q = q;
    point.setSums(std::vector<Complex>(kernel_.term.outputs.size(), 1));
    double most = 0;
    for (const Complex &f : ir::evaluateFinish(kernel_, point))
      most = std::max(most, std::abs(f));
    return most;
  }

  Mesh mesh() {
    Mesh made;
    if (draw_.below(3) == 0) {
      const double x = draw_.between(1, 4), y = draw_.between(1, 4);
      made = makeMesh("box", {{"size", {x, y, draw_.between(1, 4)}}, {"n", {1}}});
    } else {
      made.name = "soup";
      for (std::size_t n = 2 + draw_.below(7); n > 0; --n) {
        const Vec3 c = {3 * draw_(), 3 * draw_(), 3 * draw_()};
        auto &t = made.triangles.own().emplace_back();
        for (Vec3 &corner : t)
          corner = {c[0] + draw_(), c[1] + draw_(), c[2] + draw_()};
      }
    }
    for (std::int64_t t = 0; t < made.size(); ++t)
      made.columns["contrast"].push_back(draw_.between(0.5, 1.5));
    return made;
  }

  /// Whether F is finite at q = 0, or `origin` says what it is.
  bool finiteAtZero(const AdjointProblem &problem) const {
    if (!kernel_.origin.empty())
      return true;
    ir::Point point = recordsOf(kernel_, problem.mesh, problem.params).front();
    point.q = {};
    point.setSums(ir::evaluateTerm(kernel_, point));
    return std::ranges::all_of(ir::evaluateFinish(kernel_, point),
                               [](const Complex &f) { return std::isfinite(std::abs(f)); });
  }

  /// Some values; 0 among them, or irregular ones.
  Axis axis(std::int64_t n, bool zero) {
    Axis made = linspace(zero ? -0.5 * draw_.between(0.5, 1) : -0.6, 1.1, n);
    for (double &q : made.re)
      q += draw_.below(2) == 0 ? 0.2 * draw_() : 0;
    if (zero)
      made.re[draw_.below(static_cast<std::size_t>(n))] = 0;
    return made;
  }

  Grid product(bool zero) {
    static constexpr std::array<std::array<std::int64_t, 3>, 5> extents{
        {{2, 2, 3}, {1, 1, 9}, {1, 3, 3}, {3, 1, 2}, {1, 2, 5}}};
    const auto &n = extents[draw_.below(extents.size())];
    Grid made;
    for (std::size_t k = 0; k < 3; ++k)
      made.axes[k] = axis(n[k], zero);
    if (complexQ_)
      for (const double q : made.axes[2].re)
        made.axes[2].im.push_back(q == 0 ? 0 : 0.05 + 0.05 * draw_());
    return made;
  }

  Grid list(const Mesh &mesh, bool zero) {
    std::vector<Q> all;
    for (int k = 0; k < 5; ++k)
      all.push_back({draw_(), draw_(), {draw_(), complexQ_ ? 0.1 * draw_.between(0, 1) : 0}});
    const auto &t = mesh.triangles[draw_.below(mesh.triangles.size())];
    all.push_back(along(column(mesh, "normal.x")[0], column(mesh, "normal.y")[0],
                        column(mesh, "normal.z")[0]));
    all.push_back(along(t[1][0] - t[0][0], t[1][1] - t[0][1], t[1][2] - t[0][2]));
    all.push_back({1e-7, 0, 2e-7});
    if (complexQ_)
      all.push_back({0.6, 0.8, {0, 1}}); // q.q = 0
    if (zero)
      all[draw_.below(all.size())] = {};
    Grid made;
    made.kind = Grid::Kind::Points;
    for (const Q &q : all)
      for (std::size_t k = 0; k < 3; ++k)
        made.axes[k].re.push_back(q[k].real());
    for (const Q &q : all)
      if (complexQ_)
        made.axes[2].im.push_back(q[2].imag());
    return made;
  }

  Q along(double x, double y, double z) {
    const double size = draw_.between(0.2, 0.9);
    return {size * x, size * y, size * z};
  }
};

} // namespace

AdjointProblem AdjointProblem::moved(Draw &draw, double by) const {
  AdjointProblem made = *this;
  for (auto &triangle : made.mesh.triangles)
    for (Vec3 &v : triangle)
      for (double &x : v)
        x += by * draw();
  for (double &c : made.mesh.columns.at("contrast"))
    c += by * draw();
  for (double &p : made.params)
    p += by * draw();
  for (Axis &axis : made.grid.axes)
    for (double &q : axis.re)
      q += zero ? q * by * draw() : by * draw();
  return made;
}

AdjointProblem drawProblem(const ir::Kernel &kernel, std::uint64_t seed, bool complexQ) {
  return Drawing(kernel, seed, complexQ).run();
}

std::vector<ir::Point> recordsOf(const ir::Kernel &kernel, const Mesh &mesh,
                                 const std::vector<double> &params) {
  std::vector<ir::Point> made(static_cast<std::size_t>(mesh.size()));
  const bool adjoint =
      ir::pointField(kernel) != nullptr; // its record is a q, its points have the columns
  for (const ir::Field &field : kernel.fields)
    for (std::size_t k = 0; k < (field.type == ir::Type::Vec3 ? 3 : 1); ++k) {
      const bool vector = field.type == ir::Type::Vec3;
      if (adjoint && field.axis != ir::ofPoints)
        continue;
      const std::vector<double> values =
          column(mesh, vector ? fmt::format("{}.{}", field.name, "xyz"[k]) : field.name);
      for (std::size_t t = 0; t < made.size(); ++t)
        made[t].record[field.name][k] = values[t];
    }
  const std::vector<std::string> slots = ir::slots(kernel);
  for (ir::Point &point : made)
    for (std::size_t p = 0; p < slots.size(); ++p)
      point.params[slots[p]] = p < params.size() ? params[p] : 0;
  return made;
}

} // namespace facet::test
