// assembly.js - the pane of the inner loop's assembly: its instructions by kind, beside what the model counts.
"use strict";

facet.explore.assembly = (() => {
  const { make, number } = facet.page;
  const { explore } = facet;

  /** Kinds in the order in which they are shown; arithmetic is what the model counts. */
  const kinds = [["multiply-add", true], ["add, multiply", true], ["division, root", true], ["other arithmetic", true], ["load", false],
    ["store", false], ["spill", false], ["move", false], ["address, branch", false]];
  const classOf = (kind) => `kind-${kinds.findIndex(([name]) => name === kind)}`;

  /** What the model counts for one vector of terms: a direct sum forms values of z and the record once for the rows of a tile. */
  function model(variant, sum) {
    const { instructions, fused, column_instructions: columns } = variant.operations;
    return { fused, all: instructions + (variant.algorithm === "direct" ? columns / (sum.knobs.tile_y ?? 1) : 0) };
  }

  /** [kind, how many in the loop, in one vector of terms], and the sum of arithmetic. */
  function counts(sum) {
    const rows = kinds.filter(([kind]) => sum.counts[kind]).map(([kind]) => [kind, sum.counts[kind]]);
    const all = kinds.reduce((total, [kind, counted]) => total + (counted ? sum.counts[kind] ?? 0 : 0), 0);
    return { rows, all };
  }

  const share = (count, sum) => (sum.vectors ? number(count / sum.vectors, 3) : "");

  function table(variant, sum) {
    const expected = model(variant, sum), { rows, all } = counts(sum);
    const said = (kind) => (kind === "multiply-add" && sum.vectors ? `\u2265 ${number(expected.fused, 3)}` : "");
    return make("table.counts",
      make("thead", make("tr", ["instructions", "loop", "a vector", "model"].map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", rows.map(([kind, count]) => make("tr", make("td", make(`i.swatch.${classOf(kind)}`), kind),
        make("td.number", String(count)), make("td.number", share(count, sum)), make("td.number", said(kind)))),
      make("tr.total", make("td", "arithmetic in all"), make("td.number", String(all)), make("td.number", share(all, sum)),
        make("td.number", sum.vectors ? number(expected.all, 3) : ""))));
  }

  function bar(sum) {
    const whole = Object.values(sum.counts).reduce((a, b) => a + b, 0);
    return make("div.bar", { role: "img", "aria-label": counts(sum).rows.map(([kind, count]) => `${count} ${kind}`).join(", ") },
      counts(sum).rows.map(([kind, count]) => make(`span.${classOf(kind)}`, { title: `${kind}: ${count}`, style: `flex-grow:${count / whole}` })));
  }

  function row(line) {
    const at = line.line ? { "data-line": line.line, "data-column": line.column } : {};
    const [, name, operands, remark] = line.text.match(/^(\S+)\s*([^#]*?)\s*(#.*)?$/);
    return make(`div.row.${classOf(line.kind)}`, { ...at, title: line.kind },
      make("i.swatch", { "aria-hidden": "true" }), make("span.how", line.line ? (line.exact ? "=" : "\u2192") : ""),
      make("span.text", make("b", name), " ", operands, remark ? make("span.soft", `  ${remark}`) : null));
  }

  /** How many instructions have a place, and how it was found. */
  function placed(sum) {
    const exact = sum.lines.filter((line) => line.exact).length, fed = sum.lines.filter((line) => line.line && !line.exact).length;
    if (exact + fed === 0) return null;
    return make("p.soft", `${exact} of ${sum.lines.length} compute a value of the IR ( = ); ${fed} have the place of the value that they feed ( \u2192 ).`);
  }

  function show(body, list) {
    const variant = explore.variant(), sum = explore.sum();
    list.replaceChildren();
    if (!variant) return body.replaceChildren();
    if (!sum) return body.replaceChildren(make("p.soft", "Transforms have no sum over records of their own: the library of transforms takes points and strengths."));
    if (sum.error) return body.replaceChildren(make("p.bad", sum.error));
    if (!sum.lines.length) return body.replaceChildren(make("p.soft", "The device's driver compiles the text of this sum: there is no assembly here."));
    list.replaceChildren(...sum.lines.map(row));
    const rows = Object.entries(sum.knobs).map(([name, value]) => `${name}=${value}`).join(" ");
    return body.replaceChildren(bar(sum), make("details", { open: true }, make("summary", sum.vectors
      ? `One round adds ${sum.vectors} vector${sum.vectors === 1 ? "" : "s"} of terms` : "Instructions by kind"), table(variant, sum), placed(sum)),
      make("p.soft", `${rows} (${sum.from})`));
  }

  function pane() {
    const list = explore.lines("assembly", "instructions of the inner loop"), body = make("div#counts"), title = make("h2");
    const draw = () => {
      title.replaceChildren(`Inner loop${explore.sum() ? ` on ${explore.sum().target}` : ""}`);
      show(body, list);
    };
    explore.on("kernel variant sum", draw);
    draw();
    return make("section.pane", title, body, list);
  }

  return { pane, counts, kinds, share, classOf };
})();
