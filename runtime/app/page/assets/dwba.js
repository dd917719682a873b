// dwba.js - what silicon does to the waves of a particle on it or in it: the four terms of docs/experiments.md.
//
//   const {alphaF, seen, channels} = facet.dwba.channels({qz, alphaI, wavelength, delta, beta, middle});
//
// qz: nm^-1, k_f - k_i. alphaI: degrees. n = 1 - delta + i beta of the silicon. middle: nm, the height of the middle of
// the particle above the surface; below 0 it is in the silicon. Channels have a value for each k of `seen`, where the
// theory has one: 0 <= sin(alpha_f) <= 1. A channel: q'.z, z and zIm, and the factor of F there, re and im.
"use strict";

globalThis.facet = globalThis.facet ?? {};

facet.dwba = (() => {
  // Complex numbers are pairs.
  const times = ([a, b], [c, d]) => [a * c - b * d, a * d + b * c];
  const over = ([a, b], [c, d]) => [(a * c + b * d) / (c * c + d * d), (b * c - a * d) / (c * c + d * d)];
  const plus = ([a, b], [c, d]) => [a + c, b + d];
  const minus = ([a, b], [c, d]) => [a - c, b - d];
  /** e^{i x} */
  const cis = ([a, b]) => [Math.exp(-b) * Math.cos(a), Math.exp(-b) * Math.sin(a)];
  /** The root whose imaginary part is not below 0. */
  function root([a, b]) {
    const size = Math.hypot(a, b), re = Math.sqrt((size + Math.abs(a)) / 2), im = re > 0 ? Math.abs(b) / (2 * re) : 0;
    const [x, y] = a >= 0 ? [re, im] : [im, re];
    return b < 0 ? [-x, y] : [x, y];
  }

  /** kz, and what comes down and goes up, T and R, at the middle of the particle; kz0: in vacuum. */
  function wave(kz0, { k, delta, beta, middle }) {
    const step = [-2 * delta + delta * delta - beta * beta, 2 * beta * (1 - delta)]; // n^2 - 1
    const inside = root([k * k * step[0] + kz0 * kz0, k * k * step[1]]), outside = [kz0, 0];
    if (middle < 0) { // T_1 = 2 kz_0 / (kz_0 + kz_1), R_1 = 0
      const t = over([2 * kz0, 0], plus(outside, inside));
      return { kz: inside, down: times(t, cis([-inside[0] * middle, -inside[1] * middle])), up: [0, 0] };
    }
    const r = over(minus(outside, inside), plus(outside, inside));
    return { kz: outside, down: cis([-kz0 * middle, 0]), up: times(r, cis([kz0 * middle, 0])) };
  }

  function channels({ qz, alphaI, wavelength, delta, beta, middle }) {
    const k = (2 * Math.PI) / wavelength, layers = { k, delta, beta, middle }, kzI = k * Math.sin((alphaI * Math.PI) / 180);
    const alphaF = Float64Array.from(qz, (q) => {
      const sine = (q - kzI) / k;
      return sine >= 0 && sine <= 1 ? (Math.asin(sine) * 180) / Math.PI : NaN;
    });
    const seen = [...alphaF.keys()].filter((row) => !Number.isNaN(alphaF[row]));
    const comes = wave(kzI, layers), goes = seen.map((row) => wave(qz[row] - kzI, layers));
    const four = [["down", "down", -1, -1], ["down", "up", -1, 1], ["up", "down", 1, -1], ["up", "up", 1, 1]];
    const made = (middle < 0 ? four.slice(0, 1) : four).map(([way, out, a, b]) => {
      const channel = Object.fromEntries(["z", "zIm", "re", "im"].map((name) => [name, new Float64Array(seen.length)]));
      goes.forEach((wave, j) => {
        [channel.z[j], channel.zIm[j]] = [0, 1].map((part) => a * comes.kz[part] + b * wave.kz[part]);
        [channel.re[j], channel.im[j]] = times(comes[way], wave[out]);
      });
      if (middle >= 0) channel.zIm = null;
      return channel;
    });
    return { alphaF, seen, channels: made };
  }

  /** n of silicon at a wavelength, between rows [wavelength, delta, beta] in ascending order: straight in logarithms. */
  function silicon(rows, wavelength) {
    const at = Math.min(Math.max(rows.findIndex(([one]) => one >= wavelength), 1), rows.length - 1), [a, b] = [rows[at - 1], rows[at]];
    const part = Math.log(wavelength / a[0]) / Math.log(b[0] / a[0]);
    const [delta, beta] = [1, 2].map((column) => a[column] * (b[column] / a[column]) ** part);
    return { delta, beta };
  }

  return { channels, silicon, wave };
})();
