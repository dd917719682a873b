// derivatives.cpp - vertices of meshes; sums of what units leave; what the result and its reader
// get.
#include "runtime/app/jobs/derivatives.h"
#include "runtime/engine/records/geometry.h"
#include "runtime/engine/system/budget.h"
#include "runtime/engine/system/hash.h"
#include "runtime/engine/system/text.h"
#include "runtime/engine/system/units.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace facet::cli {
using namespace facet::runtime;

Derivatives::Derivatives(const JobOptions &how, std::vector<Observation::Image> images,
                         const std::string &unit, int threads, double memory)
    : how_(how), observed_(how.gradientOf, std::move(images)), threads_(threads), memory_(memory) {
  if (!observed_.weighed())
    unit_ = unit.empty() ? "arbitrary" : unit == "1" ? "" : toPower(unit, 2);
}

Error Derivatives::tooLarge(const std::string &mesh) {
  return {mesh, "does not fit the memory, and derivatives are not summed a block at a time",
          "allow more (--memory)"};
}

void Derivatives::addMesh(std::size_t particle, Mesh mesh) {
  if (mesh.triangles.empty())
    throw Error(mesh.name, "has no corners of triangles to differentiate by",
                "give a mesh of triangles with their corners");
  VertexMesh of;
  of.group = particle == 0 ? "gradient" : fmt::format("gradient_{}", particle + 1);
  of.name = mesh.name.substr(mesh.name.find_last_of('/') + 1);
  const std::vector<std::uint32_t> same = weld(mesh, 0);
  std::vector<double> number(same.size());
  for (std::size_t c = 0; c < same.size(); ++c) {
    if (same[c] == c) {
      const std::size_t vertices = of.vertices.size() / 3;
      number[c] = static_cast<double>(vertices);
      const Vec3 &place = mesh.triangles[c / 3][c % 3];
      of.vertices.insert(of.vertices.end(), place.begin(), place.end());
    }
    of.faces.push_back(number[same[c]]);
  }
  records_ += static_cast<double>(mesh.size());
  meshes_.push_back(std::move(of));
}

std::vector<double> Derivatives::VertexMesh::byVertex(const Corners &corners) const {
  std::vector<double> sums(vertices.size());
  for (std::size_t c = 0; c < faces.size(); ++c)
    for (std::size_t k = 0; k < 3; ++k)
      sums[3 * static_cast<std::size_t>(faces[c]) + k] += corners[c / 3][c % 3][k];
  return sums;
}

void Derivatives::addGroup(const VertexMesh &mesh, nexus::File &file) const {
  const std::string unit = unit_.empty() ? "1/nm" : unit_ + "/nm";
  nexus::Group &group = file.groups.emplace_back();
  group.name = mesh.group;
  group.title = fmt::format("{}: dL by {} vertices, L {}", mesh.name, mesh.vertices.size() / 3,
                            observed_.text());
  group.attributes["observed"] = how_.gradientOf;
  group.signals.push_back({"slope",
                           nexus::Element::Real,
                           {std::ssize(mesh.vertices) / 3, 3},
                           unit,
                           fmt::format("dL / d vertex ({})", unit)});
  group.numbers.push_back({"vertices",
                           {std::ssize(mesh.vertices) / 3, 3},
                           mesh.vertices.data(),
                           "nm",
                           "places of vertices (nm)"});
  group.numbers.push_back({"faces",
                           {std::ssize(mesh.faces) / 3, 3},
                           mesh.faces.data(),
                           "1",
                           "numbers of a triangle's vertices, from 0"});
}

void Derivatives::addTo(TiledFile &file) {
  for (const VertexMesh &mesh : meshes_)
    addGroup(mesh, file.file);
  first_ = file.aside;
  file.aside += ofUnit() * std::ssize(work_);
}

Workers Derivatives::workers(std::size_t todo) const {
  const double each = bytes::ofDerivedRecord * records_ + bytes::ofPlannedQ * largestUnit_,
               fit = (bytes::shareOfWorkers * memory_ - bytes::program) / std::max(each, 1.0);
  const int most = onDevice_ ? 1 : static_cast<int>(std::clamp(fit, 1.0, 1024.0));
  return {
      std::clamp(std::min(most, static_cast<int>(std::min<std::size_t>(todo, 1024))), 1, threads_),
      1};
}

