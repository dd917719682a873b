"""F by a call and by a plan: right, the same bits as the command line's, cheap to call again."""
import gc
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import h5py
import numpy as np
import pytest

import facet
from facet import fit


def sphere_f(q, radius):
    """Volume form factor of a sphere, 4 pi (sin x - x cos x) / q^3, x = q R."""
    x = q * radius
    return 4 * np.pi * (np.sin(x) - x * np.cos(x)) / q**3


def test_sphere(exact, sphere):
    qy, qz = np.linspace(-1, 1, 40), np.linspace(0.1, 1, 30)
    f = exact(sphere, qy=qy, qz=qz)
    wanted = sphere_f(np.hypot(*np.meshgrid(qy, qz, indexing="ij")), 10)
    assert f.shape == (40, 30) and f.dtype == complex
    assert abs(f - wanted).max() < 3e-3 * abs(wanted).max()  # 32,000 triangles are no sphere


def test_points_are_the_grid(exact, sphere):
    qy, qz = np.linspace(-1, 1, 5), np.linspace(0.1, 1, 7)
    q = np.array([[0, y, z] for y in qy for z in qz])
    f = exact(sphere, qy=qy, qz=qz)
    assert np.allclose(exact(sphere, q=q).reshape(5, 7), f, rtol=0, atol=2e-5 * abs(f).max())
    assert np.allclose(exact(sphere, qy="-1:1:5", qz="0.1:1:7"), f, rtol=0, atol=1e-12 * abs(f).max())


def test_shape_of_f(exact, sphere):
    assert exact(sphere, qz=0.5).shape == ()
    assert exact(sphere, qy=[0.1], qz=0.5).shape == (1,)
    assert exact(sphere, qx=[0, 1], qy=0.1, qz=[1, 2, 3]).shape == (2, 3)


def test_complex_q(exact, sphere):
    qz = np.linspace(0.1, 1, 8) - 0.05j
    f = exact(sphere, qy=[0.0, 0.3], qz=qz)
    wanted = sphere_f(np.sqrt(qz**2 + 0j), 10)
    assert abs(f[0] - wanted).max() < 3e-3 * abs(wanted).max()


GROWING = """#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL growing {
  using Grid = points<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * (sin(q.z * t.area) + 2 * cos(q.z * t.area) + 3 * sinc(q.z * t.area)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
"""


@pytest.mark.parametrize("im", [-30, -3, -1e-3, 1e-3, 3, 30])
def test_sines_of_complex_numbers(im, tmp_path):
    """Each by itself, to double's digits, whatever the sign of the imaginary part; given with others that are real."""
    (tmp_path / "growing.cpp").write_text(GROWING)
    area = 0.5
    z = (0.4 + 1j * im) * area
    f = facet.compile(tmp_path / "growing.cpp")(facet.Mesh([[[0, 0, 0], [1, 0, 0], [0, 1, 0]]]), q=[[0.1, 0.2, 0.4 + 1j * im]],
                                               algorithm="direct", precision="f64", accuracy=1e-11)
    assert f[0] == pytest.approx(area * (np.sin(z) + 2 * np.cos(z) + 3 * np.sin(z) / z), rel=1e-12)


@pytest.mark.parametrize("algorithm", ["direct", "separable"])
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_same_bits_as_the_command_line(born, command, tmp_path, algorithm, precision):
    command("run", "born", "--shape", "box,size=40x30x20,refine=8", "--qy=-2:2:96", "--qz=0.01:2:80", "--algorithm", algorithm,
            "--class", precision, "--accuracy", "1e-3", "--threads", "2", "--picture", "none", "-o", "run.h5")
    mesh = facet.Mesh.shape("box", size=[40, 30, 20], refine=8)
    plan = born.plan(mesh, qy="-2:2:96", qz="0.01:2:80", algorithm=algorithm, precision=precision, accuracy=1e-3, threads=2)
    with h5py.File(tmp_path / "run.h5") as file:
        assert file["entry/amplitude/F"][()].reshape(96, 80).tobytes() == plan().tobytes()




