// explore.js - a kernel's page: file, IR and assembly beside each other, choosers above, the rest below.
"use strict";

(() => {
  const { data, make, head } = facet.page;
  const { explore } = facet;

  const good = data.kernels.some((kernel) => kernel.variants);
  const places = [["inner", "q and t", "the inner loop"], ["row", "x, y and t", "a table of rows"], ["column", "z and t", "a table of z"],
    ["record", "t alone", "packed, once a record"], ["axis", "q alone", "once a q, or an axis"], ["call", "neither", "once a call"]];

  /** Colours of domains; a pressed one leaves its own values alone in full colour. */
  function legend() {
    const buttons = places.map(([place, domain, where]) => make(`button.is-${place}`, { "aria-pressed": "false", title: `depends on ${domain}: ${where}`,
      onclick() {
        const only = document.body.dataset.only === place ? "" : place;
        document.body.dataset.only = only;
        buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(places[k][0] === only)));
      } }, make("i.swatch"), domain, make("span.soft", where)));
    return make("div.legend", { role: "group", "aria-label": "what a value depends on" }, buttons);
  }

  const labelOf = (variant) => [variant.algorithm, variant.class, variant.q === "complex" ? "complex q" : null,
    variant.grid === "points" && variant.algorithm === "direct" ? "points" : null].filter(Boolean).join(", ");

  /** Another variant: its passes are others; the pass of the same name, else the last. */
  function chooseVariant(k) {
    const name = explore.variant().passes[explore.state.pass].name, { target } = explore.sum() ?? {};
    const variant = explore.kernel().variants[k], same = variant.passes.findIndex((pass) => pass.name === name);
    explore.set({ variant: k, pass: same < 0 ? variant.passes.length - 1 : same, sum: Math.max(variant.sums.findIndex((sum) => sum.target === target), 0) });
  }

  /** A kernel: its first variant, the first pass. */
  const chooseKernel = (k) => explore.set({ kernel: k, variant: 0, sum: 0, pass: 0, place: null });

  function choosers() {
    const bar = make("div.choosers");
    const draw = () => {
      const { state } = explore, variants = explore.kernel().variants ?? [];
      bar.replaceChildren(...[
        data.kernels.length > 1 ? explore.chooser("kernel", "kernel", data.kernels.map(({ label }, k) => [k, label]), state.kernel, (k) => chooseKernel(Number(k))) : null,
        variants.length ? explore.chooser("variant", "algorithm", variants.map((variant, k) => [k, labelOf(variant)]), state.variant, (k) => chooseVariant(Number(k))) : null,
        explore.variant()?.sums.length ? explore.chooser("target", "target", explore.variant().sums.map(({ target }, k) => [k, target]), state.sum, (k) => explore.set({ sum: Number(k) })) : null,
      ].filter(Boolean));
    };
    explore.on("kernel variant sum", draw);
    draw();
    return bar;
  }

  /** The panes, of which a page of refused kernels has the file alone. */
  function body() {
    const panes = make(`div.panes${good ? "" : ".alone"}`, explore.source.pane(), good ? [explore.passes.pane(), explore.assembly.pane()] : null);
    return [panes, good ? [make("div.facts", explore.facts.formulas(), explore.facts.schedule()), explore.facts.roofline(), explore.plan.pane()] : null].flat(2).filter(Boolean);
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") explore.set({ place: null });
  });
  const main = make("main");
  document.body.append(head(make("span.soft.doc", explore.kernel().doc ?? ""), facet.live && good ? make("a", { href: "#live" }, "live") : null), main);
  const compare = good ? explore.compare.pane() : null;
  main.append(make("div.top", choosers(), good ? legend() : null), ...body(), compare ?? "",
    facet.live && good ? make("section#live") : "");
  if (facet.live && good) facet.live(document.getElementById("live"));
  explore.mark();
})();
