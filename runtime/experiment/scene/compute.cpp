// compute.cpp - the images of a scene: tile of pixels by tile, channels, poses, averages.
#include "runtime/experiment/scene/compute.h"
#include "runtime/experiment/scene/bodies.h"
#include "runtime/experiment/scene/output/cuts.h"
#include "runtime/experiment/scene/phi_check.h"
#include "runtime/experiment/scene/tile.h"
#include "runtime/experiment/schema/stack_of.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <numbers>

namespace facet::runtime {
namespace {

using Complex = std::complex<double>;

constexpr double degree = std::numbers::pi / 180;
constexpr double bytesOfAPixel = 250;
constexpr double bytesOfAPoint = 200;            // of a list, with what a plan needs
constexpr double mostPoints = 1 << 20, room = 4; // of a tile; a quarter of the memory allowed

/// The largest |q'| of an image.
Reach reachOf(const Pixels &pixels) {
  Reach reach;
  for (std::int64_t r = 0; r < pixels.rows(); ++r)
    for (std::int64_t c = 0; c < pixels.columns(); ++c) {
      const Look look = pixels.at(r, c);
      if (look.behind)
        continue;
      const double across = std::hypot(look.lateral[0], look.lateral[1]);
      // In a layer Re kz is no larger than in the ambient.
      reach.across = std::max(reach.across, across);
      reach.all = std::max(reach.all, std::hypot(across, look.q[2]));
    }
  return reach;
}

class Computation {
public:
  Computation(const Experiment &e, const SceneHost &host)
      : e_(e), scene_(*e.scene), host_(host), stack_(stackOf(scene_)),
        k_(scene_.wavelength > 0 ? 2 * std::numbers::pi / scene_.wavelength : 0) {}

  SceneResult run() {
    const bool averages =
        std::any_of(scene_.particles.begin(), scene_.particles.end(),
                    [](const Particle &p) { return p.orientation.average != "none"; });
    const double radius = scene_.form == "points" ? 0 : largestRadius(e_);
    Reach reach;
    for (const SceneView &view : viewsOf(e_, stack_, k_, radius)) {
      result_.images.push_back({view, {}, {}, {}});
      if (!averages)
        continue;
      const Reach here = reachOf(*view.pixels);
      reach = {std::max(reach.across, here.across), std::max(reach.all, here.all)};
    }
    for (const SceneImage &image : result_.images)
      if (image.slice < 1)
        for (const LineCut &cut : scene_.cuts)
          CutPlan(*image.pixels, cut); // throws for one that meets no pixel
    bodies_ = bodiesOf(e_, stack_, reach);
    describe();
    for (const SceneImage &image : result_.images)
      total_ += work(*image.pixels);
    double largest = 0, off = 0;
    for (SceneImage &image : result_.images) {
      compute(image);
      image.errors.resize(half_.size());
      for (std::size_t i = 0; i < image.intensity.size(); ++i) {
        if (std::isnan(image.intensity[i])) {
          ++result_.behind;
          if (!half_.empty())
            image.errors[i] = image.intensity[i];
          continue;
        }
        largest = std::max(largest, image.intensity[i]);
        if (!half_.empty()) {
          image.errors[i] = std::abs(image.intensity[i] - half_[i]);
          off = std::max(off, image.errors[i]);
        }
      }
    }
    if (bodies_.averaged)
      result_.averageError = largest > 0 ? off / largest : 0;
    return std::move(result_);
  }

private:
  void describe() {
    const Particle &first = scene_.particles[0];
    const bool material = first.delta.has_value(), counted = first.density.has_value();
    const bool sample = !stack_.layers.empty();
    result_.quantity = material ? "dsigma/dOmega" : "|F|^2";
    result_.unit = material ? "nm^2" : e_.fUnit.empty() ? "" : squared(e_.fUnit);
    if (counted && !sample) {
      result_.quantity = "dSigma/dOmega";
      result_.unit = "1/cm";
    } else if (counted && scene_.detector) {
      result_.quantity = "counts for one photon of the beam";
      result_.unit = "1";
    } else if (counted) {
      result_.quantity = "counts a steradian for one photon of the beam";
      result_.unit = "1/sr";
    }
    mixed_ = std::any_of(bodies_.bodies.begin(), bodies_.bodies.end(),
                         [&](const Body &b) { return b.contrast != bodies_.bodies[0].contrast; });
    result_.amplitudeName = sample ? "Phi" : "F";
    result_.amplitudeUnit = e_.fUnit;
    if (mixed_) { // no common factor: the contrasts are in the amplitude
      result_.amplitudeName = "A";
      result_.amplitudeUnit = "nm";
    }
    for (const Body &b : bodies_.bodies) {
      result_.triangles += b.mesh.size();
      result_.meshes.push_back(b.mesh.name);
      result_.orientations += static_cast<std::int64_t>(b.poses.size());
      if (b.dropped > 0)
        host_.warn(fmt::format("{}: {} triangle{} without area skipped", b.mesh.name, b.dropped,
                               b.dropped == 1 ? "" : "s"));
    }
    result_.objects = static_cast<std::int64_t>(scene_.objects.size());
  }

