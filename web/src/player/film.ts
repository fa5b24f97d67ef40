// SPDX-License-Identifier: MIT
// A run as a file: one picture, a WebM video or a GIF, frame by frame and in no hurry. The command
// `tendril render` asks for it.

import { MathUtils } from 'three';
import { encodeBase64 } from '../bytes';
import { DAY, DUSK } from '../daylight';
import { bestView } from '../framing';
import type { View } from '../framing';
import type { Moving } from '../moving';
import type { Stage } from '../scene';
import { Gif } from './gif';
import { Webm } from './webm';

/** Pixels drawn for one pixel of a still picture, along each side. */
const OVERSAMPLING = 2;

export interface FilmOrder {
  format: 'png' | 'webm' | 'gif';
  width: number;
  height: number;
  /** Time of the first picture, s; pictures a second; how many. */
  start: number;
  fps: number;
  count: number;
  /** The camera, from where the page puts it: degrees around and up, and how much nearer. */
  turn: number;
  rise: number;
  zoom: number;
  /** Degrees that it goes around from the first picture to the one after the last. */
  orbit: number;
  /** "day", "dusk" or a colour, #rrggbb. */
  background: string;
}

/** What a format makes of pictures. */
interface Encoder {
  add(picture: HTMLCanvasElement): Promise<void> | void;
  finish(): Promise<Uint8Array> | Uint8Array;
}

export class Film {
  private readonly order: FilmOrder;
  private readonly stage: Stage;
  private readonly model: Moving;
  private readonly encoder: Encoder;
  private readonly first: View;
  private readonly picture = document.createElement('canvas');
  private shadowed: number; // s: time of the shadows
  private done = 0;

  constructor(order: FilmOrder, stage: Stage, model: Moving) {
    this.order = order;
    this.stage = stage;
    this.model = model;
    this.picture.width = order.width;
    this.picture.height = order.height;
    const scale = order.format === 'png' ? OVERSAMPLING : 1;
    stage.resize(order.width, order.height, scale);
    paint(stage, order.background);
    model.setTime(order.start);
    stage.show(model);
    if (order.count > 1 && model.seconds > 0) {
      stage.drawShadows(true); // as in all pictures that follow
    }
    this.shadowed = Math.min(order.start, model.seconds);
    this.first = this.firstView();
    this.encoder = makeEncoder(order);
  }

  /** Draws the next picture. Returns how many there are. */
  async next(): Promise<number> {
    const { start, fps, count, orbit, width, height } = this.order;
    const time = Math.min(start + this.done / fps, this.model.seconds);
    // those of the first picture are there, and stay as long as nothing moves
    if (time !== this.shadowed) {
      this.model.setTime(time);
      this.stage.drawShadows(true);
      this.shadowed = time;
    }
    const view = { ...this.first };
    view.azimuth += MathUtils.degToRad((orbit * this.done) / count);
    this.stage.render(view);
    const context = this.picture.getContext('2d', { willReadFrequently: true })!;
    context.imageSmoothingQuality = 'high';
    context.drawImage(this.stage.renderer.domElement, 0, 0, width, height);
    await this.encoder.add(this.picture);
    return ++this.done;
  }

  /** The file, in base64. */
  async finish(): Promise<string> {
    return encodeBase64(await this.encoder.finish());
  }

  private firstView(): View {
    const { turn, rise, zoom, orbit } = this.order;
    const view = bestView(this.model, this.stage.camera, orbit !== 0, {
      azimuth: MathUtils.degToRad(turn),
      elevation: MathUtils.degToRad(rise),
    });
    return { ...view, distance: view.distance / zoom };
  }
}

function paint(stage: Stage, background: string): void {
  if (background === 'day' || background === 'dusk') {
    stage.paint(background === 'day' ? DAY : DUSK);
  } else {
    const color = Number.parseInt(background.slice(1), 16);
    stage.paint({ zenith: color, sky: color, horizon: color, ground: color });
  }
}

function makeEncoder(order: FilmOrder): Encoder {
  switch (order.format) {
    case 'png':
      return new Png();
    case 'webm':
      return new Webm(order.width, order.height, order.fps);
    case 'gif':
      return new Gif(order.width, order.height, order.fps);
  }
}

class Png implements Encoder {
  private picture: HTMLCanvasElement | null = null;

  add(picture: HTMLCanvasElement): void {
    this.picture = picture;
  }

  async finish(): Promise<Uint8Array> {
    const blob = await new Promise<Blob | null>((done) => this.picture!.toBlob(done, 'image/png'));
    if (!blob) {
      throw new Error('the browser cannot make a PNG of this size');
    }
    return new Uint8Array(await blob.arrayBuffer());
  }
}
