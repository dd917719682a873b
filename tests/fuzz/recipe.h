// recipe.h - HDF5 files from recipes of lines, so that what is fuzzed is facet's use of HDF5, not
// HDF5.
//
//   group NAME                        makes a group, or goes into it; `up` leaves it
//   dataset NAME TYPE SHAPE HOW VALUES
//   attribute NAME TYPE SHAPE VALUES  of what was made last
//   soft NAME PATH, hard NAME PATH    links
//
// TYPE: f64 f32 i32 u8 complex vtext, or textN of N bytes. SHAPE: 2,3,3, or - of a single one. HOW:
// plain, chunked, deflated, unwritten, virtual, external. VALUES: words, which are repeated;
// without any 0, 1, 2, .. Lines that mean nothing, and what HDF5 refuses, are left out.
#pragma once
#include <string>
#include <string_view>

namespace facet::fuzz {

void writeRecipe(const std::string &path, std::string_view recipe);

} // namespace facet::fuzz
