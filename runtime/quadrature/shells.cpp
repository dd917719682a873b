// shells.cpp - the q of a grid in octaves of |q|: what bounds phases there, and what is allowed.
#include "runtime/quadrature/nodes.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace facet::runtime {
namespace {

constexpr int octaves = 60; // q smaller than 2^-60 of the largest joins the last

double squares(const Axis &axis, std::size_t i) {
  return axis.re[i] * axis.re[i] + (axis.im.empty() ? 0 : axis.im[i] * axis.im[i]);
}

class Octaves {
public:
  explicit Octaves(const Grid &grid)
      : grid_(grid), top_(std::ilogb(shellsOf(grid, 0).front().normMax)) {}

  /// q at i[k] of axis k, with |q|^2.
  void take(const std::array<std::size_t, 3> &i, double norm2, double tolerance) {
    if (!(norm2 > 0) || std::isinf(tolerance))
      return;
    const double norm = std::sqrt(norm2);
    Shell &shell = shells_[std::clamp(top_ - std::ilogb(norm), 0, octaves - 1)];
    for (std::size_t k = 0; k < 3; ++k) {
      const Axis &axis = grid_.axes[k];
      shell.reMax[k] = std::max(shell.reMax[k], std::abs(axis.re[i[k]]));
      if (!axis.im.empty())
        shell.imMax[k] = std::max(shell.imMax[k], std::abs(axis.im[i[k]]));
    }
    shell.tolerance = shell.normMax > 0 ? std::min(shell.tolerance, tolerance) : tolerance;
    shell.normMax = std::max(shell.normMax, norm);
  }

  std::vector<Shell> taken() const {
    std::vector<Shell> all(shells_.begin(), shells_.end());
    std::erase_if(all, [](const Shell &shell) { return !(shell.normMax > 0); });
    return all;
  }

private:
  const Grid &grid_;
  int top_;
  std::array<Shell, octaves> shells_{};
};

bool demandsNoMore(const Shell &a, const Shell &than) {
  bool less = a.normMax <= than.normMax && a.tolerance >= than.tolerance;
  for (int k = 0; k < 3; ++k)
    less = less && a.reMax[k] <= than.reMax[k] && a.imMax[k] <= than.imMax[k];
  return less;
}

} // namespace

std::vector<Shell> shellsOf(const Grid &grid, std::span<const double> tolerance) {
  Octaves all(grid);
  if (grid.kind == Grid::Kind::Points) {
    for (std::size_t i = 0; i < tolerance.size(); ++i)
      all.take({i, i, i},
               squares(grid.axes[0], i) + squares(grid.axes[1], i) + squares(grid.axes[2], i),
               tolerance[i]);
    return pruned(all.taken());
  }
  const std::size_t nx = grid.axes[0].re.size(), ny = grid.axes[1].re.size(),
                    nz = grid.axes[2].re.size();
  const double *at = tolerance.data();
  for (std::size_t x = 0; x < nx; ++x)
    for (std::size_t y = 0; y < ny; ++y) {
      const double row = squares(grid.axes[0], x) + squares(grid.axes[1], y);
      for (std::size_t z = 0; z < nz; ++z)
        all.take({x, y, z}, row + squares(grid.axes[2], z), *at++);
    }
  return pruned(all.taken());
}

std::vector<Shell> shellsOf(const Grid &grid, double tolerance) {
  Shell shell;
  shell.tolerance = tolerance;
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    double most = 0;
    for (std::size_t i = 0; i < grid.axes[k].re.size(); ++i) {
      shell.reMax[k] = std::max(shell.reMax[k], std::abs(grid.axes[k].re[i]));
      if (!grid.axes[k].im.empty())
        shell.imMax[k] = std::max(shell.imMax[k], std::abs(grid.axes[k].im[i]));
      most = std::max(most, squares(grid.axes[k], i));
    }
    sum += most;
  }
  shell.normMax = std::sqrt(sum);
  return {shell};
}

std::vector<Shell> coarseShells(const Mesh &mesh, const Grid &grid) {
  double longest = 0; // squared
  for (const auto &corners : mesh.triangles)
    for (std::size_t i = 0; i < 3; ++i) {
      double squares = 0;
      for (std::size_t k = 0; k < 3; ++k)
        squares += std::pow(corners[(i + 1) % 3][k] - corners[i][k], 2);
      longest = std::max(longest, squares);
    }
  Shell shell = shellsOf(grid, 0.1).front();
  // A phase that runs over 6 rad along the longest edge: a rule of degree 5 at this tolerance.
  if (longest > 0)
    shell.normMax = std::min(shell.normMax, 6 / std::sqrt(longest));
  for (int k = 0; k < 3; ++k) {
    shell.reMax[k] = shell.normMax;
    shell.imMax[k] = 0;
  }
  return {shell};
}

std::vector<Shell> pruned(std::vector<Shell> shells) {
  std::vector<Shell> kept;
  for (std::size_t i = 0; i < shells.size(); ++i) {
    bool needed = true;
    for (std::size_t j = 0; j < shells.size() && needed; ++j)
      // If two are alike, the first is kept.
      needed = i == j || !demandsNoMore(shells[i], shells[j]) ||
               (i < j && demandsNoMore(shells[j], shells[i]));
    if (needed)
      kept.push_back(shells[i]);
  }
  return kept;
}

} // namespace facet::runtime
