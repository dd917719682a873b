// schedule.h - the knobs a variant was compiled with, and where they are from.
#pragma once
#include "runtime/engine/system/json.h"
#include "schedules/knobs.h"
#include <facet/runtime/kernel.h>

namespace facet::runtime {

/// The knobs in a variant's text; those it does not name have the table's defaults.
schedules::Knobs knobsOf(const facet_variant &variant);
/// What the manifest says of a variant; nothing in it if it does not name it.
Json inManifest(const facet_kernel_description &kernel, const facet_variant &variant);
/// Where they are from, by the manifest: "defaults", "tuned on 2026-11-21", "shipped profile ...";
/// "" if it does not say.
std::string scheduleOf(const Kernel &kernel, const facet_variant &variant);
/// For people: tile and block, and of the others what is not the table's default:
/// "tile_y=4, tile_z=1, block_t=128".
std::string showKnobs(const schedules::Knobs &knobs, bool separable, bool device = false);
/// "tile_y=4, tile_z=1, block_t=128 (defaults)".
std::string showSchedule(const Kernel &kernel, const facet_variant &variant);

} // namespace facet::runtime
