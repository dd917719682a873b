// rough.cpp - the kernel `rough` as reference against the closed form of a box.
// NOLINTBEGIN(bugprone-suspicious-include): kernel files are what is tested
#include "examples/kernels/rough.cpp"
// NOLINTEND(bugprone-suspicious-include)
#include "meshes.h"
#include <array>
#include <gtest/gtest.h>

namespace {

using Wave = wavevector<real, real, cplx>;

/// The faces of a box across an axis have one sigma: with sides L and r_k = sigma_k |q_k|,
/// F = V product sinc(q_k L_k / 2) sum |q_k|^2 e^{-r_k^2 / 2} / |q|^2, the box standing centred.
cplx closedForm(const std::array<real, 3> &side, const std::array<real, 3> &sigma, const Wave &q) {
  const std::array<cplx, 3> components{q.x, q.y, q.z};
  cplx smooth = 1;
  real weight = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    smooth = smooth * side[k] * sinc(components[k] * (side[k] / 2));
    const real square = norm2(components[k]);
    weight += square * std::exp(-sigma[k] * sigma[k] * square / 2);
  }
  return smooth * weight / norm2(q);
}

TEST(Rough, BoxIsItsClosedForm) {
  const std::array<real, 3> side{8, 6, 5}, sigma{0.3, 0.7, 0.2};
  const auto mesh =
      facet::test::box({side[0], side[1], side[2]}, {-side[0] / 2, -side[1] / 2, -side[2] / 2});
  std::vector<Rough> records(mesh.size());
  for (std::size_t k = 0; k < mesh.size(); ++k) {
    static_cast<Triangle &>(records[k]) = mesh[k];
    const vec3 n = mesh[k].normal;
    records[k].sigma = std::abs(n.x) > 0.5 ? sigma[0] : std::abs(n.y) > 0.5 ? sigma[1] : sigma[2];
  }
  const real volume = side[0] * side[1] * side[2];
  for (const Wave &q : {Wave{0.3, -0.2, 0.5}, Wave{1, 2, -0.4}, Wave{0, 0, 0.7}, Wave{3, 0, 0},
                        Wave{1e-6, 2e-6, 1e-6}, Wave{0.2, 0.1, cplx(0.9, 0.04)}})
    EXPECT_LE(abs(facet::test::value<rough>(records, q).f - closedForm(side, sigma, q)),
              1e-12 * volume);
  const auto at = [&](long k) { return records[static_cast<std::size_t>(k)]; };
  EXPECT_NEAR(evaluate_origin<rough>(at, static_cast<long>(records.size())).re, volume, 1e-9);
}

} // namespace
