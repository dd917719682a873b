// communicator.h - the ranks of a run: processes under mpirun or srun, else one.
#pragma once
#include <atomic>
#include <cstddef>
#include <facet/runtime/error.h>
#include <functional>
#include <string>
#include <vector>

namespace facet::runtime {

/// Ranks 0..size - 1. A function marked "all together" is called by every rank, in the same order,
/// by one thread of each; it waits without using a core. Throws Error if MPI fails. This class is
/// the rank of a process by itself; libfacet_mpi overrides all of it.
class Communicator {
public:
  Communicator() = default;
  Communicator(Communicator &&) = delete;
  virtual ~Communicator();

  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }
  /// Ranks of this machine, which share its cores and memory.
  virtual int localSize() const { return 1; }

  /// All together: gives the bytes of rank `from` to all.
  virtual void broadcast(void * /*bytes*/, std::size_t /*size*/, int /*from*/ = 0) {}
  /// The same for a text or a vector, with its length.
  template <class Values> void broadcast(Values &values, int from = 0) {
    std::size_t size = values.size();
    broadcast(&size, sizeof size, from);
    values.resize(size);
    broadcast(values.data(), size * sizeof(typename Values::value_type), from);
  }
  /// All together: rank 0 gets small texts of all ranks, by rank; other ranks get nothing.
  virtual std::vector<std::string> gather(const std::string &mine) { return {mine}; }
  /// All together: sums in an order that depends on the number of ranks. For times and counts;
  /// never for what a result is made of.
  virtual void sum(double * /*values*/, std::size_t /*count*/) {}
  virtual void max(double * /*values*/, std::size_t /*count*/) {}
  double max(double value) {
    max(&value, 1);
    return value;
  }
  /// All together: waits until all are here.
  virtual void barrier() {}

  /// Whether send and receive may be called by other threads than the one that began MPI.
  virtual bool anyThread() const { return true; }
  /// Sends bytes to one rank, which receives them in the order they were sent.
  virtual void send(int to, const void *bytes, std::size_t size);
  virtual void receive(int from, void *bytes, std::size_t size);

  /// Reports how much this rank has done, in any unit; called by any thread, as often as one likes.
  virtual void tell(double done) { done_ = done; }
  /// On rank 0: the sum of what all ranks last reported.
  virtual double told() const { return done_; }

  /// Ranks of this machine that have ended without a word: "rank 2 of 4, on node7". "": none has.
  virtual std::string lost() const { return ""; }
  /// Ends the run of all ranks with this exit code, at once. One message of all ranks is printed,
  /// to stderr behind "facet: error: ", with rank and machine if it is not rank 0's. An empty
  /// message: it was printed before. Any thread may call it.
  [[noreturn]] virtual void fail(const std::string &message, int code);
  /// All together, once, as the last call: returns the largest exit code of all ranks.
  virtual int finish(int code) { return code; }

private:
  std::atomic<double> done_ = 0;
};

/// The ranks that this process belongs to: one without a launcher. Under a launcher MPI begins with
/// the first call, and ranks other than 0 lose their standard output, so that a report is printed
/// once. Throws Error if a launcher runs several processes and MPI is missing.
Communicator &world();

/// What has begun this process, by the variables it has set.
struct Launcher {
  std::string name;    // "mpirun", "srun", ..; empty: none, or it runs one process
  int ranks = 0;       // 0: not said
  int rank = 0;        // of this process
  bool canJoin = true; // the launcher offers what MPI needs to find the other ranks
  bool kills = false;  // what it asks to end it kills after a second; of one process too
};

/// Finds the launcher by a function like getenv. FACET_MPI=off: none.
Launcher launcherOf(const std::function<const char *(const char *)> &environment);
Launcher launcher();

struct Failure {
  std::string message;
  Exit code = Exit::Failed;
};
/// What to say of the exception that is being handled.
Failure failure();

/// Runs `body` and returns the largest exit code of all ranks. If a rank throws, all end, with one
/// message and its exit code (that of an Error, else Exit::Failed). Without a launcher it prints
/// "facet: error: .." and returns the code.
int together(const std::function<int()> &body);

} // namespace facet::runtime

// What libfacet_mpi offers libfacet.
extern "C" {
/// "0.1.0": the libfacet that it was built with.
const char *facet_mpi_version();
/// The ranks of MPI_COMM_WORLD; begins MPI if nobody has. Null, with the reason in `why` (of `size`
/// bytes), if it cannot.
facet::runtime::Communicator *facet_mpi_open(char *why, int size);
}
