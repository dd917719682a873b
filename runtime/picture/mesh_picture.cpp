// mesh_picture.cpp - a shaded picture of a mesh, by a depth buffer, in a box with scales in nm.
#include "runtime/engine/records/geometry.h"
#include "runtime/picture/figures.h"
#include <facet/runtime/error.h>
#include <facet/runtime/output.h>
#include <fmt/format.h>
#include <limits>
#include <numbers>

namespace facet::runtime {

namespace {
using namespace plot;

constexpr Colour frameColour{150, 150, 150};
constexpr int samples = 3; // of a pixel, along x and y

/// A parallel projection: x to the right, y up, z towards the eye.
struct Projection {
  Vec3 right, up, eye; // unit vectors
  double scale = 1;    // pixels a nm
  double x0 = 0, y0 = 0;
  /// Pixels, y down; the third is the depth in nm, larger is nearer.
  Vec3 operator()(const Vec3 &p) const {
    return {x0 + scale * dot(p, right), y0 - scale * dot(p, up), dot(p, eye)};
  }
};

/// Looking at the origin from azimuth and elevation (degrees), z up.
Projection lookFrom(double azimuth, double elevation) {
  const double a = azimuth * std::numbers::pi / 180, e = elevation * std::numbers::pi / 180;
  Projection view;
  view.eye = {std::cos(e) * std::cos(a), std::cos(e) * std::sin(a), std::sin(e)};
  view.right = {-std::sin(a), std::cos(a), 0};
  view.up = cross(view.eye, view.right);
  return view;
}

struct Sample {
  float depth = -std::numeric_limits<float>::infinity();
  std::array<float, 3> colour{};
};

/// How light a surface in sight is, and how much it shines.
struct Light {
  double diffuse, shine;
  float on(double colour) const {
    return static_cast<float>(std::min(255.0, colour * diffuse + 255 * shine));
  }
};

/// Light from above the eye's left shoulder, some from everywhere, and a soft highlight.
Light lightOn(const Vec3 &normal, const Projection &view) {
  Vec3 light = view.eye + 0.55 * view.up + -0.5 * view.right;
  light = 1 / length(light) * light;
  Vec3 n = dot(normal, view.eye) >= 0 ? normal : -1.0 * normal;
  Vec3 half = light + view.eye;
  half = 1 / length(half) * half;
  double diffuse = 0.5 + 0.5 * std::max(0.0, dot(n, light));
  double shine = 0.16 * std::pow(std::max(0.0, dot(n, half)), 24);
  return {diffuse, shine};
}

/// A triangle's colour at a place between its corners, by the weights of these.
using Paint = std::function<Colour(const std::array<double, 3> &weights)>;

/// Golden outside, red inside.
Paint gold(const Vec3 &normal, const Projection &view) {
  const bool outside = dot(normal, view.eye) >= 0;
  return [outside](const auto &) { return outside ? Colour{236, 187, 86} : Colour{198, 70, 62}; };
}

/// Draws triangles with several samples a pixel; a pixel is uncovered if none of its samples is
/// hit.
class Renderer {
public:
  Renderer(int width, int height)
      : width(width * samples), height(height * samples),
        buffer(static_cast<std::size_t>(this->width) * this->height) {}

