// scene_file.h - the result of a scene, described before anything is computed, written by rows.
//
// Laid out at once (TiledFile): the groups with all that is known, such as q and angles of every
// pixel. Written by units, in any order: rows of I, and of what stands beside it. Written when all
// units are finished (TiledResult::finalise): line cuts, from bands of rows of the images. Held in
// memory: axes, and places along cuts; of pixels' numbers only blocks of 2^18 at a time.
#pragma once
#include "runtime/engine/store/tiled_result.h"
#include "runtime/scattering/arrangement/arrangement.h"
#include "runtime/scattering/detector/pixels.h"
#include "runtime/scattering/output/recorded.h"
#include <array>
#include <complex>
#include <functional>
#include <list>
#include <optional>
#include <span>

namespace facet::runtime {

/// Waves in a layer at a height.
struct FresnelWaves {
  std::size_t layer = 0;
  double height = 0; // nm, as LayerWaveOf::at() takes it
  /// T and R of the wave that comes in, of each image.
  std::vector<std::array<std::complex<double>, 2>> in{};
};
/// What the layers reflect of the beam.
struct SpecularBeam {
  double alphaI, reflectivity; // deg
  /// Where it meets the detector, centres of pixels at whole numbers; NaN if it does not.
  double row, column;
  double photons; // NaN without a flux
};

/// What a scene's file holds.
struct SceneLayout {
  std::vector<SceneView> images; // that are computed
  std::string quantity, unit;    // of the intensity: "dsigma/dOmega", "nm^2"
  std::string amplitudeName, amplitudeUnit;
  bool averaged = false;  // errors are computed
  bool amplitude = false; // and the complex amplitude
  bool terms = false;     // and those of the four channels
  /// The waves at the particles' height; none: they are not written.
  std::optional<FresnelWaves> fresnel{};
  std::vector<SpecularBeam> specular{}; // of each angle of incidence; empty: it is not written
  std::shared_ptr<const Spheres> curve; // null: images
  /// S of the arrangement; null: there is none, or a curve has it in the weights of its spheres.
  std::shared_ptr<const StructureFactor> structure{};
  /// One for each image; empty: a detector records what it gets.
  std::vector<std::shared_ptr<const PointSpread>> spreads{};
  std::vector<BeamNode> beams{};     // of each image that is recorded
  std::vector<SceneView> recorded{}; // images of the mean beam, if there are beams
  /// What the file has.
  const std::vector<SceneView> &seen() const { return beams.empty() ? images : recorded; }
  bool hasErrors() const { return averaged || !beams.empty(); } // I_errors
  /// Whether images are made of those that are computed, once these are whole.
  bool blurs() const { return !spreads.empty() || !beams.empty(); }
};

/// S at pixels of an image from number `first` on, row by row; NaN behind the sample.
void structureAt(const StructureFactor &structure, const Pixels &pixels, std::int64_t first,
                 std::int64_t count, int threads, double *to);

/// Where a cut goes through an image: the pixels of its band, by steps along it. It meets column
/// after column, or row after row: these are its lines. A band without a width takes the pixels of
/// each line that are nearest to it. A step is a line. If lines have places in common, as on a
/// detector that is turned, steps are even, and as many as lines.
struct CutPlan {
  /// Throws Error if no pixel is in the band.
  CutPlan(const Pixels &pixels, const LineCut &cut);

  /// The mean over the pixels of each step. `read`: returns the values of rows [first, last); it is
  /// called for `rows` rows at a time.
  std::vector<double>
  means(const Pixels &pixels, std::int64_t rows,
        const std::function<const double *(std::int64_t first, std::int64_t last)> &read) const;

  LineCut cut;
  std::vector<double> at; // ascending: the mean place of each step's pixels

private:
  void setBand(const Pixels &pixels);
  void setPlaces(const std::vector<double> &sums, const std::vector<double> &counts);
  std::size_t lineOf(std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>(byRows_ ? row : column);
  }
  /// The place of a pixel along the cut; NaN if it is not in the band.
  double placeAt(const Pixels &pixels, std::int64_t row, std::int64_t column) const;
  std::size_t stepOf(double place, std::int64_t row, std::int64_t column) const;
  std::int64_t firstRow_ = 0, lastRow_ = 0; // rows outside [first, last) have none of its pixels
  bool byRows_ = false;                     // a line is a row
  std::vector<double> reach_;               // of each line: how far from it its pixels may be
  double low_ = 0, step_ = 0;               // even steps; step_ 0: a line is a step
  std::vector<std::size_t> places_;         // the place of a step in `at`
  std::vector<bool> rowIn_, columnIn_;      // whether the band may cross it
};

/// The unit of a cut's coordinate: "1/nm", "deg", "pixels".
std::string unitOfCut(const std::string &coordinate);

/// The numbers of some rows of an image, row by row.
struct UnitRows {
  std::vector<double> intensity;               // NaN behind the sample; for a curve |F|^2
  std::vector<double> errors;                  // |I - I of half the order|; for averages
  std::vector<std::complex<double>> amplitude; // if requested
  std::array<std::vector<std::complex<double>>, 4> terms{}; // by channel, likewise
  std::array<std::vector<std::complex<double>>, 2> out{};   // T_f and R_f, likewise
};
/// The shape of an image in a file: without an axis of one value.
nexus::Shape shapeOf(const Pixels &pixels);

/// Owns what tiled() points at: it outlives every TiledResult that is made of it.
class SceneFile {
public:
  /// Throws Error for a cut that meets no pixel.
  SceneFile(const Experiment &experiment, SceneLayout layout);
  SceneFile(SceneFile &&) = delete;
  ~SceneFile() = default;

