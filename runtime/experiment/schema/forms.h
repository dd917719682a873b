// forms.h - values of an experiment file with a form of their own, and what keys say together.
#pragma once
#include "runtime/experiment/schema/value.h"
#include <facet/runtime/experiment.h>

namespace facet::runtime::schema {

inline constexpr auto notWritten = [](const auto &) { return std::string(); };
inline constexpr auto writeText = [](const std::string &value) { return text(value); };

/// The wavelength from an energy.
void readEnergy(const Entry &at, double &wavelength);
/// A kernel beside the file, if there is one.
void readKernel(const Entry &at, std::string &to);
void readParameters(const Entry &at, NamedParameters &to);
std::string writeParameters(const NamedParameters &from);
/// An axis as a table.
struct AxisNumbers {
  double from = 0, to = 0, im = 0;
  std::int64_t n = 0;
  std::string scale = "linear";
};
/// The text that parseAxis() takes, of a number, a text, a list of numbers, or a table.
void readAxis(const Entry &at, std::string &to);
/// picture = "FILE".
void readPictureFile(const Entry &at, Experiment &to);

/// A number, or a name as --unit takes it; it is of a mesh.
void readUnit(const Entry &at, Particle &to);
std::string writeUnit(const Particle &from);
void readShape(const Entry &at, Particle &to);
std::string writeShape(const Particle &from);
void readColumns(const Entry &at, std::map<std::string, double> &to);
std::string writeColumns(const std::map<std::string, double> &from);
inline constexpr const char *densityHelp =
    "particles a nm^2 on a sample, the volume fraction in transmission";
/// orientation = "in-plane".
void readAverage(const Entry &at, Orientations &to);
using Eulers = std::vector<std::array<double, 3>>;
void readEuler(const Entry &at, Eulers &to);
std::string writeEuler(const Eulers &from);

/// A particle of an object, by its name: when all are known.
inline constexpr auto readLater = [](const Entry &, Object &) {};
inline constexpr auto writeNumber = [](const Object &o) { return text(o.particle + 1); };
/// Those of Experiment::objectsFile. Throws Error.
void readObjectFile(Experiment &to);
/// The particle that each of the tables names.
void findParticles(const std::vector<Source> &tables, Experiment &to);

void readPoniKey(const Entry &at, Detector &to);
void readPixels(const Entry &at, Detector &to);
std::string writePixels(const Detector &from);
void readPixelSize(const Entry &at, Detector &to);
std::string writePixelSize(const Detector &from);
void readBeamCentre(const Entry &at, Detector &to);

/// Where a line cut is: at the coordinate that is the key.
inline const std::vector<std::string> coordinates{"qy", "qz", "alpha_f", "phi_f", "row", "column"};
void readPlace(const Entry &at, LineCut &to);
struct PlaceAt {
  const std::string &name;
  std::string operator()(const LineCut &cut) const {
    return cut.across == name ? text(cut.at) : "";
  }
};

void checkSample(const Source &from, Experiment &to);
void checkGrid(const Source &from, Experiment &to);
void checkOutput(const Source &from, Experiment &to);
void checkExperiment(const Source &from, Experiment &to);
void checkParticle(const Source &from, Particle &to);
void checkOrientations(const Source &from, Orientations &to);
void checkSize(const Source &from, SizeSpread &to);
void checkDetector(const Source &from, Detector &to);
void checkCut(const Source &from, LineCut &to);

} // namespace facet::runtime::schema
