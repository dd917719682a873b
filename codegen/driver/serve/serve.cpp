// serve.cpp - reads requests, hands them to threads, writes answers.
#include "serve.h"
#include "codegen/driver/clock.h"
#include "codegen/ir/ir.h"
#include "request.h"
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

namespace facet::driver {
namespace {

using Json = nlohmann::json;

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
    const double start = now();
    const Json json = Json::parse(line, nullptr, false);
    std::string error;
    try {
      if (!json.is_object())
        throw ir::Error{"a request is a JSON object on one line", {}};
      workshop_.build(requestOf(json));
    } catch (const Told &) {
      error = "the kernel file has errors, told on standard error";
    } catch (const ir::Error &wrong) {
      error = wrong.message;
    } catch (const std::exception &wrong) {
      error = wrong.what();
    }
    const Json reply = {{"id", json.is_object() ? json.value("id", Json()) : Json()},
                        {"seconds", now() - start},
                        {"error", error}};
    const std::string text =
        reply.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; // any bytes of a name
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
