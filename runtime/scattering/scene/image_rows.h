// image_rows.h - some rows of an image: the q' at which F is needed, and how it makes amplitudes.
#pragma once
#include "runtime/scattering/detector/pixels.h"
#include "runtime/scattering/sample/layers.h"
#include "runtime/scattering/scene/bodies.h"
#include <facet/runtime/grid.h>
#include <functional>
#include <optional>
#include <vector>

namespace facet::runtime {

struct WaveDirection;

/// How a number changes as copies of a body move, nm^-1 each.
struct PlaceSlopes {
  double height = 0;      // if all copies rise
  std::vector<Vec3> each; // by each copy, one after another, if lateral places count
};

/// How q' and factors of some rows change along a direction.
struct RowsChange {
  LayerWaveOf<DualReal> in;                   // the wave on the way in; on the way out:
  std::vector<LayerWaveOf<DualReal>> out;     // one for each set of channels
  std::vector<Channels> channels;             // of each set of channels, at the tile's height
  std::vector<std::array<double, 2>> lateral; // of each pixel; empty: they stay
  std::array<bool, 2> moves{};                // whether q'x, q'y change at all
  double rise = 0;                            // of bodies in their layer, nm
  PlaneMoves planes{};                        // of parts
};

/// Rows for bodies in one layer. A product grid keeps its structure, with a z axis four times as
/// long; a list has four points a pixel. Pixels behind the sample take part in neither.
class ImageRows {
public:
  /// `height`: of the bodies, nm (Pose::Level); the four factors of other heights are formed each
  /// time. `rows`: ascending.
  ImageRows(const Pixels &pixels, const Stack &stack, std::size_t layer, double height,
            const std::vector<std::int64_t> &rows, int threads);

  /// Where F is needed: q' of every visible pixel and channel. Empty if none is visible.
  const Grid &grid() const { return grid_; }
  std::size_t size() const { return first_.size(); } // pixels
  bool visible(std::size_t pixel) const { return first_[pixel] >= 0; }
  /// Index of a pixel's first channel on grid(), which the others follow; < 0: it is not visible.
  std::int64_t first(std::size_t pixel) const { return first_[pixel]; }

  /// The same rows for bodies at another height: q' stays as it is.
  void setHeight(double height);

  /// Adds `weight` times the amplitudes of copies at one height to `amplitude`. `f`: F on grid().
  /// With `lateral`, places in x and y count. `channel`: the only one that counts; none: all.
  void add(const std::vector<std::complex<double>> &f, const Pose::Level &level,
           std::complex<double> weight, bool lateral, std::vector<std::complex<double>> &amplitude,
           std::optional<std::size_t> channel = {}) const;

  /// Goes add() backwards, from the cotangent of its amplitudes, with dL = 2 Re sum of
  /// conj(cotangent) d amplitude. Adds the cotangent of F to `to`, and dL by the places of the
  /// copies to `places` (null: it is not wanted).
  void pull(const std::vector<std::complex<double>> &cotangent,
            const std::vector<std::complex<double>> &f, const Pose::Level &level,
            std::complex<double> weight, bool lateral, std::vector<std::complex<double>> &to,
            PlaceSlopes *places) const;

  /// How these rows, of an image, change; only with waves in layers.
  RowsChange changeOf(const Pixels &pixels, const Stack &stack, std::size_t layer,
                      const std::vector<std::int64_t> &rows, const WaveDirection &direction,
                      std::size_t image) const;
  /// Adds to `to` how the amplitudes of add() change if F changes by `df`, the copies' places by
  /// `moves` (nm, one each), and the rows by `change` (null: they stay). What a change of q' does
  /// to F is left out: see addByQ().
  void addChange(const std::vector<std::complex<double>> &f,
                 const std::vector<std::complex<double>> &df, const Pose::Level &level,
                 const std::vector<Vec3> &moves, const RowsChange *change,
                 std::complex<double> weight, bool lateral,
                 std::vector<std::complex<double>> &to) const;
  /// Adds to `to` how F changes because its q' change with the rows. `byQ`: dF / dq'x, q'y, q'z;
  /// the first two are read only if they move.
  void addByQ(const RowsChange &change, const std::array<std::vector<std::complex<double>>, 3> &byQ,
              std::vector<std::complex<double>> &to) const;

  /// The same q' of some pixels as a list, and the amplitude of one copy from F there (`at`: F of
  /// the pixel's first channel), as add() makes it without `lateral`: to compare with.
  Grid points(const std::vector<std::size_t> &pixels) const;
  std::complex<double> amplitude(const std::complex<double> *at, const Pose::Level &level,
                                 std::size_t pixel) const;
  int channelsEach() const { return grazing_ ? 4 : 1; }

private:
  std::vector<std::size_t> setPlaces(const Pixels &pixels, const std::vector<PixelView> &looks);
  void setProduct(const Pixels &pixels, std::size_t sets);
  std::complex<double> qz(std::size_t set, std::size_t channel) const;
  std::vector<std::size_t> firstOfSets() const;
  std::complex<double> copiesOf(const Pose::Level &level, bool lateral, std::size_t pixel) const;
  std::complex<double> copiesSlope(const Pose::Level &level, std::size_t pixel,
                                   const std::vector<Vec3> &moves,
                                   const std::array<double, 2> &by) const;
  std::complex<double> rising(const Pose::Level &level, const std::vector<Vec3> &moves,
                              bool lateral, std::size_t pixel) const;
  /// A height of copies, and the wave that comes in there.
  struct CopyHeight {
    double height; // nm, as of Pose::Level
    bool own;      // that of the tile
    Wave in;
  };
  CopyHeight at(const Pose::Level &level) const;
  std::complex<double> sum(const std::complex<double> *f, std::size_t pixel, const CopyHeight &at,
                           std::optional<std::size_t> channel = {}) const;
  Channels channelsAt(std::size_t pixel, const CopyHeight &at) const;
  void addPlaces(const std::vector<std::complex<double>> &one,
                 const std::vector<std::complex<double>> &rise, const Pose::Level &level,
                 bool lateral, PlaceSlopes &places) const;

  Grid grid_;
  bool grazing_, complex_; // complex q'z
  double height_;
  int threads_;
  std::vector<std::int64_t> first_; // index of a pixel's first channel in F; -1: behind
  std::vector<std::array<double, 2>> lateral_;
  std::vector<std::int32_t> place_; // the set of channels of a pixel
  LayerWave in_;                    // grazing: the wave on the way in; on the way out:
  std::vector<LayerWave> out_;      // one for each pixel, or for each row of the product
  std::vector<Channels> channels_;  // for the same, at height_
  std::vector<double> born_;        // q'z without a sample
};

} // namespace facet::runtime
