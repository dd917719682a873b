// listener.h - who hears what a command says: a terminal, or a program that calls it.
#pragma once
#include "runtime/engine/run/events.h"
#include <facet/runtime/mesh.h>
#include <string>
#include <utility>
#include <vector>

namespace facet::cli {

/// Lines of a report: {"sizes", "20 x 30 x 10 nm"}; an empty name continues the line before.
using Lines = std::vector<std::pair<std::string, std::string>>;
/// A line, if there is something to say.
inline void add(Lines &lines, const std::string &name, const std::string &text) {
  if (!text.empty())
    lines.emplace_back(name, text);
}

/// One that overrides nothing hears nothing.
class Listener : public runtime::RunEvents {
public:
  /// What was found, for people.
  virtual void report(const std::string & /*text*/) {}
  void report(const Lines &lines);
  /// Whether somebody watches, who is told what is under way, too.
  virtual bool watches() const { return false; }
  /// A line in the place of the last one, until end().
  virtual void line(const std::string & /*text*/) {}
  /// The times of stages are asked for: of those before, and of all from now on.
  virtual void showStages() {}

  void warn(const std::string &text, const std::string &help = "") {
    warning(help.empty() ? text : text + "\n  help: " + help);
  }
  void warn(const std::vector<runtime::Remark> &remarks) {
    for (const runtime::Remark &remark : remarks)
      warn(remark.text, remark.help);
  }
};

} // namespace facet::cli
