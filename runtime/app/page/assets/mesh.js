// mesh.js - a mesh that one turns with the mouse, a finger or the arrow keys, drawn by WebGL.
//
//   const view = facet.mesh.view(parent, {corners, colours, map: "Sequential", onturn: (rotation) => ...});
//   view.set({colours: others}); view.turn(rotation); view.rotation      // 9 numbers, row by row
//
// corners: 9 numbers a triangle, nm. colours: a number a triangle or corner, by a colour map from range[0] to range[1]
// (the least and the largest, unless given); one that is not finite is grey. edges: true draws them. turns: "view" turns
// all that is seen; "mesh" turns the mesh, and axes, planes and lines stay. planes: [{z, label}] across z. lines:
// [{from, to, label}], arrows in nm. Where there is no WebGL a text stands in place of the mesh, and turning goes on.
"use strict";

globalThis.facet = globalThis.facet ?? {};

facet.mesh = (() => {
  const unit = [1, 0, 0, 0, 1, 0, 0, 0, 1];
  const product = (a, b) => unit.map((_, k) => {
    const row = 3 * Math.floor(k / 3), column = k % 3;
    return a[row] * b[column] + a[row + 1] * b[column + 3] + a[row + 2] * b[column + 6];
  });
  const transposed = (a) => [a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]];
  const applied = (a, [x, y, z]) => [0, 3, 6].map((row) => a[row] * x + a[row + 1] * y + a[row + 2] * z);

  /** The rotation by an angle, in radians, about an axis of length 1 (Rodrigues). */
  function about([x, y, z], angle) {
    const c = Math.cos(angle), s = Math.sin(angle), d = 1 - c;
    return [c + d * x * x, d * x * y - s * z, d * x * z + s * y, d * x * y + s * z, c + d * y * y, d * y * z - s * x,
      d * x * z - s * y, d * y * z + s * x, c + d * z * z];
  }
  /** The nearest thing to a rotation whose rows have length 1 and are at right angles: many small turns lose them. */
  function squared(a) {
    const scaled = (v) => v.map((x) => x / Math.hypot(...v));
    const x = scaled(a.slice(0, 3)), y0 = a.slice(3, 6), along = x[0] * y0[0] + x[1] * y0[1] + x[2] * y0[2];
    const y = scaled(y0.map((v, k) => v - along * x[k]));
    return [...x, ...y, x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]];
  }
  // On the screen x goes right, y up, z to the viewer. `front` looks along -x of the sample, a little from above: y right, z up.
  const front = product(about([1, 0, 0], 0.2), [0, 1, 0, 0, 0, 1, 1, 0, 0]);
  const oblique = product(about([1, 0, 0], 0.15), product(front, about([0, 0, 1], -0.6)));

  const vertexShader = `#version 300 es
    in vec3 place; in float value;
    uniform mat3 turn; uniform vec3 centre; uniform vec2 scale; uniform float depth;
    out vec3 seen, corner; out float shade;
    void main() {
      seen = turn * (place - centre);
      corner = vec3(equal(ivec3(gl_VertexID % 3), ivec3(0, 1, 2)));
      shade = value;
      gl_Position = vec4(seen.xy * scale, -seen.z * depth, 1.0);
    }`;
  // Flat: the normal is that of the triangle's plane, seen from the viewer's side.
  const fragmentShader = `#version 300 es
    precision highp float;
    in vec3 seen, corner; in float shade;
    uniform sampler2D map; uniform vec4 base; uniform vec3 line; uniform float edges;
    out vec4 drawn;
    void main() {
      vec3 normal = normalize(cross(dFdx(seen), dFdy(seen)));
      float light = 0.45 + 0.55 * max(dot(normal, normalize(vec3(-0.45, 0.55, 0.8))), 0.0);
      vec3 colour = shade < 0.0 ? base.rgb : texture(map, vec2((shade * 255.0 + 0.5) / 256.0, 0.5)).rgb;
      vec3 near = corner / max(fwidth(corner), 1e-6);
      float edge = edges * (1.0 - clamp(min(min(near.x, near.y), near.z), 0.0, 1.0));
      drawn = vec4(mix(base.a < 1.0 ? colour : colour * light, line, edge), 1.0) * base.a;
    }`;

  function programOf(gl) {
    const program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, vertexShader], [gl.FRAGMENT_SHADER, fragmentShader]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.bindAttribLocation(program, 0, "place");
    gl.bindAttribLocation(program, 1, "value");
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return null;
    gl.useProgram(program);
    const names = ["turn", "centre", "scale", "depth", "map", "base", "line", "edges"];
    return Object.fromEntries(names.map((name) => [name, gl.getUniformLocation(program, name)]));
  }

  /** Triangles on the graphics card, with a number a corner: 0 to 1 of the map, or -1 for the colour of all. */
  class Triangles {
    constructor(gl) {
      this.gl = gl, this.count = 0, this.array = gl.createVertexArray(), this.buffers = [gl.createBuffer(), gl.createBuffer()];
      gl.bindVertexArray(this.array);
      for (const [place, size] of [[0, 3], [1, 1]]) {
        gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[place]);
        gl.enableVertexAttribArray(place);
        gl.vertexAttribPointer(place, size, gl.FLOAT, false, 0, 0);
      }
    }
    put(place, values) {
      this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffers[place]);
      this.gl.bufferData(this.gl.ARRAY_BUFFER, values, this.gl.STATIC_DRAW);
      if (place === 0) this.count = values.length / 3;
    }
    draw() {
      this.gl.bindVertexArray(this.array);
      this.gl.drawArrays(this.gl.TRIANGLES, 0, this.count);
    }
  }

  /** Red, green, blue of 0 to 1 of a colour of the page: `--accent`. */
  function colourOf(name) {
    const text = getComputedStyle(document.documentElement).getPropertyValue(name).trim().slice(1);
    return [0, 2, 4].map((at) => parseInt(text.slice(at, at + 2), 16) / 255);
  }

  function extentOf(corners) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (let k = 0; k < corners.length; ++k) {
      const axis = k % 3, x = corners[k];
      if (x < low[axis]) low[axis] = x;
      if (x > high[axis]) high[axis] = x;
    }
    const centre = low.map((x, k) => (corners.length ? (x + high[k]) / 2 : 0));
    let square = 0;
    for (let k = 0; k < corners.length; k += 3)
      square = Math.max(square, (corners[k] - centre[0]) ** 2 + (corners[k + 1] - centre[1]) ** 2 + (corners[k + 2] - centre[2]) ** 2);
    return { centre, radius: Math.sqrt(square) || 1 };
  }

  class View {
    #gl = null;
    #of = { edges: false, map: "Sequential", axes: ["x", "y", "z"], planes: [], lines: [], turns: "view", range: null, colours: null };
    #zoom = 1;
    #queued = false;
    constructor(parent, given) {
      const { make } = facet.page;
      this.canvas = make("canvas");
      this.above = make("canvas.above");
      this.element = make("div.mesh", { tabindex: "0", role: "application",
        "aria-label": "mesh: turn it by dragging or by the arrow keys, + and - zoom, Home turns it back" }, this.canvas, this.above);
      parent.append(this.element);
      this.rotation = this.start = given.rotation ?? (given.turns === "mesh" ? unit : oblique);
      this.#open();
      this.set(given);
      this.#listen();
      new ResizeObserver(() => this.#later()).observe(this.element);
      facet.page.onTheme(() => this.#later());
    }

    /** Changes what is shown: any of the words of facet.mesh.view. */
    set(given) {
      Object.assign(this.#of, given);
      if (given.corners) Object.assign(this, extentOf(given.corners));
      if (["corners", "colours", "range", "map"].some((name) => name in given)) this.#fill();
      if (given.planes || given.corners) this.#fillPlanes();
      this.#later();
    }
    /** Turns to a rotation of 9 numbers, row by row; onturn hears of it. */
    turn(rotation) {
      this.rotation = squared(rotation);
      this.#of.onturn?.(this.rotation);
      this.#later();
    }
    zoom(factor) {
      this.#zoom = Math.min(Math.max(this.#zoom * factor, 0.2), 50);
      this.#later();
    }
    /** What is seen, axes included, as a canvas: toBlob() makes a PNG of it. */
    picture() {
      this.draw();
      const whole = facet.page.make("canvas", { width: this.canvas.width, height: this.canvas.height });
      for (const part of [this.canvas, this.above]) whole.getContext("2d").drawImage(part, 0, 0);
      return whole;
    }

    #open() {
      this.#gl = this.canvas.getContext("webgl2", { alpha: true, antialias: true });
      this.uniforms = this.#gl && programOf(this.#gl);
      if (!this.uniforms) {
        this.#gl = null;
        this.text ??= facet.page.make("p.soft");
        this.element.append(this.text);
        return;
      }
      this.text?.remove();
      const gl = this.#gl;
      [this.mesh, this.flat] = [new Triangles(gl), new Triangles(gl)];
      gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
      for (const [name, value] of [["MIN_FILTER", gl.LINEAR], ["MAG_FILTER", gl.LINEAR], ["WRAP_S", gl.CLAMP_TO_EDGE], ["WRAP_T", gl.CLAMP_TO_EDGE]])
        gl.texParameteri(gl.TEXTURE_2D, gl[`TEXTURE_${name}`], value);
    }

    #fill() {
      const { corners = [], colours } = this.#of, gl = this.#gl;
      if (this.text) this.text.textContent = `This browser draws no WebGL. The mesh has ${corners.length / 9} triangles.`;
      if (!gl) return;
      this.mesh.put(0, Float32Array.from(corners));
      this.mesh.put(1, this.#shades(corners.length / 3, colours));
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB, 256, 1, 0, gl.RGB, gl.UNSIGNED_BYTE, facet.page.colours(this.#of.map));
    }
    #fillPlanes() {
      const { planes } = this.#of, half = 1.3 * this.radius, [x, y] = this.centre;
      if (!this.#gl) return;
      this.flat.put(0, new Float32Array(planes.flatMap(({ z }) => [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]]
        .flatMap(([a, b]) => [x + half * a, y + half * b, z]))));
      this.flat.put(1, new Float32Array(6 * planes.length).fill(-1));
    }
    #shades(count, colours) {
      if (!colours) return new Float32Array(count).fill(-1);
      const each = count / colours.length;
      if (each !== 1 && each !== 3) throw new Error("colours: give a number a triangle, or one a corner");
      let [low, high] = this.#of.range ?? [Infinity, -Infinity];
      if (!this.#of.range) for (const x of colours) if (Number.isFinite(x)) [low, high] = [Math.min(low, x), Math.max(high, x)];
      this.shown = [low, high];
      const width = high - low || 1;
      return Float32Array.from({ length: count }, (_, k) => {
        const part = (colours[Math.floor(k / each)] - low) / width;
        return Number.isFinite(part) ? Math.min(Math.max(part, 0), 1) : -1;
      });
    }

    #later() {
      if (this.#queued) return;
      this.#queued = true;
      requestAnimationFrame(() => this.#queued && this.draw());
    }
    #camera() {
      return this.#of.camera ?? (this.#of.turns === "mesh" ? front : this.rotation);
    }
    draw() {
      this.#queued = false;
      const { clientWidth: width, clientHeight: height } = this.element, dots = globalThis.devicePixelRatio || 1;
      for (const canvas of [this.canvas, this.above]) {
        const size = [Math.round(width * dots), Math.round(height * dots)];
        if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
      }
      this.perNm = (0.42 * Math.min(width, height) * this.#zoom) / this.radius; // pixels of the page
      if (this.#gl) this.#drawMesh(width, height);
      this.#drawAbove(width, height, dots);
    }
    #drawMesh(width, height) {
      const gl = this.#gl, at = this.uniforms, camera = this.#camera();
      gl.viewport(0, 0, this.canvas.width, this.canvas.height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.enable(gl.DEPTH_TEST);
      gl.disable(gl.BLEND);
      gl.uniformMatrix3fv(at.turn, true, this.#of.turns === "mesh" ? product(camera, this.rotation) : camera);
      gl.uniform3fv(at.centre, this.centre);
      gl.uniform2f(at.scale, (2 * this.perNm) / (width || 1), (2 * this.perNm) / (height || 1));
      gl.uniform1f(at.depth, 0.25 / this.radius);
      gl.uniform1i(at.map, 0);
      gl.uniform3f(at.line, 0, 0, 0);
      gl.uniform1f(at.edges, this.#of.edges ? 0.5 : 0);
      gl.uniform4f(at.base, ...(this.#of.colours ? [0.55, 0.55, 0.55] : [0.45, 0.62, 0.82]), 1);
      this.mesh.draw();
      if (!this.flat.count) return;
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
      gl.depthMask(false);
      gl.uniformMatrix3fv(at.turn, true, camera);
      gl.uniform1f(at.edges, 0);
      gl.uniform4f(at.base, ...colourOf("--accent"), 0.22);
      this.flat.draw();
      gl.depthMask(true);
    }

    /** Axes in the lower left corner, arrows, and the names of planes. */
    #drawAbove(width, height, dots) {
      const pen = this.above.getContext("2d"), camera = this.#camera(), css = getComputedStyle(document.documentElement);
      pen.setTransform(dots, 0, 0, dots, 0, 0);
      pen.clearRect(0, 0, width, height);
      pen.font = "13px system-ui, sans-serif";
      pen.fillStyle = pen.strokeStyle = css.getPropertyValue("--text");
      pen.lineWidth = 1.5;
      const arm = Math.min(34, width / 8), corner = [arm + 14, height - arm - 14];
      for (let k = 0; k < 3; ++k) {
        const [x, y] = applied(camera, [0, 0, 0].map((_, j) => Number(j === k)));
        arrow(pen, corner, [corner[0] + arm * x, corner[1] - arm * y], this.#of.axes[k]);
      }
      const shown = (place) => {
        const [x, y] = applied(camera, place.map((v, k) => v - this.centre[k]));
        return [width / 2 + this.perNm * x, height / 2 - this.perNm * y];
      };
      pen.fillStyle = pen.strokeStyle = css.getPropertyValue("--accent");
      for (const { from, to, label } of this.#of.lines) {
        arrow(pen, shown(from), shown(to));
        if (label) named(pen, label, shown(from), width, height);
      }
      const half = 1.3 * this.radius;
      for (const { z, label } of this.#of.planes)
        if (label) named(pen, label, shown([this.centre[0] + half, this.centre[1] + half, z]), width, height);
    }

    #listen() {
      const fingers = new Map();
      const spread = () => {
        const [a, b] = fingers.values();
        return Math.hypot(a.x - b.x, a.y - b.y);
      };
      const on = (event, does) => this.element.addEventListener(event, does);
      on("pointerdown", (event) => {
        this.element.setPointerCapture(event.pointerId);
        fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      });
      for (const end of ["pointerup", "pointercancel"]) on(end, (event) => fingers.delete(event.pointerId));
      on("pointermove", (event) => {
        const last = fingers.get(event.pointerId);
        if (!last) return;
        const before = fingers.size === 2 ? spread() : 0, [x, y] = [event.clientX - last.x, event.clientY - last.y];
        Object.assign(last, { x: event.clientX, y: event.clientY });
        if (fingers.size === 1) this.#drag(x / 120, y / 120);
        else if (before > 0) this.zoom(spread() / before);
      });
      on("wheel", (event) => {
        if (document.activeElement !== this.element) return; // the page scrolls
        event.preventDefault();
        this.zoom(Math.exp(-event.deltaY / 500));
      });
      on("keydown", (event) => this.#key(event));
      this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
      this.canvas.addEventListener("webglcontextrestored", () => (this.#open(), this.#fill(), this.#fillPlanes(), this.#later()));
    }
    #key(event) {
      const step = Math.PI / (event.shiftKey ? 180 : 36);
      const does = { ArrowLeft: () => this.#drag(-step, 0), ArrowRight: () => this.#drag(step, 0), ArrowUp: () => this.#drag(0, -step),
        ArrowDown: () => this.#drag(0, step), "+": () => this.zoom(1.2), "-": () => this.zoom(1 / 1.2), Home: () => this.turn(this.start) }[event.key];
      if (!does || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      does();
    }
    /** Turns what is seen: right by x about the axis up, down by y about the axis to the right, in radians. */
    #drag(x, y) {
      const turned = product(about([1, 0, 0], y), about([0, 1, 0], x)), camera = this.#camera();
      this.turn(this.#of.turns === "mesh" ? product(transposed(camera), product(turned, product(camera, this.rotation)))
        : product(turned, this.rotation));
    }
  }

  /** A text at a place, within the canvas. */
  function named(pen, text, [x, y], width, height) {
    const room = pen.measureText(text).width;
    pen.fillText(text, Math.min(Math.max(x + 6, 2), width - room - 2), Math.min(Math.max(y - 4, 14), height - 4));
  }
  function arrow(pen, [x0, y0], [x1, y1], label) {
    const length = Math.hypot(x1 - x0, y1 - y0), [a, b] = length ? [(x1 - x0) / length, (y1 - y0) / length] : [0, 0];
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.lineTo(x1, y1);
    if (length > 8) for (const side of [-1, 1]) {
      pen.moveTo(x1, y1);
      pen.lineTo(x1 - 6 * a + 3.5 * side * b, y1 - 6 * b - 3.5 * side * a);
    }
    pen.stroke();
    if (!label) return;
    const room = pen.measureText(label).width;
    pen.fillText(label, x1 + (6 + room / 2) * a - room / 2 - (length < 12 ? 12 : 0), y1 + 10 * b + 4.5);
  }

  return { view: (parent, given) => new View(parent, given), unit, product, transposed, applied, about, front, oblique };
})();
