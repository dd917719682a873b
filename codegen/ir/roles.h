// roles.h - what turns, grows and moves with the particle: found from the phase if the record
// does not say it.
#pragma once
#include "ir.h"

namespace facet::ir {

/// What a pose does to a column, as facet_role of abi.h.
struct PoseRole {
  bool turns = false, moves = false, known = true;
  int power = 0;
};
PoseRole posed(const Kernel &kernel, const Field &field);

/// "position3", ...; "" for Unclear and Unset.
std::string_view spelling(Role role);
/// The role of that name, else Unset.
Role roleByName(std::string_view name);

/// Gives a role to each vector of the record that has none. The point of a wave is a position; what
/// goes from such a point to another is an offset. Other vectors are tried as each, on
/// records that are moved and scaled. What the formula does not settle is Unclear. So are numbers
/// that the phase multiplies with components of q. Kernels whose records are packed stay as they
/// are.
void assignRoles(Kernel &kernel);

/// The vectors of the record whose role nothing settles.
std::vector<std::string> unsettled(const Kernel &kernel);

/// How the sum behaves when all records are moved by a.
enum class MoveRule : std::uint8_t {
  Otherwise,
  ByPhaseIfClosed, // sum -> cis(q.a) sum for closed meshes
  ByPhase          // for any records
};
MoveRule movedBy(const Kernel &kernel);

} // namespace facet::ir
