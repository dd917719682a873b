// tile.h - some rows of an image: the q' at which F is needed, and how it makes amplitudes.
#pragma once
#include "runtime/experiment/physics/layers.h"
#include "runtime/experiment/scene/bodies.h"
#include "runtime/experiment/scene/images/pixels.h"
#include <facet/runtime/grid.h>
#include <functional>
#include <vector>

namespace facet::runtime {

/// What a number changes by as copies of a body move, nm^-1 each.
struct PlaceSlopes {
  double height = 0;      // all of them
  std::vector<Vec3> each; // one after another, where lateral places count
};

/// What the sample and the beam change by along a direction.
struct SceneChange {
  StackChange stack;
  double alphaI = 0; // rad
};

/// Where pixels look as alpha_i and the top layer change: images at the steps of FourPoints along a direction; none: no pixel
/// looks elsewhere.
struct LooksAround {
  std::array<const Pixels *, 4> at{};
  double step = 0;
};

/// What q' and factors of some rows change by along a direction.
struct TileChange {
  std::vector<Channels> channels;             // of each set of them, at the tile's height
  std::vector<std::array<double, 2>> lateral; // of each pixel; empty: they stay
  std::array<bool, 2> moves{};                // whether q'x, q'y do at all
  double rise = 0;                            // of bodies, nm, with the floor of their layer
};

/// For bodies in one layer. A product grid keeps its structure, with a z axis four times as long; a
/// list has four points a pixel. Pixels behind the sample take part in neither.
class Tile {
public:
  /// `height`: of the bodies, nm (Pose::Level): near it the four factors are formed. `rows`:
  /// ascending.
  Tile(const Pixels &pixels, const Stack &stack, std::size_t layer, double height,
       const std::vector<std::int64_t> &rows, int threads);

  /// Where F is needed: q' of every visible pixel and channel. Empty if none is visible.
  const Grid &grid() const { return grid_; }
  std::size_t size() const { return first_.size(); } // pixels
  bool visible(std::size_t pixel) const { return first_[pixel] >= 0; }

  /// The same rows for bodies at another height: q' stays as it is.
  void setHeight(double height);

  /// Adds `weight` times the amplitudes of copies at one height to those that are there. `f`: F on
  /// grid(). With `lateral`, places in x and y count.
  void add(const std::vector<std::complex<double>> &f, const Pose::Level &level,
           std::complex<double> weight, bool lateral,
           std::vector<std::complex<double>> &amplitude) const;

  /// Backwards: from the cotangent of the amplitudes of add(), with dL = 2 Re sum of conj(cotangent) d amplitude, that of F, which is added to
  /// `to`, and dL by the places of the copies, also added; `places` null: it is not wanted.
  void pull(const std::vector<std::complex<double>> &cotangent,
            const std::vector<std::complex<double>> &f, const Pose::Level &level,
            std::complex<double> weight, bool lateral, std::vector<std::complex<double>> &to,
            PlaceSlopes *places) const;

  /// What these rows change by; only with waves in layers.
  TileChange changeOf(const Pixels &pixels, const Stack &stack, std::size_t layer,
                      const std::vector<std::int64_t> &rows, const SceneChange &change,
                      const LooksAround &around) const;
  /// Adds to `to` what the amplitudes of add() change by: as F does by `df`, the copies' places by `moves` (nm, one each), the rows
  /// by `change`, but for F itself; null: they stay.
  void addChange(const std::vector<std::complex<double>> &f,
                 const std::vector<std::complex<double>> &df, const Pose::Level &level,
                 const std::vector<Vec3> &moves, const TileChange *change,
                 std::complex<double> weight, bool lateral,
                 std::vector<std::complex<double>> &to) const;
  /// Adds to `to` what F changes by with its q' as the rows change: dF / dq'x, q'y, q'z, of which the first two are read where they
  /// move.
  void addByQ(const TileChange &change, const std::array<std::vector<std::complex<double>>, 3> &byQ,
              std::vector<std::complex<double>> &to) const;

  /// The same q' of some pixels as a list, and the amplitude of one copy from F there (`at`: of the
  /// pixel's first channel), as add() has it without `lateral`: to compare with.
  Grid points(const std::vector<std::size_t> &pixels) const;
  std::complex<double> amplitude(const std::complex<double> *at, const Pose::Level &level,
                                 std::size_t pixel) const;
  int channelsEach() const { return grazing_ ? 4 : 1; }

private:
  std::vector<std::size_t> setPlaces(const Pixels &pixels, const std::vector<Look> &looks);
  void setProduct(const Pixels &pixels, std::size_t sets);
  std::complex<double> qz(std::size_t set, std::size_t channel) const;
  std::vector<std::size_t> firstOfSets() const;
  std::complex<double> copiesOf(const Pose::Level &level, bool lateral, std::size_t pixel) const;
  std::complex<double> copiesSlope(const Pose::Level &level, std::size_t pixel,
                                   const std::vector<Vec3> &moves,
                                   const std::array<double, 2> &by) const;
  std::complex<double> rising(const Pose::Level &level, const std::vector<Vec3> &moves,
                              bool lateral, std::size_t pixel) const;
  std::complex<double> sum(const std::complex<double> *at, std::size_t pixel, double above) const;
  Channels channelsAt(std::size_t pixel, double above) const;
  void addPlaces(const std::vector<std::complex<double>> &one,
                 const std::vector<std::complex<double>> &rise, const Pose::Level &level,
                 bool lateral, PlaceSlopes &places) const;

  Grid grid_;
  bool grazing_, complex_; // complex q'z
  double height_;
  int threads_;
  std::vector<std::int64_t> first_; // index of a pixel's first channel in F; -1: behind
  std::vector<std::array<double, 2>> lateral_;
  std::vector<std::int32_t> place_; // of a pixel: its channels
  LayerWave in_;                    // grazing: on the way in; on the way out
  std::vector<LayerWave> out_;      // of a pixel each, or a row of the product each
  std::vector<Channels> channels_;  // likewise, at height_
  std::vector<double> born_;        // else q'z
};

/// work(begin, end) on parts of [0, n), a thread each.
void inParallel(std::size_t n, int threads,
                const std::function<void(std::size_t, std::size_t)> &work);

} // namespace facet::runtime
