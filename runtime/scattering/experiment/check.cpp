// check.cpp - what no key of an experiment file can see by itself: contradictions, what is missing,
// the particles that objects name.
#include "runtime/engine/system/reader.h"
#include "runtime/scattering/experiment/forms.h"
#include "runtime/scattering/sample/density.h"
#include "runtime/scattering/sample/layers.h"
#include "runtime/scattering/sample/orientation.h"
#include "runtime/scattering/sample/sizes.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace facet::runtime::schema {
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
  refuse(!s.inPlane.empty() && !beam, "q_ip and q_oop need a beam: its wavelength",
         "[beam] wavelength = 0.124, nm");
  if (sample)
    check(Stack{s.layers, s.probe == "neutrons"}, file + ": sample");
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
  refuse(sample && !p.delta, "has no delta and beta",
         "material = \"Au\", or delta = 2.97e-5, beta = 2.08e-6");
  refuse(p.delta && s.wavelength == 0, "delta needs a beam: its wavelength",
         "[beam] wavelength = 0.124, nm");
  refuse(p.delta.has_value() != s.particles[0].delta.has_value(),
         "either all particles have a delta or none");
  refuse(p.density.has_value() != s.particles[0].density.has_value(),
         "either all particles have a density or none");
  refuse(p.density && !p.delta, "a density needs delta and beta: what the particle is made of",
         "delta = 2.97e-5, beta = 2.08e-6");
  refuse(!sample && p.density && *p.density > 1, "a volume fraction is at most 1",
         "density = 0.01");
  refuse(!p.density && !objects && s.particles.size() > 1, "several particles need a density each",
         "density = 1e-4, a nm^2");
  refuse(objects && p.density.has_value(), "objects are counted: a density has no meaning");
  refuse(objects && p.z.has_value(), "objects have a height each: z has no meaning",
         "give it in the objects' position");
  refuse(objects && (!p.orientation.single() || !p.orientation.euler.empty()),
         "objects are turned each by themselves: an orientation has no meaning",
         "give euler in the objects");
  refuse(objects && p.size.has_value(), "objects have a scale each: sizes have no meaning");
  if (sample)
    findLayer({s.layers}, p.layer, where);
}

/// Counts: what they are of.
void checkCounts(const Source &from, const Experiment &e) {
  if (const auto beam = from.at("beam"); beam && (e.flux > 0 || e.time > 0)) {
    const Source inside = beam->sub();
    if (!(e.flux > 0))
      inside.fail(*inside.find("time"), "a time without a flux", "flux = 1e11, photons a second");
    if (!e.detector || e.layers.empty() || !e.particles[0].density)
      inside.fail(*inside.find("flux"),
                  "counts are of a detector's pixels, of particles with a density on a sample",
                  "[detector], [sample] and density, or leave flux out");
  }
  if (e.noise && !(e.flux > 0)) {
    const Source output = from.at("output")->sub();
    output.fail(*output.find("noise"), noiseWithoutFlux, fluxForNoise);
  }
}

/// Widths of a curve: they are of one kind, and one for all q or for each.
void checkResolution(const Source &from, const Experiment &e) {
  const auto table = from.at("resolution");
  if (!table)
    return;
  const Source inside = table->sub();
  if (const toml::node *spread = inside.find("point_spread"); spread != nullptr && !e.detector)
    inside.fail(*spread, "a point spread is of a detector", "[detector], or leave it out");
  for (const char *name : {"alpha_i", "phi", "wavelength", "pixel_points"}) {
    const toml::node *of = inside.find(name);
    const bool pixels = e.detector && e.detector->form == "points",
               directions = pixels || !e.alphaF.empty() || !e.inPlane.empty();
    if (of != nullptr && !(name == std::string("pixel_points") ? pixels : directions))
      inside.fail(*of,
                  fmt::format("{} is of the exact pixels of a detector{}", name,
                              name == std::string("pixel_points")
                                  ? ""
                                  : ", or of a grid of directions: q alone have none"),
                  "[detector] with form = \"points\", [grid] alpha_f and phi_f, or q_ip and "
                  "q_oop; or leave it out");
  }
  const std::pair<const char *, const std::vector<double> &> all[] = {
      {"dq", e.resolution.dq},
      {"dq_over_q", e.resolution.dqOverQ},
      {"slit_length", e.resolution.slitLength},
      {"slit_width", e.resolution.slitWidth}};
  const std::size_t values = e.curve.empty() ? 0 : parseAxis(e.curve).re.size();
  for (const auto &[name, widths] : all)
    if (!widths.empty() && e.curve.empty())
      inside.fail(*inside.find(name), fmt::format("{} smears a curve over |q|", name),
                  "[grid] q = { from = 0.01, to = 5, n = 200 }, or leave it out");
    else if (widths.size() > 1 && widths.size() != values)
      inside.fail(*inside.find(name),
                  fmt::format("{} has {} widths, and the curve {} q", name, widths.size(), values),
                  "give a number, or one for each q");
  const int kinds = (e.resolution.dq.empty() ? 0 : 1) + (e.resolution.dqOverQ.empty() ? 0 : 1) +
                    (e.resolution.hasSlit() ? 1 : 0);
  inside.refuse(kinds > 1, "a curve is smeared in one way", "dq, dq_over_q, or a slit");
}

