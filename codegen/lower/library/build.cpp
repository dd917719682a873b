// build.cpp - makes the objects of a library, side by side, and links them, shared ones by facetc
// itself, others by the system's binutils; and candidates, which share most of them.
#include "codegen/lower/tensor/tensor.h"
#include "library.h"
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <future>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

namespace facet::lower {
namespace {

/// Runs jobs, longest first as given, on as many threads as there are cores; an error is thrown
/// when all threads have stopped.
void runSideBySide(const std::vector<std::function<void()>> &jobs) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t k = next++; k < jobs.size(); k = next++)
      try {
        jobs[k]();
      } catch (...) {
        next = jobs.size();
        throw;
      }
  };
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::future<void>> others; // their ends wait
  try {
    for (std::size_t k = 1; k < std::min(cores, jobs.size()); ++k)
      others.push_back(std::async(std::launch::async, work));
  } catch (const std::system_error &) { // the threads that have started do the work
  }
  work();
  for (std::future<void> &other : others)
    other.get();
}

/// What libraryText() includes beside <facet/*.h>.
IncludedTexts includedBy(const LibraryRequest &request) {
  return {{includePath(request.source), request.text}};
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

std::string variantName(const SumKernel &sum) {
  std::string klass(passes::spelling(sum.variant.klass));
  std::ranges::replace(klass, '-', '_');
  const bool direct = sum.variant.algorithm == passes::Algorithm::Direct;
  return fmt::format("{}_{}_{}_{}{}{}", sum.kernel.name,
                     direct ? gridName(sum.variant.grid) : passes::spelling(sum.variant.algorithm),
                     qName(sum.variant.complexQ), klass, sum.variant.addition ? "_addition" : "",
                     sum.variant.hardware ? "_hardware" : "");
}

std::array<int, 3> tileOf(const SumKernel &sum) {
  if (sum.variant.grid == ir::GridKind::Points)
    return {sum.knobs.gridZ, 0, 0};
  return {0, sum.knobs.gridY, sum.knobs.gridZ};
}

void compileText(const CompileCpp &compile, const std::string &text, const std::string &name,
                 const std::string &object, const std::string &what,
                 const IncludedTexts &included) {
  if (const std::string messages = compile(text, name, object, included); !messages.empty())
    throw ir::Error{fmt::format("{} does not compile:\n{}", what, messages)};
}

namespace {

/// One relocatable object, for the compiler of its machine to link.
void linkSums(const std::vector<std::string> &objects, const std::string &path) {
  std::vector<std::string> command = linker();
  command.insert(command.end(), {"-r", "--threads=1", "-o", path});
  command.insert(command.end(), objects.begin(), objects.end());
  runTool(std::move(command), "linker");
}

} // namespace

void link(LibraryForm form, const std::vector<std::string> &objects, const std::string &path,
          const std::vector<std::string> &exported) {
  if (form == LibraryForm::Module)
    return linkModule(objects, path);
  if (form == LibraryForm::Sums)
    return linkSums(objects, path);
  // A static library needs binutils anyway.
  std::vector<std::string> command =
      form == LibraryForm::Shared ? linker() : std::vector<std::string>{"ld"};
  command.insert(command.end(), {"-z", "noexecstack", "-o", path});
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
    // One thread: it ends with a fault where it cannot start others, and has little to do.
    command.insert(command.end(),
                   {"-shared", "--threads=1", "-z", "now", "-Bsymbolic", "--build-id=none", "-s",
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

namespace {

/// The object of a sum: Halide's, or, with the knob `tensor`, `sum.symbol`_image: nvcc's code.
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
  if (!file.eof())
    throw Unwritable{{fmt::format("{}: the image of the GPU cannot be read again; free some space "
                                  "there, or set TMPDIR to another folder",
                                  image)}};
  text += "};\n";
  compileText(request.compileCpp, text, sum.symbol + ".image", object,
              fmt::format("the image '{}'", image));
}

} // namespace

StageTimes buildLibrary(const LibraryPlan &plan, const std::string &path) {
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
  const LibraryForm form = plan.request.form;
  if (form != LibraryForm::Sums)
    add(name, [&](const std::string &object) {
      compileText(plan.request.compileCpp, libraryText(plan), name + ".library", object,
                  fmt::format("the reference of kernel '{}'", name), includedBy(plan.request));
    });
  const bool devices = hasDevices(plan);
  if (devices && form == LibraryForm::Sums)
    throw ir::Error{"--emit=sums is of CPUs: the sums of devices are in --emit=library"};
  for (const SumKernel &sum : plan.variants)
    add(sum.symbol, [&](const std::string &object) {
      emitObject(plan.request, sum, object);
      if (devices && !isDevice(targetOf(sum.target)))
        nameTablesApart(object);
    });
  if (devices)
    add("device_runtime", emitDeviceRuntime);
  runSideBySide(jobs);
  std::vector<std::string> exported = {"facet_kernel_" + name, "facet_kernel"};
  exported.resize(form == LibraryForm::Shared ? 2 : 1);
  timed("link", [&] { link(form, objects, path, exported); });
  return times;
}

namespace {

/// The plan with the requested variant alone: planLibrary adds others (repair), which are not
/// tuned.
LibraryPlan planOne(LibraryRequest request) {
  const passes::Algorithm algorithm = request.algorithms.front();
  LibraryPlan plan = planLibrary(std::move(request));
  std::erase_if(plan.variants,
                [&](const PlannedSum &sum) { return sum.variant.algorithm != algorithm; });
  if (plan.variants.size() != 1)
    throw ir::Error{"a candidate is a sum of one variant: one grid kind, q kind, class and target, "
                    "direct or separable"};
  plan.transforms.clear();
  return plan;
}

/// C++ that takes the description of the shared part and puts the candidate's own variant in it.
/// A device's sum is called by the shared part, since no other knob changes that call.
std::string candidateText(const LibraryPlan &plan) {
  const SumKernel &sum = plan.variants.front();
  const bool separable = sum.variant.algorithm == passes::Algorithm::Separable;
  const bool device = isDevice(targetOf(sum.target));
  std::string own, text = device ? "#include <facet/abi.h>\nnamespace {\n"
                                 : "#include <facet/steady_stack.h>\nnamespace {\n";
  if (!device) {
    text += cppAdapterPrelude();
    text += cppAdapter(sum);
    own = fmt::format("  variant_.t_block = {};\n  variant_.sum = call_{};\n", sum.knobs.blockT,
                      sum.symbol);
  }
  return text + fmt::format(R"cpp(facet_variant variant_;
facet_kernel_description description_;
const char manifest_[] = {1};
}} // namespace

extern "C" const facet_kernel_description *facet_kernel_{0}(void);
extern "C" __attribute__((visibility("default"))) const facet_kernel_description *facet_kernel(void) {{
  description_ = *facet_kernel_{0}();
  variant_ = description_.variants[0];
{2}  const int32_t pad[3] = {{{3}}}, tile[3] = {{{4}}};
  for (int k = 0; k < 3; ++k)
    variant_.pad[k] = pad[k], variant_.tile[k] = tile[k];
  variant_.knobs = "{5}";
  description_.manifest = manifest_;
  description_.variants = &variant_;
  return &description_;
}}
)cpp",
                            plan.request.kernel.name, literal(libraryManifest(plan)), own,
                            fmt::join(pad(sum), ", "), fmt::join(tileOf(sum), ", "),
                            schedules::print(sum.knobs, separable, device));
}

} // namespace

