// roles.cpp - what a pose does to the columns of a kernel, and whether its records can be posed.
#include <facet/runtime/kernel.h>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

/// The columns for which `is` holds, each vector once.
template <class Is> std::string listOf(const facet_kernel_description &kernel, const Is &is) {
  std::string list;
  for (int c = 0; c < kernel.column_count; ++c) {
    const std::string name = kernel.columns[c];
    const bool vector = kernel.roles[c].turns != 0;
    if (is(kernel.roles[c]) && (!vector || name.ends_with(".x")))
      list += (list.empty() ? "" : ", ") + (vector ? name.substr(0, name.size() - 2) : name);
  }
  return list;
}

std::string whereOf(const facet_kernel_description &kernel) {
  return std::string("kernel ") + kernel.name;
}

} // namespace

ColumnRoles rolesOf(const facet_kernel_description &kernel) {
  ColumnRoles roles;
  for (int c = 0; c < kernel.column_count; ++c) {
    const std::string name = kernel.columns[c];
    const facet_role &role = kernel.roles[c];
    roles[role.turns != 0 ? name.substr(0, name.rfind('.')) : name] = {role.turns != 0,
                                                                       role.moves != 0, role.power};
  }
  return roles;
}

void checkTurns(const facet_kernel_description &kernel) {
  const std::string numbers =
      listOf(kernel, [](const facet_role &r) { return r.known == 0 && r.turns == 0; });
  constexpr auto help = "write a place as one vector in the record, vec3 place, and the phase as "
                        "dot(q, t.place)";
  if (!numbers.empty())
    throw Error(whereOf(kernel),
                fmt::format("its records cannot be turned: the phase takes {} for coordinates, and "
                            "these are numbers of their own",
                            numbers),
                help);
  if (kernel.triangle == 0 &&
      listOf(kernel, [](const facet_role &r) { return r.turns != 0; }).empty())
    throw Error(whereOf(kernel),
                "its records cannot be turned: they have no vector that turns with the particle",
                help);
}

void checkPlaces(const facet_kernel_description &kernel, const std::string &what) {
  checkTurns(kernel);
  const std::string unclear = listOf(kernel, [](const facet_role &r) { return r.known == 0; });
  if (!unclear.empty())
    throw Error(
        whereOf(kernel),
        fmt::format("its records cannot be {}: from the phase it is not clear what {} is", what,
                    unclear),
        "say it in the record: position3 for a place, offset3 for what leads from one place "
        "to another, direction3 or fixed3 in the place of vec3");
  if (kernel.triangle == 0 &&
      listOf(kernel, [](const facet_role &r) { return r.moves != 0; }).empty())
    throw Error(whereOf(kernel), fmt::format("its records cannot be {}: they have no place", what),
                "say which vector is the place: position3 in the place of vec3");
}

} // namespace facet::runtime
