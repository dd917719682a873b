// gpu_passes.cpp - rewrites of Halide's own IR: tiles of threads, constants and barriers.
#include "sum_exprs.h"
#include <algorithm>
#include <bit>
#include <sstream>
#include <string>

namespace facet::lower::gpu {
namespace {

using namespace Halide::Internal;
using Halide::Expr;

/// An index without the thread's place: what is left is the place in the tile, a constant.
class Placeless : public IRMutator {
public:
  explicit Placeless(const std::map<std::string, Expr> &lets) : lets(lets) {}

private:
  const std::map<std::string, Expr> &lets;
  using IRMutator::visit;
  Expr visit(const Variable *v) override {
    if (v->name.find("thread_id_") != std::string::npos)
      return make_zero(v->type);
    const auto let = lets.find(v->name);
    return let == lets.end() ? Expr(v) : mutate(let->second);
  }
};

/// Makes what is kept in MemoryType::Register from one loop over threads to the next each thread's
/// own. Halide lays such an allocation out for the whole block and gives all of it to every thread
/// (32 to 64 KB of local memory), of which a thread uses its tile. Throws ir::Error (while
/// lowering) if an index within the tile is not constant: the tile's loops must be unrolled.
class ThreadTiles : public IRMutator {
public:
  using IRMutator::mutate;

private:
  std::map<std::string, Expr> lets;
  std::map<std::string, std::map<std::int64_t, int>> tiles; // of each allocation: slots by index
  int threads = 0;                                          // loops over threads around
  using IRMutator::visit;

  Expr slotOf(const std::string &name, const Expr &index) {
    const Expr place = simplify(Placeless(lets).mutate(index));
    const auto constant = as_const_int(place);
    if (!constant) {
      std::ostringstream text;
      text << "a thread's place in its tile is no constant: " << place;
      throw ir::Error{text.str()};
    }
    auto &slots = tiles.at(name);
    return slots.try_emplace(*constant, static_cast<int>(slots.size())).first->second;
  }

  Stmt visit(const LetStmt *let) override {
    lets[let->name] = let->value;
    return IRMutator::visit(let);
  }
  Expr visit(const Let *let) override {
    lets[let->name] = let->value;
    return IRMutator::visit(let);
  }
  Stmt visit(const For *loop) override {
    const bool thread = loop->for_type == ForType::GPUThread;
    threads += thread;
    Stmt made = IRMutator::visit(loop);
    threads -= thread;
    return made;
  }
  Stmt visit(const Allocate *a) override {
    // Within loops over threads it is a thread's own already; FuseGPUThreadLoops has moved those
    // of the block there too, and their extents distinguish them.
    if (a->memory_type != Halide::MemoryType::Register)
      return IRMutator::visit(a);
    tiles[a->name];
    const Stmt body = mutate(a->body);
    const int size = static_cast<int>(tiles[a->name].size());
    tiles.erase(a->name);
    return Allocate::make(a->name, a->type, a->memory_type, {std::max(size, 1)}, a->condition, body,
                          a->new_expr, a->free_function, a->padding);
  }
  Expr visit(const Load *load) override {
    if (!tiles.count(load->name))
      return IRMutator::visit(load);
    return Load::make(load->type, load->name, slotOf(load->name, load->index), load->image,
                      load->param, load->predicate, {});
  }
  Stmt visit(const Store *store) override {
    if (!tiles.count(store->name))
      return IRMutator::visit(store);
    return Store::make(store->name, mutate(store->value), slotOf(store->name, store->index),
                       store->param, store->predicate, {});
  }
};

/// Makes constants of double precision keep all their bits: Halide 21 writes them in OpenCL C as
/// `(double) float_from_bits(...)`, which leaves 24 of 53.
class Doubles : public IRMutator {
public:
  using IRMutator::mutate;

private:
  using IRMutator::visit;
  Expr visit(const FloatImm *number) override {
    const double value = number->value;
    if (number->type.bits() != 64 || static_cast<double>(static_cast<float>(value)) == value)
      return number;
    return Reinterpret::make(number->type,
                             UIntImm::make(Halide::UInt(64), std::bit_cast<std::uint64_t>(value)));
  }
};

/// Makes every barrier of a block order loads and stores of its memory. Halide 21 asks for that
/// where stores come before; behind loads alone it writes `barrier(0)` in OpenCL C, which lets
/// stores that follow go before them (OpenCL 1.2, 6.12.8).
class Barriers : public IRMutator {
public:
  using IRMutator::mutate;

private:
  using IRMutator::visit;
  Expr visit(const Call *call) override {
    if (!call->is_intrinsic(Call::gpu_thread_barrier))
      return IRMutator::visit(call);
    const auto asked = as_const_int(call->args[0]);
    const auto fence = static_cast<int>(asked.value_or(0)) | CodeGen_GPU_Dev::Shared;
    return Call::make(call->type, Call::gpu_thread_barrier, {IntImm::make(Halide::Int(32), fence)},
                      call->call_type);
  }
};

} // namespace

void addThreadTiles(Halide::Func &output) { output.add_custom_lowering_pass(new ThreadTiles); }

void addExactness(Halide::Func &output) {
  output.add_custom_lowering_pass(new Doubles);
  output.add_custom_lowering_pass(new Barriers);
}

} // namespace facet::lower::gpu
