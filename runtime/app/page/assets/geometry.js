// geometry.js - where pixels of a flat detector look, as runtime/scattering/detector has it: pyFAI's convention, the
// sample's frame with x along the beam, y to the left, z up.
//
//   const seen = facet.geometry(detector, {alpha, wavelength});  lengths m, angles deg, wavelength nm; alpha null: transmission
//   seen.q(row, column)        [qx, qy, qz], nm^-1
//   seen.angles(row, column)   {alpha, phi}, deg
//   seen.find(alpha, phi)      [row, column], fractions of pixels, or null; seen.findQ(qy, qz) the same
"use strict";

facet.geometry = (detector, { alpha, wavelength }) => {
  const { rows, columns, pixel1, pixel2, distance, poni1, poni2, orientation } = detector, degree = Math.PI / 180;
  const k = (2 * Math.PI) / wavelength, incident = (alpha ?? 0) * degree, cosine = Math.cos(incident), sine = Math.sin(incident);
  const [s1, s2, s3] = detector.rotation.map(Math.sin), [c1, c2, c3] = detector.rotation.map(Math.cos);
  const turn = [
    [c2 * c3, c3 * s1 * s2 - c1 * s3, -(c1 * c3 * s2 + s1 * s3)],
    [c2 * s3, c1 * c3 + s1 * s2 * s3, -(c1 * s2 * s3 - c3 * s1)],
    [s2, -c2 * s1, c1 * c2],
  ];
  const flipRow = (row) => (orientation <= 2 ? rows - 1 - row : row);
  const flipColumn = (column) => (orientation === 1 || orientation === 4 ? columns - 1 - column : column);

  /** The unit vector along which a pixel looks, in the sample's frame. */
  function direction(row, column) {
    const p = [(flipRow(row) + 0.5) * pixel1 - poni1, (flipColumn(column) + 0.5) * pixel2 - poni2, distance];
    const [up, right, along] = turn.map((line) => line[0] * p[0] + line[1] * p[1] + line[2] * p[2]);
    const length = Math.sqrt(up * up + right * right + along * along), [x, y, z] = [along / length, -right / length, up / length];
    return [cosine * x + sine * z, y, -sine * x + cosine * z];
  }
  function q(row, column) {
    const [x, y, z] = direction(row, column); // 1 - x without cancellation near the beam
    const back = x > 0 ? (y * y + (z - sine) * (z + sine)) / (cosine + x) : cosine - x;
    return [-k * back, k * y, k * (z + sine)];
  }
  function angles(row, column) {
    const [x, y, z] = direction(row, column);
    return { alpha: Math.asin(z) / degree, phi: Math.atan2(y, x) / degree };
  }
  /** Where the plane of the detector is met along a direction, by sines and cosines of its angles; null: nowhere. */
  function meet(sinA, cosA, sinP, cosP) {
    const x = cosA * cosP, up = sine * x + cosine * sinA, right = -cosA * sinP, along = cosine * x - sine * sinA;
    const far = turn[0][2] * up + turn[1][2] * right + turn[2][2] * along;
    if (!(far > 0)) return null;
    const scale = distance / far, p0 = turn[0][0] * up + turn[1][0] * right + turn[2][0] * along, p1 = turn[0][1] * up + turn[1][1] * right + turn[2][1] * along;
    return [flipRow((p0 * scale + poni1) / pixel1 - 0.5), flipColumn((p1 * scale + poni2) / pixel2 - 0.5)];
  }
  function find(alphaF, phiF) {
    const a = alphaF * degree, b = phiF * degree;
    return meet(Math.sin(a), Math.cos(a), Math.sin(b), Math.cos(b));
  }
  function findQ(qy, qz) {
    const up = qz / k - sine, across = qy / (k * Math.sqrt(1 - up * up));
    return Math.abs(up) < 1 && Math.abs(across) < 1 ? meet(up, Math.sqrt(1 - up * up), across, Math.sqrt(1 - across * across)) : null;
  }
  return { detector, q, angles, find, findQ };
};

/**
 * A detector's image over even steps of angles ("angles") or of qy and qz ("q"): each cell is the pixel that looks there.
 * Gives {rows, columns, x, y, pixels}: pixels[cell] is row * columns + column of the detector, -1: none looks there.
 */
facet.geometry.mapped = (seen, axes) => {
  const { rows, columns } = seen.detector, most = 1500, isQ = axes === "q";
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  const see = (row, column) => {
    const { alpha, phi } = isQ ? {} : seen.angles(row, column), [, x, y] = isQ ? seen.q(row, column) : [0, phi, alpha];
    left = Math.min(left, x), right = Math.max(right, x), low = Math.min(low, y), high = Math.max(high, y);
  };
  const some = (n) => Array.from({ length: n }, (_, k) => k).filter((k) => k % 8 === 0 || k === n - 1);
  for (let row = 0; row < rows; ++row) see(row, 0), see(row, columns - 1);
  for (let column = 0; column < columns; ++column) see(0, column), see(rows - 1, column);
  for (const row of some(rows)) for (const column of some(columns)) see(row, column); // what looks farthest may lie within
  const centres = (from, to, n) => Float64Array.from({ length: n }, (_, i) => from + ((to - from) * (i + 0.5)) / n);
  const made = { rows: Math.min(rows, most), columns: Math.min(columns, most) };
  made.x = { label: isQ ? "qy (1/nm)" : "phi_f (deg)", centres: centres(left, right, made.columns) };
  made.y = { label: isQ ? "qz (1/nm)" : "alpha_f (deg)", centres: centres(low, high, made.rows) };
  made.pixels = new Int32Array(made.rows * made.columns).fill(-1);
  for (let r = 0, at = 0; r < made.rows; ++r)
    for (let c = 0; c < made.columns; ++c, ++at) {
      const [x, y] = [made.x.centres[c], made.y.centres[r]], place = isQ ? seen.findQ(x, y) : seen.find(y, x);
      if (!place) continue;
      const row = Math.round(place[0]), column = Math.round(place[1]);
      if (row >= 0 && column >= 0 && row < rows && column < columns) made.pixels[at] = row * columns + column;
    }
  return made;
};
