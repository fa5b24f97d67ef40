// SPDX-License-Identifier: MIT
// GIF: one palette for all pictures, ordered dither, and of each picture only the rectangle that
// changed, in which what did not change is transparent.
//
// Palette  Median cut of the dithered colours, in cells of 5 bits a channel, weighted by the root of
//          how often they occur. So the pictures wait, two bytes a pixel, until all are there.
// Dither   A fixed 4 by 4 pattern: a pixel whose colour stays keeps its index, so nothing flickers.

import { joinBytes } from '../bytes';

const COLORS = 255; // the last index is transparent
const CELLS = 1 << 15;
const DITHER = 10; // of 255: about the distance of two colours of the palette
const BAYER = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];
const MAX_CODE = 4096; // of LZW in GIF

interface Box {
  cells: number[];
  weight: number;
}

export class Gif {
  private readonly width: number;
  private readonly height: number;
  private readonly fps: number;
  private readonly pictures: Uint16Array[] = [];
  private readonly counts = new Float64Array(CELLS);

  constructor(width: number, height: number, fps: number) {
    this.width = width;
    this.height = height;
    this.fps = fps;
  }

  add(picture: HTMLCanvasElement): void {
    const { data } = picture.getContext('2d')!.getImageData(0, 0, this.width, this.height);
    const cells = new Uint16Array(this.width * this.height);
    for (let i = 0; i < cells.length; i++) {
      const [x, y] = [i % this.width, Math.floor(i / this.width)];
      const shift = DITHER * ((BAYER[4 * (y & 3) + (x & 3)] + 0.5) / 16 - 0.5);
      cells[i] = cellOf(data[4 * i] + shift, data[4 * i + 1] + shift, data[4 * i + 2] + shift);
      this.counts[cells[i]]++;
    }
    this.pictures.push(cells);
  }

  finish(): Uint8Array {
    const palette = makePalette(this.counts);
    const nearest = new Uint8Array(CELLS);
    this.counts.forEach((count, cell) => (nearest[cell] = count > 0 ? nearestColor(palette, cell) : 0));
    const head = [...ascii('GIF89a'), ...word(this.width), ...word(this.height), 0xf7, 0, 0, ...palette.flat()];
    const rest = new Array<number>(3 * (256 - palette.length)).fill(0);
    const forEver = [0x21, 0xff, 11, ...ascii('NETSCAPE2.0'), 3, 1, 0, 0, 0];
    const out: Uint8Array[] = [Uint8Array.from([...head, ...rest, ...forEver])];
    let before: Uint8Array | null = null;
    this.pictures.forEach((cells, k) => {
      const indices = Uint8Array.from(cells, (cell) => nearest[cell]);
      out.push(...this.frame(indices, before, this.delay(k)));
      before = indices;
    });
    out.push(Uint8Array.of(0x3b));
    return joinBytes(out);
  }

  // In hundredths of a second; rounded so that the sum stays right.
  private delay(k: number): number {
    const at = (n: number): number => Math.round((100 * n) / this.fps);
    return Math.max(2, at(k + 1) - at(k));
  }

  private frame(indices: Uint8Array, before: Uint8Array | null, delay: number): Uint8Array[] {
    const { left, top, right, bottom } = this.changed(indices, before);
    const [width, height] = [right - left + 1, bottom - top + 1];
    const pixels = new Uint8Array(width * height);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const i = (top + y) * this.width + left + x;
        pixels[y * width + x] = before && before[i] === indices[i] ? COLORS : indices[i];
      }
    }
    return [
      Uint8Array.of(0x21, 0xf9, 4, 0x05, ...word(delay), COLORS, 0), // stays; COLORS is transparent
      Uint8Array.of(0x2c, ...word(left), ...word(top), ...word(width), ...word(height), 0, 8),
      ...blocks(compress(pixels)),
      Uint8Array.of(0),
    ];
  }

  // a picture has at least one pixel
  private changed(indices: Uint8Array, before: Uint8Array | null): Record<'left' | 'top' | 'right' | 'bottom', number> {
    if (!before) {
      return { left: 0, top: 0, right: this.width - 1, bottom: this.height - 1 };
    }
    let [left, top, right, bottom] = [this.width, this.height, -1, -1];
    for (let i = 0; i < indices.length; i++) {
      if (indices[i] !== before[i]) {
        const [x, y] = [i % this.width, Math.floor(i / this.width)];
        [left, right] = [Math.min(left, x), Math.max(right, x)];
        [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
      }
    }
    return right < 0 ? { left: 0, top: 0, right: 0, bottom: 0 } : { left, top, right, bottom };
  }
}

