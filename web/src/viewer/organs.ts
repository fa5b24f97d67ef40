// SPDX-License-Identifier: MIT
// Organs that look alike, found in a mesh in which all of them are merged. Every vertex of an organ
// moves with one segment alone and stands beside the others of it, so a run of such vertices is an
// organ. In the axes of its segment, over its size, it is compared with the shapes found so far.

import { POSE, SEGMENT } from './protocol';
import type { Kind, Organ, Part, Shape } from './protocol';

/** Of an organ of size 1: below this, places are the same. Positions have 24 bits. */
const SAME_PLACE = 2e-4;
/** Of 255: below this, colours are the same. */
const SAME_COLOR = 2.5;
/** More would not pay: what comes then stays merged. */
const MOST_SHAPES = 64;
const WHOLE = 255; // weight of a vertex that moves with one segment

/** Vertices from `first` on, before `end`, of one segment; `indices` likewise. */
interface Run {
  segment: number;
  first: number;
  end: number;
  indices: number[];
}

export class OrganFinder {
  readonly shapes: Shape[] = [];

  /** Takes the organs out of the parts of a kind. */
  split(parts: Part[], bind: Float32Array, segments: Float32Array): Pick<Kind, 'parts' | 'organs'> {
    const organs: Organ[] = [];
    const left = parts.map((part) => {
      const merged: Run[] = [];
      const runs = runsOf(part);
      for (const run of runs) {
        const organ = this.organOf(part, run, bind, segments);
        if (organ) {
          organs.push(organ);
        } else {
          merged.push(run);
        }
      }
      return merged.length === runs.length ? part : merge(part, merged);
    });
    return { parts: left.filter(({ index }) => index.length > 0), organs };
  }

  private organOf(part: Part, run: Run, bind: Float32Array, segments: Float32Array): Organ | null {
    const { segment } = run;
    const size = segment < 0 ? 0 : segments[SEGMENT.count * segment + SEGMENT.size];
    if (!(size > 0)) {
      return null;
    }
    const made = shapeOf(part, run, bind.subarray(POSE * segment, POSE * (segment + 1)), size);
    for (let shape = 0; shape < this.shapes.length; shape++) {
      const tint = tintOf(made, this.shapes[shape]);
      if (tint) {
        return { shape, segment, size, tint };
      }
    }
    if (this.shapes.length === MOST_SHAPES) {
      return null;
    }
    this.shapes.push(made);
    return { shape: this.shapes.length - 1, segment, size, tint: [1, 1, 1] };
  }
}

// ---- runs ---------------------------------------------------------------------------------------

// segment -1: vertices that move with several
function runsOf(part: Part): Run[] {
  const runs: Run[] = [];
  const runAt = new Uint32Array(part.position.length / 3);
  for (let v = 0; v < runAt.length; v++) {
    const segment = part.weight[4 * v] === WHOLE ? part.joint[4 * v] : -1;
    const last = runs[runs.length - 1];
    if (last?.segment === segment) {
      last.end = v + 1;
    } else {
      runs.push({ segment, first: v, end: v + 1, indices: [] });
    }
    runAt[v] = runs.length - 1;
  }
  return joined(part, runs, runAt);
}

// A triangle that reaches over two runs shows that neither is an organ: these are stems.
function joined(part: Part, runs: Run[], runAt: Uint32Array): Run[] {
  const stem: number[] = [];
  const mixed = new Set<number>();
  const corners = ({ index }: Part, i: number): number[] => [runAt[index[i]], runAt[index[i + 1]], runAt[index[i + 2]]];
  for (let i = 0; i < part.index.length; i += 3) {
    const [a, b, c] = corners(part, i);
    if (a !== b || b !== c) {
      [a, b, c].forEach((run) => mixed.add(run));
    }
  }
  for (let i = 0; i < part.index.length; i += 3) {
    const [run] = corners(part, i);
    const to = mixed.has(run) ? stem : runs[run].indices;
    to.push(part.index[i], part.index[i + 1], part.index[i + 2]);
  }
  const whole = runs.filter((run, k) => !mixed.has(k) && run.indices.length > 0);
  return stem.length > 0
    ? [{ segment: -1, first: 0, end: runAt.length, indices: stem }, ...whole] : whole;
}

