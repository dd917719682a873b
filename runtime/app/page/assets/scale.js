// scale.js - places of numbers on axes and in colours: ticks, ranges, and texts as pictures write them.
//
//   facet.scale.ticks(low, high, parts)      {ticks: [{at, text}], power}: numbers times 10^power
//   facet.scale.logTicks(low, high, parts)   the same for 10^low to 10^high; `at` is a power of ten
//   facet.scale.range(values, mask)          {low, high, smallest}: of finite numbers without a mask, and of those above 0
//   facet.scale.pieces("I (nm^2)")           [{text, raise}]: raise is 1 above the line, -1 below, else 0
"use strict";

facet.scale = (() => {
  const slack = 1e-9; // of a step: rounding hides no tick at an end

  const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  /** A power in Unicode: "⁻³". */
  const raised = (power) => [...String(power)].map((c) => (c === "-" ? "⁻" : digits[c])).join("");

  /** The step 1, 2 or 5 times a power of ten that cuts `range` into about `parts`. */
  function niceStep(range, parts) {
    const rough = range / parts, power = 10 ** Math.floor(Math.log10(rough));
    return power * ([1, 2, 5].find((factor) => factor * power >= rough * 0.999) ?? 10);
  }

  function powerOf(largest) {
    const power = Math.floor(Math.log10(largest) + slack);
    return Number.isFinite(power) && (power >= 4 || power <= -3) ? power : 0;
  }

  /** A number whose neighbours are `step` away, both in parts of 10^power. */
  function textOf(value, step, power) {
    const scale = 10 ** -power;
    const places = Math.min(15, Math.max(0, -Math.floor(Math.log10(step * scale) + slack)));
    return (value * scale).toFixed(places).replace(/^-(?=[0.]*$)/, "").replace("-", "−");
  }

  function ticks(low, high, parts) {
    const largest = Math.max(Math.abs(low), Math.abs(high)), power = powerOf(largest), found = [];
    let step = niceStep(high - low, parts);
    if (!(step > 1e-13 * largest)) return { ticks: found, power };
    while (Math.floor(high / step + slack) - Math.ceil(low / step - slack) < 1) step = niceStep(high - low, (parts *= 2));
    for (let i = Math.ceil(low / step - slack); i <= high / step + slack; ++i) found.push({ at: i * step, text: textOf(i * step, step, power) });
    return { ticks: found, power };
  }

  /** Whole powers if there are two of them at least, else numbers. */
  function logTicks(low, high, parts) {
    if (Math.floor(high + slack) - Math.ceil(low - slack) >= 1) {
      const step = Math.max(1, Math.ceil((high - low) / Math.max(parts, 1))), found = [];
      for (let at = Math.ceil((low - slack) / step) * step; at <= high + slack; at += step) found.push({ at, text: "10" + raised(at) });
      return { ticks: found, power: 0 };
    }
    const linear = ticks(10 ** low, 10 ** high, parts);
    return { ...linear, ticks: linear.ticks.map(({ at, text }) => ({ at: Math.log10(at), text })) };
  }

  function range(values, mask) {
    let low = Infinity, high = -Infinity, smallest = Infinity;
    for (let i = 0; i < values.length; ++i) {
      const value = values[i];
      if (value - value !== 0 || (mask && mask[i])) continue; // no number, or an infinite one
      if (value < low) low = value;
      if (value > high) high = value;
      if (value > 0 && value < smallest) smallest = value;
    }
    return low <= high ? { low, high, smallest } : { low: 0, high: 0, smallest };
  }

  /** Edges half way between centres. */
  function edges(centres) {
    const n = centres.length, made = new Float64Array(n + 1);
    if (n === 1) return made.set([centres[0] - 0.5, centres[0] + 0.5]), made;
    for (let i = 1; i < n; ++i) made[i] = 0.5 * (centres[i - 1] + centres[i]);
    made[0] = 2 * centres[0] - made[1];
    made[n] = 2 * centres[n - 1] - made[n - 1];
    return made;
  }

  const greek = { alpha: "α", phi: "φ", psi: "ψ", chi: "χ", theta: "θ", Omega: "Ω", Sigma: "Σ", sigma: "σ" };
  const units = { "1/nm": "nm⁻¹", "1/angstrom": "Å⁻¹", deg: "°", degrees: "°", angstrom: "Å" };

  /** A unit as people write it: "nm⁻¹", "nm⁶". */
  const unit = (name) => units[name] ?? name.replace(/\^(-?\d+)/g, (_, power) => raised(Number(power)));

  /** What is written of a name such as alpha_f, qy, |F|^2, "I (nm^2)": letters, some lowered. */
  function pieces(text) {
    const nice = text.replace(/\((1\/nm|1\/angstrom|deg|degrees)\)/g, (_, name) => `(${unit(name)})`)
      .replace(/\bd([sS])igma\/dOmega/g, (_, s) => (s === "S" ? "dΣ/dΩ" : "dσ/dΩ"))
      .replace(/\^(-?\d+)/g, (_, power) => raised(Number(power)))
      .replace(/\b([qQ])([xyz])\b/g, "$1_$2")
      .replace(/\b(alpha|phi|psi|chi|theta)(?![a-z])/g, (name) => greek[name]);
    return nice.split(/(_[a-z]+)(?![\w^])/g).filter(Boolean)
      .map((part, k, all) => (/^_[a-z]+$/.test(part) && k > 0 && /(^|[^\w])\w$|[α-ω]$/.test(all[k - 1]) ? { text: part.slice(1), raise: -1 } : { text: part, raise: 0 }));
  }

  /** The same as nodes of a page. */
  const nodes = (text) => pieces(text).map((piece) => (piece.raise < 0 ? facet.page.make("sub", piece.text) : piece.text));

  /** A number for people: to some digits, with a power of ten where it is far from 1. */
  function short(value, digits = 4) {
    const far = value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6);
    return far && Number.isFinite(value) ? String(value.toExponential(digits - 1)).replace(/\.?0*e\+?/, "e") : facet.page.number(value, digits);
  }

  /** All digits: the shortest text that gives the same double again. */
  function exact(value) {
    const far = value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e7);
    return far && Number.isFinite(value) ? value.toExponential().replace("e+", "e") : facet.page.number(value);
  }

  return { short, exact, ticks, logTicks, niceStep, range, edges, raised, unit, pieces, nodes };
})();
