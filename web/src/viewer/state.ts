// SPDX-License-Identifier: MIT
// What the viewer tells scripts, as window.tendrilViewer: its checks are written on this.

import type { Overlay } from './overlays';
import type { Fault } from './protocol';
import type { Settings } from './settings';

/** What scripts may read from and do to the page. */
export interface ViewerState {
  /** The first picture of a plant has been drawn, and nothing is being opened. */
  ready: boolean;
  /** Off, all goes on but for the pictures; what is opened then is not seen. */
  drawing: boolean;
  name: string;
  items: string[];
  time: number;
  dt: number;
  playing: boolean;
  speed: number;
  segments: number;
  dofs: number;
  /** Simulated over real time, as it was in the last second. */
  factor: number;
  slowed: boolean;
  /** Pictures drawn so far. */
  frames: number;
  fault: string;
  faults: Fault[];
  settings: Settings | null;
  overlays: Overlay[];
  holding: boolean;
  /** Where the pointer holds the plant to; null when it does not. */
  heldTo: [number, number, number] | null;
  picked: number;
  plotted: { energy: number; segment: number };
  view: [number, number, number, number, number, number];
  highest(): number;
  origin(segment: number): [number, number, number];
  tip(segment: number): [number, number, number];
  base(actor: number): [number, number, number];
  /** CSS pixels in the window. */
  onScreen(place: [number, number, number]): [number, number];
  /** Lets time pass without drawing. */
  run(seconds: number): Promise<void>;
  /** The same step by step, with the place of a tip after each. */
  follow(segment: number, seconds: number): Promise<[number, number, number, number][]>;
  open(name: string): Promise<void>;
  set(changes: Partial<Settings>): Promise<void>;
  frequency(actor: number): Promise<number>;
  glb(): Promise<Uint8Array>;
  link(): Promise<string>;
}

declare global {
  interface Window {
    tendrilViewer: ViewerState;
  }
}
