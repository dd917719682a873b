// build.cpp - makes the objects of a library, side by side, and links them by the system's
// binutils.
#include "codegen/lower/system.h"
#include "codegen/lower/tensor/tensor.h"
#include "parts.h"
#include <algorithm>
#include <atomic>
#include <exception>
#include <fmt/format.h>
#include <fstream>
#include <mutex>
#include <system_error>
#include <thread>

namespace facet::lower {
namespace {

/// Runs jobs, longest first as given, on as many threads as there are cores; the first error is
/// thrown when all threads have stopped.
void runSideBySide(const std::vector<std::function<void()>> &jobs) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr error;
  std::mutex guard;
  const auto work = [&] {
    for (std::size_t k = next++; k < jobs.size(); k = next++)
      try {
        jobs[k]();
      } catch (...) {
        const std::lock_guard<std::mutex> lock(guard);
        if (!error)
          error = std::current_exception();
        next = jobs.size();
      }
  };
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  try {
    for (std::size_t k = 1; k < std::min(cores, jobs.size()); ++k)
      threads.emplace_back(work);
  } catch (const std::system_error &) { // the threads that have started do the work
  }
  work();
  for (std::thread &thread : threads)
    thread.join();
  if (error)
    std::rethrow_exception(error);
}

/// For a library that holds Halide's runtime too: see dsl/facet/scratch.h.
void nameTablesApart(const std::string &object) {
  runTool({"objcopy", object, "--redefine-sym=halide_malloc=facet_tables_malloc",
           "--redefine-sym=halide_free=facet_tables_free"},
          "symbol editor");
}

} // namespace

std::string_view gridName(ir::GridKind grid) {
  return grid == ir::GridKind::Product ? "product" : "points";
}
std::string_view qName(bool complexQ) { return complexQ ? "complex" : "real"; }

std::string variantName(const LibraryPlan &plan, const CompiledVariant &variant) {
  std::string klass(passes::spelling(variant.variant.klass));
  std::replace(klass.begin(), klass.end(), '-', '_');
  const bool direct = variant.variant.algorithm == passes::Algorithm::Direct;
  return fmt::format(
      "{}_{}_{}_{}{}{}", plan.request.kernel.name,
      direct ? gridName(variant.variant.grid) : passes::spelling(variant.variant.algorithm),
      qName(variant.variant.complexQ), klass, variant.variant.addition ? "_addition" : "",
      variant.variant.hardware ? "_hardware" : "");
}

SumKernel sumKernel(const LibraryPlan &plan, const CompiledVariant &variant,
                    const std::string &target) {
  std::string name = target;
  std::replace(name.begin(), name.end(), '-', '_'); // cuda-sm_80 is no identifier
  return {variant.kernel, variant.variant, target,
          resolverOf(plan.request).knobs(variant.kernel, variant.variant, target),
          fmt::format("facet_sum_{}_{}", variantName(plan, variant), name)};
}

std::array<int, 3> tileOf(const SumKernel &sum) {
  if (sum.variant.grid == ir::GridKind::Points)
    return {sum.knobs.gridZ, 0, 0};
  return {0, sum.knobs.gridY, sum.knobs.gridZ};
}

void compileText(const CompileCpp &compile, const std::string &text, const std::string &name,
                 const std::string &object, const std::string &what) {
  if (const std::string messages = compile(text, name, object); !messages.empty())
    throw ir::Error{fmt::format("{} does not compile:\n{}", what, messages), {}};
}

