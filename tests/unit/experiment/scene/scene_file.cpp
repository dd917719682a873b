// scene_file.cpp - a scene's file from rows in any order: what is in it, and that nothing but the
// rows decides its bytes.
#include "runtime/engine/store/data_file.h"
#include "scratch.h"
#include "some_scene.h"
#include <ctime>
#include <numeric>

namespace {
using namespace scenes;

constexpr std::int64_t high = 3; // rows of a unit

struct Part {
  std::size_t image;
  std::int64_t first, last;
};
std::vector<Part> partsOf(const SceneFile &file) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < file.layout().images.size(); ++i) {
    const std::int64_t rows = file.layout().images[i].pixels->rows();
    for (std::int64_t r = 0; r < rows; r += high)
      parts.push_back({i, r, std::min(r + high, rows)});
  }
  return parts;
}

class SceneFiles : public Scratch {
protected:
  static Experiment detected() {
    return experiment(std::string(head) + sample + box + detector + cuts);
  }
  static SceneLayout averaged(const Experiment &e) {
    SceneLayout layout = layoutOf(e);
    layout.averaged = layout.amplitude = true;
    return layout;
  }
  /// The units in another order; stopped and resumed after so many.
  std::string written(const std::string &name, const SceneFile &file, bool forward, int stop = 0,
                      bool compress = false) const {
    const std::vector<Part> parts = partsOf(file);
    const auto n = static_cast<std::int64_t>(parts.size());
    std::vector<std::int64_t> order(parts.size());
    std::iota(order.begin(), order.end(), 0);
    if (!forward)
      std::reverse(order.begin(), order.end());
    std::int64_t count = 0;
    if (stop > 0) {
      TiledResult begun = TiledResult::create(path(name), file.tiled(), {}, n);
      for (; count < stop; ++count) {
        const auto unit = order[static_cast<std::size_t>(count)];
        const Part &part = parts[static_cast<std::size_t>(unit)];
        writeRows(file, begun, unit, part.image, part.first, part.last);
      }
    }
    TiledResult result = stop > 0 ? TiledResult::resume(path(name), file.tiled(), {}, n)
                                  : TiledResult::create(path(name), file.tiled(), {}, n);
    for (const std::int64_t unit : order)
      if (const Part &part = parts[static_cast<std::size_t>(unit)];
          !result.done()[static_cast<std::size_t>(unit)])
        writeRows(file, result, unit, part.image, part.first, part.last);
    result.finalise({}, compress);
    return path(name);
  }
  static std::vector<double> numbers(const std::string &file, const std::string &name) {
    return h5::Object(file).open(name).doubles();
  }
};

TEST_F(SceneFiles, HoldEveryRowWithTheAnglesAndQOfItsPixels) {
  const Experiment e = detected();
  const SceneFile file(e, averaged(e));
  const std::string name = written("a.h5", file, false);
  for (std::size_t image = 0; image < 2; ++image) {
    const std::string group = image == 0 ? "/entry/image_1/" : "/entry/image_2/";
    EXPECT_EQ(file.sets(image).intensity, group + "I");
    const auto intensity = numbers(name, group + "I"), errors = numbers(name, group + "I_errors"),
               qx = numbers(name, group + "qx"), alpha = numbers(name, group + "alpha_f");
    ASSERT_EQ(intensity.size(), 48U);
    const Pixels &pixels = *file.layout().images[image].pixels;
    for (std::int64_t r = 0; r < 8; ++r)
      for (std::int64_t c = 0; c < 6; ++c) {
        const auto i = static_cast<std::size_t>(6 * r + c);
        EXPECT_EQ(intensity[i], value(image, r, c));
        EXPECT_EQ(errors[i], 0.5 * value(image, r, c));
        EXPECT_EQ(qx[i], pixels.at(r, c).q[0]);
        EXPECT_DOUBLE_EQ(alpha[i],
                         pixels.angle(&PixelAngles::alphaF, r, c) * 180 / std::numbers::pi);
      }
  }
  EXPECT_EQ(numbers(name, "/entry/image_2/alpha_i"), std::vector<double>{0.4});
}

