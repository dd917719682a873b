// ranks.cpp - libfacet_mpi: the ranks of MPI_COMM_WORLD. What they do all together, by MPI calls
// that do not block; and their messages to rank 0 on the side, of progress and of failure.
#include "runtime/engine/run/mpi/communicator.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <limits>
#include <mpi.h>
#include <mutex>
#include <numeric>
#include <thread>
#include <unistd.h>

namespace facet::runtime {
namespace {

constexpr std::size_t piece = std::size_t{1} << 30; // bytes a call: MPI counts in int
constexpr std::size_t large = std::size_t{1} << 16;
constexpr int dataTag = 1, errorTag = 1, progressTag = 2;
constexpr std::chrono::milliseconds pause{50};  // between two looks at what has come
constexpr std::chrono::seconds patience{10};    // for rank 0 to print another rank's message
constexpr std::chrono::milliseconds often{200}; // from report to report of a rank, at least

/// Calls call(begin, bytes) for each piece.
template <class Bytes, class Call>
void eachPiece(Bytes *bytes, std::size_t size, const Call &call) {
  for (std::size_t done = 0; done < size; done += piece)
    call(bytes + done, static_cast<int>(std::min(piece, size - done)));
}

/// Throws Error for a code that is not MPI_SUCCESS.
void checkMpi(int code, const char *call) {
  if (code == MPI_SUCCESS)
    return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(call, std::string(text, static_cast<std::size_t>(length)), "", Exit::Failed);
}

/// Every wait is a loop of MPI_Test with pauses, so that waiting ranks leave their cores to others.
/// Rank 0 listens on a thread of its own for the others' errors and progress, however long its
/// main thread sums or waits; `mutex_` lets one thread at a time into MPI.
class Ranks final : public Communicator {
public:
  /// `began`: MPI was begun for this, and ends in finish().
  Ranks(bool began, int threads) : began_(began), serialized_(threads >= MPI_THREAD_SERIALIZED) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    // Two communicators of our own, so that nobody else's messages get in.
    for (MPI_Comm *made : {&data_, &talk_}) {
      checkMpi(MPI_Comm_dup(MPI_COMM_WORLD, made), "MPI_Comm_dup");
      MPI_Comm_set_errhandler(*made, MPI_ERRORS_RETURN);
    }
    MPI_Comm_rank(data_, &rank_);
    MPI_Comm_size(data_, &size_);
    MPI_Comm local = MPI_COMM_NULL;
    checkMpi(MPI_Comm_split_type(data_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local),
             "MPI_Comm_split_type");
    MPI_Comm_size(local, &localSize_);
    meet(local);
    MPI_Comm_free(&local);
    if (rank_ == 0) {
      told_.resize(static_cast<std::size_t>(size_));
      if (serialized_)
        listener_ = std::thread([this] { listen(); });
    }
  }
  ~Ranks() override { stopListening(); }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int localSize() const override { return localSize_; }
  bool anyThread() const override { return serialized_; }
  void sum(double *values, std::size_t count) override { reduce(values, count, MPI_SUM); }
  void max(double *values, std::size_t count) override { reduce(values, count, MPI_MAX); }

  // A barrier, which pauses while it waits, comes before large data: then all ranks are there.
  void broadcast(void *bytes, std::size_t size, int from) override {
    if (size > large)
      barrier();
    eachPiece(static_cast<char *>(bytes), size, [&](char *at, int n) {
      complete(
          "MPI_Ibcast", [&](auto r) { return MPI_Ibcast(at, n, MPI_BYTE, from, data_, r); },
          size > large);
    });
  }

