// timeline.h - when the calls of a device's streams uploaded, computed and downloaded.
#pragma once
#include <array>
#include <vector>

namespace facet::runtime {

/// One call of a sum on a stream. Times are of the host's clock, in seconds since the sums began:
/// upload, kernel, download begin at `at[0]`, `at[1]`, `at[2]`, the last ends at `at[3]`. The
/// stream is waited for after each part, so a part has ended when the next begins. A part includes
/// its wait for a device that was busy with other streams.
struct DeviceCall {
  int stream = 0;
  std::array<double, 4> at{};
};

/// The calls of one execution of a plan, by streams, then by time.
struct Timeline {
  std::vector<DeviceCall> calls;
};

/// How much of a timeline went on at the same time.
struct Overlap {
  double seconds = 0; // from the first begin to the last end
  double parts = 0;   // all uploads, kernels and downloads, added
  double busy = 0;    // with a kernel under way
  double several = 0; // of `seconds`, the fraction with more than one stream at work
  double hidden = 0;  // of all uploads and downloads, the fraction while a kernel was under way
  int most = 0;       // calls under way at one instant
  /// What the streams gained against one part after the other, if none waited for another: at most.
  double gain() const { return seconds > 0 ? parts / seconds : 1; }
};
Overlap overlapOf(const Timeline &timeline);

} // namespace facet::runtime
