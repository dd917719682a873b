// arrays.h - arrays of NumPy's that own what C++ has computed; who listens while it computes; what the
// module is made of.
#pragma once
#include <facet/runtime/gradient.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <vector>

namespace facet::python {

template <class T> using Out = nanobind::ndarray<nanobind::numpy, T>;

/// An array of NumPy's with these numbers, which it then owns.
template <class T, class Shape> Out<T> arrayOf(std::vector<T> values, const Shape &shape) {
  auto *kept = new std::vector<T>(std::move(values));
  const nanobind::capsule owner(kept,
                                [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
  return Out<T>(kept->data(), std::size(shape), std::data(shape), owner);
}
template <class T> Out<T> arrayOf(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  return arrayOf<T, std::initializer_list<std::size_t>>(std::move(values), shape);
}

/// Of shape (triangles, 3, 3).
inline Out<double> arrayOf(const runtime::Corners &corners) {
  std::vector<double> all;
  all.reserve(9 * corners.size());
  for (const auto &triangle : corners)
    for (const runtime::Vec3 &corner : triangle)
      all.insert(all.end(), corner.begin(), corner.end());
  return arrayOf(std::move(all), {corners.size(), 3, 3});
}

/// While facet computes: Ctrl-C, and whoever wants to hear how far it is.
template <class Computes> void listen(Computes &computes, const nanobind::object &told) {
  computes.setProgress([told](double done, double total) {
    const nanobind::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0)
      throw nanobind::python_error();
    if (!told.is_none())
      told(done, total);
  });
}

/// Derivatives: gradient.cpp.
void addGradient(nanobind::module_ &m);
/// Experiments in memory: simulation.cpp.
void addSimulation(nanobind::module_ &m);

} // namespace facet::python