KERNEL = """#include <facet/dsl.h>
using namespace facet;

struct FACET_KERNEL rough {
  using Grid = product<real, real, real>;
  struct Params { real sigma = 0.5; vec3 shift; cplx scale = 1; };
  static cplx term(Grid::q q, const Triangle &t, const Params &p) {
    return t.area * dot(q, t.normal) * cis(dot(q, t.centroid + p.shift));
  }
  static cplx finish(Grid::q q, cplx sum, const Params &p) { return p.scale * exp(-p.sigma * norm2(q)) * sum; }
};
"""


def test_parameters(sphere):
    kernel = facet.compile(KERNEL)
    assert kernel.source == KERNEL
    assert kernel.parameters == {"sigma": 0.5, "shift": None, "scale": 1.0}
    qz = np.array([0.2, 0.7, 1.1])
    plan = kernel.plan(sphere, qy=0.1, qz=qz, shift=[0, 0, 0], precision="f64")
    first = plan()
    q2 = 0.1**2 + qz**2
    assert np.allclose(plan(sigma=0.2), first * np.exp(0.3 * q2), rtol=1e-12)
    assert plan._plan.last().kept_sums
    assert np.allclose(plan(scale=2j), first * 2j * np.exp(0.3 * q2), rtol=1e-12)
    moved = plan(sigma=0.5, scale=1, shift=[0, 0, 2])
    assert not plan._plan.last().kept_sums
    assert np.allclose(moved, first * np.exp(2j * qz), rtol=0, atol=1e-12 * abs(first).max())


def test_a_parameter_without_a_default_stays_as_others_change(sphere):
    plan = facet.compile(KERNEL).plan(sphere, qy=0.1, qz=[0.2, 0.7, 1.1], precision="f64", threads=1, shift=[0, 0, 2])
    f = plan()  # is proportional to scale, which is 1
    assert np.allclose(plan.jvp(scale=2j), 2j * f, rtol=0, atol=1e-12 * abs(f).max())


def test_an_array_that_changes_does_not_change_parameters(sphere):
    kernel, grid = facet.compile(KERNEL), dict(qy=0.1, qz=[0.2, 0.7, 1.1], precision="f64", threads=1)
    wanted = kernel.plan(sphere, **grid)(shift=[0, 0, 2], sigma=0.2)
    slope = kernel.plan(sphere, shift=[0, 0, 2], sigma=0.2, **grid).jvp(scale=1)
    when_planned, when_called = np.array([0.0, 0, 2]), np.array([0.0, 0, 2])
    planned, called = kernel.plan(sphere, shift=when_planned, **grid), kernel.plan(sphere, **grid)
    called(shift=when_called)
    when_planned *= 2
    when_called *= 2
    for plan in planned, called:
        assert np.array_equal(plan(sigma=0.2), wanted)
        assert np.array_equal(plan.jvp(scale=1), slope)


def test_a_matrix_is_nine_numbers_or_three_rows(sphere):
    turned = KERNEL.replace("vec3 shift;", "mat3 turn;").replace("t.centroid + p.shift", "p.turn * t.centroid")
    kernel = facet.compile(turned)
    rows = np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
    grid = dict(qy=[0.1, 0.3], qz=[0.2, 0.7], precision="f64")
    assert np.array_equal(kernel(sphere, turn=rows, **grid), kernel(sphere, turn=list(rows.ravel()), **grid))
    with pytest.raises(facet.Error, match="is a mat3"):
        kernel(sphere, turn=[1, 0, 0], **grid)