struct Candidates::CommonState {
  explicit CommonState(LibraryRequest asked) : request(std::move(asked)) {
    request.knobs.clear();
    request.form = LibraryForm::Object; // the candidate's own part exports facet_kernel()
  }

  LibraryRequest request;
  LibraryPlan plan; // of the default knobs
  TemporaryFolder folder;
  std::mutex guard; // of the two below
  VariantResolver resolver{request.kernel, request.pipeline, request.tuned};
  /// The objects (reference, pack, finish, tables) by the knobs that they depend on.
  std::map<std::string, std::once_flag> compiled;
  std::once_flag planned;
  std::string runtime; // Halide's for the device, an object; "" on CPUs
  std::atomic<int> count{0};

  void compile(const std::string &text, const std::string &name, const std::string &object) const {
    compileText(request.compileCpp, text, request.kernel.name + name, object,
                fmt::format("the library of kernel '{}'", request.kernel.name),
                includedBy(request));
  }

  /// The plan of a candidate.
  LibraryPlan planOf(const std::string &knobs) {
    std::call_once(planned, [&] {
      plan = planOne(request);
      if (hasDevices(plan)) {
        runtime = folder.path + "/device_runtime.o";
        emitDeviceRuntime(runtime);
      }
    });
    LibraryPlan own = plan;
    own.request.knobs = knobs;
    SumKernel &sum = own.variants.front();
    const std::lock_guard lock(guard);
    sum = resolver.resolve(sum.variant, sum.target, knobs);
    return own;
  }

  /// Its part that other candidates may have compiled already: it depends on the knobs that change
  /// the passes or the call of a device's sum.
  std::string objectOf(const LibraryPlan &own) {
    const SumKernel &sum = own.variants.front();
    const std::string object =
        fmt::format("{}/shared{:d}{:d}{}.o", folder.path, sum.variant.addition,
                    sum.variant.hardware, sum.knobs.tensor);
    std::unique_lock lock(guard);
    std::once_flag &once = compiled[object];
    lock.unlock();
    std::call_once(once, [&] { compile(libraryText(own), ".library", object); });
    return object;
  }
};

Candidates::Candidates(LibraryRequest request) : shared(new CommonState(std::move(request))) {}
Candidates::~Candidates() = default;

void Candidates::build(const std::string &knobs, const std::string &path) {
  const LibraryPlan plan = shared->planOf(knobs);
  const std::string base = fmt::format("{}/{}", shared->folder.path, shared->count++);
  std::vector<std::string> objects = {base + ".sum.o", base + ".own.o", shared->objectOf(plan)};
  if (!shared->runtime.empty())
    objects.push_back(shared->runtime);
  emitObject(plan.request, plan.variants.front(), objects[0]);
  shared->compile(candidateText(plan), ".candidate", objects[1]);
  link(LibraryForm::Shared, objects, path, {"facet_kernel"});
  std::error_code ignored;
  for (const std::size_t k : {0, 1})
    std::filesystem::remove(objects[k], ignored);
}

} // namespace facet::lower
