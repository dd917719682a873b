// values.cpp - --at: the IR with each value's number in single precision, in double and for
// reference in long double; which values single precision does not give, and F beside the kernel
// file's.
#include "driver.h"
#include "probe.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace facet::driver {
namespace {

using OrderedJson = nlohmann::ordered_json;
using ir::Format;

/// Real numbers of a value in one format.
using Numbers = std::vector<long double>;

Numbers numbersOf(const ir::ExtendedVector &value, ir::Type type) {
  Numbers made;
  for (std::size_t k = 0; k < (ir::isVector(type) ? 3 : 1); ++k) {
    made.push_back(value[k].real());
    if (ir::isComplex(type))
      made.push_back(value[k].imag());
  }
  return made;
}

/// What each of a value's real numbers is, ".x.im".
std::string partOf(ir::Type type, std::size_t k) {
  const bool complex = ir::isComplex(type);
  std::string part;
  if (ir::isVector(type))
    part = fmt::format(".{}", "xyz"[complex ? k / 2 : k]);
  if (complex)
    part += k % 2 == 0 ? ".re" : ".im";
  return part;
}

struct Row {
  std::string_view region;
  std::string name, text;
  const ir::Value *value;
  std::array<Numbers, 3> numbers; // f32, f64, reference
  double moves;                   // of the sums, relative to their scale
  bool marked;
};

/// One result: a component of the sum, or an output of F.
struct Result {
  std::string name;
  std::array<ir::Complex, 3> numbers;
  ir::Complex file{}; // by the kernel file
};

struct Values {
  Probe asked;
  ir::Kernel kernel;
  std::string algorithm, klass;
  double allowed = 0;
  std::vector<Row> rows;
  std::vector<Result> outputs;
  bool comparable = true; // with the kernel file: not a node of a rule
  const Row *first() const {
    const auto found = std::ranges::find_if(rows, &Row::marked);
    return found == rows.end() ? nullptr : &*found;
  }
};

constexpr std::array formats{Format::F32, Format::F64, Format::Extended};

/// What a change of each sum is relative to: its mean size over the records, at least its own.
std::vector<double> scalesOf(const ir::Kernel &kernel, const std::vector<ir::Point> &points) {
  std::vector<double> scales;
  for (std::size_t k = 0; k < points.size(); ++k) {
    ir::Point at = points[k];
    evaluateScalars(kernel, at);
    evaluateRecord(kernel, at);
    scales.resize(at.sums.size());
    for (std::size_t c = 0; c < scales.size(); ++c)
      if (const double size = std::abs(at.sums[c]); std::isfinite(size))
        scales[c] += size / static_cast<double>(points.size());
  }
  ir::Point own = points[0];
  evaluateScalars(kernel, own);
  evaluateRecord(kernel, own);
  for (std::size_t c = 0; c < scales.size(); ++c)
    if (std::isfinite(std::abs(own.sums[c])))
      scales[c] = std::max(scales[c], std::abs(own.sums[c]));
  return scales;
}

/// Every value of a region in all formats.
void addRows(const Values &made, const ir::Region &region, std::string_view called,
             const std::array<ir::Trace, 3> &traces, const ir::RoundingEffect &rounding,
             std::vector<Row> &rows) {
  const auto names = ir::names(region);
  std::array<std::vector<ir::ExtendedVector>, 3> values;
  for (std::size_t f = 0; f < 3; ++f)
    values[f] = traces[f].values(region);
  for (ir::Id id = 0; id < std::ssize(region.values); ++id) {
    const ir::Value &value = region[id];
    if (ir::isLeaf(value.op))
      continue;
    Row row{called, names[id], expressionText(value, names), &value, {}, 0, false};
    for (std::size_t f = 0; f < 3; ++f)
      row.numbers[f] = numbersOf(values[f][id], value.type);
    row.moves = rounding.of(region, id);
    row.marked = row.moves > made.allowed;
    rows.push_back(std::move(row));
  }
}

/// Numbers that stand for the ends of the scalars' ranges: the scalars themselves.
void setRanges(const ir::Kernel &kernel, ir::Point &point) {
  ir::Point at = point;
  evaluateScalars(kernel, at);
  for (const ir::Output &scalar : kernel.scalars.outputs)
    for (const char *end : {"_low", "_high"})
      point.params[scalar.name + end] = at.params.at(scalar.name);
}

/// The values of the kernel made.kernel, and F of the file's.
void fill(Values &made, const ir::Kernel &file, const passes::Variant &variant) {
  made.klass = passes::spelling(variant.klass);
  made.algorithm = passes::spelling(variant.algorithm);
  // What a class allows one elementary function, of which a term has several.
  made.allowed = 10 * passes::tolerance(variant.klass);
  for (ir::Point &point : made.asked.points)
    setRanges(made.kernel, point);
  const ir::Point &point = made.asked.points[0];
  const std::array<ir::Trace, 3> traces{ir::Trace(made.kernel, point, formats[0]),
                                        ir::Trace(made.kernel, point, formats[1]),
                                        ir::Trace(made.kernel, point, formats[2])};
  const bool isF64 = variant.klass == passes::Class::F64;
  const ir::RoundingEffect rounding(made.kernel, point, isF64 ? Format::F64 : Format::F32,
                                    isF64 ? Format::Extended : Format::F64,
                                    scalesOf(made.kernel, made.asked.points));
  const auto *called = ir::regionNames;
  for (const ir::Region *region : regionsOf(std::as_const(made.kernel))) {
    addRows(made, *region, *called++, traces, rounding, made.rows);
  }
  const ir::Trace reference(file, point, Format::Extended);
  const auto names = outputsOf(file);
  for (std::size_t k = 0; k < reference.outputs().size(); ++k)
    made.outputs.push_back(
        {names[k].first,
         {traces[0].outputs()[k], traces[1].outputs()[k], traces[2].outputs()[k]},
         reference.outputs()[k]});
  made.comparable = !variant.nodes || made.kernel.fields.size() == file.fields.size();
}

// Text
// ---------------------------------------------------------------------------
/// The shortest decimal of a number in a format: of a float in F32, if it is one.
std::string text(long double number, Format format) {
  if (const auto narrow = static_cast<float>(number); format == Format::F32 && narrow == number)
    return fmt::format("{}", narrow);
  return fmt::format("{}", static_cast<double>(number));
}

std::string text(ir::Complex z) { return fmt::format("{:.9g} {:+.9g}i", z.real(), z.imag()); }

double apart(ir::Complex a, ir::Complex b) { return a == b ? 0 : std::abs(a - b) / std::abs(b); }

/// Which record, at which q.
std::string probeText(const Probe &probe) {
  const ir::Vector &q = probe.points[0].q;
  std::string out =
      fmt::format("record {} of {} of {}, q = ", probe.record, probe.records, probe.mesh);
  for (std::size_t k = 0; k < 3; ++k)
    out += fmt::format("{}{}{}", k > 0 ? ", " : "", q[k].real(),
                       q[k].imag() == 0 ? "" : fmt::format("{:+}i", q[k].imag()));
  return out + " nm^-1";
}

std::string headerText(const Values &all) {
  std::string out = fmt::format("kernel {}, {}, {}: {}\n", all.kernel.name, all.algorithm,
                                all.klass, probeText(all.asked));
  if (all.asked.middle != std::array<double, 3>{})
    out += fmt::format("  places are from the mesh's middle, {:.6g}, as in a run\n",
                       fmt::join(all.asked.middle, ", "));
  for (const std::string &column : all.asked.shown)
    out += fmt::format("  {}\n", column);
  for (const auto &[name, number] : all.asked.points[0].params)
    out += fmt::format("  p.{} = {}\n", name, number);
  return out;
}

std::string rowText(const Row &row, bool places, std::size_t width) {
  std::string out;
  for (std::size_t k = 0; k < row.numbers[0].size(); ++k) {
    const std::string left =
        k == 0 ? fmt::format("{} = {}", row.name, row.text) : std::string(row.name.size(), ' ');
    out += fmt::format(
        "{} {:<{}} {:>3} {:>16} {:>24} {:>24}{}\n", k == 0 && row.marked ? '*' : ' ', left, width,
        partOf(row.value->type, k).substr(0, 5), text(row.numbers[0][k], formats[0]),
        text(row.numbers[1][k], formats[1]), text(row.numbers[2][k], formats[2]),
        k == 0 && places
            ? fmt::format("  ; {}", row.region == "sum" ? spelling(ir::placeOf(row.value->domain))
                                    : row.region == "finish" ? "finish"
                                                             : "record")
            : "");
  }
  return out;
}

std::string resultsText(const Values &all) {
  std::string out;
  for (const Result &f : all.outputs) {
    out += fmt::format("\nF{}{} of this record alone\n", f.name.empty() ? "" : " ", f.name);
    const auto line = [&](const char *name, ir::Complex z) {
      out += fmt::format("  {:<10} {}{}\n", name, text(z),
                         all.comparable ? fmt::format(", off by {:.1e}", apart(z, f.file)) : "");
    };
    line("f32", f.numbers[0]);
    line("f64", f.numbers[1]);
    line("reference", f.numbers[2]);
    out += all.comparable ? fmt::format("  {:<10} {}, in long double\n", "the file", text(f.file))
                          : "  of one node, the centroid with the whole weight: the file has the "
                            "triangle's mean\n";
  }
  return out;
}

std::string marksText(const Values &all, const std::string &source) {
  const std::string_view scale = all.asked.points.size() > 1 ? "its mean size over " : "its size";
  std::string out = fmt::format(
      "\n* marks values whose rounding in {} alone moves the sum by more than {:.0e} of {}{}\n",
      all.klass == "f64" ? "f64" : "f32", all.allowed, scale,
      all.asked.points.size() > 1 ? fmt::format("{} records", all.asked.points.size()) : "");
  const Row *first = all.first();
  if (first == nullptr)
    return out + "  none does\n";
  out +=
      fmt::format("  the first is {} of {}: by {:.1e}\n", first->name, first->region, first->moves);
  if (const std::string line = ir::quoted(source, first->value->loc, "    "); !line.empty())
    out += fmt::format("  line {} of the file:\n{}\n", first->value->loc.line, line);
  return out;
}

std::string textOf(const Values &all, bool places, const std::string &source) {
  std::string out = headerText(all);
  constexpr std::size_t most = 48;
  std::size_t width = 0;
  for (const Row &row : all.rows)
    width = std::max(width, std::min(most, row.name.size() + 3 + row.text.size()));
  std::string_view region;
  for (const Row &row : all.rows) {
    if (row.region != region) {
      region = row.region;
      out += fmt::format("\n  {:<{}}     {:>16} {:>24} {:>24}\n", region, width, "f32", "f64",
                         "reference");
    }
    out += rowText(row, places, width);
  }
  return out + marksText(all, source) + resultsText(all);
}

// JSON
// ---------------------------------------------------------------------------
/// JSON has no infinity and no NaN: these are texts.
OrderedJson number(double x) {
  return std::isfinite(x) ? OrderedJson(x) : OrderedJson(fmt::format("{}", x));
}
OrderedJson number(ir::Complex z) { return {number(z.real()), number(z.imag())}; }

OrderedJson numbers(const Numbers &list) {
  OrderedJson made = OrderedJson::array();
  for (const long double x : list)
    made.push_back(number(static_cast<double>(x)));
  return made;
}

OrderedJson jsonOf(const Row &row) {
  return {{"region", row.region},
          {"name", row.name},
          {"text", row.text},
          {"type", ir::spelling(row.value->type)},
          {"domain", ir::spelling(row.value->domain)},
          {"line", row.value->loc.line},
          {"column", row.value->loc.column},
          {"f32", numbers(row.numbers[0])},
          {"f64", numbers(row.numbers[1])},
          {"reference", numbers(row.numbers[2])},
          {"moves", number(row.moves)},
          {"marked", row.marked}};
}

OrderedJson jsonOf(const Values &all) {
  OrderedJson made = {{"kernel", all.kernel.name},  {"algorithm", all.algorithm},
                      {"class", all.klass},         {"mesh", all.asked.mesh},
                      {"record", all.asked.record}, {"records", all.asked.records},
                      {"q", OrderedJson::array()},  {"columns", all.asked.shown},
                      {"allowed", all.allowed},     {"values", OrderedJson::array()},
                      {"first", nullptr},           {"F", OrderedJson::array()}};
  for (const ir::Complex &q : all.asked.points[0].q)
    made["q"].push_back(number(q));
  for (const Row &row : all.rows)
    made["values"].push_back(jsonOf(row));
  if (const Row *first = all.first(); first != nullptr)
    made["first"] = first - all.rows.data();
  for (const Result &f : all.outputs) {
    made["F"].push_back({{"name", f.name},
                         {"f32", number(f.numbers[0])},
                         {"f64", number(f.numbers[1])},
                         {"reference", number(f.numbers[2])}});
    if (all.comparable)
      made["F"].back()["file"] = number(f.file);
  }
  return made;
}

/// The probe of --at; `complexQ`: whether q may be so.
Probe probeOf(const Options &options, const Input &input, bool complexQ) {
  auto axes = input.kernel.axes;
  for (ir::AxisType &axis : axes)
    if (!complexQ)
      axis.type = ir::Type::Real;
  return readProbe(options.at, input.kernel, axes);
}

std::vector<std::string> texts(const Numbers &list, Format format) {
  std::vector<std::string> made;
  for (const long double x : list)
    made.push_back(text(x, format));
  return made;
}

} // namespace