def test_a_file_that_changes(tmp_path):
    """All of a kernel is of one text: F, its derivatives, what is planned later."""
    file = tmp_path / "rough.cpp"
    file.write_text(KERNEL)
    kernel = facet.compile(file)
    grid = dict(qy=0.1, qz=[0.2, 0.7, 1.1], threads=1, shift=[0, 0, 0])
    plan = kernel.plan(facet.Mesh.box(), **grid)
    f, change = plan(), plan.jvp(scale=1)
    for text in KERNEL.replace("t.area", "3 * t.area"), KERNEL.replace("t.area", "t.aera"):
        file.write_text(text)
        for use in (lambda: kernel(facet.Mesh.box(), **grid), lambda: plan.jvp(scale=1), lambda: plan.vjp(f), kernel.explain,
                    lambda: kernel.parameters):
            with pytest.raises(facet.Error, match="rough.cpp: has changed since it was compiled\n  help: compile it again"):
                use()
    with pytest.raises(facet.Error, match="aera"):
        facet.compile(file)
    assert np.array_equal(plan(), f)
    file.write_text(KERNEL)
    assert np.array_equal(plan.jvp(scale=1), change)


@pytest.mark.parametrize("given, words", [
    ({}, "shift"),
    ({"shift": [0, 0, 0], "sigmma": 1}, "did you mean 'sigma'"),
    ({"shift": [0, 0]}, "shift"),
    ({"shift": [0, 0, 0], "sigma": 1j}, "sigma"),
    ({"shift": [[0, 0, 0]]}, r"parameter 'shift': has the shape \(1, 3\)"),
])
def test_wrong_parameters(sphere, given, words):
    kernel = facet.compile(KERNEL)
    with pytest.raises(facet.Error, match=words):
        kernel.plan(sphere, qz=0.5, **given)()


@pytest.mark.parametrize("name", ["seed", "qy", "mesh"])
def test_a_parameter_with_the_name_of_an_argument(sphere, name):
    kernel = facet.compile(KERNEL.replace("sigma", name))
    with pytest.raises(facet.Error, match=f"kernel rough: its parameter '{name}' cannot be given: .*\n  help: rename it"):
        kernel(sphere, qz=0.5, shift=[0, 0, 0])


def test_measured(exact, sphere):
    plan = exact.plan(sphere, qy="-1:1:20", qz="0.1:1:20", accuracy=1e-4)
    plan()
    assert 0 < plan.error <= 1e-4 and plan.measured.met and plan.measured.samples >= 16
    assert plan.taken.name in plan.table and plan.table.endswith(f"why: {plan.reason}")
    head, *rows = plan.table.split("\n\n")[0].splitlines()
    assert re.fullmatch(r" *choice +time +memory +error +repaired +why not", head)
    for row, choice in zip(rows, plan.choices, strict=True):
        told = "taken" if choice.name == plan.taken.name else choice.refusal or r"not accurate enough|[\d.e+]+ times slower|as fast"
        assert re.search(rf" {choice.repaired} +({told})$", row) or choice.refusal, row
    assert json.loads(plan.decision)["algorithm"] in ("direct", "separable", "nufft")


def test_nothing_to_measure(exact, sphere):
    plan = exact.plan(sphere, qy="-1:1:20", qz="0.1:1:20")
    with pytest.raises(facet.Error, match="there is no F of this mesh that could be measured\n  help: .*call it: plan"):
        plan.error
    plan()
    assert plan.error < 1e-5
    for change in (lambda: plan.set_mesh(facet.Mesh.shape("box", size=4)), lambda: plan.set_rotation([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])):
        change()
        with pytest.raises(facet.Error, match="there is no F of this mesh"):
            plan.measured
        plan()
        assert plan.error < 1e-5


