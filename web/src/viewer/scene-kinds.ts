// SPDX-License-Identifier: MIT
// What a scene is made of, for those who edit it without writing: kinds of things, the values of each
// that have fields, and how a new one begins. All other keys are kept, and can be changed in the text.

import type { Path } from './scene-text';

export type Data = Record<string, unknown>;
export type Vector3 = [number, number, number];
/** A value at times, s. */
export type Keys = [number, unknown][];

export interface Field {
  key: string;
  label: string;
  unit: string;
  kind: 'number' | 'vector' | 'turn' | 'text' | 'object';
  /** What the library takes where the scene says nothing. */
  fallback: unknown;
  /** It can follow keys. */
  keyed?: boolean;
  /** It has no fields unless it is there. */
  rare?: boolean;
  /** It has none where this key takes its place. */
  unless?: string;
  /** It is in a map of this key. */
  within?: string;
}

export interface Kind {
  id: string;
  label: string;
  list: 'objects' | 'loads' | 'colliders';
  /** Key of its map in an item of the list; '' for the item itself. */
  key: string;
  fields: Field[];
  /** It begins and ends. */
  timed?: boolean;
  /** A new one beside what is there. */
  make(at: Place): Data;
}

/** What a new thing is put beside: a free place on the ground, and the size of the plants, m. */
export interface Place {
  x: number;
  height: number;
  /** The lowest point of what is there. */
  low: number;
  name: string;
  /** Of the model of a new plant, from the scene's folder. */
  plant: string;
  object: string;
}

const round = (value: number): number => Number(value.toPrecision(2));
const number = (key: string, label: string, unit: string, fallback: number, keyed = false): Field =>
  ({ key, label, unit, kind: 'number', fallback, keyed });
const vector = (key: string, label: string, unit: string, keyed = true, fallback: Vector3 = [0, 0, 0]): Field =>
  ({ key, label, unit, kind: 'vector', fallback, keyed });
const NAME: Field = { key: 'name', label: 'Name', unit: '', kind: 'text', fallback: '' };
const OBJECT: Field = { key: 'object', label: 'Object', unit: '', kind: 'object', fallback: '' };
const POSITION = vector('position', 'Position', 'm');
const ROTATION: Field = {
  key: 'rotation', label: 'Rotation', unit: 'axis, °', kind: 'turn', fallback: { axis: [0, 1, 0], degrees: 0 }, keyed: true };
const FRICTION = number('friction', 'Friction', '', 0.3);
const SPAN = [number('start', 'From', 's', 0), number('end', 'Until', 's', Infinity)];

const MOVING: Field[] = [
  NAME, POSITION, ROTATION, number('size', 'Size', '×', 1), number('stiffness', 'Stiffness', '×', 1, true),
  number('damping', 'Damping', '×', 1, true),
];

export const KINDS: Kind[] = [
  {
    id: 'plant', label: 'Plant', list: 'objects', key: '',
    fields: [...MOVING, number('seed', 'Seed', '', -1)],
    make: ({ name, plant, x }) => ({ name, plant, position: [x, 0, 0] }),
  },
  {
    id: 'strand', label: 'Rope', list: 'objects', key: '',
    fields: MOVING,
    make: ({ name, x, height }) => ({
      name, strand: { points: [[0, 0, 0], [0, -round(0.8 * height), 0]], segments: 20, radius: round(0.01 * height) },
      position: [x, round(height), 0] }),
  },
  {
    id: 'wind', label: 'Wind', list: 'loads', key: 'wind',
    fields: [
      vector('velocity', 'Velocity', 'm/s'), number('gust', 'Gusts', '', 0), number('intensity', 'Turbulence', '', 0)],
    make: () => ({ wind: { velocity: [3, 0, 0], gust: 0.5, intensity: 0.2 } }),
  },
  {
    id: 'pull', label: 'Pull', list: 'loads', key: 'pull', timed: true,
    fields: [OBJECT, { ...vector('by', 'By', 'm'), unless: 'to' }, { ...vector('to', 'To', 'm'), rare: true }, number('stiffness', 'Spring', 'N/m', 100, true), ...SPAN],
    make: ({ object, height }) => ({
      pull: { ...(object && { object }), by: [round(0.3 * height), round(-0.1 * height), 0], stiffness: 40, start: 0, end: 2 } }),
  },
  {
    id: 'push', label: 'Push', list: 'loads', key: 'push', timed: true,
    fields: [OBJECT, vector('force', 'Force', 'N'), number('twist', 'Twist', 'N m', 0, true), ...SPAN],
    make: ({ object }) => ({ push: { ...(object && { object }), force: [1, 0, 0], start: 0, end: 2 } }),
  },
  {
    id: 'plane', label: 'Ground', list: 'colliders', key: 'plane',
    fields: [POSITION, ROTATION, FRICTION],
    // leaves that hang below 0 would be in it
    make: ({ low, height }) => ({ plane: { position: [0, low < 0 ? -Math.ceil(100 * (0.02 * height - low)) / 100 : 0, 0] } }),
  },
  {
    id: 'sphere', label: 'Ball', list: 'colliders', key: 'sphere',
    fields: [POSITION, number('radius', 'Radius', 'm', 0.5), FRICTION],
    make: ({ x, height }) => ({ sphere: { radius: round(0.12 * height), position: [x, round(0.12 * height), 0] } }),
  },
  {
    id: 'capsule', label: 'Pole', list: 'colliders', key: 'capsule',
    fields: [POSITION, ROTATION, number('radius', 'Radius', 'm', 0.5), number('length', 'Length', 'm', 1), FRICTION],
    make: ({ x, height }) => ({
      capsule: { radius: round(0.03 * height), length: round(0.8 * height), position: [x, round(0.43 * height), 0] } }),
  },
  {
    id: 'box', label: 'Box', list: 'colliders', key: 'box',
    fields: [POSITION, ROTATION, vector('size', 'Sides', 'm', false, [1, 1, 1]), FRICTION],
    make: ({ x, height }) => {
      const side = round(0.25 * height);
      return { box: { size: [side, side, side], position: [x, round(0.5 * side), 0] } };
    },
  },
];

