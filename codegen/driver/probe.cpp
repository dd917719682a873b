// probe.cpp - reads q, records and parameters for --at, as the kernel has them.
#include "probe.h"
#include "codegen/ir/roles.h"
#include "schedules/knobs.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace facet::driver {
namespace {

using Json = nlohmann::json;

ir::Complex complexOf(const Json &pair) { return {pair.at(0), pair.at(1)}; }

ir::Vector readQ(const Json &asked, const std::array<ir::AxisType, 3> &axes) {
  ir::Vector q;
  for (std::size_t k = 0; k < 3; ++k) {
    q[k] = complexOf(asked.at("q").at(k));
    if (q[k].imag() != 0 && axes[k].type != ir::Type::Cplx)
      throw ir::Error{fmt::format("--at: q.{} is {}{:+}i, and real here: leave its imaginary part "
                                  "out, or see the kernel's Grid and --q",
                                  "xyz"[k], q[k].real(), q[k].imag())};
  }
  return q;
}

std::size_t numberCount(const ir::Param &param) {
  return slots(param).size() / (ir::isComplex(param.type) ? 2 : 1);
}

std::string exampleOf(const ir::Param &param) {
  const std::vector<std::string> numbers(numberCount(param),
                                         ir::isComplex(param.type) ? "0.3+0.1i" : "0.3");
  return fmt::format("{}", fmt::join(numbers, ","));
}

/// The slots of a parameter from the numbers given for it.
std::vector<double> slotsOf(const ir::Param &param, const Json &numbers) {
  const bool complex = ir::isComplex(param.type);
  std::vector<double> made;
  for (const Json &number : numbers) {
    const ir::Complex z = complexOf(number);
    made.push_back(z.real());
    if (complex)
      made.push_back(z.imag());
    else if (z.imag() != 0)
      throw ir::Error{fmt::format("--param {}: is {}, and a complex number was given", param.name,
                                  spelling(param))};
  }
  if (made.size() != slots(param).size())
    throw ir::Error{fmt::format("--param {}: is {}, of {} numbers; got {}", param.name,
                                spelling(param), numberCount(param), numbers.size())};
  return made;
}

void readParams(const Json &asked, const ir::Kernel &kernel, ir::Point &point) {
  const Json given = asked.value("params", Json::object());
  std::vector<std::string_view> known;
  for (const ir::Param &param : kernel.params) {
    known.push_back(param.name);
    const auto found = given.find(param.name);
    if (found == given.end() && param.value.empty())
      throw ir::Error{fmt::format("kernel '{}': parameter '{}', {}, has no value: --param {}={}",
                                  kernel.name, param.name, spelling(param), param.name,
                                  exampleOf(param))};
    const std::vector<std::string> names = slots(param);
    const std::vector<double> values = found == given.end() ? param.value : slotsOf(param, *found);
    for (std::size_t k = 0; k < names.size(); ++k)
      point.params[names[k]] = values[k];
  }
  for (const auto &[name, numbers] : given.items())
    if (std::ranges::find(known, name) == known.end())
      throw ir::Error{fmt::format(
          "kernel '{}': no parameter '{}'{}", kernel.name, name,
          known.empty() ? "; it has none"
                        : fmt::format("; did you mean '{}'?", schedules::nearest(name, known)))};
}

/// An own column of the kernel at the record k of those given, in nm by its role.
ir::Vector columnAt(const Json &asked, const ir::Kernel &kernel, const ir::Field &field,
                    std::size_t k) {
  const Json &columns = asked.at("columns");
  const double unit = asked.value("unit", 1.0);
  const ir::PoseRole role = posed(kernel, field);
  if (unit != 1 && !role.known)
    throw ir::Error{fmt::format("the mesh is in another unit than nm, and the formula does not say "
                                "whether column '{}' is a length: say it in the record "
                                "(position3, offset3, direction3, fixed3, scaled<1>)",
                                field.name)};
  ir::Vector value{};
  const bool isVector = ir::isVector(field.type);
  for (std::size_t c = 0; c < (isVector ? 3 : 1); ++c) {
    const std::string name = isVector ? fmt::format("{}.{}", field.name, "xyz"[c]) : field.name;
    const auto found = columns.find(name);
    if (found == columns.end())
      throw ir::Error{fmt::format("kernel '{}' reads t.{}, and the record has no column '{}': take "
                                  "a mesh that has it, or --column {}=NUMBER",
                                  kernel.name, field.name, name, name)};
    value[c] = std::pow(unit, role.power) * found->at(k).get<double>();
  }
  return value;
}

bool isMoved(const ir::Kernel &kernel, bool closed) {
  const ir::MoveRule rule = movedBy(kernel);
  return rule == ir::MoveRule::ByPhase || (rule == ir::MoveRule::ByPhaseIfClosed && closed);
}

/// The columns of a triangle that its corners give.
void setCorners(const Json &corners, const std::array<double, 3> &middle, ir::Point &point) {
  std::array<ir::Vector, 3> moved;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t c = 0; c < 3; ++c)
      moved[i][c] = corners.at(i).at(c).get<double>() - middle[c];
  setTriangle(point, moved);
}