  static std::string squared(const std::string &unit) {
    const std::size_t hat = unit.find('^');
    const int power = hat == std::string::npos ? 1 : std::atoi(unit.c_str() + hat + 1);
    return fmt::format("{}^{}", unit.substr(0, hat), 2 * power);
  }

  double work(const Pixels &pixels) const {
    double tqp = 0;
    const double q = static_cast<double>(pixels.rows()) * static_cast<double>(pixels.columns()) *
                     (pixels.grazing() ? 4 : 1);
    for (const Body &b : bodies_.bodies)
      tqp += static_cast<double>(b.mesh.size()) * static_cast<double>(b.poses.size()) * q;
    return tqp;
  }

  static double workOf(const Body &body, const Tile &tile) {
    return static_cast<double>(body.mesh.size()) * static_cast<double>(tile.grid().size());
  }

  std::int64_t rowsOfATile(const Pixels &pixels) const {
    double points = mostPoints;
    if (!e_.memory.empty())
      points = std::min(points, parseBytes(e_.memory) / room / bytesOfAPoint);
    const double row = static_cast<double>(pixels.columns()) * (pixels.grazing() ? 4 : 1);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(points / row), 1, pixels.rows());
  }

  void compute(SceneImage &image) {
    const Pixels &pixels = *image.pixels;
    const auto size = static_cast<std::size_t>(pixels.rows() * pixels.columns());
    image.intensity.assign(size, 0);
    half_.assign(bodies_.averaged ? size : 0, 0);
    if (scene_.amplitude)
      image.amplitude.assign(size, 0);
    if (!pixels.remark().empty())
      result_.remark = pixels.remark();
    phiError_ = phiLargest_ = 0;
    const std::int64_t rows = rowsOfATile(pixels);
    for (std::int64_t row = 0; row < pixels.rows(); row += rows)
      computeTile(image, row, std::min(row + rows, pixels.rows()));
    result_.phiError = std::max(result_.phiError, phiLargest_ > 0 ? phiError_ / phiLargest_ : 0);
    finish(image);
  }

  void computeTile(SceneImage &image, std::int64_t first, std::int64_t last) {
    ++result_.tiles;
    const std::size_t start = static_cast<std::size_t>(first * image.pixels->columns());
    std::vector<Complex> together, alone;
    const double before = done_;
    for (const Body &body : bodies_.bodies) {
      const double height = body.poses[0].levels[0].height;
      const Tile tile(*image.pixels, stack_, body.layer, height, first, last, threads_);
      together.resize(tile.size());
      for (std::size_t i = 0; i < tile.size(); ++i)
        if (!tile.visible(i))
          image.intensity[start + i] = std::numeric_limits<double>::quiet_NaN();
      if (tile.grid().size() == 0)
        continue;
      const Kernel kernel = host_.kernel(tile.grid());
      if (result_.kernelName.empty() && kernel->triangle != 0)
        warnOfMeshes();
      result_.kernelName = kernel->name;
      const std::unique_ptr<FormFactor> planned = plan(kernel, tile, body);
      FormFactor &factor = *planned;
      threads_ = factor.threads();
      const double each = workOf(body, tile);
      for (const Pose &pose : body.poses) {
        const auto &f = factor.at(pose.rotation, pose.scale);
        done_ += each;
        if (bodies_.coherent) {
          for (const Pose::Level &level : pose.levels)
            tile.add(f, level, mixed_ ? body.contrast : 1, true, together);
          continue;
        }
        for (const Pose::Level &level : pose.levels) {
          alone.assign(tile.size(), 0);
          tile.add(f, level, 1, scene_.amplitude, alone);
          sum(image, start, alone, body, body.factor * static_cast<double>(level.at.size()), pose);
        }
      }
    }
    if (bodies_.coherent) {
      Body all;
      all.contrast = mixed_ ? 1 : bodies_.bodies[0].contrast;
      sum(image, start, together, all, 1, Pose{});
    }
    // Rows behind the sample count as done.
    done_ = std::max(done_, before + work(*image.pixels) * static_cast<double>(last - first) /
                                         static_cast<double>(image.pixels->rows()));
  }

