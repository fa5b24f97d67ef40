// SPDX-License-Identifier: MIT
// The picture: the stage with what stands on it, the camera, and when it is worth drawing again.
// Shadows cost most: they are drawn less often when pictures come slowly, and well when all is still.

import { Box3, Vector3 } from 'three';
import type { Mesh } from 'three';
import { bestView } from '../framing';
import type { View } from '../framing';
import type { Model } from '../model';
import { CameraRig } from '../orbit';
import { PAGE_OPTIONS, Stage } from '../scene';
import { byId } from './dom';

const GREATEST_PIXEL_RATIO = 2;
const SLOW_PICTURE = 0.05; // s: above, shadows are drawn in every fourth picture only,
const SLUGGISH_PICTURE = 0.15; // s: and above this when nothing moves
const STILL_AFTER = 0.5; // s without motion: then shadows are drawn once more, and well
const FRAMING_SECONDS = 0.8;

/** Six numbers: target, distance, azimuth, elevation. */
export type ViewNumbers = [number, number, number, number, number, number];

export class Picture {
  readonly canvas = byId<HTMLCanvasElement>('view');
  readonly stage = new Stage(this.canvas, { ...PAGE_OPTIONS, hurried: true });
  /** Pictures drawn so far. */
  frames = 0;
  private readonly rig = new CameraRig(this.stage.camera, this.canvas, () => (this.turned = true));
  private readonly followed = new Vector3();
  private model: Model | null = null;
  private framed: Model | null = null;
  /** To be seen besides. */
  besides = new Box3();
  private room = 1;
  private on = true;
  /** The camera stands where somebody has put it. */
  turned = false;
  /** The first picture is on its way, and would not be seen if another followed at once. */
  private sketched = false;
  private readonly later: (() => void)[] = [];
  private dirty = true;
  private moved = false;
  /** The stage has just drawn the shadows of what came onto it. */
  private fresh = false;
  private stillFor = 0;
  private frameSeconds = 0.2; // slow, until it shows that it is not
  /** The last frame of the browser had a picture. */
  private drew = false;

  constructor() {
    this.canvas.addEventListener('dblclick', () => this.frameAgain(FRAMING_SECONDS));
    this.canvas.addEventListener('webglcontextrestored', () => (this.dirty = true));
    this.stage.followColorScheme(() => this.touched());
    this.resize();
    new ResizeObserver(() => this.resize()).observe(this.canvas);
  }

  /** Off, all goes on but for the pictures. */
  get drawing(): boolean {
    return this.on;
  }

  set drawing(on: boolean) {
    this.on = on;
    this.redraw();
  }

  /** In the place of what was there; `framed`, with so much room, is what the camera looks at. */
  show(model: Model, framed: Model, room: number): void {
    this.model = model;
    this.framed = framed;
    this.room = room;
    this.besides = new Box3();
    this.followed.set(0, 0, 0);
    if (this.on && this.frames > 0) {
      this.putOnStage();
    }
  }

  /** The same, finer. */
  addFiner(meshes: Mesh[]): void {
    this.putOnStage();
    this.stage.addFiner(this.model!, meshes);
  }

  get empty(): boolean {
    return this.model === null;
  }

  /** What is shown has moved. */
  changed(): void {
    this.moved = this.dirty = true;
    this.stillFor = 0;
  }

  /** It looks otherwise, and its shadows too. */
  redraw(): void {
    this.moved = this.dirty = true;
  }

  /** Something else has changed: a line, a number on the canvas. */
  touched(): void {
    this.dirty = true;
  }

  /** One frame of the browser, `dt` seconds after the one before; `time` in seconds. */
  onFrame(time: number, dt: number): void {
    if (this.drew) {
      this.frameSeconds += 0.1 * (dt - this.frameSeconds);
    }
    this.stillFor += dt;
    const turning = this.rig.update(time);
    this.drew = !this.sketched && (turning || this.dirty || (this.moved && this.still));
    if (this.drew) {
      this.draw();
    }
  }

  /** Nothing has moved for a while. */
  get still(): boolean {
    return this.stillFor > STILL_AFTER;
  }

  /** From one picture to the next, s, of late. */
  get seconds(): number {
    return this.frameSeconds;
  }

  /** The first of all is to come soon: a sketch, which the next replaces. */
  drawFirst(): void {
    if (this.on && this.model && this.frames === 0) {
      this.stage.sketch(this.model);
      this.frames++;
      this.sketched = true;
      this.whenDrawn(() => {
        performance.mark('first picture');
        this.sketched = false;
        this.redraw();
        this.later.splice(0).forEach((then) => then());
      });
    }
  }

