"""Writes a schedule file for the kernel of a manifest, tuned on this machine with this facet.

    entry.py MANIFEST OUT.toml [KEY=VALUE ...]    other words; knobs=tile_y=6,...; version=: of facet
"""
import json
import sys

manifest = json.load(open(sys.argv[1]))
cpu = []
for line in open("/proc/cpuinfo"):
    if not line.strip():
        break
    if line.startswith(("vendor_id", "cpu family", "model\t", "model name", "stepping")):
        cpu.append(line.split(":", 1)[1].strip())
entry = {"kernel": manifest["name"], "shape": manifest["shape"], "algorithm": "direct", "class": "f32",
         "target": "sse41", "grid": "product", "q": "real", "cpu": " ".join(cpu),
         "facet": manifest["made_by"]["facet"], "halide": manifest["made_by"]["halide"], "date": "2026-01-02"}
entry |= dict(word.split("=", 1) for word in sys.argv[3:])
entry["facet"] = entry.pop("version", entry["facet"])
knobs = entry.pop("knobs", "tile_y=6,tile_z=1,block_t=64").replace("=", " = ").replace(",", ", ")
with open(sys.argv[2], "a") as out:
    out.write("[[schedule]]\n" + "".join(f'{key} = "{value}"\n' for key, value in entry.items())
              + f"knobs = {{ {knobs} }}\n")
