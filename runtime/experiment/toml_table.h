// toml_table.h - one table of an experiment file, read with checks: unknown keys and wrong types
// are errors with a line.
#pragma once
#include <facet/runtime/error.h>
#include <limits>
#include <optional>
#include <string>
#include <toml++/toml.h>
#include <vector>

namespace facet::runtime {

class TomlTable {
public:
  /// `name`: as in keys.def. Throws Error for a key that is not there, with the nearest that is.
  TomlTable(const toml::table &table, std::string name, const std::string &file);

  const toml::node *find(const std::string &key) const { return table_.get(key); }
  void read(const std::string &key, std::string &to) const;
  void read(const std::string &key, double &to) const;
  /// A whole number that is not negative.
  template <class Whole> void readWhole(const std::string &key, Whole &to) const {
    if (const std::optional<std::int64_t> value =
            whole(key, static_cast<std::uint64_t>(std::numeric_limits<Whole>::max())))
      to = static_cast<Whole>(*value);
  }
  /// The table at `key`, if any; Error where it is something else.
  std::optional<TomlTable> sub(const std::string &key, const std::string &name) const;
  [[noreturn]] void fail(const toml::node &node, const std::string &what,
                         const std::string &help = "") const;
  const toml::table &toml() const { return table_; }

private:
  std::optional<std::int64_t> whole(const std::string &key, std::uint64_t most) const;
  const toml::table &table_;
  std::string name_, file_;
};

/// A number with the fewest digits that read back the same.
std::string shortest(double value);

} // namespace facet::runtime
