// profile.cpp - reads the machine profile, measures what it lacks, and writes it.
#include "runtime/planner/profile.h"
#include "runtime/files/files.h"
#include "runtime/files/places.h"
#include "runtime/planner/machine.h"
#include <facet/runtime/error.h>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>
#include <toml++/toml.h>
#include <unistd.h>

namespace facet::runtime {
namespace {
namespace fs = std::filesystem;

struct Constant {
  const char *name;
  double NufftConstants::*member;
};
constexpr Constant constants[] = {
#define FACET_NUFFT_CONSTANT(name, seconds, meaning) {#name, &NufftConstants::name},
#include "runtime/nufft/constants.def"
};

constexpr std::size_t mostSpeeds = 2000;

} // namespace

std::string profilePath() {
  const std::string own = environment("FACET_PROFILE");
  return own.empty() ? settingsFile("machine.toml") : own;
}

Profile::Profile(std::string path) : path_(std::move(path)) { read(); }

void Profile::read() {
  std::error_code none;
  if (path_.empty() || !fs::exists(path_, none))
    return;
  toml::table root;
  try {
    root = toml::parse_file(path_);
  } catch (const toml::parse_error &e) {
    problem_ = fmt::format("{}:{}: not TOML", path_, e.source().begin.line);
    return;
  }
  fixed_ = root["fixed"].value_or(false);
  date_ = root["date"].value_or(std::string());
  if (!fixed_ && root["cpu"].value_or(std::string()) != cpuId()) {
    problem_ = path_ + ": of another CPU";
    return;
  }
  if (!fixed_ && root["facet"].value_or(std::string()) != FACET_VERSION) {
    problem_ = path_ + ": of another version of facet";
    return;
  }
  if (const toml::table *table = root["nufft"].as_table()) {
    NufftConstants read;
    bool whole = true;
    for (const Constant &c : constants) {
      const auto value = (*table)[c.name].value<double>();
      whole = whole && value && *value > 0;
      read.*c.member = value.value_or(read.*c.member);
    }
    if (whole || fixed_)
      nufft_ = read;
  }
  if (const toml::table *table = root["speed"].as_table())
    for (const auto &[key, value] : *table)
      if (const toml::array *pair = value.as_array(); pair != nullptr && pair->size() == 2)
        speeds_[std::string(key.str())] = {pair->get(0)->value_or(0.0),
                                           pair->get(1)->value_or(0.0)};
}

const NufftConstants &Profile::nufft(const Say &say) {
  if (!nufft_ && fixed_)
    nufft_ = NufftConstants{};
  if (!nufft_) {
    if (say)
      say("measuring this machine (once, less than a second)" +
          (path_.empty() ? "" : ": " + path_));
    nufft_ = measureNufftConstants();
    changed_ = true;
  }
  return *nufft_;
}

Speed Profile::speed(const std::string &key, const std::function<Speed()> &measure,
                     const Speed &guess) {
  if (const auto found = speeds_.find(key); found != speeds_.end())
    return found->second;
  if (fixed_)
    return guess;
  changed_ = true;
  return speeds_[key] = measure();
}

void Profile::clear() {
  nufft_.reset();
  speeds_.clear();
  fixed_ = false;
  changed_ = true;
}

void Profile::save() {
  if (!changed_ || fixed_ || path_.empty())
    return;
  changed_ = false;
  if (speeds_.size() > mostSpeeds) // of kernels long gone: start again
    speeds_.clear();
  date_ = today();
  std::ostringstream out;
  out << "# facet's machine profile: measured, not to be edited; `facet machines --calibrate`\n"
      << "cpu = " << toml::value<std::string>(cpuId()) << "\nfacet = \"" << FACET_VERSION
      << "\"\ndate = \"" << date_ << "\"\nthreads = " << usableThreads() << '\n';
  if (nufft_) {
    out << "\n[nufft]\n";
    for (const Constant &c : constants)
      out << fmt::format("{} = {:.4e}\n", c.name, (*nufft_).*c.member);
  }
  out << "\n[speed]\n";
  for (const auto &[key, s] : speeds_)
    out << fmt::format("\"{}\" = [{:.4e}, {:.4e}]\n", key, s.block, s.finish);
  std::error_code none;
  fs::create_directories(fs::path(path_).parent_path(), none);
  try {
    writeText(path_, out.str());
  } catch (const Error &) { // the next run measures again
  }
}

Profile calibrate(const Profile::Say &say) {
  Profile profile(profilePath());
  if (profile.path().empty())
    throw Error("facet machines --calibrate", "there is no home to keep the machine profile in",
                "set FACET_PROFILE to a file");
  profile.clear();
  if (nufftAvailable())
    profile.nufft(say);
  profile.save();
  if (access(profile.path().c_str(), R_OK) != 0)
    throw Error(profile.path(), "the machine profile cannot be written",
                "set FACET_PROFILE to a file you can write");
  return profile;
}

} // namespace facet::runtime
