// choices.cpp - error and repairs of a choice, and the choice among choices. The measured error
// finds what the model of the error gets wrong.
#include "runtime/engine/plan/choices.h"
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <fmt/ranges.h>

namespace facet::runtime {

std::string whyNot(const Choice &c, const Choice &taken, double accuracy) {
  if (name(c) == name(taken) && c.target == taken.target)
    return "taken";
  if (!c.refusal.empty())
    return c.refusal;
  if (c.error > accuracy)
    return "not accurate enough";
  return c.seconds > taken.seconds ? fmt::format("{:.2g} times slower", c.seconds / taken.seconds)
                                   : "as fast";
}

namespace {

/// The error at the q of a bin, relative to sum |term|, or to sum |b| for transforms.
double relativeError(const PlannedChoice &c, const Bin &bin, const Records &records) {
  const double share = c.nodes ? 2 : 1; // rules of nodes may be as wrong: shellsFor
  return share * c.card->error(c, bin, records);
}

/// L of the bin for this choice. Tables have waves and totals in place of e^{iu} - 1, which is
/// about u near q = 0. If no transform says how large its waves are (sums of several components),
/// they are taken as larger than the terms by 1 / |u|; |q| R / 3 is no more than |u| of most
/// records.
double termSize(const PlannedChoice &c, const Bin &bin, const Records &records) {
  if (!c.card->ofWaves)
    return bin.direct;
  if (bin.waves > 0)
    return bin.waves;
  const bool less = c.variant != nullptr && c.variant->totals > 0;
  return less ? bin.direct / std::min(1.0, bin.norm * records.frame().radius / 3) : bin.direct;
}

/// The fastest that is accurate enough; null if there is none.
const PlannedChoice *fastest(const std::vector<PlannedChoice> &all, const Card *card,
                             const std::string &target, double accuracy) {
  const PlannedChoice *found = nullptr;
  for (const PlannedChoice &c : all)
    if (c.card == card && c.target == target && c.refusal.empty() && c.error <= accuracy &&
        (found == nullptr || c.seconds < found->seconds))
      found = &c;
  return found;
}

} // namespace

std::string nameAmong(const std::vector<Choice> &all, const Choice &choice) {
  const bool several = std::ranges::any_of(
      all, [&](const std::string &target) { return target != choice.target; }, &Choice::target);
  const std::string text =
      !choice.refusal.empty() && choice.seconds == 0 ? algorithmName(choice) : name(choice);
  return several ? text + ", " + choice.target : text;
}

std::vector<double> sumErrors(const PlannedChoice &c, const ErrorModel &risk,
                              const Records &records) {
  std::vector<double> errors;
  for (const Bin &bin : risk.bins())
    errors.push_back(relativeError(c, bin, records) * termSize(c, bin, records));
  return errors;
}

// A bin's scale is the largest |F| of an octave of Im q.z. Bands are narrower. If a narrow line of
// F passes by a band, |F| there may be 1e-10 of the scale, by which an error would be missed.
std::vector<std::int64_t> worstExpected(const PlannedChoice &c, const SumContext &work,
                                        const ErrorModel &risk, const Bands *bands, double limit,
                                        std::size_t count) {
  const std::vector<double> errors = sumErrors(c, risk, work.records); // not amplified
  using ExpectedError = std::pair<double, std::int64_t>;
  std::vector<ExpectedError>
      worst; // a heap: its first is the least, of equals the last in the grid
  const auto better = [](const ExpectedError &a, const ExpectedError &b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  };
  for (std::int64_t q = 0; q < work.grid.size(); ++q) {
    const double error = errors[risk.binIndex(q)] * risk.amplification(q);
    const double scale = risk.bin(q).scale;
    const ExpectedError one{error / (bands != nullptr ? bands->size(q) : scale), q};
    if (!(error / scale <= limit) || one.first != one.first ||
        (worst.size() == count && !better(one, worst.front())) ||
        std::binary_search(work.zeros.begin(), work.zeros.end(), q))
      continue;
    worst.push_back(one);
    std::push_heap(worst.begin(), worst.end(), better);
    if (worst.size() > count) {
      std::pop_heap(worst.begin(), worst.end(), better);
      worst.pop_back();
    }
  }
  std::sort_heap(worst.begin(), worst.end(), better);
  std::vector<std::int64_t> at;
  for (const ExpectedError &one : worst)
    at.push_back(one.second);
  return at;
}

std::vector<Shell> shellsFor(const PlannedChoice &c, const SumContext &work, const ErrorModel &risk,
                             double accuracy) {
  constexpr double share = 0.3;
  const std::vector<Bin> &bins = risk.bins();
  std::vector<double> own(bins.size()), allowed(bins.size());
  for (std::size_t b = 0; b < bins.size(); ++b) {
    own[b] = relativeError(c, bins[b], work.records) / 2;
    allowed[b] = share * accuracy * bins[b].scale / termSize(c, bins[b], work.records);
  }
  std::vector<double> tolerance(static_cast<std::size_t>(work.grid.size()));
  for (std::int64_t q = 0; q < work.grid.size(); ++q) {
    const std::size_t b = risk.binIndex(q);
    const double t = std::max(own[b], allowed[b] / risk.amplification(q));
    tolerance[static_cast<std::size_t>(q)] = t > 0 ? std::min(t, 0.1) : 0.1;
  }
  return shellsOf(work.grid, tolerance);
}

int best(const std::vector<PlannedChoice> &all, double accuracy, double below) {
  const auto at = [&](int i) -> const PlannedChoice & { return all[static_cast<std::size_t>(i)]; };
  const auto isBetter = [&](const PlannedChoice &a, const PlannedChoice &b) {
    const bool alike = a.card == b.card && a.units && b.units;
    const auto rank = [&](const PlannedChoice &c) {
      const bool meets = c.error <= accuracy;
      return std::pair(!meets, !meets ? c.error : alike ? c.nominal : c.seconds);
    };
    return rank(a) < rank(b);
  };
  int chosen = -1, own = -1; // of all, and of the card in hand, whose ways stand side by side
  const auto finish = [&] {
    if (own >= 0 && (chosen < 0 || isBetter(at(own), at(chosen))))
      chosen = own;
    own = -1;
  };
  for (int i = 0; i < std::ssize(all); ++i) {
    if (i > 0 && at(i).card != at(i - 1).card)
      finish();
    if (at(i).refusal.empty() && !at(i).tried && at(i).error < below &&
        (own < 0 || isBetter(at(i), at(own))))
      own = i;
  }
  finish();
  return chosen;
}

// "separable 0.9 s, direct on opencl 3 s": the fastest of each other algorithm and target.
static std::string othersText(const std::vector<PlannedChoice> &all, const Choice &taken,
                              double accuracy) {
  std::vector<std::string> targets, texts;
  for (const PlannedChoice &c : all)
    if (std::ranges::find(targets, c.target) == targets.end())
      targets.push_back(c.target);
  for (const std::string &target : targets)
    for (const Card *card : cards()) {
      if (card->algorithm == taken.algorithm && target == taken.target)
        continue;
      if (const PlannedChoice *other = fastest(all, card, target, accuracy))
        texts.push_back(fmt::format("{}{} {:.2g} s", algorithmName(*other),
                                    target == taken.target ? "" : " on " + target, other->seconds));
    }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string reasonFor(const std::vector<PlannedChoice> &all, int chosen,
                      const PlanOptions &options) {
  const Choice &taken = all[static_cast<std::size_t>(chosen)];
  std::string text;
  if (!taken.detail.empty())
    text += taken.detail + "; ";
  text += fmt::format("{:.2g} s expected", taken.seconds);
  if (options.algorithm)
    text += ", forced";
  if (const std::string others = othersText(all, taken, options.accuracy); !others.empty())
    text += "; " + others;
  if (taken.error > options.accuracy && taken.repaired > 0)
    text += fmt::format("; {} q need direct sums in f64", taken.repaired);
  else if (taken.error > options.accuracy)
    text += fmt::format("; no way is expected to reach {:.0e}, this one {:.1e}", options.accuracy,
                        taken.error);
  return text;
}

} // namespace facet::runtime