/// That particles of this kind may lie so.
void checkPlaces(const Experiment &s, const std::string &file) {
  if (!s.arrangement)
    return;
  const auto refuse = refuser(file + ": arrangement");
  const Arrangement &of = *s.arrangement;
  refuse(!s.layers.empty() && !liesInPlane(of),
         fmt::format("{} fill a volume, and particles on a sample lie in a plane", of.type),
         "type = \"hard-disks\", \"paracrystal\", \"lattice\" or \"table\"");
  refuse(
      !s.curve.empty() && !liesInSpace(of),
      fmt::format("{} lies in a plane, and a curve over |q| is of particles in a volume", of.type),
      "type = \"hard-spheres\", \"sc\", \"bcc\", \"fcc\" or \"table\", or take an image");
  refuse(s.curve.empty() && isOfCurves(of),
         fmt::format("{} is of curves: its S is a mean over all directions of |q|", of.type),
         "[grid] q = { from = 0.01, to = 5, n = 200 }, or another type");
  refuse(s.interference == "incoherent",
         "objects are the basis of an arrangement, and a basis has amplitudes that are summed",
         "interference = \"coherent\"");
  refuse(!of.approximation.empty() && !s.objects.empty(),
         "an approximation is of averages, and objects have none", "leave out approximation");
  refuse(of.approximation == "decoupling" && s.particles.size() > 1,
         "decoupling is of the sizes and orientations of one particle",
         "approximation = \"local-monodisperse\"");
}

