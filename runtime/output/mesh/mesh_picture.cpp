// mesh_picture.cpp - a shaded picture of a mesh with three scales in nm.
#include "runtime/mesh/geometry.h"
#include "runtime/output/mesh/render.h"
#include <facet/runtime/error.h>
#include <facet/runtime/output.h>
#include <fmt/format.h>

namespace facet::runtime {

namespace {
using namespace plot;

constexpr Colour pale{150, 150, 150};

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
void fit(Projection &view, const RoundBox &frame, const Box &room) {
  Vec3 low = view(frame.corner(0)), high = low;
  for (int c = 1; c < 8; ++c)
    for (std::size_t k = 0; k < 2; ++k) {
      const Vec3 p = view(frame.corner(c));
      low[k] = std::min(low[k], p[k]);
      high[k] = std::max(high[k], p[k]);
    }
  view.scale = std::min(room.width / (high[0] - low[0]), room.height / (high[1] - low[1]));
  view.x0 = room.left + room.width / 2 - view.scale * (low[0] + high[0]) / 2;
  view.y0 = room.top + room.height / 2 - view.scale * (low[1] + high[1]) / 2;
}

class Axes {
public:
  Axes(Panel &page, const Projection &view, const RoundBox &frame)
      : page(page), view(view), frame(frame) {}

  /// The frame's edges behind the mesh.
  void edges() {
    for (int c = 0; c < 8; ++c)
      for (int k = 0; k < 3; ++k)
        if ((c >> k & 1) == 0 && touchesBack(c, k))
          line(view(frame.corner(c)), view(frame.corner(c | 1 << k)), pale);
  }

  /// Ticks and numbers of axis k along the edge of the frame that is farthest out of the way.
  void scale(int k) {
    const int c = edgeFor(k);
    Vec3 from = frame.corner(c);
    const Vec3 begin = view(from), end = view(frame.corner(c | 1 << k)), along = end - begin;
    line(begin, end, black);
    const double size = std::hypot(along[0], along[1]);
    if (size < 40) // seen end on
      return;
    const Vec3 out = outwards(along, 0.5 * (begin + end), size);
    const int count = static_cast<int>(std::lround((frame.high[k] - frame.low[k]) / frame.step));
    const int every = std::max(1, static_cast<int>(std::ceil(60 * count / size)));
    const double align = out[0] > 0.5 ? 0 : out[0] < -0.5 ? 1 : 0.5;
    for (int i = 0; i <= count; i += every) {
      if (k == 0 && i == (view.eye[0] > 0 ? count : 0)) // there y has its number
        continue;
      from[k] = frame.low[k] + i * frame.step;
      const Vec3 p = view(from);
      line(p, p + 8 * out, black);
      page.add(Text{p[0] + 16 * out[0], p[1] + 22 * out[1], number(from[k]), 0.85, align});
    }
    const Vec3 name = 0.5 * (begin + end) + (64 + 40 * std::abs(out[0])) * out;
    page.add(Text{name[0], name[1], fmt::format("{} (nm)", "xyz"[k])});
  }

private:
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
    int best = 0;
    for (int c : {0, 1, 2, 3})
      if (view(frame.corner(c))[0] < view(frame.corner(best))[0])
        best = c;
    return best;
  }
  void line(const Vec3 &a, const Vec3 &b, Colour colour) {
    page.add(Line{{a[0], b[0]}, {a[1], b[1]}, colour, 1.2});
  }
  Panel &page;
  const Projection &view;
  const RoundBox &frame;
};
} // namespace

void writeMeshPicture(const Mesh &mesh, const std::string &path, const ViewOptions &options) {
  if (mesh.triangles.empty())
    throw Error(mesh.name, "there are no corners of triangles to draw",
                "meshes given by areas, normals and centroids cannot be viewed");
  const MeshReport report = inspect(mesh);
  const RoundBox frame(report.low, report.high);
  Projection view = lookFrom(options.azimuth, options.elevation);
  Figure figure{.width = options.width, .height = options.height};
  fit(view, frame, {190, 90, figure.width - 340.0, figure.height - 210.0});
  Panel page = figure.page();
  Axes axes(page, view, frame);
  axes.edges();
  page.add(Image{[&](int width, int height) {
    const double fine = static_cast<double>(width) / options.width;
    Projection finer = view;
    finer.scale *= fine, finer.x0 *= fine, finer.y0 *= fine;
    return render(mesh, finer, width, height, options.edges);
  }});
  for (int k = 0; k < 3; ++k)
    axes.scale(k);
  const std::string name = mesh.name.substr(mesh.name.find_last_of('/') + 1);
  page.add(Text{figure.width / 2.0, 40,
                fmt::format("{}, {} triangles", name, mesh.triangles.size()), 1.2});
  figure.panels = {page};
  draw(figure, path);
}

} // namespace facet::runtime
