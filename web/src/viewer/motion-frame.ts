// SPDX-License-Identifier: MIT
// The whole motion in the picture: as far as keys lead, from the start; and what leaves the picture
// on its own takes the camera back a little, unless somebody has turned it. What was reached once is
// in the picture from the start when the same is opened again.

import { Box3, Vector3 } from 'three';
import type { PerspectiveCamera } from 'three';
import { isModel } from './library';
import type { Picture } from './picture';
import type { LiveWorld } from './world';

/** Segments that are looked at. */
const SAMPLES = 250;
const EVERY = 600; // ms between two steps back
const GLIDE = 1.2; // s
const MARGIN = 0.06; // of the size, around what left
/** Plants that are torn off fly away: so many sizes of the scene are followed. */
const FARTHEST = 3;

export class MotionFrame {
  private readonly picture: Picture;
  private readonly reached = new Map<string, Box3>();
  private file = '';
  private box = new Box3();
  private limit = new Box3();
  private size = 1;
  private last = 0;
  private readonly at = new Vector3();

  constructor(picture: Picture) {
    this.picture = picture;
  }

  /** A plant that was blown aside once is not small for ever: only what scenes do is known again. */
  begin(file: string, world: LiveWorld): void {
    if (file !== this.file) {
      this.box = (isModel(file) ? undefined : this.reached.get(file)) ?? new Box3();
      this.reached.set(file, this.box);
      this.file = file;
    }
    const { box } = world.framed;
    this.size = box.getSize(new Vector3()).length();
    this.limit = box.clone().expandByScalar(FARTHEST * this.size);
    this.picture.besides = this.box;
  }

  /** The world has moved by itself. */
  take(world: LiveWorld): void {
    const now = performance.now();
    if (now - this.last < EVERY || this.picture.turned) {
      return;
    }
    const { camera } = this.picture.stage;
    const { segments } = world.opened;
    const step = Math.max(1, Math.ceil(segments / SAMPLES));
    let left = false;
    for (let i = 0; i < segments; i += step) {
      left = this.look(world.tip(i, this.at), camera) || left;
    }
    for (const place of world.solidPlaces()) {
      left = this.look(place, camera) || left;
    }
    if (left) {
      this.last = now;
      this.picture.frameAgain(GLIDE);
    }
  }

  private look(at: Vector3, camera: PerspectiveCamera): boolean {
    if (!this.limit.containsPoint(at)) {
      return false;
    }
    const { x, y } = at.clone().project(camera);
    if (Math.abs(x) <= 1 && Math.abs(y) <= 1) {
      return false;
    }
    const room = new Vector3().setScalar(MARGIN * this.size);
    this.box.union(new Box3(at.clone().sub(room), at.clone().add(room)));
    return true;
  }
}