def test_mesh_and_rotation_change(exact):
    box, bar = facet.Mesh.shape("box", size=[10, 20, 30]), facet.Mesh.shape("box", size=[30, 20, 10])
    grid = dict(qy="-1:1:9", qz="0.1:1:9", precision="f64", algorithm="direct")
    plan = exact.plan(box, **grid)
    first = plan()
    plan.set_rotation([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    turned = plan()
    wanted = exact(bar, **grid)
    assert np.allclose(turned, wanted, rtol=0, atol=1e-12 * abs(wanted).max())
    plan.set_rotation(np.eye(3))
    plan.set_mesh(bar)
    assert np.allclose(plan(), wanted, rtol=0, atol=1e-12 * abs(wanted).max())
    assert not np.allclose(first, wanted, rtol=0, atol=1e-3 * abs(wanted).max())


def corners(n=12):
    """The triangles of a sphere, as an array of this test's own."""
    return facet.Mesh.shape("sphere", radius=5, n=n).triangles.copy()


def address(array):
    return array.__array_interface__["data"][0]


def test_a_mesh_reads_an_array_where_it_lies():
    array = corners()
    mesh = facet.Mesh(array)
    assert np.shares_memory(mesh.triangles, array) and address(mesh.triangles) == address(array)
    alive = weakref.ref(array)
    kept = array.tobytes()
    del array
    gc.collect()
    assert alive() is not None and mesh.triangles.tobytes() == kept
    del mesh
    gc.collect()
    assert alive() is None


def test_a_read_only_array_is_a_mesh():
    array = corners()
    array.flags.writeable = False
    assert address(facet.Mesh(array).triangles) == address(array)


def unaligned(array):
    """The same numbers, one byte beyond where doubles lie."""
    room = np.empty(array.nbytes + 9, np.uint8)
    room = room[1 + (-address(room)) % 8:][:array.nbytes]
    moved = room.view(np.float64).reshape(array.shape)
    moved[:] = array
    return moved


@pytest.mark.parametrize("given", [
    lambda a: a.astype(np.float32), lambda a: a.astype(">f8"), lambda a: np.repeat(a, 2, axis=0)[::2], np.asfortranarray, unaligned,
    lambda a: a.tolist()], ids=["float32", "swapped", "strided", "fortran", "unaligned", "list"])
def test_other_arrays_are_copied(given):
    array = given(corners())
    mesh = facet.Mesh(array)
    assert not np.shares_memory(mesh.triangles, array)
    assert np.array_equal(mesh.triangles, np.asarray(array, np.float64))


def test_an_array_is_not_written_to():
    array = corners()
    array[3, 1] = array[3, 0]  # no area
    before = array.copy()
    assert len(facet.Mesh(array)) == len(array) - 1 == len(facet.Mesh(array, unit=10))
    assert facet.Mesh(array[:3], unit=10).triangles == pytest.approx(10 * array[:3], rel=1e-15)
    facet.Mesh(array).rotated([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
    assert array.tobytes() == before.tobytes()


@pytest.mark.parametrize("algorithm", ["direct", "nufft"])
def test_an_array_that_changes_does_not_change_a_plan(exact, algorithm):
    array, grid = corners(), dict(qy="-1:1:40", qz="0.1:1:40", algorithm=algorithm, threads=1)
    wanted = exact.plan(facet.Mesh(array.copy()), **grid)()
    mesh = facet.Mesh(array)
    plan = exact.plan(mesh, **grid)
    array *= 3
    assert mesh.report.high[0] == pytest.approx(15)
    assert plan().tobytes() == wanted.tobytes()
    plan.set_rotation([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
    plan()
    plan.set_rotation(np.eye(3))
    assert plan().tobytes() == wanted.tobytes()


def test_an_array_that_changes_does_not_change_what_a_plan_says_of_it(born, recwarn):
    array = facet.Mesh.box([1, 1, 1], n=20).triangles.copy()
    plan = born.plan(facet.Mesh(array), qy="0.1:1:20", qz=0.3, threads=1)
    plan()
    array *= 200  # too large for points
    assert plan.error < 1e-5 and not recwarn.list


def test_what_has_vertices_and_faces_is_a_mesh(exact):
    class Trimesh:
        vertices = np.array([[0, 0, 0], [3, 0.2, 0], [0.1, 4, 0], [0.3, 0.5, 5]])
        faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])

    plan = exact.plan(Trimesh(), qz=[0.1, 0.5], threads=1)
    wanted, by_vertices = plan(), plan.by_vertices([1, 1j])
    plan.set_mesh(Trimesh())
    Trimesh.vertices *= 2
    assert np.array_equal(plan(), wanted) and np.array_equal(plan.by_vertices([1, 1j]), by_vertices)
    with pytest.raises(facet.Error, match="mesh: is int\n  help: give a facet.Mesh"):
        plan.set_mesh(3)


def test_an_array_that_turns_bad(exact):
    """Numbers of a mesh are checked once: what becomes of them later is no crash, and no wrong F."""
    array = corners()
    mesh = facet.Mesh(array)
    array[7] = np.nan
    array[8] = array[8, 0]
    assert len(mesh) == len(array) and "triangles" in repr(mesh) and mesh.report.triangles == len(array)
    with pytest.raises(facet.Error):
        exact(mesh, qz="0.1:1:20")


def test_a_small_plan_starts_no_threads(exact):
    before = len(os.listdir("/proc/self/task"))
    plan = exact.plan(facet.Mesh.shape("box"), qy=0.1, qz="0.1:1:10", threads=2)
    for _ in range(3):
        plan()
    assert plan.error < 1e-5
    assert len(os.listdir("/proc/self/task")) == before


def test_results_are_their_own(exact, sphere):
    plan = exact.plan(sphere, qy="-1:1:9", qz=0.5)
    first = plan()
    kept = first.copy()
    first[:] = 0
    assert plan().tobytes() == kept.tobytes()


def test_two_plans_in_two_threads(exact, sphere):
    plans = [exact.plan(sphere, qy="-1:1:50", qz=z, threads=1) for z in (0.3, 0.6)]
    alone = [[plan().tobytes()] * 5 for plan in plans]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda plan: [plan().tobytes() for _ in range(5)], plans))
    assert together == alone


def test_one_plan_in_many_threads(exact, sphere):
    """They wait for each other: no wrong number, no crash."""
    plan = exact.plan(sphere, qy="-1:1:60", qz="0.1:1:40", algorithm="direct", precision="f64")
    alone = plan().tobytes()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: plan().tobytes(), range(8)))
    assert found == [alone] * 8


