// built.cpp - builds and loads kernel libraries; sums of waves, one by one, through the functions
// of facet_transforms.
#include "built.h"
#include "codegen/frontend/frontend.h"
#include <dlfcn.h>
#include <stdexcept>

namespace facet::test {

std::string fileOf(const std::string &name) {
  const std::string example = std::string(KERNELS) + "/" + name + ".cpp";
  return std::filesystem::exists(example) ? example : OWN_KERNELS + ("/" + name + ".cpp");
}

lower::LibraryRequest requestFor(const std::string &kernelFile) {
  lower::LibraryRequest request;
  frontend::FileKernels parsed = frontend::parse(kernelFile);
  if (parsed.kernels.empty())
    throw std::runtime_error("no kernel in " + kernelFile);
  request.kernel = parsed.kernels.front();
  request.source = kernelFile;
  request.text = parsed.text;
  request.files = {{kernelFile, parsed.hash}};
  request.commandLine = "facetc --emit=library";
  request.frontVersion = "LLVM";
  request.targets = {__builtin_cpu_supports("avx512f") ? "avx512"
                     : __builtin_cpu_supports("avx2")  ? "avx2"
                                                       : "sse41"};
  request.grids = {ir::GridKind::Product, ir::GridKind::Points};
  request.complexQ = {false};
  for (const auto &axis : request.kernel.axes)
    if (axis.type == ir::Type::Cplx)
      request.complexQ = {false, true};
  request.classes = {passes::Class::F32, passes::Class::F32Careful, passes::Class::F64};
  request.compileCpp = frontend::compileObject;
  return request;
}

Loaded buildAndLoad(const lower::LibraryRequest &request, const Folder &folder) {
  const std::string path = folder.path / (request.kernel.name + ".so");
  lower::buildLibrary(lower::planLibrary(request), path);
  Loaded loaded;
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw std::runtime_error(dlerror());
  loaded.handle.reset(handle, [](void *open) { dlclose(open); });
  const auto find = reinterpret_cast<facet_kernel_fn>(dlsym(handle, "facet_kernel"));
  if (!find)
    throw std::runtime_error("no facet_kernel in the library");
  loaded.kernel = find();
  return loaded;
}

namespace {

using Complex = std::complex<double>;

/// Points and strengths of a mesh, and its totals.
struct Filled {
  std::vector<std::vector<double>> points;
  std::vector<std::vector<double>> strengths;
  std::vector<double> totals;
  const std::int32_t *parts;

  Filled(const facet_transforms &transforms, const std::vector<const double *> &columns, int nt,
         const std::vector<double> &params)
      : points(std::size_t{3} * transforms.waves, std::vector<double>(nt)),
        strengths(transforms.transforms, std::vector<double>(std::size_t{2} * nt)),
        totals(std::size_t{2} * transforms.totals), parts(transforms.parts) {
    std::vector<double *> toPoints;
    std::vector<double *> toStrengths;
    for (auto &array : points)
      toPoints.push_back(array.data());
    for (auto &array : strengths)
      toStrengths.push_back(array.data());
    transforms.fill(columns.data(), nt, params.data(), toPoints.data(), toStrengths.data());
    // The strengths of each wave alone are the same.
    for (int wave = 0; wave < transforms.waves && transforms.scalars > 0; ++wave)
      if (transforms.refill[wave] != nullptr) {
        const auto before = strengths;
        transforms.refill[wave](columns.data(), nt, params.data(), nullptr, toStrengths.data());
        if (strengths != before)
          throw std::runtime_error("a wave's strengths alone are others");
      }
    std::vector<double> sizes(transforms.totals);
    if (transforms.totals_fn)
      transforms.totals_fn(columns.data(), nt, params.data(), totals.data(), sizes.data());
  }

