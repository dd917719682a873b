// reader.cpp - text to a kernel: words, then a recursive-descent reader that quotes the line where
// it stops.
#include "builder.h"
#include "roles.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <map>

namespace facet::ir {

namespace {

/// One word: a name (which may hold dots: t.area), a number, a quoted text, or one mark of
/// {}:,=[]%@
struct Word {
  enum Kind : std::uint8_t { Name, Number, Text, Mark, End } kind = End;
  std::string_view text;
  std::size_t at = 0; // offset in the file
};

/// Splits text into words. Comments from ';' or '//' to the end of the line are skipped.
class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) { take(); }
  const Word &peek() const { return word; }
  Word take() {
    last = at;
    const Word taken = word;
    word = scan();
    return taken;
  }
  /// Where the last word taken ends.
  std::size_t end() const { return last; }
  Loc locate(std::size_t at) const {
    const auto before = text.substr(0, at);
    const auto start = before.rfind('\n') + 1; // 0 in the first line
    return {static_cast<int>(std::ranges::count(before, '\n')) + 1,
            static_cast<int>(at - start) + 1};
  }
  template <class... Args>
  [[noreturn]] void fail(std::size_t at, fmt::format_string<Args...> what, Args &&...args) const {
    throw Error{fmt::format(what, std::forward<Args>(args)...), locate(at)};
  }

private:
  // A number's own form is checked where it is converted.
  static constexpr std::string_view ofNumbers = "+-._0123456789abcdefghijklmnopqrstuvwxyz"
                                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                                    ofNames = ofNumbers.substr(2);
  std::string_view text;
  std::size_t at = 0, last = 0;
  Word word;

  void skip() {
    for (;;) {
      at = std::min(text.find_first_not_of(" \t\n\r", at), text.size());
      if (!text.substr(at).starts_with(';') && !text.substr(at).starts_with("//"))
        return;
      at = std::min(text.find('\n', at), text.size());
    }
  }

  Word scan() {
    skip();
    const std::size_t start = at;
    const auto word = [&](Word::Kind kind, std::size_t end) {
      at = std::min(end, text.size());
      return Word{kind, text.substr(start, at - start), start};
    };
    if (at == text.size())
      return word(Word::End, at);
    const auto c = static_cast<unsigned char>(text[at]);
    if (std::isalpha(c) || c == '_')
      return word(Word::Name, text.find_first_not_of(ofNames, at));
    if (std::isdigit(c) || c == '-' || c == '+' || c == '.')
      return word(Word::Number, text.find_first_not_of(ofNumbers, at));
    if (c == '"') {
      std::size_t end = at + 1;
      while (end < text.size() && text[end] != '"' && text[end] != '\n')
        end += text[end] == '\\' ? 2 : 1;
      if (end >= text.size() || text[end] != '"')
        fail(start, "this text has no closing quote");
      return word(Word::Text, end + 1);
    }
    if (!std::strchr("{}:,=[]%@", c))
      fail(start, "'{}' has no meaning here", text[at]);
    return word(Word::Mark, at + 1);
  }
};

class Reader {
public:
  explicit Reader(std::string_view text) : in(text) {}

  Kernel read() {
    expect("kernel");
    expect("@");
    kernel.name = name("the kernel's name").text;
    expect("{");
    bool grid = false, record = false;
    while (!eat("}")) {
      const Word word = name("a part of a kernel (triangle, grid, sum, ...)");
      if (word.text == "doc") {
        kernel.doc = text();
      } else if (word.text == "triangle" || word.text == "record") {
        once(record, word);
        kernel.triangle = word.text == "triangle";
        list([&] { readField(); });
      } else if (word.text == "grid") {
        once(grid, word);
        readGrid();
      } else if (word.text == "params") {
        list([&] { readParam(); });
      } else if (const auto found = std::ranges::find(regionNames, word.text);
                 found == std::end(regionNames)) {
        in.fail(word.at, "'{}' is no part of a kernel", word.text);
      } else if (!grid || !record) {
        in.fail(word.at, "the record and the grid come before the regions");
      } else {
        readRegion(word, *regionsOf(kernel)[found - std::begin(regionNames)]);
      }
    }
    if (in.peek().kind != Word::End)
      in.fail(in.peek().at, "one kernel a file: nothing may follow it");
    assignRoles(kernel);
    return std::move(kernel);
  }

private:
  Lexer in;
  Kernel kernel;
  std::map<std::string_view, Id> named; // values of the region that is read
  /// Kernels have hundreds, after all passes too. Passes walk from value to value, a call each:
  /// tens of thousands take minutes, and end the stack.
  static constexpr std::size_t mostValues = 3000;