void checkScene(const Experiment &s, const std::string &file) {
  refuser(file)(!s.quantiles.empty() || s.total,
                "quantiles and total are of F of one particle on one grid",
                "leave them out of [output]: the intensity is in the file");
  checkBeam(s, file);
  checkPlaces(s, file);
  for (std::size_t i = 0; i < s.particles.size(); ++i)
    checkPlaced(s, s.particles[i],
                fmt::format("{}: particle{}", file,
                            s.particles.size() > 1 ? fmt::format(" {}", i + 1) : ""));
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

std::string nameOf(const Particle &p) {
  if (!p.name.empty())
    return p.name;
  return p.shape.empty() ? std::filesystem::path(p.mesh).stem().string() : p.shape;
}

/// A particle by its name or its number from 1.
std::size_t findParticle(const std::vector<Particle> &particles, const std::string &word,
                         const auto &place) {
  std::vector<std::string> names(particles.size());
  std::ranges::transform(particles, names.begin(), nameOf);
  const auto found = std::ranges::find(names, word);
  if (std::ranges::count(names, word) > 1)
    place.fail(fmt::format("several particles are called '{}'", word),
               "give each a name of its own, or the number of one here");
  if (found != names.end())
    return static_cast<std::size_t>(found - names.begin());
  std::size_t number = 0;
  if (!parseNumber(word, number) || number < 1 || number > names.size())
    place.fail(fmt::format("unknown particle '{}'", word),
               fmt::format("{}, or a number from 1 to {}", suggestion(word, names), names.size()));
  return number - 1;
}

const std::vector<std::string> known{"particle", "x", "y", "z", "a", "b", "c", "scale"};
bool isKnown(const std::string &word) { return std::ranges::find(known, word) != known.end(); }

/// A text with an object a line, in columns of this order or of a line of names.
class ObjectFile {
public:
  explicit ObjectFile(Experiment &to) : to_(to) {
    FileReader in(to.objectsFile, FileReader::Content::Lines);
    if (!in)
      throw Error(to.objectsFile, "the table of objects cannot be read",
                  "a text: particle x y z [a b c [scale]]");
    for (std::string line; readLine(in, line);) {
      if (++number_ == 1)
        beginText(to.objectsFile, line);
      const std::vector<std::string> words = wordsOf(line);
      if (order_.empty() && words.size() > 1 && isKnown(lower(words[1])))
        setOrder(namesOf(words));
      else if (!words.empty())
        to.objects.push_back(objectOf(words));
    }
    if (to.objects.empty())
      throw Error(to.objectsFile, "there are no objects in the table",
                  "a line each: particle x y z");
  }

  [[noreturn]] void fail(const std::string &what, const std::string &help = "") const {
    throw Error(fmt::format("{}:{}", to_.objectsFile, number_), what, help);
  }

private:
  /// Words before a comment. A comment that begins with two names of columns is the line of names,
  /// as numpy.savetxt writes it.
  std::vector<std::string> wordsOf(const std::string &line) const {
    const std::size_t hash = line.find('#');
    std::string before = line.substr(0, hash);
    Words words;
    splitFields(fmt::format("{}:{}", to_.objectsFile, number_), before, words);
    std::vector<std::string> fields;
    for (const std::string_view word : words)
      fields.emplace_back(withoutQuotes(word));
    if (!fields.empty() || hash == std::string::npos || !order_.empty())
      return fields;
    splitWords(std::string_view(line).substr(hash + 1), words, " \t\r,;");
    fields = namesOf({words.begin(), words.end()});
    return words.size() > 2 && std::ranges::all_of(fields, isKnown) ? fields
                                                                    : std::vector<std::string>{};
  }

  static std::string_view withoutQuotes(std::string_view word) {
    const bool quoted = word.size() > 2 && word.front() == '"' && word.back() == '"';
    return quoted ? word.substr(1, word.size() - 2) : word;
  }
  static std::vector<std::string> namesOf(const std::vector<std::string> &words) {
    std::vector<std::string> names;
    for (const std::string &word : words)
      names.push_back(lower(word));
    return names;
  }

  void setOrder(const std::vector<std::string> &words) {
    for (const std::string &word : words)
      if (!isKnown(word))
        fail(fmt::format("unknown column '{}'", word), suggestion(word, known));
      else if (std::ranges::count(words, word) > 1)
        fail(fmt::format("two columns are called '{}'", word));
    for (const char *needed : {"x", "y", "z"})
      if (std::ranges::find(words, needed) == words.end())
        fail(fmt::format("no column '{}'", needed),
             "x, y and z are needed; particle, a, b, c and scale may be there");
    // If the columns are in the order that holds without names, rows may end early, as without
    // names.
    order_ = std::equal(words.begin(), words.end(), known.begin()) ? known : words;
  }

  Object objectOf(const std::vector<std::string> &words) {
    if (order_.empty())
      order_ = known;
    const bool named = order_ != known;
    if (named ? words.size() != order_.size()
              : words.size() != 4 && words.size() != 7 && words.size() != 8)
      fail(named ? fmt::format("{} words for {} columns", words.size(), order_.size())
                 : fmt::format("{} numbers, not 3, 6 or 7", words.size() - 1),
           "particle x y z in nm, then Euler angles z y z in degrees, then the scale");
    Object o;
    double *const numbers[] = {&o.position[0], &o.position[1], &o.position[2], &o.euler[0],
                               &o.euler[1],    &o.euler[2],    &o.scale};
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto column = std::ranges::find(known, order_[i]) - known.begin();
      if (column == 0)
        o.particle = findParticle(to_.particles, words[i], *this);
      else if (double &number = *numbers[column - 1];
               !parseNumber(words[i], number) || !std::isfinite(number))
        fail(fmt::format("'{}' is not a number", words[i]), "particle x y z [a b c [scale]]");
    }
    if (!(o.scale > 0))
      fail("the scale is to be above 0", "1 where the mesh has its size");
    return o;
  }

  Experiment &to_;
  int number_ = 0;                 // of the line
  std::vector<std::string> order_; // of the columns, once a line has named them
};

/// Finds the particle that each of the tables names.
void findParticles(const std::vector<Source> &tables, Experiment &to) {
  for (std::size_t i = 0; i < tables.size(); ++i)
    if (const auto at = tables[i].at("particle"))
      to.objects[i].particle =
          findParticle(to.particles,
                       at->node.is_integer() ? std::to_string(*at->node.value<std::int64_t>())
                                             : at->node.value<std::string>().value_or(""),
                       *at);
}

/// No output may be written over the table of an arrangement.
void takeTable(const Source &from, Experiment &to) {
  const auto arrangement = from.at("arrangement");
  if (!arrangement)
    return;
  const Source inside = arrangement->sub();
  if (const auto table = inside.at("file"))
    to.files.push_back(table->path());
}

