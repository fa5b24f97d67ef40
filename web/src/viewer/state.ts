// SPDX-License-Identifier: MIT
// What the viewer tells scripts, as window.tendrilViewer: its checks are written on this.

import { Vector3 } from 'three';
import { byId } from './dom';
import type { Keeper } from './keeper';
import { said } from './notices';
import type { Overlay } from './overlays';
import type { ViewNumbers } from './picture';
import type { Adapted, Fault } from './protocol';
import type { Settings } from './settings';
import type { Viewer } from './viewer';

const STEPS_AT_ONCE = 30;
const PATIENT_BUDGET = 1000; // ms

type Place = [number, number, number];

/** What scripts may read from and do to the page. */
export interface ViewerState {
  /** The first picture of a plant has been drawn, and nothing is being opened. */
  ready: boolean;
  /** No answer of the simulation is waited for to go on playing. */
  idle: boolean;
  /** Off, all goes on but for the pictures, and scenes are not stepped ahead to frame them. */
  drawing: boolean;
  name: string;
  items: string[];
  /** What the visitor has brought. */
  own: string[];
  time: number;
  dt: number;
  playing: boolean;
  speed: number;
  segments: number;
  dofs: number;
  /** What the library knows. */
  solvers: string[];
  /** Meshes that are drawn: stems, each for itself, and organs, many at once. */
  meshes: { name: string; instances: number }[];
  /** Of plants, as they are drawn now. */
  triangles: number;
  /** Simulated over real time, as it was in the last second or more; null until that is measured. */
  factor: number | null;
  slowed: boolean;
  /** Pictures drawn so far. */
  frames: number;
  fault: string;
  faults: Fault[];
  /** What stands in the editor. */
  written: string;
  settings: Settings | null;
  overlays: Overlay[];
  /** Joints that may be left out, and how many are not. */
  adapted: Adapted;
  /** Families of clusters and how many segments they have, as the legend says. */
  legend: string;
  /** Where the world was told that the camera is. */
  camera: Place;
  /** Arrows of contact forces that are drawn now. */
  arrows: number;
  /** A pointer is over a plant, and a press would take hold of it. */
  hovering: boolean;
  holding: boolean;
  /** Where the pointer holds the plant to; null when it does not. */
  heldTo: Place | null;
  picked: number;
  plotted: { energy: number; segment: number };
  view: ViewNumbers;
  /** Of a file, or of what is shown. */
  text(file?: string): string;
  highest(): number;
  origin(segment: number): Place;
  tip(segment: number): Place;
  base(actor: number): Place;
  collider(k: number): Place;
  /** CSS pixels in the window. */
  onScreen(place: Place): [number, number];
  /** Lets time pass without drawing. */
  run(seconds: number): Promise<void>;
  /** The same step by step, with the place of a tip after each. */
  follow(segment: number, seconds: number): Promise<[number, number, number, number][]>;
  open(name: string): Promise<void>;
  set(changes: Partial<Settings>): Promise<void>;
  frequency(actor: number): Promise<number>;
  glb(): Promise<Uint8Array>;
  link(): Promise<{ link: string; complete: boolean }>;
}

declare global {
  interface Window {
    tendrilViewer: ViewerState;
  }
}

export function publish(viewer: Viewer, keeper: Keeper): void {
  window.tendrilViewer = Object.defineProperties({}, {
    ...Object.getOwnPropertyDescriptors(pageState(viewer)),
    ...Object.getOwnPropertyDescriptors(plantState(viewer)),
    ...Object.getOwnPropertyDescriptors(actions(viewer, keeper)),
  }) as ViewerState;
}

const at = (find: (out: Vector3) => Vector3): Place => find(new Vector3()).toArray();

