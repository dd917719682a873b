// ducc0_custom_lowlevel_threading.h - what DUCC needs of a program with threads of its own: locks
// for its plans, which all threads share, and a pool with one thread, since facet's own threads
// call it.
#pragma once
#include <condition_variable>
#include <mutex>

namespace DUCC0_NAMESPACE {
namespace detail_threading {

using Mutex = std::mutex;
using UniqueLock = std::unique_lock<std::mutex>;
using LockGuard = std::lock_guard<std::mutex>;
using CondVar = std::condition_variable;

class OneThread : public thread_pool {
public:
  size_t nthreads() const override { return 1; }
  size_t adjust_nthreads(size_t) const override { return 1; }
  void submit(std::function<void()> work) override { work(); }
};

inline thread_local bool in_parallel_region = false;
inline thread_pool *get_active_pool() {
  static OneThread one;
  return &one;
}
inline thread_pool *set_active_pool(thread_pool *) { return get_active_pool(); }

} // namespace detail_threading
} // namespace DUCC0_NAMESPACE
