// SPDX-License-Identifier: MIT
// A world for the stage: stems in a few skinned meshes, organs in one instanced mesh a shape, and
// the matrices that move them.
//
// Stems of all plants are merged, each at the place where it stands at the start, so that a field of
// a thousand is drawn in a handful of calls. One texture holds the matrices of all segments:
//     M = pose now * (pose in which the mesh was made)^-1.
// An organ goes with its segment as it is: its matrix is the pose now, times its size.

import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  DataTexture,
  DoubleSide,
  DynamicDrawUsage,
  FloatType,
  FrontSide,
  Group,
  InstancedBufferAttribute,
  InstancedMesh,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  Quaternion,
  RGBAFormat,
  Skeleton,
  SkinnedMesh,
  Sphere,
  Vector3,
} from 'three';
import { MOST_VERTICES } from './kinds';
import { makeModel } from '../model';
import type { Model } from '../model';
import { dressPlane, groundOf, openSky } from '../props';
import { POSE, SEGMENT } from './protocol';
import type { Actor, Kind, Look, Looks, Opened, Part, Shape, Solid, State } from './protocol';

const FRAMED_POINTS = 6000;
/** Room around a plant, over its height, in which shadows fall while it moves. */
const ROOM = 0.3;

/** Matrices that are written as a whole, in place of three.js's tree of bones. */
class PoseSkeleton extends Skeleton {
  constructor(count: number) {
    super([]);
    const side = Math.max(4, Math.ceil(Math.sqrt(4 * count) / 4) * 4);
    this.boneMatrices = new Float32Array(4 * side * side);
    this.boneTexture = new DataTexture(this.boneMatrices, side, side, RGBAFormat, FloatType);
    this.boneTexture.needsUpdate = true;
  }

  override update(): void {
    // the matrices are written by LiveWorld.setState()
  }

  changed(): void {
    this.boneTexture!.needsUpdate = true;
  }
}

/** Organs of one shape: segments, counted over all actors, sizes, and colours over the shape's. */
interface Flock {
  mesh: InstancedMesh;
  segments: Uint32Array;
  sizes: Float32Array;
  tints: Float32Array;
  color: BufferAttribute;
}

/** All plants, drawn with so many triangles. */
interface Level {
  group: Group;
  stems: SkinnedMesh[];
  flocks: Flock[];
}

export class LiveWorld {
  readonly opened: Opened;
  readonly model: Model;
  /** What the camera frames: the plants as they stand. */
  readonly framed: Model;
  /** The same with all places where keys lead something, and where its motion is known to reach. */
  readonly swept: Model;
  readonly height: number;
  /** Actors that are drawn: the first so many. */
  drawn = 0;
  state: State;
  private readonly skeleton: PoseSkeleton;
  private readonly bases: Matrix4[];
  private readonly toBind: Matrix4[] = [];
  /** As it was opened, and finer where that has more triangles. */
  private readonly levels: Level[];
  private shown: Level;
  /** As the segments are painted; null: as they are. */
  private painted: Uint8Array | null = null;
  /** In the order of the scene, planes among them. */
  private readonly colliders: Mesh[];
  private readonly colors = new Map<SkinnedMesh, Uint8Array>();
  private readonly matrix = new Matrix4();
  private readonly position = new Vector3();
  private readonly rotation = new Quaternion();
  private static readonly one = new Vector3(1, 1, 1);

  constructor(opened: Opened) {
    this.opened = opened;
    this.state = opened.state;
    this.skeleton = new PoseSkeleton(opened.segments);
    this.bases = opened.actors.map((_, k) => this.baseMatrix(k).clone());
    opened.actors.forEach((actor, k) => this.addBinds(actor, this.bases[k]));
    this.drawn = this.countDrawn();
    this.shown = this.makeLevel(opened);
    this.levels = [this.shown];
    const plants = meshesOf(this.shown);
    this.colliders = opened.colliders.map(makeCollider);
    const root = new Group();
    root.add(this.shown.group, ...this.colliders);
    root.updateMatrixWorld(true);
    this.setState(opened.state);
    const planes = this.colliders.filter(({ name }) => name === 'plane');
    const solids = this.colliders.filter(({ name }) => name !== 'plane');
    planes.forEach(dressPlane);
    const points = Float32Array.from([...this.standingPoints(), ...solids.flatMap(cornersOf)]);
    const made = makeModel(opened.name, root, [...plants, ...solids], points);
    const { box } = made;
    this.framed = { ...made, plants: [{ meshes: plants, box }], props: planes, ground: groundOf(planes) };
    this.height = Math.max(this.framed.box.getSize(new Vector3()).y, 1e-3);
    this.swept = { ...this.framed, points: Float32Array.from([...points, ...this.pathPoints(), ...opened.reach]) };
    this.model = withRoom(this.framed, this.height);
  }

