"""Prints requests for facetc --serve: one for each argument, FIELD=VALUE,FIELD=VALUE over the defaults.

requests.py KERNEL FOLDER NUMBER;FIELD=VALUE;... : libraries are FOLDER/NUMBER.so
"""
import json
import sys

kernel, folder, *lines = sys.argv[1:]
for line in lines:
    number, *fields = line.split(";")
    request = {"id": int(number), "file": kernel, "algorithm": "direct", "class": "f32", "target": "sse41",
               "grid": "product", "q": "real", "knobs": "", "output": f"{folder}/{number}.so"}
    request.update(field.split("=", 1) for field in fields)
    print(json.dumps(request))
