// candidates.h - libraries of one variant that differ in their knobs alone, made one after another.
#pragma once
#include "codegen/lower/library.h"
#include <memory>
#include <string>

namespace facet::lower {

/// Passes run once, and the C++ that no knob changes (reference, pack, finish) is compiled once; a
/// candidate costs its Halide object, a page of C++ and a link. Safe on several threads.
class Candidates {
public:
  /// Of one target, grid kind, kind of q, class and algorithm. `knobs` of the request are not read.
  explicit Candidates(LibraryRequest request);
  Candidates(const Candidates &) = delete;
  Candidates &operator=(const Candidates &) = delete;
  ~Candidates();

  /// A shared library as buildLibrary makes it, with the variant alone, whose knobs are `knobs`
  /// over the tuned or the default ones. Throws ir::Error as planLibrary and buildLibrary do.
  void build(const std::string &knobs, const std::string &path);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace facet::lower
