"""Materials by name beside xraydb and periodictable; numbers with units; what experiments make of both."""
import math
import re
import subprocess

import numpy as np
import pytest
from conftest import BUILD

import facet

LAYERS = [{"name": "vacuum"}, {"name": "film", "thickness": 20.0}, {"name": "Si"}]
GISAXS = {"kernel": "exact", "beam": {"wavelength": 0.124, "alpha_i": 0.3}, "sample": {"layers": LAYERS}, "run": {"threads": 1},
          "grid": {"qy": [0.1, 0.4, 0.9], "qz": [0.4, 0.7]}, "accuracy": {"relative": 1e-9},
          "particle": [{"shape": {"type": "box", "size": [8.0, 7.0, 6.0]}, "layer": "film", "z": 2.0}]}


def gisaxs(changes):
    """The experiment with values at paths of keys."""
    from facet.simulation import put, tables_of
    tables = tables_of(GISAXS)
    for path, value in changes.items():
        put(tables, path, value)
    return tables


def image(changes):
    return facet.Simulation(gisaxs(changes)).intensity.values


def facet_says(*words):
    return subprocess.run([BUILD / "bin/facet", *words], capture_output=True, text=True)


FORMULAS = [("Si", 2.33), ("Au", 19.3), ("SiO2", 2.2), ("Fe3O4", 5.17), ("C22H10N2O5", 1.42), ("CaMg(CO3)2", 2.84), ("Cu0.98Be0.02", 8.4), ("H2O", 1.0)]


def test_x_rays_beside_xraydb():
    xraydb = pytest.importorskip("xraydb")
    rng = np.random.default_rng(54)
    for name, density in FORMULAS:
        for energy in [10000.0, *np.exp(rng.uniform(math.log(1000), math.log(1e5), 12))]:
            found = facet.material(name, energy=float(energy), mass_density=density)
            assert (found.delta, found.beta) == pytest.approx(xraydb.xray_delta_beta(name, density, energy)[:2], rel=1e-11), (name, energy)


def test_x_rays_of_every_element_and_name_beside_xraydb():
    xraydb = pytest.importorskip("xraydb")
    for z in range(1, 93):
        symbol = xraydb.atomic_symbol(z)
        wanted = xraydb.xray_delta_beta(symbol, xraydb.atomic_density(symbol), 8047.8)[:2]
        found = facet.material(symbol, energy=8047.8)
        assert (found.delta, found.beta) == pytest.approx(wanted, rel=1e-11), symbol
    for line in facet_says("material").stdout.splitlines()[1:]:
        name, density, _ = re.split(r"  +", line)
        assert facet.material(name, energy="8 keV").mass_density == float(density)
        assert facet.material(name, energy="8 keV").delta == pytest.approx(xraydb.xray_delta_beta(xraydb.get_material(name)[0], float(density), 8000.0)[0])


def test_neutrons_beside_periodictable():
    periodictable = pytest.importorskip("periodictable")
    for name, density in [*FORMULAS, ("D2O", 1.11), ("Ni[58]", 8.9), ("Ti", 4.5), ("LiF", 2.64)]:
        for wavelength in (0.05, 0.18, 0.6):
            found = facet.material(name, wavelength=wavelength, mass_density=density, probe="neutrons")
            sld, absorbed, _ = periodictable.neutron_sld(name, density=density, wavelength=10 * wavelength)
            assert (found.sld, found.absorption) == pytest.approx((sld, absorbed), rel=1e-9, abs=1e-15)
            assert found.delta == pytest.approx(wavelength ** 2 / (2 * math.pi) * sld * 1e-4, rel=1e-9)
    energy = periodictable.nsf.neutron_energy(6.0) * 1e-3
    assert facet.material("Si", energy=energy, probe="neutrons").beta == pytest.approx(facet.material("Si", wavelength=0.6, probe="neutrons").beta, rel=1e-7)


def test_known_digits():
    """Si at 10 keV, as xraydb 4.5.8 has it."""
    found = facet.material("Si", energy=10000, mass_density=2.329)
    assert (found.delta, found.beta) == pytest.approx((4.885744e-6, 7.390932e-8), rel=2e-7)
    assert facet.material("silicon", energy="10 keV").delta == found.delta