  /// `paint`: null for gold outside, and red inside (seen through holes, or of a mesh inside out).
  void draw(const Triangle &t, const Projection &view, bool edges, const Paint &paint) {
    const Vec3 sn = areaNormal(t);
    const double area = length(sn);
    if (area == 0)
      return;
    std::array<Vec3, 3> p{};
    for (int c = 0; c < 3; ++c) {
      p[c] = view(t[c]);
      p[c][0] *= samples;
      p[c][1] *= samples;
    }
    const double thin = 2 * area / longestEdge(t) * view.scale; // pixels, seen from above
    const double tilt = std::abs(dot(sn, view.eye)) / area;
    const Vec3 normal = 1 / area * sn;
    Light light = lightOn(normal, view);
    if (paint) // colours that mean something are to be those of the bar
      light = {0.8 + 0.2 * light.diffuse, 0};
    fill(p, light, paint ? paint : gold(normal, view),
         edges ? 0.4 * std::clamp((thin - 3) / 9, 0.0, 1.0) * std::min(1.0, 1.5 * tilt) : 0);
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
  /// Fills a triangle in samples, with depths; its edges are darker by a part `strength`.
  void fill(const std::array<Vec3, 3> &p, const Light &light, const Paint &paint, double strength) {
    const double twice =
        (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
    if (twice == 0)
      return;
    // How far a corner is from the opposite edge: barycentric coordinate times height.
    std::array<double, 3> heights{};
    for (int c = 0; c < 3; ++c) {
      const Vec3 &a = p[(c + 1) % 3], &b = p[(c + 2) % 3];
      heights[c] = std::abs(twice) / std::hypot(a[0] - b[0], a[1] - b[1]);
    }
    const auto [x0, x1] = reach(p, 0, width);
    const auto [y0, y1] = reach(p, 1, height);
    for (int y = y0; y < y1; ++y)
      for (int x = x0; x < x1; ++x) {
        const double u = x + 0.5, v = y + 0.5;
        const double w1 =
            ((u - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (v - p[0][1])) / twice;
        const double w2 =
            ((p[1][0] - p[0][0]) * (v - p[0][1]) - (u - p[0][0]) * (p[1][1] - p[0][1])) / twice;
        const double w0 = 1 - w1 - w2;
        if (w0 < 0 || w1 < 0 || w2 < 0)
          continue;
        const auto depth = static_cast<float>(w0 * p[0][2] + w1 * p[1][2] + w2 * p[2][2]);
        Sample &sample = buffer[static_cast<std::size_t>(y) * width + x];
        if (depth <= sample.depth)
          continue;
        const double nearest =
            std::min({w0 * heights[0], w1 * heights[1], w2 * heights[2]}) / samples;
        const auto dim = static_cast<float>(nearest < 0.6 ? 1 - strength : 1);
        sample.depth = depth;
        const Colour colour = paint({w0, w1, w2});
        sample.colour = {light.on(colour.r) * dim, light.on(colour.g) * dim,
                         light.on(colour.b) * dim};
      }
  }
  /// The samples that a triangle may touch along an axis.
  static std::pair<int, int> reach(const std::array<Vec3, 3> &p, int axis, int size) {
    const auto [low, high] = std::minmax({p[0][axis], p[1][axis], p[2][axis]});
    return {static_cast<int>(std::clamp<double>(low, 0, size)),
            static_cast<int>(std::clamp<double>(high + 1, 0, size))};
  }

  int width, height;
  std::vector<Sample> buffer;
};

/// The smallest box of round numbers about the mesh.
struct RoundBox {
  Vec3 low, high;
  double step;
  RoundBox(const Vec3 &from, const Vec3 &to) : low(from), high(to) {
    const Vec3 size = to - from;
    step = niceStep(std::max({size[0], size[1], size[2]}), 8);
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::floor(low[k] / step + 1e-6) * step;
      high[k] = std::ceil(high[k] / step - 1e-6) * step;
      if (high[k] <= low[k])
        high[k] += step;
    }
  }
  Vec3 corner(int which) const { // bit k: the upper end of axis k
    return {which & 1 ? high[0] : low[0], which & 2 ? high[1] : low[1],
            which & 4 ? high[2] : low[2]};
  }
};

/// Fits the frame into the page.
void fit(Projection &view, const RoundBox &frame, const Rect &room) {
  BoundingBox box;
  for (int c = 0; c < 8; ++c)
    box.add(view(frame.corner(c)));
  const Vec3 size = box.high - box.low, twice = box.low + box.high;
  view.scale = std::min(room.width / size[0], room.height / size[1]);
  view.x0 = room.left + room.width / 2 - view.scale * twice[0] / 2;
  view.y0 = room.top + room.height / 2 - view.scale * twice[1] / 2;
}

class Axes {
public:
  Axes(const Figure &figure, Panel &page, const Projection &view, const RoundBox &frame,
       const Rect &room)
      : figure(figure), page(page), view(view), frame(frame), room(room), unit(figure.unit()) {}

  /// The frame's edges behind the mesh.
  void edges() {
    for (int c = 0; c < 8; ++c)
      for (int k = 0; k < 3; ++k)
        if ((c >> k & 1) == 0 && touchesBack(c, k))
          line(view(frame.corner(c)), view(frame.corner(c | 1 << k)), frameColour);
  }

  /// Ticks and numbers of axis k along the edge of the frame that is farthest out of the way.
  void scale(int k) {
    const int c = edgeFor(k);
    Vec3 from = frame.corner(c);
    const Vec3 begin = view(from), end = view(frame.corner(c | 1 << k)), along = end - begin;
    line(begin, end, black);
    const double size = std::hypot(along[0], along[1]);
    if (size < 40 * unit) // seen end on
      return;
    const Vec3 out = outwards(along, 0.5 * (begin + end), size);
    const int count = static_cast<int>(std::lround((frame.high[k] - frame.low[k]) / frame.step));
    const int every = std::max(1, static_cast<int>(std::ceil(60 * unit * count / size)));
    const double align = out[0] > 0.5 ? 0 : out[0] < -0.5 ? 1 : 0.5;
    for (int i = 0; i <= count; i += every) {
      if (k == 0 && i == (view.eye[0] > 0 ? count : 0)) // there y has its number
        continue;
      from[k] = frame.low[k] + i * frame.step;
      const Vec3 p = view(from);
      line(p, p + 8 * unit * out, black);
      const Text text{p[0] + 16 * unit * out[0], p[1] + 22 * unit * out[1], number(from[k]), 0.85,
                      align};
      if (isClear(text))
        write(text);
    }
    name(fmt::format("{} (nm)", "xyz"[k]), 0.5 * (begin + end), out, align);
  }

private:
  /// Writes the name of an axis as near to its middle as its numbers let it.
  void name(const std::string &what, const Vec3 &middle, const Vec3 &out, double align) {
    const Vec3 sideways{out[1], -out[0], 0};
    for (double aside = 0; aside < 600; aside += 20)
      for (const double side : {aside, -aside})
        for (double away = 64; away < 240; away += 4) {
          const Vec3 at = middle + away * unit * out + side * unit * sideways;
          if (const Text text{at[0], at[1], what, 1, align}; isClear(text))
            return write(text);
        }
  }
  /// Whether a text, with some room about it, covers no other, and stays in its room.
  bool isClear(const Text &text) const {
    Lettering one = letteringOf(figure, page, text);
    for (std::size_t k = 0; k < 4; ++k) { // from the upper left, clockwise
      one.corners[k][0] += (k == 0 || k == 3 ? -0.3 : 0.3) * one.pixels;
      one.corners[k][1] += (k < 2 ? -0.2 : 0.2) * one.pixels;
    }
    for (const auto &[x, y] : one.corners)
      if (x < room.left || x > room.left + room.width || y < room.top || y > room.top + room.height)
        return false;
    return std::ranges::none_of(written,
                                [&](const Lettering &other) { return one.overlaps(other); });
  }
  void write(const Text &text) {
    written.push_back(letteringOf(figure, page, text));
    page.add(text);
  }
  std::string number(double value) const {
    const double whole = std::round(value / frame.step) * frame.step;
    return fmt::format("{:.6g}", whole == 0 ? 0 : whole);
  }
  /// Across an edge, away from the middle of the frame.
  Vec3 outwards(const Vec3 &along, const Vec3 &half, double size) const {
    const Vec3 out{-along[1] / size, along[0] / size, 0};
    const Vec3 away = half - view(0.5 * (frame.low + frame.high));
    return away[0] * out[0] + away[1] * out[1] < 0 ? -1.0 * out : out;
  }
  /// Is this edge of the frame on two faces that look away from the eye?
  bool touchesBack(int corner, int k) const {
    for (int other = 0; other < 3; ++other)
      if (other != k && ((corner >> other & 1) != 0) == (view.eye[other] > 0))
        return false;
    return true;
  }
  /// x and y: the lower edge nearer to the eye; z: the upright edge at the left.
  int edgeFor(int k) const {
    if (k < 2)
      return view.eye[1 - k] > 0 ? 1 << (1 - k) : 0;
    return std::ranges::min({0, 1, 2, 3}, {}, [&](int c) { return view(frame.corner(c))[0]; });
  }
  void line(const Vec3 &a, const Vec3 &b, Colour colour) {
    page.add(Line{{a[0], b[0]}, {a[1], b[1]}, colour, 1.2});
  }
  const Figure &figure;
  Panel &page;
  const Projection &view;
  const RoundBox &frame;
  Rect room;
  double unit;
  std::vector<Lettering> written;
};

/// How much slopes point outwards, corner by corner: along the mean normal of the triangles at a
/// vertex, by their areas.
std::vector<std::array<double, 3>> outwards(const Mesh &mesh, const MeshSlopes &slopes) {
  const std::vector<std::uint32_t> vertex = weld(mesh, 0);
  std::vector<Vec3> normals(vertex.size());
  for (std::size_t c = 0; c < vertex.size(); ++c)
    normals[vertex[c]] = normals[vertex[c]] + areaNormal(mesh.triangles[c / 3]);
  std::vector<std::array<double, 3>> along(mesh.triangles.size());
  for (std::size_t c = 0; c < vertex.size(); ++c) {
    const Vec3 &normal = normals[vertex[c]];
    const double size = length(normal);
    along[c / 3][c % 3] = size > 0 ? dot(slopes.corners[c / 3][c % 3], normal) / size : 0;
  }
  return along;
}

/// A scale that goes as far to both sides of 0.
Scale scaleOfSlopes(const std::vector<std::array<double, 3>> &along, const std::string &label) {
  double most = 0;
  for (const auto &triangle : along)
    for (const double value : triangle)
      most = std::max(most, std::abs(value));
  most = most > 0 ? most : 1;
  return {withRaised(label), -most, most, false, ColourMap::Diverging};
}

/// The triangles; with slopes, each in the colours of its corners.
Image surface(const Mesh &mesh, const ViewOptions &options, const Projection &view,
              const std::vector<std::array<double, 3>> &along, const Scale &colours) {
  return {[&mesh, options, view, along, colours](int width, int height) {
    const double fine = static_cast<double>(width) / options.width;
    Projection finer = view;
    finer.scale *= fine, finer.x0 *= fine, finer.y0 *= fine;
    Renderer renderer(width, height);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      Paint paint;
      if (!along.empty())
        paint = [&colours, &at = along[t]](const std::array<double, 3> &w) {
          return colours.colour(w[0] * at[0] + w[1] * at[1] + w[2] * at[2]);
        };
      renderer.draw(mesh.triangles[t], finer, options.edges, paint);
    }
    return renderer.average();
  }};
}
} // namespace

plot::Figure figureOf(const Mesh &mesh, const ViewOptions &options, const MeshSlopes *slopes) {
  if (mesh.triangles.empty())
    throw Error(mesh.name, "there are no corners of triangles to draw",
                "meshes given by areas, normals and centroids cannot be viewed");
  const MeshReport report = inspect(mesh);
  const RoundBox frame(report.low, report.high);
  Projection view = lookFrom(options.azimuth, options.elevation);
  Figure figure{.width = options.width, .height = options.height};
  const double unit = figure.unit(), left = 190 * unit,
               right = (slopes != nullptr ? 240 : 150) * unit; // room for the bar of colours
  fit(view, frame, {left, 90 * unit, figure.width - left - right, figure.height - 210.0 * unit});
  std::vector<std::array<double, 3>> along;
  if (slopes != nullptr)
    along = outwards(mesh, *slopes);
  const Scale colours = scaleOfSlopes(along, slopes != nullptr ? slopes->label : "");
  Panel page = figure.page();
  // Texts keep from the title, and from the bar of colours.
  const Rect room{0, 64 * unit, figure.width - (slopes != nullptr ? 224 * unit : 0),
                  figure.height - 64 * unit};
  Axes axes(figure, page, view, frame, room);
  axes.edges();
  page.add(surface(mesh, options, view, along, colours));
  for (int k = 0; k < 3; ++k)
    axes.scale(k);
  const std::string name = mesh.name.substr(mesh.name.find_last_of('/') + 1);
  addHeading(figure, page, 40 * unit,
             slopes != nullptr ? slopes->title
                               : fmt::format("{}, {} triangles", name, mesh.triangles.size()),
             1.2);
  figure.panels = {page};
  if (slopes != nullptr)
    figure.panels.push_back(
        {.box = {figure.width - 220 * unit, 120 * unit, 0, figure.height - 300 * unit},
         .frame = Frame::Without,
         .size = 0.85,
         .colours = colours});
  return figure;
}

void writeMeshPicture(const Mesh &mesh, const std::string &path, const ViewOptions &options,
                      const MeshSlopes *slopes) {
  draw(figureOf(mesh, options, slopes), path);
}

} // namespace facet::runtime
