// tile.h - some rows of an image: the q' at which F is needed, and how it makes amplitudes.
#pragma once
#include "runtime/experiment/physics/layers.h"
#include "runtime/experiment/scene/bodies.h"
#include "runtime/experiment/scene/images/pixels.h"
#include <facet/runtime/grid.h>
#include <functional>
#include <vector>

namespace facet::runtime {

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
  std::complex<double> sum(const std::complex<double> *at, std::size_t pixel, double above) const;

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
