// sum_call.cpp - emits, links, loads and calls one sum kernel.
#include "sum_call.h"
#include "emulator.h"
#include "schedules/targets.h"
#include "tests/support/folder.h"
#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>

namespace facet::test {
namespace {

using lower::ArgumentKind;

/// Integer and floating arguments travel in separate registers (System V ABI), so that one function
/// type serves every order of the two; arguments too many are ignored.
using Any = int (*)(const void *, const void *, const void *, const void *, const void *,
                    const void *, const void *, const void *, const void *, const void *,
                    const void *, const void *, double, double, double, double);

/// `bytes`: of a value; dimension 0 is dense, the last has the largest stride.
struct Buffer {
  halide_buffer_t buffer{};
  std::array<halide_dimension_t, 3> dim{};
  std::size_t size = 0; // of the data
  void set(const void *host, std::size_t bytes,
           std::initializer_list<std::array<std::int64_t, 2>> extentStride) {
    const auto &[extent, stride] = *(extentStride.end() - 1);
    size = bytes * static_cast<std::size_t>(extent * stride);
    buffer.host = static_cast<std::uint8_t *>(const_cast<void *>(host));
    buffer.dim = dim.data();
    buffer.dimensions = static_cast<int>(extentStride.size());
    std::size_t k = 0;
    for (const auto &[extent, stride] : extentStride)
      dim[k++] = halide_dimension_t(0, static_cast<std::int32_t>(extent),
                                    static_cast<std::int32_t>(stride));
  }
};

int callHere(void (*function)(), const std::vector<CallArgument> &arguments) {
  std::array<const void *, 12> integers{};
  std::array<double, 4> doubles{};
  std::size_t i = 0, d = 0;
  for (const CallArgument &argument : arguments)
    if (argument.kind == CallArgument::Double)
      doubles[d++] = argument.real;
    else if (argument.kind == CallArgument::Integer)
      // NOLINTNEXTLINE(performance-no-int-to-ptr): an integer that travels as one
      integers[i++] = reinterpret_cast<const void *>(argument.integer);
    else
      integers[i++] = argument.buffer;
  return [&]<std::size_t... K>(std::index_sequence<K...>) {
    return reinterpret_cast<Any>(function)(integers[K]..., doubles[0], doubles[1], doubles[2],
                                           doubles[3]);
  }(std::make_index_sequence<12>());
}

} // namespace

Records packRecords(const lower::SumKernel &sum, const std::vector<ir::Point> &points) {
  Records records;
  records.count = static_cast<int>(points.size());
  const ir::Region &pack = sum.kernel.pack;
  for (const ir::Point &point : points) {
    const std::vector<ir::Vector> columns = ir::evaluate(sum.kernel, pack, point);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const double value = columns[k][0].real();
      const auto id = static_cast<std::size_t>(pack.outputs[k].value);
      if (pack.values[id].type == ir::Type::Wide)
        records.wide.push_back(value);
      else if (sum.variant.klass == passes::Class::F64)
        records.narrow64.push_back(value);
      else
        records.narrow32.push_back(static_cast<float>(value));
    }
  }
  return records;
}

SumCall::SumCall(const lower::SumKernel &sum) : sum(sum), arguments(lower::arguments(sum.kernel)) {
  const Folder folder;
  const std::string object = folder.path / "sum.o", shared = folder.path / "sum.so";
  lower::emit(sum, lower::Form::Object, object);
  if (const auto *target = schedules::findTarget(sum.target); !schedules::isOfHost(*target)) {
    emulator = std::make_unique<Emulator>(*target, object, sum.symbol, folder.path);
    return;
  }
  const std::string link =
      "ld -shared -z noexecstack --no-undefined -o " + shared + " " + object +
      (sum.variant.algorithm == passes::Algorithm::Separable ? " " SCRATCH_OBJECT " -l:libc.so.6"
                                                             : "");
  if (std::system(link.c_str()) != 0)
    throw std::runtime_error("the sum kernel needs symbols of another library");
  library = dlopen(shared.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw std::runtime_error(dlerror());
  function = reinterpret_cast<void (*)()>(dlsym(library, sum.symbol.c_str()));
}

SumCall::~SumCall() {
  if (library)
    dlclose(library);
}

void SumCall::operator()(const Records &records, const Grid &grid,
                         const std::vector<double> &params, std::vector<double> &re,
                         std::vector<double> &im) const {
  const auto size = [&](int k) { return static_cast<std::int64_t>(grid.re[k].size()); };
  const bool points = sum.kernel.grid == ir::GridKind::Points;
  const auto at = [](const auto &v, std::size_t k) -> const void * { return v.data() + k; };
  const std::size_t n = static_cast<std::size_t>(records.count);
  const std::size_t wides = n ? records.wide.size() / n : 0;
  const std::size_t narrows = n ? (records.narrow32.size() + records.narrow64.size()) / n : 0;
  std::size_t t = 0;
  do {
    const std::size_t count = std::min(n - t, static_cast<std::size_t>(sum.knobs.blockT));
    std::array<Buffer, 12> buffers;
    std::vector<CallArgument> list;
    for (const auto &[kind, k] : arguments) {
      Buffer &b = buffers[list.size()];
      CallArgument argument{CallArgument::Input, 0, 0, &b.buffer, 0};
      const auto records2 = [&](std::size_t fields, std::size_t bytes, const void *host) {
        b.set(host, bytes,
              {{static_cast<std::int64_t>(fields), 1},
               {static_cast<std::int64_t>(count), static_cast<std::int64_t>(fields)}});
      };
      const auto out = [&](std::vector<double> &sums) {
        argument.kind = CallArgument::Output;
        if (points)
          b.set(sums.data(), 8, {{size(0), 1}});
        else
          b.set(sums.data(), 8, {{size(2), 1}, {size(1), size(2)}, {size(0), size(1) * size(2)}});
      };
      switch (kind) {
      case ArgumentKind::Narrow:
        if (records.narrow64.empty())
          records2(narrows, 4, at(records.narrow32, t * narrows));
        else
          records2(narrows, 8, at(records.narrow64, t * narrows));
        break;
      case ArgumentKind::Wide:
        records2(wides, 8, at(records.wide, t * wides));
        break;
      case ArgumentKind::AxisRe:
        b.set(grid.re[k].data(), 8, {{size(k), 1}});
        break;
      case ArgumentKind::AxisIm:
        b.set(grid.im[k].data(), 8, {{size(k), 1}});
        break;
      case ArgumentKind::Count:
        argument = {CallArgument::Integer, static_cast<std::int64_t>(count)};
        break;
      case ArgumentKind::Param:
        argument = {CallArgument::Double, 0, params[static_cast<std::size_t>(k)]};
        break;
      case ArgumentKind::Table:
        throw ir::Error{"this caller has no tables"};
      case ArgumentKind::Out:
        out(k == 0 ? re : im);
        break;
      }
      argument.bytes = b.size;
      list.push_back(argument);
    }
    if ((emulator ? (*emulator)(list) : callHere(function, list)) != 0)
      throw std::runtime_error("the sum kernel failed");
    t += count;
  } while (t < n);
}

std::vector<std::string> targetsHere() {
  std::vector<std::string> names;
  for (const schedules::TargetInfo &target : schedules::targetTable())
    if (schedules::runsHere(target))
      names.emplace_back(target.name);
  return names;
}

} // namespace facet::test
