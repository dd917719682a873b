"""Compiles a variant of a kernel for CUDA by facetc: its PTX, how it is launched, what ptxas makes of it."""
import copy
import dataclasses
import functools
import json
import math
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import sass
import tools


@dataclass(frozen=True)
class Variant:
    """One sum of a kernel, as facetc's options name it; knobs: "hardware=1,tile_y=8"."""
    kernel: str
    grid: str = "product"
    q: str = "real"
    number: str = "f32"  # class
    algorithm: str = "direct"
    knobs: str = ""

    def of(self, knobs):
        return dataclasses.replace(self, knobs=knobs)

    def __str__(self):
        return " ".join(filter(None, (Path(self.kernel).stem, self.algorithm, self.grid, self.q, self.number, self.knobs)))


def of_library(program, kernel, target):
    """Every sum that a library of this kernel holds for a target, as its manifest says."""
    done = subprocess.run([program, kernel, "--emit=manifest", f"--targets={target}"], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{kernel}: {done.stderr.strip()}")
    return [Variant(kernel, v["grid"], "real" if v["q"] == "real" else "cplx", v["class"], v["algorithm"])
            for v in json.loads(done.stdout)["variants"]]


def facetc(program, v, stage, target, *more):
    """What facetc prints, None where the kernel has no such sum; raises RuntimeError with its message."""
    command = [program, v.kernel, f"--emit={stage}", f"--targets={target}", f"--grid={v.grid}", f"--q={v.q}",
               f"--class={v.number}", f"--algorithms={v.algorithm}", *more]
    if v.knobs:
        command.append(f"--knobs={v.knobs}")
    done = subprocess.run(command, capture_output=True)
    if done.returncode:
        raise RuntimeError(f"{v}: {done.stderr.decode().strip()}")
    return done.stdout.decode(errors="replace")


def split(stmt):
    """(PTX, {kernel: Launch}) of Halide's statements, which hold both."""
    ptx = re.search(r"buffer cuda_gpu_source_kernels = \{\n?(.*?)\x00", stmt, re.S)
    if not ptx:
        raise RuntimeError("no PTX in these statements")
    launches = {}
    for name, args in re.findall(r'halide_cuda_run\([^"]*"([\w$]+)", (.*?)\(void \*\)make_struct', stmt):
        *_, x, y, z, shared = args.rstrip(", ").rsplit(", ", 4)
        if not re.fullmatch(r"[\d\s+*()]+", shared):
            raise RuntimeError(f"{name}: shared memory is not a number: {shared}")
        # A sum of products of numbers, as `0 + (3072*4)`.
        terms = re.sub(r"[\s()]", "", shared).split("+")
        launches[name] = tools.Launch(int(x) * int(y) * int(z),
                                      sum(math.prod(int(n) for n in term.split("*")) for term in terms))
    return ptx[1], launches


class Built:
    """A variant's kernels for an architecture."""

    def __init__(self, ptx, launches, arch):
        with tempfile.TemporaryDirectory() as folder:
            cubin = Path(folder) / "sums.cubin"
            self.kernels = tools.ptxas(ptx, arch, cubin)
            self.cubin = cubin.read_bytes()
        self.arch = arch
        self.launch(launches)

    def launch(self, launches):
        for name, launch in launches.items():
            self.kernels[name].launch = launch

    def launched(self, launches):
        """The same machine code, started in another way."""
        built = copy.copy(self)
        built.kernels = {name: copy.copy(kernel) for name, kernel in self.kernels.items()}
        built.launch(launches)
        return built

    @functools.cached_property
    def text(self):
        """Machine code as nvdisasm writes it, None without that program."""
        with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
            file.write(self.cubin)
            file.flush()
            return tools.disassemble(file.name)

    def main(self):
        """The kernel that sums: the others, which clear sums and gather them, need neither registers nor shared memory."""
        return max(self.kernels.values(), key=lambda k: (k.launch.shared, k.registers))

    def faults(self):
        return [f"{self.arch} {k.name}: {fault}" for k in self.kernels.values() for fault in k.faults()]

    def loop(self):
        """(Kernel, names of the inner loop's instructions)."""
        kernel, names = sass.inner_loop(self.text)
        return self.kernels[kernel], names


def build(program, v, target="cuda-sm_80", archs=("sm_80", "sm_90")):
    """{architecture: Built} of a variant."""
    ptx, launches = split(facetc(program, v, "stmt", target))
    return {arch: Built(ptx, launches, arch) for arch in archs}


def number(knobs, name):
    """A knob of "tile_y=8,tile_z=2"."""
    return int(re.search(rf"\b{name}=(\d+)", knobs)[1])


def tqp(v):
    """Triangle-q-points a thread does in one pass of its inner loop; the variant's knobs say them."""
    rows = 1 if v.grid == "points" else number(v.knobs, "tile_y")
    return rows * number(v.knobs, "tile_z") * number(v.knobs, "unroll_t")


def counted(program, v):
    """Instructions a TQP by facetc's counts, what rows and columns of the tile share included."""
    plain = Variant(v.kernel, v.grid, v.q, v.number, v.algorithm, "addition=0")
    manifest = json.loads(facetc(program, plain, "manifest", "native"))
    n = manifest["variants"][0]["operations"]
    if v.grid == "points":
        return n["inner_instructions"]
    return (n["inner_instructions"] + n["row_instructions"] / number(v.knobs, "tile_z")
            + n["column_instructions"] / number(v.knobs, "tile_y"))
