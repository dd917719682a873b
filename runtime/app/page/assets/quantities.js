// quantities.js - what is seen of a view of a result: of F a quantity of a slice, of an image its pixels by one choice of
// axes.
//
//   const seen = await facet.quantities(view, result);   {kind: "image", "curve" or "points", spec, controls, onchange}
//
// spec is what facet.image or facet.curve takes. controls are elements; they change spec and call onchange(changed).
"use strict";

facet.quantities = (() => {
  const { make, blob } = facet.page, number = (value, digits) => (digits ? facet.scale.short(value, digits) : facet.scale.exact(value));
  const named = (name, unit) => (unit && unit !== "1" ? `${name} (${unit})` : name);
  const f64 = (bytes) => new Float64Array(bytes.buffer);
  const choice = (text, choices, value, use) => make("label", text, make("select", { onchange: (event) => use(event.target.value) },
    Object.entries(choices).map(([key, name]) => make("option", { value: key, selected: key === String(value) }, name))));

  /** Numbers of the page's data, where one that is not finite is null. */
  const numbersOf = (list) => Float64Array.from(list, (value) => value ?? NaN);
  const rises = (values) => values.every((x, k) => Number.isFinite(x) && (k === 0 || x > values[k - 1]));
  /** An axis by its values, if they rise or fall, else by their numbers: a picture has no place for others. */
  function axisBy(label, list) {
    const centres = numbersOf(list);
    if (rises(centres) || rises([...centres].reverse())) return { label, centres };
    return { label: `number of ${label}`, centres: centres.map((_, k) => k) };
  }

  // Images
  function pixelNumbers(n, step) {
    return Float64Array.from({ length: n }, (_, k) => k * step + (step - 1) / 2);
  }
  /** What is behind a pixel of a detector: row, column, where it looks. */
  const lookOf = (seen, row, column) => {
    const [qx, qy, qz] = seen.q(row, column), { alpha, phi } = seen.angles(row, column), text = (x) => number(x, 8);
    return [["row", number(row)], ["column", number(column)], ["qx", text(qx)], ["qy", text(qy)], ["qz", text(qz)], ["alpha_f (deg)", text(alpha)], ["phi_f (deg)", text(phi)]];
  };
  /** An image whose pixels others are taken from: by facet.geometry.mapped. */
  function mappedSpec(base, seen, axes, view) {
    const map = facet.geometry.mapped(seen, axes), [down, across] = view.step, n = map.pixels.length;
    const values = new Float64Array(n).fill(NaN), mask = new Uint8Array(n).fill(base.mask ? 3 : 0), { columns } = seen.detector;
    const from = (cell) => Math.floor(Math.floor(map.pixels[cell] / columns) / down) * base.columns + Math.floor((map.pixels[cell] % columns) / across);
    for (let cell = 0; cell < n; ++cell) {
      if (map.pixels[cell] < 0) continue;
      values[cell] = base.values[from(cell)];
      mask[cell] = base.mask?.[from(cell)] ?? 0;
    }
    const read = (row, column) => {
      const pixel = map.pixels[row * map.columns + column];
      return pixel < 0 ? [[map.x.label, number(map.x.centres[column], 8)], [map.y.label, number(map.y.centres[row], 8)]] : lookOf(seen, Math.floor(pixel / columns), pixel % columns);
    };
    return { values, mask: base.mask && mask, rows: map.rows, columns: map.columns, x: map.x, y: map.y, read };
  }

  async function ofImage(view, result) {
    const values = f64(await blob(view.values)), mask = view.state && (await blob(view.state)), { detector, beam } = result.scene ?? {};
    const isDetector = detector?.rows === view.of[0] && detector?.columns === view.of[1] && beam?.wavelength > 0;
    const seen = isDetector && facet.geometry(detector, { alpha: view.alpha_i ?? null, wavelength: beam.wavelength });
    const whole = view.step.every((step) => step === 1);
    const own = (axis) => axisBy(axis.unit === "pixels" ? `detector ${axis.name}` : named(axis.name, axis.unit), axis.values);
    const pixels = { x: { label: "detector column", centres: pixelNumbers(view.columns, view.step[1]) }, y: { label: "detector row", centres: pixelNumbers(view.rows, view.step[0]) } };
    const base = { values, mask, rows: view.rows, columns: view.columns };
    const kinds = seen ? { pixels: "pixels", angles: "angles", q: "q" } : { own: "as in the file", pixels: "pixels" };
    const cache = new Map();
    const shapeOf = (axes) => {
      if (!cache.has(axes)) cache.set(axes, axes === "own" ? { ...base, x: own(view.x), y: own(view.y), read: null } : axes === "pixels"
        ? { ...base, ...pixels, read: seen && whole ? (row, column) => lookOf(seen, row, column) : null } : mappedSpec(base, seen, axes, view));
      return cache.get(axes);
    };
    const asked = result.scene?.axes, first = seen ? (kinds[asked] ? asked : "pixels") : "own";
    const made = { kind: "image", onchange: null };
    made.spec = { ...shapeOf(first), label: named(view.quantity, view.unit), log: result.scene?.log ?? true, decades: result.scene?.decades ?? 6, equal: true, without: view.without };
    made.controls = [choice("axes", kinds, first, (axes) => made.onchange?.(shapeOf(axes)))];
    made.note = whole ? null : `The file has ${view.of[0]} x ${view.of[1]} pixels; this is the mean of each ${view.step[0]} x ${view.step[1]}.`;
    return made;
  }

  // F
  const quantities = {
    "|F|^2": { of: (re, im) => re * re + im * im, log: true },
    "|F|": { of: (re, im) => Math.hypot(re, im), log: true },
    re: { of: (re) => re, map: "Diverging" },
    im: { of: (re, im) => im, map: "Diverging" },
    phase: { of: (re, im) => (Number.isNaN(re) ? NaN : Math.atan2(im, re)), map: "Cyclic" },
  };
  const unitOf = (quantity, unit) => (quantity === "phase" ? "rad" : !unit ? "arb. units" : quantity === "|F|^2" ? `${/\^|\//.test(unit) && !/^\w+\^\d+$/.test(unit) ? `(${unit})` : unit.replace(/\^(\d+)$/, "")}^${2 * Number(/^\w+\^(\d+)$/.exec(unit)?.[1] ?? 1)}` : unit);

  /** F of a view with its place in it: slices across an axis, steps, quantities. */
  class Field {
    constructor(view, numbers) {
      Object.assign(this, { view, numbers, step: 0, axis: 0, at: 0 });
      this.size = view.shape[0] * view.shape[1] * view.shape[2];
      this.long = [0, 1, 2].filter((k) => view.shape[k] > 1);
      this.axis = this.long.length === 3 ? 0 : [0, 1, 2].find((k) => view.shape[k] === 1) ?? 0;
      this.at = view.shape[this.axis] >> 1;
      this.pick();
    }
    /** Real outputs and means have one number each. */
    isReal() {
      return Boolean(this.view.means) || this.view.real[this.step];
    }
    pick(quantity = this.isReal() ? "value" : "|F|^2") {
      this.quantity = this.isReal() ? "value" : quantity;
      const { unit, means, real } = this.view, name = this.name();
      this.label = this.isReal() ? (means && !real[this.step] ? `|F|^2 (${unitOf("|F|^2", unit)})` : named(name, unit || "arb. units"))
        : `${this.quantity.startsWith("|") ? this.quantity.replace("F", name) : `${this.quantity} ${name}`} (${unitOf(this.quantity, unit)})`;
    }
    value(place) {
      const at = this.step * this.size + place;
      return this.view.means ? this.numbers[at] : this.isReal() ? this.numbers[2 * at] : quantities[this.quantity].of(this.numbers[2 * at], this.numbers[2 * at + 1]);
    }
    /** That of an output, or of F. */
    name() {
      const step = this.view.steps[this.step];
      return step && !step.includes(" = ") ? step : this.view.quantity;
    }
    parts(place) {
      const at = 2 * (this.step * this.size + place);
      return this.isReal() ? [] : [[`re ${this.name()}`, number(this.numbers[at])], [`im ${this.name()}`, number(this.numbers[at + 1])]];
    }
    axisSpec(k) {
      const { name, unit, values } = this.view.axes[k];
      if (this.view.grid === "image" && this.view.axes[k].values.length !== this.view.shape[k]) return { label: k === 1 ? "detector row" : "detector column", centres: pixelNumbers(this.view.shape[k], 1) };
      return axisBy(unit === "pixels" ? `detector ${name}` : named(name, unit), values);
    }
    /** How an image looks: the first of the other axes to the right, the second upwards; rows of an image upwards. */
    sides() {
      const others = [0, 1, 2].filter((k) => k !== this.axis);
      return this.view.grid === "image" ? [2, 1] : others;
    }
    place(across, up, column, row) {
      const [, ny, nz] = this.view.shape, index = [0, 0, 0];
      index[this.axis] = this.at;
      index[across] = column, index[up] = row;
      return (index[0] * ny + index[1]) * nz + index[2];
    }
    image() {
      const [across, up] = this.sides(), columns = this.view.shape[across], rows = this.view.shape[up], values = new Float64Array(rows * columns);
      const mask = this.view.missing && new Uint8Array(rows * columns);
      for (let row = 0, at = 0; row < rows; ++row) for (let column = 0; column < columns; ++column, ++at) {
        values[at] = this.value(this.place(across, up, column, row));
        if (mask && Number.isNaN(values[at])) mask[at] = facet.raster.MISSING;
      }
      const x = this.axisSpec(across), y = this.axisSpec(up), slice = this.view.axes[this.axis];
      const read = (row, column) => [[x.label, number(x.centres[column])], [y.label, number(y.centres[row])],
        ...(this.long.length === 3 ? [[named(slice.name, slice.unit), number(slice.values[this.at] ?? NaN)]] : []), ...this.parts(this.place(across, up, column, row))];
      const { map = "Sequential", log = false } = quantities[this.quantity] ?? { log: true };
      return { values, rows, columns, x, y, mask: mask || null, read, label: this.label, map, log };
    }
    curve() {
      const along = this.view.grid === "product" ? this.long[0] ?? 2 : 2, n = this.view.shape[along];
      const points = this.view.grid === "points", axis = this.axisSpec(along);
      const length = (k) => Math.hypot(...this.view.axes.map(({ values }) => values[k] ?? NaN));
      const x = points ? { label: "|q| (1/nm)", values: Float64Array.from({ length: n }, (_, k) => length(k)) } : { label: axis.label, values: axis.centres };
      const order = points ? [...x.values.keys()].sort((a, b) => x.values[a] - x.values[b]) : [...x.values.keys()];
      return { x: { label: x.label, values: Float64Array.from(order, (k) => x.values[k]) }, label: this.label,
        lines: [{ label: this.label, values: Float64Array.from(order, (k) => this.value(k)) }] };
    }
  }

  function sliceControls(field, change) {
    const { view } = field, text = make("output.slice");
    const tell = () => (text.textContent = `${number(view.axes[field.axis].values[field.at] ?? NaN, 6)} (${field.at + 1} of ${view.shape[field.axis]})`);
    const slider = make("input", { type: "range", min: 0, max: view.shape[field.axis] - 1, value: field.at, oninput: () => {
      field.at = Number(slider.value);
      tell();
      change(false);
    } });
    const axis = choice("slice across", Object.fromEntries(field.long.map((k) => [k, view.axes[k].name])), field.axis, (k) => {
      field.axis = Number(k);
      field.at = view.shape[field.axis] >> 1;
      slider.max = view.shape[field.axis] - 1;
      slider.value = field.at;
      tell();
      change(true);
    });
    tell();
    return [axis, make("label.wide", make("span", "at ", text), slider)];
  }

  async function ofField(view) {
    const field = new Field(view, f64(await blob(view.values))), flat = view.grid === "points" || field.long.length < 2;
    const made = { kind: flat ? "curve" : "image", onchange: null, field };
    const now = () => (flat ? field.curve() : field.image());
    made.spec = { ...now(), equal: true, decades: 6, logY: true };
    const change = (moved) => made.onchange?.(now(), moved);
    const kinds = choice("quantity", Object.fromEntries(Object.keys(quantities).map((name) => [name, name.replace("F", view.quantity).replace("^2", "²")])), "|F|^2", (name) => {
      field.pick(name);
      change(true);
    });
    const steps = choice(view.real.length > 1 && !view.steps[0].includes(" = ") ? "output" : "step", Object.fromEntries(view.steps.map((name, k) => [k, name])), 0, (k) => {
      field.step = Number(k);
      field.pick();
      kinds.hidden = field.isReal();
      change(true);
    });
    kinds.hidden = field.isReal();
    made.controls = [...(view.steps.length > 1 ? [steps] : []), kinds, ...(!flat && field.long.length === 3 ? sliceControls(field, change) : [])];
    const of = view.of ?? view.shape, [slices, ...sides] = view.step ?? [1, 1, 1];
    made.note = view.means ? `The file has ${of.join(" x ")} numbers; these are means of |F|^2 over ${sides.join(" x ")}${slices > 1 ? `, and each ${slices}th slice` : ""}.` : null;
    return made;
  }

  function ofCurve(view) {
    const values = numbersOf(view.values), errors = view.errors?.map((value) => value ?? 0), label = named(view.quantity, view.unit || "arb. units");
    const note = view.step > 1 ? `The file has ${view.of} points; this is the mean of each ${view.step}.` : values.every(Number.isNaN) ? "The run is not finished: the curve is not computed." : null;
    return { kind: "curve", controls: [], note, spec: { x: { label: named(view.x.name, view.x.unit), values: numbersOf(view.x.values) }, lines: [{ label, values, errors }], label, logX: view.logX, logY: true } };
  }

  return (view, result) => ({ image: ofImage, F: ofField, curve: ofCurve })[view.kind](view, result);
})();
