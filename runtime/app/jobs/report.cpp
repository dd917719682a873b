// report.cpp - what people read at the end of a run and of facet plan, and what files say of it.
#include "runtime/app/jobs/job.h"
#include "runtime/engine/kernel/packages.h"
#include "runtime/engine/store/reductions.h"
#include "runtime/engine/system/text.h"
#include "runtime/scattering/output/pictures.h"
#include <algorithm>
#include <facet/runtime/absolute.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <ranges>

namespace facet::cli {
namespace {

using namespace facet::runtime;

std::string choicesText(const PlanReport &look, double accuracy) {
  std::vector<std::string> names;
  std::size_t width = 24;
  for (const Choice &c : look.choices)
    width = std::max(width, names.emplace_back(nameAmong(look.choices, c)).size());
  static constexpr const char *row = "{:<{}} {:>9} {:>9} {:>8} {:>9}  {}\n";
  std::string text =
      fmt::format(row, "choice", width, "time", "memory", "error", "repaired", "why not");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Choice &c = look.choices[i];
    text += !c.refusal.empty() && c.seconds == 0
                ? fmt::format(row, names[i], width, "-", "-", "-", "-", c.refusal)
                : fmt::format(row, names[i], width, showSeconds(c.seconds), showBytes(c.bytes),
                              fmt::format("{:.1e}", c.error), c.repaired,
                              whyNot(c, look.taken, accuracy));
  }
  return text;
}

/// Says "rule       ..", and warns if it is large; nothing for kernels that take no triangle for a
/// point.
void report(Listener &listener, const RuleError &rule) {
  if (rule.samples == 0 && rule.unknown.empty())
    return;
  listener.report(Lines{{"rule", show(rule)}});
  if (rule.large())
    listener.warn(warningOf(rule));
}

std::string errorText(const Measured &m, const std::string &by) {
  if (m.samples == 0)
    return "none to measure: every q is 0, where F is what the kernel says";
  return fmt::format("{:.1e} of max|{}|, {:.0e} asked for: {} ({})", m.error,
                     m.output.empty() ? "F" : m.output, m.contract,
                     !m.met          ? "MISSED"
                     : !m.verifiable ? "not verifiable in double"
                                     : "met",
                     by);
}

/// Throws Error that says what missed the contract.
void throwMissed(const std::string &file, double error, const std::string &of, double asked,
                 const std::string &help) {
  throw Error(file,
              fmt::format("the accuracy asked for was missed: {:.1e} of max|{}|, {:.0e} asked; the "
                          "file is kept",
                          error, of, asked),
              help, Exit::ContractMissed);
}

} // namespace

void Listener::report(const Lines &lines) {
  std::string text;
  for (const auto &[name, value] : lines)
    text += fmt::format("{:<10} {}\n", name, value);
  report(text);
}

std::string reductionsOf(const Experiment &e) {
  std::string text;
  if (!e.quantiles.empty())
    text = fmt::format("quantiles {}", fmt::join(e.quantiles, ", "));
  if (e.total)
    text += text.empty() ? "total" : "; total";
  if (!e.over.empty())
    text += " over " + e.over;
  if (!e.weights.empty())
    text += " with weights " + e.weights;
  return text;
}

std::string showSeconds(double seconds) {
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} s", seconds);
}

void Job::addAbsolute(Lines &lines) const {
  for (const SceneMesh &mesh : inputs_)
    if (mesh.summary.surface)
      add(lines, "absolute",
          (inputs_.size() > 1 ? mesh.name + ": " : "") + absoluteText(mesh.summary));
}

void Job::plan() {
  prepare();
  const PlanReport look = outlook();
  Lines lines{{"kernel", fmt::format("{} ({})", kernels_[0]->name, kernelFile_)}};
  std::ranges::copy(look.what, std::back_inserter(lines));
  for (const std::string &sizes : sizes_)
    add(lines, "sizes", sizes);
  addAbsolute(lines);
  add(lines, "work", look.work);
  std::ranges::copy(look.how, std::back_inserter(lines));
  add(lines, "time",
      fmt::format("{} on {}{}", showSeconds(look.seconds), plural(threads_, "thread"),
                  look.reading));
  add(lines, "memory", look.memory);
  add(lines, "error",
      fmt::format("{:.1e} of max|F| expected, {:.0e} asked for", look.error, e_.accuracy));
  listener_.report(lines);
  cli::report(listener_, look.rule);
  if (look.ofChoices.empty() && look.taken.repaired > 0)
    listener_.report(
        Lines{{"repair", fmt::format("about {} q by direct sums in f64", look.taken.repaired)}});
  if (!look.ofChoices.empty())
    listener_.report(fmt::format("\n{}, by one thread:", look.ofChoices));
  if (!look.choices.empty())
    listener_.report("\n" + choicesText(look, e_.accuracy));
}

