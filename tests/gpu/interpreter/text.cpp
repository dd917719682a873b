// text.cpp - reads PTX, as far as LLVM and nvcc write it for facet's sums (PTX ISA 9.0, chapters 4
// and 5).
#include "text.h"
#include <algorithm>
#include <cctype>
#include <set>

namespace facet::ptx {
namespace {

struct Token {
  std::string text;
  int line = 1;
};

bool isOfWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_$.%").find(c) != std::string_view::npos;
}

/// Words and signs, without comments.
std::vector<Token> tokensOf(const std::string &text) {
  std::vector<Token> tokens;
  int line = 1;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '\n')
      ++line;
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at;
    } else if (text.compare(at, 2, "//") == 0) {
      at = std::min(text.find('\n', at), text.size());
    } else {
      std::size_t end = at + 1;
      while (isOfWord(c) && end < text.size() && isOfWord(text[end]))
        ++end;
      tokens.push_back({text.substr(at, end - at), line});
      at = end;
    }
  }
  return tokens;
}

/// Walks through the tokens.
class Reader {
public:
  explicit Reader(std::vector<Token> tokens) : tokens(std::move(tokens)) {}
  bool atEnd() const { return at >= tokens.size(); }
  int line() const { return atEnd() ? (tokens.empty() ? 1 : tokens.back().line) : tokens[at].line; }
  std::string_view peek(std::size_t ahead = 0) const {
    return at + ahead < tokens.size() ? std::string_view(tokens[at + ahead].text) : "";
  }
  std::string next() {
    if (atEnd())
      fail("the text ends too early");
    return tokens[at++].text;
  }
  bool take(std::string_view word) {
    if (peek() != word)
      return false;
    ++at;
    return true;
  }
  void expect(std::string_view word) {
    if (!take(word))
      fail("'" + std::string(word) + "' is expected, got '" + std::string(peek()) + "'");
  }
  [[noreturn]] void fail(const std::string &what) const {
    throw TextError("line " + std::to_string(line()) + ": " + what);
  }
  std::size_t place() const { return at; }
  std::string between(std::size_t from) const {
    std::string text;
    for (std::size_t k = from; k < at; ++k)
      text +=
          (k > from && isOfWord(tokens[k].text[0]) && isOfWord(tokens[k - 1].text[0]) ? " " : "") +
          tokens[k].text;
    return text;
  }

private:
  std::vector<Token> tokens;
  std::size_t at = 0;
};

const std::map<std::string_view, int> widths{{".pred", 1}, {".b8", 1},  {".u8", 1},  {".b16", 2},
                                             {".b32", 4},  {".f32", 4}, {".u32", 4}, {".s32", 4},
                                             {".b64", 8},  {".f64", 8}, {".u64", 8}, {".s64", 8}};

/// Bits of a number as it is written: 12, -3, 0x1F, 0f3F800000, 0d....
std::uint64_t bitsOf(const std::string &word, bool negative) {
  const bool hexadecimal = word.size() > 2 && word[0] == '0' && std::isalpha(word[1]) != 0;
  const std::uint64_t bits =
      std::stoull(hexadecimal ? word.substr(2) : word, nullptr, hexadecimal ? 16 : 10);
  return negative ? ~bits + 1 : bits;
}

/// The body of one kernel.
class Body {
public:
  Body(Reader &in, Kernel &kernel, const std::map<std::string, int> &parameters,
       const std::set<std::string> &shared)
      : in(in), kernel(kernel), parameters(parameters), shared(shared) {}

  void read() {
    in.expect("{");
    while (!in.take("}"))
      statement();
    for (const auto &[index, label] : jumps) {
      const auto found = labels.find(label);
      if (found == labels.end())
        throw TextError(kernel.name + ": no label " + label);
      kernel.code[index].target = found->second;
    }
  }

private:
  Reader &in;
  Kernel &kernel;
  const std::map<std::string, int> &parameters; // index by name
  const std::set<std::string> &shared;
  std::map<std::string, int> registers;                 // row by name
  std::map<std::pair<int, std::uint64_t>, int> numbers; // row by bytes and bits
  std::map<std::string, std::size_t> labels;
  std::map<std::size_t, std::string> jumps; // label by instruction

