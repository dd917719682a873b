// serve.cpp - reads requests, each by a thread that builds it from what is kept of kernels and
// variants, and writes answers.
#include "driver.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iostream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

namespace facet::driver {
namespace {

using Json = nlohmann::json;

/// Fields of a request, which are options.
constexpr std::pair<std::string_view, std::string Options::*> fields[] = {
    {"file", &Options::input},  {"kernel", &Options::kernel},  {"algorithm", &Options::algorithms},
    {"class", &Options::klass}, {"target", &Options::targets}, {"grid", &Options::grid},
    {"q", &Options::q},         {"knobs", &Options::knobs},    {"output", &Options::output}};

Options requestOf(const Json &json) {
  if (!json.is_object())
    throw ir::Error{"a request is a JSON object on one line"};
  Options request;
  request.commandLine = "facetc --serve";
  for (const auto &[name, value] : json.items()) {
    if (name == "id")
      continue;
    const auto *field = std::ranges::find(fields, name, [](auto &known) { return known.first; });
    if (field == std::end(fields))
      throw ir::Error{fmt::format("a request has no field '{}'", name)};
    if (!value.is_string())
      throw ir::Error{fmt::format("the request's {} is no text", name)};
    request.*field->second = value.get<std::string>();
  }
  for (const auto &[name, member] : fields)
    if (name != "kernel" && name != "knobs" && (request.*member).empty())
      throw ir::Error{fmt::format("the request lacks '{}'", name)};
  if (request.q == "complex") // the runtime's word
    request.q = "cplx";
  return request;
}

/// Values by keys, each made by one thread while others wait; made again after an error.
template <class T> class OnceMap {
public:
  template <class Make> T &get(const std::string &key, const Make &make) {
    std::unique_lock lock(guard_);
    Slot &slot = slots_[key];
    lock.unlock();
    std::call_once(slot.once, [&] { slot.value = std::make_unique<T>(make()); });
    return *slot.value;
  }

private:
  struct Slot {
    std::once_flag once;
    std::unique_ptr<T> value;
  };
  std::mutex guard_; // of the map, not of its values
  std::map<std::string, Slot> slots_;
};

class Server {
public:
  /// Answers requests until there are no more.
  void work() {
    for (std::string line; next(line);)
      if (!line.empty())
        answer(line);
  }

private:
  std::mutex reading_, writing_;
  OnceMap<Input> inputs_;                 // kernel files are parsed once
  OnceMap<lower::Candidates> candidates_; // passes run once a variant

  bool next(std::string &line) {
    const std::lock_guard lock(reading_);
    return static_cast<bool>(std::getline(std::cin, line));
  }

  /// Throws ir::Error or Reported.
  void build(const Options &request) {
    const std::string kernel = request.input + '\n' + request.kernel;
    const Input &input = inputs_.get(kernel, [&] { return readInput(request); });
    const std::string variant =
        fmt::format("{}\n{}\n{}\n{}\n{}\n{}", kernel, request.algorithms, request.klass,
                    request.targets, request.grid, request.q);
    lower::Candidates &candidates =
        candidates_.get(variant, [&] { return libraryRequest(request, input); });
    writeWhole(request.output,
               [&](const std::string &path) { candidates.build(request.knobs, path); });
  }

  void answer(const std::string &line) {
    const double start = lower::now();
    const Json json = Json::parse(line, nullptr, false);
    std::string error;
    try {
      build(requestOf(json));
    } catch (const ReportedError &) {
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
    const std::lock_guard lock(writing_);
    std::cout << text << std::flush;
  }
};

int threadsOf(const std::string &text) {
  int threads = 0;
  const char *end = text.data() + text.size();
  if (const auto [at, error] = std::from_chars(text.data(), end, threads);
      error != std::errc{} || at != end || threads < 0)
    throw ir::Error{fmt::format("--serve={}: it needs a whole number of at least 0", text)};
  if (threads == 0)
    threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return std::min(threads, 256);
}

} // namespace

void serve(const Options &options) {
  if (!options.input.empty())
    throw ir::Error{"--serve reads its kernels' names from requests: leave the input file out"};
  Server server;
  std::vector<std::jthread> workers; // which end with the requests
  for (int k = threadsOf(options.serve); k > 0; --k)
    workers.emplace_back([&] { server.work(); });
}

} // namespace facet::driver
