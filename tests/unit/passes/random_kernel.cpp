// random_kernel.cpp - kernels drawn: values appended one by one, of which the ill-conditioned at
// the points are taken back; and weights, phases and waves joined.
#include "codegen/ir/builder.h"
#include "kernels.h"
#include <array>
#include <cmath>
#include <optional>
#include <random>

namespace facet::passes {
using namespace ir;

namespace {

class Generator {
public:
  Generator(Kernel &kernel, Region &region, std::mt19937_64 &engine)
      : kernel(kernel), region(region), engine(engine), b(kernel, region) {
    real = kernel;
    for (AxisType &axis : real.axes)
      axis.type = Type::Real;
  }

  /// Leaves are drawn from `leaves`; the yield is a sum of the last values.
  Id run(const std::vector<Id> &leaves, int size) {
    for (const Id leaf : leaves)
      keep(leaf);
    for (int made = 0, tries = 0; made < size && tries < 20 * size; ++tries) {
      const std::size_t before = region.values.size();
      const std::optional<Id> id = step();
      if (id && sane(*id)) {
        keep(*id);
        ++made;
      } else {
        region.values.resize(before);
      }
    }
    Id sum = complexes.empty() ? reals.back() : complexes.back();
    for (std::size_t k = 0; k < 2 && k < reals.size(); ++k)
      sum = b.op(draw(2) ? Op::Mul : Op::Add, reals[reals.size() - 1 - k], sum);
    return sum;
  }

  /// Another value made on the way, which shares what they are made of.
  Id another() { return draw(3) ? anyScalar() : b.op(Op::Mul, anyScalar(), anyScalar()); }

private:
  Kernel &kernel;
  Region &region;
  std::mt19937_64 &engine;
  Builder b;
  Kernel real;
  std::vector<Id> reals, complexes, vectors;

  std::size_t draw(std::size_t n) { return engine() % n; }
  Id pick(const std::vector<Id> &ids) {
    // New values more often than old ones, so that expressions grow deep.
    return ids[ids.size() - 1 - std::min(draw(ids.size()), draw(ids.size()))];
  }
  Id anyScalar() { return complexes.empty() || draw(2) ? pick(reals) : pick(complexes); }

  void keep(Id id) {
    switch (b[id].type) {
    case Type::Real:
      return reals.push_back(id);
    case Type::Cplx:
      return complexes.push_back(id);
    case Type::Vec3:
    case Type::CVec3:
      return vectors.push_back(id);
    default:
      return;
    }
  }

  /// Tests, joined or not.
  Id condition() {
    const Id less = b.op(draw(2) ? Op::Less : Op::LessEqual, pick(reals), pick(reals));
    switch (draw(4)) {
    case 0:
      return b.op(Op::Not, less);
    case 1:
      return b.op(draw(2) ? Op::And : Op::Or, less, b.op(Op::Less, pick(reals), pick(reals)));
    default:
      return less;
    }
  }

  /// A value of reals: functions with poles and cuts where 1 + x^2 never is.
  Id ofReals() {
    const Id x = pick(reals), positive = onePlusSquare(x);
    switch (draw(6)) {
    case 0:
      return b.op(Op::Log, positive);
    case 1:
      return b.op(draw(2) ? Op::Erf : Op::Erfc, x);
    case 2:
      return b.op(Op::Pow, positive, b.number(double(draw(21)) / 4 - 2.5));
    case 3:
      return b.op(Op::Atan2, pick(reals), positive);
    case 4:
      return b.op(Op::Atan2, positive, x);
    default:
      return b.op(Op::Sinc, anyScalar());
    }
  }

  Id onePlusSquare(Id x) { return b.op(Op::Add, b.number(1), b.op(Op::Norm2, x)); }