void takeObjects(const Source &from, Experiment &to) {
  if (!to.objectsFile.empty() && from.has({"object"}))
    from.fail(*from.find("objects"), "objects are in a file or in [[object]] tables, not both");
  if (!to.objectsFile.empty())
    ObjectFile{to};
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

void checkParticle(const Source &from, Particle &to) {
  if (to.mesh.empty() == to.shape.empty())
    from.fail(to.mesh.empty() ? "a particle needs a mesh or a shape"
                              : "a particle has either a mesh or a shape, not both");
  if (const toml::node *unit = from.find("unit"); unit != nullptr && !to.shape.empty())
    from.fail(*unit, "a shape is in nm: unit is of a mesh", "leave out unit");
  if (to.beta && !to.delta && !from.has({"material"}))
    from.fail(*from.find("beta"), "beta without delta", "give both: n = 1 - delta + i beta");
  if (to.delta && !from.has({"material"}))
    to.beta = to.beta.value_or(0);
}

namespace {

/// Gives a layer or a particle the delta and beta of its material, but for those it has.
void takeIndex(const Source &from, const Experiment &e, auto &made) {
  const auto material = from.at("material");
  if (!material && made.of.massDensity)
    from.fail(*from.find("mass_density"), "mass_density without a material",
              "material = \"SiO2\"; the density of particles is density");
  if (!material)
    return;
  if (e.wavelength == 0)
    material->fail("a material needs a beam: its wavelength",
                   "[beam] wavelength = 0.124, nm, or energy = 9998.7, eV");
  atLine(*material, [&] {
    const Material found = materialOf(made.of.material, made.of.massDensity, e.wavelength, e.probe);
    if (!from.has({"delta"}))
      made.delta = found.delta;
    if (!from.has({"beta"}))
      made.beta = found.beta;
  });
  made.of.takesIndex = !from.has({"delta", "beta"});
}

} // namespace

void checkLayers(const Source &from, Experiment &to) {
  if (to.layers.empty())
    return;
  const Source sample = from.at("sample")->sub();
  for (std::size_t i = 0; i < to.layers.size(); ++i)
    takeIndex(sample.at("layers")->tables()[i], to, to.layers[i]);
}

void checkMaterials(const Source &from, Experiment &to) {
  checkLayers(from, to);
  for (std::size_t i = 0; i < to.particles.size(); ++i) {
    const Source one = from.at("particle")->tables()[i];
    takeIndex(one, to, to.particles[i]);
    if (to.probe != "neutrons" && one.has({"delta"}) && *to.particles[i].delta < 0)
      Index{}.refuse(*one.at("delta"), *to.particles[i].delta);
  }
}

constexpr double mostKappa = 1e4; // 300 tilts more
void checkOrientations(const Source &from, Orientations &to) {
  from.refuse(to.euler.empty() && !from.has({"average"}),
              "an orientation is three angles in degrees, or \"none\"", orientationHelp);
  from.refuse(to.average != "none" && to.euler.size() > 1,
              "an average goes with one rotation before it, not with a list", orientationHelp);
  from.refuse(!to.weights.empty() && to.weights.size() != to.euler.size(),
              fmt::format("{} weights for {} orientations", to.weights.size(), to.euler.size()));
  const Average *average = findAverage(to.average);
  const std::string_view key = average == nullptr ? "" : average->key;
  from.refuse((key == "sigma") != (to.sigma > 0),
              "a tilt needs its sigma in degrees, above 0, and nothing else has one",
              "orientation = { average = \"tilt\", sigma = 5 }; \"cyclic-gaussian\" has one, too");
  from.refuse((key == "kappa") != to.kappa.has_value() ||
                  std::abs(to.kappa.value_or(0)) > mostKappa,
              fmt::format("densities by Maier and Saupe, von Mises and Fisher need their kappa, "
                          "{:.0f} at most, and nothing else has one",
                          mostKappa),
              "orientation = { average = \"maier-saupe\", kappa = 5 }");
  from.refuse(
      (key == "density") != (!to.density.empty() || !to.theta.empty() || !to.phi.empty()),
      "a table needs its density, and nothing else has one",
      "orientation = { average = \"table\", file = \"FILE\" }, or theta and density in lists");
  if (key == "density")
    atLine(from, [&] { DensityTable{to}; });
  const bool turned = !to.director.empty();
  from.refuse(turned && key.empty(), "a director is of a density of orientations",
              "orientation = { average = \"maier-saupe\", kappa = 5, director = [0, 1, 0] }");
  from.refuse(turned &&
                  (to.director.size() != 3 || to.director == std::vector<double>(3) ||
                   !std::ranges::all_of(to.director, [](double x) { return std::isfinite(x); })),
              "a director is three numbers, not all 0", "director = [0, 1, 0]");
}

void checkSize(const Source &from, SizeSpread &to) {
  if (from.find("width") == nullptr)
    from.fail("sizes have no width", "size = { type = \"gaussian\", width = 0.1 }");
  atLine(from, [&] { to = withDefaults(to); });
}

void checkArrangement(const Source &from, Arrangement &to) {
  atLine(from, [&] { check(to); });
}

void checkDetector(const Source &from, Detector &to) {
  from.refuse(to.rows < 1 || to.columns < 1, "the detector has no pixels",
              "pixels = [1043, 981], rows and columns");
  if (to.mask && (to.mask->rows != to.rows || to.mask->columns != to.columns))
    from.fail(*from.find("mask"),
              fmt::format("the mask has {} x {} pixels, and the detector {} x {}", to.mask->rows,
                          to.mask->columns, to.rows, to.columns),
              "rows and columns as orientation counts them");
  from.refuse(!(to.pixel1 > 0), "the detector has no pixel_size", "pixel_size = 172e-6, m");
  from.refuse(!(to.distance > 0), "the detector has no distance",
              "distance = 2.0, m from the sample");
  const toml::node *centre = from.find("beam_centre"), *poni = from.find("poni");
  const bool foot = from.has({"poni1", "poni2"});
  if (centre != nullptr && (foot || poni != nullptr))
    from.fail(*centre, "the place of the detector is given twice",
              "beam_centre, or poni1 and poni2, or a .poni file");
  if (centre != nullptr && to.rotation != std::array<double, 3>{})
    from.fail(*centre, "beam_centre is of a detector that is not turned",
              "give poni1 and poni2, m, with rotation");
  from.refuse(centre == nullptr && !foot && poni == nullptr, "the detector has no place",
              "beam_centre = [row, column], in pixels");
  // poni1 and poni2 are from the lower and the left edge, beam_centre from those of pixel (0, 0).
  if (centre != nullptr && rowsFlip(to))
    to.poni1 = static_cast<double>(to.rows) * to.pixel1 - to.poni1;
  if (centre != nullptr && columnsFlip(to))
    to.poni2 = static_cast<double>(to.columns) * to.pixel2 - to.poni2;
  atLine(from, [&] { check(to); });
}

void checkGrid(const Source &from, Experiment &to) {
  const bool axes = from.has({"qx", "qy", "qz"}), points = !to.points.empty();
  const bool angles = from.has({"alpha_f", "phi_f"}), frame = from.has({"q_ip", "q_oop"}),
             curve = from.has({"q"});
  const auto kinds = std::ranges::count(std::array{axes, points, angles, frame, curve}, true);
  if (kinds != 1)
    from.fail(kinds == 0                    ? "the grid is empty"
              : !angles && !frame && !curve ? "a grid has axes or points, not both"
                                            : "a grid is of q, of points, of angles, of q_ip and "
                                              "q_oop or of |q|: one of them",
              "give some of qx, qy, qz, or points = \"FILE\", or alpha_f and phi_f, or q_ip and "
              "q_oop, or q");
  if (angles && (to.alphaF.empty() || to.phiF.empty()))
    from.fail("a grid of angles has alpha_f and phi_f, degrees");
  if (frame && (to.inPlane.empty() || to.outOfPlane.empty()))
    from.fail("a grid of q in and out of the plane has q_ip and q_oop, nm^-1");
  constexpr int most = 8;
  if (const toml::node *at = from.find("sample_orientation"))
    if (!frame || to.sampleOrientation < 1 || to.sampleOrientation > most)
      from.fail(*at, "sample_orientation is of q_ip and q_oop, 1 to 8 as pyFAI counts them",
                frame ? "1, where it is not said" : "leave it out");
  from.refuse(!curve && from.has({"directions"}), "directions are of a curve over |q|",
              "[grid] q = { from = 0.01, to = 5, n = 200 }, or leave out directions");
  for (std::string &axis : to.axes)
    if (axes && axis.empty())
      axis = "0";
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
  checkMaterials(from, to);
  takeObjects(from, to);
  takeTable(from, to);
  checkCounts(from, to);
  checkResolution(from, to);
  checkAmplitudes(from, to);
  if (to.isScene())
    checkScene(to, file);
}

} // namespace facet::runtime::schema
