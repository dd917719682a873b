// page.js - what every page begins with: its data, elements made without markup, numbers, colours, light and dark.
//
//   facet.page.data               what the C++ side gave the page; facet.page.title
//   await facet.page.blob(name)   bytes of that name, as a Uint8Array
//   facet.page.make("p.class#id", {attributes, onclick}, child or text ...)
"use strict";

globalThis.facet = globalThis.facet ?? {};

facet.page = (() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const { title, data, blobs } = read("data");

  /** An element of a tag, with classes and an id; texts become text, never markup; null and undefined are left out. */
  function make(selector, ...rest) {
    const [tag, ...marks] = selector.split(/(?=[.#])/);
    const element = tag === "svg" || make.drawn.has(tag)
      ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
    for (const mark of marks) mark[0] === "#" ? (element.id = mark.slice(1)) : element.classList.add(mark.slice(1));
    const given = rest.length && rest[0]?.constructor === Object ? rest.shift() : {};
    for (const [name, value] of Object.entries(given)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value === true || (value !== false && value != null)) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...rest.flat(Infinity).filter((child) => child != null));
    return element;
  }
  make.drawn = new Set(["g", "path", "rect", "circle", "line", "polyline", "text"]);

  async function blob(name) {
    const place = blobs.indexOf(name);
    if (place < 0) throw new Error(`the page has no bytes of the name ${name}`);
    const text = document.querySelectorAll("script.blob")[place].textContent;
    const characters = atob(text), bytes = new Uint8Array(characters.length);
    for (let k = 0; k < bytes.length; ++k) bytes[k] = characters.charCodeAt(k); // from() takes twenty times as long
    return bytes;
  }

  /** A number to `digits`, or with all of them: the shortest text that gives the same double again. */
  function number(value, digits = 0) {
    if (!Number.isFinite(value)) return Number.isNaN(value) ? "-" : String(value);
    const text = digits ? String(Number(value.toPrecision(digits))) : String(value);
    return text.replace("e+", "e");
  }

  /** Red, green and blue of a colour map at 0 to 1, in a table of 256 rows. Maps: Sequential, Diverging, Cyclic. */
  const tables = new Map();
  function colours(map) {
    if (!tables.has(map)) {
      const marks = read("colours")[map], table = new Uint8Array(256 * 3);
      for (let row = 0; row < 256; ++row) {
        const place = (row / 255) * (marks.length - 1), k = Math.min(Math.floor(place), marks.length - 2), part = place - k;
        for (const [channel, shift] of [16, 8, 0].entries())
          table[3 * row + channel] = Math.round((1 - part) * ((marks[k] >> shift) & 255) + part * ((marks[k + 1] >> shift) & 255));
      }
      tables.set(map, table);
    }
    return tables.get(map);
  }

  /** Offers bytes or text as a file to keep. */
  function save(name, content, type) {
    const link = make("a", { href: URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  /** Light or dark: as the system has it until the button is pressed. Calls `changed` each time. */
  const listeners = [];
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const tell = () => listeners.forEach((listener) => listener(isDark()));
  system.addEventListener("change", tell);
  function themeButton() {
    return make("button#theme", { title: "light or dark", "aria-label": "light or dark", onclick() {
      document.documentElement.dataset.theme = isDark() ? "light" : "dark";
      tell();
    } }, "\u25d0");
  }

  /** The head of a page: its title, what stands beside it, the button for light and dark. */
  function head(...beside) {
    return make("header", make("h1", title), ...beside, themeButton());
  }

  return { title, data, make, blob, number, colours, save, head, isDark, onTheme: (listener) => listeners.push(listener) };
})();
