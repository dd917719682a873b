// image_rows.cpp - some rows of an image: the q' at which F is needed, and how it makes amplitudes.
#include "runtime/scattering/scene/image_rows.h"
#include "runtime/engine/system/pool.h"
#include <cmath>

namespace facet::runtime {
namespace {

using Complex = std::complex<double>;

Complex wave(double phase) {
  return phase == 0 ? Complex(1)
                    : Complex(std::cos(phase), std::sin(phase)); // 0 for the one in the middle
}

void push(Axis &axis, const Complex &value, bool isComplex) {
  axis.re.push_back(value.real());
  if (isComplex)
    axis.im.push_back(value.imag());
}

} // namespace

ImageRows::ImageRows(const Pixels &pixels, const Stack &stack, std::size_t layer, double height,
                     const std::vector<std::int64_t> &rows, int threads)
    : grazing_(pixels.grazing()), complex_(grazing_ && layer > 0), height_(height),
      threads_(threads) {
  const auto columns = static_cast<std::size_t>(pixels.columns());
  std::vector<PixelView> looks(rows.size() * columns);
  inParallel(looks.size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      looks[i] = pixels.at(rows[i / columns], static_cast<std::int64_t>(i % columns));
  });
  const std::vector<std::size_t> of = setPlaces(pixels, looks);
  if (grazing_) {
    in_ = layerWave(stack, layer, pixels.k(), pixels.alphaI());
    out_.resize(of.size());
    inParallel(of.size(), threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t s = begin; s < end; ++s)
        out_[s] = layerWaveOf(stack, layer, pixels.k(), looks[of[s]].sine);
    });
    setHeight(height);
  } else {
    for (const std::size_t i : of)
      born_.push_back(looks[i].born);
  }
  if (pixels.product()) {
    setProduct(pixels, of.size());
    return;
  }
  grid_ = points(of);
  for (std::size_t s = 0; s < of.size(); ++s)
    first_[of[s]] = static_cast<std::int64_t>(s) * channelsEach();
}

void ImageRows::setHeight(double height) {
  height_ = height;
  channels_.resize(out_.size());
  inParallel(out_.size(), threads_, [&, in = in_.at(height)](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s)
      channels_[s] = channels(in, out_[s].at(height));
  });
}

/// The pixels that sets of channels belong to: in a product one for each value along z, else each
/// pixel that is visible.
std::vector<std::size_t> ImageRows::setPlaces(const Pixels &pixels,
                                              const std::vector<PixelView> &looks) {
  const auto columns = static_cast<std::size_t>(pixels.columns());
  const bool rowsAreZ = pixels.rowAxis() == 2;
  first_.assign(looks.size(), -1);
  place_.assign(looks.size(), 0);
  std::vector<std::size_t> of;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    lateral_.push_back(looks[i].lateral);
    if (looks[i].behind)
      continue;
    if (!pixels.product() || of.empty() || (rowsAreZ && of.back() / columns != i / columns))
      of.push_back(i);
    place_[i] = static_cast<std::int32_t>(of.size() - 1);
    first_[i] = 0;
  }
  return of;
}

/// The axes of the product: rows and columns in their order, one value of the third.
void ImageRows::setProduct(const Pixels &pixels, std::size_t sets) {
  const auto columns = static_cast<std::size_t>(pixels.columns());
  for (std::size_t s = 0; s < sets; ++s)
    for (int c = 0; c < channelsEach(); ++c)
      push(grid_.axes[2], qz(s, static_cast<std::size_t>(c)), complex_);
  const std::int64_t nz = std::ssize(grid_.axes[2].re);
  for (const int axis : {0, 1}) {
    const bool alongRows = pixels.rowAxis() == axis;
    const std::size_t count = alongRows                     ? size() / columns
                              : pixels.columnAxis() == axis ? columns
                                                            : 1;
    for (std::size_t i = 0; i < count; ++i)
      grid_.axes[static_cast<std::size_t>(axis)].re.push_back(
          lateral_[alongRows ? i * columns : i][static_cast<std::size_t>(axis)]);
  }
  const std::int64_t ny = std::ssize(grid_.axes[1].re);
  for (std::size_t i = 0; i < size(); ++i) {
    if (first_[i] < 0)
      continue;
    std::int64_t at[3] = {0, 0, 0};
    at[pixels.rowAxis()] = static_cast<std::int64_t>(i / columns);
    at[pixels.columnAxis()] = static_cast<std::int64_t>(i % columns);
    first_[i] = (at[0] * ny + at[1]) * nz + std::int64_t{place_[i]} * channelsEach();
  }
}

Complex ImageRows::qz(std::size_t set, std::size_t channel) const {
  return grazing_ ? channels_[set][channel].qz : Complex(born_[set]);
}

Grid ImageRows::points(const std::vector<std::size_t> &pixels) const {
  Grid list;
  list.kind = Grid::Kind::Points;
  for (const std::size_t i : pixels)
    for (int c = 0; c < channelsEach(); ++c) {
      push(list.axes[0], lateral_[i][0], false);
      push(list.axes[1], lateral_[i][1], false);
      push(list.axes[2], qz(static_cast<std::size_t>(place_[i]), static_cast<std::size_t>(c)),
           complex_);
    }
  return list;
}

Complex ImageRows::amplitude(const Complex *f, const Pose::Level &level, std::size_t pixel) const {
  return sum(f, pixel, at(level));
}

ImageRows::CopyHeight ImageRows::at(const Pose::Level &level) const {
  if (!grazing_)
    return {level.height, false, {}};
  return {level.height, level.height == height_, in_.at(level.height)};
}