  // Words. ------------------------------------------------------------------------------------
  bool is(std::string_view text) const { return in.peek().text == text; }
  bool eat(std::string_view text) {
    const bool found = is(text);
    if (found)
      in.take();
    return found;
  }
  void expect(std::string_view text) {
    if (!eat(text))
      in.fail(in.peek().at, "expected '{}'", text);
  }
  Word name(std::string_view what) {
    if (in.peek().kind != Word::Name)
      in.fail(in.peek().at, "expected {}", what);
    return in.take();
  }
  std::string text() {
    if (in.peek().kind != Word::Text)
      in.fail(in.peek().at, "expected a text in quotes");
    const std::string_view quoted = in.take().text;
    std::string out;
    for (std::size_t k = 1; k + 1 < quoted.size(); ++k) {
      const bool escaped = quoted[k] == '\\';
      k += escaped ? 1 : 0;
      out += escaped && quoted[k] == 'n' ? '\n' : quoted[k];
    }
    return out;
  }
  void once(bool &seen, const Word &word) const {
    if (std::exchange(seen, true))
      in.fail(word.at, "a second '{}'", word.text);
  }
  /// { item, item, ... }
  template <class Item> void list(Item item) {
    expect("{");
    if (eat("}"))
      return;
    do
      item();
    while (eat(","));
    expect("}");
  }
  Type type() {
    const Word word = name("a type");
    for (const Type t : {Type::Bool, Type::Real, Type::Wide, Type::Cplx, Type::Vec3, Type::CVec3})
      if (word.text == spelling(t))
        return t;
    in.fail(word.at, "'{}' is no type (bool real wide cplx vec3 cvec3)", word.text);
  }
  template <class Number> static bool converts(std::string_view text, Number &to) {
    const auto result = std::from_chars(text.data(), text.data() + text.size(), to);
    return result.ec == std::errc{} && result.ptr == text.data() + text.size();
  }
  template <class Number> Number number(const Word &word) const {
    Number value{};
    if (!converts(word.text, value))
      in.fail(word.at, "'{}' is no number", word.text);
    return value;
  }

  // Declarations. -----------------------------------------------------------------------------
  void readField() {
    Field field;
    field.name = name("a column's name").text;
    expect(":");
    field.role = roleByName(in.peek().text);
    if (field.role != Role::Unset) {
      in.take();
      field.type = Type::Vec3;
    } else if (eat("scaled")) {
      expect("=");
      field.power = number<int>(in.take());
    } else if (eat("per")) {
      const Word axis = name("an axis (x y z), or q");
      const auto k = std::string_view{"xyzq"}.find(axis.text);
      if (axis.text.size() != 1 || k == std::string_view::npos)
        in.fail(axis.at, "'{}' is no axis (x y z), nor q", axis.text);
      field.axis = static_cast<int>(k);
    } else {
      field.type = type();
    }
    kernel.fields.push_back(std::move(field));
  }
  /// NAME, NAME: cplx, NAME: vec3 = 0 0 1
  void readParam() {
    Param param;
    param.name = name("a parameter").text;
    if (eat(":")) {
      param.matrix = eat("mat3");
      param.type = param.matrix ? Type::Vec3 : type();
    }
    if (eat("="))
      while (in.peek().kind == Word::Number)
        param.value.push_back(number<double>(in.take()));
    kernel.params.push_back(std::move(param));
  }
  void readGrid() {
    const Word kind = name("product or points");
    if (kind.text != "product" && kind.text != "points")
      in.fail(kind.at, "'{}' is no kind of grid (product points)", kind.text);
    kernel.grid = kind.text == "product" ? GridKind::Product : GridKind::Points;
    std::size_t k = 0;
    list([&] {
      if (k == 3)
        in.fail(in.peek().at, "a grid has three axes");
      expect(std::string_view{"xyz"}.substr(k, 1));
      expect(":");
      kernel.axes[k].type = type();
      if (eat("="))
        kernel.axes[k].fixed = number<std::int64_t>(in.take());
      ++k;
    });
    if (k != 3)
      in.fail(in.end() - 1, "a grid has three axes: x, y and z");
  }

