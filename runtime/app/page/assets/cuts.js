// cuts.js - cuts through an image, along a row and along a column under the mouse: means over a width in pixels.
//
//   const cuts = facet.cuts(image, {name});   page.append(cuts.element);   cuts.place({row, column}) puts them there
//
// A click on the image keeps the cut there, and another lets it follow the mouse again. Pixels without a number do not
// count, like in facet's own cuts.
"use strict";

facet.cuts = (() => {
  const { make } = facet.page;

  /** First and past-last of `width` pixels around one. */
  function band(at, width, n) {
    const first = at - Math.floor((width - 1) / 2);
    return [Math.max(0, first), Math.min(n, first + width)];
  }
  /** Means along a row (rows [first, last)), or along a column. NaN where no pixel has a number. */
  function along({ values, rows, columns, mask }, isRow, [first, last]) {
    const n = isRow ? columns : rows, sums = new Float64Array(n), counts = new Int32Array(n);
    for (let r = isRow ? first : 0; r < (isRow ? last : rows); ++r)
      for (let c = isRow ? 0 : first; c < (isRow ? columns : last); ++c) {
        const at = r * columns + c, value = values[at];
        if (!Number.isFinite(value) || mask?.[at]) continue;
        sums[isRow ? c : r] += value;
        ++counts[isRow ? c : r];
      }
    return sums.map((sum, k) => (counts[k] ? sum / counts[k] : NaN));
  }

  return function (image, { name = "image" } = {}) {
    let at = { row: image.spec.rows >> 1, column: image.spec.columns >> 1 }, kept = false, width = 1;
    const told = make("p.told", { "aria-live": "polite" });
    const field = make("input", { type: "number", min: 1, max: 999, step: 1, value: 1, "aria-label": "width of cuts in pixels", oninput: () => {
      const given = Math.round(Number(field.value));
      if (given >= 1) (width = given), show();
    } });
    const keep = make("button", { type: "button", "aria-pressed": "false", onclick: () => hold(!kept) }, "keep");
    const curves = ["x", "y"].map((axis) => facet.curve({ x: { label: image.spec[axis].label, values: image.spec[axis].centres }, lines: [{ label: image.spec.label, values: [], dense: true }],
      label: image.spec.label, fixedX: true, height: 240, logY: image.colours().log, name: `${name}_${axis === "x" ? "along_a_row" : "along_a_column"}`,
      named: axis === "x" ? "cut along a row" : "cut along a column", before: make("h3", axis === "x" ? "along a row" : "along a column") }));

    function hold(on) {
      kept = on;
      keep.setAttribute("aria-pressed", on);
      show();
    }
    function show() {
      const { spec } = image;
      at = { row: Math.min(at.row, spec.rows - 1), column: Math.min(at.column, spec.columns - 1) };
      const bands = { x: band(at.row, width, spec.rows), y: band(at.column, width, spec.columns) };
      curves.forEach((curve, k) => {
        const axis = k ? "y" : "x", changed = curve.spec.x.label !== spec[axis].label || curve.spec.label !== spec.label;
        curve.set({ x: { label: spec[axis].label, values: spec[axis].centres }, lines: [{ label: spec.label, values: along(spec, !k, bands[axis]), dense: true }], ...(changed ? { label: spec.label } : {}) });
      });
      cuts.bands = bands;
      const place = (axis, index) => [facet.scale.nodes(spec[axis].label), ` = ${facet.scale.short(spec[axis].centres[index], 6)}`];
      told.replaceChildren(...["Row ", `${at.row}: `, ...place("y", at.row), "; column ", `${at.column}: `, ...place("x", at.column), width > 1 ? `; means of ${width} pixels.` : ".", kept ? " Kept: click the image to let go." : " Click the image to keep it."].flat());
      image.drawOver();
    }
    function draw(pen) {
      const { edges, box } = image, { x, y } = cuts.bands;
      const line = (x0, y0, x1, y1) => [["rgba(0,0,0,0.55)", 3], ["#fff", 1]].forEach(([colour, wide]) => {
        pen.strokeStyle = colour;
        pen.lineWidth = wide;
        pen.beginPath(), pen.moveTo(x0, y0), pen.lineTo(x1, y1), pen.stroke();
      });
      const [low, high] = [image.toY(edges.y[x[0]]), image.toY(edges.y[x[1]])], [left, right] = [image.toX(edges.x[y[0]]), image.toX(edges.x[y[1]])];
      const thin = (a, b) => (Math.abs(a - b) < 4 ? [(a + b) / 2] : [a, b]);
      for (const at of thin(low, high)) line(box.left, at, box.left + box.width, at);
      for (const at of thin(left, right)) line(at, box.top, at, box.top + box.height);
    }
    const cuts = {
      element: make("div.cuts", make("div.controls", make("label", "width (pixels)", field), keep), told, curves.map((curve) => curve.element)),
      curves,
      bands: null,
      place(cell) {
        at = { ...cell };
        show();
      },
    };
    image.over.push((pen) => cuts.bands && draw(pen));
    image.spec.onmark = (cell) => cell && !kept && cuts.place(cell);
    image.spec.onpick = (row, column) => {
      if (!kept) cuts.place({ row, column });
      hold(!kept);
    };
    let shown = image.spec.values;
    image.listeners.push(() => {
      if (shown !== image.spec.values) (shown = image.spec.values), show();
    });
    show();
    return cuts;
  };
})();
