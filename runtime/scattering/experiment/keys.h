// keys.h - every key of an experiment file: its name, the member that holds it, what it has to be,
// its unit, its line in docs/experiments.md. A key's table belongs to a part of a run's identity,
// so that a stopped run is not resumed with another value.
//
// A new key is a line here, and a member. It is then read and checked, written into results, known
// to "did you mean", and listed in the document (a test compares).
#pragma once
#include "runtime/scattering/experiment/forms.h"
#include "runtime/scattering/sample/orientation.h"
#include "runtime/scattering/sample/sizes.h"

namespace facet::runtime::schema {

inline constexpr auto beamKeys = [](auto &key, auto &e) {
  key.identity("beam");
  key("probe", e.probe, OneOf{probes()}, "", "`\"x-rays\"` (the default) or `\"neutrons\"`");
  key("wavelength", e.wavelength, Above0{"wavelength"}, "nm", "or `energy`: exactly one");
  key("energy", e, energyForm, "eV", "instead");
  key("flux", e.flux, Above0{"the flux"}, "1/s",
      "photons a second: I is counts, of a detector's pixels and particles with a density");
  key("time", e.time, Above0{"the time"}, "s", "of the flux (1)");
  key("alpha_i", e.alphaI, Grazing{}, "deg",
      "angle of incidence, a number or a list, an image each; absent: transmission, Born "
      "approximation");
};

inline constexpr auto materialKeys = [](auto &key, auto &of) {
  key("material", of.material, any, "",
      "an element, a formula or a name, see Materials: delta and beta, but for those given");
  key("mass_density", of.massDensity, Above0{"the mass density"}, "g/cm^3",
      "of the material; needed for a formula");
};

inline constexpr auto layerKeys = [](auto &key, auto &l) {
  key("name", l.name, any, "", "what particles call it");
  key("thickness", l.thickness, any, "nm", "not of the first and the last");
  materialKeys(key, l.of);
  key("delta", l.delta, Unless{l.of.takesIndex}, "", "n = 1 - delta + i beta, both >= 0 (0)");
  key("beta", l.beta, Unless{l.of.takesIndex}, "", "of n (0)");
  key("roughness", l.roughness, any, "nm", "rms, of its top (0)");
};

inline constexpr auto sampleKeys = [](auto &key, auto &e) {
  key.identity("sample");
  key.tables("layers", e.layers, layerKeys,
             "tables from top to bottom; first and last are half-spaces");
  key.check(e, checkSample);
};

inline constexpr auto orientationKeys = [](auto &key, auto &o) {
  key("average", o.average, OneOf{averageNames()}, "",
      "`\"in-plane\"`, `\"full\"`, or by a density `\"tilt\"`, `\"maier-saupe\"`, "
      "`\"von-mises-fisher\"`, `\"cyclic-gaussian\"`, `\"table\"`, after one `euler`; or "
      "`\"none\"`");
  key("euler", o.euler, eulerForm, "deg", "`[z, y, z]`, or a list of such");
  key("weights", o.weights, any, "", "of a list, any sum");
  key("sigma", o.sigma, not0, "deg", "of `\"tilt\"` and `\"cyclic-gaussian\"`");
  key("kappa", o.kappa, any, "", "of `\"maier-saupe\"` and `\"von-mises-fisher\"`");
  key("file", o, densityForm, "", "of `\"table\"`: a text of theta, phi (or none), density");
  key("theta", o.theta, any, "deg", "of `\"table\"`, instead of a file: from the director");
  key("phi", o.phi, any, "deg", "of `\"table\"`: about it (none)");
  key("density", o.density, any, "", "of `\"table\"`: at each theta, phi by phi");
  key("director", o.director, any, "", "what a density is about (z)");
  key("points", o.points, not0, "", "angles of a full turn; by \\|q\\| R where not given");
  key.check(o, checkOrientations);
};

inline constexpr auto sizeKeys = [](auto &key, auto &s) {
  key("type", s.type, OneOf{sizeTypes()}, "",
      "`\"gaussian\"`, `\"lognormal\"`, `\"schulz\"` or `\"uniform\"`");
  key("width", s.width, any, "", "sigma over the centre");
  key("rule", s.rule, OneOf{sizeRules()}, "",
      "`\"quadrature\"`; `\"sasmodels\"` where points or nsigmas are given");
  key("points", s.points, any, "", "of `\"sasmodels\"`: number of sizes (by type)");
  key("nsigmas", s.nsigmas, any, "", "of `\"sasmodels\"`: how far they go (by type)");
  key.check(s, checkSize);
};

inline constexpr auto particleKeys = [](auto &key, auto &p) {
  key.identity("particles");
  key("name", p.name, any, "", "what objects call it");
  key("mesh", p.mesh, path, "", "a file");
  key("unit", p, unitForm, "nm",
      "of the mesh file: `\"nm\"`, `\"angstrom\"`, `\"um\"`, `\"mm\"`, `\"m\"`, or nm for "
      "one of it (what it states, or nm)");
  key("shape", p, shapeForm, "",
      "instead of a mesh: `{ type = \"box\", size = [20, 30, 10] }` (on the command line "
      "`--shape box,size=20,30,10`)");
  key("columns", p.columns, columnsForm, "",
      "table: constant columns of the mesh, `{ contrast = 1.0 }`");
  key("layer", p.layer, any, "", "of the sample (the top one)");
  key("z", p.z, any, "nm",
      "from the layer's bottom to the particle's lowest point (0), as turned and sized. In the "
      "substrate: from its top, below 0");
  materialKeys(key, p.of);
  key("delta", p.delta, Index{p.of.takesIndex, -1}, "",
      "n = 1 - delta + i beta, both >= 0. Needed on a sample; without them I is \\|F\\|^2");
  key("beta", p.beta, Index{p.of.takesIndex}, "", "of n (0)");
  key("density", p.density, Above0{"the density", densityHelp}, "",
      "particles a nm^2 on a sample; in transmission the volume fraction");
  key.part("orientation", p.orientation, orientationKeys,
           "`\"none\"`, `\"in-plane\"`, `\"full\"`, or a table", readAverage);
  key.tables("size", p.size, sizeKeys, "a spread of sizes, see Sizes");
  key.check(p, checkParticle);
};

inline constexpr auto objectKeys = [](auto &key, auto &o) {
  key.identity("particles");
  key("particle", o, particleForm, "", "its name, or its number from 1 (1)");
  key("position", o.position, any, "nm",
      "of the mesh's origin, z from the bottom of the particle's layer");
  key("euler", o.euler, any, "deg", "`[z, y, z]`");
  key("scale", o.scale, Above0{"the scale"}, "", "of all lengths (1)");
};

inline constexpr auto arrangementKeyList = [](auto &key, auto &a) {
  key.identity("arrangement");
  key("type", a.type, OneOf{arrangementTypes()}, "",
      "`\"hard-spheres\"`, `\"hard-disks\"`, `\"paracrystal\"`, `\"lattice\"`, `\"sc\"`, "
      "`\"bcc\"`, `\"fcc\"` or `\"table\"`, see Arrangement");
  for (const ArrangementKey &one : arrangementKeys())
    key(one.name, a, arrangementForm(one.name), one.unit, one.doc);
  key("approximation", a.approximation, OneOf{{"decoupling", "local-monodisperse"}}, "",
      "of averages: `\"decoupling\"`, `\"local-monodisperse\"` (S times the mean)");
  key("file", a, structureFactorForm, "", "of a table: a text with q and S in each line");
  key("q", a.q, any, "nm^-1", "of a table, instead of a file: ascending");
  key("s", a.s, any, "", "of a table: S at each q");
  key.check(a, checkArrangement);
};

inline constexpr auto detectorKeys = [](auto &key, auto &d) {
  key.identity("grid");
  key("poni", d, poniForm, "", "a calibration of pyFAI, a .poni file; or");
  key("pixels", d, pixelsForm, "", "`[rows, columns]`");
  key("pixel_size", d, pixelSizeForm, "m", "a number, or along rows and along columns");
  key("distance", d.distance, any, "m", "from the sample");
  key("beam_centre", d, centreForm, "pixels",
      "`[row, column]`, as `orientation` counts them, edges at whole numbers; or `poni1`, "
      "`poni2`");
  key("poni1", d.poni1, any, "m", "of the PONI, up from the lower edge of the detector");
  key("poni2", d.poni2, any, "m", "to the right from its left edge");
  key("rotation", d.rotation, any, "rad", "`[rot1, rot2, rot3]` (0)");
  key("orientation", d.orientation, any, "", "1 to 4, pyFAI's (3)");
  key("mask", d, maskForm, "",
      "pixels that do not count: HDF5, `\"FILE\"` or `\"FILE:/entry/mask\"`, not 0 where masked; "
      "or "
      "the shape and runs of pixels, `[[rows, columns], [first, n], ..]`");
  key("form", d.form, OneOf{{"points", "small-angle", "auto"}}, "",
      "`\"points\"` (exact pixels, the default), `\"small-angle\"`, `\"auto\"`: small-angle if max "
      "abs dq times the particle's radius is within the accuracy");
  key.check(d, checkDetector);
};

inline constexpr auto gridKeys = [](auto &key, auto &e) {
  key.identity("grid");
  key("qx", e.axes[0], axisForm, "nm^-1",
      "an axis: a number, a list, a text as of `--qx`, or a table `{ from, to, n, scale, "
      "im }`. All three longer than 1: an image for each qx");
  key("qy", e.axes[1], axisForm, "nm^-1", "the same");
  key("qz", e.axes[2], axisForm, "nm^-1", "the same");
  key("points", e.points, path, "", "instead: a file of points q");
  key("alpha_f", e.alphaF, axisForm, "deg", "instead, with `phi_f`: angles");
  key("phi_f", e.phiF, axisForm, "deg", "of the same");
  key("q_ip", e.inPlane, axisForm, "nm^-1",
      "instead, with `q_oop`: q in the plane of the sample, sqrt(qx^2 + qy^2) on the Ewald sphere, "
      "above 0 to the right (qy < 0), as pyFAI has it. Pixels of the missing wedge are NaN");
  key("q_oop", e.outOfPlane, axisForm, "nm^-1", "of the same: qz");
  key("sample_orientation", e.sampleOrientation, not0, "",
      "of the same, pyFAI's 1 to 8 (1): in 2, 4, 5 and 7 q_ip is above 0 where qy is");
  key("q", e.curve, axisForm, "nm^-1",
      "instead, of \\|q\\|: a curve averaged over all orientations");
  key("directions", e.directions, directionsForm, "",
      "of a curve: `\"all\"`, `\"symmetry\"` (one of those that the mesh's point group makes of "
      "each "
      "other), `\"revolution\"` (enough for a body of revolution about z), or "
      "`[[[x, y, z], ..], [weight, ..]]`, unit vectors with weights that sum to 1");
  key.check(e, checkGrid);
};

inline constexpr auto resolutionKeys = [](auto &key, auto &r) {
  key.identity("resolution");
  key("dq", r.dq, widths, "nm^-1", "of a curve, by a pinhole: sigma, one or one for each q");
  key("dq_over_q", r.dqOverQ, widths, "", "instead: sigma over q");
  key("slit_length", r.slitLength, slitForm, "nm^-1",
      "by a slit: half of its length; `inf`: integrals over it");
  key("slit_width", r.slitWidth, widths, "nm^-1", "and half of its width");
  key("point_spread", r.pointSpread, spreadForm, "pixels", "of a detector: sigma, a number or two");
  key("alpha_i", r.alphaI, Above0{"the divergence"}, "deg",
      "of exact pixels and grids of angles, q_ip: sigma of the angle of incidence");
  key("phi", r.phi, Above0{"the divergence"}, "deg", "and across it");
  key("wavelength", r.wavelength, Above0{"the spread of wavelengths"}, "",
      "and of the wavelength, relative");
  key("points", r.points, Nodes{}, "", "nodes of each of these (5)");
  key("pixel_points", r.pixelPoints, Nodes{}, "", "nodes a side of finite pixels (none)");
};

inline constexpr auto accuracyKeys = [](auto &key, auto &e) {
  key.identity("accuracy");
  key("relative", e.accuracy, Above0{"the accuracy"}, "",
      "error of F allowed, relative to max abs F (1e-5)");
};

inline constexpr auto runKeys = [](auto &key, auto &e) {
  key("algorithm", e.algorithm, any, "",
      "`\"auto\"`, `\"direct\"`, `\"separable\"` or `\"nufft\"`");
  key("memory", e.memory, any, "",
      "allowed, `\"8GB\"`; most of what is free, within the limits of control groups, where not "
      "given");
  key("class", e.klass, any, "",
      "`\"f32\"`, `\"f32-careful\"` or `\"f64\"`; by accuracy where not given");
  key("target", e.target, any, "", "a target of `facet machines`; the best where not given");
  key("threads", e.threads, any, "", "0: all that affinity and CPU quota allow");
  key("seed", e.seed, any, "", "of the error sample (1)");
};

inline constexpr auto pictureKeys = [](auto &key, auto &e) {
  key("file", e.picture, any, "", "PNG, SVG or PDF (beside the data)");
  key("scale", e.scale, OneOf{{"linear", "log"}}, "", "of the colours, `\"log\"` or `\"linear\"`");
  key("decades", e.decades, any, "", "of the colours, below the maximum (6)");
  key("quantity", e.quantity, any, "", "`\"\\|F\\|^2\"` or `\"\\|F\\|\"`");
  key("axes", e.pictureAxes, OneOf{{"pixels", "angles", "q"}}, "",
      "of a detector: `\"pixels\"`, `\"angles\"` or `\"q\"`");
};

inline constexpr auto curveKeys = [](auto &key, auto &c) {
  key("name", c.name, any, "", "of its group and picture");
  key("along", c.along, OneOf{coordinates}, "",
      "one of qy, qz, q_ip, q_oop, alpha_f, phi_f, row, column, q, chi; at a value of another:");
  for (const std::string &name : coordinates)
    key(name.c_str(), c, placeForm(name), unitOf(name), "where the cut is");
  key("width", c, widthForm, "",
      "the mean over a band of that width (the nearest pixel of each row or column that the cut "
      "meets)");
  key("points", c.points, not0, "", "even steps (a row or column each, or as many)");
  key.check(c, checkCut);
};

inline constexpr auto outputKeys = [](auto &key, auto &e) {
  key("file", e.output, any, "", "HDF5 (the experiment's name, `.h5`)");
  key("unit", e.fUnit, any, "", "of F, for labels: `\"nm^3\"`");
  key("q_unit", e.qUnit, OneOf{{"1/nm", "1/A"}}, "", "of q in files, `\"1/nm\"` or `\"1/A\"`");
  key.part("picture", e, pictureKeys, "a file, `\"none\"`, or a table", readPictureFile);
  key.identity("outputs"); // that the file holds
  key("amplitude", e.amplitude, not0, "",
      "`true`: the complex amplitude too, where intensities are not averaged");
  key("terms", e.terms, not0, "",
      "`true`: the amplitudes of the four channels too, where intensities are not averaged");
  key("fresnel", e.fresnel, not0, "",
      "`true`: T and R of the waves in and out, at the middle of the particles");
  key("specular", e.specular, not0, "",
      "`true`: R of the layers at alpha_i, its pixel on the detector, its photons");
  key("noise", e.noise, any, "", "a seed: `counts` too, I with the noise of counting (Poisson)");
  key.tables("curves", e.cuts, curveKeys,
             "line cuts: `{ name, along = \"qy\", qz = 0.35, width = 0.02 }`");
  key.identity("");
  key("quantiles", e.quantiles, Probabilities{}, "",
      "of F over the grid, at these probabilities: a list of numbers, 0 to 1; of real outputs");
  key("total", e.total, not0, "", "`true`: the sum of F over the grid, of each output");
  key("over", e.over, any, "", "of the total: the axes it is summed over, `\"qy,qz\"` (all)");
  key("weights", e.weights, path, "",
      "of the total: an HDF5 file with a factor for each q, `weights` or a dataset of the output's "
      "name, of the shape of F or 1 along an axis");
  key.check(e, checkOutput);
};

inline constexpr auto titleKey = [](auto &key, auto &e) {
  key("title", e.title, any, "", "a line for people and pictures (the file's name)");
};
inline constexpr auto beamAndSample = [](auto &key, auto &e) {
  key.part("beam", e, beamKeys, "wavelength and angles of incidence");
  key.part("sample", e, sampleKeys, "its layers");
};
/// All that waves in layers need.
inline constexpr auto layersKeys = [](auto &key, auto &e) {
  titleKey(key, e);
  beamAndSample(key, e);
  key.check(e, checkLayers);
};

inline constexpr auto experimentKeys = [](auto &key, auto &e) {
  titleKey(key, e);
  key("kernel", e.kernel, kernelForm, "", "a kernel's name or file (`.cpp`, `.fir`, `.so`)");
  key("parameters", e.parameters, parametersForm, "",
      "table: the kernel's run-time parameters: numbers, `[re, im]`, `[x, y, z]`, or a "
      "sweep `\"0.1:0.5:5\"` ([language.md](language.md))");
  key("objects", e.objectsFile, path, "",
      "many objects, a file with a line each: `particle x y z [a b c [scale]]`, or in the "
      "order of a line of these names (which may stand behind a #), of which x, y and z "
      "are needed");
  key.identity("particles");
  key("interference", e.interference, OneOf{{"coherent", "incoherent"}}, "",
      "of objects: `\"coherent\"` (amplitudes are summed, the default) or `\"incoherent\"` "
      "(intensities are)");
  beamAndSample(key, e);
  key.tables("particle", e.particles, particleKeys, "tables: a mesh or a shape each");
  key.tables("object", e.objects, objectKeys, "tables: many objects, a particle each");
  key.tables("arrangement", e.arrangement, arrangementKeyList,
             "how particles lie beside one another; with objects, copies of all of them");
  key.tables("detector", e.detector, detectorKeys, "a flat detector");
  key.part("grid", e, gridKeys, "q instead of a detector");
  key.part("resolution", e.resolution, resolutionKeys, "what blurs images and curves");
  key.part("accuracy", e, accuracyKeys, "the contract");
  key.part("run", e, runKeys, "how to run");
  key.part("output", e, outputKeys, "files written");
  key.check(e, checkExperiment);
};

} // namespace facet::runtime::schema
