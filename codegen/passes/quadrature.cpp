// quadrature.cpp - means over triangles become sums over the nodes of a quadrature rule.
//
//   mean(e^{iu}) = sum over nodes of node_weight e^{i u(node)}: a record is a node of a triangle.
//
//   1. The record gets columns node_weight (a triangle's sum to 1) and node (barycentric
//      coordinates), the last ones.
//   2. The phase is linear over the triangle, so mean_cis(a, b, c) becomes
//      node_weight * cis(node.x a + node.y b + node.z c).
//      - mean_cism1 is the same with cism1.
//      - mean_slopes(a, b, c), the means of the barycentric coordinates times e^{iu}, is node times
//        the first.
//      - mean_edge(a, b) is half of mean_cis(a, a, b) + mean_cis(a, b, b). Each is over a triangle
//        that is drawn out to an edge, where one corner is there twice. A place weighs the more,
//        the nearer it is to that corner. Both together weigh evenly.
//   3. A sum of a value with a mean and one without: the latter is multiplied by node_weight. So is
//      the whole term if it has no mean.
//   4. A product of two means, and functions of a mean, are refused: they are no means. So are
//      means of other phases than q.vertex: the run chooses nodes by how far these go in a
//      triangle.
//   Without `nodes` in the variant: nothing, but for refusing means in separable and nufft.
#include "forms.h"
#include "rewrite.h"
#include <algorithm>
#include <set>

namespace facet::passes {

using namespace ir;

namespace {

constexpr const char *weightName = "node_weight", *nodeName = "node";

bool isOfEdge(Op op) { return op == Op::MeanEdge || op == Op::MeanEdgeM1; }
bool isMean(Op op) {
  return op == Op::MeanCis || op == Op::MeanCism1 || op == Op::MeanSlopes || isOfEdge(op);
}

/// The frame of -dot(conj(q), t.vertex1): its signs and conjugations; -1: the value is no phase q.r
/// of a corner, whichever sign and conjugate q has.
int frameOf(const Region &term, Id id) {
  int frame = 0;
  for (; term[id].op == Op::Neg; id = term[id].args[0])
    frame ^= 1;
  if (term[id].op != Op::Dot)
    return -1;
  for (const std::size_t k : {0U, 1U}) {
    const Value &place = term[term[id].args[k]], *q = &term[term[id].args[1 - k]];
    const bool conjugate = q->op == Op::Conj;
    if (conjugate)
      q = &term[q->args[0]];
    if (place.op == Op::Field &&
        (place.name == "vertex0" || place.name == "vertex1" || place.name == "vertex2") &&
        q->op == Op::Axis && q->component < 0)
      return frame | (conjugate ? 2 : 0);
  }
  return -1;
}

/// Whether the mean is of q.r between corners of the triangle, up to a sign and a conjugate. The
/// rule also serves a triangle drawn out to an edge: the phase goes no farther there.
bool isOfCorners(const Region &term, const Value &mean) {
  const int first = frameOf(term, mean.args[0]);
  return first >= 0 && std::ranges::all_of(mean.operands(), [&](Id corner) {
           return frameOf(term, corner) == first;
         });
}

class Nodes {
public:
  Nodes(Formulas &builder, const Region &term) : b(builder), term(term) {}

  /// `value`, of id `id` in the old region, with operands renamed.
  Id rule(Id id, const Value &value) {
    const int means = static_cast<int>(
        std::ranges::count_if(value.operands(), [&](Id arg) { return weighted(arg); }));
    if (isMean(value.op) && means > 0)
      refuse(term, id, " is a mean of means");
    if (isMean(value.op) && !isOfCorners(term, term[id]))
      refuse(term, id,
             " is not the mean of e^{iq.r}: the nodes of a quadrature rule are chosen for the "
             "phases dot(q, t.vertex0), dot(q, t.vertex1), dot(q, t.vertex2), those of "
             "mean_cis(q, t) and of edges");
    if (isMean(value.op))
      return mean(value);
    return means == 0 ? b.copy(value) : mark(b.copy(ofMeans(id, value, means)));
  }