/// What a copy multiplies F by; without a sample, only the first channel counts. Factors of another
/// height are made from the waves there: those of the tile's, times e^{i qz above}, would be 0
/// times infinity deep in a layer that absorbs.
Channels ImageRows::channelsAt(std::size_t pixel, const CopyHeight &at) const {
  const auto set = static_cast<std::size_t>(place_[pixel]);
  if (!grazing_)
    return {{{born_[set], at.height == 0 ? Complex(1) : wave(born_[set] * at.height)}}};
  return at.own ? channels_[set] : channels(at.in, out_[set].at(at.height));
}

Complex ImageRows::sum(const Complex *f, std::size_t pixel, const CopyHeight &at,
                       std::optional<std::size_t> channel) const {
  const Channels channels = channelsAt(pixel, at);
  if (channel || !grazing_)
    return f[channel.value_or(0)] * channels[channel.value_or(0)].factor;
  Complex phi = 0;
  for (std::size_t c = 0; c < 4; ++c)
    phi += channels[c].factor * f[c];
  return phi;
}

Complex ImageRows::copiesOf(const Pose::Level &level, bool lateral, std::size_t pixel) const {
  if (!lateral)
    return 1;
  Complex copies = 0;
  for (const auto &at : level.at)
    copies += wave(lateral_[pixel][0] * at[0] + lateral_[pixel][1] * at[1]);
  return copies;
}

/// The slope of copiesOf() as copies and lateral q' move.
Complex ImageRows::copiesSlope(const Pose::Level &level, std::size_t pixel,
                               const std::vector<Vec3> &moves,
                               const std::array<double, 2> &by) const {
  const std::array<double, 2> &q = lateral_[pixel];
  Complex slope = 0;
  for (std::size_t j = 0; j < level.at.size(); ++j) {
    const std::array<double, 2> &at = level.at[j];
    slope += Complex(0, q[0] * moves[j][0] + q[1] * moves[j][1] + by[0] * at[0] + by[1] * at[1]) *
             wave(q[0] * at[0] + q[1] * at[1]);
  }
  return slope;
}

/// The copies of copiesOf(), each times what it rises by. Without `lateral` one copy stands for
/// all, and rises by their average.
Complex ImageRows::rising(const Pose::Level &level, const std::vector<Vec3> &moves, bool lateral,
                          std::size_t pixel) const {
  Complex rise = 0;
  for (std::size_t j = 0; j < level.at.size(); ++j)
    rise +=
        moves[j][2] *
        (lateral ? wave(lateral_[pixel][0] * level.at[j][0] + lateral_[pixel][1] * level.at[j][1])
                 : Complex(1 / static_cast<double>(level.at.size())));
  return rise;
}

void ImageRows::add(const std::vector<Complex> &f, const Pose::Level &level, Complex weight,
                    bool lateral, std::vector<Complex> &amplitude,
                    std::optional<std::size_t> channel) const {
  inParallel(size(), threads_, [&, here = at(level)](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (first_[i] >= 0)
        amplitude[i] +=
            weight * copiesOf(level, lateral, i) * sum(f.data() + first_[i], i, here, channel);
  });
}

void ImageRows::pull(const std::vector<Complex> &cotangent, const std::vector<Complex> &f,
                     const Pose::Level &level, Complex weight, bool lateral,
                     std::vector<Complex> &to, PlaceSlopes *places) const {
  // For each pixel and one copy in the middle: conj(cotangent) weight times the amplitude, and
  // times its slope along z.
  std::vector<Complex> one(places != nullptr ? size() : 0), rise(one.size());
  inParallel(size(), threads_, [&, here = at(level)](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (first_[i] < 0)
        continue;
      const Channels channels = channelsAt(i, here);
      const Complex back = std::conj(cotangent[i]) * weight, all = copiesOf(level, lateral, i);
      const auto first = static_cast<std::size_t>(first_[i]);
      for (std::size_t c = 0; c < static_cast<std::size_t>(channelsEach()); ++c) {
        to[first + c] += std::conj(back * all * channels[c].factor);
        if (places == nullptr)
          continue;
        const Complex part = back * channels[c].factor * f[first + c];
        one[i] += part;
        rise[i] += Complex(0, 1) * channels[c].qz * part;
      }
    }
  });
  if (places != nullptr)
    addPlaces(one, rise, level, lateral, *places);
}

void ImageRows::addPlaces(const std::vector<Complex> &one, const std::vector<Complex> &rise,
                          const Pose::Level &level, bool lateral, PlaceSlopes &places) const {
  if (!lateral) {
    for (const Complex &z : rise)
      places.height += 2 * z.real();
    return;
  }
  const std::size_t before = places.each.size();
  places.each.resize(before + level.at.size());
  const auto copy = [&](std::size_t j) {
    Vec3 &slope = places.each[before + j];
    for (std::size_t i = 0; i < size(); ++i) {
      const std::array<double, 2> &q = lateral_[i];
      const Complex turn = wave(q[0] * level.at[j][0] + q[1] * level.at[j][1]);
      const double across = -2 * (one[i] * turn).imag();
      slope[0] += q[0] * across;
      slope[1] += q[1] * across;
      slope[2] += 2 * (rise[i] * turn).real();
    }
  };
  Pool(threads_).run(std::ssize(level.at),
                     [&](std::int64_t j, int) { copy(static_cast<std::size_t>(j)); });
  for (std::size_t j = before; j < places.each.size(); ++j)
    places.height += places.each[j][2];
}

} // namespace facet::runtime
