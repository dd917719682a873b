# compare_ranks.py - the tables of facet plan --ranks of one mesh, whole and in blocks.
import re

tables = {}
for name in ("whole", "blocks"):
    with open(f"{name}.txt") as file:
        text = file.read()
    row = re.search(r"^ +1 (.*)$", text, re.M)[1].replace("%", "").replace("MB", "").split()
    tables[name] = dict(zip(("seconds", "efficiency", "memory", "start", "mesh", "compute", "write", "error"), map(float, row)))
    units = int(re.search(r"(\d+) units? of", text)[1])
print(f"units: {units}")
ratio = tables["blocks"]["compute"] / tables["whole"]["compute"]
# Of a tenth of the mesh it would be a tenth; speeds are measured, on machines that may be busy.
print(f"compute alike: {1 / 3 < ratio < 3}")
