// gpu.cpp - sums of devices, direct and separable: the same values as on CPUs, in stages that
// blocks and threads take, each with its schedule.
//
// Blocks over tiles of the grid, threads over q, registers for a tile of q of each thread. What a
// block shares of the records lies in its memory, where all threads of a warp read the same one.
#include "schedules/targets.h"
#include "sum_exprs.h"
#include <fmt/format.h>

namespace facet::lower {
namespace gpu {
namespace {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::MemoryType;
using Halide::RVar;
using Halide::Stage;
using Halide::TailStrategy;
using Halide::Tuple;
using Halide::Var;
using Halide::VarOrRVar;
using ir::Op;
using ir::Place;

/// Blocks, threads and registers of one stage of a sum, along z and y.
struct Loops {
  std::array<Var, 2> block{Var("z_block"), Var("y_block")},
      thread{Var("z_thread"), Var("y_thread")}, tile{Var("z_tile"), Var("y_tile")};
};

/// What sums of devices share: output(z, y, x), of a list output(z), starts at zero, and updates
/// add to it.
class DeviceSum {
public:
  DeviceSum(const SumKernel &sum, const Inputs &inputs)
      : sum(sum), inputs(inputs), term(inputs.kernel.term), knobs(sum.knobs),
        points(sum.kernel.grid == ir::GridKind::Points),
        vars(points ? std::vector<Var>{z} : std::vector<Var>{z, y, x}) {
    define(output(vars), std::vector<Expr>(term.outputs.size(), Expr(0.0)));
    arrangeOutput(output, Loops(), {});
  }

protected:
  const SumKernel &sum;
  const Inputs &inputs;
  const ir::Region &term;
  const schedules::Knobs &knobs;
  Func output{"sum"};
  Var z{"z"}, y{"y"}, x{"x"}, t{"t"};
  bool points;
  std::vector<Var> vars;              // of the output
  std::size_t lines = points ? 1 : 2; // of them that threads share: z and y

  /// Threads over z and y, each with a tile of neighbours in registers: boxes, which Halide's
  /// bounds can say, and the same cache lines.
  void tile(Stage stage, const Loops &l) const {
    const std::array sizes{knobs.tileZ, knobs.tileY};
    for (std::size_t k = 0; k < lines; ++k)
      stage.split(vars[k], l.thread[k], l.tile[k], sizes[k], TailStrategy::RoundUp)
          .unroll(l.tile[k]);
  }

  /// A block of q in memory, to which each block or group of records, the loop `between`, is added.
  void arrangeOutput(Stage stage, const Loops &l, const std::vector<VarOrRVar> &between) const {
    tile(stage, l);
    const std::array sizes{knobs.blockZ, knobs.blockY};
    for (std::size_t k = 0; k < lines; ++k)
      stage.split(l.thread[k], l.block[k], l.thread[k], sizes[k], TailStrategy::RoundUp);
    std::vector<VarOrRVar> order(l.tile.begin(), l.tile.begin() + lines);
    order.insert(order.end(), l.thread.begin(), l.thread.begin() + lines);
    order.insert(order.end(), between.begin(), between.end());
    order.insert(order.end(), l.block.begin(), l.block.begin() + lines);
    order.insert(order.end(), vars.begin() + lines, vars.end()); // x
    stage.reorder(order);
    for (std::size_t k = 0; k < lines; ++k)
      stage.gpu_blocks(l.block[k]).gpu_threads(l.thread[k]);
    if (!points)
      stage.gpu_blocks(x);
  }

  /// The entries `a` x `b` of shared memory are filled by all threads of the block.
  void byAllThreads(Func table, const Var &a, const Var &b) const {
    Var entry("entry"), z("thread_z"), y("thread_y");
    table.fuse(a, b, entry);
    table.store_in(MemoryType::GPUShared)
        .split(entry, entry, z, knobs.blockZ, TailStrategy::GuardWithIf);
    if (points)
      table.gpu_threads(z);
    else
      table.split(entry, entry, y, knobs.blockY, TailStrategy::GuardWithIf).gpu_threads(z, y);
  }
};

class DirectOnDevice : DeviceSum {
public:
  using DeviceSum::DeviceSum;

