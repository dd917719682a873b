"""F as a function of vertices in JAX and PyTorch: values are the plan's, derivatives those of differences."""
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import facet

VERTICES = np.array([[0, 0, 0], [3, 0.2, 0], [0.1, 4, 0], [0.3, 0.5, 5]], float)
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
SPREAD = """#include <facet/dsl.h>
using namespace facet;
struct Spread : Triangle { real weight; };
struct FACET_KERNEL spread {
  using Grid = product<real, real, real>;
  static cplx term(Grid::q q, const Spread &t) { return t.weight * t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q, cplx s) { return s; }
};
"""
KERNEL = """#include <facet/dsl.h>
using namespace facet;
struct Out { cplx f; real size; };
struct FACET_KERNEL outputs {
  using Grid = product<real, real, real>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static Out finish(Grid::q, cplx s) { return {s, abs(s)}; }
};
"""
WEIGHTS = np.linspace(1, 2, 30).reshape(6, 5)


@pytest.fixture(scope="module")
def plan(exact):
    return exact.plan(facet.Mesh(VERTICES, FACES), qy=np.linspace(-1, 1, 6), qz=np.linspace(0.1, 1, 5), accuracy=1e-10, threads=1)


def loss(plan, vertices):
    """A number that depends on the phase of F too."""
    plan.set_mesh(facet.Mesh(vertices, FACES))
    f = plan()
    return (WEIGHTS * abs(f) ** 2).sum() + (WEIGHTS * f).sum().imag


def slopes(plan):
    """By central differences."""
    made, h = np.zeros_like(VERTICES), 1e-4
    for at in np.ndindex(VERTICES.shape):
        by = np.zeros_like(VERTICES)
        by[at] = h
        made[at] = (loss(plan, VERTICES + by) - loss(plan, VERTICES - by)) / (2 * h)
    return made


def test_jax(plan):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    jnp = jax.numpy
    expected = slopes(plan)
    f = facet.autodiff.for_jax(plan, FACES)

    def of(v):
        made = f(v)
        return (WEIGHTS * jnp.abs(made) ** 2).sum() + (WEIGHTS * made).sum().imag

    value, slope = jax.jit(jax.value_and_grad(of))(VERTICES)
    assert abs(value - loss(plan, VERTICES)) < 1e-12 * abs(value)
    assert abs(slope - expected).max() < 1e-7 * abs(expected).max()
    assert abs(jax.grad(of)(1.1 * VERTICES) - slope).max() > 1e-3 * abs(expected).max()  # the mesh is that of the call


def test_jax_maps_and_says_what_is_not_there(plan):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    f = facet.autodiff.for_jax(plan, FACES)
    several = np.stack([VERTICES, 1.1 * VERTICES, 0.7 * VERTICES])
    assert np.array_equal(jax.vmap(f)(several), np.stack([f(v) for v in several]))

    def of(v):
        return (WEIGHTS * abs(f(v)) ** 2).sum()

    slope = jax.grad(of)
    assert np.array_equal(jax.jit(jax.vmap(slope))(several), np.stack([slope(v) for v in several]))
    jacobian = jax.jacrev(lambda v: abs(f(v)) ** 2)(VERTICES)
    assert np.allclose((WEIGHTS[..., None, None] * jacobian).sum((0, 1)), slope(VERTICES), rtol=0, atol=1e-9 * abs(slope(VERTICES)).max())
    for what in (lambda: jax.jvp(f, (VERTICES,), (VERTICES,)), lambda: jax.jacfwd(f)(VERTICES), lambda: jax.hessian(of)(VERTICES),
                 lambda: jax.grad(lambda v: (slope(v) ** 2).sum())(VERTICES)):
        with pytest.raises(facet.Error, match="forward or second derivatives.*there are first ones, backwards\n  help: take jax.grad"):
            what()
    for wrong, words in ((5.0, "vertices: "), ("a", "vertices: "), (VERTICES[:, :2], r"\(4, 2\)"), (VERTICES * 1j, "complex128")):
        with pytest.raises(facet.Error, match=words):
            f(wrong)


