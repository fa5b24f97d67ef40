// SPDX-License-Identifier: MIT
// What a page and the worker that simulates say to each other. Every request gets one answer.

import type { Edit } from './scene-text';

/** A scene, and the files that it may name. */
export interface Source {
  /** Name of the scene's file; files are found from its folder. */
  file: string;
  text: string;
  files: Record<string, string>;
}

export interface Fault {
  file: string;
  /** From 1; 0 when the fault has no place. Columns are in bytes. */
  line: number;
  column: number;
  text: string;
}

/** Triangles that are drawn alike, in the axes of the plant's base. */
export interface Part {
  name: string;
  blade: boolean;
  position: Float32Array;
  normal: Float32Array;
  color: Uint8Array;
  joint: Uint32Array;
  weight: Uint8Array;
  index: Uint32Array;
}

/** The form of organs that are alike: at size 1, in the axes of their segment. */
export interface Shape {
  name: string;
  blade: boolean;
  position: Float32Array;
  normal: Float32Array;
  color: Uint8Array;
  index: Uint32Array;
}

/** A collider in its own axes, or an arrow of length 1 along +Y; `name`: that of its material. */
export type Solid = Pick<Part, 'name' | 'position' | 'normal' | 'color' | 'index'>;

/** One organ: which shape, on which segment, how large, and its colour over that of the shape. */
export interface Organ {
  shape: number;
  segment: number;
  size: number;
  tint: [number, number, number];
}

/** How plants of one kind look. */
export interface Look {
  /** Stems, and what has no shape of its own. */
  parts: Part[];
  organs: Organ[];
}

/** How all kinds look; organs name their shapes. */
export interface Looks {
  kinds: Look[];
  shapes: Shape[];
}

/** What plants of one kind share. */
export interface Kind extends Look {
  /** Seven numbers a segment: where it was when the mesh was made. */
  bind: Float32Array;
  /** SEGMENT numbers a segment. */
  segments: Float32Array;
}

/** Columns of Kind.segments. */
export const SEGMENT = {
  parent: 0, id: 1, joint: 2, organ: 3, length: 4, radius: 5, tipRadius: 6, mass: 7, tip: 8, centre: 11, size: 14, count: 16,
} as const;
/** Numbers of a pose: position, rotation x y z w. */
export const POSE = 7;
/** Numbers of an arrow: where it begins, rotation x y z w, length three times. */
export const ARROW = 10;
export const MOST_ARROWS = 256;
/** Numbers of a stroke: where it begins and ends, and its colour, 0xRRGGBB. */
export const STROKE = 7;

export interface Actor {
  name: string;
  object: number;
  kind: number;
  segments: number;
  dofs: number;
  /** Where its first segment stands among all. */
  first: number;
}

/** Where keys lead something. */
export interface Path {
  of: 'object' | 'collider';
  index: number;
  places: [number, number, number][];
}

export interface Opened {
  name: string;
  text: string;
  actors: Actor[];
  kinds: Kind[];
  shapes: Shape[];
  /** These have few triangles; the request `finer` gives the same with all of them. */
  coarse: boolean;
  colliders: Solid[];
  arrow: Solid;
  segments: number;
  dofs: number;
  /** m: the largest extent of a plant. */
  size: number;
  paths: Path[];
  /** Three numbers a point: the outermost that its motion reaches, as far as was asked for and found out. */
  reach: Float32Array;
  /** Names, in the order of the scene. */
  objects: string[];
  /** Of each object, as the scene names it. */
  solvers: string[];
  /** What the library knows, and the integrators of each: bits 1 << integrator. */
  knownSolvers: string[];
  integrators: number[];
  /** Of each object, how its joints are weighed. */
  weights: number[];
  /** Which load is the wind; -1: none. */
  wind: number;
  integrator: number;
  /** What the scene says at its start, by path. */
  values: Record<string, number>;
  state: State;
}

/** Integrators, weights and what a joint does, as the library numbers them. */
export const INTEGRATOR = { implicit: 0, implicitEuler: 1, euler: 2, rk4: 3, adaptive: 4 } as const;
export const WEIGHTS = { even: 0, reach: 1, camera: 2 } as const;
export const MODE = { own: 0, frozen: 1, quasistatic: 2, joined: 3 } as const;

/** Joints that may be left out, in all objects. */
export interface Adapted {
  /** 0: there are none. */
  joints: number;
  /** Of those, that move by themselves. */
  active: number;
  /** m: of implicit steps the largest estimate of a plant's rms error. */
  estimate: number;
  /** Of explicit steps the largest velocity that is left out, in the unit of the weights. */
  velocity: number;
}

/** The world at one moment. */
export interface State {
  time: number;
  dt: number;
  /** Actor after actor: its base, then its segments, POSE numbers each. */
  poses: Float32Array;
  /** POSE numbers a collider. */
  colliders: Float32Array;
  energy: [kinetic: number, elastic: number, weight: number];
  adapted: Adapted;
  /** Steps taken for this answer, and what they took. */
  steps: number;
  milliseconds: number;
  /** Newton iterations a step and actor. */
  iterations: number;
  /** N m a segment, when asked for. */
  moments?: Float32Array;
  /** A segment, when asked for: the first segment of its cluster times 4, and its MODE; below 0: none. */
  clusters?: Int32Array;
  /** ARROW numbers a contact, when asked for; those without length are none. */
  arrows?: Float32Array;
  /** STROKE numbers a line or, where its ends are the same, a point, when asked for. */
  strokes?: Float32Array;
  /** m/s at the points that were asked for. */
  wind?: Float64Array;
  /** The step failed: nothing moves on. */
  fault?: string;
}

export interface Vector {
  x: number;
  y: number;
  z: number;
}

/** All that the future of a world depends on. */
export interface Saved {
  bytes: Uint8Array<ArrayBuffer>;
  /** Object, and how it slides: m/s along x and z; and the size that the brake goes by. */
  sliding: [object: number, vx: number, vz: number, scale: number];
}

/** A scene's text with changes made, and what it says; null: nothing that can be read. */
export interface Edited {
  text: string;
  scene: Record<string, unknown> | null;
}

export type Request =
  | { do: 'load'; module: ArrayBuffer | string }
  | { do: 'open'; source: Source; solvers?: string[]; ahead?: boolean }
  | { do: 'finer' }
  | { do: 'edit'; text: string; edits: Edit[] }
  | { do: 'check'; file: string; text: string; files: Record<string, string> }
  | { do: 'advance'; seconds: number; steps?: number; budget: number; moments?: boolean; clusters?: boolean; contacts?: boolean; skeleton?: boolean; wind?: Float64Array }
  | { do: 'set'; values: Record<string, number>; integrator?: number }
  | { do: 'grab'; actor: number; segment: number; point: Vector; to: Vector; stiffness: number }
  | { do: 'grabTo'; to: Vector }
  | { do: 'release' }
  | { do: 'twist'; actor: number; segment: number; torque: number }
  | { do: 'drive'; object: number; x: number; z: number; scale: number }
  | { do: 'lead'; object: number; by: { x: number; z: number } | null }
  | { do: 'frequency'; actor: number }
  | { do: 'glb' }
  | { do: 'save' }
  | { do: 'restore'; saved: Saved };

/** What comes back for each; a failure comes back as { faults }. */
export interface Answers {
  load: true;
  open: Opened;
  finer: Looks;
  edit: Edited;
  check: Fault[];
  advance: State;
  set: string[];
  grab: true;
  grabTo: true;
  release: true;
  twist: true;
  drive: true;
  lead: true;
  frequency: number;
  glb: Uint8Array;
  save: Saved;
  restore: State;
}
