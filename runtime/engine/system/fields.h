// fields.h - structs as JSON: one list of the fields of each serves writing and reading.
//
// The list is a function eachField(of, use). It calls use("key", field), or use(list) once.
#pragma once
#include "runtime/engine/system/json.h"
#include <concepts>
#include <tuple>
#include <utility>

namespace facet::runtime {

/// What eachField() takes: constant where it is written.
template <class T, class Plain>
concept Either = std::same_as<std::remove_const_t<T>, Plain>;

/// Thrown if a number is none that its field may have.
struct NoSuchNumber {};
/// A field that is written by its name.
template <class T, class ByName> struct NamedField {
  T &field;
  std::string name;
  ByName byName;
};

/// Writes the fields; one that is not `given` is left out.
struct FieldWriter {
  Json &to;
  void operator()(const auto &list) const { to = list; }
  void operator()(const char *key, const auto &field, bool given = true) const {
    if constexpr (requires { field.byName; })
      to[key] = field.name;
    else if (given)
      to[key] = field;
  }
};
/// Reads them; one that may be left out, and is, stays.
struct FieldReader {
  const Json &from;
  void operator()(auto &&list) const { set(from, list); }
  void operator()(const char *key, auto &&field) const { set(from.at(key), field); }
  void operator()(const char *key, auto &&field, bool /*given*/) const {
    if (from.contains(key))
      set(from.at(key), field);
  }

  template <class T> static void set(const Json &j, T &field) {
    if constexpr (requires { field.byName; }) {
      field.field = field.byName(j.get<std::string>());
    } else if constexpr (requires { std::tuple_size<T>::value; }) {
      std::apply([&, k = 0U](auto &...each) mutable { (set(j.at(k++), each), ...); }, field);
    } else if constexpr (std::integral<T> && !std::same_as<T, bool>) {
      if (!j.is_number_integer() || !std::in_range<T>(j.get<std::int64_t>()))
        throw NoSuchNumber();
      field = j.get<T>();
    } else {
      j.get_to(field);
    }
  }
};

template <class T>
concept WithFields = requires(T &of, const FieldReader &use) { eachField(of, use); };
template <WithFields T> void to_json(Json &j, const T &of) { eachField(of, FieldWriter{j}); }
template <WithFields T> void from_json(const Json &j, T &of) { eachField(of, FieldReader{j}); }

} // namespace facet::runtime
