// scene.cpp - what the experiment in a result says, as data of a page: beam, layers, detector,
// particles and their meshes.
#include "runtime/app/page/report/parts.h"
#include "runtime/app/page/report/report.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <facet/runtime/experiment.h>
#include <filesystem>
#include <fmt/format.h>

namespace facet::page {

namespace fs = std::filesystem;
using nlohmann::json;
using namespace runtime;

namespace {

json beamOf(const Experiment &e) {
  return {{"probe", e.probe.empty() ? "X-rays" : e.probe},
          {"wavelength", e.wavelength},
          {"flux", e.flux},
          {"time", e.time},
          {"alpha_i", e.alphaI}};
}

json layersOf(const Experiment &e) {
  json layers = json::array();
  for (const Layer &layer : e.layers)
    layers.push_back({{"name", layer.name},
                      {"thickness", layer.thickness},
                      {"delta", layer.delta},
                      {"beta", layer.beta},
                      {"roughness", layer.roughness},
                      {"material", layer.of.material}});
  return layers;
}

json detectorOf(const Experiment &e) {
  if (!e.detector)
    return nullptr;
  const Detector &d = *e.detector;
  return {{"name", d.name},         {"rows", d.rows},
          {"columns", d.columns},   {"pixel1", d.pixel1},
          {"pixel2", d.pixel2},     {"distance", d.distance},
          {"poni1", d.poni1},       {"poni2", d.poni2},
          {"rotation", d.rotation}, {"orientation", d.orientation}};
}

std::string orientationText(const Orientations &o) {
  if (o.average != "none")
    return "average: " + o.average;
  if (o.euler.size() == 1)
    return fmt::format("Euler angles z y z {}, {}, {} degrees", o.euler[0][0], o.euler[0][1],
                       o.euler[0][2]);
  return o.euler.empty() ? "" : fmt::format("{} orientations", o.euler.size());
}

std::string shapeText(const Particle &p) {
  std::string text = p.shape;
  for (const auto &[name, numbers] : p.shapeNumbers)
    text += fmt::format(", {} {}", name, fmt::join(numbers, " "));
  return text;
}

/// Corners and columns, three numbers and one a triangle.
void addMesh(const Mesh &mesh, json &to, Blobs &blobs) {
  to["triangles"] = mesh.triangles.size();
  if (mesh.triangles.empty()) {
    to["note"] = "its records are no triangles";
    return;
  }
  if (mesh.triangles.size() > mostTriangles) {
    to["note"] = fmt::format("more than {} triangles: it is not shown", mostTriangles);
    return;
  }
  std::vector<float> corners;
  corners.reserve(9 * mesh.triangles.size());
  for (const auto &triangle : mesh.triangles)
    for (const Vec3 &corner : triangle)
      for (const double x : corner)
        corners.push_back(static_cast<float>(x));
  to["corners"] = blobs.add(corners);
  json columns = json::array();
  for (const auto &[name, values] : mesh.columns)
    if (values.size() == mesh.triangles.size() && columns.size() < 16)
      columns.push_back({{"name", name},
                         {"values", blobs.add(std::vector<float>(values.begin(), values.end()))}});
  to["columns"] = columns;
}

/// Where a mesh is: as the experiment has it, else beside the result.
std::string placeOf(const std::string &mesh, const std::string &result) {
  if (fs::exists(mesh))
    return mesh;
  const fs::path folder = fs::path(result).parent_path();
  for (const fs::path &place : {folder / mesh, folder / fs::path(mesh).filename()})
    if (fs::exists(place))
      return place.string();
  return "";
}

/// Throws Error if the mesh has not the surface, nm^2, that the run saw: then it is another.
void mustBeOfRun(const Mesh &mesh, std::optional<double> surface) {
  if (const double area = inspect(mesh).area; surface && std::abs(area - *surface) > 1e-9 * area)
    throw Error(
        "the file of the mesh",
        fmt::format("has changed: {} nm^2 of surface, and {} nm^2 when it was run", area, *surface),
        "run it again");
}

/// `surface`: of its mesh in the run, if that is known.
json particleOf(Particle p, const Experiment &e, const std::string &result,
                std::optional<double> surface, Blobs &blobs) {
  json made = {{"name", p.name},
               {"mesh", p.mesh.empty() ? shapeText(p) : p.mesh},
               {"layer", p.layer},
               {"orientation", orientationText(p.orientation)},
               {"material", p.of.material}};
  if (p.z || !e.layers.empty())
    made["z"] = p.z.value_or(0);
  for (const auto &[name, value] :
       {std::pair{"delta", p.delta}, {"beta", p.beta}, {"density", p.density}})
    if (value)
      made[name] = *value;
  if (p.size)
    made["size"] = fmt::format("{}, width {}", p.size->type, p.size->width);
  constexpr std::uintmax_t mostBytes = 100'000'000;
  try {
    if (!p.mesh.empty()) {
      const std::string place = placeOf(p.mesh, result);
      if (place.empty() || fs::file_size(place) > mostBytes) {
        made["note"] = place.empty() ? "the file of the mesh is not here"
                                     : "the file of the mesh is too large";
        return made;
      }
      p.mesh = place;
    }
    const Mesh mesh = makeMesh(p);
    mustBeOfRun(mesh, surface);
    addMesh(mesh, made, blobs);
  } catch (const std::exception &error) {
    made["note"] = error.what();
  }
  return made;
}

} // namespace

json sceneOf(const ResultFile &result, Blobs &blobs) {
  const std::string text = h5::Object(result.file).text("entry/process/experiment");
  if (text.empty())
    return nullptr;
  try {
    const Experiment e = readExperimentText(text, fs::path(result.path).filename().string());
    json particles = json::array();
    const h5::Object process = h5::Object(result.file).open("entry/process");
    for (const Particle &particle : e.particles) {
      const std::string which =
          e.particles.size() > 1 ? fmt::format("_{}", particles.size() + 1) : "";
      particles.push_back(
          particleOf(particle, e, result.path, process.numberAttribute("surface" + which), blobs));
    }
    return {{"beam", beamOf(e)},     {"layers", layersOf(e)},  {"detector", detectorOf(e)},
            {"axes", e.pictureAxes}, {"particles", particles}, {"objects", e.objects.size()},
            {"decades", e.decades},  {"log", e.scale == "log"}};
  } catch (const Error &error) { // a table of objects is gone, or the file was cut down
    return {{"note", error.what()}};
  }
}

} // namespace facet::page
