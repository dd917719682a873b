// pool.cpp - worker threads that run numbered tasks.
#include "runtime/plan/sums/pool.h"
#include <alloca.h>
#include <chrono>
#include <facet/runtime/error.h>
#include <sched.h>
#include <system_error>
#include <unistd.h>

namespace facet::runtime {

namespace {

// Calls `body` with the stack pointer at one fixed offset in its page.
template <class Body> [[gnu::noinline]] void atFixedStackOffset(const Body &body) {
  constexpr std::uintptr_t page = 4096;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  auto *volatile pad = static_cast<char *>(alloca(here % page + 64));
  *pad = 0; // keeps the allocation
  body();
}

} // namespace

Pool::Pool(int threads) : cpus_(static_cast<std::size_t>(threads)) {
  for (auto &cpu : cpus_)
    cpu = -1;
}

void Pool::start() {
  workers_.reserve(cpus_.size());
  try {
    for (int k = 0; k < std::ssize(cpus_); ++k)
      workers_.emplace_back([this, k] { atFixedStackOffset([&] { wait(k); }); });
  } catch (const std::system_error &e) {
    if (workers_.empty())
      throw Error("", "no thread can be started: " + e.code().message(),
                  "end other programs, or allow more processes or memory (ulimit -u, -v)",
                  Exit::Failed);
  }
}

Pool::~Pool() {
  if (getpid() != process_) { // a forked process has none of the threads, for which both would wait
    for (std::thread &t : workers_)
      t.detach();
    (void)signals_.release();
    return;
  }
  {
    const std::lock_guard lock(signals_->mutex);
    stop_ = true;
  }
  signals_->begin.notify_all();
  for (std::thread &t : workers_)
    t.join();
}

bool Pool::isForCaller(double expected, bool hasMeanwhile) const {
  return expected < worthWaking || (size() == 1 && (!hasMeanwhile || expected < meanwhileEvery));
}

void Pool::run(std::int64_t tasks, const std::function<void(std::int64_t, int)> &work,
               const std::function<void()> &meanwhile, double expected) {
  if (getpid() != process_)
    throw Error(
        "",
        "this process was forked from the one that made the plan, and has no threads of its own",
        "make the plan after the fork, or start processes by spawn", Exit::Failed);
  if (isForCaller(expected, meanwhile != nullptr)) {
    atFixedStackOffset([&] {
      for (std::int64_t task = 0; task < tasks; ++task)
        work(task, 0);
    });
    return;
  }
  if (workers_.empty())
    start();
  std::unique_lock lock(signals_->mutex);
  work_ = &work;
  tasks_ = tasks;
  next_ = 0;
  failure_ = nullptr;
  busy_ = size();
  ++round_;
  signals_->begin.notify_all();
  const auto done = [this] { return busy_ == 0; };
  while (meanwhile && !failure_ &&
         !signals_->end.wait_for(lock, std::chrono::duration<double>(meanwhileEvery), done)) {
    lock.unlock();
    attempt(meanwhile);
    lock.lock();
  }
  signals_->end.wait(lock, done);
  if (failure_)
    std::rethrow_exception(failure_);
}

void Pool::wait(int worker) {
  std::uint64_t seen = 0;
  while (true) {
    {
      std::unique_lock lock(signals_->mutex);
      signals_->begin.wait(lock, [&] { return stop_ || round_ != seen; });
      if (stop_)
        return;
      seen = round_;
    }
    if (worker < active()) {
      spread(worker);
      drain(worker);
    }
    const std::lock_guard lock(signals_->mutex);
    if (--busy_ == 0)
      signals_->end.notify_all();
  }
}

// Threads woken together may land on one CPU and share it for tens of milliseconds, longer than
// many runs: seen on two cores, where two threads were no faster than one. A worker that finds a
// neighbour on its CPU steps to the next allowed one, and is free to move again at once: pinning
// for good would put the threads of two processes on the same cores.
void Pool::spread(int worker) {
  const auto own = static_cast<std::size_t>(worker);
  const int here = sched_getcpu();
  cpus_[own] = here;
  bool shared = false;
  for (std::size_t other = 0; other < own; ++other)
    shared = shared || cpus_[other] == here;
  cpu_set_t allowed;
  if (here < 0 || !shared || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return;
  for (int step = 1; step < CPU_SETSIZE; ++step) {
    const int there = (here + step) % CPU_SETSIZE;
    bool taken = false;
    for (std::size_t other = 0; other < own; ++other)
      taken = taken || cpus_[other] == there;
    if (taken || !CPU_ISSET(static_cast<std::size_t>(there), &allowed))
      continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(there), &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0) {
      cpus_[own] = there;
      sched_setaffinity(0, sizeof allowed, &allowed);
    }
    return;
  }
}

void Pool::drain(int worker) {
  for (std::int64_t task = 0; (task = next_.fetch_add(1)) < tasks_;)
    attempt([&] { (*work_)(task, worker); });
}

template <class Body> void Pool::attempt(const Body &body) {
  try {
    body();
  } catch (...) {
    const std::lock_guard lock(signals_->mutex);
    if (!failure_)
      failure_ = std::current_exception();
    next_ = tasks_; // the rest is not worth running
  }
}

} // namespace facet::runtime