def test_the_command_line_says_the_same():
    found = facet.material("SiO2", energy=8000.0, mass_density=2.2)
    for words in (["--energy", "8000", "--mass-density", "2.2"], ["--energy", "8 keV", "--mass-density", "2200 kg/m^3"]):
        said = facet_says("material", "SiO2", *words).stdout
        assert f"delta      {found.delta:.7g}\nbeta       {found.beta:.7g}\nSLD        {found.sld:.7g} + {found.absorption:.7g}i 1e-6/A^2" in said
        assert "Chantler, by xraydb 4.5.8" in said
    assert re.search(r"silica +2.2 +SiO2", facet_says("material").stdout)


@pytest.mark.parametrize("words, what, help", [
    (["slica", "--energy", "8000"], "material 'slica': no material of this name", "did you mean 'silica'?"),
    (["Sj", "--energy", "8000"], "'Sj' is no element up to U", "an element, a formula with its mass density"),
    (["SiO2", "--energy", "8000"], "material 'SiO2': has no mass density", "the name silica, 2.2 g/cm^3"),
    (["Si", "--energy", "800"], "800 eV: the table of scattering factors (Chantler) is of 1 to 100 keV", "give delta and beta"),
    (["Gd", "--wavelength", "0.6", "--neutrons"], "Gd: absorbs neutrons by a resonance", "give delta and beta"),
    (["Si", "--wavelength", "0.01", "--neutrons"], "neutrons of 0.01 nm", "give delta and beta"),
    (["Ra", "--wavelength", "0.6", "--neutrons"], "Ra", "give delta and beta"),
    (["Ca(CO3", "--energy", "8000"], "has a '(' that nothing closes", "CaMg(CO3)2"),
    (["CaCO3)", "--energy", "8000", "--mass-density", "2"], "has a ')' that nothing opens", "CaMg(CO3)2"),
    (["Ni[x]", "--energy", "8000"], "has no number of an isotope", "Ni[58]"),
    (["Si0", "--energy", "8000"], "has no atoms", "SiO2"),
    (["Si", "--energy", "8 kV"], "--energy: '8 kV': 'kV' is no unit of energy", "did you mean 'eV'?"),
    (["Si", "--energy", "x"], "--energy: 'x': is no number", "units are meV, eV, keV, MeV"),
    (["Si", "--energy", "-8000"], "--energy -8000: is to be above 0", "a number in eV"),
    (["Si"], "a beam has an energy or a wavelength", "--energy 9998.7"),
])
def test_refusals(words, what, help):
    made = facet_says("material", *words[:1], *(f"{a}={b}" if b else a for a, b in pairs(words[1:])))
    assert made.returncode == 1 and what in made.stderr and help in made.stderr and made.stderr.count("error:") == 1


def pairs(words):
    made = []
    while words:
        takes = words[0] != "--neutrons"
        made.append((words[0], words[1] if takes else None))
        words = words[2 if takes else 1:]
    return made


def test_refusals_of_python():
    for arguments, what in [({}, "an energy or a wavelength"), ({"energy": 8e3, "probe": "neutron"}, "did you mean 'neutrons'"),
                            ({"energy": -1}, "energy: is -1"), ({"energy": 8e3, "mass_density": "2 g"}, "'g' is no unit of mass density")]:
        with pytest.raises(facet.Error, match=what):
            facet.material("Si", **arguments)


def numbers(probe):
    """The changes that name materials, and those that give the same numbers."""
    named, plain = {"beam.probe": probe}, {"beam.probe": probe}
    for place, (name, density) in {"sample.layers.1": ("C8H8", 1.05), "sample.layers.2": ("Si", None), "particle.0": ("Fe3O4", 5.2)}.items():
        found = facet.material(name, wavelength=0.124, mass_density=density, probe=probe)
        named |= {f"{place}.material": name, **({f"{place}.mass_density": density} if density else {})}
        plain |= {f"{place}.delta": found.delta, f"{place}.beta": found.beta}
    return named, plain


@pytest.mark.parametrize("probe", ["x-rays", "neutrons"])
def test_an_experiment_takes_the_numbers(probe):
    named, plain = numbers(probe)
    assert np.array_equal(image(named), image(plain))


