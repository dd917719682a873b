// ranks.h - the ranks of MPI_COMM_WORLD, inside libfacet_mpi.
#pragma once
#include "runtime/blocks/mpi/communicator.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mpi.h>
#include <mutex>
#include <thread>

namespace facet::runtime {

/// Throws Error for a code that is not MPI_SUCCESS.
void checkMpi(int code, const char *call);

/// Every wait is a loop of MPI_Test with pauses, so that waiting ranks leave their cores to others.
/// Rank 0 listens on a thread of its own for the others' errors and progress, however long its
/// main thread sums or waits; `mutex_` lets one thread at a time into MPI.
class Ranks final : public Communicator {
public:
  /// `began`: MPI was begun for this, and ends in finish().
  Ranks(bool began, int threads);
  ~Ranks() override;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int localRank() const override { return localRank_; }
  int localSize() const override { return localSize_; }
  void broadcast(void *bytes, std::size_t size, int from) override;
  std::vector<std::string> gather(const std::string &mine) override;
  void sum(double *values, std::size_t count) override { reduce(values, count, MPI_SUM); }
  void max(double *values, std::size_t count) override { reduce(values, count, MPI_MAX); }
  void barrier() override;
  bool anyThread() const override { return serialized_; }
  void send(int to, const void *bytes, std::size_t size) override;
  void receive(int from, void *bytes, std::size_t size) override;
  void tell(double done) override;
  double told() const override;
  [[noreturn]] void fail(const std::string &message, int code) override;
  int finish(int code) override;

private:
  void reduce(double *values, std::size_t count, MPI_Op operation);
  /// Begins a call of MPI that does not block, begin(request), and waits for its end.
  template <class Begin> void complete(const char *call, const Begin &begin, bool present = false) {
    MPI_Request request = MPI_REQUEST_NULL;
    {
      const std::lock_guard lock(mutex_);
      checkMpi(begin(&request), call);
    }
    wait(request, present);
  }
  /// Waits; `present`: the others take part now, so that pauses would only slow the data down.
  void wait(MPI_Request &request, bool present = false);
  void listen();
  void hear(); // what has come for rank 0; with mutex_ locked
  [[noreturn]] void speak(const std::string &message, int code);
  void stopListening();

  MPI_Comm data_ = MPI_COMM_NULL, talk_ = MPI_COMM_NULL;
  bool began_, serialized_;
  int rank_ = 0, size_ = 1, localRank_ = 0, localSize_ = 1;

  mutable std::mutex mutex_;
  std::thread listener_;
  std::condition_variable_any wake_;
  bool stop_ = false;
  std::atomic<bool> failing_ = false;
  std::vector<double> told_; // by rank, on rank 0
  double telling_ = 0;       // what is under way to rank 0
  MPI_Request tellRequest_ = MPI_REQUEST_NULL;
  std::chrono::steady_clock::time_point lastTell_;
};

} // namespace facet::runtime
