// live.js - a kernel that runs in the page: a mesh that one turns, |F|^2 redrawn as it turns.
//
//   facet.live(section);      for the page's blob "module"; data.live: {silicon: [[wavelength, delta, beta], ..], refusal}
//
// A kernel without a module: `refusal` is what facetc says. A blob "gold" is one of the meshes.
"use strict";

facet.live = (() => {
  const { make, number: text } = facet.page;
  const { choice, number, toggle, group } = facet.controls;
  const most = 200; // q along each axis
  const patience = 0.15; // s: what takes longer is first shown with fewer q
  const geometry = /^(area|(normal|centroid|vertex[012]|edge[12])\.[xyz])$/;
  const parts = { real: [""], cplx: [" re", " im"], vec3: [".x", ".y", ".z"], cvec3: [".x re", ".x im", ".y re", ".y im", ".z re", ".z im"],
    mat3: ["xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"].map((one) => `.${one}`) };
  const axis = (low, high, size = most) => Float64Array.from({ length: size }, (_, k) => low + ((high - low) * k) / (size - 1));
  /** As C writes it: 1.3e-07. */
  const scientific = (value, digits) => value.toExponential(digits).replace(/e([+-])(\d)$/, "e$10$2");

  /** Columns of the kernel's own, each a number or a vector: [{name, parts, turns}]. */
  function ownColumns({ columns, roles = {} }) {
    const own = new Map();
    for (const column of columns.filter((one) => !geometry.test(one))) {
      const [name, part] = column.split(".");
      own.set(name, [...(own.get(name) ?? []), part ? `.${part}` : ""]);
    }
    return [...own].map(([name, parts]) => ({ name, parts, turns: Boolean(roles[name]?.turns) && parts.length === 3 }));
  }

  class Live {
    state = { mesh: "box", view: "transmission", class: "f32", algorithm: "direct", output: 0, side: 1.5, up: 1.5, alphaI: 0.2, wavelength: 0.124,
      height: 0, place: "on", params: {}, columns: {} };
    #meshes = new Map();
    #busy = false;
    #due = false;
    #shown = []; // times at which patterns were shown
    #quiet = null; // the timer after which the error is measured
    #turning = false;
    #rates = new Map(); // triangle-q-points a second, by algorithm and class
    #coarse = true; // whether fewer q will do for now

    constructor(parent, pattern) {
      this.pattern = pattern;
      this.manifest = pattern.manifest;
      this.own = ownColumns(this.manifest);
      this.#meshes.set("box", facet.meshes.box([20, 30, 10], 5)).set("sphere", facet.meshes.sphere(10, 3));
      this.said = make("p.told.bad", { role: "alert" });
      this.#makeView();
      this.#makeImage();
      parent.append(make("h2", `${this.manifest.name}, live`), make("div.live", this.#shape(), this.#patternPane(), this.#settings()));
      this.#showPlaces();
      this.request();
    }

    // What there is to see
    #makeView() {
      this.frame = make("div");
      this.corners = this.#meshes.get("box");
      this.view = facet.mesh.view(this.frame, { corners: this.corners, turns: "mesh", edges: true, onturn: () => this.request(),
        rotation: facet.mesh.product(facet.mesh.about([0, 1, 0], 0.2), facet.mesh.about([0, 0, 1], 0.5)) });
      this.view.start = facet.mesh.unit;
    }
    #makeImage() {
      const y = axis(-1, 1), z = axis(-1, 1);
      this.image = facet.image({ values: new Float64Array(most * most).fill(NaN), rows: most, columns: most, x: { centres: y, label: "q_y (nm^-1)" },
        y: { centres: z, label: "q_z (nm^-1)" }, label: "|F|^2", log: true, equal: true, named: "pattern", read: (row, column) => this.#read(row, column),
        hint: "drag or wheel: zoom; turn the mesh by dragging it" });
    }
    #shape() {
      this.meshChoice = choice("mesh", [], "", (name) => this.setMesh(name));
      const file = make("input", { type: "file", accept: ".stl", "aria-label": "an STL file", onchange: () => this.open(file.files[0]) });
      this.spin = toggle("spin", "let the mesh turn by itself", false, (on) => this.#setTurning(on));
      const back = make("button", { type: "button", title: "turn the mesh back", onclick: () => this.view.turn(facet.mesh.unit) }, "reset");
      const open = make("button", { type: "button", title: "open an STL file", onclick: () => file.click() }, "open STL");
      const pane = make("div.pane.shape", make("div.tools", this.meshChoice.element, this.spin.element, back, open, file), this.frame,
        make("p.note", "Drag to turn, or use the arrow keys. Drop an STL file here (nm)."));
      const stop = (event, over) => {
        event.preventDefault();
        pane.classList.toggle("open", over);
      };
      for (const [event, over] of [["dragover", true], ["dragleave", false]]) pane.addEventListener(event, (one) => stop(one, over));
      pane.addEventListener("drop", (event) => {
        stop(event, false);
        this.open(event.dataTransfer.files[0]);
      });
      this.#listMeshes();
      return pane;
    }
    #patternPane() {
      const decades = choice("decades", [2, 3, 4, 5, 6, 8, 10, 12].map((n) => [n, n]), 6, (n) => this.image.set({ decades: Number(n), low: null }));
      const controls = facet.imageControls(this.image, { name: this.manifest.name, maps: ["Sequential"] });
      controls.append(decades.element);
      this.facts = Object.fromEntries(["triangles", "q", "speed", "frames", "time", "workers", "error"].map((name) => [name, make(`dd.${name}`, "-")]));
      const names = { frames: "frames/s", time: "an image" };
      return make("div.pane.pattern", make("dl.figures", Object.entries(this.facts).map(([name, value]) =>
        make(name === "error" ? "div.wide" : "div", make("dt", names[name] ?? name), value))), this.said, controls, this.image.element);
    }

    // What it is set by
    #settings() {
      const pane = make("div.pane.settings");
      const q = this.manifest.grid.q, waves = q[2].type === "cplx" && q.every(({ fixed }) => fixed == null) && !(this.manifest.outputs?.length > 1);
      const views = [["transmission", "transmission, |F|\u00b2"], ...(waves ? [["gisaxs", "GISAXS on silicon"]] : [])];
      this.places = make("div", this.#silicon());
      pane.append(group("experiment", make("div.tools", choice("view", views, "transmission", (view) => this.set({ view })).element), this.places,
        ...this.#ranges()), group("sum", this.#sum()));
      const numbers = [...this.#params(), ...this.#columns()];
      if (numbers.length) pane.append(group(`numbers of ${this.manifest.name}`, numbers));
      return pane;
    }
    #ranges() {
      const range = (key, label) => number(label, { value: this.state[key], low: 0.1, high: 10, log: true, least: 1e-3, most: 1e3 }, (value) => this.set({ [key]: value })).element;
      return [range("side", "q_y to, nm\u207b\u00b9"), range("up", "q_z to, nm\u207b\u00b9")];
    }
    #silicon() {
      this.index = make("p.note");
      const rows = facet.page.data?.live?.silicon ?? [[0.124, 4.8857e-6, 7.391e-8], [0.125, 4.9648e-6, 7.63e-8]];
      this.silicon = () => facet.dwba.silicon(rows, this.state.wavelength);
      return [
        make("div.tools", choice("particle", [["on", "on the silicon"], ["in", "in the silicon"]], "on", (place) => this.set({ place })).element),
        number("incidence, \u00b0", { value: 0.2, low: 0.01, high: 2, log: true, least: 0.001, most: 90 }, (alphaI) => this.set({ alphaI })).element,
        number("wavelength, nm", { value: 0.124, low: 0.05, high: 0.5, log: true, least: rows[0][0], most: rows.at(-1)[0] }, (wavelength) => this.set({ wavelength })).element,
        number("gap, nm", { value: 0, low: 0, high: 50, least: 0, most: 1e4 }, (height) => this.set({ height })).element, this.index];
    }
    #sum() {
      const kinds = (key) => [...new Set(this.manifest.variants.map((one) => one[key]))];
      this.grid = kinds("grid").includes("product") ? "product" : "points";
      const offered = this.manifest.variants.filter((one) => one.grid === this.grid), algorithms = [...new Set(offered.map((one) => one.algorithm))];
      this.state.algorithm = algorithms.includes("separable") ? "separable" : "direct";
      const outputs = (this.manifest.outputs ?? []).map(({ name }, k) => [k, name || "F"]);
      return make("div.tools", choice("numbers", ["f32", "f64"].filter((one) => kinds("class").includes(one)).map((one) => [one, one]), "f32", (one) => this.set({ class: one })).element,
        choice("algorithm", algorithms.map((one) => [one, one]), this.state.algorithm, (algorithm) => this.set({ algorithm })).element,
        outputs.length > 1 ? choice("output", outputs, 0, (output) => this.set({ output: Number(output) })).element : null);
    }
    /** A slider of about the size of the number that it begins at. */
    #slider(label, list, k) {
      const value = list[k], far = 5 * Math.max(Math.abs(value), 0.2);
      return number(label, { value, low: value > 0 ? 0 : -far, high: value < 0 ? 0 : far }, (now) => {
        list[k] = now;
        this.request();
      }).element;
    }
    #params() {
      return this.manifest.params.flatMap(({ name, type, default: given }) => {
        const list = (this.state.params[name] = [given ?? parts[type].map((_, k) => Number(k === 0))].flat(Infinity));
        return parts[type].map((part, k) => this.#slider(name + part, list, k));
      });
    }
    #columns() {
      return this.own.flatMap(({ name, parts }) => {
        const list = (this.state.columns[name] = parts.map((_, k) => Number(k === parts.length - 1)));
        return parts.map((part, k) => this.#slider(`${name}${part} of all triangles`, list, k));
      });
    }
    set(change) {
      Object.assign(this.state, change);
      this.#showPlaces();
      this.request();
    }
    #showPlaces() {
      const gisaxs = this.state.view === "gisaxs", { delta, beta } = this.silicon();
      this.places.hidden = !gisaxs;
      this.index.textContent = `silicon: delta ${scientific(delta, 4)}, beta ${scientific(beta, 4)}, critical angle ${((Math.sqrt(2 * delta) * 180) / Math.PI).toFixed(4)}\u00b0`;
      if (!gisaxs) this.view.set({ planes: [] });
    }

    // Meshes
    #listMeshes() {
      const names = { box: "box, 20 x 30 x 10 nm", sphere: "sphere, radius 10 nm", gold: "gold nanoparticle, 20 nm" };
      this.meshChoice.fill([...this.#meshes.keys()].map((name) => [name, names[name] ?? name]), this.state.mesh);
    }
    addMesh(name, corners) {
      this.#meshes.set(name, corners);
      this.#listMeshes();
    }
    setMesh(name) {
      this.said.textContent = "";
      this.state.mesh = name;
      this.corners = this.#meshes.get(name);
      this.meshChoice.set(name);
      this.view.set({ corners: this.corners, edges: this.corners.length < 9 * 3000 });
      this.request();
    }
    async open(file) {
      if (!file) return;
      try {
        const corners = facet.meshes.stl(new Uint8Array(await file.arrayBuffer()));
        this.addMesh(file.name, corners);
        this.setMesh(file.name);
      } catch (error) {
        this.said.textContent = `${file.name}: ${error.message}`;
      }
    }
    #setTurning(on) {
      this.#turning = on;
      this.last = performance.now();
      this.request();
    }

    // Sums
    /** Whether what is shown is what is set, and its error is measured. */
    get settled() {
      return !this.#busy && Boolean(this.result?.wanted) && this.result.task.y.length === most;
    }
    /** What is summed, and where its parts belong in the image. */
    task() {
      const { state } = this, rotation = this.view.rotation, gisaxs = state.view === "gisaxs";
      const centre = this.manifest.translation || gisaxs ? this.view.centre : [0, 0, 0];
      let corners = facet.meshes.turned(this.corners, rotation, centre);
      const size = this.#size(corners.length / 9), qy = axis(-state.side, state.side, size), qz = axis(gisaxs ? 0 : -state.up, state.up, size);
      const base = { params: state.params, columns: this.#ownValues(corners.length / 9, rotation), class: state.class, algorithm: state.algorithm,
        output: state.output, grid: this.grid, x: 0 };
      if (!gisaxs) return { ...base, corners, y: qy, channels: [{ z: qz }], qy, qz, seen: [...qz.keys()] };
      const { low, high } = facet.meshes.bounds(corners), half = (high[2] - low[2]) / 2;
      corners = facet.meshes.turned(corners, facet.mesh.unit, low.map((x, k) => (x + high[k]) / 2));
      const middle = state.place === "on" ? state.height + half : -(state.height + half);
      this.view.set({ planes: [{ z: centre[2] + (low[2] + high[2]) / 2 - middle, label: "silicon" }] });
      const { alphaF, seen, channels } = facet.dwba.channels({ qz, alphaI: state.alphaI, wavelength: state.wavelength, ...this.silicon(), middle });
      return { ...base, corners, y: qy.map((q) => -q), channels, qy, qz, seen, alphaF };
    }
    /** The kernel's own columns, the same for all triangles; directions turn with the mesh. */
    #ownValues(count, rotation) {
      return Object.fromEntries(this.own.flatMap(({ name, parts, turns }) => {
        const list = this.state.columns[name], values = turns ? facet.mesh.applied(rotation, list) : list;
        return parts.map((part, k) => [name + part, new Float64Array(count).fill(values[k])]);
      }));
    }
    /** Seconds of a sum of so many triangle-q-points, by the last one. */
    #expected(points) {
      return points / (this.#rates.get(this.state.algorithm + this.state.class) ?? 3e8);
    }
    /** q along an axis: all if that is quick, or nothing has changed for a while. */
    #size(triangles) {
      const points = triangles * most * most * (this.state.view === "gisaxs" && this.state.place === "on" ? 4 : 1);
      const steps = [1, 2, 4, 8];
      return most / (this.#coarse ? steps.find((step) => this.#expected(points) / step ** 2 < patience) ?? 8 : 1);
    }
    /** Sums again, as soon as what is summed now is done. Workers sum while the page draws what was before. */
    async request() {
      this.#due = this.#coarse = true;
      if (this.#busy) return;
      await this.#go();
    }
    async #go() {
      this.#busy = true;
      clearTimeout(this.#quiet);
      for (let drawn = null; this.#due; drawn = new Promise((done) => requestAnimationFrame(done))) {
        this.#due = false;
        try {
          const task = this.task();
          const [sums] = await Promise.all([this.#sums(task), drawn]);
          if (sums) this.#show(task, sums);
        } catch (error) {
          this.said.textContent = error.message;
          break;
        }
        if (this.#turning) this.#turnOn();
      }
      this.#busy = false;
      this.#quiet = setTimeout(() => {
        if (this.result?.task.y.length < most) this.#refine();
        else if (this.result) this.#measure().catch((error) => (this.said.textContent = error.message));
      }, 200);
    }
    /** All q of what is shown with fewer; ends at once where something changes. */
    #refine() {
      [this.#due, this.#coarse] = [true, false];
      this.#go();
    }
    async #sums(task) {
      if (!task.seen.length) return { re: [], im: [], square: [], seconds: 0 };
      const points = pointsOf(task), rows = Math.max(4, Math.floor((task.y.length * patience) / this.#expected(points) / Math.max(1, this.pattern.workers)));
      const sums = await this.pattern.sums(task, { rows, stopped: () => this.#due && !this.#coarseOnly(task) });
      if (sums?.seconds > 0.004) this.#rates.set(task.algorithm + task.class, points / sums.seconds);
      return sums;
    }
    /** Whether a task is a quick one, which is shown even if something has changed meanwhile. */
    #coarseOnly(task) {
      return task.y.length < most || this.#expected(pointsOf(task)) < patience;
    }
    #turnOn() {
      const now = performance.now(), angle = Math.min((now - this.last) / 1e3, 0.1) * 0.8;
      this.last = now;
      this.view.turn(facet.mesh.product(facet.mesh.about([0.36, 0.48, 0.8], angle), this.view.rotation));
    }
    #show(task, done) {
      const { seen, qy, qz } = task, length = seen.length, size = qy.length, values = new Float64Array(size * size).fill(NaN);
      seen.forEach((row, k) => {
        for (let column = 0; column < size; ++column) values[row * size + column] = done.square[column * length + k];
      });
      this.result = { task, ...done, values, place: new Map(seen.map((row, k) => [row, k])) };
      const gisaxs = Boolean(task.alphaF), now = [qy[0], qz[0], qz.at(-1)].join(), same = now === this.axes;
      const { view, whole } = this.image, zoomed = JSON.stringify(view) !== JSON.stringify(whole);
      const mask = length < size ? Uint8Array.from(values, (_, k) => (task.seen.includes(Math.floor(k / size)) ? 0 : 2)) : null;
      this.image.spec.label = `|${this.#name(task)}|^2`;
      this.image.setValues(values, same && size === this.image.spec.rows ? { mask } : { mask, rows: size, columns: size, x: { centres: qy, label: "q_y (nm^-1)" }, y: { centres: qz, label: "q_z (nm^-1)" } });
      if (same && zoomed) this.image.setView(view);
      this.axes = now;
      this.facts.error.className = "error soft"; // of what was shown before
      this.#showFacts(task, done.seconds);
    }
    /** What is shown: F, an output by its name, Phi. */
    #name({ alphaF }) {
      return alphaF ? "\u03a6" : this.manifest.outputs?.[this.state.output]?.name || "F";
    }
    #read(row, column) {
      const { task, re, im, place } = this.result, k = place.get(row);
      const pairs = [["q_y", text(task.qy[column])], ["q_z", text(task.qz[row])]];
      if (task.alphaF && k !== undefined) pairs.push(["alpha_f", `${text(task.alphaF[row], 6)}\u00b0`]);
      if (k === undefined) return pairs;
      const at = column * task.seen.length + k, part = text(Math.abs(im[at]));
      return [...pairs, [this.#name(task), `${text(re[at])} ${im[at] < 0 ? "\u2212" : "+"} ${part}i`]];
    }

    // What it comes to
    #showFacts(task, seconds) {
      const now = performance.now(), shown = this.#shown, triangles = task.corners.length / 9;
      shown.push(now);
      while (shown.length > 1 && now - shown[0] > 1500) shown.shift();
      if (now - (this.told ?? -Infinity) < 200 && this.#turning) return;
      this.told = now;
      const rate = shown.length > 3 ? ((shown.length - 1) / (now - shown[0])) * 1e3 : 0;
      const facts = { triangles: text(triangles), q: `${task.qy.length} x ${task.qz.length}`, speed: seconds > 0 ? `${scientific(pointsOf(task) / seconds, 2)} TQP/s` : "-", time: `${(1e3 * seconds).toFixed(1)} ms`,
        frames: rate ? rate.toFixed(1) : "-", workers: this.pattern.workers ? text(this.pattern.workers) : "none" };
      for (const [name, value] of Object.entries(facts)) this.facts[name].textContent = value;
    }
    /** The error of what is shown, measured by the kernel file in double, in the words of `facet run`. */
    async #measure() {
      const { result } = this, { task, re, im } = result, where = samplePlaces(result);
      if (this.#busy || !where.length) return;
      const wanted = await this.pattern.reference({ ...task, places: where }), length = task.seen.length;
      if (result !== this.result) return;
      let largest = 0, error = 0;
      wanted.forEach(([a, b], p) => {
        const at = where[p][0] * length + where[p][1], off = Math.hypot(re[at] - a, im[at] - b);
        if (Number.isFinite(a) && Number.isFinite(b)) largest = Math.max(largest, Math.hypot(a, b)), error = Math.max(error, off);
        else if (Number.isFinite(off)) error = NaN;
      });
      const met = error <= 1e-5 * largest;
      this.result.error = error / largest;
      this.facts.error.textContent = largest > 0 ? `${scientific(error / largest, 1)} of max|${this.#name(task)}|, 1e-05 asked for: ${met ? "met" : "MISSED"} (${where.length} q in double, seed 1)` : "every F compared is 0";
      this.facts.error.className = `error ${met ? "good" : "bad"}`;
      Object.assign(this.result, { places: where, wanted });
    }
  }

  /** Triangle-q-points of a task: each channel counts. */
  const pointsOf = ({ corners, y, channels, seen }) => (corners.length / 9) * y.length * channels.length * seen.length;

  /** 64 different q, [row of y, k of z]: where |F| is largest and smallest, where q is smallest, the ends, others at random. */
  function samplePlaces({ square, task }) {
    const length = task.seen.length, count = square.length, chosen = new Set();
    if (!count) return [];
    let most = 0, least = 0, near = 0, nearest = Infinity;
    for (let at = 0; at < count; ++at) {
      if (square[at] > square[most]) most = at;
      if (square[at] < square[least]) least = at;
      const q = Math.hypot(task.y[Math.floor(at / length)], task.qz[task.seen[at % length]]);
      if (q < nearest) [near, nearest] = [at, q];
    }
    for (const at of [most, least, near, 0, count - 1]) chosen.add(at);
    for (let state = 1; chosen.size < Math.min(64, count);) { // numbers of D. Knuth, MMIX
      state = Number((BigInt(state) * 6364136223846793005n + 1442695040888963407n) & 0x1fffffffffffffn);
      chosen.add(Math.floor((state / 2 ** 53) * count));
    }
    return [...chosen].map((at) => [Math.floor(at / length), at % length]);
  }

  /** The kernel of the page, live in `parent`; a text where it cannot be. facet.live.shown: what is live. */
  async function show(parent) {
    const told = (words) => parent.append(make("p.refusal", words));
    const { refusal } = facet.page.data?.live ?? {};
    if (refusal) return told(`This kernel does not run in the page: ${refusal}`);
    try {
      const pattern = await facet.pattern(await facet.page.blob("module"));
      if (!pattern.manifest.triangle) return told("This kernel does not run in the page: its records are no triangles.");
      const live = (show.shown = new Live(parent, pattern));
      facet.page.blob("gold").then((bytes) => live.addMesh("gold", facet.meshes.indexed(bytes)), () => {});
    } catch (error) {
      told(`This kernel does not run in this browser: ${error.message}`);
    }
  }
  return show;
})();
