// probe.cpp - a program for mpirun: what ranks do together, and the ways in which they fail.
#include "runtime/engine/run/mpi/blocks.h"
#include "runtime/engine/run/mpi/communicator.h"
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <thread>

using namespace facet::runtime;

namespace {

void want(bool good, const char *what) {
  if (!good)
    throw Error("probe", fmt::format("{} is wrong", what), "", Exit::Failed);
}

void wait(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

void exchange(Communicator &ranks) {
  const int rank = ranks.rank(), size = ranks.size(), last = size - 1;
  std::string text = rank == last ? "spheres" : "";
  ranks.broadcast(text, last);
  want(text == "spheres", "broadcast of a text");
  std::vector<double> mesh;
  if (rank == 0)
    for (int i = 0; i < 1000000; ++i)
      mesh.push_back(i);
  ranks.broadcast(mesh);
  want(mesh.size() == 1000000 && mesh[999999] == 999999, "broadcast of 8 MB");
  const auto texts = ranks.gather(std::string(static_cast<std::size_t>(rank), 'x'));
  want(texts.size() == (rank == 0 ? static_cast<std::size_t>(size) : 0), "gather's number");
  for (std::size_t r = 0; r < texts.size(); ++r)
    want(texts[r] == std::string(r, 'x'), "gather's text");
  double sum = rank + 1;
  ranks.sum(&sum, 1);
  want(sum == size * (size + 1) / 2.0, "sum");
  want(ranks.max(-rank) == 0, "max");
  if (size > 1) { // round the ring
    int token = rank;
    if (rank > 0)
      ranks.receive(rank - 1, &token, sizeof token);
    token += rank;
    ranks.send((rank + 1) % size, &token, sizeof token);
    if (rank == 0)
      ranks.receive(last, &token, sizeof token);
    want(rank != 0 || token == last * size / 2, "ring");
  }
  want(ranks.localSize() == size, "machine");
  ranks.tell(1);
  for (int k = 0; rank == 0 && ranks.told() < size && k < 1000; ++k)
    wait(0.01);
  want(rank != 0 || ranks.told() == size, "told");
  ranks.barrier();
}

/// A reference at q k is k; time ends after the 21st q, whose rank then has only its first.
void references(Communicator &ranks) {
  std::vector<std::int64_t> q;
  for (std::int64_t k = 0; ranks.rank() == 0 && k < 40; ++k)
    q.push_back(100 + k);
  const auto found = sharedReferences(
      ranks, q, 16, 0.5,
      [&](const std::vector<std::int64_t> &mine, std::size_t least, double seconds) {
        want(seconds == 0.5, "time for references");
        std::vector<Reference> own;
        for (const std::int64_t one : mine) {
          want((own.size() < least) == (one < 116), "what is always compared");
          if (own.size() >= least && one >= 121)
            break;
          own.emplace_back().f[0] = static_cast<double>(one);
        }
        return own;
      });
  want(found.size() == (ranks.rank() == 0 ? 21 : 0), "number of references");
  for (std::size_t k = 0; k < found.size(); ++k)
    want(found[k].f[0] == 100.0 + static_cast<double>(k), "order of references");
  Extremes mine;
  Grid grid;
  for (Axis &axis : grid.axes)
    axis.re = {1};
  grid.axes[2].re.resize(100, 1.0);
  mine.see(grid, ranks.rank(), 1.0 + ranks.rank());
  mine.see(grid, 10 + ranks.rank(), 0.5); // equals: the first
  const Extremes all = joined(ranks, mine);
  if (ranks.rank() == 0)
    want(all.largest() == ranks.size() - 1 && all.smallest() == 10, "extremes");
}

int probe(const std::string &mode, int which) {
  Communicator &ranks = world();
  const bool chosen = which < 0 || ranks.rank() == which;
  fmt::print("rank {} of {}\n", ranks.rank(), ranks.size());
  if (mode == "exchange")
    exchange(ranks);
  if (mode == "references")
    references(ranks);
  if (mode == "code")
    return chosen ? 3 : 0;
  if (mode == "throw") {
    if (chosen)
      throw Error("mesh.stl", "cannot be read", "copy it to every machine");
    ranks.barrier();
  }
  if (mode == "throw-busy") { // rank 0 sums, and makes no call of MPI
    if (chosen)
      throw Error("mesh.stl", "cannot be read");
    wait(3600);
  }
  if (mode == "throw-late" && chosen) // the others are in finish()
    throw std::runtime_error("no space left");
  if (mode == "kill") {
    if (chosen)
      std::raise(SIGKILL);
    ranks.barrier();
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  return together([&] { return probe(argv[1], argc > 2 ? std::atoi(argv[2]) : -1); });
}
