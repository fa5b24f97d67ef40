// SPDX-License-Identifier: MIT
// The hand: takes hold of a plant under the pointer and pulls it, in the plane through that point
// that faces the camera, or twists it. Elsewhere the pointer turns the camera. A pointer that is over
// a plant shows where it would take hold.

import { Plane, Raycaster, Vector2, Vector3 } from 'three';
import type { PerspectiveCamera, Scene } from 'three';
import { HandMarks } from './hand-marks';
import { SEGMENT } from './protocol';
import type { LiveWorld } from './world';

/** How far beside a stem the pointer still meets it, CSS pixels. */
const REACH = { mouse: 10, touch: 22 };
/** Spring of the hand a kilogram of plant, and at least; N/m. */
const HAND = { perKilogram: 1500, least: 100 };
/** Pixels across that give the greatest twist. */
const TWIST_PIXELS = 220;
/** Pixels: what has moved less was pressed, not dragged. */
const STILL = 4;

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
  /** N/m. */
  stiffness: number;
}

/** A point of the plant under the pointer. */
interface Found {
  segment: number;
  along: number;
}

export interface HandEvents {
  grab(hold: Hold): void;
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
  private readonly marks: HandMarks;
  private readonly plane = new Plane();
  private world: LiveWorld | null = null;
  private pointer = -1;
  private start = new Vector2();
  private travelled = 0;
  private over: Found | null = null;
  /** Where a mouse has come to rest or goes, since the last picture. */
  private pointed: Vector2 | null = null;
  private picked = -1;

  constructor(canvas: HTMLElement, camera: PerspectiveCamera, scene: Scene, events: HandEvents) {
    this.canvas = canvas;
    this.camera = camera;
    this.events = events;
    this.marks = new HandMarks(scene, camera, canvas);
    // before the camera's own listeners, which are on the canvas
    canvas.parentElement!.addEventListener('pointerdown', (event) => this.onDown(event), true);
    window.addEventListener('pointermove', (event) => this.onMove(event));
    canvas.addEventListener('pointermove', (event) => this.onHover(event));
    canvas.addEventListener('pointerleave', () => this.setOver(null));
    window.addEventListener('pointerup', (event) => this.onUp(event));
    window.addEventListener('pointercancel', (event) => this.onUp(event));
  }

  setWorld(world: LiveWorld | null): void {
    this.letGo();
    this.setOver(null);
    this.picked = -1;
    this.world = world;
  }

  /** A segment has a dot at its tip until another is picked. */
  markPicked(segment: number): void {
    this.picked = segment;
  }

  get hovering(): boolean {
    return this.over !== null;
  }

  /** Draws the marks where things are now; true when they are not where they were. */
  update(): boolean {
    const { hold, world, over, picked } = this;
    if (this.pointed && !hold) {
      this.setOver(this.find(this.pointed.x, this.pointed.y, REACH.mouse));
      this.pointed = null;
    }
    const held = hold && world ? world.place(hold.segment, hold.point, new Vector3()) : null;
    const pulling = held !== null && !hold!.twisting;
    const force = !hold ? '' : hold.twisting ? twistText(hold) : pullText(hold.stiffness * held!.distanceTo(hold.to));
    this.marks.showPull(pulling ? held : null, pulling ? hold!.to : null, this.travelled < STILL ? '' : force);
    const at = held ?? (over && world ? this.pointOf(over, world) : null);
    const moved = this.marks.showHover(at);
    return this.marks.showPicked(world && picked >= 0 ? world.tip(picked, new Vector3()) : null) || moved || held !== null;
  }

  private pointOf({ segment, along }: Found, world: LiveWorld): Vector3 {
    const point = world.ownTip(segment, new Vector3()).multiplyScalar(along);
    return world.place(segment, point, new Vector3());
  }

  private setOver(found: Found | null): void {
    this.over = found;
    document.body.classList.toggle('over', found !== null);
  }

  // a finger covers what it points at, and a mouse with a button down does something else
  private onHover({ clientX, clientY, pointerType, buttons }: PointerEvent): void {
    const box = this.canvas.getBoundingClientRect();
    if (pointerType === 'mouse' && buttons === 0) {
      this.pointed = new Vector2(clientX - box.left, clientY - box.top);
    } else if (!this.hold) {
      this.setOver(null);
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
  find(x: number, y: number, reach: number): Found | null {
    const { world, camera } = this;
    if (!world) {
      return null;
    }
    const [a, b, pointer] = [new Vector3(), new Vector3(), new Vector2(x, y)];
    const pixels = this.canvas.clientHeight / (2 * Math.tan((camera.fov * Math.PI) / 360));
    let best: Found | null = null;
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
    const stiffness = Math.max(HAND.least, HAND.perKilogram * world.mass(actor));
    this.hold = { actor, segment, point, to: at.clone(), torque: 0, twisting, stiffness };
    this.pointer = event.pointerId;
    this.start.set(event.clientX, event.clientY);
    this.travelled = 0;
    document.body.classList.add('holding');
    this.setOver(null);
    this.marks.moveLabel(event.clientX - box.left, event.clientY - box.top);
    this.events.grab(this.hold);
  }

  private onMove(event: PointerEvent): void {
    const { hold, world } = this;
    if (!hold || !world || event.pointerId !== this.pointer) {
      return;
    }
    const moved = new Vector2(event.clientX, event.clientY).sub(this.start);
    this.travelled = Math.max(this.travelled, moved.length());
    const box = this.canvas.getBoundingClientRect();
    this.marks.moveLabel(event.clientX - box.left, event.clientY - box.top);
    if (hold.twisting) {
      const weight = 9.81 * world.mass(hold.actor) * world.height;
      hold.torque = 0.12 * weight * Math.max(-1, Math.min(1, moved.x / TWIST_PIXELS));
    } else {
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
      const still = this.travelled < STILL;
      this.letGo();
      if (still) {
        this.events.pick(segment);
      }
    }
  }
}

const digits = (value: number): string => (value < 100 ? Number(value.toPrecision(2)) : Math.round(value)).toString();

/** The spring's force in a unit that needs few zeros. */
function pullText(force: number): string {
  return force < 0.1 ? `${digits(1000 * force)} mN` : force < 1000 ? `${digits(force)} N` : `${digits(force / 1000)} kN`;
}

function twistText({ torque }: Hold): string {
  const size = Math.abs(torque);
  return size < 0.1 ? `${digits(1000 * torque)} mN m` : `${digits(torque)} N m`;
}