  // ---- state --------------------------------------------------------------------------------------

  setState(state: State): void {
    this.state = state;
    const { boneMatrices } = this.skeleton;
    for (const { first, segments } of this.opened.actors) {
      for (let i = first; i < first + segments; i++) {
        this.poseOf(i);
        this.matrix.compose(this.position, this.rotation, LiveWorld.one).multiply(this.toBind[i]);
        this.matrix.toArray(boneMatrices!, 16 * i);
      }
    }
    this.skeleton.changed();
    this.shown.flocks.forEach((flock) => this.moveFlock(flock));
    this.colliders.forEach((mesh, k) => {
      mesh.position.fromArray(state.colliders, POSE * k);
      mesh.quaternion.fromArray(state.colliders, POSE * k + 3);
      mesh.updateMatrixWorld(true);
    });
  }

  get hasFiner(): boolean {
    return this.levels.length > 1;
  }

  /** The meshes that it got: drawn when they are chosen. */
  addFiner(looks: Looks): Mesh[] {
    const level = this.makeLevel(looks);
    level.group.visible = false;
    this.levels.push(level);
    this.model.root.add(level.group);
    level.flocks.forEach((flock) => this.moveFlock(flock));
    level.group.updateMatrixWorld(true);
    return meshesOf(level);
  }

  /** Draws as many triangles as there are, or few. True: that has changed. */
  chooseFiner(finer: boolean): boolean {
    const level = this.levels[finer ? this.levels.length - 1 : 0];
    if (level === this.shown) {
      return false;
    }
    this.shown = level;
    this.levels.forEach(({ group }) => (group.visible = group === level.group));
    level.flocks.forEach((flock) => this.moveFlock(flock));
    this.paint(this.painted);
    return true;
  }

  private moveFlock({ mesh, segments, sizes }: Flock): void {
    const size = new Vector3();
    segments.forEach((segment, k) => {
      this.poseOf(segment);
      this.matrix.compose(this.position, this.rotation, size.setScalar(sizes[k]));
      this.matrix.toArray(mesh.instanceMatrix.array, 16 * k);
    });
    mesh.instanceMatrix.needsUpdate = true;
  }

  /** Row of a segment, counted over all actors, in the poses. */
  private row(segment: number): number {
    return POSE * (segment + this.actorOf(segment) + 1);
  }

  actorOf(segment: number): number {
    const { actors } = this.opened;
    let [low, high] = [0, actors.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      [low, high] = actors[middle].first <= segment ? [middle, high] : [low, middle - 1];
    }
    return low;
  }

  private poseOf(segment: number, poses = this.state.poses): void {
    const at = this.row(segment);
    this.position.fromArray(poses, at);
    this.rotation.fromArray(poses, at + 3);
  }

  /** World place of a point in a segment's own axes; now, or in other poses of this world. */
  place(segment: number, own: Vector3, out: Vector3, poses = this.state.poses): Vector3 {
    this.poseOf(segment, poses);
    return out.copy(own).applyQuaternion(this.rotation).add(this.position);
  }

  origin(segment: number, out: Vector3): Vector3 {
    return out.fromArray(this.state.poses, this.row(segment));
  }

  /** Figure of a segment, one of SEGMENT. */
  figure(segment: number, column: number): number {
    const actor = this.opened.actors[this.actorOf(segment)];
    return this.opened.kinds[actor.kind].segments[SEGMENT.count * (segment - actor.first) + column];
  }

  ownTip(segment: number, out: Vector3): Vector3 {
    const column = SEGMENT.tip;
    return out.set(
      this.figure(segment, column), this.figure(segment, column + 1), this.figure(segment, column + 2));
  }

  tip(segment: number, out: Vector3, poses = this.state.poses): Vector3 {
    return this.place(segment, this.ownTip(segment, out), out, poses);
  }

  base(actor: number, out: Vector3): Vector3 {
    return out.fromArray(this.state.poses, POSE * (this.opened.actors[actor].first + actor));
  }

  collider(k: number, out: Vector3): Vector3 {
    return out.copy(this.colliders[k].position);
  }

  mass(actor: number): number {
    const { kind } = this.opened.actors[actor];
    const table = this.opened.kinds[kind].segments;
    let sum = 0;
    for (let at = SEGMENT.mass; at < table.length; at += SEGMENT.count) {
      sum += table[at];
    }
    return sum;
  }

