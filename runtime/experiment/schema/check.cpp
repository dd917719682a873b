// check.cpp - what no table of an experiment file can see by itself: contradictions and what is
// missing.
#include "runtime/experiment/physics/stack.h"
#include "runtime/experiment/schema/parts.h"
#include "runtime/experiment/schema/stack_of.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::runtime {

Stack stackOf(const Scene &scene) {
  Stack stack;
  for (const Layer &l : scene.layers)
    stack.layers.push_back({l.name, l.thickness, l.delta, l.beta, l.roughness});
  return stack;
}

std::size_t layerOf(const Stack &stack, const Particle &particle) {
  return particle.layer.empty() ? 0 : findLayer(stack, particle.layer, "particle");
}

namespace schema {
namespace {

void checkBeam(const Experiment &e, const std::string &file) {
  const Scene &s = *e.scene;
  const auto refuse = [&](bool wrong, const std::string &what, const std::string &help) {
    if (wrong)
      throw Error(file, what, help);
  };
  const bool beam = s.wavelength > 0, sample = !s.layers.empty();
  refuse(sample && !beam, "a sample needs a beam: its wavelength", "[beam] wavelength = 0.124, nm");
  refuse(sample && s.alphaI.empty(), "a sample needs an angle of incidence",
         "[beam] alpha_i = 0.2, degrees");
  refuse(!sample && !s.alphaI.empty(), "alpha_i without a sample",
         "[sample] layers = [...], or leave out alpha_i: transmission");
  refuse(s.detector && !beam, "a detector needs a beam: its wavelength",
         "[beam] wavelength = 0.124, nm, or energy = 9998.7, eV");
  refuse(!s.alphaF.empty() && !beam, "angles need a beam: its wavelength",
         "[beam] wavelength = 0.124, nm");
  if (sample)
    check(stackOf(s), file + ": sample");
  if (s.curve.empty())
    return;
  refuse(sample, "a curve over |q| is of transmission: there is a sample",
         "leave out [sample] and alpha_i, or ask for line cuts of the image: [output] curves");
  refuse(s.detector || !s.cuts.empty(), "a curve over |q| has no detector and no line cuts",
         "[grid] q = { from = 0.01, to = 5, n = 200, scale = \"log\" } alone");
  refuse(!s.objects.empty(), "a curve over |q| is of one particle, not of objects", "");
  refuse(s.particles.size() > 1, "a curve over |q| is of one particle", "");
  for (const Particle &p : s.particles)
    refuse(p.orientation.average != "full" &&
               (p.orientation.average != "none" || !p.orientation.euler.empty()),
           "a curve over |q| is averaged over all orientations",
           "leave out orientation, or orientation = \"full\"");
}

void checkParticle(const Scene &s, const Particle &p, const std::string &where) {
  const auto refuse = [&](bool wrong, const std::string &what, const std::string &help) {
    if (wrong)
      throw Error(where, what, help);
  };
  const bool sample = !s.layers.empty(), objects = !s.objects.empty();
  refuse(!sample && !p.layer.empty(), fmt::format("in layer '{}' of no sample", p.layer),
         "[sample] layers = [...]");
  refuse(!sample && p.z.has_value(), "z is the height in a layer, and there is no sample",
         "[sample] layers = [...]");
  refuse(sample && !p.delta, "has no delta and beta", "delta = 2.97e-5, beta = 2.08e-6");
  refuse(p.delta && s.wavelength == 0, "delta needs a beam: its wavelength",
         "[beam] wavelength = 0.124, nm");
  refuse(p.delta.has_value() != s.particles[0].delta.has_value(),
         "either all particles have a delta or none", "");
  refuse(p.density.has_value() != s.particles[0].density.has_value(),
         "either all particles have a density or none", "");
  refuse(p.density && !p.delta, "a density needs delta and beta: what the particle is made of",
         "delta = 2.97e-5, beta = 2.08e-6");
  refuse(!p.density && !objects && s.particles.size() > 1, "several particles need a density each",
         "density = 1e-4, a nm^2");
  refuse(objects && p.density.has_value(), "objects are counted: a density has no meaning", "");
  refuse(objects && p.z.has_value(), "objects have a height each: z has no meaning",
         "give it in the objects' position");
  refuse(objects && (!p.orientation.single() || !p.orientation.euler.empty()),
         "objects are turned each by themselves: an orientation has no meaning",
         "give euler in the objects");
  refuse(objects && p.size.has_value(), "objects have a scale each: sizes have no meaning", "");
  if (sample && !p.layer.empty())
    findLayer(stackOf(s), p.layer, where);
}

} // namespace

void checkScene(const Experiment &e, const std::string &file) {
  const Scene &s = *e.scene;
  checkBeam(e, file);
  for (std::size_t i = 0; i < s.particles.size(); ++i)
    checkParticle(s, s.particles[i],
                  fmt::format("{}: particle{}", file,
                              s.particles.size() > 1 ? fmt::format(" {}", i + 1) : ""));
  const bool averaged = std::any_of(s.particles.begin(), s.particles.end(), [](const Particle &p) {
    return !p.orientation.single() || p.size;
  });
  if (s.amplitude && (averaged || s.particles.size() > 1) && (s.objects.empty() || !s.coherent))
    throw Error(file, "amplitude: an average of intensities has no amplitude",
                "leave out amplitude, or the averages");
  if (s.amplitude && !s.objects.empty() && !s.coherent)
    throw Error(file, "amplitude: a sum of intensities has no amplitude",
                "interference = \"coherent\", or leave out amplitude");
}

} // namespace schema
} // namespace facet::runtime
