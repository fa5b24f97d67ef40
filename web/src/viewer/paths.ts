// SPDX-License-Identifier: MIT
// Where a scene leads its objects and colliders: the places that its keys name; and how long it lasts.

import { parse } from 'yaml';
import type { Path } from './protocol';

const DEFAULT_DURATION = 10; // s

type Loose = Record<string, unknown>;

const isMap = (value: unknown): value is Loose => typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** `position: {keys: [[time, [x, y, z]], ...]}`; the library says what is wrong with others. */
function placesOf(thing: unknown): [number, number, number][] {
  const position = isMap(thing) && isMap(thing.position) ? thing.position : {};
  return listOf(position.keys)
    .map((key) => listOf(listOf(key)[1]).map(Number) as [number, number, number])
    .filter((place) => place.length === 3 && place.every(Number.isFinite));
}

// a scene that has been opened can be read; else there is nothing to frame
function read(text: string): Loose {
  try {
    const scene: unknown = parse(text, { logLevel: 'silent', uniqueKeys: false });
    return isMap(scene) ? scene : {};
  } catch {
    return {};
  }
}

/** s, as the library has it. */
export function durationOf(text: string): number {
  const { record } = read(text);
  const duration = isMap(record) ? Number(record.duration) : NaN;
  return duration > 0 ? duration : DEFAULT_DURATION;
}

export function pathsOf(text: string): Path[] {
  const { objects, colliders } = read(text);
  // a collider is a map with its kind
  const solids = listOf(colliders).map((one) => (isMap(one) ? Object.values(one).find(isMap) : null));
  return [
    ...listOf(objects).map((thing, index) => ({ of: 'object' as const, index, places: placesOf(thing) })),
    ...solids.map((thing, index) => ({ of: 'collider' as const, index, places: placesOf(thing) })),
  ].filter(({ places }) => places.length > 0);
}
