// compare.js - two sums beside each other: of two targets, classes, algorithms, knobs or kernels.
"use strict";

facet.explore.compare = (() => {
  const { data, make } = facet.page;
  const { explore } = facet;

  /** All sums of the page: {name, variant, sum}. */
  const all = data.kernels.flatMap((kernel) => (kernel.variants ?? []).flatMap((variant) => variant.sums.filter((sum) => sum.lines)
    .map((sum) => ({ kernel, name: [data.kernels.length > 1 ? kernel.label : null, variant.algorithm, variant.class,
      variant.q === "complex" ? "complex q" : null, sum.target].filter(Boolean).join(" "), variant, sum }))));

  /** Lines of a sum as they are shown, and as they are compared: without the names of registers, of places and of values. */
  const views = {
    assembly: ({ sum }) => sum.lines.map(({ text }) => {
      const shown = text.replace(/\s*#.*/, "");
      return [shown, shown.replace(/%[xyz]mm\d+/g, "%v").replace(/%[a-z]\w*/g, "%r").replace(/-?\b\d+\(/g, "(").replace(/\.L\w+/g, ".L")
        .replace(/\{1to\d+\}/, "").replace(/(^v\w+?)(132|213|231)?([ps])[sd]( |$)/, "$1$3$4")];
    }),
    ir: ({ variant }) => explore.regionsAfter(variant, variant.passes.length - 1).flatMap((region) => [[region.name, region.name],
      ...region.lines.map(({ id, text, domain }) => [`${id} = ${text} [${domain}]`, `${text.replace(/%\d+/g, "%")} [${domain}]`])]),
    loops: ({ sum }) => sum.loops.map((row) => {
      const shown = "  ".repeat(row.depth) + explore.facts.loopText(row);
      return [shown, shown.replace(/\$\d+/g, "").replace(/\bt\d+\b/g, "t")];
    }),
  };

  /** The longest common subsequence of two lists of texts: pairs of indices, -1 where one has no such line. */
  function aligned(left, right) {
    const width = right.length + 1, table = new Uint16Array((left.length + 1) * width), pairs = [];
    for (let i = left.length - 1; i >= 0; --i)
      for (let k = right.length - 1; k >= 0; --k)
        table[i * width + k] = left[i] === right[k] ? table[(i + 1) * width + k + 1] + 1
          : Math.max(table[(i + 1) * width + k], table[i * width + k + 1]);
    let i = 0, k = 0;
    while (i < left.length || k < right.length) {
      if (i < left.length && k < right.length && left[i] === right[k]) pairs.push([i++, k++]);
      else if (k >= right.length || (i < left.length && table[(i + 1) * width + k] >= table[i * width + k + 1])) pairs.push([i++, -1]);
      else pairs.push([-1, k++]);
    }
    return zipped(pairs);
  }

  /** What is only left stands beside what is only right there. */
  function zipped(pairs) {
    const rows = [], left = [], right = [];
    const flush = () => {
      while (left.length || right.length) rows.push([left.shift() ?? -1, right.shift() ?? -1]);
    };
    for (const [i, k] of pairs) {
      if (i >= 0 && k >= 0) {
        flush();
        rows.push([i, k, true]);
      } else if (i >= 0) left.push(i);
      else right.push(k);
    }
    flush();
    return rows;
  }

  const cell = (line, only, sign) => make(`div.cell${only ? ".only" : ""}`, make("span.change", only && line ? sign : ""), line ?? "");

  function differences(left, right, view) {
    const [a, b] = [views[view](left), views[view](right)];
    const pairs = aligned(a.map(([, key]) => key), b.map(([, key]) => key)), same = pairs.filter(([, , alike]) => alike).length;
    return [make("p.soft#alike", `${same} lines alike, ${a.length - same} only left, ${b.length - same} only right; names of registers, places and values aside`),
      make("div.diff.code", { tabindex: 0, role: "group", "aria-label": "differences" },
        pairs.map(([i, k, alike]) => [cell(a[i]?.[0], !alike, "\u2212"), cell(b[k]?.[0], !alike, "+")]))];
  }

  /** Counts of both loops, whole and of one vector of terms. */
  function counts(left, right) {
    const { kinds, share } = explore.assembly;
    const sums = [left.sum, right.sum], of = (sum, kind) => sum.counts[kind] ?? 0;
    return make("table.counts", make("thead", make("tr", make("th", "a vector of terms (the loop)"),
      [left, right].map(({ name }) => make("th", { scope: "col" }, name)))),
    make("tbody", kinds.filter(([kind]) => sums.some((sum) => of(sum, kind))).map(([kind]) => make("tr", make("td", kind),
      sums.map((sum) => make("td.number", sum.vectors ? `${share(of(sum, kind), sum)} (${of(sum, kind)})` : String(of(sum, kind))))))));
  }

  function pane() {
    if (all.length < 2) return null;
    const other = [({ kernel }) => kernel !== all[0].kernel, ({ sum }) => sum.target !== all[0].sum.target].map((is) => all.findIndex(is));
    const chosen = { left: 0, right: other.find((k) => k > 0) ?? 1, view: "assembly" };
    const body = make("div#differences"), names = all.map(({ name }, k) => [k, name]);
    const draw = () => body.replaceChildren(counts(all[chosen.left], all[chosen.right]),
      ...differences(all[chosen.left], all[chosen.right], chosen.view));
    const chooser = (key, label, options) => explore.chooser(`compare-${key}`, label, options, chosen[key], (value) => {
      chosen[key] = value;
      draw();
    });
    draw();
    return make("section.pane#compare", make("h2", "Side by side"), make("div.choosers", chooser("left", "left", names), chooser("right", "right", names),
      chooser("view", "what", [["assembly", "inner loop"], ["ir", "IR after all passes"], ["loops", "loops of the schedule"]])), body);
  }

  return { pane, aligned };
})();
