// stack.h - the layers of a sample: what each is made of, how thick, how rough.
//
// facet's convention, one of two that must never be mixed (docs/experiments.md): time e^{-iwt},
// refractive index n = 1 - delta + i beta, q' = k_i - k_f and F = int e^{iq'.r} d3r.
#pragma once
#include <complex>
#include <facet/runtime/scene.h>

namespace facet::runtime {

/// Layers from top to bottom. The first, where the beam comes from, and the last, the substrate,
/// are half-spaces; one alone is a medium without interfaces.
struct Stack {
  std::vector<Layer> layers;

  bool isTop(std::size_t layer) const { return layer == 0; }
  bool isSubstrate(std::size_t layer) const { return layer + 1 == layers.size(); }
  /// The bottom of a layer, nm, measured from its own top; of the top layer from the first
  /// interface. The substrate goes to minus infinity.
  double lowest(std::size_t layer) const;
  /// "layer 'film'", or "layer 2 of 3" if it has no name.
  std::string title(std::size_t layer) const;
};

/// n_b^2 - n_a^2 of two materials, without the cancellation of 1 - 1.
std::complex<double> indexStep(const Layer &a, const Layer &b);

/// Throws Error (beginning with `where`) unless there is a layer, inner ones are thicker than
/// nothing, half-spaces have no thickness, roughness is >= 0 and there is none if there is no
/// interface, the top does not absorb (unless it is alone), and delta and beta are as checkIndex
/// wants them.
void check(const Stack &stack, const std::string &where = "sample");
/// Throws Error unless 0 <= delta < 1, beta >= 0, both finite.
void checkIndex(double delta, double beta, const std::string &where);

/// The layer of that name; the top one if it is "". Throws Error with the nearest name there is.
std::size_t findLayer(const Stack &stack, const std::string &name,
                      const std::string &where = "sample");

/// Throws Error unless a particle from `low` to `high` (nm, as Stack::lowest measures) lies in one
/// layer; touching an interface is allowed. Says which interface is crossed and by how much.
void checkInside(const Stack &stack, std::size_t layer, double low, double high,
                 const std::string &where = "particle");

} // namespace facet::runtime
