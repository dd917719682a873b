// check_output.cpp - what is written of an experiment: cuts, sums, and amplitudes where there are
// some.
#include "runtime/scattering/experiment/forms.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::runtime::schema {

void checkCut(const Source &from, LineCut &to) {
  if (to.along.empty() || to.across.empty() || to.along == to.across)
    from.fail("a cut goes along one coordinate at a value of another",
              "curves = [{ name = \"yoneda\", along = \"qy\", qz = 0.35, width = 0.02 }]");
  if (!(to.width >= 0))
    from.fail(*from.find("width"), "the width is to be 0 or more");
  if (to.name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-") != std::string::npos)
    from.fail(*from.find("name"), fmt::format("'{}' cannot name a group", to.name),
              "letters, digits, _ and -");
}

void checkOutput(const Source &from, Experiment &to) {
  from.refuse(!to.total && from.has({"over", "weights"}),
              "over and weights are of a total, and there is none", "total = true");
  for (std::size_t i = 0; i < to.cuts.size(); ++i) {
    LineCut &cut = to.cuts[i];
    if (cut.name.empty())
      cut.name = fmt::format("{}_{}", cut.along, i + 1);
    for (std::size_t j = 0; j < i; ++j)
      if (to.cuts[j].name == cut.name)
        from.fail(from.at("curves")->tables()[i].toml,
                  fmt::format("two cuts are called '{}'", cut.name));
  }
}

void checkAmplitudes(const Source &from, const Experiment &s) {
  const auto output = from.at("output");
  if (!output || output->node.is_string())
    return;
  const Source inside = output->sub();
  const auto refuse = [&](const char *key, bool wrong, const char *what, const char *help) {
    if (const toml::node *at = inside.find(key); at != nullptr && wrong)
      inside.fail(*at, fmt::format("{}: {}", key, what), help);
  };
  refuse("q_unit", !s.isScene(), "is of images and curves: F on one grid is over q in 1/nm",
         "leave it out");
  const std::pair<const char *, bool> waves[] = {
      {"terms", s.terms}, {"fresnel", s.fresnel}, {"specular", s.specular}};
  for (const auto &[key, asked] : waves)
    refuse(key, asked && s.layers.empty(), "is of waves in layers, and there is no sample",
           "[sample] layers = [...], or leave it out");
  const bool averaged = std::ranges::any_of(
      s.particles, [](const Particle &p) { return !p.orientation.single() || p.size; });
  const std::pair<const char *, bool> amplitudes[] = {{"amplitude", s.amplitude},
                                                      {"terms", s.terms}};
  for (const auto &[key, asked] : amplitudes) {
    refuse(key, asked && s.objects.empty() && (averaged || s.particles.size() > 1),
           "an average of intensities has no amplitude", "leave it out, or the averages");
    refuse(key, asked && !s.objects.empty() && s.interference == "incoherent",
           "a sum of intensities has no amplitude", "interference = \"coherent\", or leave it out");
  }
  const std::pair<const char *, bool> sharp[] = {
      {"amplitude", s.amplitude}, {"terms", s.terms}, {"fresnel", s.fresnel}};
  for (const auto &[key, asked] : sharp)
    refuse(key, asked && s.resolution.hasBeams(),
           "a sum of intensities over beams has no amplitude, and no wave of its own",
           "leave it out, or the beams of [resolution]");
}

} // namespace facet::runtime::schema
