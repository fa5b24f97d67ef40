// SPDX-License-Identifier: MIT
// A page that plays one recorded run. What it plays stands in the page: see src/io/clip_page.c.

import { decodeBase64 } from '../bytes';
import { loadMoving } from '../moving';
import type { Moving } from '../moving';
import { CameraRig } from '../orbit';
import { PAGE_OPTIONS, Stage } from '../scene';
import { Film } from './film';
import type { FilmOrder } from './film';
import { Plots } from './plots';
import { charts, parseTable } from './table';

const GREATEST_PIXEL_RATIO = 2;
const LONGEST_FRAME = 0.25; // s: after a pause of the browser the clock goes on, it does not leap

/** What the page is told about the run. */
interface Run {
  title: string;
  text: string;
  fps: number;
  seconds: number;
  probes?: string;
  energy?: string;
}

/** What scripts may read from and do to the page. */
export interface PlayerState {
  /** The first picture has been drawn. */
  ready: boolean;
  title: string;
  /** Seconds of the run: where the clock stands, and how long it lasts. */
  time: number;
  seconds: number;
  playing: boolean;
  speed: number;
  triangles: number;
  /** Most arrows of contact forces in any moment, and whether they are shown. */
  contacts: number;
  showingContacts: boolean;
  plots: number;
  /** Camera: angles in radians, distance to its target in m. */
  azimuth: number;
  elevation: number;
  distance: number;
  /** Pictures drawn so far. */
  frames: number;
  /** Moves the clock, and draws what is there then. */
  seek(time: number): void;
  joint(name: string): [number, number, number] | null;
  /** Draws pictures for a file; the page must have been opened with #film. */
  film(order: FilmOrder): Film;
}

declare global {
  interface Window {
    tendrilPlayer: PlayerState;
  }
}

class Player {
  private readonly run: Run;
  private readonly model: Moving;
  private readonly canvas = byId<HTMLCanvasElement>('view');
  private readonly scrub = byId<HTMLInputElement>('scrub');
  private readonly play = byId<HTMLButtonElement>('play');
  private readonly contacts = byId<HTMLButtonElement>('contacts');
  private readonly speed = byId<HTMLSelectElement>('speed');
  private readonly stage = new Stage(this.canvas, PAGE_OPTIONS);
  private readonly rig = new CameraRig(this.stage.camera, this.canvas, () => this.onGrab());
  private readonly plots: Plots;
  private time = 0;
  private playing = false;
  private showingContacts = false;
  private grabbed = false;
  private dirty = true; // the picture
  private moved = false; // the run, since its shadows were drawn well
  private frames = 0;
  private readonly filming = location.hash === '#film'; // the page draws nothing by itself
  private lastTime = -1;

  constructor(run: Run, model: Moving) {
    this.run = run;
    this.model = model;
    const tables = [run.probes, run.energy].filter((text) => text !== undefined).map(parseTable);
    const data = tables.flatMap(charts).filter(({ columns }) => columns.length > 0);
    this.plots = new Plots(byId('plots'), data, model.seconds, (time) => this.seek(time));
    document.body.classList.toggle('plain', data.length === 0);
  }

  start(): void {
    window.tendrilPlayer = this.makeState();
    document.title = `${this.run.title} · Tendril`;
    byId('title').textContent = this.run.title;
    byId('text').textContent = this.run.text;
    this.scrub.max = String(this.model.seconds || 1);
    this.play.disabled = this.scrub.disabled = this.model.seconds === 0;
    this.play.addEventListener('click', () => this.setPlaying(!this.playing));
    this.contacts.hidden = this.model.arrows.length === 0;
    this.contacts.addEventListener('click', () => this.toggleContacts());
    this.scrub.addEventListener('input', () => this.seek(Number(this.scrub.value)));
    document.addEventListener('keydown', (event) => this.onKey(event));
    this.canvas.addEventListener('dblclick', () => this.frameAgain(0.8));
    this.canvas.addEventListener('webglcontextrestored', () => (this.dirty = true));
    if (this.filming) {
      return;
    }
    this.stage.followColorScheme(() => (this.dirty = true));
    this.stage.show(this.model);
    this.resize();
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    this.show(0);
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.setPlaying(!still && this.model.seconds > 0);
    requestAnimationFrame((time) => this.onFrame(time));
  }

  /** Moves the clock; the run goes on from there if it was playing. */
  seek(time: number): void {
    this.show(Math.min(Math.max(time, 0), this.model.seconds));
  }

