// facts.js - what does not change by the pass: formulas of the algorithms, loops of the schedule, what the model counts, a roofline.
"use strict";

facet.explore.facts = (() => {
  const { data, make, number } = facet.page;
  const { explore } = facet;

  /** What explain says, a card for each of its parts, the first line as its head. */
  function formulas() {
    const cards = make("div.cards");
    const draw = () => cards.replaceChildren(...(explore.kernel().explanation ?? "").trimEnd().split("\n\n").map((part) => {
      const [head, ...lines] = part.split("\n");
      return make("div.card", make("h3", head), make("pre", lines.map((line) => line.replace(/^ {2}/, "")).join("\n")));
    }));
    explore.on("kernel", draw);
    draw();
    return make("section.pane#formulas", make("h2", "Formulas"), cards);
  }

  function loopText(row) {
    if (row.makes) return `make ${row.makes}`;
    return `for ${row.of || row.loop.split(".").pop()} (${row.loop}), ${row.extent} times`;
  }

  function loops() {
    const sum = explore.sum();
    if (!sum?.loops) return make("p.soft", "No loops: this algorithm is made of transforms.");
    return make("div.code.tree", { tabindex: 0, role: "group", "aria-label": "loops" }, sum.loops.map((row) => make("div", { style: `padding-left:${row.depth * 1.2}em` },
      row.makes ? ["make ", make("b", row.makes)] : ["for ", make("b", row.of || row.loop.split(".").pop()), make("span.soft", ` ${row.loop}, ${row.extent}`)])));
  }

  function schedule() {
    const body = make("div");
    const draw = () => body.replaceChildren(loops(), make("h3", "What the model counts"), make("pre", explore.variant()?.operations.text ?? ""));
    explore.on("kernel variant sum", draw);
    draw();
    return make("section.pane#schedule", make("h2", "Loops of the schedule"), body);
  }

  /** Decades of an axis of logarithms, and where a value lies on it, from 0 to 1. */
  function logAxis(values) {
    const low = Math.floor(Math.log10(Math.min(...values))), high = Math.ceil(Math.log10(Math.max(...values)));
    return { decades: Array.from({ length: high - low + 1 }, (_, k) => low + k), at: (value) => (Math.log10(value) - low) / (high - low) };
  }

  /** Points of a roofline's readings: one a level, measured, and where the tightest bound of the model lies. */
  function pointsOf(reading) {
    const tightest = Math.max(...reading.bounds.map(({ share }) => share)), speed = reading.flops_a_second;
    return reading.levels.map(({ level, flops_a_byte: intensity }) => ({ level, intensity, speed, bound: speed / tightest }))
      .filter(({ intensity }) => intensity > 0);
  }

  function roofline() {
    if (!data.roofline) return null;
    const { ceilings, kernels } = data.roofline, wide = 640, high = 360, left = 60, foot = 320;
    const points = kernels.flatMap((reading) => pointsOf(reading).map((point) => ({ ...point, name: `${reading.kernel} ${reading.algorithm} ${reading.class}` })));
    const top = Math.max(ceilings.flops_a_second.f32, ceilings.flops_a_second.f64);
    const x = logAxis([...points.map(({ intensity }) => intensity), 0.1, 100]), y = logAxis([...points.flatMap(({ speed, bound }) => [speed, bound]), top, top / 100]);
    const px = (value) => left + x.at(value) * (wide - left - 20), py = (value) => foot - y.at(value) * (foot - 20);
    const least = 10 ** x.decades[0], most = 10 ** x.decades.at(-1);
    const roofs = ceilings.levels.map(({ level, bytes_a_second: speed }) => {
      const bend = Math.min(top / speed, most), from = Math.max(10 ** y.decades[0] / speed, least);
      return [make("polyline.roof", { points: [[from, speed * from], [bend, speed * bend]].map(([a, b]) => `${px(a)},${py(b)}`).join(" ") }),
        make("text", { x: px(from) + 4, y: py(speed * from) - 6 }, level)];
    });
    const marks = points.map(({ name, level, intensity, speed, bound }) => make("g", make("circle.measured", { cx: px(intensity), cy: py(speed), r: 4 },
      make("title", `${name}, ${level}: ${number(speed / 1e9, 3)} GFLOP/s measured`)),
    make("circle.bound", { cx: px(intensity), cy: py(bound), r: 4 }, make("title", `${name}, ${level}: predicted ${number(bound / 1e9, 3)} GFLOP/s at most`))));
    const grid = [...x.decades.map((k) => make("text", { x: px(10 ** k), y: foot + 18, "text-anchor": "middle" }, String(10 ** k))),
      ...y.decades.map((k) => make("text", { x: left - 6, y: py(10 ** k) + 4, "text-anchor": "end" }, number(10 ** (k - 9), 3)))];
    return make("section.pane#roofline", make("h2", "Roofline"), make("svg", { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": "GFLOP/s over FLOP a byte" },
      make("line.axis", { x1: left, x2: wide - 20, y1: foot, y2: foot }), make("line.axis", { x1: left, x2: left, y1: 20, y2: foot }), grid,
      make("line.roof", { x1: px(least), x2: px(most), y1: py(ceilings.flops_a_second.f32), y2: py(ceilings.flops_a_second.f32) }), roofs, marks,
      make("text", { x: wide - 20, y: high - 4, "text-anchor": "end" }, "FLOP a byte; filled: measured, open: the most that the model predicts; GFLOP/s upwards")),
    kernels.map((reading) => make("p", reading.words.join(" "))));
  }

  return { formulas, schedule, roofline, loopText };
})();
