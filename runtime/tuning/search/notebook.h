// notebook.h - the trials of a search: measures candidates once, keeps what is known of them.
#pragma once
#include "runtime/tuning/search/lab.h"
#include "runtime/tuning/search/space.h"
#include "runtime/tuning/search/steps.h"
#include "runtime/tuning/tuner.h"
#include <string>
#include <vector>

namespace facet::runtime {

class Notebook {
public:
  Notebook(Lab &lab, const SpaceRequest &request, const SearchRules &rules)
      : lab_(lab), request_(request), rules_(rules) {}

  /// Of what is measured from now on; and how many trials there may be in all.
  void begin(const std::string &step) { step_ = step; }
  void expect(std::size_t trials) { expected_ = static_cast<int>(trials); }

  /// The default, whatever the time. Throws Error where it fails.
  void first();
  /// Races candidates not measured before, with the fastest so far among them, so that what was
  /// measured at another time compares. Past the limit of time they are left out.
  void measure(std::vector<schedules::Knobs> list);
  /// Leaves a candidate out, unless it is known already.
  void skip(const schedules::Knobs &knobs, const std::string &why, double predicted = 0);

  /// TQP/s of one thread; 0 where it is not measured.
  double rate(const schedules::Knobs &knobs) const;
  schedules::Knobs best() const { return fastest(1).front(); }
  /// At most n, best first.
  std::vector<schedules::Knobs> fastest(std::size_t n) const;
  /// Calls the progress of the rules.
  void tell() const;

  std::vector<Trial> trials;

private:
  const Trial *find(const schedules::Knobs &knobs) const;
  Trial &trialOf(const schedules::Knobs &knobs);

  Lab &lab_;
  const SpaceRequest &request_;
  const SearchRules &rules_;
  std::string step_;
  int expected_ = 0;
};

} // namespace facet::runtime
