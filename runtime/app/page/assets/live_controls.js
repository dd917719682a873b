// live_controls.js - what a live kernel is set by: choices, numbers with a slider, switches.
//
//   const {element, set} = facet.controls.number("sigma (nm)", {value: 1, low: 0, high: 5}, (value) => ...);
"use strict";

facet.controls = (() => {
  const { make, number: text } = facet.page;

  /** options: [[value, text], ..] */
  function choice(label, options, value, use) {
    const select = make("select", { onchange: () => use(select.value) });
    const fill = (all, now) => {
      select.replaceChildren(...all.map(([one, name]) => make("option", { value: one }, name)));
      select.value = now;
    };
    fill(options, value);
    return { element: make("label.choice", make("span", label), select), fill, select, set: (now) => (select.value = now) };
  }

  /** A slider from low to high, and a field that takes any number between least and most. log: the slider's steps are even factors. */
  function number(label, { value, low, high, least = -Infinity, most = Infinity, log = false }, use) {
    const place = (v) => (log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low));
    const valueAt = (part) => Number((log ? low * (high / low) ** part : low + part * (high - low)).toPrecision(4));
    const slider = make("input", { type: "range", min: 0, max: 1, step: 0.002, "aria-label": label, oninput: () => take(valueAt(Number(slider.value)), slider) });
    const field = make("input", { type: "text", inputmode: "decimal", "aria-label": `${label}, a number`, onchange: () => take(Number(field.value.replace("\u2212", "-") || NaN), field) });
    function show(now, but) {
      if (but !== slider) slider.value = place(now);
      field.value = text(now);
      slider.setAttribute("aria-valuetext", field.value);
    }
    function take(now, from) {
      const good = Number.isFinite(now) && now >= least && now <= most;
      field.classList.toggle("bad", !good);
      field.setAttribute("aria-invalid", String(!good));
      if (!good) return;
      show(now, from);
      use(now);
    }
    show(value);
    return { element: make("div.dial", make("span.name", label), slider, field), set: show };
  }

  /** A button that stays pressed. */
  function toggle(label, title, value, use) {
    const button = make("button", { type: "button", title, "aria-pressed": String(value), onclick: () => set(!(button.getAttribute("aria-pressed") === "true"), true) }, label);
    function set(now, told) {
      button.setAttribute("aria-pressed", String(now));
      if (told) use(now);
    }
    return { element: button, set };
  }

  const group = (title, ...parts) => make("fieldset", make("legend", title), parts);

  return { choice, number, toggle, group };
})();
