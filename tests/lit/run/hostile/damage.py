# damage.py - a copy of an HDF5 file, damaged such that HDF5 itself crashes.
#   damage.py heap|itself FROM TO
# heap: strings of attributes have numbers that their heap does not have; itself: F is virtual, made of itself.
import re
import sys

import h5py

what, source, target = sys.argv[1:]
with open(source, "rb") as file:
    data = bytearray(file.read())
if what == "heap":
    for heap in [found.start() for found in re.finditer(b"GCOL", data)]:
        for use in [found.end() for found in re.finditer(re.escape(heap.to_bytes(8, "little")), data)]:
            data[use + 3] |= 0x80  # the number's highest byte
with open(target, "wb") as file:
    file.write(data)
if what == "itself":
    with h5py.File(target, "a") as file:
        group = file["entry/amplitude"]
        shape, dtype, said = group["F"].shape, group["F"].dtype, dict(group["F"].attrs)
        del group["F"]
        layout = h5py.VirtualLayout(shape=shape, dtype=dtype)
        layout[...] = h5py.VirtualSource(".", "entry/amplitude/F", shape=shape)
        group.create_virtual_dataset("F", layout).attrs.update(said)