  const SceneLayout &layout() const { return layout_; }
  /// For TiledResult::create, resume and join. Its cuts are made by finalise().
  const TiledFile &tiled() const { return tiled_; }

  /// The datasets of an image, "/entry/image/I"; "" for what it does not have.
  struct Sets {
    std::string intensity, errors, amplitude;
    std::array<std::string, 4> terms{};
    std::array<std::string, 2> out{};
  };
  const Sets &sets(std::size_t image) const { return sets_[image]; }
  std::size_t images() const { return sets_.size(); } // that are recorded
  static constexpr const char *structureName = "S";   // of datasets
  /// "S from 0.21 to 1.4", of all images or of the curve; "" without an arrangement.
  std::string structureText() const;

  /// How many numbers rows take in the dataset `asideName`, from the first on: those of a curve,
  /// and of images that others are made of.
  std::int64_t aside() const { return before_.back(); }
  /// An image that is recorded, from all rows.
  SharpImage recorded(const TiledResult &result, std::size_t image) const;
  /// Writes all of these, once all units are finished.
  void record(TiledResult &result) const;
  /// The curve from its rows, once all units are finished: what finalise() writes. `errors`: of F,
  /// relative to the largest in each band.
  const Curve &curveFrom(const TiledResult &result, const std::vector<double> &errors);
  /// The intensities of the curve alone.
  std::vector<double> intensityOfCurve(const TiledResult &result) const;

  /// Writes rows first <= row < last of an image as part of a unit. A list of pixels in one row has
  /// only row 0. Several threads may call this. `unit` < 0: rows of no unit, which are made of
  /// finished ones.
  void write(TiledResult &result, std::int64_t unit, std::size_t image, std::int64_t first,
             std::int64_t last, const UnitRows &rows) const;
  /// Reads rows of finished units back; null: not wanted.
  void read(const TiledResult &result, std::size_t image, std::int64_t first, std::int64_t last,
            double *intensity, double *errors) const;

private:
  void addImage(const Experiment &experiment, const SceneView &view);
  void addAmplitude(nexus::Group axes, const std::string &title, const SceneView &view);
  void addTerms(nexus::Group axes, const std::string &title, const SceneView &view);
  void addFresnel(nexus::Group axes, const std::string &title, const SceneView &view);
  void addSpecular(const std::string &title);
  void addCuts(const Experiment &experiment, std::size_t image);
  void addNoise(nexus::Group axes, const std::string &title, const SceneView &view);
  nexus::Numbers structureOf(const std::shared_ptr<const Pixels> &pixels,
                             const nexus::Shape &shape);
  void addStructure(nexus::Group axes, const nexus::Group &image);
  void note(std::span<const double> structure) const { // NaN are passed over
    for (const double s : structure)
      leastS_ = std::min(leastS_, s), mostS_ = std::max(mostS_, s);
  }
  void addOthers(const nexus::Group &axes, const nexus::Group &image, const SceneView &view);
  nexus::Group axesOf(const SceneView &view);
  std::vector<nexus::Signal> intensity(const nexus::Shape &shape, bool image,
                                       const char *errors) const;
  void complete(TiledResult &result) const;
  void completeNoise(TiledResult &result, std::uint64_t seed) const;
  std::int64_t asideOf(const SceneView &view) const;
  void addCurve(const std::string &title);
  void setPerAngstrom();
  Curve curve(const TiledResult &result, const std::vector<double> &errors) const;
  std::vector<double> sumsOf(std::size_t image, std::int64_t first, std::int64_t last,
                             const UnitRows &rows) const;
  std::int64_t numbersOfRow() const { return layout_.amplitude ? 5 : 3; }

  SceneLayout layout_;
  std::optional<std::uint64_t> noise_; // its seed
  int threads_;                        // that compute what is known of pixels
  TiledFile tiled_;
  std::vector<Sets> sets_;
  /// Plans of cuts, by image; all slices of an angle share theirs.
  std::vector<std::vector<std::shared_ptr<const CutPlan>>> cuts_;
  std::list<ImageAxis> axes_;
  std::list<double> numbers_;
  std::list<std::vector<double>> lists_;
  std::vector<std::int64_t> before_{0}; // numbers set aside before those of each image, and all
  Curve curve_;
  nexus::Group slices_;                                  // the first image of a third axis
  mutable double leastS_ = HUGE_VAL, mostS_ = -HUGE_VAL; // as far as S was made
};

} // namespace facet::runtime