function cellOf(r: number, g: number, b: number): number {
  const five = (value: number): number => Math.min(255, Math.max(0, value)) >> 3;
  return (five(r) << 10) | (five(g) << 5) | five(b);
}

/** Channel of a cell: 0 to 31. */
function channel(cell: number, c: number): number {
  return (cell >> (10 - 5 * c)) & 31;
}

// Cuts the box with the largest product of weight and length until there are enough.
function makePalette(counts: Float64Array): number[][] {
  const cells = [...counts.keys()].filter((cell) => counts[cell] > 0);
  const weigh = (cell: number): number => Math.sqrt(counts[cell]);
  const boxOf = (some: number[]): Box => ({ cells: some, weight: some.reduce((sum, cell) => sum + weigh(cell), 0) });
  const boxes = [boxOf(cells)];
  while (boxes.length < COLORS) {
    const scores = boxes.map((box) => (box.cells.length > 1 ? box.weight * longest(box.cells).length : 0));
    const most = scores.indexOf(Math.max(...scores));
    if (scores[most] === 0) {
      break;
    }
    const { cells: some, weight } = boxes[most];
    const { axis } = longest(some);
    some.sort((a, b) => channel(a, axis) - channel(b, axis) || a - b);
    let [cut, sum] = [0, 0];
    while (cut < some.length - 1 && (cut === 0 || sum < weight / 2)) {
      sum += weigh(some[cut++]);
    }
    boxes.splice(most, 1, boxOf(some.slice(0, cut)), boxOf(some.slice(cut)));
  }
  return boxes.map(({ cells: some, weight }) =>
    [0, 1, 2].map((c) =>
      Math.round(some.reduce((sum, cell) => sum + weigh(cell) * (8 * channel(cell, c) + 4), 0) / weight)));
}

function longest(cells: number[]): { axis: number; length: number } {
  let best = { axis: 0, length: -1 };
  for (let axis = 0; axis < 3; axis++) {
    let [low, high] = [31, 0];
    for (const cell of cells) {
      low = Math.min(low, channel(cell, axis));
      high = Math.max(high, channel(cell, axis));
    }
    if (high - low > best.length) {
      best = { axis, length: high - low };
    }
  }
  return best;
}

function nearestColor(palette: number[][], cell: number): number {
  let [best, least] = [0, Infinity];
  palette.forEach((color, k) => {
    const d = color.reduce((sum, value, c) => sum + (value - 8 * channel(cell, c) - 4) ** 2, 0);
    if (d < least) {
      [best, least] = [k, d];
    }
  });
  return best;
}

// LZW with codes of 9 to 12 bits, lowest bit first.
function compress(pixels: Uint8Array): Uint8Array {
  const [clear, end] = [256, 257];
  const out: number[] = [];
  let [bits, held, width, next] = [0, 0, 9, end + 1];
  const codes = new Map<number, number>();
  const put = (code: number): void => {
    held |= code << bits;
    for (bits += width; bits >= 8; bits -= 8) {
      out.push(held & 255);
      held >>>= 8;
    }
  };
  put(clear);
  let run = pixels[0];
  for (let i = 1; i < pixels.length; i++) {
    const longer = codes.get(256 * run + pixels[i]);
    if (longer !== undefined) {
      run = longer;
      continue;
    }
    put(run);
    if (next === MAX_CODE) {
      put(clear);
      codes.clear();
      [width, next] = [9, end + 1];
    } else {
      if (next === 1 << width) {
        width++;
      }
      codes.set(256 * run + pixels[i], next++);
    }
    run = pixels[i];
  }
  put(run);
  // a reader has added a code by now, and may count in wider ones
  if (next === 1 << width && width < 12) {
    width++;
  }
  put(end);
  if (bits > 0) {
    out.push(held & 255);
  }
  return Uint8Array.from(out);
}

// at most 255 bytes each, led by their number
function blocks(bytes: Uint8Array): Uint8Array[] {
  const out: Uint8Array[] = [];
  for (let i = 0; i < bytes.length; i += 255) {
    const part = bytes.subarray(i, i + 255);
    out.push(Uint8Array.of(part.length), part);
  }
  return out;
}

function word(value: number): number[] {
  return [value & 255, value >> 8];
}

function ascii(value: string): number[] {
  return [...value].map((letter) => letter.charCodeAt(0));
}
