"""Runs as job arrays: shares by number, repeated and killed, merged to the bits of one run; what is refused."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path

import h5py
import pytest
from conftest import BUILD

import facet

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests/lit/run"), str(ROOT / "tests/lit/run/experiment")]
from datasets import datasets  # noqa: E402
import scenes  # noqa: E402

FACET = str(BUILD / "bin/facet")
RING, GRID = ["born", "--shape", "torus,around=24,tube=16"], ["--qy=-2:2:40", "--qz=0.01:2:40"]
TORUS = [*RING, *GRID]
UNITS = ["--algorithm", "direct", "--class", "f64", "--target", "sse41", "--memory", "1GB"]
CUT = ["--cut", "1,16,16,0"]
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM", "PBS", "LSB", "SGE"))}


def call(folder, *words, env=None):
    return subprocess.run([FACET, *map(str, words)], cwd=folder, capture_output=True, text=True, env=CLEAN | (env or {}))


def must(folder, *words, env=None):
    done = call(folder, *words, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(folder, *words, env=None, code=1):
    done = call(folder, *words, env=env)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stderr


def share(folder, i, n, *words):
    return must(folder, "run", *words, "-o", "r.h5", "--array", f"{i}/{n}")


@pytest.fixture(scope="module")
def shares(tmp_path_factory):
    """Both shares of a small run."""
    folder = tmp_path_factory.mktemp("shares")
    for i in (1, 2):
        share(folder, i, 2, *TORUS, *CUT, *UNITS)
    return folder


def killed(folder, words):
    """Kills a run when some of its units are on disk; False: it was faster."""
    process = subprocess.Popen([FACET, *words], cwd=folder, stdout=subprocess.DEVNULL, env=CLEAN)
    while process.poll() is None and not any("\nunit " in file.read_text() for file in folder.glob("*.journal.*")):
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def test_of_a_kernel_one_share_repeated_and_one_killed(tmp_path):
    words = ["born", "--shape", "torus,around=90,tube=60", "--qy=-2:2:240", "--qz=0.01:2:240", "--algorithm", "direct", "--class", "f64",
             "--target", "sse41", "--cut", "1,48,48,0"]
    must(tmp_path, "run", *words, "-o", "whole.h5", "--picture", "none")
    share(tmp_path, 1, 3, *words, "--threads", "2")
    first = (tmp_path / "r.1-of-3.h5").read_bytes()
    share(tmp_path, 1, 3, *words)
    assert (tmp_path / "r.1-of-3.h5").read_bytes() == first
    third = ["run", *words, "-o", "r.h5", "--array", "3/3", "--threads", "1", "--resume"]
    for _ in range(10):
        if killed(tmp_path, third):
            break
        (tmp_path / "r.3-of-3.h5").unlink()
    else:
        pytest.fail("all ended before they were killed")
    said = must(tmp_path, *third)
    assert re.search(r"share 3 of 3 has \d+; \d+ of them finished before", said), said
    assert "finished already" in must(tmp_path, *third)
    assert re.search(r"share 2 of 3 has \d+\n", share(tmp_path, 2, 3, *words))
    left = {file.name for file in tmp_path.iterdir() if ".plan-" not in file.name}
    assert left == {"whole.h5", "r.1-of-3.h5", "r.2-of-3.h5", "r.3-of-3.h5"}
    said = must(tmp_path, "merge", "r.3-of-3.h5", "r.1-of-3.h5", "r.2-of-3.h5", "-o", "merged.h5")
    assert "merged     3 shares" in said and re.search(r"error .* met \(64 q", said) and "picture    merged.png" in said
    assert datasets(tmp_path / "merged.h5") == datasets(tmp_path / "whole.h5")


CURVE = """kernel = "exact"
[particle]
shape = { type = "torus", major = 20, minor = 8, around = 8, tube = 8 }
size = { type = "gaussian", width = 0.05, points = 3, nsigmas = 1.5 }
[grid]
q = { from = 0.1, to = 1.5, n = 8 }
"""


@pytest.mark.parametrize("text, cut", [(scenes.text(columns=16), "8"), (scenes.text(columns=16), "30,0,1"), (CURVE, "2")],
                         ids=["images", "poses in units of their own", "curve"])
def test_of_an_experiment(tmp_path, text, cut):
    (tmp_path / "e.toml").write_text(text)
    (tmp_path / "table.txt").write_text(scenes.table)
    words = ["e.toml", "--algorithm", "direct", "--class", "f64", "--cut", cut]
    must(tmp_path, "run", *words, "-o", "whole.h5", "--picture", "none")
    for i in (1, 2, 3):
        share(tmp_path, i, 3, *words)
    must(tmp_path, "merge", *(f"r.{i}-of-3.h5" for i in (1, 2, 3)), "--picture", "none", "--compress")
    merged, whole = datasets(tmp_path / "r.h5"), datasets(tmp_path / "whole.h5")
    for values in (merged, whole):  # of a curve: they have the measured error in them, of as many q as were compared
        for name in [name for name in values if name.startswith("entry/sasdata") and name.endswith(("Idev", "I_errors"))]:
            del values[name]
    assert merged == whole


def test_more_shares_than_units(tmp_path):
    must(tmp_path, "run", *TORUS, "-o", "whole.h5", "--picture", "none")
    for i in (1, 2, 3):
        share(tmp_path, i, 3, *TORUS)
    must(tmp_path, "merge", *(f"r.{i}-of-3.h5" for i in (1, 2, 3)), "--picture", "none")
    assert datasets(tmp_path / "r.h5") == datasets(tmp_path / "whole.h5")


def test_shares_begun_at_once_take_one_plan(tmp_path):
    all_at_once = [subprocess.Popen([FACET, "run", *TORUS, *CUT, "-o", "r.h5", "--array", f"{i}/3"], cwd=tmp_path,
                                    stdout=subprocess.DEVNULL, env=CLEAN) for i in (1, 2, 3)]
    assert [process.wait() for process in all_at_once] == [0, 0, 0]
    assert len(list(tmp_path.glob("r.h5.plan-*"))) == 1
    must(tmp_path, "merge", *(f"r.{i}-of-3.h5" for i in (1, 2, 3)))


def test_a_share_by_another_plan_is_refused(tmp_path):
    share(tmp_path, 1, 2, *TORUS, *CUT, "--algorithm", "auto")
    plan, = tmp_path.glob("r.h5.plan-*")
    other = "separable" if json.loads(plan.read_text())["algorithm"] == "direct" else "direct"
    must(tmp_path, "run", *TORUS, *CUT, "--class", "f64", "--algorithm", other, "-o", "other.h5", "--array", "1/2")
    shutil.copy(next(tmp_path.glob("other.h5.plan-*")), plan)
    share(tmp_path, 2, 2, *TORUS, *CUT, "--algorithm", "auto")  # follows the plan that it finds
    said = refused(tmp_path, "merge", "r.1-of-2.h5", "r.2-of-2.h5")
    assert re.match(r"facet: error: r.2-of-2.h5: cannot merge: the plan is not that of r.1-of-2.h5 \(.*, there .*\)\n", said), said
    said = refused(tmp_path, "run", *TORUS, *CUT, "--algorithm", "auto", "-o", "r.h5", "--array", "1/2", "--resume")
    assert "r.1-of-2.h5: was finished by another plan than other shares have now\n  help: leave out --resume" in said


@pytest.mark.parametrize("words, part", [
    (["born", "--shape", "torus,around=24,tube=18", *GRID, *CUT], "mesh"), ([*RING, "--qy=-2:2.1:40", GRID[1], *CUT], "grid"),
    (["exact", *RING[1:], *GRID, *CUT], "kernel"), ([*TORUS, "--cut", "1,16,8,0"], "plan"), ([*TORUS, *CUT, "--accuracy", "1e-4"], "plan")])
def test_a_foreign_share_is_refused_by_name(shares, tmp_path, words, part):
    share(tmp_path, 2, 2, *words, *UNITS)
    said = refused(shares, "merge", "r.1-of-2.h5", tmp_path / "r.2-of-2.h5", "-o", tmp_path / "m.h5")
    assert f"{tmp_path}/r.2-of-2.h5: cannot merge: the {part} is not that of r.1-of-2.h5 (" in said
    assert "help: run this share again with" in said


def changed(file, to, *, journal=lambda lines: lines, values=lambda values: values):
    """A copy of a share with other lines, each with its sum, or values."""
    shutil.copy(file, to)
    with h5py.File(to, "a") as copy:
        of = copy["entry/share"]
        lines = [line.rsplit(" ", 1)[0] for line in of["journal"][()].decode().splitlines()]
        text = "".join(f"{line} {zlib.crc32(line.encode()):08x}\n" for line in journal(lines))
        data = values(of["values"][...])
        del of["journal"], of["values"]
        of["journal"], of["values"] = text, data
    return to


def test_shares_that_do_not_belong_together(shares, tmp_path):
    one, two, out = "r.1-of-2.h5", "r.2-of-2.h5", ["-o", tmp_path / "m.h5"]
    assert f"{one}: cannot merge: of 2 shares these are missing: 2\n  help: run them: facet run .. --array i/2" in refused(shares, "merge", one, *out)
    share(tmp_path, 2, 3, *TORUS, *CUT, *UNITS)
    said = refused(shares, "merge", one, tmp_path / "r.2-of-3.h5", *out)
    assert f"r.2-of-3.h5: cannot merge: it is share 2 of 3, and {one} is share 1 of 2" in said
    shutil.copy(shares / one, tmp_path / "copy.h5")
    must(shares, "merge", one, two, tmp_path / "copy.h5", *out)  # the same once more
    must(shares, "merge", one, changed(shares / two, tmp_path / "same.h5"), *out)  # what changed() does alone changes nothing
    other = changed(shares / one, tmp_path / "other.h5", journal=lambda lines: lines[:-1] + [lines[-1][:-1] + "x"])
    assert f"{other}: cannot merge: it is share 1 of 2 as {one} is, with other values\n  help: leave one" in refused(shares, "merge", one, two, other, *out)
    said = refused(shares, "merge", one, tmp_path / "m.h5", "-o", tmp_path / "n.h5")
    assert "m.h5: is no share of a run" in said
    assert "a share" in refused(shares, "merge", one, two, "-o", one)  # the output is an input


def other_value(values):
    values[7] += 1
    return values


@pytest.mark.parametrize("change, why", [
    ({"values": other_value}, "its values are not as written"), ({"values": lambda values: values[:-1]}, "has fewer values than its units take"),
    ({"journal": lambda lines: lines[:-1] + [lines[-1].replace("0[", "77[", 1)]}, "its list of units is damaged"),
    ({"journal": lambda lines: lines[:-1] + [lines[-1].replace("0:", "-1:", 1)]}, "its list of units is damaged"),
    ({"journal": lambda lines: lines[1:3]}, "is no share of a run"), ({"journal": lambda lines: lines[:-1]}, r"unit \d+ of 9 is in no share")],
    ids=range(6))
def test_a_damaged_share(shares, tmp_path, change, why):
    damaged = changed(shares / "r.2-of-2.h5", tmp_path / "r.2-of-2.h5", **change)
    said = refused(shares, "merge", "r.1-of-2.h5", damaged, "-o", tmp_path / "m.h5")
    assert re.search(rf": {why}\n  help: run (that share|all shares) again", said), said
    assert not (tmp_path / "m.h5").exists()
    must(shares, "merge", "r.1-of-2.h5", "r.2-of-2.h5", "-o", tmp_path / "m.h5", "--picture", "none")  # goes on with what it has
    assert {file.name for file in tmp_path.iterdir()} == {"r.2-of-2.h5", "m.h5"}


def test_a_merge_that_was_stopped_is_of_its_own_shares(shares, tmp_path):
    damaged, out = changed(shares / "r.2-of-2.h5", tmp_path / "r.2-of-2.h5", values=other_value), ["-o", tmp_path / "m.h5", "--picture", "none"]
    refused(shares, "merge", "r.1-of-2.h5", damaged, *out)
    share(tmp_path, 1, 1, *RING, "--qy=-2:2.1:40", GRID[1], *CUT, *UNITS)
    said = refused(tmp_path, "merge", "r.1-of-1.h5", *out)
    assert "m.h5: cannot resume: the grid is not that of the stopped run (" in said and "or begin anew with --overwrite" in said
    must(tmp_path, "merge", "r.1-of-1.h5", "--overwrite", *out)


def test_a_missed_contract(tmp_path):
    words = [*TORUS, "--class", "f32", "--algorithm", "direct", "--accuracy", "1e-10"]
    assert "accuracy asked for was missed" in refused(tmp_path, "run", *words, "-o", "whole.h5", "--picture", "none", code=3)
    for i in (1, 2):
        share(tmp_path, i, 2, *words)
    assert "r.h5: the accuracy asked for was missed" in refused(tmp_path, "merge", "r.1-of-2.h5", "r.2-of-2.h5", code=3)
    assert datasets(tmp_path / "r.h5") == datasets(tmp_path / "whole.h5")


def test_ranks_share_a_share(tmp_path):
    if shutil.which("mpirun") is None:
        pytest.skip("there is no mpirun")
    must(tmp_path, "run", *TORUS, *CUT, *UNITS, "-o", "whole.h5", "--picture", "none")
    ranks = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", "2", FACET, "run", *TORUS, *CUT, *UNITS, "-o", "r.h5", "--array", "1/2"]
    done = subprocess.run(ranks, cwd=tmp_path, capture_output=True, text=True, env=CLEAN | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
    assert done.returncode == 0 and "2 ranks" in done.stdout, done.stdout + done.stderr
    share(tmp_path, 2, 2, *TORUS, *CUT, *UNITS)
    must(tmp_path, "merge", "r.1-of-2.h5", "r.2-of-2.h5", "--picture", "none")
    assert datasets(tmp_path / "r.h5") == datasets(tmp_path / "whole.h5")


def test_python_leaves_shares_to_the_command_line(tmp_path):
    with pytest.raises(facet.Error, match=r"--array is of the command line: facet run .. --array i/n, then facet merge"):
        facet.run({"kernel": "born", "particle": [{"shape": {"type": "torus"}}], "grid": {"qy": "-1:1:4", "qz": "0:1:3"}}, tmp_path / "r.h5",
                  options=("--array", "1/2"))


def test_what_shares_are_of_has_changed(tmp_path):
    must(tmp_path, "mesh", "make", "torus", "major=10", "minor=4", "around=24", "tube=20", "-o", "ring.stl")
    words = ["born", "--mesh", "ring.stl", *GRID, *UNITS]
    share(tmp_path, 1, 1, *words)
    must(tmp_path, "mesh", "make", "torus", "major=11", "minor=4", "around=24", "tube=20", "-o", "ring.stl")
    said = refused(tmp_path, "merge", "r.1-of-1.h5")
    assert "r.1-of-1.h5: cannot merge: the mesh is not that of the files and the program here (" in said
    assert "r.1-of-1.h5: holds the finished share of another run" in refused(tmp_path, "run", *words, "-o", "r.h5", "--array", "1/1", "--resume")


@pytest.mark.parametrize("value, why", [("0/3", "there is no share 0 of 3"), ("4/3", "there is no share 4 of 3"), ("x", "is no share"),
                                        ("1/2/3", "is no share"), ("1/x", "is no share"), ("1/1000000", "more than 100000 shares"),
                                        ("auto", "this process is in no job array")])
def test_bad_shares(tmp_path, value, why):
    said = refused(tmp_path, "run", *TORUS, "--array", value)
    assert said.startswith(f"facet: error: --array {value}: {why}") and "help: write i/n with 1 <= i <= n" in said


@pytest.mark.parametrize("option", [["--compress"], ["--timeline", "t.png"], ["--gradient-of", "o.h5"]])
def test_what_is_of_a_whole_result(tmp_path, option):
    said = refused(tmp_path, "run", *TORUS, "--array", "1/2", *option)
    assert said.startswith(f"facet: error: {option[0]}: is of a whole result, and --array computes a share of one")


def variables(prefix, *values):
    return dict(zip([f"{prefix}{name}" for name in ("ID", "MIN", "MAX")], values))


@pytest.mark.parametrize("variables, found", [
    ({"SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "3"}, "2-of-3"),
    ({"SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "3"}, "1-of-4"),
    ({"LSB_JOBINDEX": "3", "LSB_JOBINDEX_END": "3"}, "3-of-3"),
    ({"SGE_TASK_ID": "2", "SGE_TASK_FIRST": "1", "SGE_TASK_LAST": "2"}, "2-of-2")])
def test_the_share_that_a_batch_system_names(tmp_path, variables, found):
    must(tmp_path, "run", *TORUS, *CUT, *UNITS, "-o", "r.h5", "--array", "auto", env=variables)
    assert [file.name for file in tmp_path.glob("r.*-of-*")] == [f"r.{found}.h5"]


@pytest.mark.parametrize("variables, why", [
    ({"SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_MIN": "7", "SLURM_ARRAY_TASK_MAX": "7"}, "the first job of Slurm's array is 7, which is to be 1 or 0"),
    ({"PBS_ARRAY_INDEX": "2"}, "PBS does not say how many jobs the array has"),
    ({"LSB_JOBINDEX": "0"}, "this process is in no job array"), ({"SGE_TASK_ID": "undefined"}, "this process is in no job array"),
    ({"LSB_JOBINDEX": "4", "LSB_JOBINDEX_END": "3"}, "LSF says that this is job 4 of 1 to 3")])
def test_batch_systems_that_do_not_name_a_share(tmp_path, variables, why):
    assert refused(tmp_path, "run", *TORUS, "--array", "auto", env=variables).startswith(f"facet: error: --array auto: {why}")


@pytest.fixture
def slurm(tmp_path):
    """A folder with programs in place of Slurm's: srun leaves its options out, scontrol writes down what it is asked."""
    (tmp_path / "bin").mkdir()
    for name, text in (("srun", 'while [ "${1#-}" != "$1" ]; do shift; done\nexec "$@"'), ("scontrol", 'echo "$@" >> scontrol.log')):
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    (tmp_path / "e.toml").write_text('kernel = "born"\nparticle = [{ shape = { type = "torus" } }]\ngrid = { qy = "-1:1:40", qz = "0.01:1:30" }\n'
                                     'output = { file = "e.h5", picture = "none" }\n')
    path = f"{tmp_path}/bin:{BUILD}/bin:{os.environ['PATH']}"

    def submit(script, *words, **environment):
        return subprocess.Popen(["bash", ROOT / "examples/slurm" / script, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=CLEAN | {"PATH": path, "SLURM_CPUS_PER_TASK": "1"} | environment)

    return submit


def test_the_scripts_for_slurm(slurm, tmp_path):
    def task(i, *words, count="3"):
        return slurm("array.sbatch", "e.toml", *words, SLURM_ARRAY_TASK_ID=str(i), SLURM_ARRAY_TASK_COUNT=count, SLURM_ARRAY_JOB_ID="77")

    assert slurm("run.sbatch", "e.toml").wait() == 0
    os.rename(tmp_path / "e.h5", tmp_path / "whole.h5")
    assert [job.wait() for job in [task(1), task(2), task(3)]] == [0, 0, 0]
    (tmp_path / "e.2-of-3.h5").unlink()
    assert task(2, "3", count="1").wait() == 0
    must(tmp_path, "merge", *(f"e.{i}-of-3.h5" for i in (1, 2, 3)), "-o", "merged.h5")
    assert datasets(tmp_path / "merged.h5") == datasets(tmp_path / "whole.h5")
    assert not (tmp_path / "scontrol.log").exists()
    (tmp_path / "bin/srun").write_text("#!/bin/sh\nexit 4\n")
    assert (task(2).wait(), slurm("run.sbatch", "e.toml", SLURM_JOB_ID="78").wait()) == (4, 4)
    assert (tmp_path / "scontrol.log").read_text() == "requeue 77_2\nrequeue 78\n"
