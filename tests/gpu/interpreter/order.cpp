// order.cpp - basic blocks in reverse postorder, those that all paths come to (post-dominators)
// last; GPUs let lanes meet there, too (T. Aamodt et al., General-Purpose Graphics Processor
// Architectures, 3.1.1).
#include "order.h"
#include <algorithm>

namespace facet::ptx {
namespace {

/// What is run from its first to its last instruction.
struct Stretch {
  std::size_t first = 0, last = 0;
  std::vector<std::size_t> next; // which may follow
};

std::vector<Stretch> stretchesOf(const std::vector<Instruction> &code) {
  std::vector<bool> begins(code.size() + 1);
  begins[0] = true;
  for (std::size_t k = 0; k < code.size(); ++k)
    if (code[k].what->kind == Kind::Branch)
      begins[k + 1] = begins[code[k].target] = true;
    else if (code[k].what->kind == Kind::Return)
      begins[k + 1] = true;
  std::vector<Stretch> all;
  std::vector<std::size_t> number(code.size() + 1); // of the stretch of each instruction
  for (std::size_t k = 0; k < code.size(); ++k) {
    if (begins[k])
      all.push_back({k, k, {}});
    all.back().last = k;
    number[k] = all.size() - 1;
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Instruction &last = code[all[k].last];
    const bool jumps = last.what->kind == Kind::Branch;
    if (jumps)
      all[k].next.push_back(number[last.target]);
    if ((jumps ? last.guard >= 0 : last.what->kind != Kind::Return) && k + 1 < all.size())
      all[k].next.push_back(k + 1);
  }
  return all;
}

/// For each stretch: which ones every path from it to the end goes through, itself among them.
std::vector<std::vector<bool>> alwaysReached(const std::vector<Stretch> &all) {
  std::vector<std::vector<bool>> reached(all.size(), std::vector<bool>(all.size(), true));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = all.size(); k-- > 0;) {
      std::vector<bool> now(all.size(), !all[k].next.empty());
      for (const std::size_t next : all[k].next)
        for (std::size_t other = 0; other < all.size(); ++other)
          now[other] = now[other] && reached[next][other];
      now[k] = true;
      changed |= now != reached[k];
      reached[k] = now;
    }
  }
  return reached;
}

class Walk {
public:
  explicit Walk(std::vector<Stretch> stretches)
      : all(std::move(stretches)), reached(alwaysReached(all)), seen(all.size()) {
    visit(0);
  }
  /// The stretches, the last to be run first.
  std::vector<std::size_t> backwards;

  std::vector<Stretch> all;

private:
  std::vector<std::vector<bool>> reached;
  std::vector<bool> seen;

  void visit(std::size_t at) {
    if (seen[at])
      return;
    seen[at] = true;
    // What is visited first is run last.
    std::stable_sort(all[at].next.begin(), all[at].next.end(), [&](std::size_t a, std::size_t b) {
      return reached[at][a] && !reached[at][b];
    });
    for (const std::size_t next : all[at].next)
      visit(next);
    backwards.push_back(at);
  }
};

} // namespace

std::vector<std::size_t> orderOf(const std::vector<Instruction> &code) {
  std::vector<std::size_t> order(code.size());
  if (code.empty())
    return order;
  const Walk walk(stretchesOf(code));
  std::size_t place = 0;
  for (auto at = walk.backwards.rbegin(); at != walk.backwards.rend(); ++at)
    for (std::size_t k = walk.all[*at].first; k <= walk.all[*at].last; ++k)
      order[k] = place++;
  return order;
}

} // namespace facet::ptx
