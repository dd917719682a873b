// progress.h - one line with rate and time left, on a terminal only.
#pragma once
#include <chrono>

namespace facet::cli {

class Progress {
public:
  Progress();
  /// Triangle-q-points done and all.
  void show(double done, double total);
  /// Wipes the line.
  void end();

private:
  std::chrono::steady_clock::time_point start_;
  bool terminal_, shown_ = false;
};

} // namespace facet::cli
