// SPDX-License-Identifier: MIT
// Where to put the camera so that a plant fills the picture.
//
// In axes along the camera (x right, y up, z towards it) a point p is inside the left and right
// edges of the picture when |px - cx| <= t (cz - pz), with t the tangent of half the angle of view.
// With A = max(px + t pz) and B = max(t pz - px) over all points, the nearest such camera is
//     cz = (A + B)/(2 t),    cx = (A - B)/2,
// likewise for top and bottom, and the larger of the two distances serves both.

import { MathUtils, PerspectiveCamera, Vector3 } from 'three';
import type { Model } from './model';

/** A camera on a sphere around a target. Angles in radians; azimuth 0 looks along -z. */
export interface View {
  target: Vector3;
  distance: number;
  azimuth: number;
  elevation: number;
}

/** Empty border on each side, as a share of the picture. */
const MARGIN = 0.07;
const LEAST_DISTANCE = 1e-4; // m, for a model without extent
const HIGHEST = MathUtils.degToRad(89.9); // straight above, up is nowhere
const RINGS = 48;
const SPOKES = 24;

/**
 * The view that shows a model best, or what fits from elsewhere: so many radians further around and
 * up. With `turning`, one that fits while the model turns.
 */
export function bestView(
  model: Model,
  camera: PerspectiveCamera,
  turning: boolean,
  from: { azimuth: number; elevation: number } = { azimuth: 0, elevation: 0 },
): View {
  const elevation = MathUtils.clamp(restingElevation(model) + from.elevation, -HIGHEST, HIGHEST);
  const azimuth = (model.flat ? 0 : MathUtils.degToRad(25)) + from.azimuth;
  const points = turning && !model.flat ? sweptPoints(model) : model.points;
  return { azimuth, elevation, ...fit(points, azimuth, elevation, camera) };
}

export function applyView(view: View, camera: PerspectiveCamera): void {
  camera.position.copy(view.target).addScaledVector(towards(view), view.distance);
  camera.lookAt(view.target);
}

/** The view that a camera has of a target. */
export function viewOf(camera: PerspectiveCamera, target: Vector3): View {
  const back = camera.position.clone().sub(target);
  const distance = Math.max(back.length(), 1e-9);
  return {
    target: target.clone(),
    distance,
    azimuth: Math.atan2(back.x, back.z),
    elevation: Math.asin(MathUtils.clamp(back.y / distance, -1, 1)),
  };
}

/** Between two views; the azimuth goes the short way round, the distance in equal ratios. */
export function blendViews(a: View, b: View, t: number): View {
  const turn = MathUtils.euclideanModulo(b.azimuth - a.azimuth + Math.PI, 2 * Math.PI) - Math.PI;
  return {
    target: a.target.clone().lerp(b.target, t),
    distance: a.distance * (b.distance / a.distance) ** t,
    azimuth: a.azimuth + turn * t,
    elevation: MathUtils.lerp(a.elevation, b.elevation, t),
  };
}

// tall plants are seen nearly level, as one stands before a tree, low ones from above
function restingElevation(model: Model): number {
  if (model.flat) {
    return 0;
  }
  const size = model.box.getSize(new Vector3());
  const slender = MathUtils.clamp(size.y / Math.max(size.x, size.z, 1e-9), 0.4, 1.1);
  return MathUtils.degToRad(MathUtils.mapLinear(slender, 0.4, 1.1, 18, 4));
}

function towards(view: { azimuth: number; elevation: number }): Vector3 {
  const level = Math.cos(view.elevation);
  return new Vector3(
    level * Math.sin(view.azimuth),
    Math.sin(view.elevation),
    level * Math.cos(view.azimuth),
  );
}

function fit(
  points: Float32Array,
  azimuth: number,
  elevation: number,
  camera: PerspectiveCamera,
): { target: Vector3; distance: number } {
  const back = towards({ azimuth, elevation });
  const right = new Vector3(Math.cos(azimuth), 0, -Math.sin(azimuth));
  const up = back.clone().cross(right);
  const ty = Math.tan(MathUtils.degToRad(camera.fov / 2)) * (1 - 2 * MARGIN);
  const tx = ty * camera.aspect;

  let [xa, xb, ya, yb] = [-Infinity, -Infinity, -Infinity, -Infinity];
  let [near, far] = [-Infinity, Infinity];
  for (let i = 0; i < points.length; i += 3) {
    const [px, py, pz] = [points[i], points[i + 1], points[i + 2]];
    const x = right.x * px + right.z * pz;
    const y = up.x * px + up.y * py + up.z * pz;
    const z = back.x * px + back.y * py + back.z * pz;
    xa = Math.max(xa, x + tx * z);
    xb = Math.max(xb, tx * z - x);
    ya = Math.max(ya, y + ty * z);
    yb = Math.max(yb, ty * z - y);
    near = Math.max(near, z);
    far = Math.min(far, z);
  }
  const depth = Math.max((xa + xb) / (2 * tx), (ya + yb) / (2 * ty));
  const middle = (near + far) / 2;
  const target = new Vector3()
    .addScaledVector(right, (xa - xb) / 2)
    .addScaledVector(up, (ya - yb) / 2)
    .addScaledVector(back, middle);
  return { target, distance: Math.max(depth - middle, LEAST_DISTANCE) };
}

// the solid that a plant sweeps when it turns about the vertical through the middle of its box
function sweptPoints(model: Model): Float32Array {
  const { box, points } = model;
  const middle = box.getCenter(new Vector3());
  const height = Math.max(box.max.y - box.min.y, 1e-9);
  const radius = new Float32Array(RINGS);
  for (let i = 0; i < points.length; i += 3) {
    const share = (points[i + 1] - box.min.y) / height;
    const ring = Math.min(RINGS - 1, Math.floor(share * RINGS));
    const away = Math.hypot(points[i] - middle.x, points[i + 2] - middle.z);
    radius[ring] = Math.max(radius[ring], away);
  }
  const swept: number[] = [];
  for (let ring = 0; ring < RINGS; ring++) {
    for (let spoke = 0; spoke < SPOKES; spoke++) {
      const angle = (2 * Math.PI * spoke) / SPOKES;
      const x = middle.x + radius[ring] * Math.sin(angle);
      const z = middle.z + radius[ring] * Math.cos(angle);
      swept.push(x, box.min.y + (height * ring) / RINGS, z);
      swept.push(x, box.min.y + (height * (ring + 1)) / RINGS, z);
    }
  }
  return new Float32Array(swept);
}
