"""Runs ptxas and nvdisasm, reads what they say, and tells how many blocks a multiprocessor holds."""
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

DEVICES = tomllib.loads((Path(__file__).parent / "devices.toml").read_text())


def find(name):
    """Path of a CUDA program: of the PyPI wheel, so that versions are pinned, else of a toolkit; None if there is none."""
    for root in (sysconfig.get_path("purelib"), *sys.path):
        program = Path(root) / "nvidia/cu13/bin" / name
        if program.is_file():
            return str(program)
    toolkit = Path("/usr/local/cuda/bin") / name
    return str(toolkit) if toolkit.is_file() else shutil.which(name)


@dataclass
class Launch:
    """How the host starts a kernel."""
    threads: int
    shared: int = 0  # bytes, given at launch


@dataclass
class Kernel:
    """What ptxas says of one kernel for one architecture; bytes, but for registers."""
    name: str
    arch: str
    registers: int = 0
    stack: int = 0
    spill_stores: int = 0
    spill_loads: int = 0
    shared: int = 0
    launch: Launch = field(default_factory=lambda: Launch(0))

    def faults(self):
        """What a kernel must not have."""
        names = ("stack", "spill_stores", "spill_loads")
        return [f"{n.replace('_', ' ')}: {getattr(self, n)} bytes" for n in names if getattr(self, n)]


def ptxas(ptx, arch, cubin):
    """Assembles the text of a PTX file; returns Kernels by name. Raises RuntimeError with ptxas's words."""
    program = find("ptxas")
    if not program:
        raise RuntimeError("no ptxas: pip install nvidia-cuda-nvcc")
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        done = subprocess.run([program, "-v", f"-arch={arch}", file.name, "-o", str(cubin)],
                              capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"ptxas -arch={arch}: {done.stderr.strip()}")
    return read_ptxas(done.stdout + done.stderr, arch, bounds(ptx))


def bounds(ptx):
    """Threads a block as .reqntid or .maxntid say, by kernel."""
    found = {}
    for entry in re.split(r"\.entry\s+", ptx)[1:]:
        said = re.search(r"\.(?:reqntid|maxntid)\s+([\d, ]+)", entry.split("{")[0])
        if said:
            threads = 1
            for n in said[1].split(","):
                threads *= int(n)
            found[re.match(r"[\w$]+", entry)[0]] = threads
    return found


def read_ptxas(text, arch, threads):
    """Kernels of ptxas -v's text."""
    kernels = {}
    for part in re.split(r"Compiling entry function '", text)[1:]:
        kernel = Kernel(part.split("'")[0], arch)
        for name, pattern in (("registers", r"Used (\d+) registers"), ("stack", r"(\d+) bytes stack frame"),
                              ("spill_stores", r"(\d+) bytes spill stores"),
                              ("spill_loads", r"(\d+) bytes spill loads"), ("shared", r"(\d+) bytes smem")):
            if said := re.search(pattern, part):
                setattr(kernel, name, int(said[1]))
        kernel.launch = Launch(threads.get(kernel.name, 0))
        kernels[kernel.name] = kernel
    return kernels


def occupancy(kernel, device):
    """(warps a multiprocessor holds, what limits them); no warps where not even one block fits."""
    warps = -(-kernel.launch.threads // 32)
    if not warps:
        raise ValueError(f"{kernel.name}: threads a block are not known: no .maxntid or .reqntid, and none given")
    unit = device["register_unit"]
    per_warp = -(-kernel.registers * 32 // unit) * unit
    # Each sub-partition gives registers to warps of its own.
    sub = device["sub_partitions"]
    register_warps = device["registers"] // sub // per_warp * sub if per_warp else device["warps"]
    shared = -(-(kernel.shared + kernel.launch.shared + device["shared_reserved"]) // 128) * 128
    limits = {"registers": register_warps // warps, "shared memory": device["shared"] // shared,
              "warps": device["warps"] // warps, "blocks": device["blocks"]}
    by = min(limits, key=limits.get)
    return limits[by] * warps, by


def disassemble(cubin):
    """The text of nvdisasm, or None where there is no such program."""
    program = find("nvdisasm")
    if not program:
        return None
    done = subprocess.run([program, "-c", str(cubin)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"nvdisasm: {done.stderr.strip()}")
    return done.stdout
