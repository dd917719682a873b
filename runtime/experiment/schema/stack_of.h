// stack_of.h - the layers of an experiment as the physics takes them.
#pragma once
#include "runtime/experiment/physics/stack.h"
#include <facet/runtime/scene.h>

namespace facet::runtime {

Stack stackOf(const Scene &scene);
/// The layer a particle is in. Throws Error with the nearest name.
std::size_t layerOf(const Stack &stack, const Particle &particle);

} // namespace facet::runtime