  centreOfMass(out: Vector3): Vector3 {
    const [own, at] = [new Vector3(), new Vector3()];
    let total = 0;
    out.set(0, 0, 0);
    for (let i = 0; i < this.opened.segments; i++) {
      const mass = this.figure(i, SEGMENT.mass);
      const c = SEGMENT.centre;
      own.set(this.figure(i, c), this.figure(i, c + 1), this.figure(i, c + 2));
      out.addScaledVector(this.place(i, own, at), mass);
      total += mass;
    }
    return out.multiplyScalar(1 / Math.max(total, 1e-30));
  }

  /** The segment with the highest tip. */
  highest(): number {
    const at = new Vector3();
    let [best, most] = [0, -Infinity];
    for (let i = 0; i < this.opened.segments; i++) {
      const { y } = this.tip(i, at);
      if (y > most) {
        [best, most] = [i, y];
      }
    }
    return best;
  }

  /** Triangles that are drawn. */
  get triangles(): number {
    return this.shown.stems.reduce((sum, { geometry }) => sum + geometry.index!.count / 3, 0)
      + this.shown.flocks.reduce((sum, { mesh }) => sum + (mesh.count * mesh.geometry.index!.count) / 3, 0);
  }

  /** What is drawn: names, and how often each is. */
  get meshes(): { name: string; instances: number }[] {
    return [
      ...this.shown.stems.map(({ name }) => ({ name, instances: 1 })),
      ...this.shown.flocks.map(({ mesh }) => ({ name: mesh.name, instances: mesh.count })),
      ...this.colliders.map(({ name }) => ({ name, instances: 1 })),
    ];
  }

  // ---- colours ------------------------------------------------------------------------------------

  /** Colours vertices by those of their segments, three bytes each in linear light; null: as they are. */
  paint(colors: Uint8Array | null): void {
    this.painted = colors;
    for (const mesh of this.shown.stems) {
      const attribute = mesh.geometry.getAttribute('color') as BufferAttribute;
      const shown = attribute.array as Uint8Array;
      if (!this.colors.has(mesh)) {
        this.colors.set(mesh, shown.slice());
      }
      if (colors) {
        paintMesh(mesh, shown, colors);
      } else {
        shown.set(this.colors.get(mesh)!);
      }
      attribute.needsUpdate = true;
    }
    this.shown.flocks.forEach((flock) => paintFlock(flock, colors));
  }

  // ---- making -------------------------------------------------------------------------------------

  private baseMatrix(actor: number): Matrix4 {
    const at = POSE * (this.opened.actors[actor].first + actor);
    this.position.fromArray(this.state.poses, at);
    this.rotation.fromArray(this.state.poses, at + 3);
    return this.matrix.compose(this.position, this.rotation, LiveWorld.one);
  }

  private addBinds(actor: Actor, base: Matrix4): void {
    const { bind } = this.opened.kinds[actor.kind];
    for (let i = 0; i < actor.segments; i++) {
      this.position.fromArray(bind, POSE * i);
      this.rotation.fromArray(bind, POSE * i + 3);
      const made = new Matrix4().compose(this.position, this.rotation, LiveWorld.one);
      this.toBind.push(made.premultiply(base).invert());
    }
  }

  /** Actors from the first on, as many as the page can hold; one at least. */
  private countDrawn(): number {
    const { actors, kinds, shapes } = this.opened;
    const cost = kinds.map((kind) => vertexCount(kind, shapes));
    let [vertices, drawn] = [0, 0];
    while (drawn < actors.length && (drawn === 0 || vertices + cost[actors[drawn].kind] <= MOST_VERTICES)) {
      vertices += cost[actors[drawn].kind];
      drawn++;
    }
    return drawn;
  }

  private makeLevel({ kinds, shapes }: Looks): Level {
    const level = { group: new Group(), stems: this.makeStems(kinds), flocks: this.makeFlocks(kinds, shapes) };
    meshesOf(level).forEach((mesh) => level.group.add(mesh));
    return level;
  }

  private makeStems(kinds: Look[]): SkinnedMesh[] {
    const { actors } = this.opened;
    const groups = new Map<string, { part: Part; actor: number }[]>();
    for (let actor = 0; actor < this.drawn; actor++) {
      for (const part of kinds[actors[actor].kind].parts) {
        const group = groups.get(part.name) ?? [];
        group.push({ part, actor });
        groups.set(part.name, group);
      }
    }
    return [...groups.values()].map((group) => this.makeMesh(group));
  }

