// simulation.cpp - experiments in memory for Python: texts in, images out, the interpreter's lock
// released while facet computes.
#include "runtime/app/python/arrays.h"
#include "runtime/engine/plan/choices.h"
#include <facet/runtime/simulation.h>
#include <fmt/ranges.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <tuple>

namespace nb = nanobind;
using namespace nb::literals;
using namespace facet::runtime;

namespace facet::python {
namespace {

using Say = std::function<void(const std::string &)>;

Simulation simulationOf(const std::string &text, const std::string &name,
                        const std::string &schedules, const Say &say,
                        const std::string &decisions) {
  const nb::gil_scoped_release released;
  return Simulation(readExperimentText(text, name), {schedules, say, false, decisions});
}

using Numbers = facet::python::In<double, nb::ndim<1>>;
using NamedNumbers = std::vector<std::pair<std::string, std::vector<std::complex<double>>>>;

/// Where a curve of a fit is taken: these directions with their weights, or those of a body of
/// revolution.
using DirectionsIn = std::tuple<std::vector<std::array<double, 3>>, std::vector<double>, bool>;
/// accuracy, threads, algorithm, precision, target, memory, seed
using OptionsIn =
    std::tuple<double, int, std::string, std::string, std::string, std::string, std::uint64_t>;

/// Widths by the keys of [resolution].
using Widths = std::map<std::string, std::vector<double>>;
Resolution resolutionOf(Widths widths) {
  return {std::move(widths["dq"]), std::move(widths["dq_over_q"]), std::move(widths["slit_length"]),
          std::move(widths["slit_width"])};
}

Simulation curveOf(const std::string &kernel, const Numbers &q, DirectionsIn directions,
                   const OptionsIn &options, const NamedNumbers &parameters, const Mesh &mesh,
                   const std::string &schedules, Widths widths, const Say &say,
                   const std::string &decisions) {
  Experiment e;
  e.resolution = resolutionOf(std::move(widths));
  e.kernel = kernel;
  e.curve = fmt::format("{}", fmt::join(q.data(), q.data() + q.size(), ","));
  auto &[at, weights, revolution] = directions;
  e.directions = {revolution, std::move(at), std::move(weights)};
  std::tie(e.accuracy, e.threads, e.algorithm, e.klass, e.target, e.memory, e.seed) = options;
  checkAccuracy(e.accuracy);
  e.klass = e.klass == "auto" ? "" : e.klass;
  e.parameters.assign(parameters.begin(), parameters.end());
  const nb::gil_scoped_release released;
  return Simulation(std::move(e), {schedules, say, true, decisions}, &mesh);
}

void updateCurve(Simulation &simulation, const NamedNumbers &parameters, const Mesh *mesh,
                 Widths widths) {
  const nb::gil_scoped_release released;
  Experiment e = simulation.experiment();
  e.resolution = resolutionOf(std::move(widths));
  e.parameters.assign(parameters.begin(), parameters.end());
  simulation.update(std::move(e), mesh);
}

void update(Simulation &simulation, const std::string &text, const std::string &name) {
  const nb::gil_scoped_release released;
  simulation.update(readExperimentText(text, name));
}

template <class T> Out<T> inShape(const SimulatedImage &image, const std::vector<T> &values) {
  std::vector<std::size_t> shape;
  for (const SimulatedImage::Axis &axis : image.axes)
    shape.push_back(axis.values.size());
  return arrayOf(values, shape);
}

using Axes = std::vector<std::tuple<std::string, std::string, Out<double>>>;

Axes axesOf(const SimulatedImage &image) {
  Axes axes;
  for (const SimulatedImage::Axis &axis : image.axes)
    axes.emplace_back(axis.name, axis.unit, arrayOf(axis.values, {axis.values.size()}));
  return axes;
}

SimulatedGradient gradientOf(Simulation &simulation, const std::vector<Numbers> &cotangent,
                             bool corners, const std::vector<std::string> &keys) {
  std::vector<std::vector<double>> by;
  for (const Numbers &of : cotangent)
    by.emplace_back(of.data(), of.data() + of.size());
  const nb::gil_scoped_release released;
  return simulation.gradient(by, {corners, keys});
}

/// By keys, number by number, image by image.
using Slopes = std::map<std::string, std::vector<std::vector<Out<double>>>>;

Slopes slopesOf(Simulation &simulation, const std::vector<std::string> &keys) {
  SimulatedSlopes found;
  {
    const nb::gil_scoped_release released;
    found = simulation.slopes(keys);
  }
  Slopes all;
  for (const auto &[key, numbers] : found.keys)
    for (const auto &images : numbers) {
      auto &arrays = all[key].emplace_back();
      for (std::size_t i = 0; i < images.size(); ++i)
        arrays.push_back(inShape(simulation.images()[i], images[i]));
    }
  return all;
}

std::vector<Out<double>> structureOf(const Simulation &simulation) {
  std::vector<Out<double>> all;
  for (const std::vector<double> &values : simulation.structure())
    all.push_back(inShape(simulation.images()[all.size()], values));
  return all;
}

void addSimulatedGradient(nb::module_ &m) {
  nb::class_<SimulatedGradient>(m, "SimulatedGradient")
      .def("corners",
           [](const SimulatedGradient &g) {
             std::vector<Out<double>> all;
             for (const Corners &of : g.corners)
               all.push_back(arrayOf(of));
             return all;
           })
      .def_ro("keys", &SimulatedGradient::keys)
      .def_ro("error", &SimulatedGradient::error)
      .def_ro("seconds", &SimulatedGradient::seconds);
}

void addSimulated(nb::module_ &m) {
  nb::class_<SimulatedImage> image(m, "SimulatedImage");
  read(image, "name", &SimulatedImage::name, "title", &SimulatedImage::title, "directions",
       &SimulatedImage::directions);
  image.def("axes", &axesOf)
      .def("intensity", [](const SimulatedImage &i) { return inShape(i, i.intensity); })
      .def_prop_ro("has_errors", [](const SimulatedImage &i) { return !i.errors.empty(); })
      .def("errors", [](const SimulatedImage &i) { return inShape(i, i.errors); })
      .def_prop_ro("has_amplitude", [](const SimulatedImage &i) { return !i.amplitude.empty(); })
      .def("amplitude", [](const SimulatedImage &i) { return inShape(i, i.amplitude); });
  read(nb::class_<Simulated>(m, "Simulated"), "seconds", &Simulated::seconds, "planned",
       &Simulated::planned, "meshes", &Simulated::meshes, "evaluations", &Simulated::evaluations,
       "reused", &Simulated::reused);
}

} // namespace

void addSimulation(nb::module_ &m) {
  addSimulated(m);
  addSimulatedGradient(m);
  nb::class_<Simulation>(m, "Simulation")
      .def_static("of", &simulationOf, "text"_a, "name"_a, "schedules"_a, "say"_a.none(),
                  "decisions"_a = "")
      .def_static("of_curve", &curveOf)
      .def("update", &update, "text"_a, "name"_a)
      .def("update_curve", &updateCurve, "parameters"_a, "mesh"_a.none(), "resolution"_a)
      .def(
          "execute", [](Simulation &s) { s.execute(); }, nb::call_guard<nb::gil_scoped_release>())
      .def("gradient", &gradientOf, "cotangent"_a, "corners"_a, "keys"_a)
      .def("slopes", &slopesOf, "keys"_a)
      .def("error", &Simulation::error, nb::call_guard<nb::gil_scoped_release>())
      .def("listen", &listen<Simulation>, "told"_a.none())
      .def("listen_no_more", [](Simulation &s) { s.setProgress({}); })
      .def("curve",
           [](const Simulation &s) { return inShape(s.images()[0], s.images()[0].intensity); })
      .def_prop_ro("images",
                   [](const Simulation &s) { return std::vector<SimulatedImage>(s.images()); })
      .def("structure", &structureOf)
      .def_prop_ro("toml", [](const Simulation &s) { return toToml(s.experiment()); })
      .def_prop_ro("title", [](const Simulation &s) { return s.experiment().title; })
      .def_prop_ro("noise", [](const Simulation &s) { return s.experiment().noise; })
      .def_prop_ro("counted", [](const Simulation &s) { return s.experiment().flux > 0; })
      .def_prop_ro("quantity", &Simulation::quantity)
      .def_prop_ro("unit", &Simulation::unit)
      .def_prop_ro("amplitude_name", &Simulation::amplitudeName)
      .def_prop_ro("amplitude_unit", &Simulation::amplitudeUnit)
      .def_prop_ro("decision", &Simulation::decision)
      .def_prop_ro("decisions", &Simulation::decisions)
      .def("follow", &Simulation::follow, GilRelease())
      .def("last", &Simulation::last, nb::rv_policy::copy);
}

} // namespace facet::python