  /// A plan whose amplitudes are within the contract too, where a sharper one of F makes them so:
  /// looked at with the first pose, on the first tiles and then ever fewer.
  std::unique_ptr<FormFactor> plan(const Kernel &kernel, const Tile &tile, const Body &body) {
    PlanOptions options = host_.options(kernel);
    options.accuracy = std::max(mostAccuracy, options.accuracy * sharper_);
    if (options.memory > 0) // pixels are held beside the plan
      options.memory = std::max(options.memory / room,
                                options.memory - bytesOfAPixel * static_cast<double>(tile.size()));
    const bool looked = (result_.tiles & (result_.tiles - 1)) == 0;
    for (;;) {
      auto factor = std::make_unique<FormFactor>(kernel, tile.grid(), body.mesh, options,
                                                 result_.evaluations, host_.say);
      factor->setProgress([this, each = workOf(body, tile)](double done, double of) {
        if (host_.progress)
          host_.progress(done_ + each * (of > 0 ? done / of : 0), total_);
      });
      const Pose &pose = body.poses[0];
      const auto &f = factor->at(pose.rotation, pose.scale);
      if (!looked)
        return factor;
      const PhiCheck check = checkPhi(tile, f, pose, *factor);
      const bool met = check.error <= e_.accuracy * std::max(check.largest, phiLargest_);
      if (!met && !options.klass && !options.algorithm && sharper_ > 1e-3 &&
          options.accuracy > mostAccuracy) {
        sharper_ /= 10;
        options.accuracy = std::max(mostAccuracy, options.accuracy / 10);
        continue;
      }
      phiLargest_ = std::max(phiLargest_, check.largest);
      phiError_ = std::max(phiError_, check.error);
      result_.phiPixels += check.pixels;
      return factor;
    }
  }

  void warnOfMeshes() const {
    for (const Body &b : bodies_.bodies)
      if (const MeshReport found = inspect(b.mesh); !found.closed)
        host_.warn(fmt::format("{}: the mesh is open: a volume form factor has no meaning for it\n"
                               "  help: close the mesh; see facet mesh inspect",
                               b.mesh.name));
      else if (!found.oriented)
        host_.warn(fmt::format("{}: some triangles face the other way\n  help: orient all "
                               "triangles outward; see facet mesh inspect",
                               b.mesh.name));
  }

  void sum(SceneImage &image, std::size_t start, const std::vector<Complex> &amplitude,
           const Body &body, double factor, const Pose &pose) {
    const double scale = factor * std::norm(body.contrast);
    for (std::size_t i = 0; i < amplitude.size(); ++i) {
      const double value = scale * std::norm(amplitude[i]);
      image.intensity[start + i] += pose.weight * value;
      if (!half_.empty())
        half_[start + i] += pose.half * value;
      if (!image.amplitude.empty())
        image.amplitude[start + i] = std::isnan(image.intensity[start + i])
                                         ? std::numeric_limits<double>::quiet_NaN()
                                         : amplitude[i];
    }
  }

  /// Counts of a pixel, where particles have a density on a sample.
  void finish(SceneImage &image) {
    if (!scene_.particles[0].density || stack_.layers.empty())
      return;
    const double sine = std::sin(image.alphaI * degree);
    const std::int64_t columns = image.pixels->columns();
    for (std::size_t i = 0; i < image.intensity.size(); ++i) {
      const auto pixel = static_cast<std::int64_t>(i);
      const double per =
          (scene_.detector ? image.pixels->at(pixel / columns, pixel % columns).solidAngle : 1) /
          sine;
      image.intensity[i] *= per;
      if (!half_.empty())
        half_[i] *= per;
    }
  }

  const Experiment &e_;
  const Scene &scene_;
  const SceneHost &host_;
  Stack stack_;
  double k_, total_ = 0, done_ = 0;
  int threads_ = 1;
  bool mixed_ = false;
  double sharper_ = 1; // of the accuracy asked for, so that amplitudes are within it
  double phiError_ = 0, phiLargest_ = 0; // of the image in hand
  Bodies bodies_;
  std::vector<double> half_; // of the image in hand: by the rule of half the order
  SceneResult result_;
};

} // namespace

SceneResult computeScene(const Experiment &experiment, const SceneHost &host) {
  return Computation(experiment, host).run();
}

} // namespace facet::runtime
