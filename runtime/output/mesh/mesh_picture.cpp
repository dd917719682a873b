// mesh_picture.cpp - a shaded picture of a mesh with three scales in nm.
#include "runtime/mesh/geometry.h"
#include "runtime/output/mesh/render.h"
#include "runtime/output/ticks.h"
#include <facet/runtime/error.h>
#include <facet/runtime/output.h>

namespace facet::runtime {

namespace {
constexpr Colour black{30, 30, 30}, grey{150, 150, 150};

std::string number(double value, double step) {
  if (std::abs(value) < step / 1000)
    value = 0;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", std::round(value / step) * step);
  return text.data();
}

struct Frame {
  Vec3 low, high;
  Vec3 corner(int which) const { // bit k: the upper end of axis k
    return {which & 1 ? high[0] : low[0], which & 2 ? high[1] : low[1],
            which & 4 ? high[2] : low[2]};
  }
};

/// The smallest box of round numbers about the mesh.
Frame frameOf(const MeshReport &report, double step) {
  Frame frame{report.low, report.high};
  for (int k = 0; k < 3; ++k) {
    frame.low[k] = std::floor(frame.low[k] / step + 1e-6) * step;
    frame.high[k] = std::ceil(frame.high[k] / step - 1e-6) * step;
    if (frame.high[k] <= frame.low[k])
      frame.high[k] += step;
  }
  return frame;
}

/// Fits the frame into the page.
void fit(Projection &view, const Frame &frame, const Box &room) {
  double x0 = 1e300, x1 = -1e300, y0 = 1e300, y1 = -1e300;
  for (int c = 0; c < 8; ++c) {
    Vec3 p = view(frame.corner(c));
    x0 = std::min(x0, p[0]);
    x1 = std::max(x1, p[0]);
    y0 = std::min(y0, p[1]);
    y1 = std::max(y1, p[1]);
  }
  double scale = std::min(room.width / (x1 - x0), room.height / (y1 - y0));
  view.scale = scale;
  view.x0 = room.left + room.width / 2 - scale * (x0 + x1) / 2;
  view.y0 = room.top + room.height / 2 - scale * (y0 + y1) / 2;
}

class Axes {
public:
  Axes(Canvas &canvas, const Projection &view, const Frame &frame, double step)
      : canvas(canvas), view(view), frame(frame), step(step) {}

  /// The frame's edges behind the mesh.
  void edges() {
    for (int c = 0; c < 8; ++c)
      for (int k = 0; k < 3; ++k)
        if ((c >> k & 1) == 0 && touchesBack(c, k))
          stroke(frame.corner(c), frame.corner(c | 1 << k), grey);
  }

  /// Ticks and numbers of axis k along the edge of the frame that is farthest out of the way.
  void scale(int k) {
    int c = edgeFor(k);
    Vec3 from = frame.corner(c), to = frame.corner(c | 1 << k);
    stroke(from, to, black);
    Vec3 middle = view(0.5 * (frame.low + frame.high)), along = view(to) - view(from);
    double size = std::hypot(along[0], along[1]);
    if (size < 40) // seen end on
      return;
    Vec3 out{-along[1] / size, along[0] / size, 0};
    Vec3 half = 0.5 * (view(from) + view(to)) - middle;
    if (half[0] * out[0] + half[1] * out[1] < 0)
      out = -1.0 * out;
    int every = 1;
    while (size / ((frame.high[k] - frame.low[k]) / (step * every)) < 60)
      ++every;
    double align = out[0] > 0.5 ? 0 : out[0] < -0.5 ? 1 : 0.5;
    int count = static_cast<int>(std::lround((frame.high[k] - frame.low[k]) / step));
    for (int i = 0; i <= count; i += every) {
      if (k == 0 && i == (view.eye[0] > 0 ? count : 0)) // there y has its number
        continue;
      Vec3 at = from;
      at[k] = frame.low[k] + i * step;
      Vec3 p = view(at);
      line(p, p + 8 * out, black);
      canvas.text(p[0] + 16 * out[0], p[1] + 22 * out[1], align, number(at[k], step), 0.85);
    }
    Vec3 name = 0.5 * (view(from) + view(to)) + (64 + 40 * std::abs(out[0])) * out;
    canvas.text(name[0], name[1], 0.5, std::string(1, "xyz"[k]) + " (nm)", 1);
  }

private:
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
  void stroke(const Vec3 &from, const Vec3 &to, Colour colour) {
    line(view(from), view(to), colour);
  }
  void line(const Vec3 &a, const Vec3 &b, Colour colour) {
    double w = canvas.width(), h = canvas.height();
    canvas.window({0, 0, w, h}, 0, w, 0, h);
    canvas.line({a[0], b[0]}, {h - a[1], h - b[1]}, colour, 1.2);
  }
  Canvas &canvas;
  const Projection &view;
  const Frame &frame;
  double step;
};
} // namespace

void writeMeshPicture(const Mesh &mesh, const std::string &path, const ViewOptions &options) {
  if (mesh.triangles.empty())
    throw Error(mesh.name, "there are no corners of triangles to draw",
                "meshes given by areas, normals and centroids cannot be viewed");
  MeshReport report = inspect(mesh);
  Vec3 size = report.high - report.low;
  double step = niceStep(std::max({size[0], size[1], size[2]}), 8);
  Frame frame = frameOf(report, step);
  Projection view = lookFrom(options.azimuth, options.elevation);
  Canvas canvas(path, options.width, options.height);
  double w = canvas.width(), h = canvas.height();
  fit(view, frame, {190, 90, w - 340, h - 210});
  Axes axes(canvas, view, frame, step);
  Projection fine = view;
  fine.scale *= canvas.fineness();
  fine.x0 *= canvas.fineness();
  fine.y0 *= canvas.fineness();
  axes.edges();
  canvas.image({0, 0, w, h}, render(mesh, fine, canvas.width() * canvas.fineness(),
                                    canvas.height() * canvas.fineness(), options.edges));
  for (int k = 0; k < 3; ++k)
    axes.scale(k);
  canvas.colour(black);
  std::string name = mesh.name.substr(mesh.name.find_last_of('/') + 1);
  canvas.text(w / 2, 40, 0.5,
              escaped(name) + ", " + std::to_string(mesh.triangles.size()) + " triangles", 1.2);
  canvas.commit();
}

} // namespace facet::runtime