  // Regions. ----------------------------------------------------------------------------------
  void readRegion(const Word &word, Region &region) {
    if (!region.empty())
      in.fail(word.at, "a second '{}'", word.text);
    if (&region != &kernel.finish && &region != &kernel.scalars)
      expect("t");
    expect("{");
    Builder build(kernel, region);
    named.clear();
    while (is("%"))
      readValue(build);
    expect("yield");
    do
      readOutput(build, region);
    while (eat(","));
    expect("}");
  }

  /// %3 = mul %1, %2 : cplx [x t]. The type and the domain may be left out; if they are given
  /// they must be the ones derived.
  void readValue(Builder &build) {
    if (const std::size_t at = in.take().at; named.size() == mostValues)
      in.fail(at, "a region has {} values at most", mostValues);
    const Word label = valueName();
    if (named.contains(label.text))
      in.fail(label.at, "%{} is given twice", label.text);
    expect("=");
    const Word word = name("an operation");
    std::string_view spelled = word.text.substr(0, word.text.find('.'));
    const bool part = spelled == info(Op::Component).spelling;
    const int component = part ? componentOf(word, word.text.substr(spelled.size())) : -1;
    if (!part)
      spelled = word.text;
    const auto found = std::ranges::find_if(
        ops(), [&](const OpInfo &op) { return !isLeaf(op.op) && op.spelling == spelled; });
    if (found == ops().end())
      in.fail(word.at, "'{}' is no operation (docs/ir.md lists them)", word.text);
    std::array<Id, 3> args{-1, -1, -1};
    for (int k = 0; k < found->arity; ++k) {
      if (k && !eat(","))
        in.fail(in.end(), "{} takes {} operands", found->spelling, found->arity);
      args[k] = operand(build, in.take());
    }
    if (is(","))
      in.fail(in.peek().at, "{} takes {} operand{}", found->spelling, found->arity,
              found->arity == 1 ? "" : "s");
    build.loc = in.locate(word.at);
    const Id id = build.op(found->op, args[0], args[1], args[2], component);
    named[label.text] = id;
    if (eat(":")) {
      checkType(build[id]);
      if (is("["))
        checkDomain(build[id]);
    }
  }

  void readOutput(Builder &build, Region &region) {
    Output output;
    Word first = in.take();
    if (first.kind == Word::Name && eat("=")) {
      output.name = first.text;
      first = in.take();
    }
    output.value = operand(build, first);
    if (eat(":"))
      checkType(region[output.value]);
    region.outputs.push_back(std::move(output));
  }

  Word valueName() {
    if (in.peek().kind != Word::Number && in.peek().kind != Word::Name)
      in.fail(in.peek().at, "expected a value's name after %");
    return in.take();
  }

