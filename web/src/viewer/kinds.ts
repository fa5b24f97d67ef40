// SPDX-License-Identifier: MIT
// What plants of one kind share, read from the module: triangles, organs by their shapes, segments.

import type { Module } from './module';
import { OrganFinder } from './organs';
import { POSE, SEGMENT } from './protocol';
import type { Kind, Looks, Part, Solid } from './protocol';

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

/** Of the kind that an actor is of; `mesh`: that of the kind, or what stands for it. */
export function readKind(module: Module, actor: number, mesh: number, finder: OrganFinder): Kind {
  const { call } = module;
  const count = call.web_actor_segments(actor);
  const bind = module.floats(call.web_bind(actor), POSE * count).slice();
  const segments = module.floats(call.web_segments(actor), SEGMENT.count * count).slice();
  return { ...finder.split(readParts(module, mesh), bind, segments), bind, segments };
}

/** Triangles of a world below which drawing fewer would not pay. */
const MANY_TRIANGLES = 60000;
/** Vertices that a page can hold; plants beyond are simulated, not drawn. */
export const MOST_VERTICES = 1.5e6;

/** Whether plants, by their meshes, have many triangles, and whether a page can hold them all. */
export function sizeOfMeshes(module: Module, meshes: number[]): { many: boolean; held: boolean } {
  const sizes = new Map([...new Set(meshes)].map((mesh) => [mesh, sizeOfMesh(module, mesh)]));
  let [vertices, triangles] = [0, 0];
  for (const mesh of meshes) {
    vertices += sizes.get(mesh)!.vertices;
    triangles += sizes.get(mesh)!.triangles;
  }
  return { many: triangles >= MANY_TRIANGLES, held: vertices <= MOST_VERTICES };
}

function sizeOfMesh(module: Module, mesh: number): { vertices: number; triangles: number } {
  const { call } = module;
  let [vertices, triangles] = [0, 0];
  for (let k = 0; k < call.web_part_count(mesh); k++) {
    const [, , count, indices] = module.words(call.web_part(mesh, k), 4);
    vertices += count;
    triangles += indices / 3;
  }
  return { vertices, triangles };
}

/** How kinds look with all of their triangles; their meshes are numbered as the kinds are. */
export function readFiner(module: Module, kinds: Kind[]): Looks {
  const finder = new OrganFinder();
  const finer = kinds.map(({ bind, segments }, mesh) => finder.split(readParts(module, mesh), bind, segments));
  return { kinds: finer, shapes: finder.shapes };
}
