// module.js - loads a WebAssembly module that `facetc --emit=module` made, in a browser or node, as a
// script of a page of one file. docs/embedding.md has its exports; dsl/facet/module.h says what they take.
//
//   const kernel = await facet.load(bytes);                      // ArrayBuffer or Uint8Array
//   const {re, im} = kernel.formFactor({corners, q: {x, y, z}, params: {kappa: 0.1}});
"use strict";

globalThis.facet = (() => {
  const abi = 10; // FACET_ABI_VERSION
  const numbers = { real: 1, cplx: 2, vec3: 3, cvec3: 6, mat3: 9 };
  const geometry = /^(area|(normal|centroid|vertex[012]|edge[12])\.[xyz])$/;
  const failures = {
    2: "the grid is too large: take fewer q",
    3: "there is no memory left: take fewer triangles or q",
    6: "there is no such variant",
    7: "corners or a column are missing",
  };

  /** All numbers of the parameters, in order: those given by name, else their defaults. */
  function flat(params, given) {
    for (const name of Object.keys(given))
      if (!params.some((param) => param.name === name))
        throw new Error(`params.${name}: the kernel has none; it has: ${params.map((p) => p.name).join(", ") || "none"}`);
    return params.flatMap(({ name, type, default: value }) => {
      const list = [given[name] ?? value ?? []].flat(Infinity);
      if (list.length !== numbers[type])
        throw new Error(`params.${name}: ${type} takes ${numbers[type]} numbers, got ${list.length}`);
      return list;
    });
  }

  class Kernel {
    #exports;
    #arrays = []; // of a call
    constructor(exports) {
      this.#exports = exports;
      if (exports.facet_abi() !== abi) throw new Error(`the module has ABI ${exports.facet_abi()}, not ${abi}: make it again`);
      const bytes = new Uint8Array(exports.memory.buffer, exports.facet_manifest());
      /** Columns, params, outputs, variants: as `facetc --emit=manifest` prints it. */
      this.manifest = JSON.parse(new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0))));
    }

    /** Room in the module for values of a type, until the call ends; its address. */
    #room(Type, count) {
      const at = this.#exports.facet_alloc(Math.max(count, 1) * Type.BYTES_PER_ELEMENT);
      if (!at) throw new Error(failures[3]);
      this.#arrays.push(at);
      return at;
    }
    #put(Type, values) {
      const at = this.#room(Type, values.length);
      new Type(this.#exports.memory.buffer, at, values.length).set(values);
      return at;
    }

    /** The place of a variant by algorithm, class, grid, q. */
    #variant(wanted) {
      const place = this.manifest.variants.findIndex((one) => Object.keys(wanted).every((key) => one[key] === wanted[key]));
      if (place < 0) throw new Error(`the module has no ${Object.values(wanted).join(", ")}: facetc makes it where the kernel allows it`);
      return place;
    }

    /** What both calls take first: how many records, corners, own columns, params. */
    #records({ corners, columns = {}, params = {} }) {
      const own = this.manifest.columns.filter((name) => !this.manifest.triangle || !geometry.test(name));
      for (const name of own) if (!columns[name]) throw new Error(`columns['${name}']: the kernel reads it: give a number a record`);
      if (this.manifest.triangle && !corners) throw new Error("corners: the kernel is of triangles: give 9 numbers each");
      const count = corners ? corners.length / 9 : (columns[own[0]]?.length ?? 0);
      if (!Number.isInteger(count) || own.some((name) => columns[name].length !== count))
        throw new Error("corners: 9 numbers a triangle, and a column has a number a record");
      const values = own.map((name) => this.#put(Float64Array, columns[name]));
      return [count, corners ? this.#put(Float64Array, corners) : 0, this.#put(Uint32Array, values),
        this.#put(Float64Array, flat(this.manifest.params, params))];
    }

    #run(call) {
      try {
        return call();
      } finally {
        this.#arrays.splice(0).forEach((at) => this.#exports.facet_free(at));
      }
    }

    /**
     * F of triangles on a grid, or at a list, of q.
     * corners: 9 numbers a triangle, nm. columns, params: by name. q: {x, y, z}, nm^-1, arrays of any length (a list:
     * of one); imaginary parts xIm, yIm, zIm. grid: "product" or "points". algorithm: "direct" or "separable". class:
     * "f32" or "f64". Gives {re, im} of the first output, z fastest, and all of them as outputs: [{name, re, im}].
     */
    formFactor({ q, grid = "product", algorithm = "direct", class: klass = "f32", ...given }) {
      return this.#run(() => {
        const imaginary = ["xIm", "yIm", "zIm"].map((name) => q[name]);
        const axes = [q.x, q.y, q.z], n = axes.map((axis) => axis.length);
        if ((grid === "points" && n.some((length) => length !== n[0])) || imaginary.some((axis, k) => axis && axis.length !== n[k]))
          throw new Error("q: lists, and imaginary parts, are as long as what they belong to");
        const variant = this.#variant({ algorithm, class: klass, grid, q: imaginary.some(Boolean) ? "complex" : "real" });
        const records = this.#records(given);
        const points = grid === "product" ? n[0] * n[1] * n[2] : n[0];
        const names = this.manifest.outputs?.map((output) => output.name) ?? [""];
        const re = axes.map((axis) => this.#put(Float64Array, axis));
        const im = imaginary.map((axis) => (axis ? this.#put(Float64Array, axis) : 0));
        const lists = [Int32Array, Uint32Array, Uint32Array].map((Type, k) => this.#put(Type, [n, re, im][k]));
        const f = this.#room(Float64Array, 2 * names.length * points);
        const code = this.#exports.facet_form_factor(variant, ...records, ...lists, f);
        if (code) throw new Error(failures[code] ?? `the sum failed: ${code}`);
        const part = (k) => new Float64Array(this.#exports.memory.buffer, f + 8 * k * points, points).slice();
        const outputs = names.map((name, o) => ({ name, re: part(2 * o), im: part(2 * o + 1) }));
        return { ...outputs[0], outputs };
      });
    }

    /** F of the kernel file in double at a list of q, each [x.re, x.im, y.re, y.im, z.re, z.im]: re and im of each output. */
    reference({ q, ...given }) {
      return this.#run(() => {
        const records = this.#records(given), points = q.length / 6;
        if (!Number.isInteger(points)) throw new Error("q: give six numbers for each, re and im of x, y and z");
        const size = 2 * points * (this.manifest.outputs?.length ?? 1);
        const at = this.#put(Float64Array, q), f = this.#room(Float64Array, size);
        const code = this.#exports.facet_reference(...records, points, at, f);
        if (code) throw new Error(failures[code]);
        return Array.from(new Float64Array(this.#exports.memory.buffer, f, size));
      });
    }
  }

  return {
    ...globalThis.facet,
    async load(bytes) {
      const { instance } = await WebAssembly.instantiate(bytes, {});
      return new Kernel(instance.exports);
    },
  };
})();