  std::optional<Id> step() {
    static constexpr Op same[] = {Op::Add, Op::Sub, Op::Mul, Op::Mul};
    static constexpr Op periodic[] = {Op::Sin, Op::Cos, Op::Cis, Op::Cism1, Op::Exp};
    static constexpr Op ofComplex[] = {Op::Re, Op::Im, Op::Conj, Op::Neg, Op::Abs};
    switch (draw(14)) {
    case 12:
      return ofReals();
    case 0:
    case 1:
      return b.op(same[draw(4)], anyScalar(), anyScalar());
    case 2:
    case 3:
      return b.op(periodic[draw(5)], anyScalar());
    case 4:
      return b.op(ofComplex[draw(5)], anyScalar());
    case 5: {
      const Id x = anyScalar();
      return b.op(Op::Div, anyScalar(), draw(2) ? onePlusSquare(x) : x);
    }
    case 6: {
      const Id chosen = condition();
      return b.op(Op::Select, chosen, anyScalar(), anyScalar());
    }
    case 7:
      if (draw(3) == 0)
        return b.op(draw(2) ? Op::MeanEdge : Op::MeanEdgeM1, anyScalar(), anyScalar());
      return b.op(draw(2) ? Op::MeanCis : Op::MeanCism1, anyScalar(), anyScalar(), anyScalar());
    case 8:
      if (draw(3) == 0)
        return b.op(Op::Complex, pick(reals), pick(reals));
      return draw(3) ? b.op(Op::Csqrt, anyScalar()) : b.op(Op::Sqrt, pick(reals));
    case 9:
      return draw(2) ? b.op(Op::Mul, b.unit(), anyScalar())
                     : b.op(Op::Mul, b.number(double(draw(7)) / 2 - 1), anyScalar());
    case 10:
      if (vectors.empty() || draw(3) == 0)
        return b.op(Op::Vec, anyScalar(), anyScalar(), anyScalar());
      return draw(2) ? b.op(Op::Cross, pick(vectors), pick(vectors))
                     : b.op(Op::Mul, pick(vectors), anyScalar());
    case 11:
      return b.op(draw(2) ? Op::Min : Op::Max, pick(reals), pick(reals));
    default:
      if (vectors.empty())
        return {};
      return draw(3) ? b.op(Op::Dot, pick(vectors), pick(vectors))
                     : b.op(draw(2) ? Op::Norm2 : Op::Norm, pick(vectors));
    }
  }

  /// Both sides of every comparison below a condition.
  void compared(Id condition, Region &probe) const {
    const Value &value = b[condition];
    const bool test = value.op == Op::Less || value.op == Op::LessEqual;
    for (const Id side : value.args)
      if (side >= 0 && test)
        probe.outputs.push_back({"", side});
      else if (side >= 0)
        compared(side, probe);
  }

  bool sane(Id id) {
    Region probe = region;
    probe.outputs = {{"", id}};
    const Value &value = b[id];
    const bool singular = value.op == Op::Csqrt || value.op == Op::Sqrt || value.op == Op::Div ||
                          value.op == Op::Abs || value.op == Op::Norm;
    const Id argument = value.args[value.op == Op::Div ? 1 : 0];
    if (singular)
      probe.outputs.push_back({"", argument});
    if (value.op == Op::Select)
      compared(value.args[0], probe);
    for (const Kernel *k : {&kernel, &real}) {
      double largest = 0;
      Kernel typed = *k;
      typed.term = probe;
      annotate(typed);
      // Rounding decides on which side of the cut a complex number is; a real one is on it.
      const bool cut = value.op == Op::Csqrt &&
                       typed.term.values[static_cast<std::size_t>(argument)].type == Type::Cplx;
      for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const auto out = evaluate(typed, typed.term, randomPoint(typed, seed));
        for (const Complex &component : out[0]) {
          largest = std::max(largest, std::abs(component));
          if (!(std::abs(component) < 10))
            return false;
        }
        if (singular && !awayFromBranch(out[1], cut))
          return false;
        for (std::size_t pair = 1; value.op == Op::Select && pair < out.size(); pair += 2)
          if (std::abs(out[pair][0] - out[pair + 1][0]) < 1e-3)
            return false;
      }
      if (largest < 1e-3) // (v x n) . v: nothing but rounding
        return false;
    }
    return true;
  }

  static bool awayFromBranch(const Vector &v, bool cut) {
    const double size = std::abs(v[0]) + std::abs(v[1]) + std::abs(v[2]);
    return size > 0.1 && !(cut && v[0].real() < 0 && std::abs(v[0].imag()) < 0.01);
  }
};

} // namespace