namespace {
/// Its surface, volume, box and absolute numbers: nm^2, nm^3, nm; see CurveLimits.
void tellMesh(const MeshSummary &mesh, const std::string &suffix,
              std::map<std::string, double> &numbers) {
  if (!mesh.surface)
    return;
  numbers["surface" + suffix] = mesh.area;
  if (const auto limits = limitsOf(mesh)) {
    numbers["volume" + suffix] = std::abs(mesh.volume);
    numbers["forward_intensity" + suffix] = limits->forward;
    numbers["porod_constant" + suffix] = limits->porod;
  }
  if (mesh.moments) {
    numbers["radius_of_gyration" + suffix] = mesh.moments->gyration;
    for (std::size_t k = 0; k < 3; ++k)
      numbers[fmt::format("centroid_{}{}", "xyz"[k], suffix)] = mesh.moments->centroid[k];
  }
  for (std::size_t k = 0; k < 3; ++k)
    numbers[fmt::format("extent_{}{}", "xyz"[k], suffix)] = mesh.high[k] - mesh.low[k];
}
} // namespace

void Job::tellProcess(RunReport &f) const {
  auto &provenance = f.process.provenance;
  auto &numbers = f.process.numbers;
  f.process.experiment = toToml(e_);
  provenance["program"] = "facet " FACET_VERSION;
  provenance["kernel"] = kernels_[0]->name;
  provenance["kernel_file"] = kernelFile_;
  if (const std::string package = packageOf(kernelFile_); !package.empty())
    provenance["kernel_package"] = package;
  provenance["units"] = f.units;
  provenance["mesh"] =
      fmt::format("{}", fmt::join(std::views::transform(inputs_, &SceneMesh::name), ", "));
  provenance.try_emplace("algorithm", f.algorithm);
  if (const std::string reductions = reductionsOf(e_); !reductions.empty())
    provenance["reduced"] = reductions;
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    tellMesh(inputs_[i].summary, inputs_.size() > 1 ? fmt::format("_{}", i + 1) : "", numbers);
  numbers["triangles"] = static_cast<double>(recordsOf(inputs_));
  if (f.merged == 0) { // else nothing was computed here
    numbers["seconds"] = f.seconds;
    numbers["tqp_per_second"] = f.tqp / f.seconds;
    numbers["threads"] = threads_;
    numbers["ranks"] = f.ranks;
    numbers["repaired_q"] = static_cast<double>(f.repaired);
  } else {
    numbers["shares"] = static_cast<double>(f.merged);
  }
  if (f.measured) {
    numbers["measured_error"] = f.measured->error;
    numbers["contract"] = f.measured->contract;
    provenance["contract_met"] = !f.measured->met         ? "no"
                                 : f.measured->verifiable ? "yes"
                                                          : "not verifiable in double";
  }
  if (f.rule.samples > 0) { // error relative to max|F|, median to |F|
    numbers["rule_error"] = f.rule.error;
    numbers["rule_median"] = f.rule.median;
    numbers["rule_samples"] = f.rule.samples;
  }
}

namespace {
/// Axes that the total is not summed over. Throws Error.
std::vector<int> keptAxes(const Experiment &e, const Grid &grid) {
  if (e.over.empty())
    return {};
  Words words;
  splitWords(e.over, words, ", ");
  std::vector<int> kept{0, 1, 2};
  for (const std::string_view word : words)
    if (const int axis = word.size() == 2 && word[0] == 'q' ? word[1] - 'x' : -1;
        std::erase(kept, axis) == 0)
      throw Error("over " + e.over, fmt::format("'{}' is no axis, or is there twice", word),
                  "qx, qy, qz, with commas between them");
  if (grid.kind == Grid::Kind::Points)
    throw Error("over " + e.over, "a list of points has no axes", "sum over all of it");
  double totals = 1;
  for (const int axis : kept)
    totals *= static_cast<double>(grid.extents()[static_cast<std::size_t>(axis)]);
  if (constexpr double most = 1 << 22; totals > most)
    throw Error("over " + e.over, fmt::format("leaves {:.0f} totals, {:.0f} at most", totals, most),
                "sum over more axes");
  return kept;
}

/// The first few totals.
std::string showTotal(const nexus::Reduction &made) {
  constexpr std::size_t most = 4;
  std::string text;
  for (std::size_t k = 0; k < std::min(made.total.size(), most); ++k)
    text += fmt::format("{}{:.10g}{}", k == 0 ? "" : ", ", made.total[k].real(),
                        made.isComplex ? fmt::format(" {:+.10g}i", made.total[k].imag()) : "");
  return made.total.size() > most ? fmt::format("{}, .. ({})", text, made.total.size()) : text;
}
} // namespace