  /// Update 0 adds whole blocks of blockT records, one after another, update 1 what they leave.
  Func build() {
    mustFit();
    const int length = knobs.blockT;
    const Expr whole = inputs.count / length;
    const Halide::RDom blocks(0, whole, "block");
    addPart(Halide::RDom(0, length, "t"), &blocks.x, blocks.x * length);
    addPart(Halide::RDom(0, inputs.count - whole * length, "t"), nullptr, whole * length);
    return output;
  }

private:
  Var field{"field"}, b{"b"};

  /// The default does (defaultKnobs); a device would refuse the launch.
  void mustFit() const {
    const int bytes = packedBytes(inputs.kernel, sum.variant.klass) * knobs.blockT,
              most = targetOf(sum.target).sharedBytes;
    if (bytes > most)
      throw ir::Error{fmt::format("{} records of '{}' are {} bytes, and a block of {} has {} bytes "
                                  "of shared memory: take a smaller block_t",
                                  knobs.blockT, sum.kernel.name, bytes, sum.target, most)};
  }

  /// Records in shared memory, a row of columns each, as they are packed.
  void stageRecords(Scope &scope, const RVar &block) const {
    for (const bool wide : {false, true}) {
      if (!readsPacked(term, wide))
        continue;
      const std::vector<std::string> names = packedColumns(inputs.kernel, wide);
      Func records(wide ? "wide_records" : "records");
      records(field, t) = (wide ? inputs.wide : inputs.narrow)(field, t);
      records.bound(field, 0, static_cast<int>(names.size()));
      for (std::size_t k = 0; k < names.size(); ++k)
        scope.columns[names[k]] = records(static_cast<int>(k), scope.t);
      records.compute_at(output, block);
      byAllThreads(records, field, t);
    }
  }

  /// Components of q, and columns of points, once a thread: in the class and in double.
  void makeAxes(Scope &scope, const Var &thread) const {
    const std::array<Var, 3> at =
        points ? std::array<Var, 3>{z, z, z} : std::array<Var, 3>{x, y, z};
    scope.at = {at[0], at[1], at[2]};
    const auto held = [&](const Expr &source, const Var &v) {
      Func narrow("axis"), wide("axis_wide");
      narrow(v) = cast(inputs.real, source);
      wide(v) = source;
      for (Func made : {narrow, wide})
        made.compute_at(output, thread).store_in(MemoryType::Register).unroll(v);
      return std::array<Expr, 2>{narrow(v), wide(v)};
    };
    for (const AxisId &axis : axesOf(term, ~0))
      scope.axes[axis] = held(inputs.axis(axis, at[axis.first]), at[axis.first]);
    for (const auto &[field, table] : inputs.tables)
      if (field.axis == ir::ofPoints)
        scope.points[field.name] = held(table(z), z);
  }

  /// `block`: the loop over whole blocks; null for what they leave over, from record `first`.
  void addPart(const Halide::RDom &records, const RVar *block, const Expr &first) {
    const Loops loops;
    Scope scope;
    // The block as a variable of the sums, so that their records are those of one block.
    scope.t = (block ? Expr(b) * knobs.blockT : first) + records.x;
    if (block)
      stageRecords(scope, *block);
    makeAxes(scope, loops.thread[0]);
    std::vector<Var> args = vars;
    args.push_back(b);
    std::vector<Expr> at(vars.begin(), vars.end());
    at.push_back(block ? Expr(*block) : Expr(0));
    Func sums("sums");
    Exprs(inputs, scope).sumUp(sums, args, records.x, true);
    arrangeSums(sums, records.x, loops, block != nullptr);
    addTo(output(vars), inDouble(valuesAt(sums(at))));
    arrangeOutput(output.update(block ? 0 : 1), loops,
                  block ? std::vector<VarOrRVar>{*block} : std::vector<VarOrRVar>{});
  }