def test_progress_may_not_use_its_plan(exact):
    mesh = facet.Mesh.shape("sphere", n=80)
    plan = exact.plan(mesh, qy="-1:1:100", qz="0.1:1:100", algorithm="direct", precision="f64", progress=lambda *_: plan())
    with pytest.raises(facet.Error, match="is computing"):
        plan()


def test_other_threads_go_on(exact):
    """The interpreter's lock is free while facet computes."""
    plan = exact.plan(facet.Mesh.shape("sphere", n=40), qy="-1:1:60", qz="0.1:1:60", algorithm="direct", precision="f64", threads=1)
    ticks = []
    thread = threading.Thread(target=plan)
    thread.start()
    while thread.is_alive():
        ticks.append(1)
        thread.join(0.001)
    assert len(ticks) > 3


def stopped(*_):
    raise KeyboardInterrupt


def interrupted(plan, **parameters):
    """Stops the plan while it sums."""
    before = signal.signal(signal.SIGALRM, stopped)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.15)
        with pytest.raises(KeyboardInterrupt):
            plan(**parameters)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_ctrl_c(exact):
    interrupted(exact.plan(facet.Mesh.shape("sphere", n=60), qy="-1:1:600", qz="0.1:1:600", algorithm="direct", precision="f64"))


def told_of(calls):
    """A progress function that stops its plan when it is called for the first of so many times."""
    def progress(*_):
        if calls.pop():
            raise InterruptedError("enough")

    return progress


