// passes.js - the pane of the IR: after each pass, with what it made and why it is there.
"use strict";

facet.explore.passes = (() => {
  const { make } = facet.page;
  const { explore } = facet;

  const formats = ["f32", "f64", "reference"];

  const madeBy = (pass, k) => (k === 0 ? "" : pass.regions ? `${pass.made} new, ${pass.removed} gone` : "changes nothing");

  /** The text of an operation, its values as elements that show which they are. */
  function expression(text) {
    return text.split(/(%\d+)/).map((part, k) => (k % 2 ? make("span.value", { "data-value": part }, part) : part));
  }

  function row(line) {
    const at = line.line ? { "data-line": line.line, "data-column": line.column } : {};
    return make(`div.row.is-${explore.placeOf(line.domain)}${line.changed ? ".changed" : ""}`, { ...at, "data-id": line.id, "data-domain": line.domain },
      make("span.change", { "aria-label": line.changed ? "new" : null }, line.changed ? "+" : ""),
      make("span.id", line.id), make("span.text", expression(line.text)),
      make("span.type", line.type), make(`span.domain`, `[${line.domain}]`), numbers(line));
  }

  /** A value's numbers at the probe of --at. */
  function numbers(line) {
    if (!line.numbers) return null;
    const [f32, f64, reference, marked] = line.numbers;
    return make(`span.numbers${marked ? ".loses" : ""}`, { title: marked ? "its rounding alone moves the sum by more than the class should" : "" },
      [f32, f64, reference].map((list, k) => make("span.number", { title: formats[k] }, list.join(" "))));
  }

  function draw(list) {
    const regions = explore.regionsAfter(explore.variant(), explore.state.pass), fresh = explore.variant().passes[explore.state.pass].regions;
    list.classList.toggle("unchanged", !fresh || explore.state.pass === 0);
    list.replaceChildren(...regions.map((region) => make("div.region", { "data-region": region.name },
      make("h3", region.name), region.lines.map(row), make("div.row.yield", make("span.change"), make("span.text", expression(region.yield))))));
  }

  /** Marks the value under the mouse where it is made and read, within its region. */
  function lookAt(event) {
    const region = event.target.closest(".region"), id = event.target.dataset?.value ?? event.target.closest("[data-id]")?.dataset.id;
    for (const element of document.querySelectorAll("#ir .same")) element.classList.remove("same");
    if (!region || !id) return;
    for (const element of region.querySelectorAll(`[data-value="${id}"], [data-id="${id}"] .id`)) element.classList.add("same");
  }

  function strip(buttons) {
    const { passes } = explore.variant();
    buttons.replaceChildren(...passes.map((pass, k) => make(`button${k > 0 && !pass.regions ? ".idle" : ""}`,
      { "aria-pressed": String(k === explore.state.pass), title: `${pass.why} ${madeBy(pass, k)}`, onclick: () => explore.set({ pass: k }) }, pass.name)));
    const shown = buttons.children[explore.state.pass];
    buttons.scrollLeft = shown.offsetLeft - buttons.clientWidth / 2;
  }

  /** To the next pass that changes anything, or the one before. */
  function step(by) {
    const { passes } = explore.variant() ?? { passes: [] };
    for (let k = explore.state.pass + by; k >= 0 && k < passes.length; k += by)
      if (passes[k].regions) return explore.set({ pass: k });
    return undefined;
  }

  function onKey(event) {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!way || event.altKey || event.ctrlKey || event.metaKey || event.target.closest("select, input, textarea, .own-arrows")) return;
    event.preventDefault();
    step(way);
  }

  function pane() {
    const buttons = make("div.strip", { role: "group", "aria-label": "passes" }), why = make("p.why"), list = explore.lines("ir", "values of the IR");
    list.addEventListener("mouseover", lookAt);
    const show = () => {
      if (!explore.variant()) return [buttons, why, list].forEach((part) => part.replaceChildren());
      const pass = explore.variant().passes[explore.state.pass];
      strip(buttons);
      const { at } = explore.kernel();
      why.replaceChildren(pass.why, make("span.soft", ` ${madeBy(pass, explore.state.pass)}`), at ? make("span.at", ` Numbers, ${formats.join(", ")}: ${at}.`) : "");
      return draw(list);
    };
    explore.on("kernel variant pass", show);
    document.addEventListener("keydown", onKey);
    show();
    return make("section.pane", make("h2", "IR after each pass ", make("span.soft", "\u2190 \u2192")), buttons, why, list);
  }

  return { pane, expression };
})();