  /// The tile of a thread: zero, and add a record, in registers.
  void arrangeSums(Func sums, const RVar &record, const Loops &loops, bool whole) const {
    sums.compute_at(output, loops.thread[0]).store_in(MemoryType::Register);
    Stage update = sums.update(0);
    if (points)
      update.reorder(z, record);
    else
      update.reorder(z, y, record);
    for (Stage stage : {Stage(sums), update}) {
      stage.unroll(z);
      if (!points)
        stage.unroll(y);
    }
    // What is left over has as many records as there are: unrolled, it would need a second loop.
    if (knobs.unrollT > 1 && whole)
      update.unroll(record, std::min(knobs.unrollT, knobs.blockT));
  }
};

/// All threads of a block make the tables of some records in shared memory, then each contracts
/// them for its tile of q in registers. The update of the output adds the sums of one group of
/// records after another. A group is contracted a stage at a time; a stage is the records whose
/// tables shared memory holds.
class SeparableOnDevice : DeviceSum {
public:
  using DeviceSum::DeviceSum;

  Func build() {
    const ir::Placement placement(term);
    const std::vector<ir::Id> rowIds = placement.kept({Place::RowTable, Place::RowAxis}),
                              columnIds = placement.kept({Place::ZTable});
    const bool byColumns = vanishes(columnIds), byRows = !byColumns && vanishes(rowIds);
    const int rowBytes = makeTable(rows, rowIds, {y, t, x}, z, byRows),
              columnBytes = makeTable(columns, columnIds, {z, t}, atPlace(z), byColumns);
    const int length = recordsFor(rowBytes * rowsOfBlock + columnBytes * zOfBlock);
    addSums(rowIds, columnIds, length, byColumns || byRows);
    return output;
  }

private:
  const int rowsOfBlock = knobs.blockY * knobs.tileY, zOfBlock = knobs.blockZ * knobs.tileZ;
  Func rows, columns; // (y, t, x) and (z, t): tuples of tables; undefined: none
  Func sums{"sums"};  // (z, y, x, group), in the class
  Var g{"g"};

  /// Whether the term is zero if these values are.
  bool vanishes(const std::vector<ir::Id> &zeros) const {
    std::vector<bool> zero(term.values.size());
    for (ir::Id id : zeros)
      zero[id] = true;
    for (std::size_t id = 0; id < zero.size(); ++id) { // operands come first
      const ir::Value &v = term.values[id];
      const auto is = [&](int k) { return zero[v.args[k]]; };
      if (v.op == Op::Mul)
        zero[id] = zero[id] || is(0) || is(1);
      else if (v.op == Op::Fma)
        zero[id] = zero[id] || ((is(0) || is(1)) && is(2));
      else if (v.op == Op::Add || v.op == Op::Sub)
        zero[id] = zero[id] || (is(0) && is(1));
      else if (v.op == Op::Neg)
        zero[id] = zero[id] || is(0);
    }
    return std::ranges::all_of(term.outputs, [&](auto &output) { return zero[output.value]; });
  }

  /// Neighbours along z that a thread reads in one load, of 16 bytes.
  int neighbours() const { return 16 / inputs.real.bytes(); }

  /// Where a block's table of columns has z: first 16 bytes of each thread's tile, then the next 16
  /// of each. Tiles side by side would have threads 32 bytes or more apart, whose loads of 16 meet
  /// in the banks of shared memory.
  Expr placeOf(const Expr &z) const {
    if (knobs.tileZ % neighbours() != 0)
      return z;
    const Expr thread = z / knobs.tileZ, inTile = z % knobs.tileZ;
    return thread / knobs.blockZ * zOfBlock +
           inTile / neighbours() * (neighbours() * knobs.blockZ) +
           thread % knobs.blockZ * neighbours() + inTile % neighbours();
  }