  /** What the first picture need not wait for: at once when none is on its way. */
  afterFirst(then: () => void): void {
    if (this.sketched) {
      this.later.push(then);
    } else {
      then();
    }
  }

  draw(): void {
    if (!this.on || !this.model) {
      return;
    }
    this.putOnStage();
    const { still } = this;
    const sluggish = this.frameSeconds > SLUGGISH_PICTURE;
    const due = this.frameSeconds < SLOW_PICTURE || (this.frames % 4 === 0 && !sluggish);
    if (this.moved && (still || due) && !this.fresh) {
      this.stage.drawShadows(!still || sluggish);
      this.moved = !still;
    }
    this.fresh = false;
    this.stage.render();
    this.dirty = false;
    this.frames++;
  }

  // what draws can be far behind what asks for it
  private whenDrawn(then: () => void): void {
    const gl = this.stage.renderer.getContext() as WebGL2RenderingContext;
    const drawn = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0)!;
    const look = (): void => {
      if (gl.getSyncParameter(drawn, gl.SYNC_STATUS) === gl.UNSIGNALED) {
        setTimeout(look, 5);
      } else { // drawn, or lost with the context
        gl.deleteSync(drawn);
        then();
      }
    };
    look();
  }

  /** A square of what is to be seen now, as an address of data; empty while nothing is drawn. */
  small(side = 160): string {
    if (!this.on) {
      return '';
    }
    this.draw();
    const { width, height } = this.canvas;
    const out = document.createElement('canvas');
    const size = Math.min(width, height);
    out.width = out.height = side;
    const pen = out.getContext('2d')!;
    pen.imageSmoothingQuality = 'high';
    pen.drawImage(this.canvas, (width - size) / 2, (height - size) / 2, size, size, 0, 0, side, side);
    return out.toDataURL('image/jpeg', 0.8);
  }

  private putOnStage(): void {
    const before = this.stage.model;
    if (before !== this.model && this.model) {
      if (before) {
        this.stage.remove(before);
      }
      this.stage.show(this.model);
      this.fresh = true;
      this.stillFor = 0;
    }
  }

  // ---- camera -------------------------------------------------------------------------------------

  get view(): View {
    return this.rig.view;
  }

  /** CSS pixels that a length, m, takes where the camera looks. */
  pixelsOf(length: number): number {
    const { fov } = this.stage.camera;
    const across = 2 * this.rig.view.distance * Math.tan((fov * Math.PI) / 360);
    return (length / across) * this.canvas.clientHeight;
  }

  get viewNumbers(): ViewNumbers {
    const { target, distance, azimuth, elevation } = this.rig.view;
    return [target.x, target.y, target.z, distance, azimuth, elevation];
  }

  setView([x, y, z, distance, azimuth, elevation]: ViewNumbers): void {
    this.rig.moveTo({ target: new Vector3(x, y, z), distance, azimuth, elevation }, 0);
    this.turned = true;
  }

  frameAgain(seconds = FRAMING_SECONDS): void {
    if (this.framed) {
      const { min, max } = this.besides;
      const more = this.besides.isEmpty() ? [] : [min.x, min.y, min.z, max.x, max.y, max.z, min.x, max.y, max.z, max.x, min.y, min.z];
      const points = Float32Array.from([...this.framed.points, ...more]);
      const view = bestView({ ...this.framed, points }, this.stage.camera, false);
      view.distance *= this.room;
      view.target.add(this.followed);
      this.rig.moveTo(view, seconds);
      this.turned = false;
    }
  }

  /** Light, ground and camera go along with what wanders off: a part of the way in each picture. */
  followTo(x: number, z: number): void {
    const [dx, dz] = [0.15 * (x - this.followed.x), 0.15 * (z - this.followed.z)];
    if (Math.hypot(dx, dz) > 1e-7) {
      this.followed.x += dx;
      this.followed.z += dz;
      this.stage.follow(dx, dz);
      this.rig.pan(dx, dz);
    }
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    const ratio = Math.min(window.devicePixelRatio, GREATEST_PIXEL_RATIO);
    this.stage.resize(Math.max(clientWidth, 1), Math.max(clientHeight, 1), ratio);
    if (!this.turned) {
      this.frameAgain(0);
    }
    // a resized canvas is empty until it is drawn again
    this.draw();
  }
}
