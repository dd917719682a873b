// render.cpp - triangles to shaded pixels with a depth buffer.
#include "runtime/output/mesh/render.h"
#include "runtime/mesh/geometry.h"
#include <limits>
#include <numbers>

namespace facet::runtime {

namespace {
constexpr int samples = 3; // along x and y

struct Sample {
  float depth = -std::numeric_limits<float>::infinity();
  std::array<float, 3> colour{};
};

/// Light from above the eye's left shoulder, some from everywhere, and a soft highlight.
std::array<float, 3> shade(const Vec3 &normal, const Projection &view) {
  Vec3 light = view.eye + 0.55 * view.up + -0.5 * view.right;
  light = 1 / length(light) * light;
  bool outside = dot(normal, view.eye) >= 0;
  Vec3 n = outside ? normal : -1.0 * normal;
  Vec3 half = light + view.eye;
  half = 1 / length(half) * half;
  double diffuse = 0.5 + 0.5 * std::max(0.0, dot(n, light));
  double shine = 0.16 * std::pow(std::max(0.0, dot(n, half)), 24);
  const std::array<double, 3> base =
      outside ? std::array<double, 3>{236, 187, 86} : std::array<double, 3>{198, 70, 62};
  std::array<float, 3> colour{};
  for (int k = 0; k < 3; ++k)
    colour[k] = static_cast<float>(std::min(255.0, base[k] * diffuse + 255 * shine));
  return colour;
}

class Renderer {
public:
  Renderer(int width, int height)
      : width(width * samples), height(height * samples),
        buffer(static_cast<std::size_t>(this->width) * this->height) {}

  void draw(const Triangle &t, const Projection &view, bool edges) {
    Vec3 sn = areaNormal(t);
    double area = length(sn);
    if (area == 0)
      return;
    std::array<float, 3> colour = shade(1 / area * sn, view);
    std::array<Vec3, 3> p{};
    for (int c = 0; c < 3; ++c) {
      p[c] = view(t[c]);
      p[c][0] *= samples;
      p[c][1] *= samples;
    }
    double twice =
        (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
    if (twice == 0)
      return;
    // How far a corner is from the opposite edge: barycentric coordinate times height.
    std::array<double, 3> heights{};
    for (int c = 0; c < 3; ++c) {
      const Vec3 &a = p[(c + 1) % 3], &b = p[(c + 2) % 3];
      heights[c] = std::abs(twice) / std::hypot(a[0] - b[0], a[1] - b[1]);
    }
    double thin = 2 * area / longestEdge(t) * view.scale; // pixels, seen from above
    double tilt = std::abs(dot(sn, view.eye)) / area;
    double strength =
        edges ? 0.4 * std::clamp((thin - 3) / 9, 0.0, 1.0) * std::min(1.0, 1.5 * tilt) : 0;
    int x0 = clampX(std::min({p[0][0], p[1][0], p[2][0]})),
        x1 = clampX(std::max({p[0][0], p[1][0], p[2][0]}) + 1);
    int y0 = clampY(std::min({p[0][1], p[1][1], p[2][1]})),
        y1 = clampY(std::max({p[0][1], p[1][1], p[2][1]}) + 1);
    for (int y = y0; y < y1; ++y)
      for (int x = x0; x < x1; ++x) {
        double u = x + 0.5, v = y + 0.5;
        double w1 =
            ((u - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (v - p[0][1])) / twice;
        double w2 =
            ((p[1][0] - p[0][0]) * (v - p[0][1]) - (u - p[0][0]) * (p[1][1] - p[0][1])) / twice;
        double w0 = 1 - w1 - w2;
        if (w0 < 0 || w1 < 0 || w2 < 0)
          continue;
        auto depth = static_cast<float>(w0 * p[0][2] + w1 * p[1][2] + w2 * p[2][2]);
        Sample &sample = buffer[static_cast<std::size_t>(y) * width + x];
        if (depth <= sample.depth)
          continue;
        double nearest = std::min({w0 * heights[0], w1 * heights[1], w2 * heights[2]}) / samples;
        auto dim = static_cast<float>(nearest < 0.6 ? 1 - strength : 1);
        sample.depth = depth;
        sample.colour = {colour[0] * dim, colour[1] * dim, colour[2] * dim};
      }
  }

  Raster average() const {
    Raster raster(width / samples, height / samples);
    raster.cover.resize(raster.pixels.size());
    for (int y = 0; y < raster.height; ++y)
      for (int x = 0; x < raster.width; ++x) {
        std::array<float, 3> sum{};
        int hits = 0;
        for (int j = 0; j < samples; ++j)
          for (int i = 0; i < samples; ++i) {
            const Sample &s = buffer[(static_cast<std::size_t>(y) * samples + j) * width +
                                     static_cast<std::size_t>(x) * samples + i];
            if (std::isinf(s.depth))
              continue;
            ++hits;
            for (int k = 0; k < 3; ++k)
              sum[k] += s.colour[k];
          }
        if (hits == 0)
          continue;
        auto mean = [&](int k) {
          return static_cast<unsigned char>(sum[k] / static_cast<float>(hits));
        };
        raster.at(x, y) = {mean(0), mean(1), mean(2)};
        raster.cover[static_cast<std::size_t>(y) * raster.width + x] =
            static_cast<unsigned char>(255 * hits / (samples * samples));
      }
    return raster;
  }

private:
  int clampX(double x) const {
    return static_cast<int>(std::clamp(x, 0.0, static_cast<double>(width)));
  }
  int clampY(double y) const {
    return static_cast<int>(std::clamp(y, 0.0, static_cast<double>(height)));
  }
  int width, height;
  std::vector<Sample> buffer;
};
} // namespace

Vec3 Projection::operator()(const Vec3 &p) const {
  return {x0 + scale * dot(p, right), y0 - scale * dot(p, up), dot(p, eye)};
}

Projection lookFrom(double azimuth, double elevation) {
  double a = azimuth * std::numbers::pi / 180, e = elevation * std::numbers::pi / 180;
  Projection view;
  view.eye = {std::cos(e) * std::cos(a), std::cos(e) * std::sin(a), std::sin(e)};
  view.right = {-std::sin(a), std::cos(a), 0};
  view.up = cross(view.eye, view.right);
  return view;
}

Raster render(const Mesh &mesh, const Projection &view, int width, int height, bool edges) {
  Renderer renderer(width, height);
  for (const Triangle &t : mesh.triangles)
    renderer.draw(t, view, edges);
  return renderer.average();
}

} // namespace facet::runtime
