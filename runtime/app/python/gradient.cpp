// gradient.cpp - derivatives for Python: Plan.vjp and Plan.jvp of facet/plan.py.
#include "runtime/app/python/arrays.h"
#include <algorithm>
#include <complex>
#include <facet/runtime/gradient.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;
using namespace facet::runtime;
using facet::python::In;

namespace {

Gradient gradientOf(const std::string &file, const std::string &name, const Grid &grid,
                    const Mesh &mesh, const std::string &target, int threads, double accuracy) {
  return Gradient(file, grid, mesh,
                  {.kernel = name,
                   .target = target,
                   .threads = threads,
                   .algorithm = {},
                   .accuracy = accuracy});
}

facet::python::Out<double> cornersOf(Gradient &gradient,
                                     const In<std::complex<double>, nb::ndim<1>> &cotangent,
                                     const std::vector<double> &params) {
  const std::vector<std::complex<double>> g(cotangent.data(), cotangent.data() + cotangent.size());
  Corners corners;
  {
    const nb::gil_scoped_release released;
    corners = gradient.corners(g, params);
  }
  return facet::python::arrayOf(std::move(corners));
}

Kernel tangentOf(const std::string &file, const std::string &name, const Grid &grid,
                 const std::string &target) {
  return tangentKernel(file, grid, {.kernel = name, .target = target, .algorithm = {}});
}

Mesh changed(const Mesh &mesh, const In<double, nb::shape<-1, 3, 3>> &corners) {
  Corners by(corners.shape(0));
  const double *from = corners.data();
  for (auto &triangle : by)
    for (Vec3 &corner : triangle) {
      std::copy_n(from, 3, corner.begin());
      from += 3;
    }
  return changing(mesh, by);
}

} // namespace

namespace facet::python {

void addGradient(nb::module_ &m) {
  nb::class_<Gradient>(m, "Gradient")
      .def_static("of", &gradientOf, "file"_a, "name"_a, "grid"_a, "mesh"_a, "target"_a,
                  "threads"_a, "accuracy"_a, GilRelease())
      .def("set_mesh", &Gradient::setMesh, GilRelease())
      .def("corners", &cornersOf);
  m.def("tangent_kernel", &tangentOf, GilRelease());
  m.def("changing", &changed);
}

} // namespace facet::python
