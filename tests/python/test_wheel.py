"""The wheel that runtime/app/python/wheel.sh makes of the build: it works with nothing but Python, and says what it needs and holds."""
import ctypes
import errno
import importlib.metadata
import os
import re
import subprocess
import sys
import threading
import time
import venv
import zipfile
from pathlib import Path

import h5py
import pytest
from conftest import BUILD
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]


def needs(requirements, extras):
    """The packages that these and theirs come from, as this environment has them."""
    found = {}
    wanted = [(Requirement(text), extras) for text in requirements]
    while wanted:
        requirement, extras = wanted.pop()
        if requirement.marker and not any(requirement.marker.evaluate({"extra": e}) for e in ("", *extras)):
            continue
        if requirement.name not in found:
            package = found[requirement.name] = importlib.metadata.distribution(requirement.name)
            assert requirement.specifier.contains(package.version), requirement
            wanted += [(Requirement(text), requirement.extras) for text in package.requires or []]
    return found.values()


@pytest.fixture(scope="module")
def wheel():
    done = subprocess.run([ROOT / "runtime/app/python/wheel.sh", BUILD], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (BUILD / "wheel").glob("facet-*manylinux*.whl")
    return wheel


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A Python that has the wheel and what it names. pip would download that; here it is linked from this environment."""
    folder = tmp_path_factory.mktemp("wheel") / "venv"
    venv.create(folder, symlinks=True)
    python = folder / "bin/python"
    subprocess.run([sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", wheel], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (metadata,) = site.glob("facet-*.dist-info/METADATA")
    for package in needs(importlib.metadata.Distribution.at(metadata.parent).requires, ["notebook"]):
        for top in {Path(file).parts[0] for file in package.files if not str(file).startswith("..")}:
            if not (site / top).exists():
                (site / top).symlink_to(package.locate_file(top))
    return python


def test_works_with_nothing_in_the_path(installed, tmp_path):
    done = subprocess.run([installed, ROOT / "tests/python/wheel_use.py", ROOT / "examples"], cwd=tmp_path, capture_output=True,
                          text=True, env={"HOME": str(tmp_path), "PATH": str(tmp_path / "none")})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "first_image.ipynb" in done.stdout and (tmp_path / "first_image.png").stat().st_size > 10000
    assert str(installed.parent.parent) in done.stdout, "of the wheel, not of the build"


def test_the_size_and_the_machines_it_is_for(wheel):
    assert wheel.stat().st_size < 60e6 and wheel.name.endswith("-cp310-abi3-manylinux_2_28_x86_64.whl")
    said = subprocess.run(["auditwheel", "show", wheel], capture_output=True, text=True, check=True).stdout
    assert int(re.search(r'constrains the platform tag to\s+"manylinux_2_(\d+)_x86_64"', said)[1]) <= 28, said


@pytest.fixture(scope="module")
def programs(installed):
    """The programs and libraries of the wheel."""
    (site,) = installed.parent.parent.glob("lib/python*/site-packages")
    files = [path for folder in ("facet", "facet.libs") for path in (site / folder).rglob("*") if path.is_file()]
    return [path for path in files if path.read_bytes()[:4] == b"\x7fELF"]


def symbols(path):
    """(name, version, is it of another file, is it weak) of each."""
    for line in subprocess.run(["objdump", "-T", path], capture_output=True, text=True, check=True).stdout.splitlines():
        if fields := re.match(r"[0-9a-f]{16} (.{7}) (\S+)\s+[0-9a-f]{16} {1,2}(\(?\S*\)?) +(?:0x\w\w )?(\S+)$", line):
            yield fields[4], fields[3].strip("()"), fields[2] == "*UND*", "w" in fields[1]


def is_old(version):
    """Whether systems of manylinux_2_28 have this version of the C or the C++ library."""
    library, _, number = version.partition("_")
    newest = {"GLIBC": (2, 28), "GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11), "GCC": (7, 0, 0)}.get(library)
    return newest is None or (number[0].isdigit() and tuple(map(int, number.split("."))) <= newest)


def test_every_version_that_it_needs(programs, installed):
    """None is newer than the name of the wheel says. What is asked for without a version is in the wheel, or in every such C library: that
    of this machine says since when it has a name."""
    assert len(programs) > 25
    sections = {path: subprocess.run(["readelf", "-VW", path], capture_output=True, text=True, check=True).stdout for path in programs}
    newer = {(path.name, version) for path, said in sections.items()
             for version in re.findall(r"Name: (\S+) +Flags", said.partition("version_r")[2]) if not is_old(version)}
    assert not newer
    halide = installed.parent.parent.glob("lib/python*/site-packages/halide/lib64/libHalide.so")
    own = {name for path in [*programs, *halide] for name, _, is_undefined, _ in symbols(path) if not is_undefined}
    system = {name for library in ("libc.so.6", "libm.so.6") for name, version, is_undefined, _ in symbols(f"/lib/x86_64-linux-gnu/{library}")
              if not is_undefined and version.startswith("GLIBC_2") and is_old(version)}
    bare = {(path.name, name) for path in programs for name, version, is_undefined, is_weak in symbols(path)
            if is_undefined and not is_weak and version in ("", "Base") and not name.startswith(("Py", "_Py"))}
    assert {"stat", "pthread_create", "hypot"} <= {name for _, name in bare}
    assert not {(path, name) for path, name in bare if name not in own | system}
    # One for all of a process would be shared with another C++ library.
    assert not [path.name for path in programs if " UNIQUE " in subprocess.run(["readelf", "-W", "--dyn-syms", path], capture_output=True, text=True).stdout]


def test_what_old_systems_lack_is_refused(wheel, tmp_path):
    """As a library that uses a new function would be, until the wheel has it."""
    (tmp_path / "facet-1.dist-info").mkdir()
    (tmp_path / "new.c").write_text("unsigned arc4random_uniform(unsigned); int main(void) { return arc4random_uniform(1); }\n")
    subprocess.run(["cc", tmp_path / "new.c", "-o", tmp_path / "new"], check=True)
    with zipfile.ZipFile(tmp_path / "facet-1-py3-none-linux_x86_64.whl", "w") as file:
        file.write(tmp_path / "new", "facet/bin/new")
        file.writestr("facet-1.dist-info/WHEEL", "Tag: py3-none-linux_x86_64\n")
        file.writestr("facet-1.dist-info/RECORD", "")
    done = subprocess.run([sys.executable, ROOT / "runtime/app/python/wheel/glibc.py", file.filename, "manylinux_2_28_x86_64",
                           BUILD / "wheel/libraries/libfacet-glibc.so", tmp_path / "out"], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr == ("glibc.py: new needs GLIBC_2.36 (arc4random_uniform), which manylinux_2_28_x86_64 does not have\n"
                                                    "  help: functions can be added to glibc.c\n"), done.stderr
    assert not (tmp_path / "out").exists()


def test_the_functions_that_stand_for_newer_ones(wheel, tmp_path):
    """They do what those of this machine do."""
    own, system = ctypes.CDLL(BUILD / "wheel/libraries/libfacet-glibc.so"), ctypes.CDLL(None, use_errno=True)
    (tmp_path / "file").write_text("text")
    (tmp_path / "link").symlink_to("file")
    opened = os.open(tmp_path / "file", os.O_RDONLY)
    link = os.fsencode(tmp_path / "link")
    for name, place in (("stat", (link,)), ("lstat", (link,)), ("fstat", (opened,)), ("fstat64", (opened,))):
        one, other = ctypes.create_string_buffer(144), ctypes.create_string_buffer(144)
        assert getattr(own, name)(*place, one) == getattr(system, name)(*place, other) == 0 and one.raw == other.raw, name
    nofollow = 0x100
    assert own.fstatat(opened, link, one, nofollow) == system.lstat(link, other) == 0 and one.raw == other.raw
    os.close(opened)
    assert own.stat(b"/no such file", one) == -1
    own.arc4random_buf(one, 144)
    own.arc4random_buf(other, 144)
    assert one.raw != other.raw and len({own.arc4random() for _ in range(8)}) > 1


class Time(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


@pytest.mark.parametrize("clock", ["CLOCK_MONOTONIC", "CLOCK_REALTIME"])
def test_a_wait_until_a_time(wheel, clock):
    """A time that is over is said to be, and one in an hour is not: there the wait ends when it is told to."""
    own, clock = ctypes.CDLL(BUILD / "wheel/libraries/libfacet-glibc.so"), getattr(time, clock)
    mutex, condition = ctypes.create_string_buffer(40), ctypes.create_string_buffer(48)  # of zeros, as their initialisers
    own.pthread_mutex_lock(mutex)
    for nanoseconds in (0, 1, 999_999_999):
        until = Time(int(time.clock_gettime(clock)) - 2, nanoseconds)
        assert own.pthread_cond_clockwait(condition, mutex, clock, ctypes.byref(until)) == errno.ETIMEDOUT
    until, is_told = Time(int(time.clock_gettime(clock)) + 3600, 999_999_999), []

    def tell():
        own.pthread_mutex_lock(mutex)  # free once the other waits
        is_told.append(True)
        own.pthread_cond_signal(condition)
        own.pthread_mutex_unlock(mutex)

    thread = threading.Thread(target=tell)
    thread.start()
    while not is_told:
        assert own.pthread_cond_clockwait(condition, mutex, clock, ctypes.byref(until)) == 0
    own.pthread_mutex_unlock(mutex)
    thread.join()


@pytest.mark.skipif(os.environ.get("FACET_FULL_TESTS") != "1", reason="with --full: it fetches Debian 11's C and C++ library")
def test_the_bits_with_the_libraries_of_debian_11(wheel, installed, tmp_path):
    """glibc 2.31 and libstdc++ 10: a kernel is compiled and gives what it gives here."""
    uri = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Codename: bookworm", "Component: main"], capture_output=True, text=True,
                         check=True).stdout.split()[0]
    (tmp_path / "sources.list").write_text(f"deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {uri} bullseye main\n")
    for folder in ("lists/partial", "cache/archives/partial", "root"):
        (tmp_path / folder).mkdir(parents=True)
    options = [f"-oDir::Etc::sourcelist={tmp_path}/sources.list", "-oDir::Etc::sourceparts=/dev/null", f"-oDir::State::lists={tmp_path}/lists",
               "-oDir::State::status=/dev/null", f"-oDir::Cache={tmp_path}/cache", "-oAPT::Sandbox::User="]
    subprocess.run(["apt-get", *options, "update", "-qq"], check=True)
    subprocess.run(["apt-get", *options, "download", "-qq", "libc6", "libgcc-s1", "libstdc++6"], check=True, cwd=tmp_path)
    for package in tmp_path.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", package, tmp_path / "root"], check=True)
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path / "site")
    (site,) = installed.parent.parent.glob("lib/python*/site-packages")
    (tmp_path / "site/halide").symlink_to(site / "halide")
    folders = [tmp_path / "root/lib/x86_64-linux-gnu", tmp_path / "root/usr/lib/x86_64-linux-gnu"]
    for program in ("facet", "facetc"):
        (tmp_path / "site/facet/bin" / program).chmod(0o755)
        subprocess.run(["patchelf", "--set-interpreter", folders[0] / "ld-2.31.so", "--force-rpath", "--add-rpath", ":".join(map(str, folders)),
                        tmp_path / "site/facet/bin" / program], check=True)
    F = {}
    for name, program in (("here", installed.parent / "facet"), ("there", tmp_path / "site/facet/bin/facet")):
        done = subprocess.run([program, "run", "born", "--shape", "sphere,radius=10", "--qy=-1:1:50", "--qz=0:1:50", "--target", "sse41", "--algorithm", "direct",
                               "-o", f"{name}.h5", "--picture", f"{name}.png"], cwd=tmp_path, capture_output=True, text=True,
                              env={"HOME": str(tmp_path / name), "PATH": str(tmp_path / "none"), "FACET_SCHEDULES": ""})
        assert done.returncode == 0 and ", compiled in" in done.stdout, done.stdout + done.stderr
        with h5py.File(tmp_path / f"{name}.h5") as file:
            F[name] = file["entry/amplitude/F"][()].tobytes()
    assert F["here"] == F["there"] and (tmp_path / "here.png").read_bytes() == (tmp_path / "there.png").read_bytes()


def test_licences(wheel):
    """For each library that it carries there is the licence of its Debian package, unless it is of facet."""
    names = zipfile.ZipFile(wheel).namelist()
    carried = {re.sub(r"-[0-9a-f]{8}(?=[.])", "", Path(n).name) for n in names if re.match(r"facet\.libs/.+\.so", n)}
    carried -= {path.name for path in (BUILD / "wheel/libraries").iterdir()}
    licences = {Path(n).stem for n in names if re.match("facet/share/facet/licences/.+", n)}
    assert len(carried) > 10 and {"llvm-19-dev", "libclang-19-dev", "nanobind", "libhdf5-103-1"} <= licences
    owners = subprocess.run(["dpkg", "-S", *(f"*/{library}" for library in carried)], capture_output=True, text=True).stdout
    for library in carried:
        assert any(line.endswith(f"/{library}") and line.split(":")[0] in licences for line in owners.splitlines()), library


def test_metadata(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path, [n for n in file.namelist() if ".dist-info/" in n])
    package = importlib.metadata.Distribution.at(next(tmp_path.glob("*.dist-info")))
    assert {e.name for e in package.entry_points if e.group == "console_scripts"} == {"facet", "facetc"}
    assert package.metadata["License-Expression"] == "Apache-2.0" and "notebook" in package.metadata.get_all("Provides-Extra")
    assert "form factor" in package.metadata.get_payload()
