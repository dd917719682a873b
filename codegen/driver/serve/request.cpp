// request.cpp - builds one request from what is kept of its kernel and its variant.
#include "request.h"
#include "codegen/driver/library.h"
#include "codegen/driver/output.h"

namespace facet::driver {

template <class T, class Make>
T &Workshop::get(Slots<T> &slots, const std::string &key, const Make &make) {
  Slot<T> *slot = nullptr;
  {
    const std::lock_guard lock(guard_);
    slot = &slots[key];
  }
  std::call_once(slot->once, [&] { slot->value = make(); });
  return *slot->value;
}

void Workshop::build(const ServeRequest &request) {
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

} // namespace facet::driver
