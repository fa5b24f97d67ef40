// SPDX-License-Identifier: MIT
// What can be drawn over or instead of the plants: moments or clusters as colour, joints and
// segments, velocities, the centre of mass, the wind, contact forces.

import {
  BufferAttribute,
  BufferGeometry,
  CanvasTexture,
  Color,
  Group,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  Points,
  PointsMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three';
import type { Scene } from 'three';
import { arrowMaterial } from '../props';
import { Clusters } from './clusters';
import { MomentScale } from './moment-scale';
import { ARROW, MOST_ARROWS, STROKE } from './protocol';
import type { State } from './protocol';
import { solidGeometry } from './world';
import type { LiveWorld } from './world';

export const OVERLAYS = ['moment', 'clusters', 'skeleton', 'velocity', 'centre', 'wind', 'contacts'] as const;
export type Overlay = (typeof OVERLAYS)[number];

/** Of these one at a time: each colours all of the plants. */
export const COLORINGS: Overlay[] = ['moment', 'clusters'];

/** Seconds of motion that an arrow shows. */
const ARROW_SECONDS = 0.12;
const WIND_GRID = { x: 6, y: 5, z: 6 };
const BARB = 0.16;

export class Overlays {
  readonly on = new Set<Overlay>();
  private readonly group = new Group();
  private readonly bones = lines();
  private readonly joints: Points;
  private readonly arrows = lines(0xc2410c);
  private readonly gusts = lines(0x2f7f9e);
  private readonly centre: Mesh;
  private readonly plumb = lines(0x8a1c5b);
  private readonly forces = new InstancedMesh(new BufferGeometry(), arrowMaterial(), MOST_ARROWS);
  private world: LiveWorld | null = null;
  /** The state now, and the last one that was earlier. */
  private latest: State | null = null;
  private earlier: State | null = null;
  private readonly scale = new MomentScale();
  private painted: Overlay | null = null;
  private clusters: Clusters | null = null;

  constructor(scene: Scene) {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(3), 3));
    this.joints = new Points(geometry, new PointsMaterial({
      map: disc(), size: 6, sizeAttenuation: false, depthTest: false, transparent: true }));
    this.joints.renderOrder = 9;
    this.centre = new Mesh(
      new SphereGeometry(1, 20, 14), new MeshBasicMaterial({ color: 0x8a1c5b, depthTest: false, transparent: true, opacity: 0.85 }));
    this.centre.renderOrder = 9;
    for (const object of [this.bones, this.joints, this.arrows, this.gusts, this.centre, this.plumb, this.forces]) {
      object.frustumCulled = false;
      object.visible = false; // until it is asked for
      this.group.add(object);
    }
    scene.add(this.group);
  }

  /** Arrows of contact forces that are drawn. */
  get arrowCount(): number {
    return this.forces.visible ? this.forces.count : 0;
  }

  setWorld(world: LiveWorld | null): void {
    this.world = world;
    this.latest = this.earlier = null;
    this.scale.begin();
    this.scale.show(false);
    this.painted = null;
    this.clusters = world ? new Clusters(world.opened) : null;
    if (world) {
      const { segments } = world.opened;
      resize(this.arrows, 2 * segments);
      resize(this.plumb, 2);
      this.forces.geometry.dispose();
      this.forces.geometry = solidGeometry(world.opened.arrow);
      this.forces.count = 0;
      this.centre.scale.setScalar(0.018 * world.height);
    }
  }

  /** Points of the air that update() wants to know; none unless the wind is shown. */
  windPoints(): Float64Array | undefined {
    const { world } = this;
    if (!this.on.has('wind') || !world) {
      return undefined;
    }
    const { min, max } = world.model.box;
    const { x: nx, y: ny, z: nz } = WIND_GRID;
    const points = new Float64Array(3 * nx * ny * nz);
    let at = 0;
    for (let i = 0; i < nx; i++) {
      for (let j = 0; j < ny; j++) {
        for (let k = 0; k < nz; k++) {
          points[at++] = min.x + ((max.x - min.x) * (i + 0.5)) / nx;
          points[at++] = Math.max(min.y, 0) + ((max.y - Math.max(min.y, 0)) * (j + 0.5)) / ny;
          points[at++] = min.z + ((max.z - min.z) * (k + 0.5)) / nz;
        }
      }
    }
    return points;
  }

  /** Takes over what has changed; `wanted`: the points that state.wind is of. */
  update(state: State, wanted: Float64Array | undefined): void {
    const { world } = this;
    if (!world) {
      return;
    }
    this.earlier = this.latest && this.latest.time < state.time ? this.latest : this.earlier;
    this.latest = state;
    this.bones.visible = this.joints.visible = this.on.has('skeleton') && state.strokes !== undefined;
    this.arrows.visible = this.on.has('velocity');
    this.centre.visible = this.plumb.visible = this.on.has('centre');
    this.gusts.visible = this.on.has('wind') && state.wind !== undefined;
    this.forces.visible = this.on.has('contacts') && state.arrows !== undefined;
    if (this.bones.visible) {
      this.drawStrokes(state.strokes!);
    }
    if (this.forces.visible) {
      this.drawForces(state.arrows!);
    }
    if (this.arrows.visible) {
      this.drawArrows(world, state.time);
    }
    if (this.centre.visible) {
      const at = world.centreOfMass(this.centre.position);
      write(this.plumb, [at.x, at.y, at.z, at.x, Math.min(0, at.y), at.z]);
    }
    if (state.wind && wanted) {
      this.drawWind(wanted, state.wind, world.height);
    }
    this.paint(world, state);
  }

  // lines in their own colours; points are lines without length
  private drawStrokes(strokes: Float32Array): void {
    const [bones, joints, colors]: [number[], number[], number[]] = [[], [], []];
    const color = new Color();
    for (let at = 0; at < strokes.length; at += STROKE) {
      const ends = [...strokes.subarray(at, at + 6)];
      if (ends[0] === ends[3] && ends[1] === ends[4] && ends[2] === ends[5]) {
        joints.push(ends[0], ends[1], ends[2]);
      } else {
        const { r, g, b } = color.setHex(strokes[at + 6]);
        bones.push(...ends);
        colors.push(r, g, b, r, g, b);
      }
    }
    resize(this.bones, bones.length / 3);
    resize(this.joints, joints.length / 3);
    write(this.bones, bones);
    write(this.joints, joints);
    this.bones.geometry.setAttribute('color', new BufferAttribute(new Float32Array(colors), 3));
  }

  // arrows of the largest forces come first, those without length are none
  private drawForces(arrows: Float32Array): void {
    const [place, turn, size, matrix] = [new Vector3(), new Quaternion(), new Vector3(), new Matrix4()];
    let count = 0;
    for (let at = 0; at < arrows.length && arrows[at + 7] > 0; at += ARROW) {
      matrix.compose(place.fromArray(arrows, at), turn.fromArray(arrows, at + 3), size.fromArray(arrows, at + 7));
      this.forces.setMatrixAt(count++, matrix);
    }
    this.forces.count = count;
    this.forces.instanceMatrix.needsUpdate = true;
  }

  // from each tip to where it would be after a while
  private drawArrows(world: LiveWorld, time: number): void {
    const out = array(this.arrows);
    const { earlier } = this;
    const share = earlier ? ARROW_SECONDS / (time - earlier.time) : 0;
    const [tip, way] = [new Vector3(), new Vector3()];
    for (let i = 0; i < world.opened.segments; i++) {
      world.tip(i, tip).toArray(out, 6 * i);
      way.subVectors(tip, world.tip(i, way, earlier?.poses));
      tip.addScaledVector(way, share).toArray(out, 6 * i + 3);
    }
    changed(this.arrows);
  }

  // a shaft and two barbs for each point
  private drawWind(points: Float64Array, wind: Float64Array, height: number): void {
    const out: number[] = [];
    const [from, v, tip, side] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
    for (let k = 0; k < points.length; k += 3) {
      from.fromArray(points, k);
      v.fromArray(wind, k).multiplyScalar(0.025 * Math.min(height, 4));
      tip.copy(from).add(v);
      side.set(-v.z, 0, v.x).multiplyScalar(BARB);
      out.push(from.x, from.y, from.z, tip.x, tip.y, tip.z);
      for (const way of [1, -1]) {
        out.push(tip.x, tip.y, tip.z);
        out.push(
          tip.x - 2 * BARB * v.x + way * side.x, tip.y - 2 * BARB * v.y, tip.z - 2 * BARB * v.z + way * side.z);
      }
    }
    resize(this.gusts, out.length / 3);
    write(this.gusts, out);
  }

  private paint(world: LiveWorld, state: State): void {
    const before = this.painted;
    this.painted = COLORINGS.find((one) => this.on.has(one) && (one === 'moment' ? state.moments : state.clusters)) ?? null;
    if (before && before !== this.painted) {
      world.paint(null);
      this.clusters = new Clusters(world.opened);
    }
    if (this.painted === 'moment') {
      world.paint(this.scale.colors(state.moments!));
    } else if (this.painted === 'clusters') {
      const colors = this.clusters!.colors(state.clusters!);
      if (colors) {
        world.paint(colors);
        Clusters.showLegend(this.clusters!.counts);
      }
    }
    this.scale.show(this.painted === 'moment');
    if (this.painted !== 'clusters') {
      Clusters.showLegend(null);
    }
  }
}