  /// The z that a place of that table holds.
  Expr atPlace(const Expr &place) const {
    if (knobs.tileZ % neighbours() != 0)
      return place;
    const int parts = knobs.tileZ / neighbours();
    const Expr group = place / neighbours(), part = group / knobs.blockZ;
    return (part / parts * knobs.blockZ + group % knobs.blockZ) * knobs.tileZ +
           part % parts * neighbours() + place % neighbours();
  }

  /// Values side by side, so that what they share (a phase, its sine) is computed once. Records
  /// beyond the last repeat the last; `masked`: with zeros. Returns the bytes of an entry.
  int makeTable(Func &table, const std::vector<ir::Id> &ids, const std::vector<Var> &at,
                const Expr &zOfEntry, bool masked) const {
    if (ids.empty())
      return 0;
    Scope scope;
    scope.t = Halide::min(t, inputs.count - 1);
    scope.at = {x, y, zOfEntry};
    std::vector<Expr> made = Exprs(inputs, scope).all(ids).as_vector();
    int bytes = 0;
    for (Expr &expr : made) {
      const Halide::Type type = expr.type();
      bytes += type.bytes();
      if (masked)
        expr = Halide::select(t < inputs.count, expr, Halide::Internal::make_zero(type));
    }
    table = Func("table");
    table(at) = Tuple(made);
    return bytes;
  }

  /// Records of a stage. Half of the memory a block may have: more blocks then share a processor,
  /// and one makes tables while another contracts.
  int recordsFor(int bytes) const {
    const schedules::TargetInfo &target = targetOf(sum.target);
    const int unroll = knobs.unrollT;
    const auto whole = [&](int records) { return records / unroll * unroll; };
    const int longest = whole(knobs.blockT + unroll - 1);
    if (bytes == 0)
      return longest;
    int records = whole(target.sharedBytes / 2 / bytes);
    if (records < 8)
      records = whole(target.sharedBytes / bytes);
    if (records == 0)
      throw ir::Error{fmt::format(
          "the tables of {} records of '{}' are {} bytes for a block of {} x {} threads "
          "with {} x {} q each, and {} has {} bytes of shared memory: take a smaller "
          "block_y, block_z, tile_y, tile_z or unroll_t",
          unroll, sum.kernel.name, bytes * unroll, knobs.blockY, knobs.blockZ, knobs.tileY,
          knobs.tileZ, sum.target, target.sharedBytes)};
    return std::min(records, longest);
  }

  /// A thread's z, in the class and in double, and what depends on z alone.
  void makeLines(Scope &scope, const Var &thread) const {
    const auto line = [&](const Expr &of) {
      Func own("line");
      own(z) = of;
      own.compute_at(sums, thread).store_in(MemoryType::Register).unroll(z);
      return Expr(own(z));
    };
    for (const AxisId &axis : axesOf(term, ir::Z)) {
      const Expr source = inputs.axis(axis, z);
      const Expr narrow = line(cast(inputs.real, source));
      scope.axes[axis] = {narrow, line(source)};
    }
    Exprs exprs(inputs, scope);
    for (ir::Id id : ir::Placement(term).kept({Place::ZAxis}))
      scope.made[id] = line(exprs(id));
  }

