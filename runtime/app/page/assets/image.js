// image.js - an image that one looks into: axes, colours, zoom by wheel, drag and keys, the number under the mouse.
//
//   const image = facet.image({values, rows, columns, x: {centres, label}, y: {centres, label}, label: "I (nm^2)",
//                              mask, log: true, map: "Sequential", low, high, decades: 6, equal: true, named});
//   page.append(image.element);
//   image.setValues(values, {mask});      new numbers of the same shape: fast; {rows, columns, x, y} for another shape
//   image.set({log, map, low, high});     null for low and high: as the values have them
//
// values: rows x columns, a row after the other, row 0 at the least y; NaN: no number. mask: 1 where masked, 2 where
// not computed, 3 where there is no number (`without` says why). centres: of the cells, even or not. equal: both axes have one scale. read(row, column) gives
// [[name, text], ..] for the line below the image; over: functions that draw over it; onpick(row, column): a click.
"use strict";

facet.image = (() => {
  const { make } = facet.page;
  const keys = { "+": [0.5, 0, 0], "=": [0.5, 0, 0], "-": [2, 0, 0], ArrowLeft: [1, -0.1, 0], ArrowRight: [1, 0.1, 0], ArrowUp: [1, 0, 0.1], ArrowDown: [1, 0, -0.1] };

  /** Colour of a variable of the page's style. */
  const styled = (element, name) => getComputedStyle(element).getPropertyValue(name).trim();

  /** Writes a text with lowered letters; align: 0 left, 0.5 middle, 1 right. */
  function write(pen, text, x, y, align = 0, size = 12) {
    const font = (piece) => `${piece.raise ? 0.75 * size : size}px system-ui, sans-serif`;
    const parts = facet.scale.pieces(text).map((piece) => {
      pen.font = font(piece);
      return { ...piece, width: pen.measureText(piece.text).width };
    });
    let at = x - align * parts.reduce((sum, part) => sum + part.width, 0);
    pen.textAlign = "left";
    for (const part of parts) {
      pen.font = font(part);
      pen.fillText(part.text, at, y - part.raise * 0.25 * size);
      at += part.width;
    }
  }

  const withPower = (label, power) => {
    if (!power) return label;
    const factor = "10" + facet.scale.raised(power);
    return label.endsWith(")") ? label.replace(/\(([^(]*)$/, `(${factor} $1`) : `${label} (${factor})`;
  };

  class Image {
    #base = make("canvas");
    #over = make("canvas", { tabindex: 0, role: "img" });
    #reading = make("output.reading");
    #legend = make("div.legend");
    #screen = make("div.screen", this.#base, this.#over);
    #range = null; // of the values, once it is asked for
    #drag = null;
    #due = false;
    #changed = false; // since it was drawn
    #size = [0, 0, 0];
    element = make("div.image", this.#screen, make("div.below", this.#reading, this.#legend));
    over = [];
    listeners = []; // called when range, colours or view change
    mark = null; // {row, column} that the reading is of
    box = { left: 60, top: 10, width: 1, height: 1 }; // of the image within the canvas

    constructor(spec) {
      this.spec = { label: "", log: false, map: "Sequential", low: null, high: null, decades: 6, equal: false, ...spec };
      this.#over.setAttribute("aria-label", `${spec.named ?? spec.label}: + and - zoom, arrows move, 0 shows all, shift and arrows move the mark`);
      this.setValues(spec.values, spec);
      this.#listen();
      facet.page.onTheme(() => this.draw());
      new ResizeObserver(() => this.draw(true)).observe(this.#screen);
    }

    // Values, range, view
    setValues(values, shape = {}) {
      const spec = Object.assign(this.spec, shape, { values });
      if (shape.x || shape.columns || !this.edges) {
        const pixels = (n) => Float64Array.from({ length: n }, (_, k) => k);
        spec.x = { label: "column", ...spec.x, centres: spec.x?.centres ?? pixels(spec.columns) };
        spec.y = { label: "row", ...spec.y, centres: spec.y?.centres ?? pixels(spec.rows) };
        this.edges = { x: facet.scale.edges(spec.x.centres), y: facet.scale.edges(spec.y.centres) };
        const ends = (e) => [Math.min(e[0], e.at(-1)), Math.max(e[0], e.at(-1))];
        this.whole = { x: ends(this.edges.x), y: ends(this.edges.y) };
        this.view = structuredClone(this.whole);
        this.mark = null;
      }
      if (values.length !== spec.rows * spec.columns) throw new Error(`an image of ${spec.rows} x ${spec.columns} has ${values.length} values`);
      this.#range = null;
      this.#tell();
    }
    set(settings) {
      Object.assign(this.spec, settings);
      this.#tell();
    }
    setView(view, quiet = false) {
      this.view = structuredClone(view);
      quiet ? this.draw() : this.#tell();
    }
    #tell() {
      this.draw();
      this.listeners.forEach((listener) => listener(this));
    }

    /** What the colours mean now: {log, map, low, high}. A scale without numbers above 0 is linear. */
    colours() {
      const { map, decades, values, mask } = this.spec;
      const { low, high, smallest } = (this.#range ??= facet.scale.range(values, mask));
      const to = this.spec.high ?? (map === "Cyclic" ? Math.PI : map === "Diverging" ? Math.max(-low, high) : high);
      const log = this.spec.log && map === "Sequential" && to > 0;
      const own = map === "Cyclic" ? -Math.PI : map === "Diverging" ? -to : log ? Math.max(Math.min(smallest, to / 10), to * 10 ** -decades) : Math.min(0, low);
      const given = this.spec.low;
      const from = given != null && (!log || given > 0) ? given : own;
      return { log, map, low: from, high: to > from ? to : from + (log ? from : 1) };
    }

    valueAt(row, column) {
      return this.spec.values[row * this.spec.columns + column];
    }
    stateAt(row, column) {
      return this.spec.mask?.[row * this.spec.columns + column] ?? 0;
    }

    // Places
    /** Place of an axis' value on the canvas, and back. */
    toX = (u) => this.box.left + (this.box.width * (u - this.view.x[0])) / (this.view.x[1] - this.view.x[0]);
    toY = (v) => this.box.top + this.box.height * (1 - (v - this.view.y[0]) / (this.view.y[1] - this.view.y[0]));
    #fromX = (x) => this.view.x[0] + ((x - this.box.left) / this.box.width) * (this.view.x[1] - this.view.x[0]);
    #fromY = (y) => this.view.y[1] - ((y - this.box.top) / this.box.height) * (this.view.y[1] - this.view.y[0]);
    /** The cell under a place of the canvas, or null. */
    cellAt(x, y) {
      const { left, top, width, height } = this.box;
      if (x < left || y < top || x >= left + width || y >= top + height) return null;
      const cell = (edges, at) => facet.raster.cells(edges, at, at, 1).first[0];
      const row = cell(this.edges.y, this.#fromY(y)), column = cell(this.edges.x, this.#fromX(x));
      return row < 0 || column < 0 ? null : { row, column };
    }
    /** The middle of a cell in the window: for tests and tools. */
    placeOf(row, column) {
      const { left, top } = this.#over.getBoundingClientRect();
      return { x: left + this.toX(this.spec.x.centres[column]), y: top + this.toY(this.spec.y.centres[row]) };
    }

    // Zoom
    zoom(factor, x = 0.5, y = 0.5) {
      this.#change("x", factor, x);
      this.#change("y", factor, y);
      this.#tell();
    }
    pan(x, y) {
      for (const [axis, part] of [["x", x], ["y", y]]) {
        const by = part * (this.view[axis][1] - this.view[axis][0]);
        this.#place(axis, this.view[axis][0] + by, this.view[axis][1] + by);
      }
      this.#tell();
    }
    showWhole() {
      this.setView(this.whole);
    }
    #change(axis, factor, part) {
      const [low, high] = this.view[axis], cells = this.edges[axis].length - 1, whole = this.whole[axis][1] - this.whole[axis][0];
      const range = Math.min(whole, Math.max((high - low) * factor, (3 * whole) / Math.max(cells, 3)));
      const at = low + part * (high - low);
      this.#place(axis, at - part * range, at + (1 - part) * range);
    }
    /** Moves a side of the view, within the whole. */
    #place(axis, low, high) {
      const [least, most] = this.whole[axis], by = Math.max(0, least - low) + Math.min(0, most - high);
      this.view[axis] = [Math.max(least, low + by), Math.min(most, high + by)];
    }
    #isWhole() {
      return ["x", "y"].every((axis) => this.view[axis].every((end, k) => end === this.whole[axis][k]));
    }

    // Mouse and keys
    #listen() {
      const at = (event) => {
        const { left, top } = this.#over.getBoundingClientRect();
        return [event.clientX - left, event.clientY - top];
      };
      const on = (kind, use) => this.#over.addEventListener(kind, use);
      on("pointerdown", (event) => {
        if (event.button) return;
        const [x, y] = at(event), { left, top, width, height } = this.box;
        if (x < left || x > left + width || y < top || y > top + height) return;
        this.#over.setPointerCapture(event.pointerId);
        this.#drag = { from: [x, y], to: [x, y], pan: event.shiftKey };
      });
      on("pointermove", (event) => this.#move(at(event)));
      on("pointerup", (event) => this.#release(at(event)));
      on("pointercancel", () => this.#release(null));
      on("pointerleave", () => !this.#drag && this.#setMark(null));
      on("dblclick", () => this.showWhole());
      on("wheel", (event) => {
        const [x, y] = at(event), factor = Math.exp(Math.max(-0.5, Math.min(0.5, event.deltaY / 240)));
        if (!this.cellAt(x, y) || (factor > 1 && this.#isWhole())) return; // the page scrolls
        event.preventDefault();
        this.zoom(factor, (x - this.box.left) / this.box.width, 1 - (y - this.box.top) / this.box.height);
      });
      on("keydown", (event) => this.#press(event));
    }
    #move([x, y]) {
      const drag = this.#drag;
      if (drag?.pan) {
        this.pan((drag.to[0] - x) / this.box.width, (y - drag.to[1]) / this.box.height);
        drag.to = [x, y];
      } else if (drag) {
        drag.to = [Math.max(this.box.left, Math.min(this.box.left + this.box.width, x)), Math.max(this.box.top, Math.min(this.box.top + this.box.height, y))];
        this.drawOver();
      } else {
        this.#setMark(this.cellAt(x, y));
      }
    }
    #release(place) {
      const drag = this.#drag;
      this.#drag = null;
      if (!drag || drag.pan || !place) return this.drawOver();
      const [[x0, y0], [x1, y1]] = [drag.from, drag.to];
      if (Math.abs(x1 - x0) > 5 && Math.abs(y1 - y0) > 5) {
        const x = [this.#fromX(Math.min(x0, x1)), this.#fromX(Math.max(x0, x1))];
        const y = [this.#fromY(Math.max(y0, y1)), this.#fromY(Math.min(y0, y1))];
        return this.setView({ x, y });
      }
      const cell = this.cellAt(...place);
      this.#setMark(cell);
      if (cell) this.spec.onpick?.(cell.row, cell.column);
    }
    #press(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const move = keys[event.key];
      if (move && event.shiftKey && move[0] === 1) this.#moveMark(10 * move[1], 10 * move[2]);
      else if (move && move[0] !== 1) this.zoom(move[0]);
      else if (move) this.pan(move[1], move[2]);
      else if (event.key === "0") this.showWhole();
      else if (event.key === "Enter" && this.mark) this.spec.onpick?.(this.mark.row, this.mark.column);
      else return;
      event.preventDefault();
    }
    /** By so many cells, to the right and up. */
    #moveMark(x, y) {
      const { rows, columns } = this.spec, falls = (edges) => (edges.at(-1) < edges[0] ? -1 : 1);
      const { row, column } = this.mark ?? { row: rows >> 1, column: columns >> 1 };
      const within = (at, n) => Math.max(0, Math.min(n - 1, Math.round(at)));
      this.#setMark({ row: within(row + y * falls(this.edges.y), rows), column: within(column + x * falls(this.edges.x), columns) });
    }
    #setMark(cell) {
      if (cell?.row === this.mark?.row && cell?.column === this.mark?.column) return;
      this.mark = cell;
      this.#reading.replaceChildren(...(cell ? this.#readingOf(cell) : [this.spec.hint ?? "drag or wheel: zoom; double click: all"]));
      this.#reading.classList.toggle("soft", !cell);
      this.drawOver();
      this.spec.onmark?.(cell);
    }
    #states() {
      return ["", "masked", "not computed", this.spec.without ?? "no number"];
    }
    #readingOf({ row, column }) {
      const { x, y, label, read } = this.spec, text = facet.scale.exact;
      const state = this.#states()[this.stateAt(row, column)];
      const value = state && !Number.isFinite(this.valueAt(row, column)) ? state : text(this.valueAt(row, column)) + (state && ` (${state})`);
      const parts = read?.(row, column) ?? [[x.label, text(x.centres[column])], [y.label, text(y.centres[row])]];
      return [...parts, [label, value, "b"]].map(([name, told, strong]) => make("span", make("span.soft", facet.scale.nodes(name), " "), make(strong ? "b.value" : "span", told)));
    }

    // Drawing
    /** At the next frame. */
    draw(resized = false) {
      this.#changed ||= !resized;
      if (this.#due) return;
      this.#due = true;
      requestAnimationFrame(() => {
        this.#due = false;
        if (this.#screen.clientWidth > 0 && (this.#changed || this.#isResized() || !this.#size[0])) this.drawNow();
      });
    }
    #isResized() {
      return this.#size[0] !== this.#screen.clientWidth || this.#size[2] !== devicePixelRatio;
    }
    #layOut() {
      const width = this.#screen.clientWidth, ratio = devicePixelRatio || 1, narrow = width < 520;
      const box = (this.box = { left: narrow ? 50 : 66, top: 12, width: 0, height: 0 });
      const most = width - box.left - (narrow ? 76 : 92), tallest = Math.min(0.78 * innerHeight, 900);
      const side = (axis) => this.whole[axis][1] - this.whole[axis][0];
      const shape = side("y") / side("x"), equal = this.spec.equal && shape > 0.25 && shape < 4;
      box.width = Math.max(40, Math.round(equal ? Math.min(most, tallest / shape) : most));
      box.height = Math.max(40, Math.round(equal ? box.width * shape : Math.min(tallest, 0.72 * most)));
      const height = box.top + box.height + 46;
      if (this.#size[0] !== width || this.#size[1] !== height || this.#size[2] !== ratio) {
        this.#size = [width, height, ratio];
        this.#screen.style.height = `${height}px`;
        for (const canvas of [this.#base, this.#over]) {
          canvas.width = Math.round(width * ratio);
          canvas.height = Math.round(height * ratio);
        }
      }
      return ratio;
    }
    drawNow() {
      this.#changed = false;
      const ratio = this.#layOut(), { box, view, edges } = this, pen = this.#base.getContext("2d", { willReadFrequently: true }); // filled from memory
      const [width, height] = [box.width, box.height].map((side) => Math.round(side * ratio));
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.clearRect(0, 0, this.#base.width, this.#base.height);
      const under = { columns: facet.raster.cells(edges.x, ...view.x, width), rows: facet.raster.cells(edges.y, ...view.y, height) };
      const colours = this.colours();
      const pixels = facet.raster(this.spec.values, this.spec, under, facet.raster.colours(colours), facet.page.isDark());
      pen.putImageData(pixels, Math.round(box.left * ratio), Math.round(box.top * ratio));
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      this.#drawAxes(pen);
      this.#drawBar(pen, colours);
      this.#drawLegend();
      this.drawOver();
    }
    #drawAxes(pen) {
      const { box, view, spec } = this, { ticks } = facet.scale, right = box.left + box.width, bottom = box.top + box.height;
      pen.strokeStyle = pen.fillStyle = styled(this.element, "--text");
      pen.lineWidth = 1;
      pen.strokeRect(box.left - 0.5, box.top - 0.5, box.width + 1, box.height + 1);
      const across = ticks(...view.x, Math.max(2, box.width / 80)), up = ticks(...view.y, Math.max(2, box.height / 50));
      pen.beginPath();
      for (const { at, text } of across.ticks) {
        const x = this.toX(at);
        pen.moveTo(x, bottom), pen.lineTo(x, bottom + 5);
        write(pen, text, Math.min(x, right - 4), bottom + 18, 0.5);
      }
      for (const { at, text } of up.ticks) {
        const y = this.toY(at);
        pen.moveTo(box.left, y), pen.lineTo(box.left - 5, y);
        write(pen, text, box.left - 8, y + 4, 1);
      }
      pen.stroke();
      write(pen, withPower(spec.x.label, across.power), box.left + box.width / 2, bottom + 38, 0.5, 13);
      this.#writeUp(pen, withPower(spec.y.label, up.power), 13);
    }
    /** From below to above, in the middle of the image's height. */
    #writeUp(pen, text, x) {
      pen.save();
      pen.translate(x, this.box.top + this.box.height / 2);
      pen.rotate(-Math.PI / 2);
      write(pen, text, 0, 0, 0.5, 13);
      pen.restore();
    }
    #drawBar(pen, { log, map, low, high }) {
      const { box } = this, x = box.left + box.width + 12, wide = 12, rgb = facet.page.colours(map);
      for (let k = 0; k < box.height; ++k) {
        const c = 3 * Math.round((255 * k) / Math.max(1, box.height - 1));
        pen.fillStyle = `rgb(${rgb[c]},${rgb[c + 1]},${rgb[c + 2]})`;
        pen.fillRect(x, box.top + box.height - 1 - k, wide, 1.5);
      }
      pen.fillStyle = pen.strokeStyle = styled(this.element, "--text");
      pen.strokeRect(x - 0.5, box.top - 0.5, wide + 1, box.height + 1);
      const place = log ? Math.log10 : (v) => v, [from, to] = [place(low), place(high)], parts = Math.max(2, box.height / 45);
      const { ticks, power } = (log ? facet.scale.logTicks : facet.scale.ticks)(from, to, parts);
      for (const { at, text } of ticks) {
        const y = box.top + box.height * (1 - (at - from) / (to - from));
        pen.fillRect(x + wide, y - 0.5, 4, 1);
        write(pen, text, x + wide + 6, Math.max(y + 4, box.top + 8));
      }
      this.#writeUp(pen, withPower(this.spec.label, power), x + wide + (box.left < 60 ? 48 : 58));
    }
    /** Says what the patterns mean that are in the image. */
    #drawLegend() {
      const { mask } = this.spec, dark = facet.page.isDark(), told = `${dark}`;
      if (this.#legend.mask === mask && this.#legend.told === told) return;
      Object.assign(this.#legend, { mask, told });
      const pattern = facet.raster.patterns(dark);
      this.#legend.replaceChildren(...this.#states().map((name, state) => [state, name]).filter(([state]) => state && mask?.includes(state)).map(([state, name]) => {
        const patch = make("canvas", { width: 22, height: 14 }), image = new ImageData(22, 14), pixels = new Uint32Array(image.data.buffer);
        pixels.forEach((_, k) => (pixels[k] = pattern(state, k % 22, Math.floor(k / 22))));
        patch.getContext("2d").putImageData(image, 0, 0);
        return make("span", patch, " ", name);
      }));
    }
    drawOver() {
      const ratio = this.#size[2] || 1, pen = this.#over.getContext("2d"), { box, mark } = this;
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.clearRect(0, 0, this.#over.width, this.#over.height);
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.save();
      pen.beginPath();
      pen.rect(box.left, box.top, box.width, box.height);
      pen.clip();
      for (const draw of this.over) draw(pen, this);
      if (mark) this.#drawMark(pen, mark);
      if (this.#drag && !this.#drag.pan) {
        const [[x0, y0], [x1, y1]] = [this.#drag.from, this.#drag.to];
        pen.fillStyle = "rgba(255,255,255,0.2)";
        pen.fillRect(x0, y0, x1 - x0, y1 - y0);
        outline(pen, Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0));
      }
      pen.restore();
    }
    #drawMark(pen, { row, column }) {
      const { x, y } = this.edges, [x0, x1] = [this.toX(x[column]), this.toX(x[column + 1])], [y0, y1] = [this.toY(y[row]), this.toY(y[row + 1])];
      const least = 7, middle = [(x0 + x1) / 2, (y0 + y1) / 2];
      const width = Math.max(least, Math.abs(x1 - x0)), height = Math.max(least, Math.abs(y1 - y0));
      outline(pen, middle[0] - width / 2, middle[1] - height / 2, width, height);
    }

    /** All of it as a canvas, on the page's colour. */
    picture() {
      const made = make("canvas", { width: this.#base.width, height: this.#base.height }), pen = made.getContext("2d");
      pen.fillStyle = styled(this.element, "--page");
      pen.fillRect(0, 0, made.width, made.height);
      pen.drawImage(this.#base, 0, 0);
      pen.drawImage(this.#over, 0, 0);
      return made;
    }
  }

  /** A line that is seen on every colour. */
  function outline(pen, x, y, width, height) {
    for (const [colour, wide] of [["#000", 3], ["#fff", 1]]) {
      pen.strokeStyle = colour;
      pen.lineWidth = wide;
      pen.strokeRect(x, y, width, height);
    }
  }

  return Object.assign((spec) => new Image(spec), { outline, write });
})();
