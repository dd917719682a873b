// data_file.cpp - groups found for pictures, in the order of people, and made smaller.
#include "runtime/engine/store/data_file.h"
#include "scratch.h"
#include "some_scene.h"

namespace {
using namespace scenes;

using DataFiles = Scratch;

/// 12 images, so that _10 comes after _2.
std::string slices(const std::string &name) {
  Experiment e = experiment(std::string(head) + box + threeAxes);
  e.axes[0] = "0:1:12";
  const SceneFile file(e, layoutOf(e));
  TiledResult result = TiledResult::create(name, file.tiled(), {}, 12);
  for (std::int64_t i = 0; i < 12; ++i)
    writeRows(file, result, i, static_cast<std::size_t>(i), 0, 5);
  result.finalise({});
  return name;
}

TEST_F(DataFiles, TellGroupsByTheirNumbers) {
  const DataFile file(slices(path("a.h5")));
  ASSERT_EQ(file.groups().size(), 12U);
  EXPECT_EQ(file.groups()[1].name, "image_qx_2");
  EXPECT_EQ(file.groups()[9].name, "image_qx_10");
  EXPECT_EQ(file.groups()[9].quantity, "dsigma/dOmega");
  EXPECT_EQ(file.groups()[9].unit, "nm^2");
  EXPECT_EQ(file.groups()[9].axes[1].name, "qy");
}

TEST_F(DataFiles, AreReadAsMeansWhereTheyAreTooLarge) {
  const DataFile file(slices(path("a.h5")));
  const DataGroup &group = file.groups()[0]; // 5 x 4
  const CoarseImage whole = file.read(group, "I", 5), less = file.read(group, "I", 3);
  EXPECT_EQ(whole.values.size(), 20U);
  EXPECT_EQ(whole.at(3, 2), value(0, 3, 2));
  ASSERT_EQ(less.rows, 3);
  ASSERT_EQ(less.columns, 2);
  EXPECT_DOUBLE_EQ(less.at(1, 3),
                   (value(0, 0, 2) + value(0, 0, 3) + value(0, 1, 2) + value(0, 1, 3)) / 4);
  EXPECT_DOUBLE_EQ(less.at(4, 0), (value(0, 4, 0) + value(0, 4, 1)) / 2);
  EXPECT_EQ(thinned({1, 3, 5, 7, 20}, 2), (std::vector<double>{2, 6, 20}));
}

// HDF5 would read the begin of the axis that is missing from memory behind it.
TEST_F(DataFiles, RefuseErrorsThatHaveMoreAxes) {
  const std::string name = path("e.h5");
  h5::writeFile(name, 0, [](hid_t file) {
    const h5::Handle entry = h5::makeGroup(file, "entry", "NXentry"),
                     data = h5::makeGroup(entry, "curve", "NXdata");
    h5::attribute(data, "signal", "I");
    h5::attribute(data, "axes", std::vector<std::string>{"q"});
    const std::vector<double> values(6);
    for (const char *of : {"I", "q"})
      h5::writeAll(data, of, H5T_NATIVE_DOUBLE, {3}, values.data());
    h5::writeAll(data, "I_errors", H5T_NATIVE_DOUBLE, {3, 2}, values.data());
  });
  const DataFile file(name);
  EXPECT_SAYS(file.read(file.groups()[0], file.groups()[0].errors, 10),
              "/entry/curve/I_errors has 2 axes, not 1");
}

TEST_F(DataFiles, AreRefusedWithoutAGroupToDraw) {
  h5::writeFile(path("e.h5"), 0, [](hid_t) {});
  EXPECT_SAYS(DataFile{path("e.h5")}, "no result of facet");
}

} // namespace
