// communicator.h - the ranks of a run: processes under mpirun or srun, else one.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace facet::runtime {

/// Ranks 0..size - 1. What says "all together" is called by every rank, in the same order, by one
/// thread of each; it waits without using a core. Throws Error if MPI fails.
class Communicator {
public:
  Communicator() = default;
  Communicator(const Communicator &) = delete;
  Communicator &operator=(const Communicator &) = delete;
  virtual ~Communicator();

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Ranks of this machine share its cores and memory: their number, and which this one is.
  virtual int localRank() const = 0;
  virtual int localSize() const = 0;

  /// All together: the bytes of rank `from` to all.
  virtual void broadcast(void *bytes, std::size_t size, int from = 0) = 0;
  /// All together: small texts by rank, on rank 0; nothing elsewhere.
  virtual std::vector<std::string> gather(const std::string &mine) = 0;
  /// All together: sums in an order that depends on the number of ranks. For times and counts;
  /// never for what a result is made of.
  virtual void sum(double *values, std::size_t count) = 0;
  virtual void max(double *values, std::size_t count) = 0;
  /// All together.
  virtual void barrier() = 0;

  /// Whether send and receive may be called by other threads than the one that began MPI.
  virtual bool anyThread() const = 0;
  /// Bytes to one rank, which receives them in the order they were sent.
  virtual void send(int to, const void *bytes, std::size_t size) = 0;
  virtual void receive(int from, void *bytes, std::size_t size) = 0;

  /// How much this rank has done, in any unit; from any thread, as often as one likes.
  virtual void tell(double done) = 0;
  /// On rank 0: the sum of what all ranks last reported.
  virtual double told() const = 0;

  /// Ends the run of all ranks with this exit code. Of all ranks' messages one is printed, to
  /// stderr behind "facet: error: "; one of another rank than 0 with its rank and machine.
  /// An empty message: somebody has said it.
  [[noreturn]] virtual void fail(const std::string &message, int code) = 0;
  /// All together, once, as the last: the largest of all ranks' exit codes.
  virtual int finish(int code) = 0;

  void broadcast(std::string &text, int from = 0);
  void broadcast(std::vector<double> &values, int from = 0);
  double sum(double value);
  double max(double value);
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
};

/// By a function like getenv. FACET_MPI=off: none.
Launcher launcherOf(const std::function<const char *(const char *)> &environment);
Launcher launcher();

/// Runs `body` and gives the exit code of all ranks: the largest of theirs. What a rank throws ends
/// all of them, with one message and its exit code (of an Error its own, else Exit::Failed).
/// Without a launcher: prints "facet: error: ..", and gives the code.
int together(const std::function<int()> &body);

} // namespace facet::runtime
