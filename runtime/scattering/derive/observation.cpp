// observation.cpp - observed intensities checked, read by rows, compared.
#include "runtime/scattering/derive/observation.h"
#include "runtime/engine/store/hdf5.h"
#include "runtime/engine/system/hash.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace facet::runtime {
namespace {

const char *const sameImages = "give a result of the same detector or grid: facet run of the same "
                               "experiment, its I replaced by what was observed";

/// Axes that another program has written differ by rounding.
bool alike(const std::vector<double> &a, const std::vector<double> &b) {
  double most = 0;
  for (const double value : b)
    most = std::isfinite(value) ? std::max(most, std::abs(value)) : most;
  return std::ranges::equal(a, b, [most](double x, double y) {
    return std::abs(x - y) <= 1e-6 * most || (std::isnan(x) && std::isnan(y));
  });
}

std::string showAxis(const std::vector<double> &values) {
  if (values.empty())
    return "without numbers";
  return values.size() == 1
             ? fmt::format("{:.6g}", values[0])
             : fmt::format("{:.6g} to {:.6g} in {}", values.front(), values.back(), values.size());
}

std::string bytesOf(const std::vector<double> &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(double)};
}

} // namespace

Observation::Observation(std::string path, std::vector<Image> images)
    : path_(std::move(path)), images_(std::move(images)),
      file_(std::make_shared<h5::Object>(path_)) {
  std::int64_t sigmas = 0;
  for (const Image &image : images_) {
    check(image);
    sigmas += file_->has("entry/" + image.group + "/sigma") ? 1 : 0;
  }
  if (sigmas > 0 && sigmas < std::ssize(images_))
    throw Error(path_, "some of its images have a sigma, and some have none",
                "give sigma for all of them, or for none");
}

h5::Object Observation::data(const Image &image, const std::string &name) const {
  return file_->open("entry/" + image.group + "/" + name);
}

void Observation::check(const Image &image) const {
  const std::string group = "entry/" + image.group + "/";
  if (!file_->has(group + "I"))
    throw Error(path_, fmt::format("has no intensity /{}I", group), sameImages);
  for (const char *name : {"I", "sigma", "mask"}) {
    if (!file_->has(group + name))
      continue;
    const h5::Object values = file_->open(group + name);
    if (!values.isNumbers())
      throw Error(path_, fmt::format("/{}{} is not of real numbers", group, name), sameImages);
    if (values.shape() != image.shape)
      throw Error(path_,
                  fmt::format("/{}{} has {} numbers, and the run's {}", group, name,
                              fmt::join(values.shape(), " x "), fmt::join(image.shape, " x ")),
                  sameImages);
  }
  for (const nexus::Numbers &numbers : image.numbers)
    if (numbers.values != nullptr)
      checkAxis(image, numbers);
    else
      checkPixels(image, numbers);
}

void Observation::checkAxis(const Image &image, const nexus::Numbers &axis) const {
  const std::string name = "entry/" + image.group + "/" + axis.name;
  const std::vector<double> mine(axis.values, axis.values + nexus::elements(axis.shape));
  if (!file_->has(name))
    throw Error(path_, fmt::format("has no axis /{}", name), sameImages);
  if (const std::vector<double> theirs = data(image, axis.name).doubles(); !alike(theirs, mine))
    throw Error(path_,
                fmt::format("/{} is {}, and the run's {}", name, showAxis(theirs), showAxis(mine)),
                sameImages);
}

