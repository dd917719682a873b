#!/usr/bin/env python3
"""q of every pixel of a flat detector: a list of points on the curved Ewald sphere, as text for facet.

    make_points.py [ROWS COLUMNS] > points.txt

Transmission: the beam runs along x and meets the middle of the detector. q = k (u - x), u the direction
of the pixel: no two pixels share a q.x, so no product of axes holds these q.
"""
import math
import sys

rows, columns = (int(n) for n in sys.argv[1:3]) if len(sys.argv) > 2 else (180, 200)
wavelength = 0.124      # nm
distance = 1.0          # m, from the particle to the detector
pixel = 8.6e-4          # m: small pixels of 172 um, 5 x 5 together
k = 2 * math.pi / wavelength

print(f"# rows {rows} columns {columns}")
print("# qx qy qz, nm^-1; row 0 is the bottom")
for i in range(rows):
    for j in range(columns):
        up = (i + 0.5 - rows / 2) * pixel
        left = -(j + 0.5 - columns / 2) * pixel
        length = math.sqrt(distance**2 + left**2 + up**2)
        print(f"{k * (distance / length - 1):.9g} {k * left / length:.9g} {k * up / length:.9g}")