void Job::checkReductions(const Grid &grid) const {
  const auto outputs = outputsOf(*kernels_[0]);
  const auto isReal = [](const facet_output &output) { return output.is_complex == 0; };
  if (!e_.quantiles.empty() && std::ranges::none_of(outputs, isReal))
    throw Error(fmt::format("kernel {}", kernels_[0]->name),
                "quantiles are of real numbers, and F is complex",
                "let finish return a real, or a struct with one: its norm2, its re");
  keptAxes(e_, grid);
  for (const facet_output &output : outputs)
    if (first() && !e_.weights.empty())
      checkWeights(e_.weights, nameOf(output),
                   tiledFile(grid, "", "").file.groups[0].signals[0].shape);
}

void Job::reduce(const TiledResult &result, const Grid &grid, RunReport &found) const {
  Lines quantiles, totals;
  for (const facet_output &output : outputsOf(*kernels_[0])) {
    const std::string name = nameOf(output);
    const nexus::Reduction made =
        reduced(result, *output.name == 0 ? "amplitude" : name, output.is_complex != 0,
                {e_.quantiles, e_.total, keptAxes(e_, grid), e_.weights});
    std::string text;
    for (std::size_t k = 0; k < made.quantiles.size(); ++k)
      text += fmt::format("{} {:.10g} at {:g}%", k == 0 ? ":" : ",", made.quantiles[k],
                          100 * made.probabilities[k]);
    if (!text.empty())
      add(quantiles, quantiles.empty() ? "quantiles" : "", name + text);
    if (!made.total.empty())
      add(totals, totals.empty() ? "total" : "", name + ": " + showTotal(made));
    found.process.reduced.push_back(made);
  }
  for (const Lines &lines : {quantiles, totals})
    found.reduced.insert(found.reduced.end(), lines.begin(), lines.end());
}

Lines Job::draw() const {
  Lines drawn;
  if (e_.picture != "none")
    for (const std::string &file : writeResultPictures(e_.output, e_.picture, picturesOf(e_)))
      add(drawn, "picture", file);
  if (e_.picture != "none" && !how_.gradientOf.empty())
    for (const std::string &file : writeSlopePictures(e_.output, e_.picture))
      add(drawn, "picture", file);
  listener_.stage("pictures written");
  return drawn;
}

/// How fast units were computed, or where they are from.
Lines Job::speed(const RunReport &f) const {
  if (f.merged > 0)
    return {{"merged", plural(static_cast<std::int64_t>(f.merged), "share")}};
  const std::string of =
      f.evaluations > 0 ? fmt::format(", {} of F", plural(f.evaluations, "evaluation")) : "";
  return {{"speed", fmt::format("{:.2e} TQP/s: {:.2e} triangle-q-points in {:.3f} s{}",
                                f.tqp / f.seconds, f.tqp, f.seconds, of)}};
}

std::string Job::kernelText() const {
  return fmt::format("{} ({}), {}", kernels_[0]->name, kernelFile_,
                     compiling_ ? fmt::format("compiled in {:.1f} s", *compiling_)
                                : "compiled before");
}

void Job::report(const RunReport &f) const {
  const Lines drawn = draw();
  Lines lines = f.head;
  add(lines, "kernel", kernelText());
  add(lines, "algorithm", f.algorithm);
  std::ranges::copy(f.how, std::back_inserter(lines));
  addAbsolute(lines);
  std::ranges::copy(speed(f), std::back_inserter(lines));
  if (f.measured)
    add(lines, "error", errorText(*f.measured, f.measuredBy));
  std::ranges::copy(f.errors, std::back_inserter(lines));
  listener_.report(lines);
  cli::report(listener_, f.rule);
  if (!f.remark.empty())
    listener_.warn(f.remark);
  lines = f.reduced;
  std::ranges::copy(f.derivatives, std::back_inserter(lines));
  add(lines, "data", e_.output);
  for (const Lines &more : {drawn, f.pictures})
    std::ranges::copy(more, std::back_inserter(lines));
  listener_.report(lines);
  if (f.measured && !f.measured->met)
    throwMissed(e_.output, f.measured->error, f.measured->output.empty() ? "F" : f.measured->output,
                f.measured->contract,
                "ask for less (--accuracy), or leave out --class and --algorithm; where direct f64 "
                "misses, the kernel library and its source disagree");
  if (f.amplitudeError > e_.accuracy)
    throwMissed(e_.output, f.amplitudeError, f.amplitude, e_.accuracy,
                "terms of the four channels cancel here: ask for less (--accuracy), or leave out "
                "--class and --algorithm");
}

} // namespace facet::cli