Kernel randomKernel(std::uint64_t seed, int size) {
  std::mt19937_64 engine{seed};
  Kernel kernel;
  kernel.name = "random" + std::to_string(seed);
  kernel.fields = {{"area", Type::Real}, {"normal", Type::Vec3}, {"centroid", Type::Vec3}};
  kernel.axes[2].type = Type::Cplx;
  kernel.params = {{"kappa"}};
  Builder term(kernel, kernel.term), finish(kernel, kernel.finish);
  const std::vector<Id> ofTerm = {term.param("kappa"),    term.field("area"), term.axis(2),
                                  term.axis(0),           term.axis(-1),      term.field("normal"),
                                  term.field("centroid"), term.number(0.5)};
  Generator ofSums(kernel, kernel.term, engine);
  kernel.term.outputs = {{"", ofSums.run(ofTerm, size)}};
  const Id factor = Generator(kernel, kernel.finish, engine)
                        .run({finish.axis(0), finish.axis(2), finish.axis(-1)}, size / 4);
  if (seed % 3 != 0) {
    kernel.finish.outputs = {{"", finish.op(Op::Mul, factor, finish.sum())}};
  } else { // two components or three
    kernel.term.outputs.front().name = "n";
    Id sum = finish.sum(Part::Whole, 0);
    for (int k = 1; k < 2 + static_cast<int>(seed / 3 % 2); ++k) {
      kernel.term.outputs.push_back({k == 1 ? "m.x" : "m.y", ofSums.another()});
      const Id other = finish.sum(Part::Whole, k);
      sum = finish.op(Op::Add, sum, k == 1 ? other : finish.op(Op::Conj, other));
    }
    kernel.finish.outputs = {{"", finish.op(Op::Mul, factor, sum)}};
  }
  if (seed % 2 == 0) { // outputs by name, complex and real ones, that share values
    const Id f = kernel.finish.outputs.front().value;
    kernel.finish.outputs = {
        {"f", f}, {"half", finish.op(Op::Re, f)}, {"twice", finish.op(Op::Add, f, factor)}};
  }
  annotate(kernel);
  return kernel;
}

namespace {

class LowRank {
public:
  LowRank(Kernel &kernel, std::uint64_t seed) : b(kernel, kernel.term), engine(seed) {}

  Id term() {
    Id sum = b.op(Op::Mul, weight(2), wave());
    for (std::size_t k = draw(3); k > 0; --k)
      sum = b.op(draw(3) ? Op::Add : Op::Sub, sum, addend());
    return draw(4) ? sum : b.op(Op::Div, sum, onePlus(b.op(Op::Norm2, b.axis(-1))));
  }

private:
  Builder b;
  std::mt19937_64 engine;

  std::size_t draw(std::size_t n) { return engine() % n; }
  Id onePlus(Id x) { return b.op(Op::Add, b.number(1), x); }
  Id vector() {
    switch (draw(4)) {
    case 0:
      return b.field("normal");
    case 1:
      return b.op(Op::Vec, b.param("kappa"), b.field("area"), b.number(0.5));
    case 2:
      return b.op(Op::Cross, b.field("normal"), b.field("centroid"));
    default:
      return b.field("centroid");
    }
  }
  Id frame() { return draw(3) ? b.axis(-1) : b.op(Op::Conj, b.axis(-1)); }

  Id addend() {
    switch (draw(4)) {
    case 0:
      return weight(2); // no wave at all
    case 1:
      return b.op(Op::Mul, wave(), wave());
    default:
      return b.op(Op::Mul, weight(1 + static_cast<int>(draw(3))), wave());
    }
  }

