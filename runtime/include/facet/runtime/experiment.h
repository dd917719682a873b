// experiment.h - an experiment file (TOML): kernel, particle, grid, accuracy, output.
#pragma once
#include "grid.h"
#include "mesh.h"
#include "parameters.h"
#include "scene.h"
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace facet::runtime {

/// Everything `facet run` needs, with every default filled in. Lengths nm, q nm^-1.
struct Experiment {
  std::vector<std::string> files; // that it was read from: its own, a calibration, objects
  std::string title;
  std::string kernel; // a kernel's name or file
  NamedParameters parameters;

  // the particle: a mesh file, or a shape by name
  std::string mesh;
  double unit = 1; // nm for one unit of the mesh file
  std::string shape;
  std::map<std::string, std::vector<double>> shapeNumbers; // one number, or three
  std::map<std::string, double> columns;                   // constant columns, added to the mesh
  std::optional<std::array<double, 3>> euler;              // degrees, z y z

  // the grid: axes as text for parseAxis(), or a file of points
  std::array<std::string, 3> axes{"0", "0", "0"};
  std::string points;

  double accuracy = 1e-5;         // relative to max|F|
  std::string algorithm = "auto"; // or "direct", "separable", "nufft"
  std::string memory;             // allowed, "8GB"; "": most of what is free
  std::string klass;              // "" (by accuracy), "f32", "f32-careful", "f64"
  std::string target;             // "": the best
  int threads = 0;                // 0: all
  std::uint64_t seed = 1;

  std::string output = "facet.h5";
  std::string picture; // "": beside the output; "none"
  std::string scale = "log", quantity = "|F|^2";
  double decades = 6;
  std::string fUnit; // of F, for labels: "nm^3"

  /// There where the file speaks of more than one particle on a grid: then particle, shape and
  /// grid above are those of the scene, and `axes` and `points` are empty where it has a detector,
  /// angles or a curve.
  std::optional<Scene> scene;
};

/// Reads an experiment file. Paths of inputs are relative to its folder, of outputs to the current
/// one. Throws Error with line, and the nearest known key for an unknown one.
Experiment readExperiment(const std::string &path);
/// Title, beam and sample alone of an experiment file, in `scene`: what waves in layers need. The
/// rest may be there or not, and is not read. Throws Error likewise, and without a sample with an
/// interface.
Experiment readBeamAndSample(const std::string &path);
/// The same of a text, whose paths are taken as they are; `name`: where it is from, for messages.
Experiment readExperimentText(const std::string &text, const std::string &name);
/// The experiment as TOML with every default, so that a result can be run again.
std::string toToml(const Experiment &experiment);
/// "torus,R=20,r=5" into shape and shapeNumbers.
void setShape(Experiment &experiment, const std::string &text);

/// `roles`: of the columns of the kernel (rolesOf), which turn with the rest.
Mesh makeMesh(const Experiment &experiment, std::int64_t *dropped = nullptr,
              const ColumnRoles &roles = {});
Grid makeGrid(const Experiment &experiment);
/// Rotation matrix, row-major, of Euler angles in degrees about z, then the new y, then the new z.
std::array<double, 9> eulerZyz(const std::array<double, 3> &degrees);

} // namespace facet::runtime