  private makeFlocks(kinds: Look[], shapes: Shape[]): Flock[] {
    const { actors } = this.opened;
    const found = shapes.map(() => ({ segments: [] as number[], sizes: [] as number[], tints: [] as number[] }));
    for (const { kind, first } of actors.slice(0, this.drawn)) {
      for (const { shape, segment, size, tint } of kinds[kind].organs) {
        found[shape].segments.push(first + segment);
        found[shape].sizes.push(size);
        found[shape].tints.push(...tint);
      }
    }
    return found.flatMap((flock, k) => (flock.segments.length > 0 ? [makeFlock(shapes[k], flock)] : []));
  }

  private makeMesh(group: { part: Part; actor: number }[]): SkinnedMesh {
    const sum = (count: (part: Part) => number): number =>
      group.reduce((total, { part }) => total + count(part), 0);
    const vertices = sum(({ position }) => position.length / 3);
    const position = new Float32Array(3 * vertices);
    const normal = new Float32Array(3 * vertices);
    const color = new Uint8Array(4 * vertices);
    const joint = new Float32Array(4 * vertices);
    const weight = new Uint8Array(4 * vertices);
    const index = new Uint32Array(sum((part) => part.index.length));
    let [vertex, corner] = [0, 0];
    for (const { part, actor } of group) {
      const { first } = this.opened.actors[actor];
      moved(part.position, this.bases[actor], 1, position, 3 * vertex);
      moved(part.normal, this.bases[actor], 0, normal, 3 * vertex);
      color.set(part.color, 4 * vertex);
      weight.set(part.weight, 4 * vertex);
      part.joint.forEach((j, i) => (joint[4 * vertex + i] = j + first));
      part.index.forEach((v, i) => (index[corner + i] = v + vertex));
      vertex += part.position.length / 3;
      corner += part.index.length;
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(position, 3));
    geometry.setAttribute('normal', new BufferAttribute(normal, 3));
    geometry.setAttribute('color', new BufferAttribute(color, 4, true));
    geometry.setAttribute('skinIndex', new BufferAttribute(joint, 4));
    geometry.setAttribute('skinWeight', new BufferAttribute(weight, 4, true));
    geometry.setIndex(new BufferAttribute(index, 1));
    const mesh = new SkinnedMesh(geometry, plainMaterial(group[0].part));
    mesh.name = group[0].part.name;
    mesh.bind(this.skeleton, new Matrix4());
    // three.js would cull by where it was when it was first seen, and ask bones for it
    mesh.frustumCulled = false;
    mesh.boundingSphere = new Sphere();
    return mesh;
  }

  /** Where colliders are, planes not among them. */
  solidPlaces(): Vector3[] {
    return this.colliders.filter(({ name }) => name !== 'plane').map(({ position }) => position);
  }

  // the boxes of what keys lead, at each place
  private pathPoints(): number[] {
    return this.opened.paths.flatMap(({ of, index, places }) => {
      const box = of === 'object' ? this.boxOf(index) : new Box3().setFromObject(this.colliders[index]);
      const from = of === 'object' ? places[0] : this.colliders[index].position.toArray();
      return places.flatMap((to) => [box.min, box.max].flatMap((corner) =>
        corner.toArray().map((x, axis) => x + to[axis] - from[axis])));
    });
  }

  private boxOf(object: number): Box3 {
    const [box, at] = [new Box3(), new Vector3()];
    this.opened.actors.forEach((actor, k) => {
      if (actor.object === object) {
        box.expandByPoint(this.base(k, at));
        for (let i = actor.first; i < actor.first + actor.segments; i++) {
          box.expandByPoint(this.tip(i, at));
        }
      }
    });
    return box;
  }

  private standingPoints(): Float32Array {
    const step = Math.max(1, Math.floor(this.opened.segments / FRAMED_POINTS));
    const points: number[] = [];
    const [a, b] = [new Vector3(), new Vector3()];
    for (let i = 0; i < this.opened.segments; i += step) {
      const reach = Math.max(this.figure(i, SEGMENT.radius), 0);
      this.origin(i, a);
      this.tip(i, b);
      points.push(a.x - reach, a.y, a.z - reach, a.x + reach, a.y, a.z + reach, b.x, b.y, b.z);
    }
    return new Float32Array(points);
  }
}

function meshesOf({ stems, flocks }: Pick<Level, 'stems' | 'flocks'>): Mesh[] {
  return [...stems, ...flocks.map(({ mesh }) => mesh)];
}

