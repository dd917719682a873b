"""Meshes cut by a plane: parts beside sums that never see a cap, planes through corners, edges and faces, what is refused."""
import subprocess

import numpy as np
import pytest

import facet
from conftest import BUILD

TORUS = dict(major=12, minor=5, around=17, tube=13)


def turned(mesh):
    """Turned so that no corner has the height of another."""
    a, b = 0.7, 0.4
    x = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    y = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
    return mesh.rotated(x @ y)


MESHES = {
    "box": turned(facet.Mesh.shape("box", size=[8, 11, 6])),
    "torus": facet.Mesh.shape("torus", **TORUS),
    "turned torus": turned(facet.Mesh.shape("torus", **TORUS)),
    "two bodies": facet.Mesh(np.concatenate([facet.Mesh.shape("sphere", radius=4, n=3).triangles + [9, 0, 1.1],
                                             facet.Mesh.shape("box", size=5).triangles + [-7, 2, -0.3]])),
}


def section(triangles, z):
    """Segments that a plane leaves of triangles, counterclockwise about the body from above: no corner lies on it."""
    above = triangles[:, :, 2] > z
    count = above.sum(axis=1)
    triangles, above = triangles[count % 3 > 0], above[count % 3 > 0]
    lone = np.argmax(above != (above.sum(axis=1) == 2)[:, None], axis=1)
    of = np.arange(len(triangles))
    tip, after, before = (triangles[of, (lone + k) % 3] for k in range(3))
    p, r = (tip + ((z - tip[:, 2]) / (other[:, 2] - tip[:, 2]))[:, None] * (other - tip) for other in (after, before))
    up = above[of, lone][:, None]
    return np.where(up, p, r), np.where(up, r, p)


def form_factor(mesh, low, high):
    """Integrals of e^(iq.r) over what lies between two heights: sections, each by the theorem of Gauss in two dimensions, at nodes
    between the heights of corners."""
    triangles = mesh.triangles
    heights = np.unique(np.clip(np.concatenate([triangles[:, :, 2].ravel(), [low, high]]), low, high))
    heights = heights[np.concatenate([[True], np.diff(heights) > 1e-12])]
    total = 0
    for a, b in zip(heights, heights[1:]):
        for x, w in zip(*np.polynomial.legendre.leggauss(10)):
            z = (a + b) / 2 + (b - a) / 2 * x
            starts, ends = section(triangles, z)
            step, middle = (ends - starts)[:, :2], ((starts + ends) / 2)[:, :2]
            outward = np.stack([step[:, 1], -step[:, 0]], axis=1)
            plane = Q[:, :2].T
            edges = (outward @ plane) * np.exp(1j * middle @ plane) * np.sinc(step @ plane / 2 / np.pi)
            total = total + w * (b - a) / 2 * np.exp(1j * Q[:, 2] * z) * edges.sum(axis=0) / (1j * (plane**2).sum(axis=0))
    return total


Q = np.array([[0.3, 0.2, 0.5], [-0.11, 0.07, 0.9], [0.9, 0.5, 0.0], [0.02, -0.6, -0.4]])


def by_facet(exact, mesh):
    return np.array([exact(mesh, qx=q[0], qy=q[1], qz=q[2], accuracy=1e-11) for q in Q]).ravel()


@pytest.mark.parametrize("name", MESHES)
@pytest.mark.parametrize("share", [0.13, 0.6])
def test_parts_beside_sections(exact, name, share):
    mesh = MESHES[name]
    low, high = mesh.triangles[:, :, 2].min(), mesh.triangles[:, :, 2].max()
    at = low + share * (high - low) + 0.0123
    below, above = mesh.cut(at)
    assert below.report.closed and above.report.closed
    assert below.triangles[:, :, 2].max() == at == above.triangles[:, :, 2].min()
    whole = mesh.report.volume
    assert below.report.volume + above.report.volume == pytest.approx(whole, rel=1e-12)
    scale = abs(whole)
    for part, ends in ((below, (low, at)), (above, (at, high))):
        np.testing.assert_allclose(by_facet(exact, part), form_factor(mesh, *ends), rtol=0, atol=1e-9 * scale)