def test_a_plan_that_was_stopped_sums_again():
    """What it had summed is not taken for whole when next only a parameter of finish is another."""
    mesh = facet.Mesh.shape("sphere", n=80)  # on one thread it is heard of in the midst of its sums on any machine
    grid = dict(qy=0.1, qz="0.1:1:2000", precision="f64", algorithm="direct", threads=1)
    kernel = facet.compile(KERNEL)
    calls = []
    plan = kernel.plan(mesh, shift=[0, 0, 0], progress=told_of(calls), **grid)
    calls += [False] * 100
    plan()
    calls[:] = [True]
    with pytest.raises(InterruptedError):
        plan(shift=[0, 0, 3])
    calls[:] = [False] * 100
    assert plan(sigma=0.1).tobytes() == kernel.plan(mesh, shift=[0, 0, 3], **grid)(sigma=0.1).tobytes()


def test_progress(exact):
    heard = []
    plan = exact.plan(facet.Mesh.shape("sphere", n=20), qy="-1:1:100", qz="0.1:1:100", algorithm="direct", precision="f64", threads=1,
                      progress=lambda done, total: heard.append((done, total)))
    plan()
    done, total = zip(*heard)
    assert list(done) == sorted(done) and done[-1] <= total[-1] == 20 * 20**2 * 1e4


def test_progress_bar(exact, capsys):
    mesh = facet.Mesh.shape("sphere", n=20)
    exact.plan(mesh, qy="-1:1:100", qz="0.1:1:100", algorithm="direct", precision="f64", threads=1, progress=True)()
    assert "facet: 100%" in capsys.readouterr().err


def in_child(plan, queue):
    try:
        plan()
        queue.put("it ran")
    except facet.Error as error:
        queue.put(str(error))


def test_fork(exact, sphere):
    """A plan made before a fork is refused in the child with a message; one made after it works."""
    plan = exact.plan(sphere, qy="-1:1:20", qz=0.5)
    plan()
    fork = multiprocessing.get_context("fork")
    queue = fork.Queue()
    child = fork.Process(target=in_child, args=(plan, queue))
    child.start()
    assert "forked" in queue.get(timeout=60)
    child.join(60)
    assert child.exitcode == 0
    assert np.isfinite(plan()).all()


