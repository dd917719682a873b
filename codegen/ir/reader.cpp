// reader.cpp - text to a kernel: a recursive-descent reader that quotes the line where it stops.
#include "builder.h"
#include "lexer.h"
#include "roles.h"
#include <charconv>
#include <map>

namespace facet::ir {

namespace {

class Reader {
public:
  Reader(std::string_view text, std::string_view file) : in(text, file) {}

  Kernel read() {
    expectName("kernel");
    expectMark('@');
    kernel.name = name("the kernel's name").text;
    expectMark('{');
    bool grid = false, record = false;
    while (!eatMark('}')) {
      const Word word = name("a part of a kernel (triangle, grid, sum, ...)");
      if (word.text == "doc") {
        kernel.doc = text();
      } else if (word.text == "triangle" || word.text == "record") {
        once(record, word);
        kernel.triangle = word.text == "triangle";
        readFields();
      } else if (word.text == "grid") {
        once(grid, word);
        readGrid();
      } else if (word.text == "params") {
        list([&] { readParam(); });
      } else if (region(word.text)) {
        if (!grid || !record)
          in.fail(word.at, "the record and the grid come before the regions");
        readRegion(word);
      } else {
        in.fail(word.at, fmt::format("'{}' is no part of a kernel", word.text));
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

  // Words. ------------------------------------------------------------------------------------
  bool atMark(char mark) const {
    return in.peek().kind == Word::Mark && in.peek().text.front() == mark;
  }
  bool eatMark(char mark) {
    const bool found = atMark(mark);
    if (found)
      in.take();
    return found;
  }
  void expectMark(char mark) {
    if (!eatMark(mark))
      in.fail(in.peek().at, fmt::format("expected '{}'", mark));
  }
  Word name(std::string_view what) {
    if (in.peek().kind != Word::Name)
      in.fail(in.peek().at, fmt::format("expected {}", what));
    return in.take();
  }
  void expectName(std::string_view text) {
    if (in.peek().text != text)
      in.fail(in.peek().at, fmt::format("expected '{}'", text));
    in.take();
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
    if (seen)
      in.fail(word.at, fmt::format("a second '{}'", word.text));
    seen = true;
  }
  /// { item, item, ... }
  template <class Item> void list(Item item) {
    expectMark('{');
    if (eatMark('}'))
      return;
    do
      item();
    while (eatMark(','));
    expectMark('}');
  }
  Type type() {
    const Word word = name("a type");
    for (const Type t : {Type::Bool, Type::Real, Type::Wide, Type::Cplx, Type::Vec3, Type::CVec3})
      if (word.text == spelling(t))
        return t;
    in.fail(word.at, fmt::format("'{}' is no type (bool real wide cplx vec3 cvec3)", word.text));
  }
  template <class Number> Number number(const Word &word) const {
    Number value{};
    const char *end = word.text.data() + word.text.size();
    const auto result = std::from_chars(word.text.data(), end, value);
    if (result.ec != std::errc{} || result.ptr != end)
      in.fail(word.at, fmt::format("'{}' is no number", word.text));
    return value;
  }

  // Declarations. -----------------------------------------------------------------------------
  void readFields() {
    list([&] {
      Field field;
      field.name = name("a column's name").text;
      expectMark(':');
      field.role = roleByName(in.peek().text);
      if (field.role != Role::Unset) {
        in.take();
        field.type = Type::Vec3;
      } else if (in.peek().text == "scaled") {
        in.take();
        expectMark('=');
        field.power = number<int>(in.take());
      } else {
        field.type = type();
      }
      kernel.fields.push_back(std::move(field));
    });
  }
  /// NAME, NAME: cplx, NAME: vec3 = 0 0 1
  void readParam() {
    Param param;
    param.name = name("a parameter").text;
    if (eatMark(':'))
      param.type = type();
    if (eatMark('='))
      while (in.peek().kind == Word::Number)
        param.value.push_back(number<double>(in.take()));
    kernel.params.push_back(std::move(param));
  }
  void readGrid() {
    const Word kind = name("product or points");
    if (kind.text != "product" && kind.text != "points")
      in.fail(kind.at, fmt::format("'{}' is no kind of grid (product points)", kind.text));
    kernel.grid = kind.text == "product" ? GridKind::Product : GridKind::Points;
    std::size_t k = 0;
    list([&] {
      if (k == 3)
        in.fail(in.peek().at, "a grid has three axes");
      expectName(std::string_view{"xyz"}.substr(k, 1));
      expectMark(':');
      kernel.axes[k].type = type();
      if (eatMark('='))
        kernel.axes[k].fixed = number<std::int64_t>(in.take());
      ++k;
    });
    if (k != 3)
      in.fail(in.end() - 1, "a grid has three axes: x, y and z");
  }

  // Regions. ----------------------------------------------------------------------------------
  Region *region(std::string_view word) {
    const std::pair<std::string_view, Region *> all[] = {
        {"pack", &kernel.pack},     {"sum", &kernel.term},      {"waves", &kernel.waves},
        {"totals", &kernel.totals}, {"finish", &kernel.finish}, {"origin", &kernel.origin}};
    for (const auto &[name, found] : all)
      if (name == word)
        return found;
    return nullptr;
  }
  void readRegion(const Word &word) {
    Region &region = *this->region(word.text);
    if (!region.empty())
      in.fail(word.at, fmt::format("a second '{}'", word.text));
    if (word.text != "finish")
      expectName("t");
    expectMark('{');
    Builder build(kernel, region);
    std::map<std::string_view, Id> named;
    while (atMark('%'))
      readValue(build, named);
    expectName("yield");
    do
      readOutput(build, region, named);
    while (eatMark(','));
    expectMark('}');
  }

  /// %3 = mul %1, %2 : cplx [x t]. The type and the domain may be left out; if they are given
  /// they must be the ones derived.
  void readValue(Builder &build, std::map<std::string_view, Id> &named) {
    const Word label = valueName();
    if (named.contains(label.text))
      in.fail(label.at, fmt::format("%{} is given twice", label.text));
    expectMark('=');
    const Word word = name("an operation");
    std::string_view spelled = word.text;
    int component = -1;
    if (spelled.substr(0, spelled.find('.')) == info(Op::Component).spelling) {
      const auto tail = spelled.substr(std::min(spelled.size(), spelled.find('.')));
      component = at(word, [&] { return componentOf(word, tail); });
      spelled = info(Op::Component).spelling;
    }
    const auto found = std::ranges::find_if(
        ops(), [&](const OpInfo &op) { return !isLeaf(op.op) && op.spelling == spelled; });
    if (found == ops().end())
      in.fail(word.at, fmt::format("'{}' is no operation (docs/ir.md lists them)", word.text));
    std::array<Id, 3> args{-1, -1, -1};
    for (int k = 0; k < found->arity; ++k) {
      if (k && !atMark(','))
        in.fail(in.end(), fmt::format("{} takes {} operands", found->spelling, found->arity));
      if (k)
        in.take();
      args[k] = operand(build, named);
    }
    if (atMark(','))
      in.fail(in.peek().at, fmt::format("{} takes {} operand{}", found->spelling, found->arity,
                                        found->arity == 1 ? "" : "s"));
    build.loc = in.locate(word.at);
    const Id id =
        at(word, [&] { return build.op(found->op, args[0], args[1], args[2], component); });
    named[label.text] = id;
    if (eatMark(':')) {
      checkType(build, id);
      if (atMark('['))
        checkDomain(build, id);
    }
  }

  void readOutput(Builder &build, Region &region, const std::map<std::string_view, Id> &named) {
    Output output;
    // `NAME =` or a value: a name without a dot that is followed by '='.
    if (in.peek().kind == Word::Name) {
      Lexer look = in;
      look.take();
      if (look.peek().kind == Word::Mark && look.peek().text == "=") {
        output.name = in.take().text;
        in.take();
      }
    }
    output.value = operand(build, named);
    if (eatMark(':'))
      checkType(build, output.value);
    region.outputs.push_back(std::move(output));
  }

  Word valueName() {
    expectMark('%');
    if (in.peek().kind != Word::Number && in.peek().kind != Word::Name)
      in.fail(in.peek().at, "expected a value's name after %");
    return in.take();
  }

  void checkType(const Builder &build, Id id) {
    const Word word = in.peek();
    if (const Type stated = type(); stated != build[id].type)
      in.fail(word.at, fmt::format("this is stated as {} but is {}", spelling(stated),
                                   spelling(build[id].type)));
  }
  void checkDomain(const Builder &build, Id id) {
    const std::size_t start = in.peek().at;
    expectMark('[');
    std::uint8_t stated = None;
    while (!eatMark(']')) {
      const Word word = name("an index (x y z q t)");
      const auto bit = std::string_view{"xyzqt"}.find(word.text);
      if (word.text.size() != 1 || bit == std::string_view::npos)
        in.fail(word.at, fmt::format("'{}' is no index (x y z q t)", word.text));
      stated |= std::array{X, Y, Z, Q, T}[bit];
    }
    if (stated != build[id].domain)
      in.fail(start, fmt::format("this domain is stated as {} but is {}", spelling(stated),
                                 spelling(build[id].domain)));
  }

  /// Runs `make`; reports an error that it throws at `word`.
  template <class Make> Id at(const Word &word, Make make) {
    std::string message;
    try {
      return make();
    } catch (const Error &error) {
      message = error.message;
    }
    in.fail(word.at, message);
  }

  Id operand(Builder &build, const std::map<std::string_view, Id> &named) {
    const Word start = in.peek();
    build.loc = in.locate(start.at);
    if (atMark('%')) {
      const Word label = valueName();
      const auto found = named.find(label.text);
      if (found == named.end())
        in.fail(start.at, fmt::format("%{} is not given before it is used", label.text));
      return found->second;
    }
    if (start.kind == Word::Number || start.text == "inf" || start.text == "nan")
      return build.number(number<double>(in.take()));
    const Word word = name("a value");
    return at(word, [&] { return leaf(build, word); });
  }

  Id leaf(Builder &build, const Word &word) {
    const auto dot = word.text.find('.');
    const std::string_view head = word.text.substr(0, dot);
    const std::string_view tail = dot == std::string_view::npos ? "" : word.text.substr(dot);
    if (head == "i" && tail.empty())
      return build.unit();
    if (head == "t" && tail.size() > 1)
      return build.field(std::string{tail.substr(1)});
    if (head == "p" && tail.size() > 1)
      return build.param(std::string{tail.substr(1)});
    if (head == "sum")
      return build.sum(partOf(word, tail));
    for (const std::string_view stem : {"sum", "total"})
      if (int k = 0; head.starts_with(stem) && numbered(head.substr(stem.size()), k))
        return stem == "sum" ? build.sum(partOf(word, tail), k)
                             : build.total(k, partOf(word, tail));
    if (head == "q" && tail.empty())
      return build.axis(-1);
    if (head == "q")
      return build.axis(componentOf(word, tail.substr(0, 2)), partOf(word, tail.substr(2)));
    if (head == "r" && tail.size() > 1) {
      for (const Output &output : kernel.pack.outputs)
        if (output.name == tail.substr(1))
          return build.packed(output.name, kernel.pack[output.value].type);
      throw Error{fmt::format("pack, which comes first, yields no '{}'", tail.substr(1)), {}};
    }
    throw Error{fmt::format("'{}' is no value (t.NAME r.NAME p.NAME q q.x sum i)", word.text), {}};
  }

  static bool numbered(std::string_view digits, int &k) {
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), k);
    return result.ec == std::errc{} && result.ptr == digits.data() + digits.size() && k >= 0;
  }
  int componentOf(const Word &word, std::string_view tail) const {
    const auto k =
        tail.size() == 2 ? std::string_view{"xyz"}.find(tail[1]) : std::string_view::npos;
    if (k == std::string_view::npos)
      throw Error{fmt::format("'{}' names no component: .x, .y or .z", word.text), {}};
    return static_cast<int>(k);
  }
  Part partOf(const Word &word, std::string_view tail) const {
    if (tail.empty())
      return Part::Whole;
    if (tail != ".re" && tail != ".im")
      throw Error{fmt::format("'{}' names no part: .re or .im", word.text), {}};
    return tail == ".re" ? Part::Re : Part::Im;
  }
};

} // namespace

Kernel read(std::string_view text, std::string_view fileName) {
  return Reader(text, fileName).read();
}

} // namespace facet::ir
