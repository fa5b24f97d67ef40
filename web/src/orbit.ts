// SPDX-License-Identifier: MIT
// How the camera moves: by the user's hand (mouse, pen, touch), gliding from one view to the next,
// or slowly around the plant until somebody takes hold of it.

import { MOUSE, TOUCH } from 'three';
import type { PerspectiveCamera } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { applyView, blendViews, viewOf } from './framing';
import type { View } from './framing';

/** `spin` goes round and round, `sway` to and fro in front of something flat. */
export type Turning = 'off' | 'spin' | 'sway';

const SPIN_SPEED = 0.14; // rad/s
const SWAY_REACH = 0.5; // rad
const SWAY_SPEED = 0.4; // rad/s of phase
const RAMP = 1.5; // s until turning is up to speed
const LONGEST_FRAME = 0.25; // s: after a pause the camera goes on, it does not leap

export class CameraRig {
  private readonly camera: PerspectiveCamera;
  private readonly controls: OrbitControls;
  private glide: { from: View; to: View; seconds: number; passed: number } | null = null;
  private turningMode: Turning = 'off';
  private turningTime = 0;
  private lastTime = -1;

  /** `onGrab` is called when the user takes hold of the camera. */
  constructor(camera: PerspectiveCamera, element: HTMLElement, onGrab: () => void) {
    this.camera = camera;
    this.controls = new OrbitControls(camera, element);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.08;
    this.controls.rotateSpeed = 0.7;
    this.controls.maxPolarAngle = Math.PI / 2;
    this.controls.mouseButtons = { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN };
    this.controls.touches = { ONE: TOUCH.ROTATE, TWO: TOUCH.DOLLY_PAN };
    this.controls.addEventListener('start', () => {
      this.glide = null;
      this.turning = 'off';
      onGrab();
    });
  }

  get view(): View {
    return viewOf(this.camera, this.controls.target);
  }

  get gliding(): boolean {
    return this.glide !== null;
  }

  get turning(): Turning {
    return this.turningMode;
  }

  set turning(mode: Turning) {
    if (mode !== this.turningMode) {
      this.turningMode = mode;
      this.turningTime = 0;
    }
  }

  /** Goes from one view to another; the user may zoom around the latter. 0 seconds: at once. */
  moveTo(to: View, seconds: number, from: View = this.view): void {
    this.controls.minDistance = 0.12 * to.distance;
    this.controls.maxDistance = 3.5 * to.distance;
    this.glide = seconds > 0 ? { from, to, seconds, passed: 0 } : null;
    this.turningTime = 0;
    this.place(seconds > 0 ? from : to);
  }

  /** Goes along with what it looks at. */
  pan(x: number, z: number): void {
    for (const place of [this.controls.target, this.camera.position]) {
      place.set(place.x + x, place.y, place.z + z);
    }
  }

  /** Moves on to a time in seconds. True when the camera is not where it was. */
  update(time: number): boolean {
    const dt = this.lastTime < 0 ? 0 : Math.min(time - this.lastTime, LONGEST_FRAME);
    this.lastTime = time;
    if (this.glide) {
      this.advanceGlide(this.glide, dt);
      return true;
    }
    if (this.turningMode !== 'off') {
      this.advanceTurning(dt);
      return true;
    }
    return this.controls.update();
  }

  private advanceGlide(glide: NonNullable<typeof this.glide>, dt: number): void {
    glide.passed = Math.min(glide.passed + dt, glide.seconds);
    const left = 1 - glide.passed / glide.seconds;
    this.place(blendViews(glide.from, glide.to, 1 - left ** 3));
    if (left <= 0) {
      this.glide = null;
    }
  }

  private advanceTurning(dt: number): void {
    const before = this.turningTime;
    this.turningTime += dt;
    const view = this.view;
    if (this.turningMode === 'spin') {
      view.azimuth += SPIN_SPEED * dt * Math.min(1, this.turningTime / RAMP);
    } else {
      const sway = (t: number): number => SWAY_REACH * Math.sin(SWAY_SPEED * t);
      view.azimuth += sway(this.turningTime) - sway(before);
    }
    this.place(view);
  }

  private place(view: View): void {
    this.controls.target.copy(view.target);
    applyView(view, this.camera);
    this.controls.update();
  }
}