/// Checks where some pixels of a detector look, if the file has that: its axes count pixels alone.
void Observation::checkPixels(const Image &image, const nexus::Numbers &numbers) const {
  const std::string name = "entry/" + image.group + "/" + numbers.name;
  if (!file_->has(name) || file_->open(name).shape() != numbers.shape)
    return;
  const h5::Object there = file_->open(name);
  const std::int64_t n = nexus::elements(numbers.shape);
  std::vector<double> theirs, mine;
  for (const std::int64_t at : {std::int64_t{0}, n / 3, n / 2, n - 1}) {
    nexus::Shape begin(numbers.shape.size());
    std::int64_t rest = at;
    for (std::size_t k = begin.size(); k-- > 0; rest /= numbers.shape[k])
      begin[k] = rest % numbers.shape[k];
    there.read(begin, nexus::Shape(begin.size(), 1), &theirs.emplace_back());
    numbers.make(at, 1, &mine.emplace_back());
  }
  if (!alike(theirs, mine))
    throw Error(path_,
                fmt::format("/{} of some pixels is {:.6g}, and the run's {:.6g}", name,
                            fmt::join(theirs, ", "), fmt::join(mine, ", ")),
                sameImages);
}

ObservedPixels Observation::read(std::size_t image, std::int64_t first, std::int64_t count) const {
  const Image &of = images_[image];
  nexus::Shape begin(of.shape.size()), extent = of.shape;
  if (count < nexus::elements(of.shape)) {
    const std::int64_t row = nexus::elements(of.shape) / of.shape[0];
    begin[0] = first / row;
    extent[0] = count / row;
  }
  const std::lock_guard lock(mutex_);
  const auto numbers = [&](const char *name, std::vector<double> &to) {
    to.resize(static_cast<std::size_t>(count));
    data(of, name).read(begin, extent, to.data());
  };
  const auto has = [&](const char *name) { return file_->has("entry/" + of.group + "/" + name); };
  ObservedPixels found;
  numbers("I", found.intensity);
  found.weights.assign(found.intensity.size(), 1);
  std::vector<double> other;
  if (has("sigma")) {
    numbers("sigma", other);
    for (std::size_t k = 0; k < other.size(); ++k)
      found.weights[k] = other[k] > 0 && std::isfinite(other[k]) ? 1 / (other[k] * other[k]) : 0;
  }
  if (has("mask")) {
    numbers("mask", other);
    for (std::size_t k = 0; k < other.size(); ++k)
      found.weights[k] = other[k] == 0 ? found.weights[k] : 0;
  }
  for (std::size_t k = 0; k < found.intensity.size(); ++k)
    if (!std::isfinite(found.intensity[k]))
      found.weights[k] = 0;
  return found;
}

void ObservedPixels::compare(const std::vector<double> &with, std::vector<double> &slope,
                             Misfit &misfit) const {
  slope.assign(with.size(), 0);
  for (std::size_t k = 0; k < with.size(); ++k) {
    if (weights[k] == 0 || !std::isfinite(with[k])) {
      ++misfit.leftOut;
      continue;
    }
    const double off = with[k] - intensity[k];
    slope[k] = weights[k] * off;
    misfit.value += slope[k] * off / 2;
    ++misfit.pixels;
  }
}

std::string Observation::hash() const {
  constexpr std::int64_t most = 1 << 20; // pixels at once
  Hash hash;
  bool any = false;
  for (std::size_t i = 0; i < images_.size(); ++i) {
    const nexus::Shape &shape = images_[i].shape;
    const std::int64_t all = nexus::elements(shape), row = all / shape[0];
    const std::int64_t step = std::max<std::int64_t>(1, most / row);
    for (std::int64_t begin = 0; begin < shape[0]; begin += step) {
      const ObservedPixels some = read(i, begin * row, std::min(step, shape[0] - begin) * row);
      any = any || std::ranges::any_of(some.weights, [](double weight) { return weight > 0; });
      hash.field(bytesOf(some.intensity));
      hash.field(bytesOf(some.weights));
    }
  }
  if (!any)
    throw Error(path_, "no pixel of it counts: all are masked, or not finite", sameImages);
  return hash.hex();
}

bool Observation::weighed() const {
  return std::ranges::all_of(
      images_, [&](const Image &image) { return file_->has("entry/" + image.group + "/sigma"); });
}

std::string Observation::text() const {
  return weighed() ? "half the sum of ((I - I_obs) / sigma)^2" : "half the sum of (I - I_obs)^2";
}

} // namespace facet::runtime