void emitValues(const Options &options, const Input &input, const ir::Kernel &kernel, bool places) {
  const passes::Variant variant = variantOf(options, input.kernel);
  Values all;
  all.kernel = kernel;
  ir::annotate(all.kernel);
  all.asked = probeOf(options, input, variant.complexQ);
  fill(all, input.kernel, variant);
  writeText(options.output,
            options.json.empty() ? textOf(all, places, input.text) : jsonOf(all).dump(1) + "\n");
}

explore::ProbeNumbers probeNumbers(const Options &options, const Input &input, bool complexQ,
                                   std::string &text) {
  if (options.at.empty())
    return {};
  const Probe probe = probeOf(options, input, complexQ);
  text = probeText(probe);
  return [probe, &input](const ir::Kernel &kernel, const passes::Variant &variant) {
    Values all;
    all.kernel = kernel;
    ir::annotate(all.kernel);
    all.asked = probe;
    fill(all, input.kernel, variant);
    OrderedJson made = OrderedJson::object();
    for (const Row &row : all.rows)
      made[std::string(row.region)][row.name] = {texts(row.numbers[0], formats[0]),
                                                 texts(row.numbers[1], formats[1]),
                                                 texts(row.numbers[2], formats[2]), row.marked};
    return made;
  };
}

} // namespace facet::driver
