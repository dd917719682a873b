// raster.js - values of rows and columns as pixels of a screen: nearest values where they are few, means where they
// are many. What is masked or was not computed has a pattern of its own.
//
//   facet.raster(values, {columns, mask}, {rows: cells, columns: cells}, colours, dark)   an ImageData
//   facet.raster.cells(edges, low, high, n)   the cells under each of n pixels from low to high
//   facet.raster.colours({map, log, low, high})   a table, and the place in it of a value
"use strict";

facet.raster = (() => {
  const MASKED = 1, MISSING = 2;

  /** First and past-last cell under each of n pixels; first is -1 where there is none. Edges rise or fall. */
  function cells(edges, low, high, n) {
    const count = edges.length - 1, falls = edges[count] < edges[0], step = (high - low) / n;
    const first = new Int32Array(n), last = new Int32Array(n);
    const cellAt = (place) => {
      let a = 0, b = count;
      while (b - a > 1) {
        const middle = (a + b) >> 1;
        if (falls ? edges[middle] >= place : edges[middle] <= place) a = middle;
        else b = middle;
      }
      return a;
    };
    const least = Math.min(edges[0], edges[count]), most = Math.max(edges[0], edges[count]);
    for (let i = 0; i < n; ++i) {
      const from = low + step * i, middle = from + step / 2;
      if (middle < least || middle > most) {
        first[i] = last[i] = -1;
        continue;
      }
      const a = cellAt(Math.max(least, from + 0.02 * step)), b = cellAt(Math.min(most, from + 0.98 * step));
      const many = Math.abs(b - a) > 1;
      first[i] = many ? Math.min(a, b) : cellAt(middle);
      last[i] = many ? Math.max(a, b) + 1 : first[i] + 1;
    }
    return { first, last, many: first.some((at, i) => last[i] - at > 1) };
  }

  /** Colours as 0xAABBGGRR, and how a value finds its own: scale * (log) value + shift, from 0 to 255. */
  function colours({ map, log, low, high }) {
    const rgb = facet.page.colours(map), table = new Uint32Array(256);
    for (let k = 0; k < 256; ++k) table[k] = 0xff000000 | (rgb[3 * k + 2] << 16) | (rgb[3 * k + 1] << 8) | rgb[3 * k];
    const from = log ? Math.log(low) : low, to = log ? Math.log(high) : high;
    const scale = 255.999 / (to - from || 1);
    return { table, log, scale, shift: -from * scale, cyclic: map === "Cyclic" };
  }

  const pack = (dark, light) => [dark, light].map(([r, g, b]) => (0xff000000 | (b << 16) | (g << 8) | r) >>> 0);

  /** Stripes where pixels are masked, dots where they were not computed, plain where there is no number. */
  function patterns(dark) {
    const [masked, stripe] = dark ? pack([70, 74, 82], [104, 109, 119]) : pack([176, 180, 187], [148, 153, 162]);
    const [missing, dot] = dark ? pack([26, 28, 33], [96, 86, 50]) : pack([250, 248, 240], [201, 178, 110]);
    const [nothing] = dark ? pack([40, 43, 50], [0, 0, 0]) : pack([225, 225, 225], [0, 0, 0]);
    return (state, x, y) => {
      if (state === MASKED) return (x + y) % 8 < 3 ? stripe : masked;
      if (state === MISSING) return x % 6 < 2 && y % 6 < 2 ? dot : missing;
      return nothing;
    };
  }

  /** Sums and counts of what lies under the pixels of a line, of cells that have a number. */
  function addRows(values, mask, width, rows, columns, sums, counts) {
    sums.fill(0);
    counts.fill(0);
    for (let row = rows[0]; row < rows[1]; ++row)
      for (let i = 0, base = row * width; i < sums.length; ++i) {
        let sum = 0, count = 0;
        for (let at = base + columns.first[i], end = base + columns.last[i]; at < end; ++at) {
          const value = values[at];
          if (value - value === 0 && !(mask && mask[at])) {
            sum += value;
            ++count;
          }
        }
        sums[i] += sum;
        counts[i] += count;
      }
  }

  /** The colours of a line; whether all its pixels have a number, so that it can be repeated. */
  function drawLine(pixels, y, values, mask, base, columns, found, pattern, means) {
    const { table, log, scale, shift } = found, width = columns.first.length, line = y * width;
    let plain = true, last = -1;
    for (let i = 0; i < width; ++i) {
      const column = columns.first[i], at = base + column;
      if (column < 0) continue;
      if (column === last) {
        pixels[line + i] = pixels[line + i - 1];
        continue;
      }
      const value = means ? means.sums[i] / means.counts[i] : mask && mask[at] ? NaN : values[at];
      if (value - value !== 0) {
        pixels[line + i] = pattern(mask ? mask[at] : 0, i, y);
        plain = false;
        continue;
      }
      if (!means) last = column;
      const place = (log ? (value > 0 ? Math.log(value) : -1e300) : value) * scale + shift;
      pixels[line + i] = table[place > 255 ? 255 : place > 0 ? place | 0 : 0];
    }
    return plain;
  }

  function draw(values, { columns: width, mask }, { rows, columns }, found, dark) {
    const across = columns.first.length, down = rows.first.length;
    const image = new ImageData(across, down), pixels = new Uint32Array(image.data.buffer), pattern = patterns(dark);
    const means = (rows.many || columns.many) && !found.cyclic && { sums: new Float64Array(across), counts: new Int32Array(across) };
    for (let y = 0, before = -1; y < down; ++y) {
      const up = down - 1 - y, row = rows.first[up];
      if (row < 0) continue;
      if (row === before) {
        pixels.copyWithin(y * across, (y - 1) * across, y * across);
        continue;
      }
      if (means) addRows(values, mask, width, [row, rows.last[up]], columns, means.sums, means.counts);
      const plain = drawLine(pixels, y, values, mask, row * width, columns, found, pattern, means);
      before = plain ? row : -1;
    }
    return image;
  }

  return Object.assign(draw, { cells, colours, patterns, MASKED, MISSING });
})();