double spentBy(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

TEST_F(SceneFiles, TakeTheThreadsOfTheExperiment) {
  Experiment e = detected();
  e.cuts.clear();
  e.detector->rows = e.detector->columns = 800;
  e.threads = 1;
  const SceneFile file(e, layoutOf(e));
  const auto &numbers = file.tiled().file.groups[0].numbers;
  const auto angles = std::ranges::find(numbers, "phi_f", &nexus::Numbers::name);
  ASSERT_NE(angles, numbers.end());
  std::vector<double> values(640000);
  const double all = spentBy(CLOCK_PROCESS_CPUTIME_ID), own = spentBy(CLOCK_THREAD_CPUTIME_ID);
  angles->make(0, 640000, values.data());
  EXPECT_GT(spentBy(CLOCK_THREAD_CPUTIME_ID) - own,
            0.8 * (spentBy(CLOCK_PROCESS_CPUTIME_ID) - all));
}

TEST_F(SceneFiles, ThatAreStoppedAndResumedHaveTheSameBytesInAnyOrder) {
  const Experiment e = detected();
  const SceneFile file(e, averaged(e));
  const std::string once = facet::test::textOf(written("a.h5", file, true));
  EXPECT_EQ(once, facet::test::textOf(written("b.h5", file, false)));
  EXPECT_EQ(once, facet::test::textOf(written("c.h5", file, true, 4)));
}

TEST_F(SceneFiles, HoldTheSameNumbersCompressed) {
  const Experiment e = detected();
  const SceneFile file(e, averaged(e));
  const std::string plain = written("a.h5", file, true),
                    small = written("b.h5", file, true, 0, true);
  for (const char *set : {"/entry/image_1/I", "/entry/image_2/qz", "/entry/cut_rod_2/I_errors"})
    EXPECT_EQ(numbers(plain, set), numbers(small, set)) << set;
}

TEST_F(SceneFiles, HaveCutsThatAreMeansOverTheirBands) {
  const Experiment e = detected();
  const SceneFile file(e, averaged(e));
  const std::string name = written("a.h5", file, true);
  const auto row = numbers(name, "/entry/cut_row_1/I"), at = numbers(name, "/entry/cut_row_1/qy");
  ASSERT_EQ(row.size(), 6U); // qy falls along a row
  for (std::int64_t c = 0; c < 6; ++c) {
    EXPECT_EQ(row[static_cast<std::size_t>(5 - c)], value(0, 4, c));
    EXPECT_EQ(at[static_cast<std::size_t>(5 - c)], file.layout().images[0].pixels->at(4, c).q[1]);
  }
  const auto rod = numbers(name, "/entry/cut_rod_2/I"),
             errors = numbers(name, "/entry/cut_rod_2/I_errors");
  ASSERT_FALSE(rod.empty());
  const double last = (value(1, 7, 1) + value(1, 7, 2) + value(1, 7, 3)) / 3;
  EXPECT_DOUBLE_EQ(rod.back(), last);
  EXPECT_DOUBLE_EQ(errors.back(), last / 2);
}

TEST_F(SceneFiles, HaveAnImageForEveryValueOfAThirdAxis) {
  const Experiment e = experiment(std::string(head) + sample + box + threeAxes + cuts);
  const SceneFile file(e, layoutOf(e));
  ASSERT_EQ(file.layout().images.size(), 6U);
  EXPECT_EQ(file.sets(4).intensity, "/entry/image_2_qx_2/I");
  EXPECT_EQ(file.sets(4).errors, "");
  EXPECT_EQ(file.layout().images[5].title, "alpha_i = 0.4 deg, qx = 0.2 1/nm");
  const std::string name = written("a.h5", file, false);
  EXPECT_EQ(numbers(name, "/entry/image_1_qx_3/qx"), std::vector<double>{0.2});
  EXPECT_EQ(numbers(name, "/entry/image_2_qx_1/I")[7], value(3, 1, 3));
  EXPECT_EQ(numbers(name, "/entry/cut_row_2_qx_3/I")[1], value(5, 4, 1));
  EXPECT_EQ(numbers(name, "/entry/image_2_qx_3/phi_f")[3],
            file.layout().images[5].pixels->angle(&PixelAngles::phiF, 0, 3) * 180 /
                std::numbers::pi);
  EXPECT_EQ(numbers(name, "/entry/image_2_qx_3/alpha_i"), std::vector<double>{0.4});
  const h5::Object handle(name);
  EXPECT_FALSE(handle.has("entry/sasdata_1_qx_1"));
}

TEST_F(SceneFiles, RefuseACutThatMeetsNoPixel) {
  Experiment e = detected();
  e.cuts[0].at = 40;
  EXPECT_SAYS(SceneFile(e, layoutOf(e)), "curve 'row': no pixel at row = 40");
}

TEST_F(SceneFiles, RefuseToBeFinishedWithRowsMissing) {
  const Experiment e = detected();
  const SceneFile file(e, averaged(e));
  TiledResult result = TiledResult::create(path("a.h5"), file.tiled(), {}, 2);
  writeRows(file, result, 0, 0, 0, 8);
  EXPECT_SAYS(result.finalise({}), "unit 1 of 2 is not finished");
  EXPECT_FALSE(std::filesystem::exists(path("a.h5")));
}

} // namespace
