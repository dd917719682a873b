// decided.cpp - coins in the place of conditions.
#include "decided.h"

namespace facet::ir {

std::vector<Value> decided(std::vector<Value> values, int point) {
  const auto coin = [&](Id of) {
    std::uint64_t x = static_cast<std::uint64_t>(of) * 64 + static_cast<std::uint64_t>(point);
    x = (x + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9; // splitmix64, of Steele et al. 2014
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return (x >> 63) != 0;
  };
  for (std::size_t k = 0; k < values.size(); ++k) {
    Value &v = values[k];
    const auto id = static_cast<Id>(k);
    if (v.op == Op::Select)
      v.args[1] = v.args[2] = v.args[coin(v.args[0]) ? 1 : 2];
    else if (v.op == Op::Min || v.op == Op::Max)
      v.args[0] = v.args[1] = v.args[coin(id) ? 0 : 1];
    else if (v.op == Op::Abs && values[static_cast<std::size_t>(v.args[0])].type == Type::Real &&
             coin(id))
      v.op = Op::Neg;
    else if (v.op == Op::Csqrt && coin(id)) // of a positive real, or of a negative one
      v.op = Op::Cis;
  }
  return values;
}

} // namespace facet::ir