def test_delta_below_0_is_of_neutrons_alone():
    found = facet.material("Ti", wavelength=0.124, probe="neutrons")
    assert found.delta < 0
    assert np.isfinite(image({"beam.probe": "neutrons", "particle.0.material": "Ti", "sample.layers.2.material": "Ti"})).all()
    assert np.isfinite(image({"beam.probe": "neutrons", "particle.0.delta": found.delta})).all()
    with pytest.raises(facet.Error, match="delta = -1e-06 is out of range: 0 <= delta < 1"):
        image({"particle.0.delta": -1e-6})


def test_a_given_delta_counts():
    named, _ = numbers("x-rays")
    assert not np.array_equal(image(named), image(named | {"particle.0.delta": 1e-5}))
    assert facet.Simulation(gisaxs(named | {"particle.0.delta": 1e-5})).experiment.count("delta = 1e-05") == 1


def test_a_file_with_names_is_run_again(tmp_path):
    named, _ = numbers("x-rays")
    made = facet.run(gisaxs(named), tmp_path / "a.h5")
    again = facet.run(made.experiment, tmp_path / "b.h5")
    assert np.array_equal(made.intensity.values, again.intensity.values)
    assert "Fe3O4" in made.experiment and made.experiment.count("delta") == 1  # of vacuum
    kept = made.provenance["materials"]
    found = facet.material("Fe3O4", wavelength=0.124, mass_density=5.2)
    assert f"particle 1: Fe3O4, 5.2 g/cm^3: delta {found.delta:.7g}, beta {found.beta:.7g}, SLD {found.sld:.7g}" in kept
    assert "layer 'film': C8H8, 1.05 g/cm^3" in kept and "xraydb 4.5.8" in kept


def test_reflectivity_takes_materials_of_layers(tmp_path):
    named, plain = numbers("x-rays")
    import h5py
    import tomli_w
    found = []
    for name, changes in {"named": named, "plain": plain}.items():
        (tmp_path / f"{name}.toml").write_text(tomli_w.dumps(gisaxs(changes)))
        made = facet_says("reflectivity", tmp_path / f"{name}.toml", "-o", tmp_path / f"{name}.h5", "--picture", "none")
        assert made.returncode == 0, made.stderr
        with h5py.File(tmp_path / f"{name}.h5") as file:
            found.append(file["entry/reflectivity/R"][...])
    assert np.array_equal(*found)


@pytest.mark.parametrize("key", ["particle.0.mass_density", "sample.layers.1.mass_density"])
def test_derivatives_by_the_mass_density(key):
    named, _ = numbers("x-rays")
    density = named[key]
    simulation = facet.Simulation(gisaxs(named))
    found = simulation.slopes([key])[key][0]
    step = 0.02 * density
    weights = {-3: -1, -2: 9, -1: -45, 1: 45, 2: -9, 3: 1}
    wanted = sum(w * image(named | {key: density + k * step}) for k, w in weights.items()) / (60 * step)
    assert found == pytest.approx(wanted, rel=1e-6, abs=1e-7 * abs(wanted).max())
    back = simulation.gradient(np.ones_like(found), [key], corners=False).keys[key]
    assert back == pytest.approx(found.sum(), rel=1e-9)


def test_a_fit_varies_delta_and_density():
    named, _ = numbers("x-rays")
    truth = image(named)
    data = facet.fit.Data(truth, errors=0.01 * truth + 1e-12)
    model = facet.fit.ExperimentModel(gisaxs(named), {"density": "particle.0.mass_density"})
    best = facet.fit.least_squares(facet.fit.Problem(model, data, {"density": (4.0, 1.0, 9.0), "scale": 1.0}))
    assert best.values["density"] == pytest.approx(5.2, rel=1e-6)


UNITS = {"beam.wavelength": ("1.24 A", 0.124), "beam.alpha_i": ("5.235987755982989 mrad", 0.3), "sample.layers.1.thickness": ("200 A", 20.0),
         "sample.layers.1.roughness": ("3 A", 0.3), "particle.0.z": ("20 A", 2.0), "particle.0.shape.size": (["80 A", 7, "0.006 um"], [8.0, 7.0, 6.0]),
         "grid.qy": (["0.01 1/A", 0.4, "0.9 nm^-1"], [0.1, 0.4, 0.9]), "grid.qz": ({"from": "0.04 1/A", "to": "0.07 1/A", "n": 2}, [0.4, 0.7])}


@pytest.mark.parametrize("key", UNITS)
def test_numbers_with_units(key):
    named, _ = numbers("x-rays")
    stated, plain = UNITS[key]
    assert image(named | {key: stated}) == pytest.approx(image(named | {key: plain}), rel=1e-8)


