"""Odd mesh files of one box, 10 x 20 x 30 nm: read, with the right F, or refused by a message that names the thing."""
import struct
import warnings

import numpy as np
import pytest

import facet

Q, F = np.array([[0.1, 0.2, 0.3]]), -568.1932
VERTICES = np.array([[x, y, z] for x in (-5, 5) for y in (-10, 10) for z in (-15, 15)], float)
QUADS = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
FACES = np.concatenate([QUADS[:, [0, 1, 2]], QUADS[:, [0, 2, 3]]])


def f_of(mesh):
    return facet.kernels.exact(mesh, q=Q, accuracy=1e-9)[0]


def text_stl(end="\n", tail="", corner="vertex {:g} {:g} {:g}", before="", name="solid box", last="endsolid box", lower=True):
    lines = [name]
    for face in FACES:
        lines += [before + "facet normal 0 0 0", "outer loop", *(corner.format(*VERTICES[k]) for k in face), "endloop", "endfacet"]
    text = end.join([*lines, last, ""]) + tail
    return (text if lower else text.upper()).encode("latin-1")


def binary_stl(count=12, tail=b"", header=b"made by hand", attribute=0):
    rows = b"".join(struct.pack("<12fH", 0, 0, 0, *VERTICES[face].ravel(), attribute) for face in FACES)
    return header.ljust(80, b"\0") + struct.pack("<I", count) + rows + tail


def obj(end="\n", face="f", extra=(), tail="", corner="{}", quads=False, back=False):
    faces = QUADS if quads else FACES
    lines = [*("v {:g} {:g} {:g}".format(*v) for v in VERTICES), *extra]
    lines += [face + "".join(" " + corner.format(k - 8 if back else k + 1) for k in f) for f in faces]
    return (end.join(lines) + end + tail).encode()


NUMPY = {"float16": "f2", "half": "f2", "float": "f4", "double": "f8", "float64": "f8", "int16": "i2", "int": "i4", "int64": "i8", "long": "i8",
         "uint64": "u8", "ulong": "u8", "uint8": "u1", "uchar": "u1", "ushort": "u2", "int8": "i1"}


def ply(form="ascii", real="float", index="int", count="uchar", name="vertex_indices", end="\n", tail=b"", extra="", quads=False, between=b""):
    faces, order = QUADS if quads else FACES, ">" if "big" in form else "<"
    head = ["ply", f"format {form} 1.0", "comment a box", "obj_info none", "element vertex 8", *(f"property {real} {x}" for x in "xyz"),
            f"element face {len(faces)}", f"property list {count} {index} {name}", *([extra] if extra else []), "end_header"]
    if form == "ascii":
        rows = [*(" ".join(map(str, v)) for v in VERTICES), *(" ".join(map(str, (len(f), *f))) for f in faces)]
        return (end.join([*head, *rows]) + end).encode() + tail
    body = VERTICES.astype(order + NUMPY[real]).tobytes()
    for f in faces:
        body += np.array(len(f), order + NUMPY[count]).tobytes() + f.astype(order + NUMPY[index]).tobytes()
    return (end.join(head) + end).encode() + between + body + tail


def seven():
    corners = VERTICES[FACES]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2
    area = np.linalg.norm(normal, axis=1)
    return np.column_stack([area, normal / area[:, None], corners.mean(1)])


