// lanes.cpp - what x86 vector instructions do to one lane.
//
//   All lanes hold the same number, so shuffles, extracts and inserts are copies. Floats are
//   computed as floats, so that additions of 1.5 2^23, which round, and shifts of exponents do what
//   they do.
#include "lanes.h"
#include <bit>
#include <charconv>
#include <cmath>
#include <string_view>

namespace facet::explore {
namespace {

using Bits = std::uint64_t;

Bits bitsOf(double value, bool isDouble) {
  return isDouble ? std::bit_cast<Bits>(value)
                  : std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

double valueOf(Bits bits, bool isDouble) {
  return isDouble ? std::bit_cast<double>(bits)
                  : std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

Bits masked(Bits bits, bool isDouble) { return isDouble ? bits : bits & 0xffffffffU; }

std::int64_t numberIn(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// "1280(%rsp,%r11,4)", ".LCPI0_2(%rip)".
Memory memoryIn(const std::string &text) {
  Memory made;
  const std::size_t open = text.find('(');
  if (text[0] == '.')
    made.label = text.substr(0, open);
  else
    made.displacement = numberIn(text.substr(0, open));
  std::vector<std::string> parts;
  for (std::size_t at = open + 1; at < text.size() && made.label.empty();) {
    const std::size_t end = text.find_first_of(",)", at);
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (!parts.empty() && parts[0].size() > 1)
    made.base = parts[0].substr(1);
  if (parts.size() > 1)
    made.index = parts[1].substr(1);
  if (parts.size() > 2)
    made.scale = static_cast<int>(numberIn(parts[2]));
  return made;
}

Operand operandIn(const std::string &text) {
  Operand made;
  if (text.find('(') != std::string::npos) {
    made.kind = Operand::InMemory;
    made.memory = memoryIn(text);
  } else if (text.size() > 4 && text[0] == '%' && text.substr(2, 2) == "mm") {
    made.kind = Operand::Vector;
    made.number = static_cast<int>(numberIn(std::string_view(text).substr(4)));
  } else if (text.starts_with("%k")) {
    made.kind = Operand::Mask;
    made.number = text[2] - '0';
  } else if (text.starts_with("$")) {
    made.kind = Operand::Constant;
    made.number = static_cast<int>(numberIn(std::string_view(text).substr(1)));
  }
  return made;
}

/// Takes "{%k1}", "{z}" and "{1to16}" away from an operand.
void takeMarks(std::string &text, Operation &made) {
  for (std::size_t open = 0; (open = text.find('{')) != std::string::npos;) {
    const std::size_t end = text.find('}', open);
    const std::string mark = text.substr(open + 1, end - open - 1);
    if (mark.starts_with("%k"))
      made.mask = mark[2] - '0';
    else if (mark == "z")
      made.zero = true;
    else
      made.broadcast = true;
    text = text.substr(0, open) + (end + 1 < text.size() ? text.substr(end + 1) : "");
  }
  while (!text.empty() && text.back() == ' ')
    text.pop_back();
  while (!text.empty() && text.front() == ' ')
    text.erase(0, 1);
}

/// The name without v and what it says of the precision.
void takeName(std::string name, Operation &made) {
  static constexpr std::string_view kinds[] = {"ps", "pd", "ss", "sd"};
  if (name.starts_with('v') && name != "vzeroupper")
    name.erase(0, 1);
  made.broadcast |=
      name.find("broadcast") != std::string::npos || name == "movss" || name == "movsd";
  made.isDouble = name.ends_with("pd") || name.ends_with("sd") || name.ends_with("q");
  if (!name.starts_with("cvt"))
    for (const std::string_view kind : kinds)
      if (name.size() > 2 && name.ends_with(kind)) {
        name.resize(name.size() - 2);
        break;
      }
  made.name = name;
}

double rounded(double value, int mode) {
  return mode % 4 == 1   ? std::floor(value)
         : mode % 4 == 2 ? std::ceil(value)
         : mode % 4 == 3 ? std::trunc(value)
                         : std::nearbyint(value);
}

/// Arithmetic of two numbers; false: the name is none.
bool arithmetic(std::string_view name, double a, double b, bool isDouble, double &out) {
  const auto rounding = [&](double x) {
    return isDouble ? x : static_cast<double>(static_cast<float>(x));
  };
  if (name == "add")
    out = rounding(a + b);
  else if (name == "sub")
    out = rounding(a - b);
  else if (name == "mul")
    out = rounding(a * b);
  else if (name == "div")
    out = rounding(a / b);
  else if (name == "min")
    out = a < b ? a : b;
  else if (name == "max")
    out = a > b ? a : b;
  else
    return false;
  return true;
}

/// Operations on bits, of `b` by `a` for those that are not symmetric.
bool bitwise(std::string_view name, Bits a, Bits b, bool isDouble, Bits &out) {
  const auto is = [&](std::string_view one) {
    return name == one || name == "p" + std::string(one) || name == "p" + std::string(one) + "d" ||
           name == "p" + std::string(one) + "q" || name == "k" + std::string(one) + "w" ||
           name == "k" + std::string(one) + "b";
  };
  const unsigned width = isDouble ? 64 : 32;
  if (is("and"))
    out = a & b;
  else if (is("andn"))
    out = ~a & b;
  else if (is("or"))
    out = a | b;
  else if (is("xor"))
    out = a ^ b;
  else if (name == "pslld" || name == "psllq")
    out = b < width ? a << b : 0;
  else if (name == "psrld" || name == "psrlq")
    out = b < width ? masked(a, isDouble) >> b : 0;
  else if (name == "paddd" || name == "paddq")
    out = a + b;
  else if (name == "psubd" || name == "psubq")
    out = a - b;
  else
    return false;
  return true;
}

bool compared(std::string_view name, double a, double b, bool &out) {
  const std::string_view how = name.substr(3);
  if (how == "lt" || how == "nge")
    out = a < b;
  else if (how == "le" || how == "ngt")
    out = a <= b;
  else if (how == "gt" || how == "nle")
    out = a > b;
  else if (how == "ge" || how == "nlt")
    out = a >= b;
  else if (how == "eq")
    out = a == b;
  else if (how == "neq")
    out = a != b;
  else
    return false;
  return true;
}

bool copies(std::string_view name) {
  static constexpr std::string_view beginnings[] = {"mov",   "broadcast", "pbroadcast", "perm",
                                                    "shuf",  "insert",    "extract",    "pshuf",
                                                    "unpck", "punpck",    "kmov",       "pmovqd"};
  for (const std::string_view one : beginnings)
    if (name.starts_with(one))
      return true;
  return false;
}

/// dst, src2 and src3 of a multiply-add by the order in its name: what is multiplied, what is
/// added.
double multiplyAdd(std::string_view name, double dst, double two, double three, bool isDouble) {
  const std::string_view order = name.substr(name.size() - 3);
  double a = dst, b = three, c = two; // 132
  if (order == "213")
    a = two, b = dst, c = three;
  else if (order == "231")
    a = two, b = three, c = dst;
  if (name.starts_with("fn"))
    a = -a;
  if (name.find("sub") != std::string_view::npos)
    c = -c;
  return isDouble ? std::fma(a, b, c)
                  : static_cast<double>(std::fma(static_cast<float>(a), static_cast<float>(b),
                                                 static_cast<float>(c)));
}

} // namespace

double Lane::value(std::size_t trial, bool isDouble) const {
  return valueOf(bits[trial], isDouble);
}

Lane laneOf(const std::array<double, trials> &values, bool isDouble) {
  Lane made;
  made.known = true;
  for (std::size_t k = 0; k < trials; ++k)
    made.bits[k] = bitsOf(values[k], isDouble);
  return made;
}

bool Operation::isMultiplyAdd() const { return name.starts_with("fm") || name.starts_with("fnm"); }

bool Operation::isZero() const {
  return name.find("xor") != std::string::npos && operands.size() > 2 &&
         operands[0].kind == Operand::Vector && operands[1].kind == Operand::Vector &&
         operands[0].number == operands[1].number;
}

bool Operation::isVector() const {
  for (const Operand &operand : operands)
    if (operand.kind == Operand::Vector || operand.kind == Operand::Mask)
      return true;
  return false;
}

Operation operationOf(const std::string &text) {
  Operation made;
  const std::string code = text.substr(0, text.find('#'));
  const std::size_t space = code.find(' ');
  takeName(code.substr(0, space), made);
  if (space == std::string::npos)
    return made;
  int depth = 0;
  std::string word;
  const auto finish = [&] {
    takeMarks(word, made);
    if (!word.empty())
      made.operands.push_back(operandIn(word));
    word.clear();
  };
  for (const char c : code.substr(space)) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      finish();
    else
      word += c;
  }
  finish();
  return made;
}

Lane Lanes::get(const Operand &operand) const {
  const auto in = [](const auto &map, const auto &key) {
    const auto found = map.find(key);
    return found == map.end() ? Lane{} : found->second;
  };
  if (operand.kind == Operand::Vector)
    return in(vectors, operand.number);
  if (operand.kind == Operand::Mask)
    return in(masks, operand.number);
  if (operand.kind == Operand::InMemory)
    return in(memory, operand.memory);
  Lane made;
  made.known = operand.kind == Operand::Constant;
  made.bits.fill(static_cast<Bits>(operand.number));
  return made;
}

/// A shuffle, an extract, an insert: all lanes are the same.
Lane Lanes::copied(const Operation &i, const std::vector<Lane> &in) {
  Lane out = in.size() > 2 && i.operands[0].kind == Operand::Constant ? in[1] : in[0];
  if (i.name == "pmovqd")
    for (Bits &bits : out.bits)
      bits = masked(bits, false);
  return out;
}

bool Lanes::makes(const Operation &i, const std::vector<Lane> &in, std::size_t t, Bits &out) {
  const std::size_t n = in.size(); // the last is what the destination held
  const Lane &a = n > 2 ? in[n - 2] : in[1], &b = n > 2 ? in[n - 3] : in[0];
  const bool d = i.isDouble;
  double value = 0;
  bool truth = false;
  if (i.isMultiplyAdd())
    out = bitsOf(multiplyAdd(i.name, in[n - 1].value(t, d), a.value(t, d), b.value(t, d), d), d);
  else if (arithmetic(i.name, a.value(t, d), b.value(t, d), d, value))
    out = bitsOf(value, d);
  else if (i.name == "sqrt")
    out = bitsOf(std::sqrt(in[0].value(t, d)), d);
  else if (i.name == "round" || i.name == "rndscale")
    out = bitsOf(rounded(in[1].value(t, d), static_cast<int>(in[0].bits[t])), d);
  else if (i.name == "cvtps2pd")
    out = bitsOf(in[0].value(t, false), true);
  else if (i.name.starts_with("cvtpd2ps"))
    out = bitsOf(in[0].value(t, true), false);
  else if (i.name == "blendv")
    out = in[0].bits[t] >> (d ? 63 : 31) & 1 ? in[1].bits[t] : in[2].bits[t];
  else if (i.name == "blendm")
    out = a.bits[t]; // where the mask is not set; run() takes the other where it is
  else if (i.name.starts_with("cmp") && compared(i.name, a.value(t, d), b.value(t, d), truth))
    out = truth ? ~Bits{0} : 0;
  else
    return bitwise(i.name, a.bits[t], b.bits[t], d || i.name.ends_with("q"), out);
  return true;
}

Lane Lanes::result(const Operation &i, const std::vector<Lane> &in) {
  const std::size_t n = in.size();
  if (n < 2)
    return {};
  if (copies(i.name))
    return copied(i, in);
  Lane out;
  out.known = i.isZero();
  if (out.known)
    return out;
  const bool alone = i.name == "sqrt" || i.name.starts_with("cvt");
  out.known = in[0].known && (alone || (n > 2 ? in[n - 2] : in[1]).known);
  if (n > 2 && !alone)
    out.known = out.known && in[n - 3].known && (!i.isMultiplyAdd() || in[n - 1].known);
  for (std::size_t t = 0; t < trials; ++t)
    out.known = makes(i, in, t, out.bits[t]) && out.known;
  return out;
}

Lane Lanes::run(const Operation &i, int number, std::vector<int> &read) {
  read.clear();
  if (i.operands.empty())
    return {};
  std::vector<Lane> in;
  for (const Operand &operand : i.operands) {
    in.push_back(get(operand));
    const bool isTarget = &operand == &i.operands.back();
    const bool alone = copies(i.name) || i.name == "sqrt" || i.name.starts_with("cvt");
    const bool reads = !isTarget || i.isMultiplyAdd() || (i.operands.size() == 2 && !alone);
    if (reads && in.back().from >= 0)
      read.push_back(in.back().from);
  }
  Lane out = result(i, in);
  if (i.mask >= 0 && !(i.name.starts_with("cmp"))) {
    const Lane &mask = masks[i.mask];
    const Lane other = i.name == "blendm" ? in[0] : out,
               kept = i.name == "blendm" ? out : in.back();
    if (mask.from >= 0)
      read.push_back(mask.from);
    if (i.name != "blendm" && !i.zero && kept.from >= 0)
      read.push_back(kept.from);
    for (std::size_t t = 0; t < trials; ++t)
      out.bits[t] = mask.bits[t] & 1 ? other.bits[t] : i.zero ? 0 : kept.bits[t];
    out.known = mask.known && other.known && (i.zero || kept.known);
  }
  out.from = number;
  const Operand &to = i.operands.back();
  if (to.kind == Operand::Vector)
    vectors[to.number] = out;
  else if (to.kind == Operand::Mask)
    masks[to.number] = out;
  else if (to.kind == Operand::InMemory && to.memory.isSlot())
    memory[to.memory] = out;
  return out;
}

} // namespace facet::explore
