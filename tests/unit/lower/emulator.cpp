// emulator.cpp - links a sum with launcher.c and talks to it through a socket.
#include "emulator.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace facet::test {
namespace {

/// How programs of an architecture are made and run. `cpu`: of qemu, {} bits of a vector.
struct Machine {
  std::string_view architecture;
  const char *qemu, *linker, *launcher, *cpu;
};
constexpr Machine machines[] = {
    {"aarch64", "qemu-aarch64", "aarch64-linux-gnu-ld", AARCH64_LAUNCHER, "max,sve{}=on"},
    {"riscv64", "qemu-riscv64", "riscv64-linux-gnu-ld --no-relax", RISCV64_LAUNCHER,
     "rv64,v=true,vext_spec=v1.0,vlen={}"}};

const Machine *machineOf(std::string_view architecture) {
  const auto *found = std::ranges::find(machines, architecture, &Machine::architecture);
  return found == std::end(machines) ? nullptr : found;
}

bool isInstalled(const std::string &program) {
  const char *path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0)
      return true;
  return false;
}

} // namespace

std::string emulatorProblem(std::string_view architecture) {
  const Machine *machine = machineOf(architecture);
  if (machine == nullptr)
    return fmt::format("programs for {} are not run here", architecture);
  if (std::string_view(machine->launcher).empty())
    return fmt::format("there was no clang to compile for {} when this was built", architecture);
  for (const std::string_view words : {machine->qemu, machine->linker})
    if (const std::string program(words.substr(0, words.find(' '))); !isInstalled(program))
      return fmt::format("{} is missing (Debian: apt install qemu-user binutils-{}-linux-gnu)",
                         program, architecture);
  return "";
}

Emulator::Emulator(const schedules::TargetInfo &target, const std::string &object,
                   const std::string &symbol, const std::string &folder) {
  const Machine &machine = *machineOf(target.architecture);
  const std::string program = folder + "/sum";
  const std::string link =
      fmt::format("{} -static -z noexecstack -o {} --defsym=facet_sum_here={} {} {}",
                  machine.linker, program, symbol, machine.launcher, object);
  if (std::system(link.c_str()) != 0)
    throw std::runtime_error("the sum kernel needs symbols of another library");
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::runtime_error("no socket to talk to the emulator");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  std::string name = machine.qemu, option = "-cpu", file = program,
              cpu = fmt::format(fmt::runtime(machine.cpu), 8 * target.vectorBytes);
  char *words[] = {name.data(), option.data(), cpu.data(), file.data(), nullptr};
  const int failed = posix_spawnp(&child, machine.qemu, &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  socket = ends[0];
  if (failed != 0)
    throw std::runtime_error("cannot start the emulator");
  std::int64_t here = 0; // until then the program's file is needed
  take(&here, sizeof here);
}

Emulator::~Emulator() {
  close(socket); // the end of its input ends it
  waitpid(child, nullptr, 0);
}

void Emulator::give(const void *data, std::size_t bytes) const {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t put =
        send(socket, static_cast<const char *>(data) + done, bytes - done, MSG_NOSIGNAL);
    if (put <= 0)
      throw std::runtime_error("the sum died under the emulator");
    done += static_cast<std::size_t>(put);
  }
}

void Emulator::take(void *data, std::size_t bytes) const {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t got = recv(socket, static_cast<char *>(data) + done, bytes - done, 0);
    if (got <= 0)
      throw std::runtime_error("the sum died under the emulator");
    done += static_cast<std::size_t>(got);
  }
}

int Emulator::operator()(const std::vector<CallArgument> &arguments) const {
  const auto word = [&](std::uint64_t value) { give(&value, sizeof value); };
  word(arguments.size());
  for (const CallArgument &argument : arguments) {
    word(argument.kind);
    if (argument.kind == CallArgument::Integer) {
      word(static_cast<std::uint64_t>(argument.integer));
    } else if (argument.kind == CallArgument::Double) {
      give(&argument.real, sizeof argument.real);
    } else {
      const halide_buffer_t &buffer = *argument.buffer;
      word(argument.bytes);
      word(static_cast<std::uint64_t>(buffer.dimensions));
      give(buffer.dim, sizeof(halide_dimension_t) * static_cast<std::size_t>(buffer.dimensions));
      give(buffer.host, argument.bytes);
    }
  }
  std::int64_t result = 0;
  take(&result, sizeof result);
  for (const CallArgument &argument : arguments)
    if (argument.kind == CallArgument::Output)
      take(argument.buffer->host, argument.bytes);
  return static_cast<int>(result);
}

} // namespace facet::test
