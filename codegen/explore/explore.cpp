// explore.cpp - a kernel's variants side by side: passes, counts, and the code of each target.
#include "explore.h"
#include "assembly.h"
#include "codegen/passes/forms.h"
#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

namespace facet::explore {
namespace {

using passes::Algorithm;

Json refusalsOf(const Request &request) {
  Json list = Json::array();
  const ir::Kernel &kernel = request.source.kernel;
  const bool complexFile = std::ranges::count(kernel.axes, ir::Type::Cplx, &ir::AxisType::type) > 0;
  for (const bool complexQ : {false, true}) {
    if (complexQ && !complexFile)
      continue;
    const passes::Forms forms = passes::formsOf(kernel, complexQ);
    for (const auto &[name, form] :
         {std::pair{"separable", &forms.separable}, {"nufft", &forms.nufft}})
      if (!form->possible)
        list.push_back({{"algorithm", name},
                        {"q", lower::qName(complexQ)},
                        {"reason", form->reason},
                        {"line", form->loc.line},
                        {"column", form->loc.column}});
  }
  return list;
}

bool isRefused(const Request &request, const passes::Variant &variant) {
  if (variant.algorithm == Algorithm::Direct)
    return false;
  const passes::Forms forms = passes::formsOf(request.source.kernel, variant.complexQ);
  return !(variant.algorithm == Algorithm::Nufft ? forms.nufft : forms.separable).possible;
}

/// One form of a sum as text.
std::string textOf(const lower::SumKernel &sum, lower::Form form, const std::string &folder) {
  const std::string path = fmt::format("{}/{}.{}", folder, sum.symbol, static_cast<int>(form));
  lower::emit(sum, form, path);
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Instructions of the inner loop with their kinds, and how many vectors of terms a round has.
Json codeOf(const lower::SumKernel &sum, const std::string &text) {
  const bool isDouble = sum.variant.klass == passes::Class::F64;
  const Assembly assembly = readAssembly(text, isDouble);
  Json lines = Json::array(), counts = Json::object();
  std::vector<Instruction> loop = assembly.loop();
  findPlaces(assembly, loop, sum);
  for (const Instruction &one : loop) {
    Json line = {{"text", one.text}, {"kind", one.kind}};
    if (one.loc.line > 0)
      line.update({{"line", one.loc.line}, {"column", one.loc.column}, {"exact", one.exact}});
    lines.push_back(line);
    counts[std::string(one.kind)] = counts.value(std::string(one.kind), 0) + 1;
  }
  return {{"lines", lines}, {"counts", counts}};
}

/// Vectors of terms that a round of a CPU's inner loop adds: the registers of the tile.
int vectorsOf(const lower::SumKernel &sum) {
  const int own = lower::targetOf(sum.target).vectorBytes;
  const int registers = sum.knobs.vectorBytes > 0 ? std::max(1, sum.knobs.vectorBytes / own) : 1;
  const int rows = sum.variant.grid == ir::GridKind::Points ? 1 : sum.knobs.tileY;
  return rows * sum.knobs.tileZ * registers;
}

Json knobsOf(const lower::SumKernel &sum) {
  const bool separable = sum.variant.algorithm == Algorithm::Separable;
  const bool device = schedules::isDevice(lower::targetOf(sum.target));
  Json knobs = Json::object();
  for (const schedules::KnobInfo &knob : schedules::knobTable())
    if (schedules::isUsed(knob, separable, device))
      knobs[std::string(knob.name)] = sum.knobs.*knob.member;
  return knobs;
}

/// A sum's loops and assembly; what forbids one is its `error`.
Json sumOf(lower::SumKernel sum, const ir::Kernel &source, const std::string &folder) {
  const bool device = schedules::isDevice(lower::targetOf(sum.target));
  Json made = {{"target", sum.target}, {"knobs", knobsOf(sum)}, {"from", sum.from}};
  fillPlaces(sum.kernel, source);
  try {
    if (!device)
      made["vectors"] = vectorsOf(sum);
    made["loops"] = loopsOf(textOf(sum, lower::Form::Stmt, folder));
    made.update(codeOf(sum, textOf(sum, device ? lower::Form::Device : lower::Form::Asm, folder)));
  } catch (const ir::Error &error) {
    made["error"] = error.message;
  }
  return made;
}

Json workOf(const passes::Counts &counts) {
  return {{"flops", counts.inner.flops},
          {"instructions", counts.inner.instructions},
          {"fused", counts.fused},
          {"column_instructions", counts.columns.instructions},
          {"text", passes::print(counts)}};
}

/// A variant's sums are for targets for which the passes are the same.
struct Row {
  passes::Variant variant;
  std::vector<lower::SumKernel> sums{};
};

bool isSame(const passes::Variant &a, const passes::Variant &b) {
  return a.addition == b.addition && a.hardware == b.hardware;
}

std::vector<Row> rowsOf(const Request &request) {
  lower::VariantResolver resolver(request.source.kernel, request.pipeline, request.tuned);
  std::vector<Row> rows;
  for (const passes::Variant &variant : request.variants) {
    if (isRefused(request, variant))
      continue;
    if (variant.algorithm == Algorithm::Nufft) {
      rows.push_back({variant});
      continue;
    }
    const std::size_t first = rows.size();
    for (const std::string &target : request.targets) {
      lower::SumKernel sum = resolver.resolve(variant, target, request.knobs);
      auto row = std::find_if(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(),
                              [&](const Row &one) { return isSame(one.variant, sum.variant); });
      if (row == rows.end())
        row = rows.insert(rows.end(), {sum.variant});
      row->sums.push_back(std::move(sum));
    }
  }
  return rows;
}

Json rowJson(const Request &request, const Row &row) {
  const passes::Variant &v = row.variant;
  const ir::Kernel made = passes::run(request.source.kernel, v, request.pipeline);
  return {{"algorithm", passes::spelling(v.algorithm)},
          {"class", passes::spelling(v.klass)},
          {"grid", lower::gridName(v.grid)},
          {"q", lower::qName(v.complexQ)},
          {"nodes", v.nodes},
          {"addition", v.addition},
          {"hardware", v.hardware},
          {"passes", passesOf(request.source.kernel, v, request.pipeline, request.numbers)},
          {"operations", workOf(passes::count(made))},
          {"sums", Json::array()}};
}

/// Code of all sums, made on all threads.
void addSums(const std::vector<Row> &rows, const ir::Kernel &source, Json &variants) {
  std::vector<const lower::SumKernel *> sums;
  for (const Row &row : rows)
    for (const lower::SumKernel &sum : row.sums)
      sums.push_back(&sum);
  const lower::TemporaryFolder folder;
  std::vector<Json> made(sums.size());
  std::atomic<std::size_t> next = 0;
  {
    std::vector<std::jthread> workers;
    for (std::size_t k = std::min<std::size_t>(std::thread::hardware_concurrency(), sums.size());
         k > 0; --k)
      workers.emplace_back([&] {
        for (std::size_t mine; (mine = next++) < sums.size();)
          made[mine] = sumOf(*sums[mine], source, folder.path);
      });
  }
  std::size_t at = 0;
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::size_t s = 0; s < rows[k].sums.size(); ++s)
      variants[k]["sums"].push_back(std::move(made[at++]));
}

} // namespace

Json explore(const Request &request) {
  const lower::SourceKernel &source = request.source;
  const std::vector<Row> rows = rowsOf(request);
  Json variants = Json::array();
  for (const Row &row : rows)
    variants.push_back(rowJson(request, row));
  addSums(rows, source.kernel, variants);
  return {{"file", request.file},
          {"kernel", source.kernel.name},
          {"doc", source.kernel.doc},
          {"text", source.text},
          {"explanation", passes::explain(source.kernel, request.file, source.text)},
          {"refusals", refusalsOf(request)},
          {"variants", std::move(variants)}};
}

} // namespace facet::explore
