# compare_plans.py - the times that facet plan expects for one mesh, whole and in blocks.
import re

seconds = {}
for name in ("whole", "blocks"):
    with open(f"{name}.txt") as file:
        units, each = re.search(r"^units +(\d+) of .*, (\S+) s each$", file.read(), re.M).groups()
    seconds[name] = int(units) * float(each)
print(f"units: {units}")
ratio = seconds["blocks"] / seconds["whole"]
# For a tenth of the mesh the ratio would be a tenth; speeds are measured, on machines that may be busy.
print(f"seconds alike: {1 / 3 < ratio < 3}")
