// check.cpp - what no key of an experiment file can see by itself: contradictions and what is
// missing.
#include "runtime/experiment/schema/forms.h"
#include "runtime/experiment/schema/schema.h"
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace facet::runtime {

Stack stackOf(const Experiment &e) {
  Stack stack;
  for (const Layer &l : e.layers)
    stack.layers.push_back({l.name, l.thickness, l.delta, l.beta, l.roughness});
  return stack;
}

std::size_t layerOf(const Stack &stack, const Particle &particle) {
  return particle.layer.empty() ? 0 : findLayer(stack, particle.layer, "particle");
}

namespace schema {
namespace {

/// A function that throws Error at `where` if something is wrong.
auto refuser(const std::string &where) {
  return [=](bool wrong, const std::string &what, const std::string &help = "") {
    if (wrong)
      throw Error(where, what, help);
  };
}

void checkBeam(const Experiment &s, const std::string &file) {
  const auto refuse = refuser(file);
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
  refuse(!s.objects.empty(), "a curve over |q| is of one particle, not of objects");
  refuse(s.particles.size() > 1, "a curve over |q| is of one particle");
  for (const Particle &p : s.particles)
    refuse(p.orientation.average != "full" &&
               (p.orientation.average != "none" || !p.orientation.euler.empty()),
           "a curve over |q| is averaged over all orientations",
           "leave out orientation, or orientation = \"full\"");
}

void checkPlaced(const Experiment &s, const Particle &p, const std::string &where) {
  const auto refuse = refuser(where);
  const bool sample = !s.layers.empty(), objects = !s.objects.empty();
  refuse(!sample && !p.layer.empty(), fmt::format("in layer '{}' of no sample", p.layer),
         "[sample] layers = [...]");
  refuse(!sample && p.z.has_value(), "z is the height in a layer, and there is no sample",
         "[sample] layers = [...]");
  refuse(sample && !p.delta, "has no delta and beta", "delta = 2.97e-5, beta = 2.08e-6");
  refuse(p.delta && s.wavelength == 0, "delta needs a beam: its wavelength",
         "[beam] wavelength = 0.124, nm");
  refuse(p.delta.has_value() != s.particles[0].delta.has_value(),
         "either all particles have a delta or none");
  refuse(p.density.has_value() != s.particles[0].density.has_value(),
         "either all particles have a density or none");
  refuse(p.density && !p.delta, "a density needs delta and beta: what the particle is made of",
         "delta = 2.97e-5, beta = 2.08e-6");
  refuse(!p.density && !objects && s.particles.size() > 1, "several particles need a density each",
         "density = 1e-4, a nm^2");
  refuse(objects && p.density.has_value(), "objects are counted: a density has no meaning");
  refuse(objects && p.z.has_value(), "objects have a height each: z has no meaning",
         "give it in the objects' position");
  refuse(objects && (!p.orientation.single() || !p.orientation.euler.empty()),
         "objects are turned each by themselves: an orientation has no meaning",
         "give euler in the objects");
  refuse(objects && p.size.has_value(), "objects have a scale each: sizes have no meaning");
  if (sample && !p.layer.empty())
    findLayer(stackOf(s), p.layer, where);
}

void checkScene(const Experiment &s, const std::string &file) {
  checkBeam(s, file);
  for (std::size_t i = 0; i < s.particles.size(); ++i)
    checkPlaced(s, s.particles[i],
                fmt::format("{}: particle{}", file,
                            s.particles.size() > 1 ? fmt::format(" {}", i + 1) : ""));
  const bool averaged = std::any_of(s.particles.begin(), s.particles.end(), [](const Particle &p) {
    return !p.orientation.single() || p.size;
  });
  if (s.amplitude && (averaged || s.particles.size() > 1) &&
      (s.objects.empty() || s.interference == "incoherent"))
    throw Error(file, "amplitude: an average of intensities has no amplitude",
                "leave out amplitude, or the averages");
  if (s.amplitude && !s.objects.empty() && s.interference == "incoherent")
    throw Error(file, "amplitude: a sum of intensities has no amplitude",
                "interference = \"coherent\", or leave out amplitude");
}

/// The wavelength of a detector's calibration becomes that of the beam, if the beam has none.
void takeWavelength(const Source &detector, Experiment &to) {
  const auto poni = detector.at("poni");
  if (!poni)
    return;
  to.files.push_back(poni->path());
  const double own = std::exchange(to.detector->wavelength, 0);
  if (to.wavelength == 0)
    to.wavelength = own;
  if (own > 0 && std::abs(to.wavelength / own - 1) > 1e-4)
    poni->fail(
        fmt::format("the calibration is of {:.6g} nm, the beam has {:.6g} nm", own, to.wavelength),
        "leave out wavelength and energy in [beam], or use another calibration");
}

void takeObjects(const Source &from, Experiment &to) {
  if (!to.objectsFile.empty() && from.has({"object"}))
    from.fail(*from.find("objects"), "objects are in a file or in [[object]] tables, not both");
  if (!to.objectsFile.empty())
    readObjectFile(to);
  else if (const auto objects = from.at("object"))
    findParticles(objects->tables(), to);
  to.files.push_back(to.objectsFile);
  if (from.has({"interference"}) && to.objects.empty())
    from.fail(*from.find("interference"), "interference is of objects, and there are none",
              "give [[object]] tables or objects = \"FILE\"");
  if (!to.objects.empty() && to.interference.empty())
    to.interference = "coherent";
}

} // namespace

void checkSample(const Source &from, Experiment &to) {
  if (to.layers.empty())
    from.fail("the sample has no layers",
              "layers = [{ name = \"vacuum\" }, { name = \"Si\", delta = 4.9e-6, beta = 7.4e-8 }]");
  const std::vector<Source> tables = from.at("layers")->tables();
  for (std::size_t i = 0; i < to.layers.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (const std::string &name = to.layers[i].name; !name.empty() && to.layers[j].name == name)
        from.fail(tables[i].toml, fmt::format("two layers are called '{}'", name));
}

void checkGrid(const Source &from, Experiment &to) {
  const bool axes = from.has({"qx", "qy", "qz"}), points = !to.points.empty();
  const bool angles = from.has({"alpha_f", "phi_f"}), curve = from.has({"q"});
  const int kinds = (axes ? 1 : 0) + (points ? 1 : 0) + (angles ? 1 : 0) + (curve ? 1 : 0);
  if (kinds != 1)
    from.fail(kinds == 0          ? "the grid is empty"
              : !angles && !curve ? "a grid has axes or points, not both"
                                  : "a grid is of q, of points, of angles or of |q|: one of them",
              "give some of qx, qy, qz, or points = \"FILE\", or alpha_f and phi_f, or q");
  if (angles && (to.alphaF.empty() || to.phiF.empty()))
    from.fail("a grid of angles has alpha_f and phi_f, degrees");
  for (std::string &axis : to.axes)
    if (axes && axis.empty())
      axis = "0";
}

void checkCut(const Source &from, LineCut &to) {
  if (to.along.empty() || to.across.empty() || to.along == to.across)
    from.fail("a cut goes along one coordinate at a value of another",
              "curves = [{ name = \"yoneda\", along = \"qy\", qz = 0.35, width = 0.02 }]");
  if (!(to.width >= 0))
    from.fail(*from.find("width"), "the width is to be 0 or more");
  if (to.name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-") != std::string::npos)
    from.fail(*from.find("name"), fmt::format("'{}' cannot name a group", to.name),
              "letters, digits, _ and -");
}

void checkOutput(const Source &from, Experiment &to) {
  for (std::size_t i = 0; i < to.cuts.size(); ++i) {
    LineCut &cut = to.cuts[i];
    if (cut.name.empty())
      cut.name = fmt::format("{}_{}", cut.along, i + 1);
    for (std::size_t j = 0; j < i; ++j)
      if (to.cuts[j].name == cut.name)
        from.fail(from.at("curves")->tables()[i].toml,
                  fmt::format("two cuts are called '{}'", cut.name));
  }
}

void checkExperiment(const Source &from, Experiment &to) {
  const std::string &file = from.file;
  if (to.kernel.empty())
    throw Error(file, "no kernel", "kernel = \"born\", or a kernel file");
  if (!from.has({"particle"}) || to.particles.empty())
    throw Error(file, "no particle", "[particle] with mesh = \"FILE\" or shape = { type = ... }");
  const bool grid = from.has({"grid"});
  if (grid == to.detector.has_value())
    throw Error(file, grid ? "a detector says which q: there is a grid too" : "no grid",
                grid ? "leave out [grid] or [detector]"
                     : "[grid] with qy = { from = -2, to = 2, n = 500 } and so on");
  if (to.detector)
    takeWavelength(from.at("detector")->sub(), to);
  takeObjects(from, to);
  if (to.isScene())
    checkScene(to, file);
}

} // namespace schema
} // namespace facet::runtime
