// SPDX-License-Identifier: MIT
// The hand: takes hold of a plant under the pointer and pulls it, in the plane through that point
// that faces the camera, or twists it. Elsewhere the pointer turns the camera.

import { BufferAttribute, BufferGeometry, Line, LineBasicMaterial, Plane, Raycaster, Vector2, Vector3 } from 'three';
import type { PerspectiveCamera, Scene } from 'three';
import { SEGMENT } from './protocol';
import type { LiveWorld } from './world';

/** How far beside a stem the pointer still meets it, CSS pixels. */
const REACH = { mouse: 10, touch: 22 };
/** Spring of the hand a kilogram of plant, and at least; N/m. */
const HAND = { perKilogram: 1500, least: 100 };
/** Pixels across that give the greatest twist. */
const TWIST_PIXELS = 220;

export interface Hold {
  actor: number;
  /** Counted over all actors. */
  segment: number;
  /** In the segment's axes. */
  point: Vector3;
  to: Vector3;
  /** N m; only when it is twisted. */
  torque: number;
  twisting: boolean;
}

export interface HandEvents {
  grab(hold: Hold, stiffness: number): void;
  move(hold: Hold): void;
  release(): void;
  /** Pressed and let go without moving. */
  pick(segment: number): void;
}

export class Hand {
  hold: Hold | null = null;
  /** The next press twists; for screens without a shift key. */
  twists = false;
  private readonly canvas: HTMLElement;
  private readonly camera: PerspectiveCamera;
  private readonly events: HandEvents;
  private readonly line: Line;
  private readonly plane = new Plane();
  private world: LiveWorld | null = null;
  private pointer = -1;
  private start = new Vector2();
  private travelled = 0;

  constructor(canvas: HTMLElement, camera: PerspectiveCamera, scene: Scene, events: HandEvents) {
    this.canvas = canvas;
    this.camera = camera;
    this.events = events;
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(6), 3));
    this.line = new Line(geometry, new LineBasicMaterial({ color: 0xd2491e, depthTest: false }));
    this.line.renderOrder = 10;
    this.line.frustumCulled = false;
    this.line.visible = false;
    scene.add(this.line);
    // before the camera's own listeners, which are on the canvas
    canvas.parentElement!.addEventListener('pointerdown', (event) => this.onDown(event), true);
    window.addEventListener('pointermove', (event) => this.onMove(event));
    window.addEventListener('pointerup', (event) => this.onUp(event));
    window.addEventListener('pointercancel', (event) => this.onUp(event));
  }

  setWorld(world: LiveWorld | null): void {
    this.letGo();
    this.world = world;
  }

  /** Draws the line from the plant to the pointer. */
  update(): void {
    const { hold, world } = this;
    this.line.visible = hold !== null && world !== null && !hold.twisting;
    if (hold && world) {
      const position = this.line.geometry.getAttribute('position') as BufferAttribute;
      world.place(hold.segment, hold.point, new Vector3()).toArray(position.array, 0);
      hold.to.toArray(position.array, 3);
      position.needsUpdate = true;
    }
  }

  letGo(): void {
    if (this.hold) {
      this.hold = null;
      this.pointer = -1;
      document.body.classList.remove('holding');
      this.events.release();
    }
  }

  /** CSS pixels from the upper left corner of the canvas. */
  screen(at: Vector3): Vector2 {
    const p = at.clone().project(this.camera);
    const { clientWidth, clientHeight } = this.canvas;
    return new Vector2(((p.x + 1) / 2) * clientWidth, ((1 - p.y) / 2) * clientHeight);
  }

  // ---- finding ------------------------------------------------------------------------------------

  /** The segment under the pointer, and where along it. Of several, the one in front. */
  find(x: number, y: number, reach: number): { segment: number; along: number } | null {
    const { world, camera } = this;
    if (!world) {
      return null;
    }
    const [a, b, pointer] = [new Vector3(), new Vector3(), new Vector2(x, y)];
    const pixels = this.canvas.clientHeight / (2 * Math.tan((camera.fov * Math.PI) / 360));
    let best: { segment: number; along: number } | null = null;
    let least = Infinity;
    for (let i = 0; i < world.opened.segments; i++) {
      world.origin(i, a);
      world.tip(i, b);
      const depth = a.distanceTo(camera.position);
      const [from, to] = [this.screen(a), this.screen(b)];
      const way = to.clone().sub(from);
      const along = Math.min(1, Math.max(0, pointer.clone().sub(from).dot(way) / Math.max(way.lengthSq(), 1e-9)));
      const organ = world.figure(i, SEGMENT.organ) > 0;
      const thick = organ ? 0.25 * world.figure(i, SEGMENT.length) : world.figure(i, SEGMENT.radius);
      const width = (pixels * thick) / Math.max(depth, 1e-9);
      const off = from.addScaledVector(way, along).distanceTo(pointer) - width;
      if (off < reach) {
        // in front wins, unless it is clearly farther from the pointer
        const cost = depth * (1 + 0.02 * Math.max(off, 0));
        if (cost < least) {
          [least, best] = [cost, { segment: i, along }];
        }
      }
    }
    return best;
  }

  // ---- pointer ------------------------------------------------------------------------------------

  private onDown(event: PointerEvent): void {
    const { world } = this;
    if (event.target !== this.canvas || event.button !== 0 || this.hold || !world) {
      return;
    }
    const reach = event.pointerType === 'touch' ? REACH.touch : REACH.mouse;
    const box = this.canvas.getBoundingClientRect();
    const found = this.find(event.clientX - box.left, event.clientY - box.top, reach);
    if (!found) {
      return;
    }
    event.stopPropagation();
    event.preventDefault();
    this.canvas.focus();
    const { segment, along } = found;
    const actor = world.actorOf(segment);
    const point = world.ownTip(segment, new Vector3()).multiplyScalar(along);
    const at = world.place(segment, point, new Vector3());
    const back = this.camera.getWorldDirection(new Vector3());
    this.plane.setFromNormalAndCoplanarPoint(back, at);
    const twisting = event.shiftKey || this.twists;
    this.hold = { actor, segment, point, to: at.clone(), torque: 0, twisting };
    this.pointer = event.pointerId;
    this.start.set(event.clientX, event.clientY);
    this.travelled = 0;
    document.body.classList.add('holding');
    const stiffness = Math.max(HAND.least, HAND.perKilogram * world.mass(actor));
    this.events.grab(this.hold, stiffness);
  }

  private onMove(event: PointerEvent): void {
    const { hold, world } = this;
    if (!hold || !world || event.pointerId !== this.pointer) {
      return;
    }
    const moved = new Vector2(event.clientX, event.clientY).sub(this.start);
    this.travelled = Math.max(this.travelled, moved.length());
    if (hold.twisting) {
      const weight = 9.81 * world.mass(hold.actor) * world.height;
      hold.torque = 0.12 * weight * Math.max(-1, Math.min(1, moved.x / TWIST_PIXELS));
    } else {
      const box = this.canvas.getBoundingClientRect();
      const at = new Vector2(
        (2 * (event.clientX - box.left)) / box.width - 1,
        1 - (2 * (event.clientY - box.top)) / box.height,
      );
      const ray = new Raycaster();
      ray.setFromCamera(at, this.camera);
      ray.ray.intersectPlane(this.plane, hold.to);
    }
    this.events.move(hold);
  }

  private onUp(event: PointerEvent): void {
    if (this.hold && event.pointerId === this.pointer) {
      const { segment } = this.hold;
      const still = this.travelled < 4;
      this.letGo();
      if (still) {
        this.events.pick(segment);
      }
    }
  }
}
