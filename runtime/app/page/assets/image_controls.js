// image_controls.js - what one sets of an image: scale, colours, range, zoom; and what one takes away: a PNG, a CSV.
//
//   page.append(facet.imageControls(image, {name: "gold"}), image.element);   name: of the files that are saved
"use strict";

facet.imageControls = (() => {
  const { make, save } = facet.page;
  const maps = { Sequential: "viridis", Diverging: "blue to red", Cyclic: "cyclic" };

  /** A table of numbers as text: first line and first column are the axes. */
  function csv({ rows, columns, values, x, y, label }) {
    const lines = [[`${y.label} \\ ${x.label}: ${label}`.replaceAll(/[,\n\r"]/g, " "), ...x.centres].join(",")];
    for (let row = 0; row < rows; ++row) lines.push(y.centres[row] + "," + values.subarray(row * columns, (row + 1) * columns).join(","));
    return lines.join("\n") + "\n";
  }

  const label = (text, control) => make("label", text, control);

  function choice(text, choices, use) {
    const select = make("select", { onchange: () => use(select.value) }, Object.entries(choices).map(([value, name]) => make("option", { value }, name)));
    return [select, label(text, select)];
  }

  /** A field of a number; empty: as the values have it. What is no number is marked and not taken. */
  function field(text, use) {
    const input = make("input", { type: "text", inputmode: "decimal", onchange() {
      const value = input.value.trim() === "" ? null : Number(input.value.replace("−", "-"));
      input.classList.toggle("bad", Number.isNaN(value));
      input.setAttribute("aria-invalid", Number.isNaN(value));
      if (!Number.isNaN(value)) use(value);
    } });
    return [input, label(text, input)];
  }

  const button = (text, title, onclick) => make("button", { title, "aria-label": title, type: "button", onclick }, text);

  return function (image, { name = "image", maps: offered = Object.keys(maps) } = {}) {
    const [scale, scaleLabel] = choice("scale", { log: "logarithmic", linear: "linear" }, (value) => image.set({ log: value === "log" }));
    const [map, mapLabel] = choice("colours", Object.fromEntries(offered.map((one) => [one, maps[one]])), (value) => image.set({ map: value, low: null, high: null }));
    const [low, lowLabel] = field("from", (value) => image.set({ low: value }));
    const [high, highLabel] = field("to", (value) => image.set({ high: value }));
    function show() {
      const now = image.colours();
      scale.value = image.spec.log && now.map === "Sequential" ? "log" : "linear";
      scale.disabled = now.map !== "Sequential";
      map.value = now.map;
      for (const [input, end] of [[low, "low"], [high, "high"]]) {
        if (input === document.activeElement && input.value.trim() !== "" && image.spec[end] != null) continue;
        input.value = image.spec[end] == null ? "" : facet.scale.exact(image.spec[end]);
        input.placeholder = facet.scale.short(now[end]);
      }
    }
    image.listeners.push(show);
    show();
    const zoom = make("span.group", button("+", "zoom in", () => image.zoom(0.5)), button("−", "zoom out", () => image.zoom(2)), button("all", "show all", () => image.showWhole()));
    const take = make("span.group", button("PNG", "save as PNG", () => image.picture().toBlob((blob) => save(`${name}.png`, blob))),
      button("CSV", "save the numbers as CSV", () => save(`${name}.csv`, csv(image.spec), "text/csv")));
    return make("div.controls", { role: "group", "aria-label": `view of ${image.spec.named ?? name}` }, scaleLabel, mapLabel, lowLabel, highLabel, zoom, take);
  };
})();
