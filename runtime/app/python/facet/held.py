"""Meshes as other packages hold them: their corners, faces and unit."""

from __future__ import annotations

import warnings
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from .errors import Error

Held = tuple[npt.NDArray[Any], Optional[npt.NDArray[Any]], Optional[str]]
NO_SURFACE = {"vertex", "line", "line3", "vertex_block"}  # cells of meshio that bound no body
TAKEN = ("give a facet.Mesh, the name of a file, an array (m, 3, 3), vertices and faces as a pair, or what trimesh, PyVista, meshio, "
         "numpy-stl or Open3D hold")


def held(mesh: Any, what: str = "mesh") -> Held:
    """Vertices and faces, or triangles and None; the unit that is stated. An Error of what is no surface, which says what makes one of it."""
    for is_it, take in KINDS:
        if is_it(mesh):
            found: Held = take(mesh, what)
            return found
    kind = type(mesh)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    raise Error(f"{what}: is {name}\n  help: {TAKEN}")


def _scene(mesh: Any, what: str) -> Held:
    """trimesh's Scene: its meshes where their transforms place them."""
    meshes = [part for part in mesh.geometry.values() if hasattr(part, "faces") and len(part.faces)]
    others = [name for name, part in mesh.geometry.items() if not (hasattr(part, "faces") and len(part.faces))]
    if not meshes:
        raise Error(f"{what}: this scene has no mesh of triangles, but {', '.join(others) or 'nothing'}\n  help: give a trimesh.Trimesh")
    if others:
        raise Error(f"{what}: of this scene '{others[0]}' is no mesh of triangles\n  help: take it out: scene.delete_geometry('{others[0]}')")
    units = {part.units for part in (mesh, *meshes) if getattr(part, "units", None)}
    if len(units) > 1:
        raise Error(f"{what}: parts of this scene are in {' and in '.join(sorted(units))}\n  help: scene.convert_units('nanometers')")
    whole = mesh.to_mesh() if hasattr(mesh, "to_mesh") else mesh.dump(concatenate=True)
    return whole.vertices, whole.faces, units.pop() if units else None


def _trimesh(mesh: Any, what: str) -> Held:
    return np.asarray(mesh.vertices), np.asarray(mesh.faces), getattr(mesh, "units", None)


def _open3d(mesh: Any, what: str) -> Held:
    return np.asarray(mesh.vertices), np.asarray(mesh.triangles), None


def _blocks(mesh: Any, what: str) -> Held:
    raise Error(f"{what}: is {len(mesh)} blocks of PyVista\n  help: give their surface: blocks.combine().extract_surface()")


def _grid(mesh: Any, what: str) -> Held:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyVista's, of what the next version will do
        return _polydata(mesh.extract_surface(), what)


def _polydata(mesh: Any, what: str) -> Held:
    surface = mesh.triangulate()
    faces = np.asarray(surface.faces)
    if not faces.size:
        raise Error(f"{what}: this PolyData has points, and no faces\n  help: make a surface of them, with points.delaunay_3d().extract_surface()")
    if faces.size % 4 or (faces.reshape(-1, 4)[:, 0] != 3).any():
        raise Error(f"{what}: triangulate() left faces that are no triangles\n  help: give a surface of triangles")
    return np.asarray(surface.points), faces.reshape(-1, 4)[:, 1:], None


def _meshio(mesh: Any, what: str) -> Held:
    cells = {block.type: block for block in mesh.cells if block.type not in NO_SURFACE}
    flat = [np.asarray(block.data) for block in mesh.cells if block.type == "triangle"]
    for quads in (np.asarray(block.data) for block in mesh.cells if block.type == "quad"):
        flat += [quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]
    others = [kind for kind in cells if kind not in ("triangle", "quad")]
    if others or not flat:
        raise Error(f"{what}: has cells of the type '{others[0] if others else 'none'}', which are no triangles\n"
                    "  help: give their surface: pyvista.from_meshio(mesh).extract_surface()")
    points = np.asarray(mesh.points)
    return points if points.shape[1] == 3 else np.pad(points, ((0, 0), (0, 3 - points.shape[1]))), np.concatenate(flat), None


def _vectors(mesh: Any, what: str) -> Held:
    return np.asarray(mesh.vectors), None, None


def _pair(mesh: Any, what: str) -> Held:
    return mesh[0], np.asarray(mesh[1]), None


def _array(mesh: Any, what: str) -> Held:
    return mesh, None, None


def _has(*names: str) -> Any:
    return lambda mesh: all(hasattr(mesh, name) for name in names)


# What packages hold, told apart by what it has: no package is imported.
KINDS: tuple[tuple[Any, Any], ...] = (
    (_has("geometry", "graph"), _scene),
    (_has("vertices", "faces"), _trimesh),
    (_has("vertices", "triangles"), _open3d),
    (_has("combine", "n_blocks"), _blocks),
    (_has("points", "faces", "triangulate"), _polydata),
    (_has("extract_surface"), _grid),
    (_has("points", "cells"), _meshio),
    (_has("vectors", "normals"), _vectors),
    (lambda mesh: isinstance(mesh, tuple) and len(mesh) == 2, _pair),
    (lambda mesh: isinstance(mesh, (np.ndarray, list, tuple)) or hasattr(mesh, "__array__"), _array),
)