OneUnit Derivatives::worker(const Attempt &attempt, const std::atomic<bool> *leave) {
  return [this, &attempt, sum = sum(attempt, leave)](std::int64_t k) {
    Misfit misfit;
    std::vector<double> all = sum(k, misfit);
    all.insert(all.begin(), {misfit.value, misfit.pixels, misfit.leftOut});
    const std::int64_t at = first_ + k * ofUnit();
    TiledResult &result = attempt.result;
    result.write(attempt.first + k, result.dataset(asideName), {at}, {at + std::ssize(all)},
                 all.data());
    result.finishUnit(attempt.first + k);
    if (attempt.progress)
      attempt.progress(work_[static_cast<std::size_t>(k)]);
  };
}

void Derivatives::finish(TiledResult &result, RunReport &found) {
  misfit_ = {};
  const MisfitGradient made = make([&](std::int64_t k) {
    std::vector<double> all(static_cast<std::size_t>(ofUnit()));
    const std::int64_t at = first_ + k * ofUnit();
    result.read(result.dataset(asideName), {at}, {at + ofUnit()}, all.data());
    misfit_.value += all[0];
    misfit_.pixels += all[1];
    misfit_.leftOut += all[2];
    all.erase(all.begin(), all.begin() + 3);
    return all;
  });
  double largest = 0;
  for (std::size_t i = 0; i < meshes_.size(); ++i) {
    const std::vector<double> slope = meshes_[i].byVertex(made.corners[i]);
    for (std::size_t v = 0; v < slope.size(); v += 3)
      largest = std::max(largest, std::hypot(slope[v], slope[v + 1], slope[v + 2]));
    result.put(result.dataset("/entry/" + meshes_[i].group + "/slope"), {0, 0},
               {std::ssize(slope) / 3, 3}, slope.data());
  }
  say(made, largest, found);
}

void Derivatives::say(const MisfitGradient &made, double largest, RunReport &found) const {
  const std::string ofL = unit_.empty() ? "" : " " + unit_;
  Lines &lines = found.derivatives;
  add(lines, "misfit",
      fmt::format("L = {:.6g}{}: {} over {:.0f} {}{}", misfit_.value, ofL, observed_.text(),
                  misfit_.pixels, observed_.noun(),
                  misfit_.leftOut > 0 ? fmt::format(", {:.0f} left out", misfit_.leftOut) : ""));
  std::int64_t vertices = 0;
  for (const VertexMesh &mesh : meshes_)
    vertices += std::ssize(mesh.vertices) / 3;
  add(lines, "slopes",
      fmt::format("dL by {}, the largest {:.3g}{}/nm; {}, {:.3f} s{}{}",
                  vertices == 1 ? "1 vertex" : fmt::format("{} vertices", vertices), largest,
                  unit_.empty() ? " 1" : ofL, found.unitsOfDerivatives, found.secondsOfDerivatives,
                  made.device.empty() ? "" : ", by " + made.device,
                  made.error > 0 ? fmt::format("; {:.1e} off direct sums at most, of ten triangles",
                                               made.error)
                                 : ""));
  nexus::Process &process = found.process;
  for (const auto &[key, numbers] : made.keys) {
    add(lines, "", fmt::format("dL / d {} = {:.6g}", key, fmt::join(numbers, ", ")));
    for (std::size_t k = 0; k < numbers.size(); ++k)
      process.numbers[fmt::format("slope_{}{}", key,
                                  numbers.size() > 1 ? fmt::format(".{}", k) : "")] = numbers[k];
  }
  process.provenance["observed"] = how_.gradientOf;
  process.provenance["misfit_is"] = observed_.text();
  process.numbers["misfit"] = misfit_.value;
  process.numbers["misfit_pixels"] = misfit_.pixels;
  process.numbers["misfit_left_out"] = misfit_.leftOut;
  process.numbers["seconds_of_derivatives"] = found.secondsOfDerivatives;
  process.numbers["error_of_derivatives"] = made.error;
}

std::string Derivatives::hash(const Experiment &e) const {
  Hash all;
  all.field(observed_.hash());
  all.field(e.algorithm); // which may be another than that of the values
  for (const std::string &key : how_.gradientKeys)
    all.field(key);
  return all.hex();
}

} // namespace facet::cli
