// pattern.js - F of a kernel on rows of q, by workers where the browser has them, else here.
//
//   const pattern = await facet.pattern(moduleBytes);      pattern.manifest, pattern.workers
//   const {re, im, square, seconds} = await pattern.sums({corners, columns, params, class, algorithm, output, x, y, channels});
//   const values = await pattern.reference({..., places});
//
// A channel is an axis of q.z, {z, zIm}, with a factor for each of its values, {re, im}: what is summed over channels
// and squared, Phi, is the factor times F. Without a factor it is 1. Results are by y, then z. nm^-1.
"use strict";

globalThis.facet = globalThis.facet ?? {};

facet.pattern = (() => {
  // The two functions that follow are sent to workers as text: they use nothing from outside but what they are given.

  /** Phi on y times z: {re, im, square}. */
  function sums(kernel, { corners, columns, params, class: klass, algorithm, output = 0, grid, x, y, channels }) {
    const rows = y.length, length = channels[0].z.length, all = channels.length * length;
    const joined = (name) => {
      const axis = new Float64Array(all);
      channels.forEach((channel, c) => channel[name] && axis.set(channel[name], c * length));
      return axis;
    };
    let q = { x: Float64Array.of(x), y, z: joined("z") };
    if (channels.some((channel) => channel.zIm)) q.zIm = joined("zIm");
    if (grid === "points") {
      const axes = Object.entries(q).map(([name, axis]) => [name, Float64Array.from({ length: rows * all },
        (_, p) => (name === "x" ? x : name === "y" ? axis[Math.floor(p / all)] : axis[p % all]))]);
      q = Object.fromEntries(axes);
    }
    const f = kernel.formFactor({ corners, columns, params, class: klass, algorithm, grid, q }).outputs[output];
    if (channels.length === 1 && !channels[0].re) return { re: f.re, im: f.im, square: f.re.map((re, k) => re * re + f.im[k] * f.im[k]) };
    const [re, im, square] = [0, 1, 2].map(() => new Float64Array(rows * length));
    for (let row = 0; row < rows; ++row)
      for (let k = 0; k < length; ++k) {
        let a = 0, b = 0;
        for (let c = 0; c < channels.length; ++c) {
          const at = row * all + c * length + k, u = channels[c].re[k], v = channels[c].im[k];
          a += u * f.re[at] - v * f.im[at];
          b += u * f.im[at] + v * f.re[at];
        }
        const to = row * length + k;
        re[to] = a, im[to] = b, square[to] = a * a + b * b;
      }
    return { re, im, square };
  }

  /** Phi by the kernel file in double at places, [row, k] of y and z: [re, im] of each. */
  function reference(kernel, { corners, columns, params, output = 0, x, y, channels, places }) {
    const q = new Float64Array(6 * places.length * channels.length);
    places.forEach(([row, k], p) => channels.forEach((channel, c) =>
      q.set([x, 0, y[row], 0, channel.z[k], channel.zIm?.[k] ?? 0], 6 * (p * channels.length + c))));
    const f = kernel.reference({ corners, columns, params, q }), size = f.length / (places.length * channels.length);
    return places.map(([, k], p) => channels.reduce(([a, b], { re, im }, c) => {
      const at = (p * channels.length + c) * size + 2 * output, u = re ? re[k] : 1, v = im ? im[k] : 0;
      return [a + u * f[at] - v * f[at + 1], b + u * f[at + 1] + v * f[at]];
    }, [0, 0]));
  }

  const does = { sums, reference };

  /** What a worker runs behind the text of module.js. */
  function worker(does) {
    let kernel = null;
    globalThis.onmessage = async ({ data: { id, bytes, name, task } }) => {
      try {
        if (bytes) kernel = await facet.load(bytes);
        const result = name ? does[name](kernel, task) : null;
        const arrays = result && !Array.isArray(result) ? Object.values(result).map((array) => array.buffer) : [];
        postMessage({ id, result }, arrays);
      } catch (error) {
        postMessage({ id, error: String(error.message ?? error) });
      }
    };
  }

  /** The text of module.js in this page. */
  function loader() {
    return [...document.scripts].find((script) => script.textContent.trimStart().startsWith("// module.js - ")).textContent;
  }

  class Hand {
    #asked = new Map();
    #last = 0;
    constructor(url) {
      this.worker = new Worker(url);
      this.worker.onmessage = ({ data: { id, result, error } }) => {
        const { done, failed } = this.#asked.get(id);
        this.#asked.delete(id);
        error ? failed(new Error(error)) : done(result);
      };
      this.worker.onerror = (event) => {
        event.preventDefault();
        this.#asked.forEach(({ failed }) => failed(new Error(event.message || "the worker ended")));
      };
    }
    ask(words) {
      return new Promise((done, failed) => {
        this.#asked.set(++this.#last, { done, failed });
        this.worker.postMessage({ id: this.#last, ...words });
      });
    }
  }

  class Pattern {
    #hands = [];
    constructor(kernel) {
      this.kernel = kernel;
      this.manifest = kernel.manifest;
    }
    get workers() {
      return this.#hands.length;
    }
    /** Starts workers; none where the browser refuses one. */
    async open(bytes, count) {
      try {
        const text = `${loader()}\n(${worker})({sums: ${sums}, reference: ${reference}});`;
        const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
        const hands = Array.from({ length: count }, () => new Hand(url));
        await Promise.all(hands.map((hand) => hand.ask({ bytes })));
        this.#hands = hands;
        URL.revokeObjectURL(url);
      } catch {
        this.#hands = [];
      }
      return this;
    }
    /** Workers take so many rows of y at a time until `stopped` says so: then null. */
    async sums(task, { stopped = () => false, rows = Infinity } = {}) {
      const start = performance.now(), n = task.y.length, length = task.channels[0].z.length, workers = Math.max(1, this.workers);
      const each = Math.min(rows, Math.ceil(n / workers)), parts = [];
      let next = 0;
      const take = async (k) => {
        while (next < n && !stopped()) {
          const from = next;
          next = Math.min(n, from + each);
          parts.push([from, await this.#do(k, "sums", { ...task, y: task.y.slice(from, next) })]);
        }
      };
      await Promise.all(Array.from({ length: workers }, (_, k) => take(k)));
      if (next < n) return null;
      const whole = Object.fromEntries(["re", "im", "square"].map((name) => {
        const all = new Float64Array(n * length);
        for (const [from, part] of parts) all.set(part[name], from * length);
        return [name, all];
      }));
      return { ...whole, seconds: (performance.now() - start) / 1e3 };
    }
    reference(task) {
      return this.#do(0, "reference", task);
    }
    async #do(k, name, task) {
      if (this.workers) return this.#hands[k].ask({ name, task });
      await new Promise((done) => setTimeout(done)); // the page may draw
      return does[name](this.kernel, task);
    }
  }

  return async (bytes, count = Math.min(navigator.hardwareConcurrency || 1, 16)) =>
    new Pattern(await facet.load(bytes)).open(bytes, globalThis.Worker ? count : 0);
})();
