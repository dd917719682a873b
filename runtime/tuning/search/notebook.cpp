// notebook.cpp - batches of candidates to the lab, and their rates to trials.
#include "runtime/tuning/search/notebook.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::runtime {

using schedules::Knobs;

const Trial *Notebook::find(const Knobs &knobs) const {
  const auto found = std::find_if(trials.begin(), trials.end(),
                                  [&](const Trial &trial) { return trial.knobs == knobs; });
  return found == trials.end() ? nullptr : &*found;
}

Trial &Notebook::trialOf(const Knobs &knobs) {
  if (const Trial *known = find(knobs))
    return trials[static_cast<std::size_t>(known - trials.data())];
  Trial trial;
  trial.knobs = knobs;
  trial.step = step_;
  trials.push_back(std::move(trial));
  return trials.back();
}

double Notebook::rate(const Knobs &knobs) const {
  const Trial *trial = find(knobs);
  return trial != nullptr ? trial->throughput : 0;
}

std::vector<Knobs> Notebook::fastest(std::size_t n) const {
  std::vector<const Trial *> sorted;
  for (const Trial &trial : trials)
    if (trial.throughput > 0)
      sorted.push_back(&trial);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Trial *a, const Trial *b) { return a->throughput > b->throughput; });
  std::vector<Knobs> list;
  for (std::size_t k = 0; k < std::min(n, sorted.size()); ++k)
    list.push_back(sorted[k]->knobs);
  return list;
}

void Notebook::first() {
  const Lab::Rate own = lab_.race({request_.initial}, 1).front();
  if (own.rate <= 0)
    throw Error("tuning", "not even the default schedule runs: " + own.why,
                "this is a fault of facet: please report it with the kernel file", Exit::Failed);
  trialOf(request_.initial).throughput = own.rate;
}

void Notebook::measure(std::vector<Knobs> list) {
  for (const Knobs &knobs : list)
    if (const std::string why = leftOut(knobs, request_); !why.empty())
      skip(knobs, why);
  std::erase_if(list, [&](const Knobs &knobs) { return find(knobs) != nullptr; });
  // Progress is told between them, the limit looked at. A device compiles a candidate once more.
  const std::size_t batch =
      request_.device.threads > 0 ? static_cast<std::size_t>(std::max(2, rules_.cores)) : 16;
  for (std::size_t first = 0; first < list.size(); first += batch) {
    const auto begin = list.begin() + static_cast<std::ptrdiff_t>(first);
    std::vector<Knobs> some(
        begin, begin + static_cast<std::ptrdiff_t>(std::min(batch, list.size() - first)));
    if (lab_.elapsed() > rules_.limit) {
      for (const Knobs &knobs : some)
        skip(knobs, fmt::format("no time left: the limit is {:.0f} s", rules_.limit));
      continue;
    }
    some.push_back(best());
    const std::vector<Lab::Rate> rates = lab_.race(some, 1);
    for (std::size_t k = 0; k < some.size(); ++k) {
      Trial &trial = trialOf(some[k]);
      trial.throughput = std::max(trial.throughput, rates[k].rate);
      trial.skipped = trial.throughput > 0 ? "" : rates[k].why;
    }
    tell();
  }
}

void Notebook::skip(const Knobs &knobs, const std::string &why, double predicted) {
  if (find(knobs) != nullptr)
    return;
  Trial &trial = trialOf(knobs);
  trial.skipped = why;
  trial.predicted = predicted;
}

void Notebook::tell() const {
  if (!rules_.progress)
    return;
  TuneProgress now;
  now.step = step_;
  for (const Trial &trial : trials) {
    now.done += trial.skipped.empty() ? 1 : 0;
    now.best = std::max(now.best, trial.throughput);
  }
  now.expected = std::max(expected_, now.done);
  rules_.progress(now);
}

} // namespace facet::runtime
