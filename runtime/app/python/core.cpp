// core.cpp - facet's runtime library for Python: arrays in and out, the interpreter's lock released
// while facet computes. What is pleasant to use stands in facet/*.py.
#include "runtime/app/python/arrays.h"
#include "runtime/engine/check/rule.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/kernel/kernel_for.h"
#include "runtime/engine/plan/plan_run.h"
#include "runtime/engine/system/text.h"
#include "runtime/engine/system/units.h"
#include "runtime/picture/lettering.h"
#include "runtime/scattering/output/noise.h"
#include "runtime/scattering/scene/remarks.h"
#include <complex>
#include <facet/runtime/absolute.h>
#include <facet/runtime/experiment.h>
#include <facet/runtime/kernel.h>
#include <facet/runtime/material.h>
#include <facet/runtime/mesh.h>
#include <facet/runtime/output.h>
#include <facet/runtime/plan.h>
#include <facet/runtime/shapes.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <tuple>

namespace nb = nanobind;
using namespace nb::literals;
using namespace facet::runtime;
using namespace facet::python;

namespace {

Axis axisOf(const In<double, nb::ndim<1>> &re, const std::optional<In<double, nb::ndim<1>>> &im) {
  Axis axis;
  axis.re.assign(re.data(), re.data() + re.size());
  if (im)
    axis.im.assign(im->data(), im->data() + im->size());
  return axis;
}

using Corners = In<double, nb::shape<-1, 3, 3>>;

/// The array's triangles where they lie; it is kept as long as they are read.
Triangles viewOf(const Corners &array) {
  using Triangle = Triangles::value_type;
  static_assert(sizeof(Triangle) == 9 * sizeof(double));
  return {{reinterpret_cast<const Triangle *>(array.data()), array.shape(0)},
          std::make_shared<const Corners>(array)};
}

using TableArray = In<double, nb::ndim<2>>;

Mesh meshOf(const Corners &triangles, std::map<std::string, std::vector<double>> columns,
            const std::map<std::string, TableArray> &tables, double unit, const std::string &name) {
  Mesh mesh;
  for (const auto &[column, array] : tables)
    mesh.tables[column] = AxisTable(static_cast<std::int64_t>(array.shape(0)),
                                    static_cast<std::int64_t>(array.shape(1)),
                                    {array.data(), array.data() + array.size()});
  mesh.name = name;
  mesh.triangles = viewOf(triangles);
  mesh.columns = std::move(columns);
  const nb::gil_scoped_release released;
  return checkedMesh(std::move(mesh), unit);
}

/// [rows, records] of each column with an axis, as lists of rows.
std::map<std::string, std::vector<std::vector<double>>> tablesOf(const Mesh &mesh) {
  std::map<std::string, std::vector<std::vector<double>>> all;
  for (const auto &[name, table] : mesh.tables)
    for (std::int64_t row = 0; row < table.rows(); ++row)
      all[name].emplace_back(table.row(row), table.row(row) + table.records());
  return all;
}

std::vector<std::string> remarksOf(const Mesh &mesh) {
  std::vector<std::string> all;
  for (const Remark &remark : remarksOn(inspect(mesh)))
    all.push_back(mesh.name + ": " + remark.text + "\n  help: " + remark.help);
  return all;
}

/// What facet run says of a mesh on a grid: sizes and q in other units, steps, waves that grow.
std::vector<std::string> remarksOnSizes(const Mesh &mesh, const Grid &grid) {
  SceneMesh one;
  one.name = mesh.name;
  one.summary = summarise(mesh);
  std::vector<std::string> all;
  for (const Remark &remark : sizesOf(one, grid).remarks)
    all.push_back(remark.text + "\n  help: " + remark.help);
  return all;
}

void addMesh(nb::module_ &m) {
  nb::class_<Mesh>(m, "Mesh")
      .def_static("of", &meshOf, "triangles"_a, "columns"_a, "tables"_a, "unit"_a, "name"_a)
      .def_static(
          "read",
          [](const std::string &path, std::optional<double> unit) { return readMesh(path, unit); },
          GilRelease())
      .def_static("make",
                  nb::overload_cast<const std::string &,
                                    const std::map<std::string, std::vector<double>> &>(&makeMesh),
                  GilRelease())
      .def("write", &writeMesh, GilRelease())
      .def("rotated", &rotated, GilRelease())
      .def("refined", nb::overload_cast<const Mesh &, int>(&refined), GilRelease())
      .def(
          "cut",
          [](const Mesh &mesh, double height) {
            MeshParts parts = cutMesh(mesh, height);
            return std::pair(std::move(parts.below), std::move(parts.above));
          },
          GilRelease())
      .def("inspect", &inspect, GilRelease())
      .def("remarks", &remarksOf, GilRelease())
      .def(
          "picture",
          [](const Mesh &mesh, const std::string &path, double azimuth, double elevation) {
            writeMeshPicture(mesh, path, {azimuth, elevation});
          },
          GilRelease())
      .def_ro("name", &Mesh::name)
      .def_rw("unit", &Mesh::unit)
      .def_ro("columns", &Mesh::columns)
      .def_ro("notes", &Mesh::notes)
      .def("tables", &tablesOf)
      .def("__len__", &Mesh::size)
      .def("triangles", [](const nb::handle_t<Mesh> &self) {
        const auto &mesh = nb::cast<const Mesh &>(self);
        return nb::ndarray<nb::numpy, const double, nb::shape<-1, 3, 3>>(
            mesh.triangles.data(), {mesh.triangles.size(), 3, 3}, self);
      });
}

/// For shapes.py, which writes the constructors of Mesh: name, doc, [(name, kind, default, doc)].
void addShapes(nb::module_ &m) {
  using Argument = std::tuple<std::string, std::string, double, std::string>;
  m.def("shapes", [] {
    std::vector<std::tuple<std::string, std::string, std::vector<Argument>>> all;
    for (const MeshShape &shape : meshShapes()) {
      std::vector<Argument> arguments;
      for (const MeshShape::Argument &a : shape.arguments)
        arguments.emplace_back(a.name,
                               std::array{"length", "size", "count", "lengths", "counts"}.at(
                                   static_cast<std::size_t>(a.kind)),
                               a.standard, a.doc);
      all.emplace_back(shape.name, shape.doc, std::move(arguments));
    }
    return all;
  });
}

void addMeshReport(nb::module_ &m) {
  using R = MeshReport;
  nb::class_<R> report(m, "MeshReport");
  read(report, "triangles", &R::triangles, "degenerate", &R::degenerate, "area", &R::area, "volume",
       &R::volume, "low", &R::low, "high", &R::high, "longest_edge", &R::longestEdge, "median_edge",
       &R::medianEdge, "closed", &R::closed, "oriented", &R::oriented, "open_edges", &R::openEdges,
       "flipped_edges", &R::flippedEdges);
  const auto orNone = [&](const char *name, auto found, auto member) {
    using Value = std::remove_reference_t<decltype((*found(R())).*member)>;
    report.def_prop_ro(name, [=](const R &r) -> std::optional<Value> {
      const auto all = found(r);
      return all ? std::optional<Value>((*all).*member) : std::nullopt;
    });
  };
  const auto moments = [](const R &r) { return r.moments; };
  const auto limits = [](const R &r) { return limitsOf(r); };
  orNone("centroid", moments, &Moments::centroid);
  orNone("radius_of_gyration", moments, &Moments::gyration);
  orNone("forward_intensity", limits, &CurveLimits::forward);
  orNone("porod_constant", limits, &CurveLimits::porod);
}

void addGrid(nb::module_ &m) {
  nb::class_<Axis>(m, "Axis")
      .def_static("of", &axisOf, "re"_a, "im"_a.none())
      .def_static("parse", [](const std::string &text) { return parseAxis(axisIn("nm^-1", text)); })
      .def("re", [](const Axis &a) { return arrayOf(a.re, {a.re.size()}); })
      .def("im", [](const Axis &a) { return arrayOf(a.im, {a.im.size()}); });
  nb::class_<Grid>(m, "Grid")
      .def_static("of",
                  [](const std::array<Axis, 3> &axes, bool points) {
                    Grid grid;
                    grid.kind = points ? Grid::Kind::Points : Grid::Kind::Product;
                    grid.axes = axes;
                    check(grid);
                    return grid;
                  })
      .def("extents", &Grid::extents);
}

/// A number or a tuple of three, real or complex.
nb::object valueOf(const facet_parameter &p) {
  nb::list values;
  for (int k = 0; k < p.components; ++k) {
    if (p.is_complex != 0)
      values.append(std::complex<double>(p.value[2 * k], p.value[2 * k + 1]));
    else
      values.append(p.value[k]);
  }
  return p.components == 1 ? nb::object(values[0]) : nb::object(nb::tuple(values));
}

using Parameter = nb::typed<nb::dict, nb::str, nb::object>;

Parameter parameterOf(const facet_parameter &p) {
  Parameter d;
  d["name"] = p.name;
  d["components"] = p.components;
  d["complex"] = p.is_complex != 0;
  d["in_sum"] = p.in_sum != 0;
  d["default"] = nb::none();
  if (p.value != nullptr)
    d["default"] = valueOf(p);
  return d;
}

std::tuple<Kernel, std::string, bool, double>
kernelOf(const std::string &kernel, const Grid &grid, const std::string &target,
         const std::string &algorithm, const std::string &schedules,
         const std::function<void(const std::string &)> &say) {
  KernelRequest wanted{kernel, target, algorithm, schedules, say, {}};
  KernelBuild found = [&] {
    const nb::gil_scoped_release released;
    return kernelFor(wanted, grid);
  }();
  return {std::move(found.kernel), found.file, found.compiled, found.seconds};
}

using NamedNumbers = std::vector<std::pair<std::string, std::vector<std::complex<double>>>>;

std::vector<double> numbersOf(const Kernel &kernel, const NamedNumbers &named) {
  NamedParameters given;
  for (const auto &[name, numbers] : named)
    given.emplace_back(name, numbers);
  return kernel.parameters(given);
}

void addUnits(nb::module_ &m) {
  nb::enum_<Dimension>(m, "Dimension")
      .value("LENGTH", Dimension::Length)
      .value("INVERSE_LENGTH", Dimension::InverseLength)
      .value("ANGLE", Dimension::Angle)
      .value("ENERGY", Dimension::Energy);
  m.def("unit_size", [](const std::string &text, Dimension of) { return unitSize(text, of); });
  m.def("shown", [](const std::string &text) { return shown(text); });
  m.def("units_of_q", [](const std::string &line) {
    std::vector<std::tuple<std::string, double, bool>> found;
    for (const StatedUnit &unit : unitsOfQ(line))
      found.emplace_back(unit.text, unit.size, unit.bound);
    return found;
  });
}

/// Whether F has no name and is real.
bool isReal(const Kernel &kernel) {
  const facet_output &first = outputsOf(*kernel).front();
  return *first.name == 0 && first.is_complex == 0;
}

void addKernel(nb::module_ &m) {
  nb::class_<Kernel>(m, "Kernel")
      .def_static("load", &Kernel::load)
      .def_prop_ro("path", &Kernel::path)
      .def_prop_ro("name", [](const Kernel &k) { return k->name; })
      .def_prop_ro("of_triangles", [](const Kernel &k) { return k->triangle != 0; })
      .def_prop_ro("manifest", [](const Kernel &k) { return k->manifest; })
      .def_prop_ro("columns",
                   [](const Kernel &k) {
                     return std::vector<std::string>(k->columns, k->columns + k->column_count);
                   })
      .def_prop_ro("outputs", // with names: (name, is complex)
                   [](const Kernel &k) {
                     std::vector<std::pair<std::string, bool>> all;
                     for (const facet_output &output : outputsOf(*k))
                       if (*output.name != 0)
                         all.emplace_back(output.name, output.is_complex != 0);
                     return all;
                   })
      .def_prop_ro("is_real", &isReal)
      .def("check_one_output",
           [](const Kernel &k, const std::string &what) { checkOneOutput(*k, what); })
      .def_prop_ro("parameters",
                   [](const Kernel &k) {
                     std::vector<Parameter> all;
                     for (int i = 0; i < k->parameter_count; ++i)
                       all.push_back(parameterOf(k->parameters[i]));
                     return all;
                   })
      .def("numbers", &numbersOf);
  m.def("kernel_for", &kernelOf);
  m.def("find_kernel", &findKernel);
  m.def("shipped_kernels", &shippedKernels);
  m.def("split_kernel", &splitKernel);
  m.def("parse_unit", &parseUnit);
  m.def("find_facetc", &findFacetc);
  m.def("cache_folder", &cacheFolder);
  m.def("best_target", &bestTarget);
}

void addMaterial(nb::module_ &m) {
  m.def("parse_quantity", &parseQuantity);
  nb::class_<Material>(m, "Material", "n = 1 - delta + i beta of a material; SLD in 1e-6/A^2.")
      .def_ro("formula", &Material::formula)
      .def_ro("mass_density", &Material::massDensity)
      .def_ro("delta", &Material::delta)
      .def_ro("beta", &Material::beta)
      .def_ro("sld", &Material::sld)
      .def_ro("absorption", &Material::absorption)
      .def_ro("table", &Material::table)
      .def("__repr__", [](const Material &m) { return "<facet.Material " + textOf(m) + ">"; });
  m.def("material_of", &materialOf);
  m.def("probes", &probes);
  m.def("wavelength_of", &wavelengthOf);
  m.def("poisson",
        [](const In<double, nb::ndim<1>> &means, std::uint64_t seed, std::uint64_t image) {
          std::vector<double> counts(means.size());
          for (std::size_t i = 0; i < counts.size(); ++i)
            counts[i] = poisson(means.data()[i], seed, image, i);
          return arrayOf(counts, {counts.size()});
        });
}

PlanOptions optionsOf(const std::string &algorithm, const std::string &klass, double accuracy,
                      const std::string &target, int threads, const std::string &memory,
                      std::uint64_t seed, std::vector<double> params, bool once) {
  PlanOptions options;
  options.units = once; // as facet run plans: small problems without looking around
  if (algorithm != "auto")
    options.algorithm = algorithmByName(algorithm);
  if (klass != "auto")
    options.klass = classByName(klass);
  options.accuracy = accuracy;
  options.target = target;
  options.threads = threads;
  if (!memory.empty())
    options.memory = parseBytes(memory);
  options.seed = seed;
  options.params = std::move(params);
  return options;
}

Plan planOf(const Kernel &kernel, const Grid &grid, const Mesh &mesh, PlanOptions options,
            const std::function<void(const std::string &)> &say) {
  options.say = say;
  const nb::gil_scoped_release released;
  return Plan(kernel, grid, mesh, std::move(options));
}

Out<std::complex<double>> valuesOf(const std::vector<std::complex<double>> &f) {
  return arrayOf(f, {f.size()});
}

Out<std::complex<double>> execute(Plan &plan, const std::vector<double> &params) {
  {
    const nb::gil_scoped_release released;
    plan.execute(params);
  }
  return valuesOf(plan.values());
}

Measured toContract(Plan &plan, const std::vector<double> &params,
                    const std::function<void(const std::string &)> &say) {
  const nb::gil_scoped_release released;
  return executeToContract(plan, params, say);
}

/// All that the bits of the next execution depend on: what another plan of this problem has to
/// follow, the memory allowed (bytes), whether max|F| was found before F was summed.
std::tuple<std::string, double, bool> courseOf(const Plan &plan) {
  const PlanRun &run = plan.run();
  Decision how;
  static_cast<HowToSum &>(how) = run.taken();
  how.target = run.taken().target;
  how.cut = {{1, 1, 1}, 1}; // which follow() does not read
  return {toJson(how), run.budget.all(), run.risk->piloted()};
}

void addPlan(nb::module_ &m) {
  m.def("name_among", &nameAmong);
  m.def("why_not", [](const Choice &choice, const Choice &taken, double accuracy) {
    return whyNot(choice, taken, accuracy);
  });
  nb::class_<PlanOptions>(m, "PlanOptions")
      .def_static("of", &optionsOf)
      .def_ro("accuracy", &PlanOptions::accuracy);
  nb::class_<Plan>(m, "Plan")
      .def_static("of", &planOf, "kernel"_a, "grid"_a, "mesh"_a, "options"_a, "say"_a.none())
      .def("execute", &execute)
      .def("execute_to_contract", &toContract, "params"_a, "say"_a.none())
      .def("values", [](const Plan &plan) { return valuesOf(plan.values()); })
      .def("measure", &Plan::measure, GilRelease())
      .def("set_mesh", &Plan::setMesh, GilRelease())
      .def("set_rotation", &Plan::setRotation, GilRelease())
      .def("listen", &facet::python::listen<Plan>, "told"_a.none())
      .def("listen_no_more", [](Plan &plan) { plan.setProgress({}); })
      .def("explain", &Plan::explain, nb::rv_policy::reference_internal)
      .def("last", &Plan::last, nb::rv_policy::copy)
      .def_prop_ro("course", &courseOf)
      .def("follow",
           [](Plan &plan, const std::string &decision) {
             const nb::gil_scoped_release released;
             return plan.run().follow(decisionFromJson(decision, "decision"));
           })
      .def("decision", &Plan::decision, GilRelease());
}

RuleError ruleOf(const Kernel &kernel, const Mesh &mesh, const std::vector<double> &params,
                 const Grid &grid, std::uint64_t seed, int threads) {
  const nb::gil_scoped_release released;
  Mesh room;
  const std::shared_ptr<const Mesh> lent(&inNm(mesh, *kernel, room), [](const Mesh *) {});
  return ruleError(kernel, blocksOf(lent), 0, params, grid, seed, threads);
}

void addFindings(nb::module_ &m) {
  using M = Measured;
  read(nb::class_<M>(m, "Measured"), "error", &M::error, "rms", &M::rms, "bound", &M::bound,
       "contract", &M::contract, "samples", &M::samples, "met", &M::met, "verifiable",
       &M::verifiable, "worst", &M::worst, "output", &M::output, "outputs", &M::outputs);
  nb::class_<RuleError> rule(m, "RuleError");
  rule.def_prop_ro("warning", &warningOf);
  read(rule, "samples", &RuleError::samples, "error", &RuleError::error, "median",
       &RuleError::median);
  m.def("rule_error", &ruleOf);
  read(nb::class_<Executed>(m, "Executed"), "seconds", &Executed::seconds, "repaired",
       &Executed::repaired, "kept_sums", &Executed::keptSums, "remark", &Executed::remark);
  nb::class_<Choice> choice(m, "Choice");
  choice.def_prop_ro("name", [](const Choice &c) { return name(c); });
  read(choice, "seconds", &Choice::seconds, "bytes", &Choice::bytes, "error", &Choice::error,
       "repaired", &Choice::repaired, "target", &Choice::target, "detail", &Choice::detail,
       "refusal", &Choice::refusal);
  using E = Explained;
  read(nb::class_<E>(m, "Explained"), "choices", &E::choices, "taken", &E::taken, "reason",
       &E::reason, "target", &E::target, "memory", &E::memory, "device", &E::device, "threads",
       &E::threads, "tqp", &E::tqp);
}

/// facet's errors become facet.Error, with the exit code of the command line.
void translate(const std::exception_ptr &thrown, void *) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error &e) {
    const nb::object type = nb::module_::import_("facet.errors").attr("Error");
    const nb::object error = type(e.what(), static_cast<int>(e.exit));
    PyErr_SetObject(type.ptr(), error.ptr());
  }
}

