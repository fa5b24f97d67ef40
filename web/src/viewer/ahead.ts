// SPDX-License-Identifier: MIT
// How far a scene's motion reaches: it is stepped ahead for a moment before anybody sees it, so that
// all of it is in the picture from the start.

import { POSE } from './protocol';

const LONGEST = 300; // ms: what a scene may open later for this
const EVERY = 0.05; // s of the scene between two looks
/** Segments that are looked at. */
const SAMPLES = 400;
/** What is torn off flies away: so many sizes of the scene are followed. */
const FARTHEST = 3;

/** To faces, edges and corners of a cube, not to the ground: the outermost points along each stand for all. */
const WAYS = [-1, 0, 1].flatMap((x) => [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((z) => [x, y, z])))
  .filter((way) => way.some((x) => x !== 0));

/** A world on its way. */
export interface Ahead {
  step(): boolean;
  time(): number;
  /** POSE numbers for each of its parts. */
  poses(): Float32Array;
  /** Three numbers for each of them: where it ends, in its own axes. */
  tips: Float32Array;
}

type Place = [number, number, number];

/** Three numbers a point that it reaches within so many seconds, as far as there is time to look. */
export function lookAhead(world: Ahead, seconds: number): Float32Array {
  const begin = performance.now();
  const reach = new Reach(world.poses(), world.tips);
  for (let due = EVERY; world.time() < seconds && performance.now() - begin < LONGEST && world.step();) {
    if (world.time() >= due) {
      reach.take(world.poses());
      due = world.time() + EVERY;
    }
  }
  return reach.points;
}

class Reach {
  readonly points = new Float32Array(3 * WAYS.length);
  private readonly most = WAYS.map(() => -Infinity);
  private readonly low = [Infinity, Infinity, Infinity];
  private readonly high = [-Infinity, -Infinity, -Infinity];

  private readonly tips: Float32Array;

  constructor(poses: Float32Array, tips: Float32Array) {
    this.tips = tips;
    for (let i = 0; i < poses.length; i += POSE) {
      for (let axis = 0; axis < 3; axis++) {
        this.low[axis] = Math.min(this.low[axis], poses[i + axis]);
        this.high[axis] = Math.max(this.high[axis], poses[i + axis]);
      }
    }
    const room = FARTHEST * Math.hypot(...this.high.map((x, axis) => x - this.low[axis]));
    this.low.forEach((x, axis) => (this.low[axis] = x - room));
    this.high.forEach((x, axis) => (this.high[axis] = x + room));
    this.take(poses);
  }

  take(poses: Float32Array): void {
    const count = poses.length / POSE;
    const step = Math.max(1, Math.floor(count / SAMPLES));
    for (let i = 0; i < count; i += step) {
      this.takePoint(tipOf(poses.subarray(POSE * i), this.tips.subarray(3 * i)));
    }
  }

  private takePoint(p: Place): void {
    if (!p.every((x, axis) => x >= this.low[axis] && x <= this.high[axis])) {
      return;
    }
    WAYS.forEach(([x, y, z], k) => {
      const far = x * p[0] + y * p[1] + z * p[2];
      if (far > this.most[k]) {
        this.most[k] = far;
        this.points.set(p, 3 * k);
      }
    });
  }
}

// p + R(q) t with R(q) t = t + 2 w (v x t) + 2 v x (v x t), q = (v, w)
function tipOf([px, py, pz, x, y, z, w]: Float32Array, [tx, ty, tz]: Float32Array): Place {
  const [cx, cy, cz] = [y * tz - z * ty, z * tx - x * tz, x * ty - y * tx];
  return [
    px + tx + 2 * (w * cx + y * cz - z * cy),
    py + ty + 2 * (w * cy + z * cx - x * cz),
    pz + tz + 2 * (w * cz + x * cy - y * cx),
  ];
}