def test_new_plan_after_fork(sphere):
    text = ("import os, facet\nk = facet.compile('exact')\nm = facet.Mesh.shape('sphere')\nk(m, qz=0.5)\npid = os.fork()\n"
            "k.plan(m, qz=0.5)()\nif pid: assert os.waitpid(pid, 0)[1] == 0")
    path = os.pathsep.join(sys.path)
    done = subprocess.run([sys.executable, "-c", text], env={**os.environ, "PYTHONPATH": path}, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr


POLE = """#include <facet/dsl.h>
using namespace facet;
struct Pole { real weight; per<Y, cplx> w; per<Z> depth; };
struct FACET_KERNEL pole {
  using Grid = product<real, real, real>;
  static cplx term(Grid::q q, const Pole &t) {
    const cplx d = q.x - t.w;
    return t.weight * conj(d) / (0.01 + norm2(d)) * exp(-q.z * t.depth);
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
"""


@pytest.mark.parametrize("algorithm", ["direct", "separable"])
def test_columns_with_an_axis(tmp_path, algorithm):
    (tmp_path / "pole.cpp").write_text(POLE)
    rng = np.random.default_rng(1)
    x, y, z, n = np.linspace(0, 1, 3), np.linspace(-1, 1, 6), np.linspace(0, 2, 17), 200
    weight, depth = rng.uniform(0.5, 2, n), rng.uniform(0.1, 1, (len(z), n))
    w = rng.normal(size=(len(y), n)) + 1j * rng.uniform(0.1, 1, (len(y), n))
    poles = facet.Mesh.records({"weight": weight, "w": w, "depth": depth})
    assert len(poles) == n and np.array_equal(poles.columns["w"], w) and np.array_equal(poles.columns["depth"], depth)
    kernel = facet.compile(str(tmp_path / "pole.cpp"))
    d = x[:, None, None] - w
    wanted = np.einsum("xyt,zt->xyz", weight * d.conj() / (0.01 + abs(d) ** 2), np.exp(-z[:, None] * depth))
    f = kernel(poles, qx=x, qy=y, qz=z, accuracy=1e-10, algorithm=algorithm)
    assert abs(f - wanted).max() < 1e-12 * abs(wanted).max()
    again = facet.Mesh.records({"weight": weight, "w": 2 * w, "depth": depth})
    assert abs(kernel(again, qx=x, qy=y, qz=z, accuracy=1e-10, algorithm=algorithm) - f).max() > 1e-3 * abs(wanted).max()
    with pytest.raises(facet.Error, match=r"column 'w' has the shape \[6, 200\]: axis y of the grid has 5 values"):
        kernel(poles, qx=x, qy=y[:5], qz=z)
    with pytest.raises(facet.Error, match=r"column 'w.im' with an axis has the shape \[6, 199\] for 200 records"):
        facet.Mesh.records({"weight": weight, "w": w[:, 1:], "depth": depth})


CHANNELS = """#include <facet/dsl.h>
using namespace facet;
struct Outputs { cplx f; real size; };
struct FACET_KERNEL channels {
  using Grid = product<real, real, cplx>;
  struct Params { real scale = 1; };
  static cplx term(Grid::q q, const Triangle &t) { return t.area * dot(q, t.normal) * mean_cism1(q, t); }
  static Outputs finish(Grid::q q, cplx sum, Params p) {
    const cplx f = -i * sum / dot(q, q);
    return {f, p.scale * norm2(f)};
  }
};
"""


def test_outputs_by_name(exact, sphere, tmp_path, command):
    kernel = facet.compile(CHANNELS)
    plan = kernel.plan(sphere, qy="0.1:1:7", qz="0.1:1:5", accuracy=1e-9)
    f = plan(scale=2.0)
    assert f.shape == (7, 5) and f["f"].dtype == complex and f["size"].dtype == float
    wanted = exact(sphere, qy="0.1:1:7", qz="0.1:1:5", accuracy=1e-9)
    assert abs(f.f - wanted).max() < 1e-8 * abs(wanted).max()
    assert np.allclose(f["size"], 2 * abs(f.f) ** 2, rtol=1e-12)
    assert [m.output for m in plan.measured.outputs] == ["f", "size"] and plan.measured.met
    assert plan.error == max(m.error for m in plan.measured.outputs)
    called = kernel(sphere, qy="0.1:1:7", qz="0.1:1:5", accuracy=1e-9)  # perhaps in another way
    assert abs(called["f"] - f.f).max() < 1e-8 * abs(wanted).max()
    one = exact.plan(sphere, qz=1.0)
    assert one().dtype == complex and one.measured.outputs == []
    (tmp_path / "channels.cpp").write_text(CHANNELS)
    command("run", "channels.cpp", "--shape", "sphere", "--qz", "0.1:1:5", "--picture", "none", "-o", "c.h5")
    result = facet.Result(tmp_path / "c.h5")
    assert result.outputs == ["f", "size"] and result["size"].values.dtype == float and result["f"].shape == (1, 1, 5)
    with pytest.raises(facet.Error, match="F has the outputs f, size"):
        result.F
    with pytest.raises(facet.Error, match="holds no output 'g'\n  help: it has f, size"):
        result["g"]
    with pytest.raises(facet.Error, match="has outputs by name .f, size., and a model of a fit takes one F"):
        fit.PlanModel(plan)


def test_a_choice_without_nodes_after_one_with_them(exact):
    """A plan that goes on with another choice sums its own records, not the nodes of the choice before."""
    sphere, grid = facet.Mesh.sphere(10, n=8), dict(qy="-1:1:40", qz="0.001:1:40")
    wanted = exact.plan(sphere, algorithm="direct", precision="f64", **grid)
    plan = exact.plan(sphere, algorithm="separable", precision="f64", **grid)
    assert "nodes" in plan.taken.name
    other = exact.plan(sphere, **grid)
    other._follow(plan.decision)
    other()
    other._follow(wanted.decision)
    assert np.abs(other() - wanted()).max() < 1e-12 * np.abs(wanted()).max()