  void statement() {
    if (in.take(".reg")) {
      declareRegisters();
    } else if (in.take(".pragma")) {
      while (!in.take(";"))
        in.next();
    } else if (in.peek(1) == ":") {
      labels[in.next()] = kernel.code.size();
      in.expect(":");
    } else {
      instruction();
    }
  }

  /// .reg .b32 %r<44>;
  void declareRegisters() {
    const auto width = widths.find(in.peek());
    if (width == widths.end())
      in.fail("registers of type '" + std::string(in.peek()) + "' are not known");
    in.next();
    const std::string prefix = in.next();
    in.expect("<");
    const int count = std::stoi(in.next());
    in.expect(">");
    in.expect(";");
    for (int k = 0; k < count; ++k)
      registers[prefix + std::to_string(k)] = add({.bytes = width->second});
  }
  int add(const Row &row) {
    kernel.rows.push_back(row);
    return static_cast<int>(kernel.rows.size()) - 1;
  }

  int number(int bytes, std::uint64_t bits) {
    const auto [known, made] = numbers.try_emplace({bytes, bits});
    if (made)
      known->second = add({.bytes = bytes, .of = Row::Of::Number, .number = bits});
    return known->second;
  }

  int registerOf(const std::string &name) {
    const auto found = registers.find(name);
    if (found != registers.end())
      return found->second;
    const bool thread = name.starts_with("%tid."), block = name.starts_with("%ctaid.");
    const std::size_t axis = std::string("xyz").find(name.back());
    if ((!thread && !block) || axis == std::string::npos)
      in.fail("register '" + name + "' is not known");
    return registers[name] = add({.bytes = 4,
                                  .of = thread ? Row::Of::Thread : Row::Of::Block,
                                  .axis = static_cast<int>(axis)});
  }

  /// A register or a number of so many bytes; the name of shared memory is its address, 0.
  int value(int bytes) {
    if (in.peek().starts_with("%")) {
      const std::string name = in.next();
      const int row = registerOf(name);
      if (kernel.rows[static_cast<std::size_t>(row)].bytes != bytes)
        in.fail(name + " is not of " + std::to_string(bytes) + " bytes");
      return row;
    }
    const bool negative = in.take("-");
    const std::string word = in.next();
    if (shared.count(word) != 0)
      return number(bytes, 0);
    if (std::isdigit(static_cast<unsigned char>(word[0])) == 0)
      in.fail("'" + word + "' is not known");
    const std::uint64_t bits = bitsOf(word, negative);
    return number(bytes, bytes == 1 ? bits != 0 : bits); // a predicate is 0 or 1
  }

  /// A value, or several in braces.
  void values(std::vector<int> &rows, int bytes) {
    const bool several = in.take("{");
    do
      rows.push_back(value(bytes));
    while (several && in.take(","));
    if (several)
      in.expect("}");
  }

  void instruction() {
    Instruction made;
    made.line = in.line();
    const std::size_t from = in.place();
    if (in.take("@")) {
      made.guardWanted = !in.take("!");
      made.guard = value(1);
    }
    const std::string spelling = in.next();
    made.what = find(spelling);
    if (made.what == nullptr)
      in.fail("the instruction '" + spelling + "' is not in instructions.def");
    if (made.guard >= 0 && made.what->kind != Kind::Branch)
      in.fail("'" + spelling + "' under a predicate is not known");
    operands(made);
    made.text = in.between(from);
    in.expect(";");
    kernel.code.push_back(made);
  }

  void operands(Instruction &made) {
    switch (made.what->kind) {
    case Kind::Compute:
      return computed(made);
    case Kind::Memory:
      return memory(made);
    case Kind::Matrices:
      return matrices(made);
    case Kind::Branch:
      jumps[kernel.code.size()] = in.next();
      return;
    case Kind::Barrier:
      if (in.next() != "0")
        in.fail("barriers other than 0 are not known");
      return;
    case Kind::Return:
      return;
    }
  }

  void computed(Instruction &made) {
    made.results.push_back(value(made.what->bytes[0]));
    for (int k = 0; k < made.what->count; ++k) {
      in.expect(",");
      made.arguments.push_back(value(made.what->bytes[1 + k]));
    }
  }