// white, with a dark rim: it shows on leaves and on the sky
function disc(): CanvasTexture {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 32;
  const pen = canvas.getContext('2d')!;
  pen.arc(16, 16, 12, 0, 2 * Math.PI);
  pen.fillStyle = '#ffffff';
  pen.fill();
  pen.strokeStyle = '#123e6e';
  pen.lineWidth = 7;
  pen.stroke();
  return new CanvasTexture(canvas);
}

// without a colour they have one each
function lines(color?: number): LineSegments {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(6), 3));
  const made = new LineSegments(geometry, new LineBasicMaterial({ color: color ?? 0xffffff, vertexColors: color === undefined, depthTest: false }));
  made.renderOrder = 8;
  return made;
}

function array(object: LineSegments | Points): Float32Array {
  return object.geometry.getAttribute('position').array as Float32Array;
}

function changed(object: LineSegments | Points): void {
  (object.geometry.getAttribute('position') as BufferAttribute).needsUpdate = true;
}

function resize(object: LineSegments | Points, points: number): void {
  if (array(object).length !== 3 * points) {
    object.geometry.dispose();
    object.geometry = new BufferGeometry();
    object.geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * points), 3));
  }
}

function write(object: LineSegments | Points, values: number[]): void {
  array(object).set(values);
  changed(object);
}
