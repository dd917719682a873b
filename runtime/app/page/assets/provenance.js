// provenance.js - what a result says of itself: how it was computed, measured errors, beam, layers, particles, their meshes.
"use strict";

facet.provenance = (() => {
  const { make, number, blob, save } = facet.page;
  const cell = (value) => (typeof value === "number" ? make("td.number", facet.scale.exact(value)) : make("td", value));
  const words = (key) => key.replaceAll("_", " ");

  /** A pair a line; long texts are folded. */
  function pairs(entries) {
    const told = (value) => (typeof value === "string" && value.length > 300
      ? make("td", make("details", make("summary", `${value.length} characters`), make("pre.code", value))) : cell(value));
    return make("table.pairs", entries.map(([key, value]) => make("tr", make("th", { scope: "row" }, key), told(value))));
  }
  function table(head, rows) {
    return make("div.scroll", make("table", make("tr", head.map((name) => make("th", { scope: "col" }, name))), rows.map((row) => make("tr", row.map(cell)))));
  }
  const pane = (title, ...content) => make("section.pane", make("h2", title), ...content);

  const how = ["kernel", "algorithm", "algorithm_reason", "class", "theory", "target", "device", "schedule", "transform_tolerance", "units", "threads", "ranks", "seconds", "tqp_per_second", "triangles", "evaluations", "poses", "repaired_q"];
  const errors = ["contract", "contract_met", "measured_error", "measured_rms", "measured_error_of_amplitude", "reference_bound", "samples", "evaluations_measured", "amplitudes_measured", "record_sums", "seed"];
  const isError = (key) => errors.includes(key) || key.startsWith("measured_");

  /** The verdict in a line. */
  function verdict(result) {
    const { texts, numbers } = result.process, met = texts.contract_met === "yes";
    const parts = [];
    if (!result.finished) parts.push(make("strong.bad", `Not finished: ${result.done} of ${result.units} units are computed. `));
    if (numbers.measured_error != null) parts.push("Measured error ", make("strong", facet.scale.short(numbers.measured_error, 2)), " of max|F|, ", facet.scale.short(numbers.contract, 2), " asked for: ", make(met ? "strong.good" : "strong.bad", met ? "met" : "missed"), ". ");
    if (texts.algorithm) parts.push(make("span.soft", `${texts.kernel ?? ""}, ${texts.algorithm}`));
    return make("p.verdict", parts);
  }

  function tables(result) {
    const { texts, numbers } = result.process, all = { ...texts, ...numbers }, used = new Set([...how, ...Object.keys(all).filter(isError)]);
    const rows = (keys) => keys.filter((key) => key in all).map((key) => [words(key), all[key]]);
    const rest = Object.keys(all).filter((key) => !used.has(key)).sort();
    const filled = (title, entries) => (entries.length ? [pane(title, pairs(entries))] : []);
    return [
      ...filled("Measured errors", rows([...errors, ...Object.keys(all).filter((key) => isError(key) && !errors.includes(key))])),
      ...filled("How it was computed", rows(how)),
      pane("Where it is from", pairs([["file", result.file], ...rows(rest)])),
      ...(result.experiment ? [pane("The experiment", make("p.soft", "As a file for facet run, with every default."), make("button", { type: "button", onclick: () => save("experiment.toml", result.experiment, "text/plain") }, "save experiment.toml"), make("details", make("summary", "show"), make("pre.code.experiment", result.experiment)))] : []),
    ];
  }

  function beamRows({ beam, detector }) {
    const rows = [["probe", beam.probe]];
    if (beam.wavelength > 0) {
      rows.push(["wavelength (nm)", beam.wavelength]);
      if (beam.probe === "X-rays") rows.push(["energy (eV)", number(1239.8419843320026 / beam.wavelength, 8)]);
    }
    if (beam.alpha_i.length) rows.push(["angle of incidence (deg)", beam.alpha_i.map((x) => number(x)).join(", ")]);
    if (beam.flux > 0) rows.push(["photons a second", beam.flux]);
    if (beam.time > 0) rows.push(["time (s)", beam.time]);
    if (detector) rows.push(["detector", `${detector.name ? detector.name + ", " : ""}${detector.rows} x ${detector.columns} pixels of ${number(detector.pixel1 * 1e6, 6)} x ${number(detector.pixel2 * 1e6, 6)} µm, ${number(detector.distance, 8)} m away`]);
    return rows;
  }
  function layerTable(layers) {
    const half = layers.length - 1;
    return table(["layer", "thickness (nm)", "delta", "beta", "roughness (nm)"].map((name) => facet.scale.nodes(name)),
      layers.map((layer, k) => [layer.name + (layer.material ? `: ${layer.material}` : ""), k === 0 || k === half ? "half-space" : layer.thickness, layer.delta, layer.beta, layer.roughness]));
  }
  function scene(result) {
    const made = [], { scene: seen } = result;
    if (!seen) return made;
    if (seen.note) return [pane("Sample", make("p.bad", seen.note))];
    if (seen.beam.wavelength > 0 || seen.detector) made.push(pane("Beam and detector", pairs(beamRows(seen))));
    if (seen.layers.length) made.push(pane("Layers, from the top", layerTable(seen.layers)));
    return made;
  }

  // Meshes
  /** The particle's layer and those around it as planes; z of the mesh's lowest point is known. */
  function planesOf(seen, particle, low) {
    const { layers } = seen, at = Math.max(0, layers.findIndex((layer) => layer.name === particle.layer));
    if (!layers.length || particle.z == null) return [];
    const last = layers.length - 1, inSubstrate = at === last, planes = [];
    let z = low - particle.z; // the bottom of the particle's layer, or the top of the substrate
    const below = inSubstrate ? at : at + 1;
    if (below <= last) planes.push({ z, label: layers[below].name });
    if (!inSubstrate && at > 0) planes.push({ z: z + layers[at].thickness, label: layers[at].name });
    return planes;
  }
  /** How the beam comes in, to the middle of the mesh. */
  function beamLine(seen, { low, high }) {
    if (!(seen.beam.wavelength > 0) || !(seen.detector || seen.beam.alpha_i.length)) return [];
    const middle = low.map((x, k) => (x + high[k]) / 2), size = Math.hypot(...low.map((x, k) => high[k] - x)), angle = ((seen.beam.alpha_i[0] ?? 0) * Math.PI) / 180;
    const along = [Math.cos(angle), 0, -Math.sin(angle)], from = (t) => middle.map((x, k) => x - t * size * along[k]);
    return [{ from: from(1.1), to: from(0.6), label: "beam" }];
  }
  function extent(corners) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    corners.forEach((x, k) => ((low[k % 3] = Math.min(low[k % 3], x)), (high[k % 3] = Math.max(high[k % 3], x))));
    return { low, high };
  }
  const normalZ = (c) => Float32Array.from({ length: c.length / 9 }, (_, t) => {
    const at = (k) => c[9 * t + k], u = [0, 1, 2].map((k) => at(3 + k) - at(k)), v = [0, 1, 2].map((k) => at(6 + k) - at(k));
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    return n[2] / (Math.hypot(...n) || 1);
  });

  /** `what`: "Particle", or "Slopes" of a misfit, which have their colours from the beginning. */
  async function particle(seen, one, k, what) {
    const name = one.name || one.mesh.split("/").at(-1) || `particle ${k + 1}`, facts = ["mesh", "material", "layer", "z", "delta", "beta", "density", "size", "orientation", "triangles"];
    const rows = facts.filter((key) => one[key] != null && one[key] !== "").map((key) => [key === "z" ? "z (nm)" : key, one[key]]);
    const body = [pairs(rows)];
    if (one.note) body.push(make("p.soft", `The mesh is not shown: ${one.note}.`));
    const made = pane(`${what}: ${name}`, body);
    if (!one.corners) return { element: made };
    const f32 = async (key) => new Float32Array((await blob(key)).buffer), corners = await f32(one.corners), size = extent(corners), place = make("div.place");
    made.firstChild.after(place);
    const around = seen?.layers ? { planes: planesOf(seen, one, size.low[2]), lines: beamLine(seen, size) } : {};
    const view = facet.mesh.view(place, { corners, edges: corners.length < 9 * 6000, ...around });
    const colours = { "": "one colour", normal: "slope: z of the normal", ...Object.fromEntries(one.columns.map((column, k) => [k, `column ${column.name}`])) };
    const range = make("span.soft"), pick = async (key) => {
      const values = key === "" ? null : key === "normal" ? normalZ(corners) : await f32(one.columns[key].values);
      const diverges = key === "normal" || one.columns[key]?.diverging, ends = values && facet.scale.range(values), most = diverges ? Math.max(-ends.low, ends.high) || 1 : 0;
      view.set({ colours: values, range: diverges ? [-most, most] : null, map: diverges ? "Diverging" : "Sequential" });
      range.textContent = values ? ` ${facet.scale.short(view.shown?.[0] ?? NaN)} to ${facet.scale.short(view.shown?.[1] ?? NaN)}` : "";
    };
    place.after(make("div.controls", make("label", "colours of triangles", make("select", { onchange: (event) => pick(event.target.value) }, Object.entries(colours).sort(([a], [b]) => (a === "" ? -1 : b === "" ? 1 : 0)).map(([value, text]) => make("option", { value }, text)))), range,
      make("span.group", make("button", { type: "button", title: "save the mesh as PNG", onclick: () => view.picture().toBlob((png) => save(`${name.replace(/[^\w.-]+/g, "_")}.png`, png)) }, "PNG"))));
    if (what === "Slopes") {
      made.querySelector("select").value = "0";
      await pick("0");
    }
    return { element: made, view };
  }
  /** A pane for each particle, at most 8. */
  async function particles(result) {
    const seen = result.scene, all = (seen?.particles ?? []).slice(0, 8).map((one, k) => particle(seen, one, k, "Particle"));
    return Promise.all([...all, ...result.slopes.slice(0, 8).map((one, k) => particle(null, one, k, "Slopes"))]);
  }

  return { verdict, tables, scene, particles, pane };
})();