void emitObject(const LibraryRequest &request, const SumKernel &sum, const std::string &object) {
  if (!sum.knobs.tensor)
    return emit(sum, Form::Object, object);
  const std::string image = object + ".fatbin";
  tensor::compile(tensor::cuda(sum.kernel, sum.symbol).text, image);
  // As numbers of eight bytes, which the compiler reads eight times as fast as bytes.
  std::ifstream file(image, std::ios::binary);
  std::string text =
      fmt::format("extern \"C\" __attribute__((visibility(\"hidden\"), aligned(64))) "
                  "const unsigned long {0}_image[];\nconst unsigned long {0}_image[] "
                  "= {{",
                  sum.symbol);
  for (std::uint64_t word = 0;
       file.read(reinterpret_cast<char *>(&word), sizeof word) || file.gcount() > 0; word = 0)
    text += fmt::format("{:#x},", word);
  text += "};\n";
  compileText(request.compileCpp, text, sum.symbol + ".image", object,
              fmt::format("the image '{}'", image));
}

void link(LibraryForm form, const std::vector<std::string> &objects, const std::string &path,
          const std::vector<std::string> &exported) {
  std::vector<std::string> command = {"ld", "-z", "noexecstack", "-o", path};
  command.insert(command.end(), objects.begin(), objects.end());
  if (form == LibraryForm::Shared) {
    // Halide's runtime for devices is weak and visible; each library must keep its own, whose state
    // belongs to its own kernels and goes with it when it is unloaded.
    const TemporaryFolder folder;
    const std::string script = folder.path + "/names";
    std::ofstream(script) << fmt::format("{{ global: {}; local: *; }};\n",
                                         fmt::join(exported, "; "));
    command.push_back("--version-script=" + script);
    // The C and mathematics libraries by file name: their development packages are not needed.
    command.insert(command.end(), {"-shared", "-z", "now", "-Bsymbolic", "--build-id=none", "-s",
                                   "--as-needed", "-l:libm.so.6", "-l:libc.so.6"});
    return runTool(std::move(command), "linker");
  }
  // Only one name is visible to the program: it may hold many kernels, and the same file compiled
  // by its own compiler, whose templates have the same names.
  command.insert(command.end(), {"-r", "--force-group-allocation"});
  runTool(std::move(command), "linker");
  std::vector<std::string> hide = {"objcopy", path};
  for (const std::string &name : exported)
    hide.push_back("--keep-global-symbol=" + name);
  runTool(std::move(hide), "symbol editor");
}

StageTimes buildLibrary(const LibraryPlan &plan, LibraryForm form, const std::string &path) {
  const TemporaryFolder folder;
  StageTimes times;
  std::mutex guard;
  const auto timed = [&](const std::string &name, const auto &work) {
    const double start = now();
    work();
    const std::lock_guard<std::mutex> lock(guard);
    times.emplace_back(name, now() - start);
  };
  std::vector<std::string> objects;
  std::vector<std::function<void()>> jobs;
  const auto add = [&](const std::string &name,
                       const std::function<void(const std::string &)> &make) {
    objects.push_back(folder.path + "/" + name + ".o");
    jobs.emplace_back(
        [&timed, name, make, object = objects.back()] { timed(name, [&] { make(object); }); });
  };
  const std::string &name = plan.request.kernel.name;
  add(name, [&](const std::string &object) {
    compileText(plan.request.compileCpp, libraryText(plan, form == LibraryForm::Shared),
                name + ".library", object, fmt::format("the reference of kernel '{}'", name));
  });
  const bool devices = !devicesOf(plan).empty();
  for (const CompiledVariant &variant : plan.variants)
    for (const std::string &target : variant.targets) {
      const SumKernel sum = sumKernel(plan, variant, target);
      add(sum.symbol, [&plan, sum, devices](const std::string &object) {
        emitObject(plan.request, sum, object);
        if (devices && !isDevice(sum.target))
          nameTablesApart(object);
      });
    }
  if (devices)
    add("device_runtime",
        [&plan](const std::string &object) { emitDeviceRuntime(devicesOf(plan), object); });
  runSideBySide(jobs);
  std::vector<std::string> exported = {"facet_kernel_" + name, "facet_kernel"};
  exported.resize(form == LibraryForm::Shared ? 2 : 1);
  timed("link", [&] { link(form, objects, path, exported); });
  return times;
}

} // namespace facet::lower
