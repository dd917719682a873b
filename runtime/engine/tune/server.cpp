// server.cpp - starts facetc --serve, writes requests, reads answers.
#include "runtime/engine/tune/server.h"
#include "runtime/engine/system/clock.h"
#include "runtime/engine/system/json.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace facet::runtime {
namespace {

/// Waits for the end of a child; returns its status.
int waitFor(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

} // namespace

CandidateServer::CandidateServer(std::string facetc, std::string file, TunedKey key, int threads,
                                 const std::string &folder)
    : facetc_(std::move(facetc)), file_(std::move(file)), key_(std::move(key)) {
  // A socket, not pipes: writing to a child that has died is an error there, no signal.
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error(facetc_, std::string("no socket for the compiler: ") + std::strerror(errno), "",
                Exit::Failed);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::string word = "--serve=" + std::to_string(threads);
  char *argv[] = {facetc_.data(), word.data(), nullptr};
  std::string temporary = "TMPDIR=" + folder;
  std::vector<char *> environment{temporary.data()};
  for (char **each = environ; *each != nullptr; ++each)
    if (std::strncmp(*each, "TMPDIR=", 7) != 0)
      environment.push_back(*each);
  environment.push_back(nullptr);
  const int refused =
      posix_spawnp(&child_, facetc_.c_str(), &actions, nullptr, argv, environment.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  socket_ = ends[0];
  if (refused != 0) {
    close(socket_);
    throw Error(facetc_, std::string("cannot be started: ") + std::strerror(refused), "",
                Exit::Failed);
  }
}

CandidateServer::~CandidateServer() {
  close(socket_);
  if (child_ <= 0)
    return;
  kill(child_, SIGKILL); // it may be in the midst of a long candidate that no one wants
  waitFor(child_);
}

void CandidateServer::died() {
  const int status = waitFor(std::exchange(child_, 0));
  throw Error(
      facetc_ + " --serve",
      WIFSIGNALED(status)
          ? fmt::format("the compiler of candidates died (signal {})", WTERMSIG(status))
          : fmt::format("the compiler of candidates ended (exit code {})", WEXITSTATUS(status)),
      "what it said is above; run the command again, and report it if it dies again", Exit::Failed);
}

void CandidateServer::ask(int id, const std::string &knobs, const std::string &output) {
  Json request = {{"id", id}, {"file", file_}, {"knobs", knobs}, {"output", output}};
  for (const auto &[word, member] : keyWords)
    if (member != &TunedKey::shape)
      request[word] = key_.*member;
  const std::string line = request.dump() + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t n = send(socket_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      died();
    sent += static_cast<std::size_t>(n);
  }
  ++pending_;
}

CandidateServer::Answer CandidateServer::next(double timeout) {
  const Stopwatch waited;
  std::size_t length = 0;
  while ((length = received_.find('\n')) == std::string::npos) {
    pollfd ready{socket_, POLLIN, 0};
    const double left = timeout - waited.seconds();
    const int count = left > 0 ? poll(&ready, 1, static_cast<int>(left * 1e3) + 1) : 0;
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      throw Error(facetc_ + " --serve", "no candidate was compiled in time",
                  "the machine may be very busy: try again later", Exit::Failed);
    char bytes[4096];
    const ssize_t n = recv(socket_, bytes, sizeof bytes, 0);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      died();
    received_.append(bytes, static_cast<std::size_t>(n));
  }
  const Json json = parseJson(received_.substr(0, length));
  received_.erase(0, length + 1);
  if (!json.is_object() || !json.value("id", Json()).is_number_integer() ||
      !json.value("error", Json()).is_string())
    throw Error(facetc_ + " --serve", "the compiler of candidates gave what is no answer",
                "facet and facetc are of different versions? build them together", Exit::Failed);
  --pending_;
  return {json["id"].get<int>(), json["error"].get<std::string>()};
}

} // namespace facet::runtime
