// natural.cpp - the Halide algorithm of a sum from the domains of its values, unscheduled.
#include "natural.h"
#include "schedules/stages.h"

namespace facet::bench {
namespace {

using Halide::Expr;
using Halide::Func;
using Halide::Tuple;
using Halide::Var;

enum class Place { Inner, Row, Column, Other };

Place placeOf(std::uint8_t domain) {
  const bool row = domain & (ir::X | ir::Y), z = domain & ir::Z;
  if (!(domain & ir::T) || (!row && !z))
    return Place::Other;
  return row && z ? Place::Inner : row ? Place::Row : Place::Column;
}

/// Values of one place that the inner sum reads.
std::vector<ir::Id> frontier(const ir::Region &term, Place place) {
  std::vector<bool> wanted(term.values.size());
  for (const ir::Value &user : term.values)
    for (int k = 0; k < ir::info(user.op).arity; ++k) {
      const ir::Id id = user.args[static_cast<std::size_t>(k)];
      const ir::Value &value = term.values[static_cast<std::size_t>(id)];
      // What only 'round' makes is read with its bias, which a table would lose.
      if (placeOf(user.domain) == Place::Inner && placeOf(value.domain) == place &&
          !ir::isLeaf(value.op) && value.type != ir::Type::Bool &&
          !(k == 1 && (user.op == ir::Op::NegateIfOdd || user.op == ir::Op::Scale2)))
        wanted[static_cast<std::size_t>(id)] = true;
    }
  std::vector<ir::Id> ids;
  for (std::size_t id = 0; id < wanted.size(); ++id)
    if (wanted[id])
      ids.push_back(static_cast<ir::Id>(id));
  return ids;
}

int fieldsOf(const ir::Kernel &kernel, bool wide) {
  int fields = 0;
  for (const ir::Output &output : kernel.pack.outputs)
    fields +=
        (kernel.pack.values[static_cast<std::size_t>(output.value)].type == ir::Type::Wide) == wide;
  return fields;
}

} // namespace

Natural::Natural(const lower::SumKernel &sum, const Writing &writing, const Scheduler &scheduler,
                 int nt, int ny, int nz)
    : sum_(sum), inputs_(sum_), nt_(nt), ny_(ny), nz_(nz),
      narrowFields_(fieldsOf(sum.kernel, false)), wideFields_(fieldsOf(sum.kernel, true)),
      target_(Halide::Target(std::string(schedules::halideTarget(sum.target)))
                  .with_feature(Halide::Target::NoAsserts)
                  .with_feature(Halide::Target::NoBoundsQuery)) {
  const ir::Region &term = sum.kernel.term;
  const int block = writing.block > 0 ? writing.block : nt;
  Var z("z"), y("y"), t("t"), b("b");
  const Halide::RDom r(0, block, "r");
  const bool blocked = writing.block > 0;
  lower::Scope inner, table;
  inner.at = table.at = {Expr(0), y, z};
  inner.t = blocked ? b * block + r.x : Expr(r.x);
  table.t = t;
  if (writing.tables)
    for (const Place place : {Place::Row, Place::Column}) {
      const std::vector<ir::Id> ids = frontier(term, place);
      if (ids.empty())
        continue;
      lower::Exprs exprs(inputs_, table);
      std::vector<Expr> values;
      for (const ir::Id id : ids)
        values.push_back(exprs(id));
      Func func(place == Place::Row ? "rows" : "columns");
      const Var q = place == Place::Row ? y : z;
      func(q, t) = Tuple(values);
      for (std::size_t k = 0; k < ids.size(); ++k)
        inner.made[ids[k]] =
            ids.size() == 1 ? Expr(func(q, inner.t)) : Expr(func(q, inner.t)[static_cast<int>(k)]);
    }
  Func part("part"), out("out");
  const std::vector<Var> vars = blocked ? std::vector<Var>{z, y, b} : std::vector<Var>{z, y};
  const Expr zero = Halide::Internal::make_zero(inputs_.real), none(0.0);
  part(vars) = Tuple(zero, zero);
  const std::vector<Expr> at(vars.begin(), vars.end());
  lower::Exprs exprs(inputs_, inner);
  part(vars) = Tuple(exprs.addTo(part(at)[0], term.outputs[0].value),
                     exprs.addTo(part(at)[1], term.outputs[1].value));
  if (blocked) {
    const Halide::RDom blocks(0, nt / block, "blocks");
    out(z, y) = Tuple(none, none);
    out(z, y) = Tuple(out(z, y)[0] + Halide::cast<double>(part(z, y, blocks.x)[0]),
                      out(z, y)[1] + Halide::cast<double>(part(z, y, blocks.x)[1]));
  } else {
    out(z, y) = Tuple(Halide::cast<double>(part(z, y)[0]), Halide::cast<double>(part(z, y)[1]));
  }

  out.set_estimates({{0, nz}, {0, ny}});
  inputs_.narrow.set_estimates({{0, narrowFields_}, {0, nt}});
  inputs_.wide.set_estimates({{0, wideFields_}, {0, nt}});
  inputs_.count.set_estimate(nt);
  const std::array<int, 3> extents{1, ny, nz};
  for (std::size_t k = 0; k < 3; ++k)
    inputs_.re[k].set_estimates({{0, extents[k]}});
  pipeline_ = Halide::Pipeline(out);
  if (!scheduler.name.empty())
    schedule_ =
        pipeline_.apply_autoscheduler(target_, {scheduler.name, scheduler.extra}).schedule_source;
  pipeline_.compile_jit(target_);
}

void Natural::bind(const void *narrow, double *wide, double *x, double *y, double *z) {
  void *host = const_cast<void *>(narrow);
  if (inputs_.real == Halide::Float(32))
    inputs_.narrow.set(Halide::Buffer<float>(static_cast<float *>(host), narrowFields_, nt_));
  else
    inputs_.narrow.set(Halide::Buffer<double>(static_cast<double *>(host), narrowFields_, nt_));
  if (wideFields_ > 0)
    inputs_.wide.set(Halide::Buffer<double>(wide, wideFields_, nt_));
  inputs_.re[0].set(Halide::Buffer<double>(x, 1));
  inputs_.re[1].set(Halide::Buffer<double>(y, ny_));
  inputs_.re[2].set(Halide::Buffer<double>(z, nz_));
}

void Natural::run(double *re, double *im) {
  Halide::Realization sums(
      {Halide::Buffer<double>(re, nz_, ny_), Halide::Buffer<double>(im, nz_, ny_)});
  pipeline_.realize(sums, target_);
}

} // namespace facet::bench
