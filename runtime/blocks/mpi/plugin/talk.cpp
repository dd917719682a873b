// talk.cpp - what ranks tell rank 0 on the side: how far they are, and that they failed.
#include "runtime/blocks/mpi/plugin/ranks.h"
#include <cstdio>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <numeric>
#include <unistd.h>

namespace facet::runtime {
namespace {

constexpr int errorTag = 1, progressTag = 2;
constexpr std::chrono::milliseconds pause{50};  // between two looks at what has come
constexpr std::chrono::seconds patience{10};    // for rank 0 to say another rank's message
constexpr std::chrono::milliseconds often{200}; // progress of a rank, at most; more ranks, less

} // namespace

void Ranks::listen() {
  std::unique_lock lock(mutex_);
  try {
    while (!stop_) {
      hear();
      wake_.wait_for(lock, pause);
    }
  } catch (const Error &e) { // the main thread will see it too, if it still needs MPI
    std::fprintf(stderr, "facet: warning: %s\n", e.what());
  }
}

void Ranks::stopListening() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (listener_.joinable())
    listener_.join();
}

void Ranks::hear() {
  const auto has = [&](int tag, MPI_Status &status) {
    int there = 0;
    checkMpi(MPI_Iprobe(MPI_ANY_SOURCE, tag, talk_, &there, &status), "MPI_Iprobe");
    return there != 0;
  };
  MPI_Status status;
  if (has(errorTag, status)) {
    int length = 0;
    MPI_Get_count(&status, MPI_BYTE, &length);
    std::string text(static_cast<std::size_t>(length), '\0');
    checkMpi(MPI_Recv(text.data(), length, MPI_BYTE, status.MPI_SOURCE, errorTag, talk_,
                      MPI_STATUS_IGNORE),
             "MPI_Recv");
    // The exit code, a space, the message.
    const std::size_t space = text.find(' ');
    if (!failing_.exchange(true))
      speak(text.substr(space + 1), std::stoi(text));
  }
  while (has(progressTag, status)) {
    double done = 0;
    checkMpi(
        MPI_Recv(&done, 1, MPI_DOUBLE, status.MPI_SOURCE, progressTag, talk_, MPI_STATUS_IGNORE),
        "MPI_Recv");
    told_[static_cast<std::size_t>(status.MPI_SOURCE)] = done;
  }
}

void Ranks::tell(double done) {
  const std::lock_guard lock(mutex_);
  if (rank_ == 0) {
    told_[0] = done;
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  // Of 10,000 ranks rank 0 hears 2,500 a second.
  const auto least = std::max(often, std::chrono::milliseconds(size_ * 2 / 5));
  if (!serialized_ || now - lastTell_ < least)
    return;
  int sent = 1;
  if (tellRequest_ != MPI_REQUEST_NULL)
    checkMpi(MPI_Test(&tellRequest_, &sent, MPI_STATUS_IGNORE), "MPI_Test");
  if (sent == 0)
    return;
  lastTell_ = now;
  telling_ = done;
  checkMpi(MPI_Isend(&telling_, 1, MPI_DOUBLE, 0, progressTag, talk_, &tellRequest_), "MPI_Isend");
}

double Ranks::told() const {
  const std::lock_guard lock(mutex_);
  return std::accumulate(told_.begin(), told_.end(), 0.0);
}

// MPI_Abort: the other ranks may be anywhere, and one that waits for this one would wait for ever.
void Ranks::speak(const std::string &message, int code) {
  if (!message.empty())
    std::fprintf(stderr, "facet: error: %s\n", message.c_str());
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, code);
  _exit(code);
}

void Ranks::fail(const std::string &message, int code) {
  if (failing_.exchange(true)) // the listener speaks for another rank, which ends this one too
    while (true)
      ::pause();
  if (rank_ == 0) {
    const std::lock_guard lock(mutex_);
    speak(message, code);
  }
  char machine[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  std::string text;
  {
    const std::lock_guard lock(mutex_);
    MPI_Get_processor_name(machine, &length);
    if (!message.empty())
      text = fmt::format("rank {} of {}, on {}: {}", rank_, size_, machine, message);
    const std::string sent = fmt::format("{} {}", code, text);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(sent.data(), static_cast<int>(sent.size()), MPI_BYTE, 0, errorTag, talk_, &request);
    const auto end = std::chrono::steady_clock::now() + patience;
    int done = 0;
    while (std::chrono::steady_clock::now() < end) { // until rank 0 ends this process
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  speak(text, code); // rank 0 does not answer
}

int Ranks::finish(int code) {
  if (tellRequest_ != MPI_REQUEST_NULL)
    wait(tellRequest_);
  double largest = code;
  max(&largest, 1);
  stopListening();
  if (began_)
    checkMpi(MPI_Finalize(), "MPI_Finalize");
  return static_cast<int>(largest);
}

} // namespace facet::runtime
