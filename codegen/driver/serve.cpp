// serve.cpp - reads requests, hands them to threads, which build them from what is kept of kernels
// and variants, and writes answers.
#include "serve.h"
#include "codegen/lower/system.h"
#include "stages.h"
#include <condition_variable>
#include <deque>
#include <fmt/format.h>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

namespace facet::driver {
namespace {

using Json = nlohmann::json;

struct ServeRequest {
  // As facetc's options of these names.
  std::string file, kernel, algorithm, klass, target, grid, q, knobs, output;
};

constexpr std::pair<const char *, std::string ServeRequest::*> fields[] = {
    {"file", &ServeRequest::file},
    {"kernel", &ServeRequest::kernel},
    {"algorithm", &ServeRequest::algorithm},
    {"class", &ServeRequest::klass},
    {"target", &ServeRequest::target},
    {"grid", &ServeRequest::grid},
    {"q", &ServeRequest::q},
    {"knobs", &ServeRequest::knobs},
    {"output", &ServeRequest::output}};

ServeRequest requestOf(const Json &json) {
  ServeRequest request;
  for (const auto &[name, value] : json.items()) {
    const auto *field = std::find_if(std::begin(fields), std::end(fields),
                                     [&](const auto &known) { return name == known.first; });
    if (field == std::end(fields) && name != "id")
      throw ir::Error{fmt::format("a request has no field '{}'", name), {}};
    if (field != std::end(fields) && !value.is_string())
      throw ir::Error{fmt::format("the request's {} is no text", name), {}};
    if (field != std::end(fields))
      request.*field->second = value.get<std::string>();
  }
  for (const auto &[name, member] : fields)
    if (member != &ServeRequest::kernel && member != &ServeRequest::knobs &&
        (request.*member).empty())
      throw ir::Error{fmt::format("the request lacks '{}'", name), {}};
  return request;
}

/// Builds requests; kernel files are parsed once, passes run once a variant. Safe on several
/// threads.
class Workshop {
public:
  /// Throws ir::Error or Reported.
  void build(const ServeRequest &request) {
    const std::string name = request.file + '\n' + request.kernel;
    const Input &input = get(inputs_, name, [&] {
      return std::make_unique<Input>(readInput(request.file, request.kernel));
    });
    const std::string variant = name + '\n' + request.algorithm + '\n' + request.klass + '\n' +
                                request.target + '\n' + request.grid + '\n' + request.q;
    lower::Candidates &candidates = get(candidates_, variant, [&] {
      Options options;
      options.commandLine = "facetc --serve";
      options.algorithms = request.algorithm;
      options.klass = request.klass;
      options.targets = request.target;
      options.grid = request.grid;
      options.q = request.q == "complex" ? "cplx" : request.q; // the runtime's word
      return std::make_unique<lower::Candidates>(libraryRequest(options, input));
    });
    writeWhole(request.output,
               [&](const std::string &path) { candidates.build(request.knobs, path); });
  }

private:
  template <class T> struct Slot {
    std::once_flag once;
    std::unique_ptr<T> value;
  };
  template <class T> using Slots = std::map<std::string, Slot<T>>;
  /// The value under a key, made by one thread while others wait; made again after an error.
  template <class T, class Make> T &get(Slots<T> &slots, const std::string &key, const Make &make) {
    std::unique_lock lock(guard_);
    Slot<T> &slot = slots[key];
    lock.unlock();
    std::call_once(slot.once, [&] { slot.value = make(); });
    return *slot.value;
  }

  std::mutex guard_; // of the maps, not of their values
  Slots<Input> inputs_;
  Slots<lower::Candidates> candidates_;
};

class Server {
public:
  void run(int threads) {
    std::vector<std::thread> workers;
    workers.reserve(static_cast<std::size_t>(threads));
    for (int k = 0; k < threads; ++k)
      workers.emplace_back([this] { work(); });
    for (std::string line; std::getline(std::cin, line);)
      if (!line.empty())
        push(std::move(line));
    {
      const std::lock_guard lock(guard_);
      ended_ = true;
    }
    ready_.notify_all();
    for (std::thread &worker : workers)
      worker.join();
  }

private:
  Workshop workshop_;
  std::mutex guard_, output_;
  std::condition_variable ready_;
  std::deque<std::string> lines_;
  bool ended_ = false;

  void push(std::string line) {
    const std::lock_guard lock(guard_);
    lines_.push_back(std::move(line));
    ready_.notify_one();
  }

  void work() {
    for (;;) {
      std::string line;
      {
        std::unique_lock lock(guard_);
        ready_.wait(lock, [this] { return ended_ || !lines_.empty(); });
        if (lines_.empty())
          return;
        line = std::move(lines_.front());
        lines_.pop_front();
      }
      answer(line);
    }
  }

  void answer(const std::string &line) {
    const double start = lower::now();
    const Json json = Json::parse(line, nullptr, false);
    std::string error;
    try {
      if (!json.is_object())
        throw ir::Error{"a request is a JSON object on one line", {}};
      workshop_.build(requestOf(json));
    } catch (const Reported &) {
      error = "the kernel file has errors, reported on standard error";
    } catch (const ir::Error &wrong) {
      error = wrong.message;
    } catch (const std::exception &wrong) {
      error = wrong.what();
    }
    const Json reply = {{"id", json.is_object() ? json.value("id", Json()) : Json()},
                        {"seconds", lower::now() - start},
                        {"error", error}};
    const std::string text =
        reply.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; // names may not be UTF-8
    const std::lock_guard lock(output_);
    std::cout << text << std::flush;
  }
};

} // namespace

void serve(const Options &options) {
  if (!options.input.empty())
    throw ir::Error{"--serve reads its kernels' names from requests: leave the input file out", {}};
  int threads = wholeNumber("--serve", options.serve, 0);
  if (threads == 0)
    threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  Server().run(std::min(threads, 256));
}

} // namespace facet::driver
