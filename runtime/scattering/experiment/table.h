// table.h - a table of an experiment file is a function that names its keys, one a line (keys.h).
// Here are its listeners: one lists the keys, one reads them, one writes them.
#pragma once
#include "runtime/scattering/experiment/schema.h"
#include "runtime/scattering/experiment/value.h"
#include <functional>
#include <utility>

namespace facet::runtime::schema {

// A table's function takes a listener, `key`, and the struct that holds the values, the owner:
//   key("name", member, how, "unit", "line of the document");
//                                                a value; how: its check, a Form, or `path`
//   key.part("name", owner, keys, .., shortly)   a table inside; `shortly` reads a text instead
//   key.tables("name", some, keys, ..)           a table for each of a vector or optional
//   key.identity("part")                         the next keys are of that part of a run's identity
//                                                ("": of none), as they change what is computed
//   key.check(owner, check)                      runs when all are read: what they say together

/// Lists keys, then those inside them.
class Rows {
public:
  Rows(const char *table, const auto &owner, const auto &keys) : table_(table) {
    keys(*this, owner);
  }
  std::vector<KeyRow> own, inside;

  void operator()(const char *name, const auto &, const auto &, const char *unit, const char *doc) {
    own.push_back({table_, name, unit, doc});
  }
  void part(const char *name, const auto &owner, const auto &keys, const char *doc,
            const auto &...) {
    own.push_back({table_, name, "", doc});
    const Rows rows(name, owner, keys);
    for (const std::vector<KeyRow> &some : {rows.own, rows.inside})
      inside.insert(inside.end(), some.begin(), some.end());
  }
  template <class Some>
  void tables(const char *name, const Some &, const auto &keys, const char *doc) {
    part(name, typename Some::value_type{}, keys, doc);
  }
  void identity(const char *) {}
  void check(const auto &...) {}

private:
  const char *table_;
};

/// Reads a table into its owner. Throws Error for an unknown key, with the nearest that there is.
class Reader {
public:
  Reader(const Source &from, auto &owner, const auto &keys) : Reader(from, owner, keys, keys) {}
  /// Keys that only `all` has are left alone.
  Reader(const Source &from, auto &owner, const auto &keys, const auto &all) : from_(from) {
    std::vector<std::string> known;
    for (const KeyRow &row : Rows("", owner, all).own)
      known.push_back(row.key);
    from.refuseUnknown(known);
    keys(*this, owner);
  }

  void operator()(const char *name, auto &to, const auto &how, const char *unit,
                  const char *) const {
    const auto at = from_.at(name, unit);
    if (!at)
      return;
    if constexpr (requires { how.read(*at, to); }) {
      how.read(*at, to);
    } else {
      read(*at, to);
      if (!how.holds(valueOf(to)))
        how.refuse(*at, valueOf(to));
    }
  }
  void part(const char *name, auto &owner, const auto &keys, const char *,
            const auto &...shortly) const {
    const auto at = from_.at(name);
    if (at && sizeof...(shortly) > 0 && at->node.is_string())
      (shortly(*at, owner), ...);
    else if (at)
      Reader(at->sub(), owner, keys);
  }
  template <class T>
  void tables(const char *name, std::optional<T> &to, const auto &keys, const char *) const {
    if (from_.find(name) != nullptr)
      part(name, to.emplace(), keys, "");
  }
  template <class T>
  void tables(const char *name, std::vector<T> &to, const auto &keys, const char *) const {
    const auto at = from_.at(name);
    if (!at)
      return;
    to.clear();
    for (const Source &one : at->tables())
      Reader(one, to.emplace_back(), keys);
  }
  void identity(const char *) const {}
  void check(auto &owner, const auto &check) const { check(from_, owner); }

private:
  const Source &from_;
};

/// "key = text". `header`: "[beam]" before the first line of a table, else "". `part`: the part of
/// the identity of a run that the line belongs to; "": none.
struct Line {
  std::string header, part, key, text;
};
using UseLine = std::function<void(const Line &)>;

/// Gives the lines of an experiment. Tables are sections at the top, and inline within sections.
class Writer {
public:
  Writer(const UseLine &use, const auto &owner, const auto &keys, std::string header,
         bool top = false)
      : use_(use), header_(std::move(header)), top_(top) {
    keys(*this, owner);
  }

  void operator()(const char *name, const auto &value, const auto &how, const char *,
                  const char *) {
    if constexpr (requires { how.write(value); })
      line(name, how.write(value), how.counts ? part_ : "");
    else if (const std::string as = text(value); !as.empty() && how.holds(valueOf(value)))
      line(name, as, part_);
  }
  void part(const char *name, const auto &owner, const auto &keys, const char *, const auto &...) {
    if (top_)
      Writer(use_, owner, keys, fmt::format("[{}]", name));
    else
      line(name, inlined(owner, keys), part_);
  }
  template <class T>
  void tables(const char *name, const std::optional<T> &one, const auto &keys, const char *) {
    if (one)
      part(name, *one, keys, "");
  }
  template <class T>
  void tables(const char *name, const std::vector<T> &all, const auto &keys, const char *) {
    std::string lines;
    for (const T &one : all)
      if (top_)
        Writer(use_, one, keys, fmt::format("[[{}]]", name));
      else
        lines += fmt::format("  {},\n", inlined(one, keys));
    if (!lines.empty())
      line(name, "[\n" + lines + "]", part_);
  }
  void identity(const char *part) { part_ = part; }
  void check(const auto &...) {}

private:
  static std::string inlined(const auto &owner, const auto &keys) {
    std::vector<std::string> all;
    const UseLine add = [&](const Line &line) {
      all.push_back(fmt::format("{} = {}", line.key, line.text));
    };
    Writer(add, owner, keys, "");
    return inlineTable(all);
  }
  void line(const char *name, const std::string &text, const std::string &part) {
    if (!text.empty())
      use_({std::exchange(header_, ""), part, name, text});
  }

  const UseLine &use_;
  std::string part_, header_;
  bool top_;
};

} // namespace facet::runtime::schema
