// arrays.h - arrays of NumPy's that own what C++ has computed; who listens while it computes; what
// the module is made of.
#pragma once
#include <facet/runtime/gradient.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <vector>

namespace facet::python {

/// An array of NumPy's as it is handed in: its numbers in the order of C.
template <class T, class... Shape>
using In = nanobind::ndarray<const T, Shape..., nanobind::c_contig, nanobind::device::cpu>;
template <class T> using Out = nanobind::ndarray<nanobind::numpy, T>;

/// An array of NumPy's with these values, each of some numbers, which it then owns.
template <class T, class Value, class Shape>
Out<T> owning(std::vector<Value> values, const Shape &shape) {
  static_assert(sizeof(Value) % sizeof(T) == 0);
  auto *kept = new std::vector<Value>(std::move(values));
  const nanobind::capsule owner(
      kept, [](void *p) noexcept { delete static_cast<std::vector<Value> *>(p); });
  return Out<T>(reinterpret_cast<T *>(kept->data()), std::size(shape), std::data(shape), owner);
}
template <class T, class Shape> Out<T> arrayOf(std::vector<T> values, const Shape &shape) {
  return owning<T>(std::move(values), shape);
}
template <class T> Out<T> arrayOf(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  return owning<T>(std::move(values), shape);
}

/// An array of shape (triangles, 3, 3).
inline Out<double> arrayOf(runtime::Corners corners) {
  const std::array<std::size_t, 3> shape{corners.size(), 3, 3};
  return owning<double>(std::move(corners), shape);
}

/// A function runs while other threads of the interpreter's do.
using GilRelease = nanobind::call_guard<nanobind::gil_scoped_release>;

/// Adds members that can be read, each after its name.
template <class Class> void read(Class &&) {}
template <class Class, class Member, class... Others>
void read(Class &&to, const char *name, Member member, Others... others) {
  to.def_ro(name, member);
  read(to, others...);
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
/// Vertices that triangles share: vertices.cpp.
void addVertices(nanobind::module_ &m);
/// Commands of the program facet: run.cpp.
void addRun(nanobind::module_ &m);
/// Experiments in memory: simulation.cpp.
void addSimulation(nanobind::module_ &m);

} // namespace facet::python
