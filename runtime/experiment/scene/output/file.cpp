// file.cpp - a computed scene as a result file.
#include "runtime/experiment/scene/output/files.h"

namespace facet::runtime {

void writeSceneFile(const Experiment &experiment, const SceneResult &result,
                    const nexus::Process &process) {
  SceneLayout layout;
  for (const SceneImage &image : result.images)
    layout.images.push_back(image);
  layout.quantity = result.quantity;
  layout.unit = result.unit;
  layout.amplitudeName = result.amplitudeName;
  layout.amplitudeUnit = result.amplitudeUnit;
  layout.averaged = result.averageError >= 0;
  layout.amplitude = experiment.scene->amplitude;
  const SceneFile file(experiment, std::move(layout));
  TiledOptions options;
  options.overwrite = true;
  TiledResult tiled = TiledResult::create(experiment.output, file.tiled(), {},
                                          static_cast<std::int64_t>(result.images.size()), options);
  for (std::size_t i = 0; i < result.images.size(); ++i) {
    const SceneImage &image = result.images[i];
    const auto unit = static_cast<std::int64_t>(i);
    file.write(tiled, unit, i, 0, image.pixels->rows(),
               {image.intensity.data(), image.errors.empty() ? nullptr : image.errors.data(),
                image.amplitude.empty() ? nullptr : image.amplitude.data()});
    tiled.finishUnit(unit);
  }
  tiled.finalise(process);
}

} // namespace facet::runtime
