// recorder.cpp - listens to the steps of a device's calls and keeps their times.
#include "runtime/plan/device/recorder.h"

namespace facet::runtime {

void Recorder::start() {
  zero_ = Clock::now();
  for (std::size_t k = 0; k < streams_.size(); ++k) {
    streams_[k].number = static_cast<int>(k);
    streams_[k].zero = zero_;
    streams_[k].calls.clear();
  }
}

Timeline Recorder::timeline() const {
  Timeline all;
  for (const Stream &stream : streams_)
    all.calls.insert(all.calls.end(), stream.calls.begin(), stream.calls.end());
  return all;
}

void Recorder::step(facet_device *queue, std::int32_t which) {
  auto &stream = *static_cast<Stream *>(queue->steps);
  const double now = std::chrono::duration<double>(Clock::now() - stream.zero).count();
  if (which == FACET_UPLOADS)
    stream.call = {stream.number, {now, now, now, now}};
  // Later parts begin no earlier, also where a call that failed leaves some out.
  for (auto k = static_cast<std::size_t>(which); k < stream.call.at.size(); ++k)
    stream.call.at[k] = now;
  if (which == FACET_STEPS)
    stream.calls.push_back(stream.call);
}

Recorder::Listening::Listening(Recorder *recorder, facet_device &queue, int stream)
    : queue_(queue) {
  if (recorder == nullptr || !recorder->on_)
    return;
  queue.steps = &recorder->streams_.at(static_cast<std::size_t>(stream));
  queue.step = step;
}

Recorder::Listening::~Listening() {
  queue_.step = nullptr;
  queue_.steps = nullptr;
}

} // namespace facet::runtime
