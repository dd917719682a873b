// machine_file.h - what was measured of a machine, in a file for users of such machines.
#pragma once
#include <string>

namespace facet::cli {

/// Writes NAME.toml: the machine profile, and the tuned knobs that hold here; NAME.txt and
/// NAME.png: a report of one page, with `targets` in it and the roofline of `born`. Measures what
/// the profile lacks. Throws Error if one of them is there already, or cannot be written.
void saveMachine(const std::string &name, const std::string &targets);

/// Takes profile and knobs of a file that saveMachine wrote. Throws Error, and changes nothing, if
/// it is of another CPU or version of facet, or cannot be read.
void useMachine(const std::string &file);

} // namespace facet::cli
