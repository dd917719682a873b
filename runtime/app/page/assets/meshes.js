// meshes.js - meshes made or read in a page: 9 numbers a triangle, nm, outward by the right hand.
//
//   facet.meshes.box([20, 30, 10], 5); facet.meshes.sphere(10, 2); facet.meshes.stl(bytes)
"use strict";

globalThis.facet = globalThis.facet ?? {};

facet.meshes = (() => {
  /** A box about the origin: 2 n^2 triangles a face. */
  function box(size, n) {
    const corners = [], at = (axis, side, u, v) => {
      const place = [0, 0, 0];
      place[axis] = (side * size[axis]) / 2;
      place[(axis + 1) % 3] = (u / n - 0.5) * size[(axis + 1) % 3];
      place[(axis + 2) % 3] = (v / n - 0.5) * size[(axis + 2) % 3];
      return place;
    };
    for (let axis = 0; axis < 3; ++axis)
      for (const side of [-1, 1])
        for (let u = 0; u < n; ++u)
          for (let v = 0; v < n; ++v) {
            const [a, b, c, d] = [at(axis, side, u, v), at(axis, side, u + 1, v), at(axis, side, u + 1, v + 1), at(axis, side, u, v + 1)];
            corners.push(...(side > 0 ? [a, b, c, a, c, d] : [a, c, b, a, d, c]));
          }
    return Float64Array.from(corners.flat());
  }

  /** An octahedron whose faces are cut into four, `cuts` times, with its corners on the sphere: 8 * 4^cuts triangles. */
  function sphere(radius, cuts) {
    const unit = (p) => p.map((x) => x / Math.hypot(...p)), middle = (a, b) => unit(a.map((x, k) => x + b[k]));
    let faces = [];
    for (const x of [-1, 1])
      for (const y of [-1, 1])
        for (const z of [-1, 1]) faces.push(x * y * z > 0 ? [[x, 0, 0], [0, y, 0], [0, 0, z]] : [[x, 0, 0], [0, 0, z], [0, y, 0]]);
    for (let cut = 0; cut < cuts; ++cut)
      faces = faces.flatMap(([a, b, c]) => {
        const [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
        return [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]];
      });
    return Float64Array.from(faces.flat(2), (x) => radius * x);
  }

  const most = 200000; // triangles: more take seconds an image

  /** The corners of an STL file, binary or text. Throws an Error that says what is wrong with it. */
  function stl(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const count = bytes.length >= 84 ? view.getUint32(80, true) : 0, whole = bytes.length >= 84 && bytes.length === 84 + 50 * count;
    const start = new TextDecoder("latin1").decode(bytes.subarray(0, 512));
    const corners = !whole && /^\s*solid/i.test(start) ? ofText(new TextDecoder().decode(bytes)) : ofBytes(view, count);
    if (!corners.length) throw new Error("the file has no triangles");
    if (!corners.every(Number.isFinite)) throw new Error("the file has a coordinate that is not finite");
    let largest = 0;
    for (const x of corners) largest = Math.max(largest, Math.abs(x));
    if (largest > 1e6) throw new Error(`a coordinate of ${largest.toPrecision(3)}: lengths are nm, at most 1e6`);
    return corners;
  }

  function enough(count) {
    if (count > most) throw new Error(`the file has ${count} triangles: a page takes at most ${most}; facet run takes all`);
  }
  function ofBytes(view, count) {
    if (view.byteLength < 84) throw new Error(`the file is no STL: ${view.byteLength} bytes, and a binary one has 84 at least`);
    if (view.byteLength !== 84 + 50 * count)
      throw new Error(`the file is no STL, or damaged: for ${count} triangles it would have ${84 + 50 * count} bytes, and it has ${view.byteLength}`);
    enough(count);
    const corners = new Float64Array(9 * count);
    for (let t = 0; t < count; ++t) for (let k = 0; k < 9; ++k) corners[9 * t + k] = view.getFloat32(84 + 50 * t + 12 + 4 * k, true);
    return corners;
  }
  /** Of each facet three lines `vertex x y z`. */
  function ofText(text) {
    const words = text.split(/\s+/), corners = [], facets = [];
    for (let k = 0; k < words.length; ++k) {
      const word = words[k].toLowerCase();
      if (word === "vertex") {
        const place = words.slice(k + 1, k + 4), numbers = place.map(Number);
        if (place.length < 3 || place.some((one) => one === "") || numbers.some(Number.isNaN))
          throw new Error(`corner ${corners.length / 3 + 1}: "vertex ${place.join(" ").slice(0, 60)}" has no three numbers`);
        corners.push(...numbers);
        k += 3;
      } else if (word === "endfacet") {
        facets.push(corners.length);
        if (corners.length !== 9 * facets.length) throw new Error(`triangle ${facets.length} has no three corners`);
        enough(facets.length);
      }
    }
    if (corners.length !== 9 * facets.length) throw new Error("the file ends within a triangle");
    return Float64Array.from(corners);
  }

  /** Corners from a page's own bytes: how many different ones, their coordinates (f32), three of them a triangle (uint16). */
  function indexed(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), start = 4 + 12 * view.getUint32(0, true);
    return Float64Array.from({ length: (3 * (bytes.byteLength - start)) / 2 }, (_, k) =>
      view.getFloat32(4 + 12 * view.getUint16(start + 2 * Math.floor(k / 3), true) + 4 * (k % 3), true));
  }

  /** Least and largest of each axis. */
  function bounds(corners) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (let k = 0; k < corners.length; ++k) {
      low[k % 3] = Math.min(low[k % 3], corners[k]);
      high[k % 3] = Math.max(high[k % 3], corners[k]);
    }
    return { low, high };
  }

  /** Corners turned by a rotation (9 numbers, row by row) about `centre`, which goes to the origin. */
  function turned(corners, r, [cx, cy, cz] = [0, 0, 0]) {
    const made = new Float64Array(corners.length);
    for (let k = 0; k < corners.length; k += 3) {
      const x = corners[k] - cx, y = corners[k + 1] - cy, z = corners[k + 2] - cz;
      made[k] = r[0] * x + r[1] * y + r[2] * z;
      made[k + 1] = r[3] * x + r[4] * y + r[5] * z;
      made[k + 2] = r[6] * x + r[7] * y + r[8] * z;
    }
    return made;
  }

  return { box, sphere, stl, indexed, bounds, turned };
})();