// ---- shapes -------------------------------------------------------------------------------------

// pose: position, rotation x y z w
function shapeOf(part: Part, { first, end, indices }: Run, pose: Float32Array, size: number): Shape {
  const position = part.position.slice(3 * first, 3 * end);
  const normal = part.normal.slice(3 * first, 3 * end);
  for (let i = 0; i < position.length; i += 3) {
    for (let k = 0; k < 3; k++) {
      position[i + k] = (position[i + k] - pose[k]) / size;
    }
    turnBack(pose.subarray(3), position, i);
    turnBack(pose.subarray(3), normal, i);
  }
  return {
    name: part.name,
    blade: part.blade,
    position,
    normal,
    color: part.color.slice(4 * first, 4 * end),
    index: Uint32Array.from(indices, (v) => v - first),
  };
}

// v + w t + u x t, with t = 2 u x v and u = -(x, y, z): the inverse of rotation (x, y, z, w)
function turnBack([x, y, z, w]: Float32Array, v: Float32Array, at: number): void {
  const [a, b, c] = [v[at], v[at + 1], v[at + 2]];
  const [tx, ty, tz] = [2 * (z * b - y * c), 2 * (x * c - z * a), 2 * (y * a - x * b)];
  v[at] = a + w * tx + z * ty - y * tz;
  v[at + 1] = b + w * ty + x * tz - z * tx;
  v[at + 2] = c + w * tz + y * tx - x * ty;
}

/** By what the colours of a shape are to be multiplied to give those of one like it; null: unlike. */
function tintOf(found: Shape, known: Shape): [number, number, number] | null {
  if (found.name !== known.name || found.index.length !== known.index.length
      || found.position.length !== known.position.length
      || found.position.some((x, k) => Math.abs(x - known.position[k]) > SAME_PLACE)) {
    return null;
  }
  const sums = [0, 0, 0, 0, 0, 0];
  for (let v = 0; v < found.color.length; v += 4) {
    for (let k = 0; k < 3; k++) {
      sums[k] += found.color[v + k];
      sums[3 + k] += known.color[v + k];
    }
  }
  const tint = [0, 1, 2].map((k) => (sums[3 + k] > 0 ? sums[k] / sums[3 + k] : 1)) as [number, number, number];
  const alike = found.color.every((value, k) =>
    k % 4 === 3 || Math.abs(value - tint[k % 4] * known.color[k]) < SAME_COLOR);
  return alike ? tint : null;
}

// ---- what is left -------------------------------------------------------------------------------

function merge(part: Part, runs: Run[]): Part {
  const index = Uint32Array.from(runs.flatMap(({ indices }) => indices));
  const places = new Map<number, number>();
  index.forEach((v, k) => {
    if (!places.has(v)) {
      places.set(v, places.size);
    }
    index[k] = places.get(v)!;
  });
  const kept = [...places.keys()];
  const pick = <T extends Float32Array | Uint8Array | Uint32Array>(from: T, width: number, to: T): T => {
    kept.forEach((v, k) => to.set(from.subarray(width * v, width * (v + 1)), width * k));
    return to;
  };
  return {
    ...part,
    position: pick(part.position, 3, new Float32Array(3 * kept.length)),
    normal: pick(part.normal, 3, new Float32Array(3 * kept.length)),
    color: pick(part.color, 4, new Uint8Array(4 * kept.length)),
    joint: pick(part.joint, 4, new Uint32Array(4 * kept.length)),
    weight: pick(part.weight, 4, new Uint8Array(4 * kept.length)),
    index,
  };
}
