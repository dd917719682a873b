// output.h - results to HDF5 (NeXus NXdata) and to pictures.
#pragma once
#include "grid.h"
#include "mesh.h"
#include <complex>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace facet::runtime {

/// A parameter of the kernel that took one value after the other.
struct Sweep {
  std::string name;
  std::vector<double> values;
};

/// An output of F by its name, that of the group of its values in files.
struct NamedOutput {
  std::string name;      // "": the only one
  bool isComplex = true; // false: stored as real numbers; with a name drawn as they are
};

/// F on a grid and what is to be said about it.
struct Output {
  const Grid *grid = nullptr;
  const std::vector<std::complex<double>> *f = nullptr; // grid order, z fastest
  const Sweep *sweep = nullptr; // F has the grid once for each of its values, slowest; null: none
  std::string title;
  std::string unit; // of F: "nm^3" for a volume form factor; empty: not stated
  std::map<std::string, std::string> provenance; // stored as attributes of /entry/process
  std::map<std::string, double> numbers;         // measured_error, contract, TQP/s ...: likewise
  std::string experiment; // the whole TOML with defaults, so that it can be run again
  /// F has the grid once for each, slowest; empty: there is one, complex and without a name. A
  /// sweep has one at most.
  std::vector<NamedOutput> outputs = {};
  std::string name = {}; // of the one that is drawn; "": F
};

/// Writes F and |F|^2, of outputs with names those of each, as NeXus NXdata (silx, h5web and DAWN
/// draw the default). Written under a
/// temporary name and renamed when whole. Throws Error (unwritable folder, full disk).
void writeHdf5(const Output &output, const std::string &path);

/// A result read back, with what it says about itself.
struct Result {
  Grid grid;
  std::vector<std::complex<double>> f;
  std::string title, unit, experiment;
  std::map<std::string, std::string> provenance;
  std::map<std::string, double> numbers;
  std::optional<Sweep> sweep;
  std::vector<NamedOutput> outputs; // of which f has the grid once for each
  /// The same as an Output that points into this Result.
  Output output() const;
};
/// Throws Error: no HDF5 file, or not written by facet.
Result readHdf5(const std::string &path);
/// Whether an HDF5 file holds F on a grid, which readHdf5 reads; else it may be of a scene or a
/// curve. Throws Error: no HDF5 file.
bool holdsF(const std::string &path);

/// The provenance of a result alone, with nothing else of the file read; empty if it has none.
/// Throws Error: no HDF5 file.
std::map<std::string, std::string> readProvenance(const std::string &path);

struct PictureOptions {
  bool log = true;
  double decades = 6;             // of the colour scale, below the maximum
  std::string quantity = "|F|^2"; // or "|F|", "re", "im", "phase" (the last three are drawn linear)
  int width = 1200, height = 900; // pixels of a PNG, of which an SVG takes the proportions
};
/// A PNG, SVG or PDF, by extension, with axes, units, colour scale and colour bar. It is an image
/// if two axes are longer than 1 (of three: the middle of the first) or points have rows and
/// columns. It is a curve if one axis is longer than 1, else a scatter of points. Written under a
/// temporary name and renamed.
void writePicture(const Output &output, const std::string &path,
                  const PictureOptions &options = {});

/// The same, a picture for each output, with its name before the ending, "out_up.png". A real
/// output shows |F| where |F|^2 is asked for. A sweep has a picture for each of its values, with
/// name and value: "out_kappa_0.1.png". At most five are drawn, the first and the last among them.
/// Returns the files written.
std::vector<std::string> writePictures(const Output &output, const std::string &path,
                                       const PictureOptions &options = {});
/// Before minutes of work: throws the Error of a picture that could not be written.
void checkPicture(const std::string &path);

struct ViewOptions {
  double azimuth = 35, elevation = 25; // degrees: where the eye is
  bool edges = true;                   // draw the triangles' edges if they are large enough to see
  int width = 1200, height = 900;
};
/// What a number changes by with each corner of a mesh's triangles; corners at the same place have
/// the same.
struct MeshSlopes {
  std::vector<std::array<Vec3, 3>> corners;
  std::string label, title; // of the colours; of the picture
};
/// A shaded picture of a mesh with a box of axes in nm; PNG, SVG or PDF by extension. With `slopes`
/// triangles have colours by how much these point outwards, along the normal of the surface at each
/// vertex. Red: the number grows as the surface moves outwards; blue: it falls. Null: the mesh is
/// golden.
void writeMeshPicture(const Mesh &mesh, const std::string &path, const ViewOptions &options = {},
                      const MeshSlopes *slopes = nullptr);

} // namespace facet::runtime
