// pool.cpp - worker threads that run numbered tasks.
#include "runtime/engine/system/pool.h"
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

/// Looks again and again whether it is true, for as long as that is less than to sleep and be
/// woken.
template <class Test> void lookFor(const Test &test) {
  const auto until =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(Pool::beforeSleeping);
  while (!test() && std::chrono::steady_clock::now() < until)
    for (int k = 0; k < 16 && !test(); ++k) {
#if defined(__x86_64__)
      __builtin_ia32_pause(); // leaves the core to its other thread
#endif
    }
}

} // namespace

Pool::Pool(int threads) : size_(threads), cpus_(static_cast<std::size_t>(threads)) {
  for (auto &cpu : cpus_)
    cpu = -1;
}

/// `all`: that of worker 0, too. Fewer than are wanted if the system gives no more.
void Pool::start(bool all) {
  const auto thread = [this](int worker) {
    return std::thread([this, worker] { atFixedStackOffset([&] { wait(worker); }); });
  };
  try {
    if (all && !own_.joinable())
      own_ = thread(0);
  } catch (const std::system_error &e) {
    throw Error("", "no thread can be started: " + e.code().message(),
                "end other programs, or allow more processes or memory (ulimit -u, -v)",
                Exit::Failed);
  }
  helpers_.reserve(cpus_.size());
  try {
    while (std::ssize(helpers_) + 1 < size_)
      helpers_.push_back(thread(static_cast<int>(std::ssize(helpers_)) + 1));
  } catch (const std::system_error &) {
    size_ = static_cast<int>(std::ssize(helpers_)) + 1;
  }
}

Pool::~Pool() {
  const auto each = [this](const auto &use) {
    if (own_.joinable())
      use(own_);
    for (std::thread &t : helpers_)
      use(t);
  };
  if (getpid() != process_) { // a forked process has none of the threads, for which both would wait
    each([](std::thread &t) { t.detach(); });
    (void)signals_.release();
    return;
  }
  {
    const std::lock_guard lock(signals_->mutex);
    stop_ = true;
  }
  signals_->begin.notify_all();
  each([](std::thread &t) { t.join(); });
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
  start(meanwhile != nullptr);
  begin(tasks, work, meanwhile == nullptr);
  if (callerWorks_) {
    atFixedStackOffset([&] { drain(0); });
    lookFor([this] { return busy_ == 0; });
  }
  std::unique_lock lock(signals_->mutex);
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

void Pool::begin(std::int64_t tasks, const std::function<void(std::int64_t, int)> &work,
                 bool callerWorks) {
  {
    const std::lock_guard lock(signals_->mutex);
    work_ = &work;
    tasks_ = tasks;
    next_ = 0;
    failure_ = nullptr;
    callerWorks_ = callerWorks;
    if (callerWorks)
      cpus_[0] = sched_getcpu();
    busy_ = static_cast<int>(std::ssize(helpers_)) + (callerWorks ? 0 : 1);
    ++round_;
  }
  signals_->begin.notify_all();
}

void Pool::wait(int worker) {
  std::uint64_t seen = 0;
  const auto called = [&] { return stop_ || (round_ != seen && (worker > 0 || !callerWorks_)); };
  while (true) {
    lookFor(called);
    {
      std::unique_lock lock(signals_->mutex);
      signals_->begin.wait(lock, called);
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
// many runs. It was seen on two cores, where two threads were no faster than one. A worker that
// finds a neighbour on its CPU steps to the next allowed one, and is free to move again at once.
// Pinning for good would put the threads of two processes on the same cores.
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

void inParallel(std::size_t n, int threads,
                const std::function<void(std::size_t, std::size_t)> &work) {
  constexpr std::size_t worthAThread = 4096;
  const std::size_t parts =
      std::clamp<std::size_t>(n / worthAThread, 1, static_cast<std::size_t>(std::max(1, threads)));
  if (parts == 1) {
    work(0, n);
    return;
  }
  Pool(static_cast<int>(parts)).run(static_cast<std::int64_t>(parts), [&](std::int64_t task, int) {
    const auto p = static_cast<std::size_t>(task);
    work(n * p / parts, n * (p + 1) / parts);
  });
}

} // namespace facet::runtime
