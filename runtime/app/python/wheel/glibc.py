"""Makes a wheel, which holds what it needs but the C library, run with an older glibc than it was linked with.

    glibc.py WHEEL POLICY SHIM FOLDER     POLICY: of auditwheel, manylinux_2_28_x86_64; SHIM: glibc.c, compiled; FOLDER: where to write

A symbol whose version is newer than the policy's loses its version, so that it is found in any glibc that has it. That it is there in old ones
is checked: the glibc of this machine knows it by an older version too, or SHIM has it. The C++ library is the wheel's own.
"""
import shutil
import struct
import subprocess
import sys
from pathlib import Path

from auditwheel.architecture import Architecture
from auditwheel.libc import Libc
from auditwheel.policy import WheelPolicies, get_replace_platforms
from auditwheel.wheeltools import InWheelCtx, add_platforms
from elftools.elf.elffile import ELFFile

# What every version of a library has, by the first word of the versions' names.
OLDEST = {"GLIBC": b"GLIBC_2.2.5", "GLIBCXX": b"GLIBCXX_3.4", "CXXABI": b"CXXABI_1.3"}
SYSTEM = [f"/lib/x86_64-linux-gnu/{name}" for name in ("libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2")]
GLOBAL = 1  # a binding of symbols
NO_VERSION = 1


def hashed(name):
    """As version sections have it: the System V ABI's hash of names."""
    value = 0
    for byte in name:
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ (high >> 24)) & ~high
    return value


class Elf:
    """A file's tables of symbols, as bytes that can be changed."""

    def __init__(self, path):
        self.path, self.bytes = path, bytearray(path.read_bytes())
        with open(path, "rb") as file:
            elf = ELFFile(file)
            place = {s.name: (s["sh_offset"], s["sh_size"]) for s in elf.iter_sections()}
            symbols = elf.get_section_by_name(".dynsym")
            self.symbols = [(s.name, s["st_info"]["bind"], s["st_shndx"] == "SHN_UNDEF") for s in symbols.iter_symbols()] if symbols else []
        self.strings, self.needs, self.numbers, self.table = (
            place.get(name, (0, 0)) for name in (".dynstr", ".gnu.version_r", ".gnu.version", ".dynsym"))

    def text(self, offset):
        start = self.strings[0] + offset
        return bytes(self.bytes[start : self.bytes.index(0, start)])

    def versions(self):
        """(place, number, name) of each version that the file needs of others."""
        need, more = self.needs[0], bool(self.needs[1])
        while more:
            _, count, _, first, more = struct.unpack_from("<HHIII", self.bytes, need)
            entry = need + first
            for _ in range(count):
                _, _, number, name, step = struct.unpack_from("<IHHII", self.bytes, entry)
                yield entry, number, self.text(name).decode()
                entry += step
            need += more

    def number(self, index):
        return struct.unpack_from("<H", self.bytes, self.numbers[0] + 2 * index)[0]

    def rename_version(self, entry, name):
        start = self.bytes.find(b"\0" + name + b"\0", self.strings[0], sum(self.strings))
        if start < 0:
            sys.exit(f"glibc.py: {self.path.name}: nothing in it needs {name.decode()}")
        struct.pack_into("<I", self.bytes, entry, hashed(name))
        struct.pack_into("<I", self.bytes, entry + 8, start + 1 - self.strings[0])

    def set_number(self, index, number):
        struct.pack_into("<H", self.bytes, self.numbers[0] + 2 * index, number)

    def set_binding(self, index, binding):
        place = self.table[0] + 24 * index + 4
        self.bytes[place] = binding << 4 | self.bytes[place] & 15


def is_newer(version, policy):
    library, _, number = version.partition("_")
    return library in OLDEST and number not in policy.symbol_versions[library]


def lower(path, policy, known):
    """Whether the file needed something newer. `known`: symbols that old systems have, or SHIM."""
    elf = Elf(path)
    newer = {number: (entry, version) for entry, number, version in elf.versions() if is_newer(version, policy)}
    symbols = {number: [] for number in newer}
    for index, (name, binding, _) in enumerate(elf.symbols):
        if binding == "STB_LOOS":  # GNU's UNIQUE: one for all of a process, and so for the C++ library of others too
            elf.set_binding(index, GLOBAL)
        if elf.numbers[1] and (number := elf.number(index)) in newer:
            symbols[number].append(name)
            elf.set_number(index, NO_VERSION)
    for number, (entry, version) in newer.items():
        library = version.partition("_")[0]
        # A version without symbols stands for something else that a system must have, as GLIBC_ABI_DT_RELR does.
        missing = [name for name in symbols[number] if name not in known] if library == "GLIBC" else []
        if missing or not symbols[number]:
            sys.exit(f"glibc.py: {path.name} needs {version} ({', '.join(missing)}), which {policy.name} does not have\n"
                     "  help: functions can be added to glibc.c")
        elf.rename_version(entry, OLDEST[library])
    path.write_bytes(elf.bytes)
    return bool(newer)


def old_symbols(policy):
    """Those of this machine's glibc that have a version which is not newer."""
    found = set()
    for path in SYSTEM:
        for line in subprocess.run(["objdump", "-T", path], capture_output=True, text=True, check=True).stdout.splitlines():
            words = line.split()
            if len(words) > 5 and "*UND*" not in line and not is_newer(words[-2].strip("()"), policy):
                found.add(words[-1])
    return found


def main():
    wheel, name, shim, folder = sys.argv[1:]
    wheel, shim = Path(wheel), Path(shim)
    policy = WheelPolicies(libc=Libc.GLIBC, arch=Architecture.x86_64).get_policy_by_name(name)
    known = old_symbols(policy) | {symbol for symbol, _, is_undefined in Elf(shim).symbols if not is_undefined}
    with InWheelCtx(wheel) as content:
        for path in [path for path in content.path.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]:
            if lower(path, policy, known):
                rpath = subprocess.run(["patchelf", "--print-rpath", path], capture_output=True, text=True, check=True).stdout.strip()
                subprocess.run(["patchelf", "--add-needed", shim.name, "--force-rpath", "--set-rpath", rpath or "$ORIGIN", path], check=True)
        shutil.copy(shim, content.path / "facet.libs")
        content.out_wheel = Path(folder) / wheel.name
        content.out_wheel = add_platforms(content, [name], get_replace_platforms(name))


main()
