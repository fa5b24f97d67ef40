// SPDX-License-Identifier: MIT
// A plant read from binary glTF: its objects for three.js, and the few figures that framing,
// lighting and captions need.

import { Box3, DoubleSide, Group, InstancedMesh, Matrix4, Mesh, MeshStandardMaterial, Vector3 } from 'three';
import type { BufferAttribute, Material } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

export interface Model {
  name: string;
  root: Group;
  meshes: Mesh[];
  /** All vertices in the axes of the scene, three numbers each, m. */
  points: Float32Array;
  box: Box3;
  triangles: number;
  /** Of a model that moves: its plants, each once and by itself, as they are before they move. */
  plants?: Pick<Model, 'meshes' | 'box'>[];
  /** What stands beside: drawn with it, but neither framed nor shaded; planes and arrows. */
  props?: Mesh[];
  /** Height of the ground, where a plane says it. */
  ground?: number;
  /** A drawing in the xy plane, such as the 2-D figures: look at it from the front. */
  flat: boolean;
}

export async function loadModel(name: string, bytes: ArrayBuffer): Promise<Model> {
  const gltf = await new GLTFLoader().parseAsync(bytes, '');
  gltf.scene.updateMatrixWorld(true);
  const meshes = meshesOf(gltf.scene);
  return makeModel(name, gltf.scene, meshes, worldPoints(meshes));
}

export function meshesOf(root: Group): Mesh[] {
  const meshes: Mesh[] = [];
  root.traverse((object) => {
    if (object instanceof Mesh) {
      meshes.push(object);
    }
  });
  return meshes;
}

/** `found`: where its vertices are, three numbers each. */
export function makeModel(name: string, root: Group, meshes: Mesh[], found: Float32Array): Model {
  // a file without triangles is shown as an empty metre
  const points = found.length > 0 ? found : new Float32Array([-0.5, 0, -0.5, 0.5, 1, 0.5]);
  const box = new Box3().setFromArray(points);
  return { name, root, meshes, points, box, triangles: countTriangles(meshes), flat: isFlat(box) };
}

/** Blades have no thickness: they are drawn from both sides and let light through. */
export function isBlade(mesh: Mesh): boolean {
  return (mesh.material as Material).side === DoubleSide;
}

export function standardMaterial(mesh: Mesh): MeshStandardMaterial {
  const material = mesh.material;
  return material instanceof MeshStandardMaterial ? material : new MeshStandardMaterial();
}

function worldPoints(meshes: Mesh[]): Float32Array {
  const total = meshes.reduce((sum, mesh) => sum + mesh.geometry.getAttribute('position').count, 0);
  const points = new Float32Array(3 * total);
  const p = new Vector3();
  let at = 0;
  for (const mesh of meshes) {
    const position = mesh.geometry.getAttribute('position') as BufferAttribute;
    const toWorld: Matrix4 = mesh.matrixWorld;
    for (let i = 0; i < position.count; i++) {
      p.fromBufferAttribute(position, i).applyMatrix4(toWorld).toArray(points, at);
      at += 3;
    }
  }
  return points;
}

function countTriangles(meshes: Mesh[]): number {
  let corners = 0;
  for (const mesh of meshes) {
    const { geometry } = mesh;
    const own = geometry.index ? geometry.index.count : geometry.getAttribute('position').count;
    corners += mesh instanceof InstancedMesh ? mesh.count * own : own;
  }
  return Math.round(corners / 3);
}

function isFlat(box: Box3): boolean {
  const size = box.getSize(new Vector3());
  // a lone stem is thin both ways and looks the same from all sides: that is not a drawing
  return size.z < 0.08 * Math.max(size.x, size.y) && size.z < 0.35 * size.x;
}