  void memory(Instruction &made) {
    if (made.what->write) {
      address(made);
      in.expect(",");
      values(made.arguments, made.what->size);
    } else {
      values(made.results, std::max(made.what->size, 2)); // no register is of a byte
      in.expect(",");
      address(made);
    }
    const std::size_t numbers = made.results.size() + made.arguments.size();
    if (numbers != static_cast<std::size_t>(made.what->numbers))
      in.fail("as many registers are not meant");
  }

  /// [%rd1], [%rd1+-8], [name_of_parameter]
  void address(Instruction &made) {
    in.expect("[");
    if (made.what->space == Space::Param) {
      const std::string name = in.next();
      const auto found = parameters.find(name);
      if (found == parameters.end())
        in.fail("no parameter '" + name + "'");
      made.offset = found->second;
      const int bytes = kernel.parameters[static_cast<std::size_t>(found->second)];
      if (bytes != made.what->size)
        in.fail("parameter " + name + " is of " + std::to_string(bytes) + " bytes");
    } else {
      const std::string name = in.next();
      if (shared.count(name) == 0)
        made.address = registerOf(name);
      if (in.take("+")) {
        const bool negative = in.take("-");
        made.offset = static_cast<std::int64_t>(bitsOf(in.next(), negative));
      }
    }
    in.expect("]");
  }

  /// mma d, a, b, c
  void matrices(Instruction &made) {
    const Definition &what = *made.what;
    values(made.results, 8);
    for (int k = 0; k < 3; ++k) {
      in.expect(",");
      values(made.arguments, 8);
    }
    const int c = what.rows * 8 / 32, a = what.rows * what.depth / 32, b = what.depth * 8 / 32;
    if (made.results.size() != static_cast<std::size_t>(c) ||
        made.arguments.size() != static_cast<std::size_t>(a + b + c))
      in.fail("these are not the fragments of an mma");
  }
};

/// .visible .entry name( .param .u64 .ptr .align 1 name_param_0, ... ) .maxntid 256, 1, 1 { ... }
Kernel entry(Reader &in, const std::set<std::string> &shared) {
  Kernel kernel;
  kernel.name = in.next();
  std::map<std::string, int> parameters;
  in.expect("(");
  while (!in.take(")")) {
    in.expect(".param");
    const auto width = widths.find(in.peek());
    if (width == widths.end())
      in.fail("a parameter of type '" + std::string(in.peek()) + "' is not known");
    std::string name = in.next();
    while (in.peek() != "," && in.peek() != ")")
      name = in.next();
    parameters[name] = static_cast<int>(kernel.parameters.size());
    kernel.parameters.push_back(width->second);
    in.take(",");
  }
  while (in.peek() != "{")
    in.next();
  Body(in, kernel, parameters, shared).read();
  return kernel;
}

} // namespace

std::map<std::string, Kernel> parse(const std::string &text) {
  Reader in(tokensOf(text));
  std::map<std::string, Kernel> kernels;
  std::set<std::string> shared;
  while (!in.atEnd()) {
    const std::string word = in.next();
    if (word == ".entry") {
      Kernel kernel = entry(in, shared);
      const std::string name = kernel.name;
      kernels.emplace(name, std::move(kernel));
    } else if (word == ".shared") { // .extern .shared .align 16 .b8 tables[]: what a launch gives
      while (in.peek(1) != "[")
        in.next();
      shared.insert(in.next());
      in.expect("[");
      in.expect("]");
      in.expect(";");
    } else if (word == ".version" || word == ".target" || word == ".address_size") {
      in.next();
    } else if (word != ".visible" && word != ".extern") {
      in.fail("'" + word + "' is not known");
    }
  }
  return kernels;
}

std::vector<std::string> spellings(const std::string &text) {
  std::set<std::string> found;
  bool begins = false; // of a statement, within a body
  const std::vector<Token> tokens = tokensOf(text);
  for (std::size_t k = 0; k + 1 < tokens.size(); ++k) {
    const std::string &word = tokens[k].text;
    if (word == "@") {
      k += tokens[k + 1].text == "!" ? 2 : 1;
    } else {
      if (begins && std::islower(static_cast<unsigned char>(word[0])) != 0 &&
          tokens[k + 1].text != ":")
        found.insert(word);
      begins = word == ";" || word == "{" || word == ":";
    }
  }
  return {found.begin(), found.end()};
}

} // namespace facet::ptx
