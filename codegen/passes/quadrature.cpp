// quadrature.cpp - means over triangles become sums over the nodes of a quadrature rule.
//
//   mean(e^{iu}) = sum over nodes of node_weight e^{i u(node)}: a record is a node of a triangle.
//
//   1. The record gets columns node_weight (a triangle's sum to 1) and node (barycentric
//      coordinates), the last ones.
//   2. mean_cis(a, b, c) becomes node_weight * cis(node.x a + node.y b + node.z c), the phase being
//      linear over the triangle; mean_cism1 the same with cism1.
//   3. A sum of a value with a mean and one without: the latter is multiplied by node_weight. So is
//      the whole term if it has no mean.
//   4. A product of two means, and functions of a mean, are refused: they are no means. So are
//      means of other phases than q.vertex: the run chooses nodes by how far these go in a
//      triangle.
//   Without `nodes` in the variant: nothing, but for refusing means in separable and nufft.
#include "products.h"
#include <algorithm>

namespace facet::passes {

using namespace ir;

namespace {

constexpr const char *weightName = "node_weight", *nodeName = "node";

bool isMean(Op op) { return op == Op::MeanCis || op == Op::MeanCism1; }

[[noreturn]] void refuse(const Region &region, Id id, const std::string &why) {
  Refusal refusal;
  refusal.op = region[id].op;
  refusal.loc = region[id].loc;
  refusal.why = why;
  refusal.message = infix(region, id) + why;
  throw refusal;
}

/// The frame of -dot(conj(q), t.vertex1), for corner 1: its signs and conjugations; -1: the value
/// is no phase q.r of that corner, whichever sign and conjugate q has.
int frameOf(const Region &old, Id id, std::size_t corner) {
  int frame = 0;
  for (; old[id].op == Op::Neg; id = old[id].args[0])
    frame ^= 1;
  const Value &dot = old[id];
  for (const std::size_t k : {0U, 1U}) {
    if (dot.op != Op::Dot)
      return -1;
    const Value &place = old[dot.args[k]], *q = &old[dot.args[1 - k]];
    const bool conjugate = q->op == Op::Conj;
    if (conjugate)
      q = &old[q->args[0]];
    if (place.op == Op::Field && place.name == "vertex" + std::to_string(corner) &&
        q->op == Op::Axis && q->component < 0)
      return frame | (conjugate ? 2 : 0);
  }
  return -1;
}

/// Whether the mean is of q.r over the triangle, up to a sign and a conjugate.
bool isOfCorners(const Region &old, const Value &mean) {
  const int first = frameOf(old, mean.args[0], 0);
  return first >= 0 && frameOf(old, mean.args[1], 1) == first &&
         frameOf(old, mean.args[2], 2) == first;
}

class Nodes {
public:
  Nodes(Builder &builder, const Region &old) : b(builder), old(old) {}

  /// `value`, of id `id` in the old region, with operands renamed.
  Id rule(Id id, Value value) {
    const auto has = [&](std::size_t k) { return value.args[k] >= 0 && weighted(value.args[k]); };
    const int means = int{has(0)} + int{has(1)} + int{has(2)};
    if (isMean(value.op)) {
      if (means > 0)
        refuse(old, id, " is a mean of means");
      if (!isOfCorners(old, old[id]))
        refuse(old, id,
               " is not the mean of e^{iq.r}: the nodes of a quadrature rule are chosen for the "
               "phases dot(q, t.vertex0), dot(q, t.vertex1), dot(q, t.vertex2), those of "
               "mean_cis(q, t)");
      return mean(value);
    }
    if (means == 0)
      return b.copy(value);
    switch (value.op) {
    case Op::Add:
    case Op::Sub:
    case Op::Complex:
      return each(value, 0, 2);
    case Op::Select:
      return each(value, 1, 3);
    case Op::Vec:
      return each(value, 0, 3);
    case Op::Mul:
    case Op::Dot:
    case Op::Cross:
      if (means > 1)
        refuse(old, id, " is a product of two means over the triangle: no mean itself");
      break;
    case Op::Div:
      if (has(1))
        refuse(old, id, " divides by a mean over the triangle");
      break;
    case Op::Neg:
    case Op::Conj:
    case Op::Re:
    case Op::Im:
    case Op::Component:
      break;
    default:
      refuse(old, id, " is a function of a mean over the triangle: no mean itself");
    }
    return mark(b.copy(value));
  }

  /// The term: weighted in any case.
  Id root(Id id) { return weighted(id) ? id : byWeight(id); }

private:
  Builder &b;
  const Region &old;
  std::vector<bool> marks; // values that node_weight has multiplied

  bool weighted(Id id) const { return static_cast<std::size_t>(id) < marks.size() && marks[id]; }
  Id mark(Id id) {
    marks.resize(std::max(marks.size(), static_cast<std::size_t>(id) + 1));
    marks[id] = true;
    return id;
  }
  Id byWeight(Id id) {
    if (isNumber(b[id]) && b[id].number == 0)
      return id;
    return mark(b.op(Op::Mul, b.field(weightName), id));
  }

  Id each(Value value, std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k)
      if (!weighted(value.args[k]))
        value.args[k] = byWeight(value.args[k]);
    return mark(b.copy(std::move(value)));
  }

  Id mean(const Value &value) {
    const Id node = b.field(nodeName);
    Id phase = -1;
    for (int k = 0; k < 3; ++k) {
      const Id part = b.op(Op::Mul, b.op(Op::Component, node, -1, -1, k), value.args[k]);
      phase = phase < 0 ? part : b.op(Op::Add, phase, part);
    }
    return byWeight(b.op(value.op == Op::MeanCis ? Op::Cis : Op::Cism1, phase));
  }
};

} // namespace

bool hasMeans(const Kernel &source) {
  return std::ranges::any_of(source.term.values,
                             [](const Value &value) { return isMean(value.op); });
}

void quadrature(Kernel &kernel, const Variant &variant) {
  const Region old = kernel.term;
  if (!variant.nodes) {
    for (std::size_t k = 0; k < old.values.size(); ++k)
      if (isMean(old.values[k].op))
        refuse(old, static_cast<Id>(k),
               " is a mean over the triangle: this needs records that are "
               "nodes of a quadrature rule");
    return;
  }
  for (const Field &field : kernel.fields)
    if (field.name == weightName || field.name == nodeName)
      throw Error{"a record with nodes has columns node_weight and node of its own: rename '" +
                      field.name + "'",
                  {}};
  kernel.fields.push_back({weightName, Type::Real});
  kernel.fields.push_back({nodeName, Type::Vec3, Role::Fixed});
  Id root = -1;
  rebuildBy(kernel, kernel.term, [&](Builder &b) {
    return [&, nodes = Nodes(b, old)](const Value &value, Old at) mutable {
      const Id made = nodes.rule(at.id, value);
      if (at.id == old.outputs.front().value)
        root = nodes.root(made);
      return made;
    };
  });
  kernel.term.outputs.front().value = root;
  prune(kernel.term);
}

} // namespace facet::passes
