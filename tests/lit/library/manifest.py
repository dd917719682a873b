"""Reads a manifest: manifest.py FILE.json KERNEL.cpp; prints what it says, checks the hash."""
import json
import sys

manifest = json.load(open(sys.argv[1]))
value = 0xCBF29CE484222325  # FNV-1a, 64 bits
for byte in open(sys.argv[2], "rb").read():
    value = (value ^ byte) * 0x100000001B3 % 2**64
hashes = {f["path"]: f["hash"] for f in manifest["files"]}
if hashes[sys.argv[2]] != f"{value:016x}":
    sys.exit("hash differs")
print("hash matches")
print("kernel:", manifest["name"])
print("command:", manifest["made_by"]["command"])
print("columns:", *manifest["columns"])
for v in manifest["variants"]:
    print(v["target"], v["class"], v["grid"], v["q"], v["operations"]["inner_flops"])
print(len(manifest["variants"]), "variants")
