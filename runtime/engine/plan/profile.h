// profile.h - the machine profile: what was measured on this machine, kept in a text file.
//
// $FACET_PROFILE, else $XDG_CONFIG_HOME/facet/machine.toml, else ~/.config/facet/machine.toml:
//   cpu = "..."   facet = "0.1.0"   date = "2026-11-21"   threads = 2     the signature
//   fixed = true          as it is: nothing is measured, default speeds if it has none
//   [nufft]               seconds a unit: runtime/engine/transform/nufft/constants.def
//   [speed]               "KERNEL ..." = [seconds a block of a tile, seconds of finish a q]
// A profile of another CPU or version of facet is not used, and is written again.
#pragma once
#include "runtime/engine/sum/speed.h"
#include "runtime/engine/system/files.h"
#include "runtime/engine/transform/nufft/transforms.h"
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace facet::runtime {

/// The path of the file; "" if there is no home to keep it in.
std::string profilePath();

class Profile {
public:
  using Say = std::function<void(const std::string &)>;
  /// Reads the file; a missing, damaged or foreign one gives an empty profile.
  explicit Profile(std::string path);

  /// Constants of the transforms: from the file, else measured (about 0.2 s), said and stored.
  const NufftConstants &nufft(const Say &say);
  /// The same, or default values if nothing was measured yet: for a first estimate.
  NufftConstants nufftGuess() const { return nufft_.value_or(NufftConstants{}); }
  /// Seconds under a key, else what `measure` gives, stored. A fixed profile gives `guess`.
  Speed speed(const std::string &key, const std::function<Speed()> &measure, const Speed &guess);
  /// Whether speed(key) is known.
  bool knows(const std::string &key) const {
    return measured_.contains(key) || read_->speeds.contains(key);
  }
  /// Why the file was not used; "": it was, or there was none.
  const std::string &problem() const { return read_->problem; }
  const std::string &path() const { return path_; }
  /// Its file says so, or cannot be read: save() writes nothing over it.
  bool isFixed() const { return read_->fixed; }
  const std::string &date() const { return date_; }

  /// Writes the file if something new was measured. A folder that cannot be written is no
  /// error: the next run measures again.
  void save();
  /// Writes it to another file, for `facet machines --save`. Throws Error if that cannot be.
  void saveAs(const std::string &path) const { writeText(path, text()); }
  /// Takes the constants and speeds of a profile of such a machine in the place of its own.
  void take(const Profile &other);
  /// Forgets everything, so that it is measured again.
  void clear();

private:
  /// What the file held.
  struct Content {
    std::string problem, date;
    std::optional<NufftConstants> nufft;
    std::map<std::string, Speed> speeds;
    bool fixed = false; // or not to be read: nothing is to be written over it
  };
  static Content read(const std::string &path);
  std::string text() const;

  std::string path_, date_;
  std::shared_ptr<const Content> read_;
  std::optional<NufftConstants> nufft_;
  std::map<std::string, Speed> measured_;
  bool changed_ = false;
};

/// Measures this machine and writes a new profile; throws Error if it cannot be written.
Profile calibrate(const Profile::Say &say);

} // namespace facet::runtime