std::string shown(const ir::Field &field, const ir::Vector &value) {
  return isVector(field.type) ? fmt::format("t.{} = {}, {}, {}", field.name, value[0].real(),
                                            value[1].real(), value[2].real())
                              : fmt::format("t.{} = {}", field.name, value[0].real());
}

void readRecords(const Json &asked, const ir::Kernel &kernel, Probe &made) {
  if (isMoved(kernel, asked.value("closed", false)) && asked.contains("middle"))
    for (std::size_t c = 0; c < 3; ++c)
      made.middle[c] = asked["middle"].at(c);
  for (const ir::Field &field : kernel.fields)
    if (field.axis >= 0)
      throw ir::Error{fmt::format("kernel '{}': column '{}' has a value for each value of an axis, "
                                  "and --at is of one q: take a kernel without it",
                                  kernel.name, field.name)};
  for (std::size_t k = 0; k < made.points.size(); ++k) {
    ir::Point &point = made.points[k];
    if (asked.contains("corners"))
      setCorners(asked["corners"].at(k), made.middle, point);
    for (const ir::Field &field : kernel.fields) {
      if (point.record.contains(field.name))
        continue;
      ir::Vector value = columnAt(asked, kernel, field, k);
      for (std::size_t c = 0; c < 3 && posed(kernel, field).moves; ++c)
        value[c] -= made.middle[c];
      point.record[field.name] = value;
    }
  }
  for (const ir::Field &field : kernel.fields)
    made.shown.push_back(shown(field, made.points[0].record[field.name]));
}

} // namespace

Probe readProbe(const std::string &path, const ir::Kernel &kernel,
                const std::array<ir::AxisType, 3> &axes) {
  std::ifstream file(path);
  const Json asked = Json::parse(file, nullptr, false);
  if (!asked.is_object())
    throw ir::Error{fmt::format("--at={}: cannot be read as JSON", path)};
  try {
    Probe made;
    made.mesh = asked.value("mesh", "");
    made.record = asked.value("record", made.record);
    made.records = asked.value("records", made.records);
    std::size_t count = asked.value("corners", Json::array()).size();
    for (const auto &[name, values] : asked.at("columns").items())
      count = values.size();
    ir::Point point;
    point.q = readQ(asked, axes);
    readParams(asked, kernel, point);
    // A node of a rule stands for its triangle: the centroid, with all of the weight.
    point.record["node"] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
    point.record["node_weight"] = {1};
    made.points.assign(std::max<std::size_t>(count, 1), point);
    readRecords(asked, kernel, made);
    return made;
  } catch (const Json::exception &error) {
    throw ir::Error{fmt::format("--at={}: {}", path, error.what())};
  }
}

} // namespace facet::driver
