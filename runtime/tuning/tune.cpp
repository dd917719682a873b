// tune.cpp - joins space, lab and steps to the tuning of one variant.
#include "runtime/planner/machine.h"
#include "runtime/tuning/search/device_steps.h"
#include "runtime/tuning/trial/real_lab.h"
#include "runtime/tuning/tuner.h"
#include <nlohmann/json.hpp>

namespace facet::runtime {
namespace {

/// Bytes of a vector of the target: the widest that its sums have.
int vectorBytesOf(const facet_variant &variant, const schedules::Knobs &knobs) {
  if (knobs.vectorBytes > 0)
    return knobs.vectorBytes;
  const int lanes = variant.grid == FACET_POINTS ? variant.pad[0] : variant.pad[2];
  return lanes * (variant.klass == FACET_F64 ? 8 : 4);
}

std::string halideOf(const char *manifest) {
  const auto json = nlohmann::json::parse(manifest, nullptr, false);
  if (!json.is_object() || !json.contains("made_by") || !json["made_by"].is_object())
    return "";
  return json["made_by"].value("halide", "");
}

} // namespace

TuneResult tune(const TuneRequest &asked) {
  TuneRequest request = asked;
  const std::string forced = forcedTarget(request.target);
  request.target = forced.empty() ? bestTarget() : forced;
  if (request.algorithm == FACET_NUFFT)
    throw Error("nufft", "transforms have no schedule to tune",
                "tune direct or separable; `facet machines --calibrate` measures transforms");
  RealLab lab(request);
  const facet_variant &variant = lab.kernel().variants[0];
  const SpaceRequest of{request.algorithm,
                        request.klass,
                        request.grid,
                        vectorBytesOf(variant, lab.initial()),
                        registersOf(request.target),
                        lab.initial(),
                        lab.limits()};
  SearchRules rules;
  rules.exhaustive = request.exhaustive;
  rules.limit = request.limit > 0 ? request.limit : request.exhaustive ? 900 : 60;
  rules.cores = lab.threads();
  rules.progress = request.progress;
  SearchResult found =
      of.device.threads > 0 ? searchDevice(lab, of, rules) : search(lab, spaceOf(of), of, rules);

  TuneResult result;
  result.initial = lab.initial();
  result.trials = std::move(found.trials);
  result.path = std::move(found.path);
  result.units = std::move(found.units);
  result.unitGain = found.unitGain;
  result.tuned.key = {
      lab.kernel().name,        lab.kernel().shape, algorithmName(request.algorithm),
      className(request.klass), request.target,     gridName(request.grid),
      qName(request.q)};
  result.tuned.knobs = found.knobs;
  result.tuned.throughput = found.rate;
  result.tuned.before = found.before;
  result.tuned.facet = FACET_VERSION;
  result.tuned.halide = halideOf(lab.kernel().manifest);
  result.tuned.cpu = cpuId();
  result.tuned.device = deviceSignature(request.target);
  result.tuned.date = today();
  result.compileSeconds = lab.compileSeconds;
  result.measureSeconds = lab.measureSeconds;
  result.seconds = lab.elapsed();
  return result;
}

} // namespace facet::runtime