  Id weight(int depth) {
    if (depth == 0)
      switch (draw(8)) {
      case 0:
        return b.number(double(1 + draw(6)) / 2);
      case 1:
        return b.param("kappa");
      case 2:
        return b.axis(static_cast<int>(draw(3)));
      case 3:
        return b.op(Op::Norm2, b.axis(-1));
      case 4:
        return b.op(Op::Sqrt, onePlus(b.op(Op::Mul, b.field("area"), b.field("area"))));
      case 5:
        return b.op(Op::Cos, b.axis(0));
      case 6:
        return b.op(Op::Dot, frame(), vector());
      default:
        return b.field("area");
      }
    const auto less = [&] {
      return weight(static_cast<int>(draw(static_cast<std::size_t>(depth))));
    };
    switch (draw(9)) {
    case 8: {
      const Id of = draw(2) ? b.field("area") : b.op(Op::Component, b.field("normal"), -1, -1, 2);
      const Id condition = b.op(Op::Less, of, b.number(0.75)), yes = less();
      return b.op(Op::Select, condition, yes, less());
    }
    case 0:
      return b.op(Op::Sub, less(), less());
    case 1:
    case 2:
      return b.op(Op::Add, less(), less());
    case 3:
      return b.op(draw(2) ? Op::Re : Op::Conj, less());
    case 4:
      return b.op(Op::Div, less(), onePlus(b.op(Op::Mul, b.axis(0), b.axis(0))));
    default:
      return b.op(Op::Mul, less(), less());
    }
  }

  Id phase(Id place) {
    Id u = b.op(Op::Dot, b.axis(-1), place);
    if (draw(4) == 0)
      u = b.op(Op::Mul, b.number(0.5), u);
    if (draw(5) == 0)
      u = b.op(Op::Add, u,
               b.op(Op::Mul, b.axis(0), b.op(Op::Mul, b.param("kappa"), b.field("area"))));
    if (draw(6) == 0)
      u = b.op(Op::Sub, u, b.field("area"));
    if (draw(6) == 0)
      u = b.op(Op::Add, u, b.op(Op::Mul, b.axis(2), b.param("kappa")));
    return u;
  }

  /// A mean over the triangle or an edge of it; one in eight is of another phase than q.r, which
  /// has no form.
  Id mean() {
    const bool other = draw(8) == 0, conjugate = draw(4) == 0;
    std::array<Id, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Id q = conjugate ? b.op(Op::Conj, b.axis(-1)) : b.axis(-1);
      const Id corner = b.field("vertex" + std::to_string(k));
      corners[k] = other ? phase(corner) : b.op(Op::Dot, q, corner);
    }
    if (draw(4) == 0)
      return b.op(draw(2) ? Op::MeanEdge : Op::MeanEdgeM1, corners[1], corners[2]);
    return b.op(draw(2) ? Op::MeanCis : Op::MeanCism1, corners[0], corners[1], corners[2]);
  }

  Id wave() {
    const Id u = phase(draw(5) ? b.field("centroid") : vector());
    switch (draw(9)) {
    case 0:
      return b.op(Op::Cism1, u);
    case 1:
      return b.op(Op::Exp, b.op(Op::Mul, b.unit(), u));
    case 2:
      return b.op(draw(2) ? Op::Sin : Op::Cos, u);
    case 3:
      return b.op(Op::Conj, b.op(Op::Cis, u));
    case 4:
      return mean();
    default:
      return b.op(Op::Cis, u);
    }
  }
};

} // namespace

Kernel lowRankKernel(std::uint64_t seed) {
  Kernel kernel;
  kernel.name = "low" + std::to_string(seed);
  kernel.fields = {{"area", Type::Real},    {"normal", Type::Vec3},  {"centroid", Type::Vec3},
                   {"vertex0", Type::Vec3}, {"vertex1", Type::Vec3}, {"vertex2", Type::Vec3}};
  kernel.axes[2].type = Type::Cplx;
  kernel.params = {{"kappa"}};
  LowRank terms(kernel, seed);
  kernel.term.outputs = {{"", terms.term()}};
  Builder finish(kernel, kernel.finish);
  if (seed % 4 == 0) { // two components
    kernel.term.outputs = {{"n", kernel.term.outputs[0].value}, {"m", terms.term()}};
    const Id first = finish.sum(Part::Whole, 0);
    kernel.finish.outputs = {{"", finish.op(Op::Sub, first, finish.sum(Part::Whole, 1))}};
  } else {
    kernel.finish.outputs = {{"", finish.sum()}};
  }
  annotate(kernel);
  return kernel;
}

} // namespace facet::passes
