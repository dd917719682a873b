// source.js - the pane of the kernel file: its lines, the places of its values by domain, what is wrong with it.
"use strict";

facet.explore.source = (() => {
  const { make } = facet.page;
  const { explore } = facet;

  /** Places of the file's values before any pass: line to [column, domain], one a column: the widest domain. */
  function placesOf(kernel) {
    const places = new Map();
    for (const { lines } of kernel.variants?.[0]?.passes[0].regions ?? [])
      for (const { line, column, domain } of lines) {
        if (!line) continue;
        const own = places.get(line) ?? places.set(line, new Map()).get(line);
        if (!own.has(column) || own.get(column).length <= domain.length) own.set(column, domain);
      }
    return places;
  }

  /** The characters of a place: a name, or an operator. */
  const tokenAt = (text, index) => text.slice(index).match(/^([A-Za-z_]\w*|[-+*/<>=!&|?:]+|.)/u)?.[0] ?? " ";

  /** The line's text, its places as elements with their domain. */
  function textOf(text, number, places) {
    const parts = [];
    let at = 0;
    for (const [column, domain] of [...(places ?? [])].sort(([a], [b]) => a - b)) {
      const index = explore.indexOf(text, column);
      if (index < at) continue;
      const token = tokenAt(text, index);
      parts.push(text.slice(at, index), make(`span.token.is-${explore.placeOf(domain)}`,
        { "data-line": number, "data-column": column, title: `[${domain}]` }, token));
      at = index + token.length;
    }
    return [...parts, text.slice(at)];
  }

  /** What is said of a line, below it: a caret, the message, why, and what would mend it. */
  function remark(message, text) {
    const from = explore.indexOf(text, message.column ?? 1);
    const to = message.end_line === message.line ? Math.max(explore.indexOf(text, message.end_column), from + 1) : Math.max(text.length, from + 1);
    const fixes = (message.fixes ?? []).map((fix) => make("div", "help: write ", make("code", fix.text || "nothing"), ` at ${fix.line}:${fix.column}`));
    return make(`div.remark.is-${message.severity === "error" ? "error" : "warning"}`,
      make("div.caret", { "aria-hidden": "true" }, " ".repeat(from) + "^".repeat(to - from)),
      make("div.said", make("b", `${message.severity}: `), message.message, message.id ? make("span.soft", ` [${message.id}]`) : null,
        message.why ? make("div", `why: ${message.why}`) : null, fixes));
  }

  /** Remarks by line: diagnostics, and the expression that forbids an algorithm. */
  function remarksOf(kernel) {
    const all = [...(kernel.diagnostics ?? [])];
    for (const refusal of kernel.refusals ?? [])
      all.push({ severity: "note", message: `no ${refusal.algorithm} form${refusal.q === "complex" ? " of complex q" : ""}: ${refusal.reason}`,
        line: refusal.line, column: refusal.column, end_line: refusal.line, end_column: refusal.column + 1 });
    return all;
  }

  function draw(list) {
    const kernel = explore.kernel(), places = placesOf(kernel), remarks = remarksOf(kernel);
    const lines = kernel.text.replace(/\n$/, "").split("\n"), first = kernel.first ?? 1;
    const rows = remarks.filter(({ line }) => !line || line >= first + lines.length).map((message) => remark(message, ""));
    lines.forEach((text, k) => {
      const number = k + first, own = places.get(number);
      rows.push(make(`div.row${remarks.some(({ line }) => line === number) ? ".kept" : ""}`, own ? { "data-line": number } : {},
        make("span.number", String(number)), make("span.text", textOf(text, number, own))));
      rows.push(remarks.filter(({ line }) => line === number).map((message) => remark(message, text)));
    });
    list.replaceChildren(...rows.flat());
  }

  function pane() {
    const list = explore.lines("source", "kernel file"), title = make("h2");
    const show = () => {
      title.replaceChildren(explore.kernel().file);
      draw(list);
    };
    explore.on("kernel", show);
    show();
    return make("section.pane", title, list);
  }

  return { pane };
})();
