// density_file.cpp - the text that a density of orientations is read from.
#include "runtime/engine/system/text.h"
#include "runtime/scattering/experiment/forms.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::runtime::schema {
namespace {

const std::vector<std::string> columnNames{"theta", "phi", "density"};
constexpr const char *densityText = "a text of theta, phi and density in columns, or of theta and "
                                    "density; a first line may name them";

/// The numbers of the columns, in the order of columnNames; -1: there is none. Throws Error.
std::array<std::ptrdiff_t, 3> orderOf(const std::string &path, const Table &table) {
  std::vector<std::string> names = table.names;
  const std::size_t n = table.columns.size();
  const auto known = [](const std::string &name) {
    return std::ranges::find(columnNames, lower(name)) != columnNames.end();
  };
  if (names.empty() && std::ranges::any_of(table.commentNames, known))
    names = table.commentNames;
  if (n != 2 && n != 3)
    throw Error(path, fmt::format("has {}", plural(static_cast<std::int64_t>(n), "column")),
                densityText);
  std::array<std::ptrdiff_t, 3> order{0, n == 3 ? 1 : -1, static_cast<std::ptrdiff_t>(n) - 1};
  if (names.empty())
    return order;
  order.fill(-1);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto found = std::ranges::find(columnNames, lower(names[k]));
    if (found == columnNames.end())
      throw Error(path, fmt::format("unknown column '{}'", names[k]),
                  suggestion(names[k], columnNames));
    order[static_cast<std::size_t>(found - columnNames.begin())] = static_cast<std::ptrdiff_t>(k);
  }
  if (order[0] < 0 || order[2] < 0 || (n == 3 && order[1] < 0))
    throw Error(path,
                fmt::format("no column '{}'", columnNames[order[0] < 0   ? 0
                                                          : order[2] < 0 ? 2
                                                                         : 1]),
                densityText);
  return order;
}

} // namespace

void readDensity(const std::string &path, Orientations &to) {
  const Table table = readTable(path);
  const auto order = orderOf(path, table);
  const auto column = [&](std::size_t k) -> const std::vector<double> & {
    return table.columns[static_cast<std::size_t>(order[k])];
  };
  to.density = column(2);
  if (order[1] < 0) {
    to.theta = column(0);
    return;
  }
  const auto &theta = column(0), &phi = column(1);
  const std::size_t each = static_cast<std::size_t>(
      std::ranges::find_if(theta, [&](double t) { return t != theta[0]; }) - theta.begin());
  to.phi.assign(phi.begin(), phi.begin() + static_cast<std::ptrdiff_t>(each));
  for (std::size_t i = 0; i < theta.size(); ++i) {
    if (i % each == 0)
      to.theta.push_back(theta[i]);
    if (theta[i] != to.theta.back() || phi[i] != to.phi[i % each])
      throw Error(path,
                  fmt::format("row {} has theta {}, phi {} where {}, {} is expected", i + 1,
                              theta[i], phi[i], to.theta.back(), to.phi[i % each]),
                  "for each theta the same phi, in the same order");
  }
}

} // namespace facet::runtime::schema