  std::vector<std::string> gather(const std::string &mine) override {
    const std::size_t ranks = rank_ == 0 ? static_cast<std::size_t>(size_) : 0;
    const auto length = static_cast<int>(mine.size());
    std::vector<int> lengths(ranks), begins(ranks);
    complete("MPI_Igather", [&](auto r) {
      return MPI_Igather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, data_, r);
    });
    if (std::accumulate(lengths.begin(), lengths.end(), 0.0) > std::numeric_limits<int>::max())
      throw Error("MPI", "more than 2 GiB of texts", "", Exit::Failed);
    std::exclusive_scan(lengths.begin(), lengths.end(), begins.begin(), 0);
    std::string all(ranks == 0 ? 0 : static_cast<std::size_t>(begins.back() + lengths.back()),
                    '\0');
    complete("MPI_Igatherv", [&](auto r) {
      return MPI_Igatherv(mine.data(), length, MPI_BYTE, all.data(), lengths.data(), begins.data(),
                          MPI_BYTE, 0, data_, r);
    });
    std::vector<std::string> texts;
    texts.reserve(ranks);
    for (std::size_t r = 0; r < ranks; ++r)
      texts.push_back(
          all.substr(static_cast<std::size_t>(begins[r]), static_cast<std::size_t>(lengths[r])));
    return texts;
  }

  void barrier() override {
    complete("MPI_Ibarrier", [&](auto r) { return MPI_Ibarrier(data_, r); });
  }

  void send(int to, const void *bytes, std::size_t size) override {
    eachPiece(static_cast<const char *>(bytes), size, [&](const char *at, int n) {
      complete("MPI_Isend",
               [&](auto r) { return MPI_Isend(at, n, MPI_BYTE, to, dataTag, data_, r); });
    });
  }

  void receive(int from, void *bytes, std::size_t size) override {
    eachPiece(static_cast<char *>(bytes), size, [&](char *at, int n) {
      complete("MPI_Irecv",
               [&](auto r) { return MPI_Irecv(at, n, MPI_BYTE, from, dataTag, data_, r); });
    });
  }

  void tell(double done) override {
    const std::lock_guard lock(mutex_);
    if (rank_ == 0) {
      told_[0] = done;
      return;
    }
    const auto now = std::chrono::steady_clock::now();
    // However many ranks there are, rank 0 receives at most 2,500 messages a second.
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
    checkMpi(MPI_Isend(&telling_, 1, MPI_DOUBLE, 0, progressTag, talk_, &tellRequest_),
             "MPI_Isend");
  }

  double told() const override {
    const std::lock_guard lock(mutex_);
    return std::accumulate(told_.begin(), told_.end(), 0.0);
  }

  std::string lost() const override {
    std::string all;
    for (const Peer &peer : peers_)
      if (isGone(peer))
        all += fmt::format("{}rank {} of {}, on {}", all.empty() ? "" : "; ", peer.rank, size_,
                           machine());
    return all;
  }