BEHIND = "after the last triangle passed over"
READ = {
    # name: (file, content, part of the warning)
    "binary stl": ("a.stl", binary_stl(), None),
    "binary stl, a newline": ("a.stl", binary_stl(tail=b"\n"), f"1 byte {BEHIND}"),
    "binary stl, 512 zeros": ("a.stl", binary_stl(tail=bytes(512)), f"512 bytes {BEHIND}"),
    "binary stl, 100 zeros": ("a.stl", binary_stl(tail=bytes(100)), f"100 bytes {BEHIND}"),
    "binary stl, a footer": ("a.stl", binary_stl(tail=b"by an exporter, 2019"), f"20 bytes {BEHIND}"),
    "binary stl, CR LF": ("a.STL", binary_stl(tail=b"\r\n"), f"2 bytes {BEHIND}"),
    "binary stl that begins with solid": ("a.stl", binary_stl(header=b"solid box"), None),
    "binary stl with colours": ("a.stl", binary_stl(header=b"COLOR=\xff\x00\x00\xff", attribute=0x801F), None),
    "stl": ("a.stl", text_stl(), None),
    "stl, CR LF": ("a.stl", text_stl("\r\n"), None),
    "stl, CR": ("a.stl", text_stl("\r"), None),
    "stl, ^Z": ("a.stl", text_stl(tail="\x1a"), None),
    "stl, CR LF ^Z": ("a.stl", text_stl("\r\n", "\x1a"), None),
    "stl, NUL": ("a.stl", text_stl(tail="\0"), None),
    "stl, a sector of NUL": ("a.stl", text_stl(tail="\0" * 9000), None),
    "stl, color": ("a.stl", text_stl(before="color 0.5 0.5 0.5\n"), None),
    "stl in capitals": ("a.stl", text_stl(lower=False), None),
    "stl, tabs": ("a.stl", text_stl(corner="\tvertex\t{:g}\t{:g}\t{:g}"), None),
    "stl, exponents": ("a.stl", text_stl(corner="vertex {:+.3E} {:+.3E} {:+.3E}"), None),
    "stl, latin-1": ("a.stl", text_stl(name="solid W\xfcrfel"), None),
    "stl, a name of NUL": ("a.stl", text_stl(name="solid box" + "\0" * 60 + "\x1b"), None),
    "stl without a name at its end": ("a.stl", text_stl(last="endsolid"), None),
    "stl called txt": ("a.txt", text_stl(), None),
    "obj": ("a.obj", obj(), None),
    "obj called mesh": ("a.mesh", obj(), None),
    "obj, CR": ("a.obj", obj("\r"), None),
    "obj, CR LF": ("a.obj", obj("\r\n"), None),
    "obj, ^Z": ("a.obj", obj(tail="\x1a"), None),
    "obj, NUL": ("a.obj", obj(tail="\0\0"), None),
    "obj, fo": ("a.obj", obj(face="fo"), None),
    "obj, quads": ("a.obj", obj(quads=True), None),
    "obj, from the last": ("a.obj", obj(back=True), None),
    "obj, materials": ("a.obj", obj(extra=["mtllib a.mtl", "usemtl gold", "vt 0 0", "vn 0 0 1", "o box", "s off"], corner="{}/1/1"), None),
    "obj, lines and points": ("a.obj", obj(extra=["l 1 2", "p 1"]), None),
    "obj, a curved surface": ("a.obj", obj(extra=["surf 0 1 0 1 1 2 3 4"]), "1 line passed over, the first: 'surf' in line 9"),
    "obj, a word that is none": ("a.obj", obj(extra=["face 1 2 3", "face 1 2 3"]), "2 lines passed over, the first: 'face' in line 9"),
    "ply": ("a.ply", ply(), None),
    "ply, CR": ("a.ply", ply(end="\r"), None),
    "ply, CR LF": ("a.ply", ply(end="\r\n"), None),
    "ply, ^Z": ("a.ply", ply(tail=b"\x1a"), None),
    "ply, NUL": ("a.ply", ply(tail=b"\0\0\0"), None),
    "ply, indices": ("a.ply", ply(name="indices"), None),
    "ply, vertex_index": ("a.ply", ply(name="vertex_index"), None),
    "ply, quads": ("a.ply", ply(quads=True), None),
    "ply, int64": ("a.ply", ply("binary_little_endian", "double", "int64", "int64"), None),
    "ply, long": ("a.ply", ply("binary_little_endian", "double", "long", "uchar"), None),
    "ply, uint64": ("a.ply", ply("binary_little_endian", "float64", "uint64", "uint8"), None),
    "ply, ulong, big endian": ("a.ply", ply("binary_big_endian", "double", "ulong", "ulong"), None),
    "ply, float16": ("a.ply", ply("binary_little_endian", "float16", "int16"), None),
    "ply, half, big endian": ("a.ply", ply("binary_big_endian", "half", "ushort"), None),
    "ply, short numbers in text": ("a.ply", ply(real="int8", index="uint64"), None),
    "ply, binary, CR LF": ("a.ply", ply("binary_little_endian", end="\r\n"), None),
    "ply, binary, CR": ("a.ply", ply("binary_little_endian", end="\r"), None),
    "seven columns": ("a.txt", b"\n".join(b" ".join(b"%.17g" % v for v in row) for row in seven()), None),
    "seven columns, CR": ("a.txt", b"\r".join(b" ".join(b"%.17g" % v for v in row) for row in seven()), None),
    "seven columns, ^Z": ("a.txt", b"\n".join(b" ".join(b"%.17g" % v for v in row) for row in seven()) + b"\n\x1a", None),
}
CONVERT = "  help: convert it by meshio: pip install meshio && meshio convert "
REFUSED = {
    "binary stl, a count that is wrong": ("a.stl", binary_stl(5), "the header announces 5 triangles, the file has room for 12"),
    "binary stl, no count": ("a.stl", binary_stl(0), "the header announces 0 triangles, the file has room for 12"),
    "binary stl, cut": ("a.stl", binary_stl()[:-60], "truncated: the header announces 12 triangles, the file holds 10"),
    "stl, cut": ("a.stl", text_stl()[:-40], "truncated"),
    "stl, decimal commas": ("a.stl", text_stl(corner="vertex {:g} {:g} 0,5"), "a.stl:4: '0,5' is not a number"),
    "stl of nothing": ("a.stl", b"solid a\nendsolid a\n", "this STL file has no triangles"),
    "notes": ("a.stl", b"remember the milk\n", "this is no STL file, in text or binary: it begins with 'remember'"),
    "notes of another name": ("a.mesh3", b"remember the milk\n", "this is no mesh that facet knows: it begins with 'remember'"),
    "obj of lines": ("a.obj", b"v 0 0 0\nv 1 0 0\nl 1 2\nl 2 1\n", "there are no triangles in it: 2 lines passed over, the first: 'l' in line 3"),
    "obj of curves": ("a.obj", b"v 0 0 0\nv 1 0 0\ncstype bezier\ncurv 0 1 1 2\n", "2 lines passed over, the first: 'cstype' in line 3"),
    "obj in capitals": ("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nF 1 2 3\n", "1 line passed over, the first: 'F' in line 4"),
    "obj of edges": ("a.obj", b"v 0 0 0\nv 1 0 0\nf 1 2\n", "1 line passed over, the first: 'f' in line 3"),
    "ply of strips": ("a.ply", b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement tristrips 1\n"
                      b"property list int int vertex_indices\nend_header\n0 0 0\n3 0 0 0\n",
                      "there are no triangles in it: 1 of element 'tristrips' passed over"),
    "ply, another list": ("a.ply", ply(name="corners"), "its faces have no list vertex_indices, vertex_index or indices, but 'corners'"),
    "ply, another type": ("a.ply", ply(real="float128"), "'float128' is not a type of PLY"),
    "ply, a word of its header": ("a.ply", ply(extra="colour red"), "colour red: no line of a header"),
    "ply, cut": ("a.ply", ply("binary_little_endian")[:-20], "truncated: the header announces 12 of 'face', the file holds 10"),
    "off": ("a.off", b"OFF\n8 12 0\n", f"this is OFF, which facet does not read\n{CONVERT}"),
    "vtk": ("a.vtk", b"# vtk DataFile Version 3.0\n", f"this is VTK, which facet does not read\n{CONVERT}"),
    "vtk called stl": ("a.stl", b"# vtk DataFile Version 3.0\n", "this is VTK"),
    "vtu": ("a.vtu", b"<VTKFile type='UnstructuredGrid'>\n", f"this is VTK, which facet does not read\n{CONVERT}"),
    "gmsh": ("a.msh", b"$MeshFormat\n4.1 0 8\n", f"this is gmsh, which facet does not read\n{CONVERT}"),
    "medit": ("a.mesh", b"MeshVersionFormatted 2\n", f"this is Medit, which facet does not read\n{CONVERT}"),
    "tetgen, which are numbers": ("a.node", b"4 3 0 0\n1 0 0 0\n", f"this is TetGen, which facet does not read\n{CONVERT}"),
    "npz": ("a.npz", b"PK\x03\x04", "this is NumPy"),
    "nastran": ("a.bdf", b"GRID 1\n", f"this is Nastran, which facet does not read\n{CONVERT}"),
    "3mf": ("a.3mf", b"PK\x03\x04", "this is 3MF, which facet does not read\n  help: convert it by trimesh"),
    "glb": ("a.glb", b"glTF\x02\0\0\0", "this is glTF, which facet does not read\n  help: convert it by trimesh"),
    "gltf": ("a.gltf", b'{"asset": {}}', "this is glTF"),
    "step": ("a.step", b"ISO-10303-21;\n", "this is STEP, which facet does not read\n  help: mesh it by gmsh"),
    "iges": ("a.igs", b" " * 72 + b"S      1\n", "this is IGES"),
    "fbx": ("a.fbx", b"Kaydara FBX Binary  \0", "this is FBX, which facet does not read\n  help: export it as STL, OBJ or PLY"),
    "pdb": ("a.pdb", b"ATOM\n", "this is PDB, atoms, which facet does not read\n  help: make a table of its atoms"),
    "npy": ("a.npy", b"\x93NUMPY\x01\0", "this is NumPy, which facet does not read\n  help: load it in Python"),
    "gz": ("a.stl.gz", b"\x1f\x8b\x08", "this is gzip, which facet does not read\n  help: unpack it first"),
    "zip": ("a.stl", b"PK\x03\x04", "this is zip"),
    "utf-16": ("a.stl", "solid a".encode("utf-16"), "this is UTF-16 text, which facet does not read\n  help: write it as UTF-8"),
}