// Shadows are drawn in a box that is fixed: one with room to move in.
function withRoom(framed: Model, height: number): Model {
  const { min, max } = framed.box;
  const room = ROOM * height;
  const box = new Box3(min.clone().subScalar(room), max.clone().addScalar(room));
  box.min.y = Math.min(min.y, 0);
  const top = box.max.y - room;
  const corners = [box.min.x, 0, box.min.z, box.max.x, top, box.max.z, box.max.x, top, box.min.z];
  const points = new Float32Array(framed.points.length + corners.length);
  points.set(framed.points);
  points.set(corners, framed.points.length);
  return { ...framed, box, points, flat: false };
}

function moved(from: Float32Array, by: Matrix4, w: number, to: Float32Array, at: number): void {
  const e = by.elements;
  for (let i = 0; i < from.length; i += 3) {
    const [x, y, z] = [from[i], from[i + 1], from[i + 2]];
    for (let k = 0; k < 3; k++) {
      to[at + i + k] = e[k] * x + e[4 + k] * y + e[8 + k] * z + w * e[12 + k];
    }
  }
}

function plainMaterial({ blade }: { blade: boolean }): MeshStandardMaterial {
  return new MeshStandardMaterial({ side: blade ? DoubleSide : FrontSide, vertexColors: true });
}

export function solidGeometry({ position, normal, color, index }: Solid): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(position, 3));
  geometry.setAttribute('normal', new BufferAttribute(normal, 3));
  geometry.setAttribute('color', new BufferAttribute(color, 4, true));
  geometry.setIndex(new BufferAttribute(index, 1));
  return geometry;
}

function makeCollider(solid: Solid): Mesh {
  const mesh = new Mesh(solidGeometry(solid), new MeshStandardMaterial({ name: solid.name, vertexColors: true }));
  mesh.name = solid.name;
  openSky(mesh);
  return mesh;
}

// of the box around a mesh where it stands
function cornersOf(mesh: Mesh): number[] {
  const { min, max } = new Box3().setFromObject(mesh);
  return [min.x, min.y, min.z, max.x, max.y, max.z, min.x, max.y, max.z, max.x, min.y, min.z];
}

function vertexCount({ parts, organs }: Kind, shapes: Shape[]): number {
  const merged = parts.reduce((sum, { position }) => sum + position.length / 3, 0);
  return organs.reduce((sum, { shape }) => sum + shapes[shape].position.length / 3, merged);
}

function makeFlock(
  shape: Shape, { segments, sizes, tints }: { segments: number[]; sizes: number[]; tints: number[] },
): Flock {
  const geometry = new BufferGeometry();
  const color = new BufferAttribute(shape.color, 4, true);
  geometry.setAttribute('position', new BufferAttribute(shape.position, 3));
  geometry.setAttribute('normal', new BufferAttribute(shape.normal, 3));
  geometry.setAttribute('color', color);
  geometry.setIndex(new BufferAttribute(shape.index, 1));
  const mesh = new InstancedMesh(geometry, plainMaterial(shape), segments.length);
  mesh.name = shape.name;
  mesh.instanceMatrix.setUsage(DynamicDrawUsage);
  mesh.instanceColor = new InstancedBufferAttribute(Float32Array.from(tints), 3);
  mesh.frustumCulled = false;
  mesh.boundingSphere = new Sphere();
  return {
    mesh, color, segments: Uint32Array.from(segments), sizes: Float32Array.from(sizes), tints: Float32Array.from(tints),
  };
}

// ---- colours --------------------------------------------------------------------------------------

function paintMesh(mesh: SkinnedMesh, shown: Uint8Array, colors: Uint8Array): void {
  const joint = mesh.geometry.getAttribute('skinIndex').array;
  const weight = mesh.geometry.getAttribute('skinWeight').array;
  for (let v = 0; v < shown.length; v += 4) {
    for (let c = 0; c < 3; c++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) {
        sum += weight[v + k] * colors[3 * joint[v + k] + c];
      }
      shown[v + c] = Math.round(sum / 255);
    }
  }
}

// painted, the shape is white and the organ has the colour
function paintFlock({ mesh, segments, tints, color }: Flock, colors: Uint8Array | null): void {
  const shown = mesh.instanceColor!;
  const white = mesh.geometry.getAttribute('color') !== color;
  if (colors) {
    segments.forEach((segment, k) => {
      for (let c = 0; c < 3; c++) {
        shown.array[3 * k + c] = colors[3 * segment + c] / 255;
      }
    });
  } else {
    shown.array.set(tints);
  }
  shown.needsUpdate = true;
  if (white !== (colors !== null)) {
    const all = new Uint8Array(color.array.length).fill(255);
    mesh.geometry.setAttribute('color', colors ? new BufferAttribute(all, 4, true) : color);
  }
}