@pytest.mark.parametrize("stated, plain", [("-0.02:0.04:4 1/A", "-0.2:0.4:4"), ("log 0.01:0.1:5 A^-1", "log 0.1:1:5"), ("0.01,0.03 1/angstrom", "0.1,0.3")])
def test_axes_with_units(stated, plain, tmp_path):
    axes = [facet.Simulation(gisaxs({"particle.0.delta": 1e-5, "grid.qy": text})).data["image/I"].axes["qy"].values for text in (stated, plain)]
    np.testing.assert_allclose(*axes, rtol=1e-14)
    np.testing.assert_allclose(*(facet.Grid(qy=text).axes[1] for text in (stated, plain)), rtol=1e-14)
    for text, file in ((stated, "a.h5"), (plain, "b.h5")):
        done = facet_says("run", "exact", "--shape", "box", f"--qy={text}", "--qz=0.3", "--picture", "none", "-o", tmp_path / file)
        assert done.returncode == 0, done.stderr
    import h5py
    with h5py.File(tmp_path / "a.h5") as a, h5py.File(tmp_path / "b.h5") as b:
        np.testing.assert_allclose(a["entry/amplitude/qy"][...], b["entry/amplitude/qy"][...], rtol=1e-14)


@pytest.mark.parametrize("text, what", [("0:1:5 1/B", "'1/B' is no unit of wavevector\n  help: did you mean '1/"), ("0:1:5 nm", "'nm' is no unit of wavevector"),
                                        ("0:1:5+0.1i 1/A", "n must be a whole number"), ("0:1 1/A", "from:to lacks the number of values"),
                                        ("x 1/A", "x is not a finite number")])
def test_axes_refuse(text, what):
    with pytest.raises(facet.Error, match=what):
        facet.Grid(qy=text)


def test_units_of_detectors_and_cuts():
    detector = {"pixels": [6, 5], "pixel_size": "172 um", "distance": "200 mm", "poni1": "-10 mm", "poni2": 5e-4, "rotation": ["0.1 deg", "1 mrad", 0]}
    plain = detector | {"pixel_size": 172e-6, "distance": 0.2, "poni1": -0.01, "rotation": [math.radians(0.1), 1e-3, 0]}
    named, _ = numbers("x-rays")
    both = []
    for one in (detector, plain):
        tables = gisaxs(named)
        del tables["grid"]
        both.append(facet.Simulation(tables | {"detector": one}).intensity.values)
    assert both[0] == pytest.approx(both[1], rel=1e-8, nan_ok=True)


@pytest.mark.parametrize("key, value, what", [
    ("beam.wavelength", "1.24 B", "'wavelength': '1.24 B': 'B' is no unit of length|'1.24 B': 'B' is no unit of length"),
    ("beam.wavelength", "0.124", "'0.124': has no unit"),
    ("beam.wavelength", "8 keV", "'keV' is no unit of length"),
    ("particle.0.z", "two nm", "'z' is to be a number"),
    ("particle.0.shape.n", "3 nm", "'n' of a shape is to be a number or three"),
    ("particle.0.density", "3 nm", "'density' is to be a number"),
    ("beam.probe", "neutron", "unknown probe 'neutron'\n  help: did you mean 'neutrons'"),
    ("particle.0.material", "goold", "no material of this name\n  help: did you mean 'gold'"),
    ("particle.0.material", "SiO2", "has no mass density"),
    ("particle.0.materials", "Si", "unknown key 'materials' in .particle.\n  help: did you mean 'material'"),
    ("particle.0.mass_density", 2.2, "mass_density without a material"),
    ("particle.0.mass_density", -2.2, "the mass density is to be above 0"),
    ("sample.layers.1.mass_density", 2.2, "mass_density without a material"),
])
def test_what_experiments_refuse(key, value, what):
    with pytest.raises(facet.Error, match=what) as caught:
        image({"particle.0.delta": 1e-5} | {key: value})
    assert re.search(r"particle|beam|sample|:\d+", str(caught.value))


def test_a_material_needs_a_beam():
    with pytest.raises(facet.Error, match="a material needs a beam: its wavelength"):
        facet.Simulation({"kernel": "born", "particle": [{"shape": {"type": "box"}, "material": "Au"}], "grid": {"q": [0.1]}})
