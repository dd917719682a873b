# plant_libraries.py PROGRAM ... - an empty file in this folder for each library the programs need: one that is loaded from
# here ends the program.
import pathlib
import re
import subprocess
import sys

for program in sys.argv[1:]:
    dynamic = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
    for library in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
        pathlib.Path(library).touch()
        print(library)
