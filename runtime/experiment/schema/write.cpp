// write.cpp - a scene as TOML with every default, so that a result can be run again.
#include "runtime/experiment/schema/parts.h"
#include <fmt/format.h>
#include <sstream>

namespace facet::runtime::schema {
namespace {

template <class List> std::string list(const List &values) {
  std::string text;
  for (const double v : values)
    text += (text.empty() ? "" : ", ") + shortest(v);
  return "[" + text + "]";
}

template <class Pairs> std::string pairs(const Pairs &values) {
  std::string text;
  for (const auto &[name, value] : values)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", quoted(name), shortest(value));
  return text;
}

std::string orientationToml(const Orientations &o) {
  if (o.average == "none" && o.euler.empty())
    return "";
  std::string t = "orientation = { ";
  if (o.average != "none")
    t += fmt::format("average = {}, points = {}{}", quoted(o.average), o.points,
                     o.euler.empty() ? "" : ", ");
  if (o.euler.size() == 1)
    t += "euler = " + list(o.euler[0]);
  if (o.euler.size() > 1) {
    std::string all;
    for (const auto &e : o.euler)
      all += (all.empty() ? "" : ", ") + list(e);
    t += "euler = [" + all + "]";
  }
  if (!o.weights.empty())
    t += ", weights = " + list(o.weights);
  if (o.average == "tilt")
    t += ", sigma = " + shortest(o.sigma);
  return t + " }\n";
}

std::string layerToml(const Layer &l) {
  return fmt::format("  {{ name = {}, thickness = {}, delta = {}, beta = {}, roughness = {} }},\n",
                     quoted(l.name), shortest(l.thickness), shortest(l.delta), shortest(l.beta),
                     shortest(l.roughness));
}

std::string detectorToml(const Scene &s) {
  const DetectorPlace &d = *s.detector;
  return fmt::format("\n[detector]\npixels = [{}, {}]\npixel_size = [{}, {}]\ndistance = {}\n"
                     "poni1 = {}\nponi2 = {}\nrotation = {}\norientation = {}\nform = {}\n",
                     d.rows, d.columns, shortest(d.pixel1), shortest(d.pixel2),
                     shortest(d.distance), shortest(d.poni1), shortest(d.poni2), list(d.rotation),
                     d.orientation, quoted(s.form));
}

} // namespace

std::string quoted(const std::string &text) {
  std::ostringstream out;
  out << toml::value<std::string>(text);
  return out.str();
}

std::string geometryToml(const Particle &p) {
  std::string t;
  if (p.shape.empty()) {
    t = fmt::format("mesh = {}\nunit = {}\n", quoted(p.mesh), shortest(p.unit));
  } else {
    std::string arguments;
    for (const auto &[name, values] : p.shapeNumbers)
      arguments += fmt::format(", {} = {}", quoted(name),
                               values.size() == 1 ? shortest(values[0]) : list(values));
    t = fmt::format("shape = {{ type = {}{} }}\n", quoted(p.shape), arguments);
  }
  if (!p.columns.empty())
    t += fmt::format("columns = {{ {} }}\n", pairs(p.columns));
  return t;
}

std::string particleToml(const Particle &p, bool several) {
  std::string t = several ? "\n[[particle]]\n" : "\n[particle]\n";
  if (!p.name.empty())
    t += fmt::format("name = {}\n", quoted(p.name));
  t += geometryToml(p);
  if (!p.layer.empty())
    t += fmt::format("layer = {}\n", quoted(p.layer));
  if (p.z)
    t += fmt::format("z = {}\n", shortest(*p.z));
  if (p.delta)
    t += fmt::format("delta = {}\nbeta = {}\n", shortest(*p.delta), shortest(p.beta));
  if (p.density)
    t += fmt::format("density = {}\n", shortest(*p.density));
  t += orientationToml(p.orientation);
  if (p.size)
    t += fmt::format("size = {{ type = {}, width = {}, points = {}, nsigmas = {} }}\n",
                     quoted(p.size->type), shortest(p.size->width), p.size->points,
                     shortest(p.size->nsigmas));
  return t;
}

std::string sceneToml(const Scene &s) {
  std::string t;
  if (!s.objectsFile.empty())
    t += fmt::format("objects = {}\n", quoted(s.objectsFile));
  if (!s.objects.empty())
    t += fmt::format("interference = {}\n", quoted(s.coherent ? "coherent" : "incoherent"));
  if (s.wavelength > 0)
    t += fmt::format("\n[beam]\nwavelength = {}\n", shortest(s.wavelength));
  if (!s.alphaI.empty())
    t += fmt::format("alpha_i = {}\n", list(s.alphaI));
  if (!s.layers.empty()) {
    t += "\n[sample]\nlayers = [\n";
    for (const Layer &l : s.layers)
      t += layerToml(l);
    t += "]\n";
  }
  for (const Particle &p : s.particles)
    t += particleToml(p, true);
  if (s.objectsFile.empty())
    for (const Object &o : s.objects)
      t += fmt::format("\n[[object]]\nparticle = {}\nposition = {}\neuler = {}\nscale = {}\n",
                       o.particle + 1, list(o.position), list(o.euler), shortest(o.scale));
  if (s.detector)
    t += detectorToml(s);
  return t;
}

std::string cutsToml(const Scene &s) {
  std::string t = fmt::format("amplitude = {}\n", s.amplitude ? "true" : "false");
  if (s.cuts.empty())
    return t;
  t += "curves = [\n";
  for (const LineCut &c : s.cuts)
    t += fmt::format("  {{ name = {}, along = {}, {} = {}, width = {} }},\n", quoted(c.name),
                     quoted(c.along), c.across, shortest(c.at), shortest(c.width));
  return t + "]\n";
}

} // namespace facet::runtime::schema