  /// The term: weighted in any case.
  Id root(Id id) { return weighted(id) ? id : byWeight(id); }

private:
  Formulas &b;
  const Region &term;
  std::set<Id> marks; // values that node_weight has multiplied

  bool weighted(Id id) const { return marks.contains(id); }
  Id mark(Id id) {
    marks.insert(id);
    return id;
  }
  Id byWeight(Id id) { return isNumber(b[id], 0) ? id : mark(b.mul(b.field(weightName), id)); }

  /// A value some of whose operands are means, if it is a mean itself: a sum's other operands are
  /// multiplied by node_weight.
  Value ofMeans(Id id, Value value, int means) {
    switch (value.op) {
    case Op::Add:
    case Op::Sub:
    case Op::Complex:
    case Op::Select:
    case Op::Vec:
      for (Id &arg : value.operands().subspan(value.op == Op::Select ? 1 : 0))
        arg = root(arg);
      return value;
    case Op::Mul:
    case Op::Dot:
    case Op::Cross:
      if (means > 1)
        refuse(term, id, " is a product of two means over the triangle: no mean itself");
      return value;
    case Op::Div:
      if (weighted(value.args[1]))
        refuse(term, id, " divides by a mean over the triangle");
      return value;
    case Op::Neg:
    case Op::Conj:
    case Op::Re:
    case Op::Im:
    case Op::Component:
      return value;
    default:
      refuse(term, id, " is a function of a mean over the triangle: no mean itself");
    }
  }

  Id mean(const Value &value) {
    const auto [x, y, z] = value.args;
    if (isOfEdge(value.op)) {
      const Id first = waveOf(value.op, {x, x, y}), last = waveOf(value.op, {x, y, y});
      return byWeight(b.mul(b.number(0.5), b.add(first, last)));
    }
    const Id wave = byWeight(waveOf(value.op, value.args));
    return value.op == Op::MeanSlopes ? mark(b.mul(wave, b.field(nodeName))) : wave;
  }

  /// That of the phases at the corners, at the node.
  Id waveOf(Op mean, const std::array<Id, 3> &corners) {
    const Id node = b.field(nodeName);
    Id phase = -1;
    for (int k = 0; k < 3; ++k)
      phase = b.sumOf(Op::Add, phase, b.mul(b.op(Op::Component, node, -1, -1, k), corners[k]));
    return b.op(mean == Op::MeanCism1 || mean == Op::MeanEdgeM1 ? Op::Cism1 : Op::Cis, phase);
  }
};

} // namespace

bool hasMeans(const Kernel &source) {
  return std::ranges::any_of(source.term.values, isMean, &Value::op);
}

void quadrature(Kernel &kernel, const Variant &variant) {
  const Region &term = kernel.term;
  if (!variant.nodes) {
    const auto found = std::ranges::find_if(term.values, isMean, &Value::op);
    if (found != term.values.end())
      refuse(term, static_cast<Id>(found - term.values.begin()),
             " is a mean over the triangle: this needs records that are nodes of a quadrature "
             "rule");
    return;
  }
  for (const Field &field : kernel.fields)
    if (field.name == weightName || field.name == nodeName)
      throw Error{"a record with nodes has columns node_weight and node of its own: rename '" +
                      field.name + "'",
                  {}};
  kernel.fields.push_back({weightName, Type::Real});
  kernel.fields.push_back({nodeName, Type::Vec3, Role::Fixed});
  Rewriter to(kernel, kernel.term);
  Nodes nodes(to.b, term);
  to.run([&](const Value &value, Id id) { return nodes.rule(id, value); },
         [&](Id id) { return nodes.root(id); });
}

} // namespace facet::passes
