// tune.cpp - joins space, lab and steps to the tuning of one variant.
#include "runtime/tuning/search/search.h"
#include "runtime/tuning/trial/real_lab.h"
#include "runtime/tuning/tuner.h"

namespace facet::runtime {
namespace {

/// Bytes of a vector of the target: the widest that its sums have.
int vectorBytesOf(const facet_variant &variant, const schedules::Knobs &knobs) {
  if (knobs.vectorBytes > 0)
    return knobs.vectorBytes;
  const int lanes = variant.grid == FACET_POINTS ? variant.pad[0] : variant.pad[2];
  return lanes * (variant.klass == FACET_F64 ? 8 : 4);
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
  TuneResult result = search(lab, of, rules);
  result.tuned.key = {
      lab.kernel().name,        lab.kernel().shape, algorithmName(request.algorithm),
      className(request.klass), request.target,     gridName(request.grid),
      qName(request.q)};
  sign(result.tuned);
  result.compileSeconds = lab.compileSeconds;
  result.measureSeconds = lab.measureSeconds;
  result.seconds = lab.elapsed();
  return result;
}

} // namespace facet::runtime
