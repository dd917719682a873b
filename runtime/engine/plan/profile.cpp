// profile.cpp - reads the machine profile, measures what it lacks, and writes it.
#include "runtime/engine/plan/profile.h"
#include "runtime/engine/system/files.h"
#include "runtime/engine/system/kept.h"
#include "runtime/engine/system/machine.h"
#include "runtime/engine/system/places.h"
#include "runtime/engine/system/reader.h"
#include "runtime/engine/system/toml.h"
#include <facet/runtime/error.h>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>

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
#include "runtime/engine/transform/nufft/constants.def"
};

toml::table tableOf(const std::string &path, const std::string &text, std::string &problem) {
  try {
    return parseToml(text, path);
  } catch (const toml::parse_error &e) {
    problem = fmt::format("{}:{}: not TOML", path, e.source().begin.line);
    return {};
  }
}

constexpr std::size_t mostSpeeds = 2000;

} // namespace

std::string profilePath() {
  const std::string own = environment("FACET_PROFILE");
  return own.empty() ? settingsFile("machine.toml") : own;
}

Profile::Profile(std::string path) : path_(std::move(path)) {
  static FileCache<Content> kept; // plans are made by the thousand
  read_ = path_.empty() ? std::make_shared<const Content>()
                        : kept.get(path_, [&] { return read(path_); });
  date_ = read_->date;
  nufft_ = read_->nufft;
}

Profile::Content Profile::read(const std::string &path) {
  Content content;
  std::error_code none;
  if (!fs::exists(path, none))
    return content;
  std::string text;
  content.fixed = !readFile(path, text);
  if (content.fixed) {
    content.problem = path + ": cannot be read";
    return content;
  }
  const toml::table root = tableOf(path, text, content.problem);
  if (!content.problem.empty())
    return content;
  content.fixed = root["fixed"].value_or(false);
  content.date = root["date"].value_or(std::string());
  if (!content.fixed && root["cpu"].value_or(std::string()) != cpuId())
    content.problem = path + ": of another CPU";
  else if (!content.fixed && root["facet"].value_or(std::string()) != FACET_VERSION)
    content.problem = path + ": of another version of facet";
  if (!content.problem.empty())
    return content;
  if (const toml::table *table = root["nufft"].as_table()) {
    NufftConstants read;
    bool whole = true;
    for (const Constant &c : constants) {
      const auto value = (*table)[c.name].value<double>();
      whole = whole && value && *value > 0;
      read.*c.member = value.value_or(read.*c.member);
    }
    if (whole || content.fixed)
      content.nufft = read;
  }
  if (const toml::table *table = root["speed"].as_table())
    for (const auto &[key, value] : *table)
      if (const toml::array *pair = value.as_array(); pair != nullptr && pair->size() == 2)
        content.speeds[std::string(key.str())] = {pair->get(0)->value_or(0.0),
                                                  pair->get(1)->value_or(0.0)};
  return content;
}

const NufftConstants &Profile::nufft(const Say &say) {
  if (!nufft_ && read_->fixed)
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
  for (const auto &speeds : {std::cref(measured_), std::cref(read_->speeds)})
    if (const auto found = speeds.get().find(key); found != speeds.get().end())
      return found->second;
  if (read_->fixed)
    return guess;
  changed_ = true;
  return measured_[key] = measure();
}

void Profile::clear() {
  read_ = std::make_shared<const Content>();
  nufft_.reset();
  measured_.clear();
  changed_ = true;
}

void Profile::take(const Profile &other) {
  nufft_ = other.nufft_;
  for (const auto &speeds : {std::cref(other.read_->speeds), std::cref(other.measured_)})
    for (const auto &[key, speed] : speeds.get())
      measured_[key] = speed;
  changed_ = true;
}

std::string Profile::text() const {
  std::map<std::string, Speed> speeds = measured_;
  speeds.insert(read_->speeds.begin(), read_->speeds.end());
  if (speeds.size() > mostSpeeds) // of kernels long gone: start again
    speeds.clear();
  std::ostringstream out;
  out << "# facet's machine profile: measured, not to be edited; `facet machines --calibrate`\n"
      << "cpu = " << toml::value<std::string>(cpuId())
      << fmt::format("\nfacet = \"{}\"\ndate = \"{}\"\nthreads = {}\n", FACET_VERSION, today(),
                     usableThreads());
  if (nufft_) {
    out << "\n[nufft]\n";
    for (const Constant &c : constants)
      out << fmt::format("{} = {:.4e}\n", c.name, (*nufft_).*c.member);
  }
  out << "\n[speed]\n";
  for (const auto &[key, s] : speeds)
    out << fmt::format("\"{}\" = [{:.4e}, {:.4e}]\n", key, s.block, s.finish);
  return out.str();
}

void Profile::save() {
  if (!changed_ || read_->fixed || path_.empty())
    return;
  changed_ = false;
  date_ = today();
  std::error_code none;
  fs::create_directories(fs::path(path_).parent_path(), none);
  try {
    writeText(path_, text());
  } catch (const Error &) { // the next run measures again
  }
}

Profile calibrate(const Profile::Say &say) {
  Profile profile(profilePath());
  if (profile.path().empty())
    throw Error("facet machines --calibrate", "there is no home to keep the machine profile in",
                "set FACET_PROFILE to a file");
  profile.clear();
  profile.nufft(say);
  profile.save();
  if (access(profile.path().c_str(), R_OK) != 0)
    throw Error(profile.path(), "the machine profile cannot be written",
                "set FACET_PROFILE to a file you can write");
  return profile;
}

} // namespace facet::runtime
