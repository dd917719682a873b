// scene_report.cpp - what a run of an experiment reports and writes about itself, and what
// facet plan says of it.
#include "runtime/app/jobs/scene_job.h"
#include "runtime/engine/records/geometry.h"
#include "runtime/engine/system/clock.h"
#include "runtime/engine/system/text.h"
#include "runtime/scattering/scene/crossing.h"
#include "runtime/scattering/scene/limits.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/material.h>
#include <fmt/format.h>
#include <set>

namespace facet::cli {
using namespace facet::runtime;
/// What look() sees when all images are finished.
struct SceneJob::ImageSurvey {
  std::int64_t behind = 0, masked = 0; // pixels
  double averageError = -1; // relative to the largest intensity; < 0: there is no average
};

SceneJob::ImageSurvey SceneJob::look(const TiledResult &result) const {
  constexpr std::int64_t most = 1 << 18; // pixels at once
  ImageSurvey seen;
  double largest = 0, off = 0;
  std::vector<double> intensity, errors;
  for (std::size_t i = 0; i < problem_.layout.seen().size(); ++i) {
    const Pixels &pixels = *problem_.layout.seen()[i].pixels;
    const std::int64_t step = std::max<std::int64_t>(1, most / pixels.columns());
    for (std::int64_t row = 0; row < pixels.rows(); row += step) {
      const std::int64_t end = std::min(row + step, pixels.rows());
      const auto n = static_cast<std::size_t>((end - row) * pixels.columns());
      intensity.resize(n);
      errors.resize(problem_.layout.hasErrors() ? n : 0);
      file_.read(result, i, row, end, intensity.data(), errors.empty() ? nullptr : errors.data());
      for (std::size_t k = 0; k < n; ++k) {
        const auto at = static_cast<std::int64_t>(k);
        if (std::isnan(intensity[k]))
          ++(pixels.masks() && pixels.at(row + at / pixels.columns(), at % pixels.columns()).masked
                 ? seen.masked
                 : seen.behind);
        largest = std::max(largest, std::isnan(intensity[k]) ? 0 : intensity[k]);
        if (!errors.empty() && !std::isnan(errors[k]))
          off = std::max(off, errors[k]);
      }
    }
  }
  if (problem_.layout.hasErrors())
    seen.averageError = largest > 0 ? off / largest : 0;
  if (const auto remark = remarkOnCounts(problem_.layout, largest, e_.photons()))
    listener_.warn(std::vector{*remark});
  return seen;
}

Lines SceneJob::imageLines(const ImageSurvey &seen) const {
  const SceneLayout &layout = problem_.layout;
  const Pixels &pixels = problem_.pixels(0);
  Lines lines;
  add(lines, "images",
      imagesText() + (seen.masked > 0 ? fmt::format(", {} masked: NaN", seen.masked) : "") +
          (seen.behind > 0 ? fmt::format(", {} behind the sample{}: NaN", seen.behind,
                                         pixels.inFrame() ? " or in the missing wedge" : "")
                           : ""));
  add(lines, "objects", objectsText());
  if (e_.objects.empty() && layout.averaged)
    add(lines, "average",
        fmt::format("{} orientations and sizes; half the order differs by {:.1e} "
                    "of max I",
                    poses(), seen.averageError));
  for (const std::string &size : sizes_)
    add(lines, "sizes", size);
  add(lines, "grid", pixels.remark());
  for (const SpecularBeam &beam : layout.specular)
    add(lines, &beam == layout.specular.data() ? "specular" : "",
        fmt::format("R {:.6g} at {:.6g} deg", beam.reflectivity, beam.alphaI) +
            (std::isnan(beam.row)
                 ? ""
                 : fmt::format(", at row {:.6g}, column {:.6g}", beam.row, beam.column)) +
            (std::isnan(beam.photons) ? "" : fmt::format(", {:.4g} photons", beam.photons)));
  return lines;
}

/// "3 of 100 x 200 pixels".
std::string SceneJob::imagesText() const {
  const std::size_t beams = problem_.layout.beams.size();
  return fmt::format("{} of {} x {} pixels{}", problem_.layout.seen().size(),
                     problem_.pixels(0).rows(), problem_.pixels(0).columns(),
                     beams > 0 ? fmt::format(", each by {} beams", beams) : "");
}

/// How many objects and poses there are; "" if objects are not placed one by one.
std::string SceneJob::objectsText() const {
  return e_.objects.empty() ? ""
                            : fmt::format("{}, {}, {} ways turned and sized", e_.objects.size(),
                                          e_.interference, poses());
}

Lines SceneJob::curveLines(const Curve &curve) const {
  double worst = 0;
  for (std::size_t i = 0; i < curve.q.size(); ++i)
    if (curve.intensity[i] > 0)
      worst = std::max(worst, curve.deviation[i] / curve.intensity[i]);
  Lines lines{{"curve", fmt::format("{}, {} to {} directions, error estimated: up to {:.1e} of I",
                                    textOf(*problem_.layout.curve), curve.directions.front(),
                                    curve.directions.back(), worst)}};
  const std::string &shape = e_.particles[0].shape;
  if (e_.directions.whole() && !e_.directions.symmetry &&
      (shape == "sphere" || shape == "cylinder" || shape == "torus"))
    lines.emplace_back(
        "", fmt::format("a {} is a body of revolution: [grid] directions = \"revolution\" takes a "
                        "few of them",
                        shape));
  return lines;
}

/// "; 20 x 30 x 10 nm, surface 2200 nm^2, volume 6000 nm^3" of a curve's particle, whose q have no
/// steps to set its sizes beside.
std::string sizesBehind(const MeshSummary &mesh) {
  const Vec3 extent = mesh.high - mesh.low;
  return mesh.surface ? fmt::format("; {:.4g} x {:.4g} x {:.4g} nm, {}", extent[0], extent[1],
                                    extent[2], measuresOf(mesh))
                      : "";
}

/// Reports volumes, since a density in transmission is a fraction of the volume.
void addVolumes(Lines &lines, const Experiment &e, const std::vector<Body> &bodies) {
  for (const Body &body : bodies)
    if (e.layers.empty() && e.particles[body.particle].density)
      add(lines, "volume",
          fmt::format("{}: {:.6g} nm^3, all of its closed surfaces added up", body.name,
                      std::abs(body.mesh.summary.volume)));
}

/// "layer 'film': SiO2, 2.2 g/cm^3: ..", for what is of a material.
std::vector<std::string> materialsOf(const Experiment &e) {
  std::vector<std::string> all;
  const auto add = [&](const std::string &name, const Composition &of) {
    if (!of.material.empty())
      all.push_back(fmt::format(
          "{}: {}{}", name, textOf(materialOf(of.material, of.massDensity, e.wavelength, e.probe)),
          of.takesIndex ? "" : ", but for the delta or beta given"));
  };
  for (std::size_t l = 0; l < e.layers.size(); ++l)
    add(Stack{e.layers}.title(l), e.layers[l].of);
  for (std::size_t p = 0; p < e.particles.size(); ++p)
    add(fmt::format("particle {}", p + 1), e.particles[p].of);
  return all;
}

/// "cube: O, 24 rotations", for bodies of which averages take a part alone.
std::vector<std::string> SceneJob::groups() const {
  std::vector<std::string> all;
  for (const Body *body : problem_.bodies.ofParticles())
    if (body->mesh.group.order() > 1)
      all.push_back(fmt::format("{}: {}", body->name, body->mesh.group.text()));
  return all;
}

/// "cube in layer 'film', cube in layer 'Si', 3 poses", for particles that cross interfaces.
std::vector<std::string> SceneJob::cuts() const {
  std::vector<std::string> all;
  for (std::size_t b = 0; b < bodies().size(); b = problem_.bodies.endOf(b)) {
    if (!bodies()[b].isPart())
      continue;
    std::string text;
    for (std::size_t part = b; part < problem_.bodies.endOf(b); ++part)
      text += bodies()[part].title + ", ";
    all.push_back(text + plural(std::ssize(bodies()[b].poses), "pose"));
  }
  return all;
}

/// What is the same in a plan and in a report.
void SceneJob::addBodies(Lines &lines) const {
  for (const auto &[b, limits] : limitsOf(problem_))
    add(lines, "limits",
        fmt::format("{}: I {:.6g} {} at q = 0, {:.6g} {} nm^-4 / q^4 at large q, by its volume",
                    bodies()[b].name, limits.forward, problem_.layout.unit, limits.porod,
                    problem_.layout.unit));
  for (const std::string &group : groups())
    add(lines, "point group", group);
  for (const std::string &cut : cuts())
    add(lines, "cut", cut);
  for (const std::string &material : materialsOf(e_))
    add(lines, "material", material);
}

/// What the result file says of an experiment.
nexus::Process SceneJob::processOf(const ImageSurvey &seen) const {
  nexus::Process process;
  process.provenance = {{"theory", problem_.stack.layers.empty()
                                       ? "Born approximation"
                                       : "distorted-wave Born approximation, four terms"},
                        {"intensity", problem_.layout.quantity}};
  if (const std::string &remark = problem_.pixels(0).remark(); !remark.empty())
    process.provenance["grid"] = remark;
  process.numbers = {{"evaluations_measured", static_cast<double>(run_.errors().f.size())},
                     {"objects", static_cast<double>(e_.objects.size())},
                     {"poses", static_cast<double>(poses())},
                     {"pixels_behind_the_sample", static_cast<double>(seen.behind)},
                     {"pixels_masked", static_cast<double>(seen.masked)},
                     {"measured_error_of_amplitude", run_.errors().phi},
                     {"amplitudes_measured", static_cast<double>(run_.errors().pixels)}};
  if (const auto all = groups(); !all.empty())
    process.provenance["point_group"] = fmt::format("{}", fmt::join(all, "; "));
  if (const auto all = cuts(); !all.empty())
    process.provenance["cut"] = fmt::format("{}", fmt::join(all, "; "));
  if (const auto materials = materialsOf(e_); !materials.empty())
    process.provenance["materials"] = fmt::format("{}", fmt::join(materials, "; "));
  if (seen.averageError >= 0)
    process.numbers["average_half_order_difference"] = seen.averageError;
  for (const Body &body : bodies())
    if (body.angles.turn > 0 && !problem_.isCurve()) {
      const std::string of = fmt::format("_of_particle_{}", body.particle + 1);
      process.numbers["angles_of_a_turn" + of] = body.angles.turn;
      process.numbers["nodes_of_a_tilt" + of] = body.angles.tilt;
    }
  for (const auto &[b, limits] : limitsOf(problem_)) {
    const std::string suffix = bodies().size() > 1 ? fmt::format("_{}", b + 1) : "";
    process.numbers["I_at_0" + suffix] = limits.forward;
    process.numbers["I_porod" + suffix] = limits.porod;
  }
  return process;
}

void SceneJob::describe(TiledResult &result, RunReport &found) {
  if (problem_.isCurve()) {
    const Curve &curve = file_.curveFrom(result, run_.errorsOfBands());
    found.process = processOf({});
    found.process.directions = curve.directions;
    found.head = curveLines(curve);
    found.head[0].second += sizesBehind(bodies()[0].mesh.summary);
  } else {
    file_.record(result);
    const ImageSurvey seen = look(result);
    found.process = processOf(seen);
    found.head = imageLines(seen);
  }
  add(found.head, "arrangement", file_.structureText());
  addVolumes(found.head, e_, bodies());
  addBodies(found.head);
  const SceneLayout &layout = problem_.layout;
  std::set<std::string> ways;
  for (const SceneDecision::Incidence &way : run_.decision().ways)
    for (const SceneDecision::BodyDecision &part : way.parts)
      ways.insert(fmt::format("{}, {}", name(part.how), part.how.target));
  const std::string algorithms = fmt::format("{}", fmt::join(ways, "; "));
  found.algorithm = algorithms + ", " + plural(threads_, "thread");
  found.process.provenance["algorithm"] = algorithms;
  found.process.numbers["evaluations"] = static_cast<double>(found.evaluations);
  add(found.head, "intensity", layout.quantity + (layout.unit.empty() ? "" : ", " + layout.unit));
  add(found.head, "units", found.units);
  found.measured = run_.errors().worst;
  found.measuredBy = fmt::format("the worst of {} evaluations measured", run_.errors().f.size());
  found.rule = ruleOf(someOf(problem_));
  if (derivatives_)
    derivatives_->finish(result, found);
  if (problem_.isCurve()) // its amplitudes are not F
    return;
  found.amplitude = layout.amplitudeName;
  found.amplitudeError = run_.errors().phi;
  if (run_.errors().pixels > 0)
    add(found.errors, "",
        fmt::format("{:.1e} of max|{}| at {} pixels in double: {}", run_.errors().phi,
                    layout.amplitudeName, run_.errors().pixels,
                    run_.errors().phi <= e_.accuracy ? "met" : "MISSED"));
}

/// All that is expected of a run on this machine.
struct SceneJob::CostEstimate {
  const ExpectedPart *longest = nullptr; // of all parts, the one that takes longest
  std::string longestOf;
  double oneThread = 0;  // seconds of sums
  double passes = 0;     // seconds of reading and turning meshes, by each pose in each unit
  double rows = 0;       // seconds of finding q' of all rows, and of making amplitudes of F
  double error = 0;      // the largest
  std::int64_t seen = 0; // units that are not behind the sample
  double seconds = 0;    // of all threads
};

/// Seconds of what the rows of a way's units take beside F, measured on the largest unit.
double SceneJob::rowSeconds(std::size_t way, const Body &body) const {
  double all = 0, once = 0, largest = 0; // q' of units, of rows, of a unit
  const SceneUnit *unit = nullptr;
  for (const SceneUnit &one : run_.units())
    if (const double size = sizeOf(problem_, one); problem_.way[one.image] == way) {
      all += size;
      once += one.first == 0 ? size : 0;
      unit = size > largest ? &one : unit;
      largest = std::max(largest, size);
    }
  if (unit == nullptr)
    return 0;
  const double start = threadSeconds();
  const ImageRows rows = problem_.tile(unit->image, body, unit->rows(), 1);
  const double found = threadSeconds() - start;
  std::vector<std::complex<double>> amplitudes(rows.size());
  rows.add(std::vector<std::complex<double>>(static_cast<std::size_t>(rows.grid().size())),
           body.poses[0].levels[0], 1, true, amplitudes);
  double levels = 0;
  for (const Pose &pose : body.poses)
    levels += static_cast<double>(pose.levels.size());
  return (all * found + once * levels * (threadSeconds() - start - found)) / largest;
}

/// Seconds to make what lies beside the values in a file, measured on a part of it.
static double secondsBeside(const nexus::File &file) {
  constexpr std::int64_t most = 1 << 16; // numbers of a dataset
  double seconds = 0;
  std::vector<double> some(most);
  for (const nexus::Group &group : file.groups)
    for (const nexus::Numbers &numbers : group.numbers) {
      const std::int64_t all = numbers.make ? nexus::elements(numbers.shape) : 0,
                         n = std::min(all, most);
      const double start = threadSeconds();
      if (n > 0)
        numbers.make((all - n) / 2, n, some.data());
      seconds += (threadSeconds() - start) * static_cast<double>(all) /
                 static_cast<double>(std::max<std::int64_t>(n, 1));
    }
  return seconds;
}

/// "alpha_i = 0.25 deg, "; "" in transmission; the band of a curve.
std::string SceneJob::nameOf(std::size_t way) const {
  const auto first = std::find(problem_.way.begin(), problem_.way.end(), way);
  const SceneView &view =
      problem_.layout.images[static_cast<std::size_t>(first - problem_.way.begin())];
  if (view.pixels->band() != nullptr)
    return fmt::format("|q| to {:.4g} nm^-1, ", view.pixels->band()->spheres.back().k);
  return problem_.stack.layers.empty() ? "" : fmt::format("alpha_i = {} deg, ", view.alphaI);
}

SceneJob::CostEstimate SceneJob::expect(const Workers &workers) {
  CostEstimate x;
  std::vector<double> seenOf(problem_.ways(), 0); // rows of units, whatever poses these have
  for (const SceneUnit &unit : run_.units())
    if (sizeOf(problem_, unit) > 0) {
      ++x.seen;
      seenOf[problem_.way[unit.image]] += unit.first == 0 ? 1 : 0;
    }
  // Seconds to read and turn all records and make what sums take of them, measured on one block.
  const auto passSeconds = [&](const Body &body, const SceneDecision::BodyDecision &part) {
    const Stopwatch watch;
    RecordBlocks slices(kernels_[part.kernel], part.how, typicalMesh(body), 0);
    slices.setRotation(turnOf(body, body.poses.back()));
    slices.get(0);
    const auto records = static_cast<double>(slices.records());
    return watch.seconds() * records / std::min(records, static_cast<double>(part.how.cut.records));
  };
  for (std::size_t w = 0; w < problem_.ways(); ++w)
    for (std::size_t b = 0; b < bodies().size(); ++b) {
      const ExpectedPart *part = run_.expected(w, b);
      if (part == nullptr)
        continue;
      const Choice &taken = part->choices[part->taken];
      x.oneThread += taken.seconds;
      x.passes += seenOf[w] * static_cast<double>(bodies()[b].poses.size()) *
                  passSeconds(bodies()[b], run_.decision().ways[w].parts[b]);
      x.rows += rowSeconds(w, bodies()[b]);
      x.error = std::max(x.error, taken.error);
      if (x.longest == nullptr || taken.seconds > x.longest->choices[x.longest->taken].seconds) {
        x.longest = part;
        x.longestOf = nameOf(w) + bodies()[b].title;
      }
    }
  const auto seen = static_cast<double>(std::max<std::int64_t>(x.seen, 1));
  const double turns = std::ceil(seen / workers.workers) / seen;
  x.seconds = turns * ((x.oneThread + x.rows) / workers.inside + x.passes);
  return x;
}

/// Lines on what would run, by angle and body, and on its units.
Lines SceneJob::decisionLines(const Workers &workers) {
  Lines lines;
  auto add = [&, last = std::string()](const std::string &name, const std::string &text) mutable {
    lines.emplace_back(name == last ? "" : name, text);
    last = name;
  };
  for (std::size_t w = 0; w < problem_.ways(); ++w) {
    const SceneDecision::Incidence &way = run_.decision().ways[w];
    if (way.parts.empty())
      add("would run", nameOf(w) + "all of it behind the sample");
    for (std::size_t b = 0; b < way.parts.size(); ++b) {
      const ExpectedPart &part = *run_.expected(w, b);
      const Choice &taken = part.choices[part.taken];
      add("would run",
          fmt::format("{}{}: {}, {}; {}, error {:.1e} expected", nameOf(w), bodies()[b].title,
                      name(taken), way.parts[b].how.target,
                      showSeconds(taken.seconds / workers.workers / workers.inside), taken.error));
    }
  }
  for (std::size_t w = 0; w < problem_.ways(); ++w) {
    const SceneDecision::Incidence &way = run_.decision().ways[w];
    const auto n = std::ranges::count_if(
        run_.units(), [&](const SceneUnit &unit) { return problem_.way[unit.image] == w; });
    std::string text = fmt::format("{}{} with {}", nameOf(w), n, plural(way.rows, "row"));
    if (way.blocks > 0)
      text += fmt::format(" by {}", plural(way.blocks * problem_.posesOfBlock, "pose"));
    for (std::size_t b = 0; b < way.parts.size(); ++b)
      if (const std::int64_t records = way.parts[b].how.cut.records;
          records > 0 && records < bodies()[b].mesh.blocks->size())
        text += fmt::format("; {} in blocks of {} records", bodies()[b].name, records);
    add("units", text);
  }
  return lines;
}

/// Lines on what there is to compute.
Lines SceneJob::inputLines(double pixels) const {
  const SceneLayout &layout = problem_.layout;
  Lines lines;
  if (problem_.isCurve()) {
    const std::vector<Band> &bands = layout.curve->bands;
    add(lines, "curve",
        fmt::format("{}, {} to {} directions", textOf(*layout.curve), bands.front().directions(),
                    bands.back().directions()));
  } else
    add(lines, "images", fmt::format("{}, {:.0f} in all", imagesText(), pixels));
  add(lines, "objects", objectsText());
  if (e_.objects.empty() && layout.averaged)
    add(lines, "average", fmt::format("{} orientations and sizes", poses()));
  addBodies(lines);
  for (const Body &body : bodies())
    add(lines, "mesh",
        fmt::format("{}: {} records, {}, {}", body.name, body.mesh.blocks->size(),
                    body.mesh.block > 0 ? "read in blocks" : "in memory",
                    plural(std::ssize(body.poses), "pose")) +
            (problem_.isCurve() ? sizesBehind(body.mesh.summary) : ""));
  return lines;
}

PlanReport SceneJob::outlook() {
  const double start = threadSeconds();
  take(decide(""));
  const double planning = threadSeconds() - start;
  listener_.end();
  const Workers all = workers(run_.units().size());
  const CostEstimate x = expect(all);
  double pixels = 0, seen = 0, work = 0;
  for (std::size_t i = 0; i < problem_.way.size(); ++i)
    pixels += static_cast<double>(problem_.pixels(i).rows() * problem_.pixels(i).columns());
  for (const SceneUnit &unit : run_.units()) {
    seen += unit.first == 0 ? sizeOf(problem_, unit) : 0;
    work += workOf(problem_, unit);
  }
  PlanReport look;
  look.what = inputLines(pixels);
  look.work = fmt::format("about {:.2g} q of F: {:.2e} triangle-q-points", seen, work);
  look.how = decisionLines(all);
  look.seconds = planning + secondsBeside(file_.tiled().file) + x.seconds;
  if (isStreamed(inputs_))
    look.reading = fmt::format(", {} of it reading meshes", showSeconds(x.passes / all.workers));
  look.memory = fmt::format("{}: {} of {} each", showBytes(bytesOf(all)),
                            plural(all.workers, "worker"), showBytes(run_.bytesOfEvaluator())) +
                (run_.bytesOfRecorded() > 0
                     ? fmt::format("; then {} to record images", showBytes(run_.bytesOfRecorded()))
                     : "");
  look.error = x.error;
  if (x.longest != nullptr) {
    look.ofChoices = x.longestOf;
    look.choices = x.longest->choices;
    look.taken = x.longest->choices[x.longest->taken];
  }
  return look;
}

} // namespace facet::cli
