// comparison.js - several results beside one another: on one scale, their difference, their ratio; curves in one plot.
"use strict";

facet.comparison = (() => {
  const { make } = facet.page;
  const alike = (a, b) => a.length === b.length && a.every((x, k) => Math.abs(x - b[k]) <= 1e-9 * Math.max(Math.abs(x), Math.abs(b[k]), 1e-300));
  const select = (text, choices, use) => make("label", text, make("select", { onchange: (event) => use(event.target.value) }, choices.map(([value, name]) => make("option", { value }, name))));

  /** What two images have in common: why they cannot be compared pixel by pixel, or null. */
  function obstacle(a, b) {
    if (a.rows !== b.rows || a.columns !== b.columns) return `One has ${a.rows} x ${a.columns} values, the other ${b.rows} x ${b.columns}: only one scale can be shared.`;
    if (!alike(a.x.centres, b.x.centres) || !alike(a.y.centres, b.y.centres)) return "Their axes differ: values at equal places in the arrays are compared.";
    return null;
  }
  const bad = (spec, k) => spec.mask?.[k] || !Number.isFinite(spec.values[k]);
  function combined(a, b, of) {
    return a.values.map((value, k) => (bad(a, k) || bad(b, k) ? NaN : of(value, b.values[k])));
  }
  const modes = {
    scale: "one scale",
    difference: "difference, A - B",
    ratio: "ratio, A / B",
  };

  class Images {
    constructor(views) {
      Object.assign(this, { views, a: 0, b: 1, mode: "scale" });
      const names = views.map(({ name }, k) => [k, name]);
      const choice = (key) => {
        const label = select(key.toUpperCase(), names, (k) => ((this[key] = Number(k)), this.show()));
        label.querySelector("select").value = this[key];
        return label;
      };
      this.note = make("p.soft");
      this.place = make("div.pair");
      this.element = make("section.pane", make("h2", "Images"), make("div.controls", choice("a"), choice("b"), select("compare by", Object.entries(modes), (mode) => ((this.mode = mode), this.show()))), this.note, this.place);
      this.show();
    }
    show() {
      const [a, b] = [this.views[this.a], this.views[this.b]].map(({ seen }) => seen.now), why = obstacle(a, b);
      this.images = [];
      if (this.mode === "scale" || (why && a.values.length !== b.values.length)) this.sideBySide(a, b);
      else this.combine(a, b);
      this.note.textContent = why ?? "";
    }
    sideBySide(a, b) {
      this.images = [a, b].map((spec) => facet.image({ ...spec, onmark: null, onpick: null }));
      const [first, second] = this.images, ends = this.images.map((image) => image.colours());
      const low = Math.min(...ends.map((end) => end.low)), high = Math.max(...ends.map((end) => end.high));
      for (const image of this.images) image.set({ low, high });
      const linked = !obstacle(a, b);
      const follow = (from, to) => from.listeners.push(() => {
        const { low: newLow, high: newHigh, log, map } = from.spec;
        if (to.spec.low !== newLow || to.spec.high !== newHigh || to.spec.log !== log || to.spec.map !== map) to.set({ low: newLow, high: newHigh, log, map });
        if (linked && JSON.stringify(to.view) !== JSON.stringify(from.view)) to.setView(from.view);
      });
      follow(first, second), follow(second, first);
      this.place.replaceChildren(...this.images.map((image, k) => make("div", make("h3", `${"AB"[k]}: ${this.views[k ? this.b : this.a].name}`), facet.imageControls(image, { name: `image_${"AB"[k]}` }), image.element)));
    }
    combine(a, b) {
      const isRatio = this.mode === "ratio", values = combined(a, b, isRatio ? (x, y) => (y === 0 ? NaN : x / y) : (x, y) => x - y);
      const ends = facet.scale.range(values), most = Math.max(-ends.low, ends.high) || 1;
      const image = facet.image({ ...a, values, mask: null, onmark: null, onpick: null, label: isRatio ? "A / B" : a.label.replace(/^[^(]*/, "A - B "), map: isRatio ? "Sequential" : "Diverging", log: isRatio && ends.low > 0 && ends.high > 30 * ends.low,
        low: isRatio ? null : -most, high: isRatio ? null : most });
      this.images = [image];
      this.place.replaceChildren(make("div", make("h3", `${modes[this.mode]}: A ${this.views[this.a].name}, B ${this.views[this.b].name}`), facet.imageControls(image, { name: this.mode }), image.element));
    }
  }

  /** Curves of one kind: with the same axis and unit. The largest kind is first. */
  function kindsOf(views) {
    const kinds = new Map();
    for (const view of views) {
      const { x, label } = view.seen.now, kind = `${label} over ${x.label}`;
      kinds.set(kind, [...(kinds.get(kind) ?? []), view]);
    }
    return [...kinds].filter(([, some]) => some.length > 1);
  }

  class Curves {
    constructor(kinds) {
      Object.assign(this, { views: kinds[0][1], mode: "scale" });
      this.note = make("p.soft");
      this.place = make("div");
      const which = kinds.length > 1 ? select("curves", kinds.map(([kind], k) => [k, kind]), (k) => ((this.views = kinds[k][1]), this.show())) : null;
      this.element = make("section.pane", make("h2", "Curves"), make("div.controls", which, select("compare by", [["scale", "one plot"], ["difference", "difference to the first"], ["ratio", "ratio to the first"]], (mode) => ((this.mode = mode), this.show()))), this.note, this.place);
      this.show();
    }
    show() {
      const specs = this.views.map(({ seen }) => seen.now), first = specs[0], same = specs.filter((spec) => alike(spec.x.values, first.x.values));
      const name = (spec) => this.views[specs.indexOf(spec)].name, of = this.mode === "ratio" ? (x, y) => x / y : (x, y) => x - y;
      const x = Float64Array.from(new Set(specs.flatMap((spec) => [...spec.x.values]))).sort();
      const placed = (spec) => {
        const at = new Map([...spec.x.values].map((value, k) => [value, spec.lines[0].values[k]]));
        return x.map((value) => at.get(value) ?? NaN);
      };
      const lines = this.mode === "scale" ? specs.map((spec) => ({ label: name(spec), values: same.length === specs.length ? spec.lines[0].values : placed(spec) }))
        : same.slice(1).map((spec) => ({ label: name(spec), values: spec.lines[0].values.map((value, k) => of(value, first.lines[0].values[k])) }));
      this.note.textContent = this.mode !== "scale" && same.length < specs.length ? "Curves at other places than the first are left out." : "";
      this.curve = facet.curve({ x: { label: first.x.label, values: same.length === specs.length ? first.x.values : x }, lines, label: this.mode === "scale" ? first.label : this.mode, logX: first.logX, logY: this.mode === "scale", name: "curves", height: 380 });
      this.place.replaceChildren(this.curve.element);
    }
  }

  /** `views`: {name, seen: {kind, now}}, of which `now` is what is shown at this time. */
  return (views) => {
    const images = views.filter(({ seen }) => seen.kind === "image"), curves = views.filter(({ seen }) => seen.kind === "curve"), made = [];
    if (images.length > 1) made.push(new Images(images));
    const kinds = kindsOf(curves);
    if (kinds.length) made.push(new Curves(kinds));
    return made;
  };
})();