/** One thing of a scene, and where it stands in it. */
export interface Thing {
  kind: Kind | null;
  label: string;
  title: string;
  /** Of the item in its list. */
  item: Path;
  /** Of the map that has the fields. */
  path: Path;
  data: Data;
}

const isData = (value: unknown): value is Data => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Numbers that take the place of the model's are among them. */
export function fieldsOf({ kind, data }: Thing): Field[] {
  const defined = isData(data.define) ? Object.keys(data.define) : [];
  return [
    ...(kind?.fields ?? []).filter(({ key, rare, unless }) => (!rare || key in data) && !(unless && unless in data)),
    ...defined.map((key): Field => ({ ...number(key, key, '', 0), within: 'define' })),
  ];
}

/** Names that every object of a model's file, without its folder, defines anew: the model's own numbers do nothing. */
export function definedIn(scene: Data | null, model: string): Set<string> {
  const objects = Array.isArray(scene?.objects) ? scene.objects.filter(isData) : [];
  const grown = objects.filter(({ plant }) => typeof plant === 'string' && plant.replace(/^.*\//, '') === model);
  const names = grown.map(({ define }) => (isData(define) ? Object.keys(define) : []));
  return new Set(names[0]?.filter((name) => names.every((others) => others.includes(name))));
}

/** The map that has a field. */
export function holderOf({ path, data }: Thing, { within }: Field): { path: Path; data: Data } {
  return within ? { path: [...path, within], data: isData(data[within]) ? data[within] : {} } : { path, data };
}

export function thingsOf(scene: Data): Thing[] {
  return (['objects', 'loads', 'colliders'] as const).flatMap((list) => {
    const items = Array.isArray(scene[list]) ? (scene[list] as unknown[]) : [];
    return items.map((item, k) => thing(list, isData(item) ? item : {}, k));
  });
}

function thing(list: Kind['list'], item: Data, k: number): Thing {
  const key = list === 'objects' ? '' : (Object.keys(item)[0] ?? '');
  const id = list === 'objects' ? ('strand' in item ? 'strand' : 'plant') : key;
  const kind = KINDS.find((one) => one.id === id) ?? null;
  const data = key && isData(item[key]) ? item[key] : item;
  const label = kind?.label ?? key;
  const file = typeof data.plant === 'string' ? data.plant.replace(/^.*\/|\.\w+$/g, '') : '';
  const title = String(data.name ?? (file || (typeof data.object === 'string' ? `of ${data.object}` : '')));
  return { kind, label, title, item: [list, k], path: key ? [list, k, key] : [list, k], data };
}

// ---- values ---------------------------------------------------------------------------------------

/** Also of a fraction, as scenes may have them; NaN: none. */
export function numberOf(value: unknown): number {
  const parts = typeof value === 'string' ? /^\s*([-+.\deE]+)\s*\/\s*([-+.\deE]+)\s*$/.exec(value) : null;
  return parts ? Number(parts[1]) / Number(parts[2]) : typeof value === 'number' ? value : NaN;
}

export function keysOf(value: unknown): Keys | null {
  const keys = isData(value) ? value.keys : null;
  const fine = Array.isArray(keys) && keys.length > 0
    && keys.every((key) => Array.isArray(key) && key.length === 2 && Number.isFinite(numberOf(key[0])));
  return fine ? (keys as [unknown, unknown][]).map(([time, one]) => [numberOf(time), one]) : null;
}

/** The numbers of a value, of a rotation its axis and degrees; null: it has none that fields can show. */
export function numbersOf(value: unknown): number[] | null {
  if (isData(value)) {
    return Array.isArray(value.axis) && value.axis.length === 3 ? numbersOf([...value.axis, value.degrees]) : null;
  }
  const list = Array.isArray(value) ? value.map(numberOf) : [numberOf(value)];
  return list.every((one) => !Number.isNaN(one)) ? list : null;
}

/** Those that the inputs of a field show: a rotation that is a quaternion has none. */
export function shownNumbers({ kind }: Field, value: unknown): number[] | null {
  return kind === 'turn' && !isData(value) ? null : numbersOf(value);
}

/** A rotation of its axis and degrees. */
export function turnOf([x, y, z, degrees]: number[]): Data {
  return { axis: [x, y, z], degrees };
}

/** Between keys as on a straight line: where a new key begins. */
export function valueAt(keys: Keys, time: number): unknown {
  const next = keys.findIndex(([at]) => at > time);
  if (next <= 0) {
    return keys[next === 0 ? 0 : keys.length - 1][1];
  }
  const [[t0, a], [t1, b]] = [keys[next - 1], keys[next]];
  const [from, to] = [numbersOf(a), numbersOf(b)];
  if (!from || !to) {
    return a;
  }
  const mixed = from.map((one, k) => Number((one + ((to[k] - one) * (time - t0)) / (t1 - t0)).toPrecision(4)));
  return isData(a) ? turnOf(mixed) : Array.isArray(a) ? mixed : mixed[0];
}

/** A path from a folder to a file, as scenes name models. */
export function relative(folder: string, file: string): string {
  const [from, to] = [folder.split('/').filter(Boolean), file.split('/')];
  let same = 0;
  while (same < from.length && same < to.length - 1 && from[same] === to[same]) {
    same++;
  }
  return [...from.slice(same).map(() => '..'), ...to.slice(same)].join('/');
}
