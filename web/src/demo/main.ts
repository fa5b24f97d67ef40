// SPDX-License-Identifier: MIT
// The demo page: shows one of several plants at a time, and lets the user walk around it.

import { CameraRig } from '../orbit';
import type { View } from '../framing';
import type { Model } from '../model';
import { PAGE_OPTIONS, Stage } from '../scene';
import { Strip, THUMBNAIL, writeCaption, writeFault } from './chrome';
import { PlantStore, readLabels } from './plants';

const GLIDE_SECONDS = 1.1;
const GREATEST_PIXEL_RATIO = 2;

/** What scripts may read from and do to the page. */
export interface DemoState {
  /** The first plant has been drawn. */
  ready: boolean;
  /** Number of plants. */
  count: number;
  /** Index of the plant shown, its title, triangles, and size along x, y, z in m. */
  index: number;
  title: string;
  triangles: number;
  size: [number, number, number];
  /** Camera: angles in radians, distance to its target in m. */
  azimuth: number;
  elevation: number;
  distance: number;
  /** The camera glides to a new view; it turns by itself. */
  gliding: boolean;
  turning: boolean;
  /** Pictures drawn so far, and thumbnails. */
  frames: number;
  thumbnails: number;
  /** Shows a plant; done when it has been drawn. */
  show(index: number): Promise<void>;
}

declare global {
  interface Window {
    tendrilDemo: DemoState;
  }
}

class Demo {
  private readonly labels = readLabels();
  private readonly store = new PlantStore(this.labels);
  private readonly canvas = document.getElementById('view') as HTMLCanvasElement;
  private readonly veil = document.getElementById('veil') as HTMLCanvasElement;
  private readonly stage = new Stage(this.canvas, PAGE_OPTIONS);
  private readonly still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  private readonly strip = new Strip(this.labels, (index) => void this.show(index));
  private readonly rig = new CameraRig(this.stage.camera, this.canvas, () => this.onGrab());
  private wanted = -1;
  private index = -1;
  private grabbed = false;
  private dirty = true;
  private frames = 0;
  private thumbnails = 0;

  async start(): Promise<void> {
    window.tendrilDemo = this.makeState();
    this.resize();
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    this.canvas.addEventListener('dblclick', () => this.frameAgain());
    this.canvas.addEventListener('webglcontextrestored', () => (this.dirty = true));
    document.addEventListener('keydown', (event) => this.onKey(event));
    await this.show(0);
    requestAnimationFrame((time) => this.onFrame(time));
    await this.drawThumbnails();
  }

  /** Of several plants asked for in a row only the last is shown. */
  async show(index: number): Promise<void> {
    this.wanted = index;
    this.strip.select(index);
    let model: Model;
    try {
      model = await this.store.load(index);
    } catch (error) {
      writeFault(`${this.labels[index].title}: ${(error as Error).message}`);
      return;
    }
    if (this.wanted !== index) {
      return;
    }
    writeCaption(this.labels[index], model);
    if (this.index === index) {
      return;
    }
    const previous = this.stage.model;
    if (previous) {
      this.drawVeil();
    }
    this.index = index;
    this.stage.show(model);
    this.enter(model, previous);
    this.draw();
    this.liftVeil();
  }

  // A new plant comes in a little from afar, seen from the side from which the last one was seen.
  private enter(model: Model, previous: Model | null): void {
    const to = this.stage.bestView(model, true);
    const from: View = { ...to, distance: 1.18 * to.distance };
    if (previous && !model.flat) {
      const { azimuth, elevation } = this.rig.view;
      to.azimuth = azimuth;
      Object.assign(from, { azimuth, elevation });
    } else if (model.flat) {
      from.azimuth = this.still ? 0 : -0.5;
    }
    this.rig.moveTo(to, this.still ? 0 : GLIDE_SECONDS, from);
    this.rig.turning = this.still || this.grabbed ? 'off' : model.flat ? 'sway' : 'spin';
  }

  private frameAgain(): void {
    if (this.stage.model) {
      const to = this.stage.bestView(this.stage.model, true);
      this.rig.moveTo(to, this.still ? 0 : GLIDE_SECONDS);
    }
  }

  private onGrab(): void {
    this.grabbed = true;
    document.body.classList.add('grabbed');
  }

  private onKey(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step && !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey) {
      event.preventDefault();
      const count = this.labels.length;
      void this.show((this.wanted + step + count) % count);
    }
  }

  private onFrame(time: number): void {
    const moved = this.rig.update(time / 1000);
    if (moved || this.dirty) {
      this.draw();
    }
    requestAnimationFrame((next) => this.onFrame(next));
  }

  private draw(): void {
    this.stage.render();
    this.dirty = false;
    this.frames++;
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    const ratio = Math.min(window.devicePixelRatio, GREATEST_PIXEL_RATIO);
    this.stage.resize(Math.max(clientWidth, 1), Math.max(clientHeight, 1), ratio);
    if (this.stage.model) {
      if (!this.grabbed) {
        const { azimuth } = this.rig.view;
        this.rig.moveTo({ ...this.stage.bestView(this.stage.model, true), azimuth }, 0);
      }
      // a resized canvas is empty until it is drawn again
      this.draw();
    }
  }

  // the picture as it is now, laid over the next one and faded out
  private drawVeil(): void {
    if (this.still) {
      return;
    }
    this.stage.render();
    this.veil.width = this.canvas.width;
    this.veil.height = this.canvas.height;
    this.veil.getContext('2d')!.drawImage(this.canvas, 0, 0);
    this.veil.classList.add('down');
  }

  private liftVeil(): void {
    requestAnimationFrame(() => this.veil.classList.remove('down'));
  }

  // one at a time, with pauses in which the page can answer
  private async drawThumbnails(): Promise<void> {
    for (let i = 0; i < this.labels.length; i++) {
      await new Promise((done) => setTimeout(done, 40));
      try {
        const model = await this.store.load(i);
        this.stage.drawThumbnail(model, this.strip.thumbnail(i), THUMBNAIL);
      } catch {
        continue; // its own button will say what is wrong
      }
      this.draw();
      this.strip.markDrawn(i);
      this.thumbnails++;
    }
  }

  private makeState(): DemoState {
    const demo = this;
    return {
      get ready() { return demo.frames > 0 && demo.index >= 0; },
      get count() { return demo.labels.length; },
      get index() { return demo.index; },
      get title() { return demo.labels[demo.index]?.title ?? ''; },
      get triangles() { return demo.stage.model?.triangles ?? 0; },
      get size() { return demo.size(); },
      get azimuth() { return demo.rig.view.azimuth; },
      get elevation() { return demo.rig.view.elevation; },
      get distance() { return demo.rig.view.distance; },
      get gliding() { return demo.rig.gliding; },
      get turning() { return demo.rig.turning !== 'off'; },
      get frames() { return demo.frames; },
      get thumbnails() { return demo.thumbnails; },
      show: (index) => demo.show(index),
    };
  }

  private size(): [number, number, number] {
    const box = this.stage.model?.box;
    return box ? [box.max.x - box.min.x, box.max.y - box.min.y, box.max.z - box.min.z] : [0, 0, 0];
  }
}

if (document.createElement('canvas').getContext('webgl2')) {
  void new Demo().start();
} else {
  writeFault('This page draws with WebGL 2, which this browser does not offer.');
}