def test_torch(plan):
    torch = pytest.importorskip("torch")
    expected = slopes(plan)
    f = facet.autodiff.for_torch(plan, FACES)
    vertices = torch.tensor(VERTICES, requires_grad=True)
    made = f(vertices)
    value = (torch.tensor(WEIGHTS) * made.abs() ** 2).sum() + (torch.tensor(WEIGHTS) * made).sum().imag
    value.backward()
    assert abs(value.item() - loss(plan, VERTICES)) < 1e-12 * abs(value.item())
    assert abs(vertices.grad.numpy() - expected).max() < 1e-7 * abs(expected).max()


def of_numpy(plan, faces=FACES):
    """What both frameworks call."""
    return facet.autodiff._Function(plan, faces)


def test_calls_are_of_their_own_vertices(plan, exact):
    faces = FACES.copy()
    f, other = of_numpy(plan, faces), of_numpy(plan)
    faces[:] = faces[:, ::-1]  # inside out
    plan.set_mesh(facet.Mesh(VERTICES, FACES))
    wanted = plan()
    slope = plan.by_vertices(WEIGHTS * wanted)
    for change in lambda: None, lambda: plan.set_mesh(facet.Mesh.sphere(3)), lambda: other.value(2 * VERTICES):
        assert np.array_equal(f.value(VERTICES), wanted)
        change()
        assert np.array_equal(f.value(VERTICES), wanted)
        change()
        assert np.array_equal(f.back(VERTICES, WEIGHTS * wanted), slope)


@pytest.fixture
def often():
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_calls_of_several_threads_are_of_their_own_vertices(exact, often):
    mesh = facet.Mesh.sphere(3, n=4)
    vertices, faces = mesh.triangles.reshape(-1, 3), np.arange(3 * len(mesh)).reshape(-1, 3)
    f = of_numpy(exact.plan(mesh, qy=np.linspace(-1, 1, 6), qz=np.linspace(0.1, 1, 5), threads=1), faces)
    sizes = [1, 1.1, 1.2, 1.3]
    wanted = [f.value(size * vertices).tobytes() for size in sizes]
    with ThreadPoolExecutor(4) as pool:
        wrong = pool.map(lambda size, bits: sum(f.value(size * vertices).tobytes() != bits for _ in range(300)), sizes, wanted)
    assert list(wrong) == [0] * 4


def test_columns_stay():
    columns, grid = {"weight": np.array([1.0, 2, 3, 4])}, dict(qy=[0.1, 0.4], qz=[0.2, 0.3], threads=1, algorithm="direct", precision="f64")
    kernel = facet.compile(SPREAD)
    f = of_numpy(kernel.plan(facet.Mesh(VERTICES, FACES, columns=columns), **grid))
    flat = VERTICES.copy()
    flat[3] = flat[0]  # one triangle is left, and then there are four again
    for vertices in VERTICES, 1.1 * VERTICES, flat, VERTICES:
        wanted = kernel.plan(facet.Mesh(vertices, FACES, columns=columns), **grid)()
        assert np.array_equal(f.value(vertices), wanted)
    with pytest.raises(facet.Error, match="faces: are 3, and the plan's mesh has columns of 4 triangles\n  help: give the faces of"):
        of_numpy(kernel.plan(facet.Mesh(VERTICES, FACES, columns=columns), **grid), FACES[:3])


def test_refusals(plan):
    with pytest.raises(facet.Error, match="faces: not an array of three vertices each"):
        facet.autodiff.for_jax(plan, VERTICES)
    table = facet.compile(KERNEL).plan(facet.Mesh(VERTICES, FACES), qz=[0.1], threads=1)
    with pytest.raises(facet.Error, match="F has outputs by name"):
        facet.autodiff.for_torch(table, FACES)
