// report.js - the page of facet report: a tab for each result and one that compares them; in each the views of the
// result, then what it says of itself. facet.report has what is shown, for tests and the console.
"use strict";

facet.report = (() => {
  const { make, data, head } = facet.page;
  const results = data.results, shown = { tab: null, results: [], comparison: null };

  const fileName = (result, view) => `${result.file.replace(/\.\w+$/, "")}_${view.name}`.replace(/[^\w.-]+/g, "_");

  /** An image with its controls, and cuts beside it. */
  function imagePane(result, view, seen) {
    const image = facet.image({ ...seen.spec, named: view.title || view.name }), name = fileName(result, view);
    seen.now = image.spec;
    seen.image = image;
    seen.cuts = facet.cuts(image, { name });
    const controls = facet.imageControls(image, { name });
    controls.prepend(...seen.controls);
    seen.onchange = (spec, moved = true) => {
      image.setValues(spec.values, moved ? spec : { read: spec.read, mask: spec.mask });
      if (moved && spec.map) image.set({ map: spec.map, log: spec.log, label: spec.label, low: null, high: null });
    };
    return make("div.columns", make("section.pane", controls, seen.note && make("p.note", seen.note), image.element), make("section.pane", make("h2", "Cuts"), seen.cuts.element));
  }
  function curvePane(result, view, seen) {
    const curve = facet.curve({ ...seen.spec, height: 440, name: fileName(result, view), named: view.title || view.name });
    seen.now = curve.spec;
    seen.curve = curve;
    seen.onchange = (spec) => curve.set(spec);
    return make("section.pane", make("div.controls", seen.controls), seen.note && make("p.note", seen.note), curve.element);
  }

  const label = (view) => view.name.replace(/^cut_/, "cut ").replaceAll("_", " ") + (view.kind === "F" && view.steps.length === 1 && view.name !== "F" ? ` ${view.quantity}` : "");

  /** The views of a result; each is made when it is first shown. */
  function viewsOf(result) {
    const place = make("div.view"), tabs = make("nav.tabs", { "aria-label": "views" }), made = new Map(), own = { result, made, element: null };
    own.show = async (k) => {
      const view = result.views[k];
      if (!made.has(k)) {
        const seen = await facet.quantities(view, result);
        seen.element = (seen.kind === "image" ? imagePane : curvePane)(result, view, seen);
        made.set(k, seen);
      }
      place.replaceChildren(...[(view.title || label(view)) === facet.page.title ? null : make("h2.title", view.title || label(view)), made.get(k).element].filter(Boolean));
      [...tabs.children].forEach((tab, at) => tab.setAttribute("aria-pressed", at === k));
      own.at = k;
      return made.get(k);
    };
    tabs.append(...result.views.map((view, k) => make("button", { type: "button", "aria-pressed": "false", onclick: () => own.show(k) }, label(view))));
    own.element = make("div", result.views.length > 1 ? tabs : null, place);
    return own;
  }

  async function resultTab(result) {
    const views = viewsOf(result);
    shown.results.push(views);
    const element = make("div.result", facet.provenance.verdict(result), views.element);
    await views.show(0);
    views.particles = await facet.provenance.particles(result);
    element.append(make("div.facts", ...views.particles.map(({ element }) => element), ...facet.provenance.scene(result), ...facet.provenance.tables(result)));
    return element;
  }

  async function compareTab() {
    const all = [];
    for (const own of shown.results)
      for (const k of own.result.views.keys())
        if (k === 0 || own.made.has(k) || own.result.views[k].kind !== "F") {
          const view = own.result.views[k], seen = own.made.get(k) ?? (await facet.quantities(view, own.result));
          seen.now ??= seen.spec;
          all.push({ name: `${own.result.file}${own.result.views.length > 1 ? `: ${label(view)}` : ""}`, seen });
        }
    shown.comparison = facet.comparison(all);
    return make("div.result", shown.comparison.length ? shown.comparison.map(({ element }) => element) : make("p", "These results have nothing of one kind to compare."));
  }

  async function start() {
    const names = results.map(({ file }, k) => (results.filter((other) => other.file === file).length > 1 ? `${k + 1}: ${file}` : file));
    const main = make("main"), tabs = make("nav.tabs.results", { "aria-label": "results" }), made = new Map();
    if (results.length > 1) names.push("compare");
    shown.show = async (k) => {
      if (k === results.length) made.set(k, await compareTab());
      else if (!made.has(k)) made.set(k, await resultTab(results[k]));
      main.replaceChildren(made.get(k));
      [...tabs.children].forEach((tab, at) => tab.setAttribute("aria-pressed", at === k));
      shown.tab = k;
    };
    if (names.length > 1) tabs.append(...names.map((name, k) => make("button", { type: "button", "aria-pressed": "false", onclick: () => shown.show(k) }, name)));
    document.body.append(head(), ...(names.length > 1 ? [tabs] : []), main);
    for (const k of results.keys()) await shown.show(k);
    await shown.show(0);
    shown.ready = true;
  }
  start().catch((error) => {
    document.body.append(make("p.bad", `This page cannot be shown: ${error.message}`));
    throw error;
  });
  return shown;
})();
