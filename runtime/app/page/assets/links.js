// links.js - what is chosen on a kernel's page, and places of its file: what is of one place is marked together.
//
//   facet.explore.state       kernel, variant, sum: indices; pass: of the variant's; place: {line, column}, column 0: the whole line
//   facet.explore.set({..})   changes some of it and tells the panes, which have called facet.explore.on("variant pass", draw)
//
// An element with data-line and data-column is of a place.
"use strict";

facet.explore = (() => {
  const { data, make } = facet.page;
  const state = { kernel: 0, variant: 0, sum: 0, pass: 0, place: null };
  const listeners = [];

  /** Lines are rows of their members in the page's data, without zeros at their ends. */
  function unpack(holder, members) {
    holder.lines = holder.lines?.map((row) => Object.fromEntries(row.map((value, k) => [members[k], value])));
  }
  for (const { variants = [] } of data.kernels)
    for (const { passes, sums } of variants) {
      for (const { regions = [] } of passes) regions.forEach((region) => unpack(region, data.members.values));
      sums.forEach((sum) => unpack(sum, data.members.instructions));
    }

  const kernel = () => data.kernels[state.kernel];
  const variant = () => kernel().variants?.[state.variant];
  const sum = () => variant()?.sums[state.sum];

  /** Listeners of what has changed hear of it once, in the order in which they came. */
  function set(changes) {
    const changed = Object.keys(changes).filter((key) => state[key] !== changes[key]);
    Object.assign(state, changes);
    for (const [names, listener] of listeners) if (names.some((name) => changed.includes(name))) listener();
    mark();
  }

  /** The lines of the IR after a pass: those of the last pass that changed any. */
  function regionsAfter(of, pass) {
    for (let k = pass; k >= 0; --k) if (of.passes[k].regions) return of.passes[k].regions;
    return [];
  }

  /** Which place of the loops a domain has: once a call, a q, a record, in a table, in the inner loop. */
  function placeOf(domain) {
    const has = (one) => domain.split(" ").includes(one);
    const row = has("x") || has("y") || has("q"), z = has("z") || has("q");
    if (!has("t")) return row || z ? "axis" : "call";
    return row && z ? "inner" : row ? "row" : z ? "column" : "record";
  }

  /** A place in bytes of a line of UTF-8, as an index of the text. */
  function indexOf(text, column) {
    let bytes = 0, index = 0;
    for (const character of text) {
      if (bytes >= column - 1) break;
      bytes += new TextEncoder().encode(character).length;
      index += character.length;
    }
    return index;
  }

  const isOf = (element, place) => place && Number(element.dataset.line) === place.line
    && (!place.column || Number(element.dataset.column) === place.column);

  /** Marks what is of the chosen place, what else is of its line, and what is of the place under the mouse. */
  let under = null;
  function mark() {
    for (const element of document.querySelectorAll("[data-line]")) {
      const chosen = isOf(element, state.place);
      element.classList.toggle("linked", Boolean(chosen));
      element.classList.toggle("near", !chosen && Boolean(state.place) && Number(element.dataset.line) === state.place.line);
      element.classList.toggle("under", Boolean(isOf(element, under)));
    }
  }

  const placeOfElement = (element) => ({ line: Number(element.dataset.line), column: Number(element.dataset.column ?? 0) });

  /** Scrolls a pane, not the page, until it shows its first marked line. */
  function reveal(pane) {
    const first = pane.querySelector(".linked") ?? pane.querySelector(".near");
    if (!first) return;
    const box = first.getBoundingClientRect(), room = pane.getBoundingClientRect();
    if (box.top < room.top || box.bottom > room.bottom) pane.scrollTop += box.top - room.top - pane.clientHeight / 3;
  }

  /** Chooses a place, or none if it is the one that is chosen; every pane shows what is of it. */
  function choose(place) {
    const same = place && state.place && place.line === state.place.line && place.column === state.place.column;
    set({ place: same ? null : place });
    document.querySelectorAll(".lines").forEach(reveal);
  }

  function look(element) {
    under = element ? placeOfElement(element) : null;
    mark();
  }

  /** Moves a list's own cursor: the mouse is not the only way to a line. */
  function step(list, by) {
    const rows = [...list.querySelectorAll("[data-line]")];
    if (!rows.length) return;
    const now = rows.indexOf(list.querySelector(".cursor"));
    const next = rows[Math.min(Math.max(now + by, 0), rows.length - 1)];
    rows[now]?.classList.remove("cursor");
    next.classList.add("cursor");
    next.scrollIntoView({ block: "nearest" });
    look(next);
  }

  /** A list whose elements of a place are chosen by a click, or by the arrows up and down and Enter. */
  function lines(id, label) {
    const list = make(`div.lines.code#${id}`, { tabindex: 0, role: "group", "aria-label": `${label}: arrows up and down, Enter` });
    list.addEventListener("click", (event) => {
      const element = event.target.closest("[data-line]");
      if (element) choose(placeOfElement(element));
    });
    list.addEventListener("mouseover", (event) => look(event.target.closest("[data-line]")));
    list.addEventListener("mouseleave", () => look(null));
    list.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") step(list, event.key === "ArrowDown" ? 1 : -1);
      else if (event.key === "Enter" && list.querySelector(".cursor")) choose(placeOfElement(list.querySelector(".cursor")));
      else return;
      event.preventDefault();
    });
    return list;
  }

  /** A labelled choice among [value, text]; `changed` gets the value. */
  function chooser(id, label, options, value, changed) {
    const select = make(`select#${id}`, { onchange: () => changed(select.value) },
      options.map(([key, text]) => make("option", { value: key, selected: String(key) === String(value) }, text)));
    return make("label.chooser", make("span", label), select);
  }

  return { state, set, on: (names, listener) => listeners.push([names.split(" "), listener]), kernel, variant, sum, regionsAfter,
    placeOf, indexOf, choose, mark, lines, chooser };
})();