  void checkType(const Value &value) {
    const Word word = in.peek();
    if (const Type stated = type(); stated != value.type)
      in.fail(word.at, "this is stated as {} but is {}", spelling(stated), spelling(value.type));
  }
  void checkDomain(const Value &value) {
    const std::size_t start = in.take().at;
    std::uint8_t stated = None;
    while (!eat("]")) {
      const Word word = name("an index (x y z q t)");
      const auto bit = std::string_view{"xyzqt"}.find(word.text);
      if (word.text.size() != 1 || bit == std::string_view::npos)
        in.fail(word.at, "'{}' is no index (x y z q t)", word.text);
      stated |= std::array{X, Y, Z, Q, T}[bit];
    }
    if (stated != value.domain)
      in.fail(start, "this domain is stated as {} but is {}", spelling(stated),
              spelling(value.domain));
  }

  /// A value that begins with this word, which is taken.
  Id operand(Builder &build, const Word &start) {
    build.loc = in.locate(start.at);
    if (start.kind == Word::Mark && start.text == "%") {
      const Word label = valueName();
      const auto found = named.find(label.text);
      if (found == named.end())
        in.fail(start.at, "%{} is not given before it is used", label.text);
      return found->second;
    }
    if (start.kind == Word::Number || start.text == "inf" || start.text == "nan")
      return build.number(number<double>(start));
    if (start.kind != Word::Name)
      in.fail(start.at, "expected a value");
    return leaf(build, start);
  }

  Id leaf(Builder &build, const Word &word) {
    const auto dot = std::min(word.text.find('.'), word.text.size());
    const std::string_view head = word.text.substr(0, dot), tail = word.text.substr(dot);
    if (head == "i" && tail.empty())
      return build.unit();
    if (head == "t" && tail.size() > 1)
      return build.field(std::string{tail.substr(1)});
    if (head == "p" && tail.size() > 1)
      return build.param(std::string{tail.substr(1)});
    if (head == "sum")
      return build.sum(partOf(word, tail));
    if (int k = 0; head.starts_with("sum") && converts(head.substr(3), k) && k >= 0)
      return build.sum(partOf(word, tail), k);
    if (int k = 0; head.starts_with("total") && converts(head.substr(5), k) && k >= 0)
      return build.total(k, partOf(word, tail));
    if (int k = 0; head.starts_with("rest") && converts(head.substr(4), k) && k >= 0)
      return build.rest(k, partOf(word, tail));
    if (head == "q" && tail.empty())
      return build.axis(-1);
    if (head == "q")
      return build.axis(componentOf(word, tail.substr(0, 2)), partOf(word, tail.substr(2)));
    if (head == "r" && tail.size() > 1) {
      for (const Output &output : kernel.pack.outputs)
        if (output.name == tail.substr(1))
          return build.packed(output.name, kernel.pack[output.value].type);
      in.fail(word.at, "pack, which comes first, yields no '{}'", tail.substr(1));
    }
    in.fail(word.at, "'{}' is no value (t.NAME r.NAME p.NAME q q.x sum i)", word.text);
  }

  int componentOf(const Word &word, std::string_view tail) const {
    const auto k =
        tail.size() == 2 ? std::string_view{"xyz"}.find(tail[1]) : std::string_view::npos;
    if (k == std::string_view::npos)
      in.fail(word.at, "'{}' names no component: .x, .y or .z", word.text);
    return static_cast<int>(k);
  }
  Part partOf(const Word &word, std::string_view tail) const {
    if (!tail.empty() && tail != ".re" && tail != ".im")
      in.fail(word.at, "'{}' names no part: .re or .im", word.text);
    return tail.empty() ? Part::Whole : tail == ".re" ? Part::Re : Part::Im;
  }
};

} // namespace

Kernel read(std::string_view text, std::string_view fileName) {
  try {
    return Reader(text).read();
  } catch (const Error &error) { // "FILE:LINE:COLUMN: error: WHAT", the line, a caret
    throw Error{fmt::format("{}:{}:{}: error: {}\n{}", fileName, error.loc.line, error.loc.column,
                            error.message, quoted(text, error.loc)),
                error.loc};
  }
}

} // namespace facet::ir
