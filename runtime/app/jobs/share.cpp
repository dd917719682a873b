// share.cpp - which share a job of an array has, and shares that belong together.
#include "runtime/app/jobs/share.h"
#include "runtime/app/jobs/job.h"
#include "runtime/engine/run/plan_file.h"
#include "runtime/engine/system/hash.h"
#include "runtime/engine/system/text.h"
#include <algorithm>
#include <cstdlib>
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::cli {
using namespace facet::runtime;
namespace {

constexpr int mostShares = 100000;
constexpr const char *helpOfArray =
    "write i/n with 1 <= i <= n: --array 2/3, the second of three; or --array auto in a job array";

[[noreturn]] void refuseArray(const std::string &text, const std::string &why) {
  throw Error("--array " + text, why, helpOfArray);
}

struct Launcher {
  const char *name, *number, *first, *last; // variables
};
constexpr Launcher launchers[] = {
#define FACET_LAUNCHER(name, number, first, last) {name, number, first, last},
#include "launchers.def"
};

/// The whole number in a variable; none if it has another value or is not there.
std::optional<int> numberIn(const std::string &variable) {
  const char *text = variable.empty() ? nullptr : std::getenv(variable.c_str());
  int value = 0;
  return text != nullptr && parseNumber(std::string_view(text), value) ? std::optional(value)
                                                                       : std::nullopt;
}

ShareNumber shareOfLauncher() {
  for (const Launcher &by : launchers) {
    const std::optional<int> number = numberIn(by.number);
    if (!number || (std::string_view(by.name) == "LSF" && *number == 0)) // which is no array
      continue;
    const std::optional<int> last = numberIn(by.last);
    const int first = numberIn(by.first).value_or(1);
    if (!last)
      refuseArray("auto", fmt::format("{} does not say how many jobs the array has", by.name));
    if (first < 0 || first > 1)
      refuseArray("auto", fmt::format("the first job of {}'s array is {}, which is to be 1 or 0",
                                      by.name, first));
    const ShareNumber share{*number - first + 1, *last - first + 1};
    if (share.number < 1 || share.number > share.count || share.count > mostShares)
      refuseArray("auto", fmt::format("{} says that this is job {} of {} to {}", by.name, *number,
                                      first, *last));
    return share;
  }
  refuseArray("auto", "this process is in no job array: no batch system says so");
}

/// Throws Error for a share that is not of the run of `first`.
void refuseForeign(const ShareFile &first, const ShareFile &share,
                   const std::vector<IdentityPart> &parts) {
  refuseOther(share.path(), parts, first.identity(), share.identity(),
              {"merge", "of " + first.path(), "there", "run this share again with {}"});
  if (share.share().count != first.share().count)
    throw Error(share.path(),
                fmt::format("cannot merge: it is share {}, and {} is share {}",
                            textOf(share.share()), first.path(), textOf(first.share())),
                "merge the shares of one array");
}

} // namespace

ShareNumber shareFrom(const std::string &text) {
  if (text == "auto")
    return shareOfLauncher();
  Words words;
  splitWords(text, words, "/");
  ShareNumber share;
  if (words.size() != 2 || !parseNumber(words[0], share.number) ||
      !parseNumber(words[1], share.count))
    refuseArray(text, "is no share");
  if (share.number < 1 || share.number > share.count)
    refuseArray(text, fmt::format("there is no share {} of {}", share.number, share.count));
  if (share.count > mostShares)
    refuseArray(text, fmt::format("more than {} shares", mostShares));
  return share;
}

std::vector<ShareFile> sharesFrom(const std::vector<std::string> &files,
                                  const std::vector<IdentityPart> &parts) {
  std::vector<ShareFile> shares;
  for (const std::string &file : files) {
    ShareFile share(file);
    if (!shares.empty())
      refuseForeign(shares[0], share, parts);
    const auto same = std::ranges::find(shares, share.share(), &ShareFile::share);
    if (same == shares.end())
      shares.push_back(std::move(share));
    else if (!same->sameAs(share))
      throw Error(file,
                  fmt::format("cannot merge: it is share {} as {} is, with other values",
                              textOf(share.share()), same->path()),
                  "leave one of them out");
  }
  std::ranges::sort(shares, {}, [](const ShareFile &share) { return share.share().number; });
  const int count = shares[0].share().count;
  std::string missing;
  for (int number = 1, k = 0; number <= count; ++number)
    if (k < std::ssize(shares) && shares[static_cast<std::size_t>(k)].share().number == number)
      ++k;
    else
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", number);
  if (!missing.empty())
    throw Error(shares[0].path(),
                fmt::format("cannot merge: of {} shares these are missing: {}", count, missing),
                fmt::format("run them: facet run .. --array i/{}", count));
  return shares;
}

// What a job has of it
// ---------------------------------------------------------------------------
/// Named by all that a plan depends on: shares of another run do not follow it.
std::string Job::planFile() const {
  if (!how_.run.share)
    return "";
  Hash hash;
  for (const std::string &text :
       {problem(), how_.cut, e_.algorithm, e_.klass, e_.target, how_.schedules})
    hash.field(text);
  return fmt::format("{}.plan-{}", how_.output, hash.hex().substr(0, 8));
}

bool Job::shareFinished() const {
  const ShareFile there(e_.output);
  const auto of = there.provenance().find("problem");
  if (of == there.provenance().end() || of->second != problem())
    throw Error(e_.output, "holds the finished share of another run",
                "leave out --resume to overwrite it, or write somewhere else with -o FILE");
  const std::string plan = readPlan(planFile());
  if (!plan.empty() && there.identity().at("plan") != plan)
    throw Error(e_.output, "was finished by another plan than other shares have now",
                "leave out --resume to compute it again");
  return true;
}

nexus::Process Job::shareProvenance(const RunTotals &totals) {
  static_cast<RunTotals &>(found_) = totals;
  Experiment whole = e_;
  whole.output = how_.output;
  whole.picture = how_.picture;
  whole.threads = 0; // which change no bit
  nexus::Process process;
  process.experiment = toToml(whole);
  process.provenance = {{"program", "facet " FACET_VERSION},
                        {"kernel", kernels_[0]->name},
                        {"kernel_file", kernelFile_},
                        {"problem", problem()},
                        {"schedules", how_.schedules}};
  return process;
}

void Job::reportShare() const {
  Lines lines{{"kernel", kernelText()}, {"units", found_.units}};
  std::ranges::copy(speed(found_), std::back_inserter(lines));
  add(lines, "data", e_.output);
  listener_.report(lines);
}

} // namespace facet::cli
