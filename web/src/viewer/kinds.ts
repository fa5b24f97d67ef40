// SPDX-License-Identifier: MIT
// What plants of one kind share, read from the module: triangles, organs by their shapes, segments.

import type { Module } from './module';
import { OrganFinder } from './organs';
import { POSE, SEGMENT } from './protocol';
import type { Actor, Kind, Opened, Part, Shape, Solid } from './protocol';

/** The triangles of a mesh, as the library has merged them. */
export function readParts(module: Module, mesh: number): Part[] {
  const { call } = module;
  return Array.from({ length: call.web_part_count(mesh) }, (_, k) => {
    const [name, blade, vertices, indices, position, normal, color, joint, weight, index] =
      module.words(call.web_part(mesh, k), 10).slice();
    return {
      name: module.text(name),
      blade: blade !== 0,
      position: module.floats(position, 3 * vertices).slice(),
      normal: module.floats(normal, 3 * vertices).slice(),
      color: module.bytes(color, 4 * vertices).slice(),
      joint: module.words(joint, 4 * vertices).slice(),
      weight: module.bytes(weight, 4 * vertices).slice(),
      index: module.words(index, indices).slice(),
    };
  });
}

/** The triangles of a collider; behind the last collider, of an arrow. */
export function readSolid(module: Module, collider: number): Solid {
  const row = module.call.web_prop(collider);
  if (row === 0) {
    throw new Error('out of memory');
  }
  const [name, , vertices, indices, position, normal, color, , , index] = module.words(row, 10).slice();
  return {
    name: module.text(name),
    position: module.floats(position, 3 * vertices).slice(),
    normal: module.floats(normal, 3 * vertices).slice(),
    color: module.bytes(color, 4 * vertices).slice(),
    index: module.words(index, indices).slice(),
  };
}

/** Of the kind that an actor is of; `mesh`: that of the kind. */
export function readKind(module: Module, actor: number, mesh: number, finder: OrganFinder): Kind {
  const { call } = module;
  const count = call.web_actor_segments(actor);
  const bind = module.floats(call.web_bind(actor), POSE * count).slice();
  const segments = module.floats(call.web_segments(actor), SEGMENT.count * count).slice();
  return { ...finder.split(readParts(module, mesh), bind, segments), bind, segments };
}

/** Triangles of a world below which drawing fewer would not pay. */
const MANY_TRIANGLES = 60000;

/** How all kinds look from afar; their meshes are numbered as the kinds are. */
export function readFar(module: Module, kinds: Kind[], shapes: Shape[], actors: Actor[]): Opened['far'] {
  const cost = kinds.map(({ parts, organs }) =>
    [...parts, ...organs.map(({ shape }) => shapes[shape])].reduce((sum, { index }) => sum + index.length / 3, 0));
  const all = actors.reduce((sum, { kind }) => sum + cost[kind], 0);
  if (all < MANY_TRIANGLES) {
    return null;
  }
  const finder = new OrganFinder();
  const far = kinds.map(({ bind, segments }, mesh) =>
    finder.split(readParts(module, module.call.web_far(mesh)), bind, segments));
  return { kinds: far, shapes: finder.shapes };
}
