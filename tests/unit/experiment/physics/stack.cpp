// stack.cpp - which samples are refused, and particles that cross an interface.
#include "samples.h"
#include "tests/unit/run/refusal.h"
#include <limits>

namespace facet::test {
namespace {

/// What check says of silicon under a film, after a change of the film.
template <class Change> std::string refused(const Change &change) {
  Stack stack = film(50, 3e-6, 5e-7);
  change(stack);
  return refusal([&] { check(stack, "gold.toml"); });
}

TEST(Stack, IsAcceptedAsItShouldBe) {
  EXPECT_EQ(refused([](Stack &) {}), "");
  EXPECT_EQ(refusal([] { check({{{"water", 0, 1e-6, 1e-9, 0}}}); }), "");
  EXPECT_EQ(refused([](Stack &s) { s.layers[1].roughness = s.layers[2].roughness = 0.6; }), "");
}

TEST(Stack, NegativeBetaIsRefusedWhateverTheConvention) {
  const std::string text = refused([](Stack &s) { s.layers[1].beta = -5e-7; });
  EXPECT_HAS(text, "gold.toml: layer 'film': beta is -5e-07: facet wants beta > 0");
  EXPECT_HAS(text, "whatever the convention");
}

TEST(Stack, IndicesOutOfRangeAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_HAS(refused([](Stack &s) { s.layers[2].delta = -1e-6; }), "layer 'Si': delta is -1e-06");
  EXPECT_HAS(refused([](Stack &s) { s.layers[2].delta = 3; }), "delta is 3, not between 0 and 1");
  EXPECT_HAS(refused([&](Stack &s) { s.layers[1].delta = nan; }), "delta is nan");
  EXPECT_HAS(refused([&](Stack &s) { s.layers[1].beta = nan; }), "beta is nan");
  EXPECT_HAS(refused([](Stack &s) { s.layers[1].beta = INFINITY; }), "beta is inf");
  EXPECT_SAYS(checkIndex(1e-5, -1e-6, "particle 2"), "particle 2: beta is -1e-06");
}

TEST(Stack, ThicknessBelongsToInnerLayers) {
  EXPECT_HAS(refused([](Stack &s) { s.layers[1].thickness = 0; }), "a thickness of 0 nm");
  EXPECT_HAS(refused([](Stack &s) { s.layers[1].thickness = -3; }), "a thickness of -3 nm");
  EXPECT_HAS(refused([](Stack &s) { s.layers[2].thickness = 10; }), "10 nm for a half-space");
  EXPECT_HAS(refused([](Stack &s) { s.layers[0].thickness = 10; }), "10 nm for a half-space");
}

TEST(Stack, RoughnessBelongsToInterfaces) {
  EXPECT_HAS(refused([](Stack &s) { s.layers[1].roughness = -0.5; }), "a roughness of -0.5 nm");
  EXPECT_HAS(refused([](Stack &s) { s.layers[0].roughness = 0.5; }), "nothing lies above it");
}

TEST(Stack, NothingAndAnAbsorbingTopAreRefused) {
  EXPECT_SAYS(check(Stack{}), "sample: no layers");
  EXPECT_HAS(refused([](Stack &s) { s.layers[0].beta = 1e-9; }), "layer 'vacuum': absorbs");
}

TEST(Stack, LayersAreFoundByName) {
  EXPECT_EQ(findLayer(twoFilms(), "lower"), 2U);
  EXPECT_SAYS(findLayer(twoFilms(), "flim", "particle 1"),
              "particle 1: no layer 'flim'\n  help: did you mean 'film'?");
  EXPECT_SAYS(findLayer(twoFilms(), "gold"), "vacuum, film, lower, Si");
}

std::string crossing(std::size_t layer, double low, double high) {
  return refusal([&] { checkInside(film(50, 3e-6, 5e-7), layer, low, high, "cube"); });
}

TEST(Particles, MayTouchInterfacesButNotCrossThem) {
  EXPECT_EQ(crossing(0, 0, 10), "");
  EXPECT_EQ(crossing(1, -50, 0), "");
  EXPECT_EQ(crossing(1, -50 - 1e-12, 1e-12), "");
  EXPECT_EQ(crossing(2, -1e4, -3), "");
}

TEST(Particles, CrossingIsRefusedWithTheInterfaceAndHowMuch) {
  EXPECT_HAS(crossing(0, -2.5, 10), "cube: crosses the interface between layer 'vacuum' and layer "
                                    "'film' by 2.5 nm");
  EXPECT_HAS(crossing(1, -30, 0.25), "between layer 'vacuum' and layer 'film' by 0.25 nm");
  EXPECT_HAS(crossing(1, -51, -20), "between layer 'film' and layer 'Si' by 1 nm");
  EXPECT_HAS(crossing(2, -10, 4), "between layer 'film' and layer 'Si' by 4 nm");
  EXPECT_HAS(crossing(1, -60, 5), "more than it has");
  EXPECT_HAS(crossing(1, NAN, 5), "it reaches from nan to 5 nm");
}

} // namespace
} // namespace facet::test