/// Calls a function. The traceback of what it raises becomes what `trace_of` makes of the
/// exception: a call from C++ adds no frame of its own, so that none of facet's need be left.
nb::object called(const nb::callable &function, const nb::callable &trace_of, const nb::args &given,
                  const nb::kwargs &named) {
  if (PyObject *made = PyObject_Call(function.ptr(), given.ptr(), named.ptr()))
    return nb::steal(made);
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace != nullptr)
    PyException_SetTraceback(value, trace);
  Py_XDECREF(trace);
  trace = PyObject_CallFunctionObjArgs(trace_of.ptr(), value, nullptr);
  if (trace == Py_None)
    Py_CLEAR(trace);
  PyErr_Restore(type, value, trace);
  nb::raise_python_error();
}

} // namespace

NB_MODULE(_core, m) {
  nb::register_exception_translator(&translate);
  // A mesh on the array of another mesh keeps that one alive. As names of the program itself both
  // are still there when the interpreter ends, which is no fault that nanobind should list.
  nb::set_leak_warnings(false);
  addMesh(m);
  addShapes(m);
  addMeshReport(m);
  addGrid(m);
  addKernel(m);
  addMaterial(m);
  addUnits(m);
  addPlan(m);
  addGradient(m);
  addVertices(m);
  addFindings(m);
  addRun(m);
  addSimulation(m);
  m.def("resolved", [](const std::string &text, const std::string &name) {
    return toToml(readExperimentText(text, name));
  });
  m.def("remarks_on_sizes", &remarksOnSizes, "mesh"_a, "grid"_a, GilRelease());
  m.def("notation", &plot::notation, "text"_a);
  m.def("called", &called,
        nb::sig("def called(function: object, trace_of: object, *given: object, **named: object) "
                "-> object"));
  m.def("suggestion", &suggestion, "word"_a, "names"_a, "known"_a = "known");
  m.attr("version") = FACET_VERSION;
}
