// SPDX-License-Identifier: MIT
// Shaking the pot where there are no arrow keys: with Shake pressed a drag beside the plant moves the
// pot along, and so does shaking the phone itself, if it tells how it moves.

import { byId } from './dom';
import type { Viewer } from './viewer';

/** A phone that is shaken to and fro this fast has moved by its acceleration over the square, rad/s. */
const SHAKE_RATE = 18;
const GREATEST = 0.4; // of the plant's height: how far a phone shakes the pot
const SMOOTH = 0.4; // share of the newest reading

interface Asks {
  requestPermission?(): Promise<string>;
}

export class Shake {
  private readonly viewer: Viewer;
  private on = false;
  private pointer = -1;
  /** CSS pixels, to the right and down, since Shake was pressed. */
  private dragged = { x: 0, y: 0 };
  private last = { x: 0, y: 0 };
  /** Shares of the plant's height, to the right and away. */
  private shaken = { x: 0, y: 0 };

  constructor(viewer: Viewer) {
    this.viewer = viewer;
    const { canvas } = viewer.picture;
    byId('shake').addEventListener('click', () => void this.toggle());
    // before the camera's own listeners, which are on the canvas, and after the hand's
    canvas.parentElement!.addEventListener('pointerdown', (event) => this.onDown(event), true);
    window.addEventListener('pointermove', (event) => this.onMove(event));
    for (const name of ['pointerup', 'pointercancel'] as const) {
      window.addEventListener(name, ({ pointerId }) => pointerId === this.pointer && this.letGo());
    }
    window.addEventListener('devicemotion', (event) => this.onMotion(event));
  }

  private async toggle(): Promise<void> {
    this.on = !this.on;
    byId('shake').setAttribute('aria-pressed', String(this.on));
    this.dragged = { x: 0, y: 0 };
    this.shaken = { x: 0, y: 0 };
    if (!this.on) {
      return this.viewer.pot.lead(null);
    }
    // some phones ask their owner first
    const { requestPermission } = (window.DeviceMotionEvent ?? {}) as Asks;
    await requestPermission?.call(window.DeviceMotionEvent).catch(() => undefined);
  }

  private onDown(event: PointerEvent): void {
    const { hand, picture, world } = this.viewer;
    if (this.on && world && !hand.hold && this.pointer < 0 && event.target === picture.canvas && event.button === 0) {
      event.stopPropagation();
      this.pointer = event.pointerId;
      this.last = { x: event.clientX, y: event.clientY };
    }
  }

  private onMove({ pointerId, clientX, clientY }: PointerEvent): void {
    if (pointerId === this.pointer) {
      this.dragged.x += clientX - this.last.x;
      this.dragged.y += clientY - this.last.y;
      this.last = { x: clientX, y: clientY };
      this.tell();
    }
  }

  // the pot stays where it was brought to
  private letGo(): void {
    this.pointer = -1;
  }

  // as the phone is moved to the right, up or towards its owner, so is the pot
  private onMotion({ acceleration }: DeviceMotionEvent): void {
    if (!this.on || !acceleration || !this.viewer.world) {
      return;
    }
    const share = (a: number | null): number =>
      Math.max(-GREATEST, Math.min(GREATEST, -(a ?? 0) / SHAKE_RATE ** 2 * 4));
    this.shaken.x += SMOOTH * (share(acceleration.x) - this.shaken.x);
    this.shaken.y += SMOOTH * (share(acceleration.y) - share(acceleration.z) - this.shaken.y);
    this.tell();
  }

  private tell(): void {
    const { picture, world } = this.viewer;
    const pixel = 1 / picture.pixelsOf(1);
    const { height } = world!;
    this.viewer.pot.lead([
      pixel * this.dragged.x + height * this.shaken.x, -pixel * this.dragged.y + height * this.shaken.y]);
  }
}