def test_a_cap_with_a_hole(exact):
    """A slab of a lying torus: two cuts, rings as caps."""
    mesh = MESHES["torus"]
    slab = mesh.cut(2.2)[0].cut(-1.3)[1]
    np.testing.assert_allclose(by_facet(exact, slab), form_factor(mesh, -1.3, 2.2), rtol=0, atol=1e-9 * mesh.report.volume)


def test_continuous_through_corner_edge_and_face():
    tilted = turned(facet.Mesh.shape("box", size=6))
    edge = facet.Mesh(facet.Mesh.shape("box", size=6).triangles @ np.array([[1, 0, 0], [0, 0.8, 0.6], [0, -0.6, 0.8]]))
    face = facet.Mesh.shape("box", size=6)
    for mesh in (tilted, edge, face):
        for z in np.unique(mesh.triangles[:, :, 2].round(12)):
            volumes = [mesh.cut(z + d)[0].report.volume if len(mesh.cut(z + d)[0]) else 0.0 for d in (-1e-9, -1e-14, 0, 1e-14, 1e-9)]
            np.testing.assert_allclose(volumes, volumes[2], rtol=0, atol=1e-6)
            for d in (-1e-14, 0, 1e-14):
                parts = mesh.cut(z + d)
                assert sum(p.report.volume for p in parts if len(p)) == pytest.approx(216, rel=1e-12)


def test_a_plane_that_only_touches_leaves_the_mesh():
    mesh = facet.Mesh.shape("box", size=[4, 4, 6])
    for z, whole, empty in ((3, 0, 1), (-3, 1, 0), (7, 0, 1), (-7, 1, 0)):
        parts = mesh.cut(z)
        assert np.array_equal(parts[whole].triangles, mesh.triangles) and len(parts[empty].triangles) == 0


def test_columns_go_along():
    box = facet.Mesh.shape("box", size=4)
    mesh = facet.Mesh(box.triangles, columns={"contrast": np.full(len(box), 2.5)})
    for part in mesh.cut(0.4):
        assert np.array_equal(part.columns["contrast"], np.full(len(part), 2.5))


def test_refusals():
    box = facet.Mesh.shape("box", size=4)
    with pytest.raises(facet.Error, match="is not closed .* open edges"):
        facet.Mesh(box.triangles[1:]).cut(0)
    with pytest.raises(facet.Error, match="only triangles with corners can be cut"):
        facet.Mesh.records({"weight": [1.0, 2.0]}).cut(0)
    with pytest.raises(facet.Error, match="not finite"):
        box.cut(float("nan"))


def test_command(tmp_path):
    def run(*arguments):
        return subprocess.run([str(BUILD / "bin/facet"), "mesh", "cut", *arguments], cwd=tmp_path, capture_output=True, text=True)

    facet.Mesh.shape("box", size=4).write(tmp_path / "box.stl")
    done = run("box.stl", "--at", "5 A", "--below", "low.stl", "--above", "high.stl")
    assert done.returncode == 0, done.stderr
    assert facet.Mesh.read(tmp_path / "low.stl").report.volume == pytest.approx(40, rel=1e-6)
    assert facet.Mesh.read(tmp_path / "high.stl").report.volume == pytest.approx(24, rel=1e-6)
    for arguments, said in (
        (["box.stl", "--at", "1"], "no part is to be written"),
        (["box.stl", "--at", "3", "--above", "no.stl"], "has nothing above z = 3 nm"),
        (["box.stl", "--at", "3 eV", "--above", "no.stl"], "--at: '3 eV': 'eV' is no unit of length"),
        (["box.stl", "--at", "1", "--above", "box.stl"], "box.stl"),
    ):
        done = run(*arguments)
        assert done.returncode != 0 and said in done.stderr and not (tmp_path / "no.stl").exists()