@pytest.mark.parametrize("name", READ)
def test_read(name, tmp_path):
    file, content, warning = READ[name]
    (tmp_path / file).write_bytes(content)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        mesh = facet.Mesh.read(tmp_path / file)
        said = [str(w.message) for w in heard if "nm" not in str(w.message).partition(file)[2]]
    if len(mesh.triangles):
        assert mesh.report.volume == pytest.approx(6000, rel=1e-9) and f_of(mesh) == pytest.approx(F, rel=1e-6)
    else:  # areas, normals and centroids
        assert len(mesh) == 12 and mesh.report.volume == pytest.approx(6000, rel=1e-9)
    assert said == [] if warning is None else warning in said[0] and len(said) == 1


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, tmp_path):
    file, content, words = REFUSED[name]
    (tmp_path / file).write_bytes(content)
    with pytest.raises(facet.Error) as refused:
        facet.Mesh.read(tmp_path / file)
    assert words in str(refused.value)


def test_commands_warn_of_what_is_passed_over(command, tmp_path):
    import subprocess

    from conftest import BUILD
    (tmp_path / "a.stl").write_bytes(binary_stl(tail=b"\n"))
    for words in (["inspect", "a.stl"], ["convert", "a.stl", "-o", "a.h5"]):
        done = subprocess.run([BUILD / "bin/facet", "mesh", *words], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert f"facet: warning: a.stl: 1 byte {BEHIND}" in done.stderr


class Holder:
    """Stands in for an object of another package, by what it has."""

    def __init__(self, **has):
        self.__dict__.update(has)


def polydata(vertices=VERTICES, faces=FACES):
    made = Holder(points=vertices, faces=np.hstack([np.full((len(faces), 1), 3), faces]).ravel() if len(faces) else np.array([]))
    made.triangulate = lambda: made
    return made


def scene(**parts):
    parts = {name: Holder(units=None, **has) for name, has in (parts or {"box": {"vertices": VERTICES - 7, "faces": FACES}}).items()}
    return Holder(geometry=parts, graph=None, to_mesh=lambda: Holder(vertices=VERTICES, faces=FACES))


HELD = {
    "path": lambda folder: folder / "box.ply",
    "name": lambda folder: str(folder / "box.ply"),
    "triangles": lambda folder: VERTICES[FACES],
    "float32": lambda folder: VERTICES[FACES].astype("f4"),
    "lists": lambda folder: VERTICES[FACES].tolist(),
    "a pair": lambda folder: (VERTICES, FACES),
    "trimesh": lambda folder: Holder(vertices=VERTICES, faces=FACES),
    "trimesh, in mm": lambda folder: facet.Mesh.of(Holder(vertices=VERTICES * 1e-6, faces=FACES, units="millimeters"), unit="mm"),
    "trimesh, in nm": lambda folder: Holder(vertices=VERTICES, faces=FACES, units="nm"),
    "scene": lambda folder: scene(),
    "PolyData": lambda folder: polydata(),
    "grid": lambda folder: Holder(extract_surface=polydata, points=VERTICES, cells=np.arange(9)),
    "meshio": lambda folder: Holder(points=VERTICES, cells=[Holder(type="line", data=[[0, 1]]), Holder(type="triangle", data=FACES)]),
    "meshio, quads": lambda folder: Holder(points=VERTICES, cells=[Holder(type="quad", data=QUADS)]),
    "numpy-stl": lambda folder: Holder(vectors=VERTICES[FACES].astype("f4"), normals=None),
    "open3d": lambda folder: Holder(vertices=VERTICES, triangles=FACES),
}


@pytest.mark.parametrize("name", HELD)
def test_what_people_hold(name, tmp_path):
    (tmp_path / "box.ply").write_bytes(ply())
    mesh = HELD[name](tmp_path)
    assert facet.Mesh.of(mesh).report.volume == pytest.approx(6000)
    assert f_of(mesh) == pytest.approx(F, rel=1e-6)


@pytest.mark.parametrize("mesh, words", [
    (scene(curve={"vertices": VERTICES}), "this scene has no mesh of triangles, but curve"),
    (scene(box={"vertices": VERTICES, "faces": FACES}, curve={"vertices": VERTICES}), "of this scene 'curve' is no mesh of triangles"),
    (polydata(faces=FACES[:0]), "this PolyData has points, and no faces"),
    (Holder(points=VERTICES, cells=[Holder(type="tetra", data=[[0, 1, 2, 3]])]), "cells of the type 'tetra'.*\n.*extract_surface"),
    (Holder(points=VERTICES, cells=[Holder(type="triangle", data=FACES), Holder(type="triangle6", data=[])]), "cells of the type 'triangle6'"),
    (Holder(combine=None, n_blocks=2, __len__=None), "blocks of PyVista"),
    (7, "mesh: is int\n  help: give a facet.Mesh"),
    ("none.stl", "there is no such file"),
], ids=str)
def test_what_is_no_surface(mesh, words):
    if hasattr(mesh, "n_blocks"):
        mesh = type("Blocks", (list,), {"combine": None, "n_blocks": 2})([1, 2])
    with pytest.raises(facet.Error, match=words):
        facet.Mesh.of(mesh)


def test_units_that_are_stated():
    held = Holder(vertices=VERTICES, faces=FACES, units="millimeters")
    with pytest.raises(facet.Error, match="says that its unit is 'millimeters'\n  help: facet.Mesh.of"):
        facet.kernels.exact(held, q=Q)
    assert facet.Mesh.of(held, unit=1).report.high[0] == 5
    assert facet.Mesh.of(held, unit="mm").report.high[0] == pytest.approx(5e6)
    with pytest.raises(facet.Error, match="facet.Mesh.of takes it"):
        facet.Mesh(held)
