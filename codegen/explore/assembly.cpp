// assembly.cpp - lines, labels and jumps; the innermost loop that multiplies and adds most.
//
//   x86, 64-bit ARM with NEON or SVE, RISC-V, WebAssembly and PTX: an instruction's kind goes by
//   its name and, of moves, by the operand that lies in memory.
#include "assembly.h"
#include <algorithm>
#include <map>
#include <regex>

namespace facet::explore {
namespace {

struct Kind {
  const char *pattern; // of the whole instruction
  std::string_view name;
};

/// The first that fits. LLVM remarks what goes to the stack since registers are few.
const Kind kinds[] = {
    {R"(.*(Spill|Reload)$)", "spill"},
    {R"((vf?n?m(add|sub)\d*[ps][sd]|fml[as]|fn?mad|fn?msb|vfn?m(acc|sac|add|sub)|f\d\dx\d\.relaxed_n?madd|fma|mma|wmma).*)",
     "multiply-add"},
    {R"((v?(div|sqrt|rsqrt|rcp)\w*[ps][sd]|v?f(div|sqrt|recpe|rsqrte)|f\d\dx\d\.(div|sqrt)|(div|sqrt|rcp|rsqrt)\.).*)",
     "division, root"},
    {R"((v?(add|sub|mul)[ps][sd]|v?f(add|sub|rsub|mul)|f\d\dx\d\.(add|sub|mul)|(add|sub|mul)\.\S*f(32|64)).*)",
     "add, multiply"},
    {R"((v?(min|max|round|rndscale|cvt\w*|ucomis|comis|cmp\w*|blend\w*|andn?|orn?|xor)[ps][sdhq]\w*|vp\w+|v?f(min|max|cvt|neg|abs|rint|cm)|frint|fc|fneg|fabs|f\d\dx\d|i\d\dx\d|v128\.(and|or|xor|not|bitselect)|(min|max|neg|abs|cvt|set|selp|sin|cos|ex2)\.|vk?x?or\w*|k\w+|bsl|bif|bit|shl|sh?ll|eor|and|orr).*)",
     "other arithmetic"},
    {R"((v?(p?broadcast\w*|mov\w*|insert\w*) +[-\w.]*\(.*|ld\w*|fl[wd] |vl\w+|v128\.load\S*|f\d\d\.load|v128\.const).*)",
     "load"},
    {R"((v?mov\w* +%[xyz]mm\d+, [-\w.]*\(|st\w*|vs[es]\w*|v128\.store).*)", "store"},
    {R"((v?(mov|broadcast|shuf|perm|unpck|insert|extract|pshuf)\w* .*%[xyz]mm|fmov|dup|mov +[vz]|vf?mv|fmv|local\.|i8x16\.shuffle|f\d\dx\d\.splat|mov\.f).*)",
     "move"}};

std::string_view kindOf(const std::string &instruction) {
  static const std::vector<std::regex> patterns = [] {
    std::vector<std::regex> made;
    for (const Kind &kind : kinds)
      made.emplace_back(kind.pattern, std::regex::optimize);
    return made;
  }();
  for (std::size_t k = 0; k < patterns.size(); ++k)
    if (std::regex_match(instruction, patterns[k]))
      return kinds[k].name;
  return "address, branch";
}

/// The line without blanks around it; tabs as single blanks. A remark says what a constant is once,
/// not in each lane.
std::string trimmed(std::string line) {
  static const std::regex lanes(R"( +# (\w+) = \[([^,\]]+),[^\]]*\])");
  if (line.find("= [") != std::string::npos)
    line = std::regex_replace(line, lanes, "  # $1 = $2");
  std::ranges::replace(line, '\t', ' ');
  const std::size_t first = line.find_first_not_of(' ');
  if (first == std::string::npos)
    return {};
  return line.substr(first, line.find_last_not_of(' ') - first + 1);
}

using Loop = std::pair<std::size_t, std::size_t>; // its first line, and the jump back

/// All loops of the text: jumps back to a label; WebAssembly says where loops end.
std::vector<Loop> jumpsBack(const std::vector<std::string> &lines) {
  static const std::regex label(R"(^(\.LBB\d+_\d+|\$L__BB\w+):.*)"),
      jump(
          R"(^ *(?:j\w+|b\.?\w*|cbn?z\s+\w+,|b\w+\s+(?:\w+, )*\w+,)\s+(\.LBB\d+_\d+).*|.*\bbra(?:\.uni)?\s+(\$L__BB\w+).*)");
  std::map<std::string, std::size_t> begins;
  std::vector<Loop> loops;
  std::vector<std::size_t> begun;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    std::smatch found;
    const std::string &line = lines[k];
    if (std::regex_match(line, found, label))
      begins[found.str(1)] = k;
    else if (std::regex_match(line, found, jump)) {
      const auto to = begins.find(found.str(found[1].matched ? 1 : 2));
      if (to != begins.end())
        loops.emplace_back(to->second, k);
    } else if (line == "loop" || line.starts_with("loop "))
      begun.push_back(k);
    else if (line.starts_with("end_loop") && !begun.empty()) {
      loops.emplace_back(begun.back(), k);
      begun.pop_back();
    }
  }
  return loops;
}

bool isWithin(const Loop &inner, const Loop &outer) {
  return inner != outer && outer.first <= inner.first && inner.second <= outer.second;
}

} // namespace

Assembly readAssembly(const std::string &text, bool isDouble) {
  static const std::regex arithmetic[] = {
      std::regex(
          R"(v?f?n?m?(mul|add|sub)\w*ps .*|fml[as] v\d+\.4s.*|(fma|mul|add|sub)\.\S*f32.*|f32x4\.(mul|add|sub).*|f(ml[as]|n?mad|msb|mul|add|sub) z\d+\.s.*|vf(n?m(acc|sac|add|sub)|mul|add|sub)\.v.*)"),
      std::regex(
          R"(v?f?n?m?(mul|add|sub)\w*pd .*|fml[as] v\d+\.2d.*|(fma|mul|add|sub)\.\S*f64.*|mma.*|f64x2\.(mul|add|sub).*|f(ml[as]|n?mad|msb|mul|add|sub) z\d+\.d.*|vf(n?m(acc|sac|add|sub)|mul|add|sub)\.v.*)")};
  Assembly made;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    made.lines.push_back(trimmed(text.substr(at, end - at)));
    at = end + 1;
  }
  std::vector<int> before{0}; // how many lines of arithmetic there are before each
  for (const std::string &line : made.lines)
    before.push_back(before.back() + std::regex_match(line, arithmetic[isDouble]));
  const std::vector<Loop> loops = jumpsBack(made.lines);
  int most = -1;
  for (const Loop &loop : loops) {
    const auto &[begin, end] = loop;
    const bool innermost =
        std::ranges::none_of(loops, [&](const Loop &other) { return isWithin(other, loop); });
    if (innermost && before[end + 1] - before[begin] > most) {
      most = before[end + 1] - before[begin];
      made.begin = begin;
      made.end = end + 1;
    }
  }
  return made;
}

std::vector<Instruction> Assembly::loop() const {
  std::vector<Instruction> made;
  for (std::size_t k = begin; k < end; ++k)
    if (const std::string &line = lines[k]; !line.empty() && line.find(':') == std::string::npos &&
                                            line[0] != '#' && line[0] != '.' && line[0] != ';' &&
                                            !line.starts_with("//"))
      made.push_back({line, kindOf(line)});
  return made;
}

} // namespace facet::explore