  [[noreturn]] void fail(const std::string &message, int code) override {
    if (failing_.exchange(true)) // the listener speaks for another rank, which ends this one too
      while (true)
        ::pause();
    if (rank_ == 0) {
      const std::lock_guard lock(mutex_);
      speak(message, code);
    }
    std::string text;
    {
      const std::lock_guard lock(mutex_);
      if (!message.empty())
        text = fmt::format("rank {} of {}, on {}: {}", rank_, size_, machine(), message);
      if (!peers_.empty() && peers_.front().rank == 0 && isGone(peers_.front())) {
        if (std::ranges::find_if_not(peers_, isGone)->rank == rank_)
          speak(text, code); // for all that are left here
        while (true)
          ::pause();
      }
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

  int finish(int code) override {
    if (tellRequest_ != MPI_REQUEST_NULL)
      wait(tellRequest_);
    double largest = code;
    max(&largest, 1);
    stopListening();
    if (began_)
      checkMpi(MPI_Finalize(), "MPI_Finalize");
    return static_cast<int>(largest);
  }

private:
  struct Peer {
    int rank, process;
  };
  static bool isGone(const Peer &peer) { return kill(peer.process, 0) != 0 && errno == ESRCH; }
  static std::string machine() {
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length = 0;
    MPI_Get_processor_name(name, &length);
    return name;
  }

  /// Finds the processes of this machine's ranks; none where they do not see one another.
  void meet(MPI_Comm local) {
    peers_.resize(static_cast<std::size_t>(localSize_));
    const Peer own{rank_, getpid()};
    checkMpi(MPI_Allgather(&own, 2, MPI_INT, peers_.data(), 2, MPI_INT, local), "MPI_Allgather");
    if (std::ranges::any_of(peers_, isGone))
      peers_.clear();
    std::ranges::sort(peers_, {}, &Peer::rank);
  }

  void reduce(double *values, std::size_t count, MPI_Op operation) {
    complete("MPI_Iallreduce", [&](auto r) {
      return MPI_Iallreduce(MPI_IN_PLACE, values, static_cast<int>(count), MPI_DOUBLE, operation,
                            data_, r);
    });
  }

  /// Begins a call of MPI that does not block, begin(request), and waits for its end.
  template <class Begin> void complete(const char *call, const Begin &begin, bool present = false) {
    MPI_Request request = MPI_REQUEST_NULL;
    {
      const std::lock_guard lock(mutex_);
      checkMpi(begin(&request), call);
    }
    wait(request, present);
  }

  /// Waits; `present`: the others take part now, so that pauses would only delay the data.
  void wait(MPI_Request &request, bool present = false) {
    using std::chrono::microseconds;
    const int spins = present ? 100000 : 100;
    for (int round = 0;; ++round) {
      int done = 0;
      {
        const std::lock_guard lock(mutex_);
        checkMpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (done == 0 && rank_ == 0 && !serialized_)
          hear();
      }
      if (done != 0)
        return;
      if (round < spins)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(microseconds(std::min(1000, 20 + (round - spins))));
    }
  }

  void listen() {
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

  void stopListening() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    if (listener_.joinable())
      listener_.join();
  }

  /// Receives what has come for rank 0; called with mutex_ locked.
  void hear() {
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

  // Calls MPI_Abort: the others may be anywhere, and one that waits for this rank would never end.
  [[noreturn]] void speak(const std::string &message, int code) {
    if (!message.empty())
      std::fprintf(stderr, "facet: error: %s\n", shown(message).c_str());
    std::fflush(nullptr);
    MPI_Abort(MPI_COMM_WORLD, code);
    _exit(code);
  }

  MPI_Comm data_ = MPI_COMM_NULL, talk_ = MPI_COMM_NULL;
  bool began_, serialized_;
  int rank_ = 0, size_ = 1, localSize_ = 1;
  std::vector<Peer> peers_; // of this machine, by rank, this one too

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

// Ranks of one machine talk through its memory. Left to itself OpenMPI looks for networks first.
// That takes longer (0.3 s of 0.4, OpenMPI 4.1) than all the talk of a run. --mca pml on the
// command line or in the environment stays as it is. Other MPIs do not know these variables.
void stayOnOneMachine() {
  const char *here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE"),
             *all = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (here != nullptr && all != nullptr && std::strcmp(here, all) == 0)
    setenv("OMPI_MCA_pml", "ob1", 0);
}

} // namespace
} // namespace facet::runtime

using namespace facet::runtime;

const char *facet_mpi_version() { return FACET_VERSION; }

Communicator *facet_mpi_open(char *why, int size) {
  try {
    int begun = 0, threads = MPI_THREAD_SINGLE;
    checkMpi(MPI_Initialized(&begun), "MPI_Initialized");
    if (begun == 0) {
      stayOnOneMachine();
      checkMpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &threads),
               "MPI_Init_thread");
    } else
      checkMpi(MPI_Query_thread(&threads), "MPI_Query_thread");
    return new Ranks(begun == 0, threads);
  } catch (const std::exception &e) {
    std::snprintf(why, static_cast<std::size_t>(size), "%s", e.what());
    return nullptr;
  }
}