  private show(time: number): void {
    this.time = time;
    this.model.setTime(time);
    this.moved = this.dirty = true;
    this.plots.setTime(time);
    this.scrub.value = String(time);
    const decimals = this.model.seconds < 10 ? 2 : 1;
    byId('clock').textContent = `${time.toFixed(decimals)} / ${this.model.seconds.toFixed(decimals)} s`;
  }

  private setPlaying(playing: boolean): void {
    this.playing = playing;
    document.body.classList.toggle('playing', playing);
    this.play.setAttribute('aria-label', playing ? 'Stop' : 'Play');
    this.dirty = true;
  }

  private toggleContacts(): void {
    this.showingContacts = !this.showingContacts;
    this.contacts.setAttribute('aria-pressed', String(this.showingContacts));
    this.model.showContacts(this.showingContacts);
    this.dirty = true;
  }

  private frameAgain(seconds: number): void {
    this.rig.moveTo(this.stage.bestView(this.model, false), seconds);
  }

  private onGrab(): void {
    this.grabbed = true;
    document.body.classList.add('grabbed');
  }

  private onKey(event: KeyboardEvent): void {
    const field = event.target instanceof HTMLSelectElement || event.target instanceof HTMLInputElement;
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (event.key === 'c' && this.model.arrows.length > 0) {
      this.toggleContacts();
    }
    if (this.model.seconds === 0) {
      return;
    }
    if (event.key === ' ' && !(event.target instanceof HTMLButtonElement)) {
      event.preventDefault();
      this.setPlaying(!this.playing);
    }
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step && !field) {
      event.preventDefault();
      this.setPlaying(false);
      this.seek(this.time + step / this.run.fps);
    }
  }

  private onFrame(time: number): void {
    const dt = this.lastTime < 0 ? 0 : Math.min((time - this.lastTime) / 1000, LONGEST_FRAME);
    this.lastTime = time;
    if (this.playing && this.model.seconds > 0) {
      const next = this.time + dt * Number(this.speed.value);
      this.show(next <= this.model.seconds ? next : next % this.model.seconds);
    }
    const turned = this.rig.update(time / 1000);
    // while it plays shadows are drawn in a hurry; when it stops, once more and well
    if (turned || this.dirty || (this.moved && !this.playing)) {
      this.draw();
    }
    requestAnimationFrame((next) => this.onFrame(next));
  }

  private draw(): void {
    if (this.moved) {
      this.stage.drawShadows(this.playing);
      this.moved = this.playing;
    }
    this.stage.render();
    this.dirty = false;
    this.frames++;
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    const ratio = Math.min(window.devicePixelRatio, GREATEST_PIXEL_RATIO);
    this.stage.resize(Math.max(clientWidth, 1), Math.max(clientHeight, 1), ratio);
    if (!this.grabbed) {
      this.frameAgain(0);
    }
    // a resized canvas is empty until it is drawn again
    this.draw();
  }

  private makeState(): PlayerState {
    const player = this;
    return {
      get ready() { return player.frames > 0 || player.filming; },
      get title() { return player.run.title; },
      get time() { return player.time; },
      get seconds() { return player.model.seconds; },
      get playing() { return player.playing; },
      get speed() { return Number(player.speed.value); },
      get triangles() { return player.model.triangles; },
      get contacts() { return player.model.arrows.length; },
      get showingContacts() { return player.showingContacts; },
      get plots() { return player.plots.count; },
      get azimuth() { return player.rig.view.azimuth; },
      get elevation() { return player.rig.view.elevation; },
      get distance() { return player.rig.view.distance; },
      get frames() { return player.frames; },
      seek: (time) => player.seek(time),
      joint: (name) => player.model.jointPlace(name),
      film: (order) => new Film(order, player.stage, player.model),
    };
  }
}

function byId<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

function writeFault(message: string): void {
  const fault = byId('fault');
  fault.textContent = message;
  fault.hidden = false;
}

async function start(): Promise<void> {
  const [run, clip] = [document.getElementById('run'), document.getElementById('clip')];
  if (!run || !clip) {
    return writeFault('This is the player alone: "tendril run" writes pages with a run in them.');
  }
  if (!document.createElement('canvas').getContext('webgl2')) {
    return writeFault('This page draws with WebGL 2, which this browser does not offer.');
  }
  const told = JSON.parse(run.textContent!) as Run;
  const bytes = decodeBase64(clip.textContent!);
  // the text is larger than what is kept
  clip.textContent = '';
  new Player(told, await loadMoving(told.title, bytes, told.seconds)).start();
}

start().catch((error: Error) => writeFault(`The run in this page cannot be read: ${error.message}`));
