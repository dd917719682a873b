// curves.js - curves by uPlot: logarithmic or linear, errors, what is under the mouse to all digits, PNG and CSV.
//
//   const curve = facet.curve({x: {label, values}, lines: [{label, values, errors}], label: "I (nm^2)", logX, logY, name});
//   page.append(curve.element);   curve.set({x, lines});   curve.plot is uPlot's
//
// Keys: left and right move the cursor, 0 shows all; dragging zooms.
"use strict";

facet.curve = (() => {
  const { make, save } = facet.page;
  const inks = { light: ["#0b57a4", "#b1400b", "#0c5c2c", "#6b2fa0", "#7a5b00", "#a11260"], dark: ["#8ec5ff", "#ffb27a", "#9be0b0", "#d0b3ff", "#e9d27a", "#ff9ccb"] };
  const decades = 10; // of a logarithmic scale, at most

  const plain = (text) => facet.scale.pieces(text).map((piece) => (piece.raise < 0 ? "_" : "") + piece.text).join("").replaceAll("q_", "q");

  /** Ticks of uPlot's axes: those of facet.scale. uPlot's own end at 1e-16. */
  function ticksOf(log, space) {
    return (plot, axis, low, high) => {
      const parts = Math.max(2, (axis === 0 ? plot.width - 80 : plot.height - 70) / space);
      if (!(high > low)) return { ticks: [], power: 0 };
      return log ? facet.scale.logTicks(Math.log10(low), Math.log10(high), parts) : facet.scale.ticks(low, high, parts);
    };
  }
  function axisOf(name, log, space) {
    const find = ticksOf(log, space), texts = new Map();
    return {
      label: name,
      splits(plot, axis, low, high) {
        const { ticks, power } = find(plot, axis, low, high), factor = power ? `·10${facet.scale.raised(power)}` : "";
        texts.clear();
        return ticks.map(({ at, text }) => {
          const place = log ? 10 ** at : at;
          texts.set(place, Number(text.replace("−", "-")) === 0 ? "0" : text + factor);
          return place;
        });
      },
      values: (_, splits) => splits.map((at) => texts.get(at) ?? ""),
      filter: (_, splits) => splits,
    };
  }
  /** The range of a scale with some room. */
  const rangeOf = (log, room) => (_, low, high) => {
    if (low == null) return log ? [0.1, 1] : [0, 1];
    if (log) return high > low ? [low / (high / low) ** room, high * (high / low) ** room] : [low / 2, high * 2];
    const by = high > low ? room * (high - low) : Math.abs(high) || 1;
    return [low >= 0 && room > 0 ? Math.min(0, low) : low - by, high + by];
  };
  const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

  class Curve {
    #pane = make("div.plot", { tabindex: 0, role: "img" });
    #controls = make("div.controls");
    element = make("div.curve", this.#controls, this.#pane);
    #due = false;

    constructor(spec) {
      this.spec = { logX: false, logY: true, height: 300, name: "curve", ...spec };
      this.#pane.setAttribute("aria-label", `${this.spec.named ?? this.spec.label}: left and right move the cursor, 0 shows all`);
      this.#addControls();
      this.#pane.addEventListener("keydown", (event) => this.#press(event));
      this.#pane.addEventListener("dblclick", () => this.#fill());
      facet.page.onTheme(() => this.#build());
      new ResizeObserver(() => this.#resize()).observe(this.#pane);
    }
    /** New numbers, of as many lines as before or others. */
    set(given) {
      const rebuild = given.lines && given.lines.length !== this.spec.lines.length || given.label || given.x?.label !== this.spec.x.label;
      Object.assign(this.spec, given);
      if (rebuild) return this.#build();
      if (this.#due || !this.plot) return;
      this.#due = true;
      requestAnimationFrame(() => {
        this.#due = false;
        this.#fill();
      });
    }
    #fill() {
      this.plot?.setData(this.#data());
    }
    /** What uPlot takes: places that rise; null where there is no number, or none on a logarithmic scale. */
    #data() {
      const { x, lines, logX, logY } = this.spec, order = Array.from(x.values, (_, k) => k);
      if (x.values.length > 1 && x.values.at(-1) < x.values[0]) order.reverse();
      this.order = order.filter((k) => Number.isFinite(x.values[k]) && (!logX || x.values[k] > 0));
      const most = Math.max(...lines.flatMap(({ values }) => facet.scale.range(values).high)), least = logY ? Math.max(most * 10 ** -decades, Number.MIN_VALUE) : -Infinity;
      const kept = (value) => (Number.isFinite(value) && (!logY || value >= least) ? value : null);
      return [this.order.map((k) => x.values[k]), ...lines.map(({ values }) => this.order.map((k) => kept(values[k])))];
    }
    #build() {
      this.plot?.destroy();
      this.plot = null;
      const { x, lines, label, logX, logY } = this.spec, width = this.#pane.clientWidth;
      if (!(width > 0) || !x.values.length) return;
      const css = getComputedStyle(this.element), text = css.getPropertyValue("--text").trim(), line = css.getPropertyValue("--line").trim();
      const colours = inks[facet.page.isDark() ? "dark" : "light"];
      const axis = (name, log, space) => ({ stroke: text, grid: { stroke: line, width: 0.5 }, ticks: { stroke: text, size: 5, width: 0.5 }, font: "12px system-ui, sans-serif",
        labelFont: "13px system-ui, sans-serif", labelSize: 18, gap: 2, ...axisOf(cut(plain(name), Math.floor(this.spec.height / 7.5)), log, space) });
      this.plot = new uPlot({
        width, height: this.spec.height,
        scales: { x: { time: false, distr: logX ? 3 : 1, range: rangeOf(logX, 0) }, y: { distr: logY ? 3 : 1, range: rangeOf(logY, 0.04) } },
        axes: [{ ...axis(x.label, logX, 80), size: 30 }, { ...axis(label, logY, logY ? 24 : 38), size: 66 }],
        series: [{ label: plain(x.label), value: (_, value) => (value == null ? "" : facet.scale.exact(value)) },
          ...lines.map((one, k) => ({ label: plain(one.label), stroke: colours[k % colours.length], width: 1.5, spanGaps: false, points: { show: x.values.length <= 60 && !one.dense, size: 5 },
            value: (_, __, s, at) => (at == null ? "" : facet.scale.exact(this.spec.lines[s - 1]?.values[this.order[at]] ?? NaN)) }))],
        cursor: { points: { size: 7 }, focus: { prox: 30 } },
        hooks: { draw: [(plot) => this.#drawErrors(plot, colours)] },
      }, this.#data(), this.#pane);
    }
    #drawErrors(plot, colours) {
      const pen = plot.ctx, { left, top, width, height } = plot.bbox;
      pen.save();
      pen.beginPath();
      pen.rect(left, top, width, height);
      pen.clip();
      this.spec.lines.forEach(({ values, errors }, k) => {
        if (!errors) return;
        pen.strokeStyle = colours[k % colours.length] + "80";
        pen.lineWidth = devicePixelRatio;
        pen.beginPath();
        for (const at of this.order) {
          const [low, high] = [values[at] - errors[at], values[at] + errors[at]];
          if (!(high > low)) continue;
          const x = plot.valToPos(this.spec.x.values[at], "x", true), bottom = this.spec.logY && low <= 0 ? top + height : plot.valToPos(low, "y", true);
          pen.moveTo(x, bottom);
          pen.lineTo(x, plot.valToPos(high, "y", true));
        }
        pen.stroke();
      });
      pen.restore();
    }
    #resize() {
      const width = this.#pane.clientWidth;
      if (!this.plot) return this.#build();
      if (width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: this.spec.height });
    }
    #press(event) {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!this.plot || event.ctrlKey || event.altKey || event.metaKey) return;
      if (step) {
        const n = this.order.length, at = Math.max(0, Math.min(n - 1, (this.plot.cursor.idx ?? (step > 0 ? -1 : n)) + step));
        this.plot.setCursor({ left: this.plot.valToPos(this.plot.data[0][at], "x"), top: this.plot.over.clientHeight / 2 });
      } else if (event.key === "0") this.#fill();
      else return;
      event.preventDefault();
    }

    #addControls() {
      const choice = (text, key) => make("label", text, make("select", { onchange: (event) => {
        this.spec[key] = event.target.value === "log";
        this.#build();
      } }, ["log", "linear"].map((value) => make("option", { value, selected: (value === "log") === this.spec[key] }, value === "log" ? "logarithmic" : "linear"))));
      const button = (text, title, onclick) => make("button", { type: "button", title, "aria-label": title, onclick }, text);
      this.#controls.append(...[this.spec.before, choice(this.spec.fixedX ? "scale" : "upwards", "logY"), this.spec.fixedX ? null : choice("across", "logX"),
        make("span.group", button("PNG", `save ${this.spec.name} as PNG`, () => this.#savePicture()), button("CSV", `save ${this.spec.name} as CSV`, () => this.#saveNumbers()))].filter(Boolean));
    }
    #saveNumbers() {
      const { x, lines, name } = this.spec, clean = (text) => text.replaceAll(/[,\n\r"]/g, " ");
      const head = [x.label, ...lines.flatMap((line) => [line.label, ...(line.errors ? [`error of ${line.label}`] : [])])].map(clean);
      const rows = Array.from(x.values, (at, k) => [at, ...lines.flatMap((line) => [line.values[k] ?? NaN, ...(line.errors ? [line.errors[k] ?? NaN] : [])])].join(","));
      save(`${name}.csv`, [head.join(","), ...rows].join("\n") + "\n", "text/csv");
    }
    #savePicture() {
      const from = this.plot.ctx.canvas, to = make("canvas", { width: from.width, height: from.height }), pen = to.getContext("2d");
      pen.fillStyle = getComputedStyle(this.element).getPropertyValue("--page").trim();
      pen.fillRect(0, 0, to.width, to.height);
      pen.drawImage(from, 0, 0);
      to.toBlob((blob) => save(`${this.spec.name}.png`, blob));
    }
  }

  return (spec) => new Curve(spec);
})();