  Complex sum(int transform, int wave, const std::array<Complex, 3> &q) const {
    Complex sum;
    for (std::size_t t = 0; t < points[0].size(); ++t) {
      Complex phase;
      for (std::size_t k = 0; k < 3; ++k)
        phase += q[k] * points[3 * wave + k][t];
      const double *b = &strengths[transform][parts[transform] * t];
      sum += Complex(b[0], parts[transform] == 2 ? b[1] : 0) * std::exp(Complex(0, 1) * phase);
    }
    return sum;
  }

  /// The same at the end of `sums`: its parts.
  void add(int transform, int wave, const std::array<Complex, 3> &q,
           std::vector<double> &sums) const {
    const Complex value = sum(transform, wave, q);
    sums.push_back(value.real());
    if (parts[transform] == 2)
      sums.push_back(value.imag());
  }
};

/// At one q: strengths that depend on scalars of q are those there: no nodes, no error.
Filled filledAt(const facet_transforms &transforms, const std::vector<const double *> &columns,
                int nt, std::vector<double> params, const std::array<Complex, 3> &q) {
  std::array<double, 3> re{}, im{};
  std::array<const double *, 3> toRe{}, toIm{};
  for (std::size_t k = 0; k < 3; ++k) {
    re[k] = q[k].real(), im[k] = q[k].imag();
    toRe[k] = &re[k], toIm[k] = &im[k];
  }
  const std::size_t own = params.size();
  params.resize(own + static_cast<std::size_t>(transforms.scalars));
  std::vector<double *> u;
  for (std::size_t s = own; s < params.size(); ++s)
    u.push_back(&params[s]);
  const std::int64_t stride[3] = {0, 0, 0};
  if (transforms.scalars > 0)
    transforms.scalars_fn(toRe.data(), toIm.data(), stride, 1, params.data(), u.data());
  return {transforms, columns, nt, params};
}

} // namespace

std::vector<Complex> byTransforms(const facet_transforms &transforms,
                                  const std::vector<const double *> &columns, int nt,
                                  const Axes &axes, bool product,
                                  const std::vector<double> &params) {
  const Filled filled = filledAt(transforms, columns, nt, params, {});
  std::vector<Complex> f;
  // One call of combine: n points from `at`, component k moving if stride[k] is 1.
  const auto combine = [&](std::array<std::size_t, 3> at, std::array<std::int64_t, 3> stride,
                           std::size_t n) {
    std::array<const double *, 3> re{}, im{};
    for (int k = 0; k < 3; ++k) {
      re[k] = axes.re[k].data() + at[k];
      im[k] = axes.im[k].empty() ? nullptr : axes.im[k].data() + at[k];
    }
    std::vector<std::vector<double>> sums(transforms.transforms);
    std::vector<const double *> pointers;
    for (int j = 0; j < transforms.transforms; ++j) {
      for (std::size_t p = 0; p < n; ++p) {
        std::array<Complex, 3> q;
        for (int k = 0; k < 3; ++k)
          q[k] = {re[k][p * stride[k]], im[k] ? im[k][p * stride[k]] : 0};
        (transforms.scalars > 0 ? filledAt(transforms, columns, nt, params, q) : filled)
            .add(j, transforms.wave_of[j], q, sums[j]);
      }
      pointers.push_back(sums[j].data());
    }
    const std::vector<double> noRest(2 * n); // strengths are those at each q: no record is mixed
    pointers.insert(pointers.end(), static_cast<std::size_t>(transforms.rest), noRest.data());
    std::vector<double> out(2 * n);
    transforms.combine(re.data(), im.data(), stride.data(), static_cast<std::int64_t>(n),
                       params.data(), filled.totals.data(), pointers.data(),
                       std::array{out.data()}.data());
    for (std::size_t p = 0; p < n; ++p)
      f.emplace_back(out[2 * p], out[2 * p + 1]);
  };
  if (!product) {
    combine({0, 0, 0}, {1, 1, 1}, axes.re[0].size());
    return f;
  }
  for (std::size_t x = 0; x < axes.re[0].size(); ++x)
    for (std::size_t y = 0; y < axes.re[1].size(); ++y)
      combine({x, y, 0}, {0, 0, 1}, axes.re[2].size());
  return f;
}

} // namespace facet::test