function pageState(viewer: Viewer): Partial<ViewerState> {
  const { clock, picture, library, readings } = viewer;
  return {
    get ready() { return (picture.frames > 0 || !picture.drawing) && viewer.opening === 0 && !viewer.scene.busy && (viewer.world !== null || viewer.run !== null); },
    get idle() { return !viewer.busy; },
    get drawing() { return picture.drawing; },
    set drawing(on) { picture.drawing = on; },
    get name() { return viewer.shortName; },
    get items() { return library.items.map(({ name }) => name); },
    get own() { return viewer.own.items.map(({ name }) => name); },
    get playing() { return clock.playing; },
    get speed() { return clock.speed; },
    get factor() { return clock.factor; },
    get slowed() { return said('notice') !== ''; },
    get frames() { return picture.frames; },
    get fault() { return said('fault'); },
    get faults() { return viewer.editor.faults; },
    get written() { return viewer.editor.text; },
    get settings() { return viewer.settings.settings; },
    get overlays() { return [...viewer.overlays.on]; },
    get legend() { return byId('legend').hidden ? '' : byId('legend').innerText; },
    get camera() { return viewer.cameraWeights.told.toArray(); },
    get arrows() { return viewer.overlays.arrowCount; },
    get hovering() { return viewer.hand.hovering; },
    get holding() { return viewer.hand.hold !== null; },
    get heldTo() { return viewer.hand.hold?.to.toArray() ?? null; },
    get picked() { return readings.picked; },
    get plotted() { return readings.plotted; },
    get view() { return picture.viewNumbers; },
  };
}

function plantState(viewer: Viewer): Partial<ViewerState> {
  return {
    get time() { return viewer.run?.time ?? viewer.world?.state.time ?? 0; },
    get dt() { return viewer.world?.state.dt ?? 0; },
    get segments() { return viewer.world?.opened.segments ?? 0; },
    get dofs() { return viewer.world?.opened.dofs ?? 0; },
    get solvers() { return viewer.world?.opened.knownSolvers ?? []; },
    get adapted() { return viewer.world?.state.adapted ?? { joints: 0, active: 0, estimate: 0, velocity: 0 }; },
    get meshes() { return viewer.world?.meshes ?? []; },
    get triangles() { return viewer.world?.triangles ?? 0; },
    text: (file = viewer.shown.file) => viewer.texts.of(file),
    highest: () => viewer.world!.highest(),
    origin: (segment) => at((out) => viewer.world!.origin(segment, out)),
    tip: (segment) => at((out) => viewer.world!.tip(segment, out)),
    base: (actor) => at((out) => viewer.world!.base(actor, out)),
    collider: (k) => at((out) => viewer.world!.collider(k, out)),
    onScreen: (place) => {
      const box = viewer.picture.canvas.getBoundingClientRect();
      const { x, y } = viewer.hand.screen(new Vector3(...place));
      return [box.left + x, box.top + y];
    },
  };
}

function actions(viewer: Viewer, keeper: Keeper): Partial<ViewerState> {
  return {
    run: (seconds) => runFor(viewer, seconds),
    follow: async (segment, seconds) => {
      const rows: [number, ...Place][] = [];
      await runFor(viewer, seconds, () =>
        rows.push([viewer.world!.state.time, ...at((out) => viewer.world!.tip(segment, out))]));
      return rows;
    },
    open: async (name) => {
      const item = viewer.own.find(name);
      void await (item ? viewer.openItem(item) : Promise.reject(new Error(`no item ${name}`)));
    },
    set: (changes) => viewer.settings.set(changes),
    frequency: (actor) => viewer.simulation.ask({ do: 'frequency', actor }),
    glb: () => viewer.simulation.ask({ do: 'glb' }),
    link: () => keeper.link(),
  };
}

// As many steps as fit, one answer at a time, so that nothing else is asked in between for long.
async function runFor(viewer: Viewer, seconds: number, each?: () => void): Promise<void> {
  const end = viewer.world!.state.time + seconds;
  while (viewer.world && viewer.world.state.time < end - 0.5 * viewer.world.state.dt) {
    const left = Math.round((end - viewer.world.state.time) / viewer.world.state.dt);
    if (!(await viewer.advance(0, each ? 1 : Math.min(left, STEPS_AT_ONCE), PATIENT_BUDGET))) {
      return;
    }
    each?.();
  }
}
