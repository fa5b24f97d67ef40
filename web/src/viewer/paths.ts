// SPDX-License-Identifier: MIT
// Where a scene leads its objects and colliders: the places that its keys name.

import { parse } from 'yaml';
import type { Path } from './protocol';

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

export function pathsOf(text: string): Path[] {
  let scene: unknown;
  try {
    scene = parse(text, { logLevel: 'silent', uniqueKeys: false });
  } catch {
    return []; // it has been opened all the same: there is nothing to frame
  }
  const { objects, colliders } = isMap(scene) ? scene : {} as Loose;
  // a collider is a map with its kind
  const solids = listOf(colliders).map((one) => (isMap(one) ? Object.values(one).find(isMap) : null));
  return [
    ...listOf(objects).map((thing, index) => ({ of: 'object' as const, index, places: placesOf(thing) })),
    ...solids.map((thing, index) => ({ of: 'collider' as const, index, places: placesOf(thing) })),
  ].filter(({ places }) => places.length > 0);
}
