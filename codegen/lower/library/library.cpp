// library.cpp - makes the objects of a library, side by side, and links them.
#include "codegen/lower/library.h"
#include "codegen/lower/gpu/gpu.h"
#include "codegen/lower/temporary_folder.h"
#include "codegen/lower/tensor/tensor.h"
#include "parts.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <fmt/format.h>
#include <fstream>
#include <mutex>
#include <system_error>
#include <thread>

namespace facet::lower {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

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
  } catch (const std::system_error &) { // those there are do it
  }
  work();
  for (std::thread &thread : threads)
    thread.join();
  if (error)
    std::rethrow_exception(error);
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

std::pair<int, int> packedFields(const ir::Kernel &kernel) {
  const auto wide = std::count_if(kernel.pack.outputs.begin(), kernel.pack.outputs.end(),
                                  [&](const ir::Output &output) {
                                    return kernel.pack.values[output.value].type == ir::Type::Wide;
                                  });
  return {static_cast<int>(static_cast<std::ptrdiff_t>(kernel.pack.outputs.size()) - wide),
          static_cast<int>(wide)};
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
  if (const std::string messages = request.compileCpp(text, sum.symbol + ".image", object);
      !messages.empty())
    throw ir::Error{fmt::format("'{}' cannot be put into the library:\n{}", image, messages), {}};
}

StageTimes buildLibrary(const LibraryPlan &plan, LibraryForm form, const std::string &path) {
  const TemporaryFolder folder;
  StageTimes times;
  std::mutex guard;
  std::vector<std::string> objects;
  std::vector<std::function<void()>> jobs;
  // Each job notes its seconds under the name of its object.
  const auto add = [&](const std::string &name,
                       const std::function<void(const std::string &)> &make) {
    objects.push_back(folder.path + "/" + name + ".o");
    jobs.emplace_back([&, name, make, object = objects.back()] {
      const double start = now();
      make(object);
      const std::lock_guard<std::mutex> lock(guard);
      times.emplace_back(name, now() - start);
    });
  };
  const std::string &kernelName = plan.request.kernel.name;
  add(kernelName, [&](const std::string &object) {
    const std::string text = libraryText(plan, form == LibraryForm::Shared);
    const std::string messages = plan.request.compileCpp(text, kernelName + ".library", object);
    if (!messages.empty())
      throw ir::Error{
          fmt::format("the reference of kernel '{}' does not compile:\n{}", kernelName, messages),
          {}};
  });
  const bool devices = !devicesOf(plan).empty();
  for (const CompiledVariant &variant : plan.variants)
    for (const std::string &target : variant.targets) {
      const SumKernel sum = sumKernel(plan, variant, target);
      const bool apart = devices && interfaceOf(target) == "FACET_CPU";
      add(sum.symbol, [&plan, sum, apart](const std::string &object) {
        emitObject(plan.request, sum, object);
        if (apart) // dsl/facet/scratch.h
          rename(object,
                 {{"halide_malloc", "facet_tables_malloc"}, {"halide_free", "facet_tables_free"}});
      });
    }
  if (devices)
    add("device_runtime",
        [&plan](const std::string &object) { gpu::emitRuntime(devicesOf(plan), object); });
  runSideBySide(jobs);

  const double start = now();
  std::vector<std::string> exported = {"facet_kernel_" + kernelName};
  if (form == LibraryForm::Shared)
    exported.emplace_back("facet_kernel");
  link(form, objects, path, exported);
  times.emplace_back("link", now() - start);
  return times;
}

} // namespace facet::lower
