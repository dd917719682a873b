// plan.js - the choices of a plan as bars of time, error and memory, the one that is taken first.
"use strict";

facet.explore.plan = (() => {
  const { data, make, number } = facet.page;

  const measures = [["seconds", "time", (value) => value < 0.1 ? `${number(value * 1e3, 3)} ms` : `${number(value, 3)} s`],
    ["error", "error", (value) => value.toExponential(1)], ["bytes", "memory", (value) => `${number(value / 1e6, 3)} MB`]];

  /** How long a bar is, from 0 to 1: by logarithms, so that a decade is as long everywhere. */
  function lengths(choices, measure) {
    const values = choices.map((choice) => choice[measure]).filter((value) => value > 0);
    const low = Math.log10(Math.min(...values)) - 0.3, high = Math.log10(Math.max(...values));
    return (value) => (value > 0 ? (Math.log10(value) - low) / (high - low) : 0);
  }

  function row(choice, scales) {
    return make(`tr${choice.why === "taken" ? ".taken" : ""}`, make("th", { scope: "row" }, choice.name),
      measures.map(([measure, , text], k) => make("td", choice[measure] > 0 ? [
        make("div.bar", { style: `width:${(100 * scales[k](choice[measure])).toFixed(1)}%` }), make("span", text(choice[measure]))] : "-")),
      make("td.soft", choice.why));
  }

  /** Null where no mesh and grid were given. */
  function pane() {
    if (!data.plan) return null;
    const choices = [...data.plan.choices].sort((a, b) => (a.why !== "taken") - (b.why !== "taken") || (a.seconds ?? 1e300) - (b.seconds ?? 1e300));
    const scales = measures.map(([measure]) => lengths(choices, measure));
    return make("section.pane#plan", make("h2", `Plan of ${data.plan.mesh}, ${data.plan.accuracy.toExponential()} asked for`),
      make("table.plan", make("thead", make("tr", ["choice", ...measures.map(([, name]) => name), "why"].map((name) => make("th", name)))),
        make("tbody", choices.map((choice) => row(choice, scales)))),
      make("p.soft", "Bars are logarithmic. ", data.plan.reason, ". ", data.plan.memory));
  }

  return { pane };
})();
