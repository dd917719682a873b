// low_rank_kernel.cpp - weights, phases and waves drawn and joined.
#include "codegen/ir/builder.h"
#include "kernels.h"
#include <array>
#include <random>

namespace facet::passes {

using namespace ir;

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

  /// A mean over the triangle; one in eight is of another phase than q.r, which has no form.
  Id mean() {
    const bool other = draw(8) == 0, conjugate = draw(4) == 0;
    std::array<Id, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Id q = conjugate ? b.op(Op::Conj, b.axis(-1)) : b.axis(-1);
      const Id corner = b.field("vertex" + std::to_string(k));
      corners[k] = other ? phase(corner) : b.op(Op::Dot, q, corner);
    }
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
  kernel.term.outputs = {{"", LowRank(kernel, seed).term()}};
  Builder finish(kernel, kernel.finish);
  kernel.finish.outputs = {{"", finish.sum()}};
  annotate(kernel);
  return kernel;
}

} // namespace facet::passes
