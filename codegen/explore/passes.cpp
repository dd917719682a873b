// passes.cpp - the lines of a kernel after each pass, and which of them the pass made.
//
//   A pass numbers all values anew, so texts do not tell what it changed. A line counts as changed
//   if the kernel before had none like it in the region: the same op, type and domain, from the
//   same place of the source, of operands that are the same leaf or of the same op.
#include "explore.h"
#include <fmt/format.h>
#include <map>

namespace facet::explore {
namespace {

using namespace ir;

/// What a line is like, without the numbers of values.
std::string likeness(const Region &region, const Value &value) {
  std::string text =
      fmt::format("{} {} {} {}:{}", static_cast<int>(value.op), static_cast<int>(value.type),
                  value.domain, value.loc.line, value.loc.column);
  for (const Id id : value.operands()) {
    const Value &operand = region[id];
    text += isLeaf(operand.op) ? ' ' + leafText(operand)
                               : fmt::format(" {}", static_cast<int>(operand.op));
  }
  return text;
}

/// How many lines of each likeness a region has.
using Likenesses = std::map<std::string, int>;

std::vector<Likenesses> likenessesOf(const Kernel &kernel) {
  std::vector<Likenesses> all;
  for (const Region *region : regionsOf(kernel)) {
    Likenesses &own = all.emplace_back();
    for (const Value &value : region->values)
      if (!isLeaf(value.op))
        ++own[likeness(*region, value)];
  }
  return all;
}

Json lineOf(const Region &region, Id id, const std::vector<std::string> &names) {
  const Value &value = region[id];
  std::string domain(spelling(value.domain)); // "[x t]"
  Json line = {{"id", names[static_cast<std::size_t>(id)]},
               {"text", expressionText(value, names)},
               {"type", spelling(value.type)},
               {"domain", domain.substr(1, domain.size() - 2)}};
  if (value.loc.line > 0)
    line.update({{"line", value.loc.line}, {"column", value.loc.column}});
  return line;
}

/// "yield re = %3, im = %4".
std::string yieldOf(const Region &region, const std::vector<std::string> &names) {
  std::string text;
  for (const Output &output : region.outputs)
    text += fmt::format("{}{}{}{}", text.empty() ? "yield " : ", ", output.name,
                        output.name.empty() ? "" : " = ",
                        names[static_cast<std::size_t>(output.value)]);
  return text;
}

/// How many lines a pass made, and how many it took away.
struct Changes {
  int made = 0, removed = 0;
};

/// The regions with their lines, and what is not as `before`.
Json regionsWithLines(const Kernel &kernel, const Kernel &source, std::vector<Likenesses> before,
                      Changes &changes) {
  Json regions = Json::array();
  Kernel placed = kernel;
  fillPlaces(placed, source);
  std::size_t k = 0;
  for (const Region *region : regionsOf(kernel)) {
    Likenesses &old = before[k];
    const Region &shown = *regionsOf(placed)[k];
    const std::string_view name = regionNames[k++];
    if (region->empty())
      continue;
    Json lines = Json::array();
    const std::vector<std::string> called = names(*region);
    for (Id id = 0; id < std::ssize(region->values); ++id) {
      if (isLeaf((*region)[id].op))
        continue;
      lines.push_back(lineOf(shown, id, called));
      if (int &left = old[likeness(*region, (*region)[id])]; left > 0) {
        --left;
      } else {
        lines.back()["changed"] = true;
        ++changes.made;
      }
    }
    regions.push_back({{"name", name}, {"lines", lines}, {"yield", yieldOf(*region, called)}});
  }
  for (const Likenesses &old : before)
    for (const auto &[line, left] : old)
      changes.removed += left;
  return regions;
}

/// Adds to each line its numbers.
void addNumbers(const Json &numbers, Json &regions) {
  for (Json &region : regions)
    for (Json &line : region["lines"])
      line["numbers"] = numbers.at(region["name"]).at(line["id"]);
}

} // namespace

void fillPlaces(Kernel &kernel, const Kernel &source) {
  const auto origins = regionsOf(source);
  std::size_t k = 0;
  for (Region *region : regionsOf(kernel)) {
    const Region &written = origins[k++]->empty() ? source.term : *origins[k - 1];
    const Loc whole = written[written.outputs[0].value].loc;
    for (const Output &output : region->outputs)
      if (Loc &loc = (*region)[output.value].loc; loc.line == 0)
        loc = whole;
    for (Id id = static_cast<Id>(region->values.size()); id-- > 0;)
      for (const Id operand : (*region)[id].operands())
        if (Loc &loc = (*region)[operand].loc; loc.line == 0)
          loc = (*region)[id].loc;
  }
}

Json passesOf(const Kernel &source, const passes::Variant &variant,
              const passes::PipelineOptions &options, const ProbeNumbers &numbers) {
  Changes none;
  Kernel kernel = source;
  annotate(kernel);
  std::vector<Likenesses> before = likenessesOf(kernel);
  Json list = Json::array();
  list.push_back({{"name", "source"},
                  {"why", "What the front end made of the kernel file."},
                  {"regions", regionsWithLines(kernel, source, before, none)}});
  if (numbers)
    addNumbers(numbers(kernel, variant), list.back()["regions"]);
  std::string text = print(kernel);
  for (const passes::Pass &pass : passes::pipeline(variant)) {
    passes::PipelineOptions one = options;
    one.only = pass.name;
    kernel = passes::run(kernel, variant, one);
    Json made = {{"name", pass.name}, {"why", pass.why}};
    Changes changes;
    if (std::string after = print(kernel); std::exchange(text, after) != after) {
      made["regions"] = regionsWithLines(kernel, source, before, changes);
      if (numbers)
        addNumbers(numbers(kernel, variant), made["regions"]);
      before = likenessesOf(kernel);
    }
    made.update({{"made", changes.made}, {"removed", changes.removed}});
    list.push_back(made);
  }
  return list;
}

} // namespace facet::explore