  /// Groups of about blockT records, as equal as whole stages of `length` records allow.
  void addSums(const std::vector<ir::Id> &rowIds, const std::vector<ir::Id> &columnIds, int length,
               bool masked) {
    const int most = (knobs.blockT + length - 1) / length;
    const Expr all = (inputs.count + length - 1) / length, groups = (all + most - 1) / most,
               stages = (all + groups - 1) / Halide::max(groups, 1);
    const Halide::RDom group(0, groups, "group"),
        record(0, length, 0, Halide::min(stages, most), "t");
    const Expr at = (g * stages + record.y) * length + record.x;
    const Loops loops;
    Scope scope;
    scope.at = {x, y, z};
    scope.t = Halide::min(at, inputs.count - 1);
    makeLines(scope, loops.thread[0]);
    scope.read(rows, rowIds, {y, at, x});
    scope.read(columns, columnIds, {placeOf(z), at});
    Exprs exprs(inputs, scope);
    const Expr zero = Halide::Internal::make_zero(inputs.real);
    define(sums(z, y, x, g), std::vector<Expr>(term.outputs.size(), zero));
    std::vector<Expr> added = valuesAt(sums(z, y, x, g));
    for (std::size_t k = 0; k < term.outputs.size(); ++k)
      if (const ir::Id id = term.outputs[k].value; masked)
        added[k] = exprs.addTo(added[k], id);
      else // no product with a table: the term itself is left out
        added[k] += Halide::select(at < inputs.count, cast(inputs.real, exprs(id)), zero);
    define(sums(z, y, x, g), formsPhasesInline(term) ? kept(added) : added);
    addTo(output(z, y, x), inDouble(valuesAt(sums(z, y, x, group.x))));
    arrangeOutput(output.update(0), Loops(), {group.x});
    arrangeSums(group.x, record, loops);
    arrangeTables(record.y, length);
  }

  /// The tiles of all threads of a block, from table to table: ThreadTiles gives each thread its
  /// own part of them.
  void arrangeSums(const RVar &group, const Halide::RDom &record, const Loops &add) {
    sums.compute_at(output, group)
        .store_in(MemoryType::Register)
        .bound_extent(z, zOfBlock)
        .bound_extent(y, rowsOfBlock);
    const Loops zero;
    tile(sums, zero);
    sums.reorder({zero.tile[0], zero.tile[1], zero.thread[0], zero.thread[1], x, g})
        .gpu_threads(zero.thread[0], zero.thread[1]);
    Stage update = sums.update(0);
    tile(update, add);
    update.reorder(
        {add.tile[0], add.tile[1], record.x, add.thread[0], add.thread[1], record.y, x, g});
    update.gpu_threads(add.thread[0], add.thread[1]).unroll(record.x, knobs.unrollT);
  }

  void arrangeTables(const RVar &stage, int length) {
    const auto share = [&](Func table, const Var &v, int extent) {
      if (!table.defined())
        return;
      table.compute_at(sums, stage).bound_extent(v, extent).bound_extent(t, length);
      byAllThreads(table, v, t);
    };
    share(rows, y, rowsOfBlock);
    share(columns, z, zOfBlock);
  }
};

/// Host code is the baseline of the machine facetc runs on: it copies and launches.
Halide::Target halideTarget(const schedules::TargetInfo &target) {
  return Halide::Target(
      fmt::format("{}-{}-user_context", schedules::baseline().halide, target.halide));
}

} // namespace

Func separable(const SumKernel &sum, const Inputs &inputs) {
  Func output = SeparableOnDevice(sum, inputs).build();
  addThreadTiles(output);
  addExactness(output);
  return output;
}

void emit(const SumKernel &sum, Form form, const std::string &path) {
  if (form == Form::Asm)
    throw ir::Error{
        fmt::format("--emit=asm is of CPUs: for {} there is --emit=device", sum.target)};
  const Inputs inputs(sum);
  Func output;
  if (sum.variant.algorithm == passes::Algorithm::Separable) {
    output = separable(sum, inputs);
  } else {
    output = DirectOnDevice(sum, inputs).build();
    addExactness(output);
  }
  const std::array<int, 3> unit = lower::pad(sum);
  const bool points = sum.kernel.grid == ir::GridKind::Points;
  // Every block is full: Halide sees it by extents that are multiples.
  const auto buffers = output.output_buffers();
  for (int k = 0; k < buffers[0].dimensions(); ++k) {
    Halide::OutputImageParam first(buffers[0]);
    const int multiple = unit[points ? 0 : 2 - k];
    first.dim(k).set_bounds(0, first.dim(k).extent() / multiple * multiple);
  }
  for (Halide::OutputImageParam buffer : buffers)
    buffer.dim(0).set_stride(1);
  compileTo(output, inputs.list(), form, sum.symbol, halideTarget(targetOf(sum.target)), path);
}

} // namespace gpu

} // namespace facet::lower
