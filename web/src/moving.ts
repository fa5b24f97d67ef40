// SPDX-License-Identifier: MIT
// A model that moves: a recorded run read from animated binary glTF, and its clock.

import { AnimationMixer, Box3, Mesh, SkinnedMesh, Vector3 } from 'three';
import type { AnimationAction, AnimationClip, BufferAttribute, Group } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { makeModel, meshesOf } from './model';
import type { Model } from './model';
import { arrowMaterial, dressPlane, groundOf, openSky, propOf } from './props';

/** The picture is framed by where so many vertices are at so many moments. */
const SAMPLED_MOMENTS = 24;
const SAMPLED_VERTICES = 3000;

export interface Moving extends Model {
  /** How long it lasts; 0 when nothing moves. */
  seconds: number;
  /** Takes the pose of a moment, from 0 to `seconds`. */
  setTime(time: number): void;
  /** Arrows of contact forces, hidden until they are shown. */
  arrows: Mesh[];
  showContacts(shown: boolean): void;
  /** Where the joint of this name is now, m; null when there is none. */
  jointPlace(name: string): [number, number, number] | null;
}

/** `length`: how long it lasts, s; when not given, as long as its longest track. */
export async function loadMoving(name: string, bytes: ArrayBuffer, length?: number): Promise<Moving> {
  const gltf = await new GLTFLoader().parseAsync(bytes, '');
  const root = gltf.scene;
  const { meshes, colliders, planes, arrows } = sortMeshes(root);
  // three.js would cull by where a mesh was when it was first seen
  meshes.forEach((mesh) => (mesh.frustumCulled = false));
  root.updateMatrixWorld(true);
  const plants = distinctPlants(meshes.filter((mesh) => !colliders.includes(mesh)));
  const ground = dressProps(colliders, planes, arrows);

  gltf.animations.forEach(makeUnit);
  const mixer = new AnimationMixer(root);
  const actions: AnimationAction[] = gltf.animations.map((clip) => mixer.clipAction(clip).play());
  const setTime = (time: number): void => {
    actions.forEach((action) => (action.time = Math.min(time, action.getClip().duration)));
    mixer.update(0);
    root.updateMatrixWorld(true);
  };
  const seconds = length ?? Math.max(0, ...gltf.animations.map((clip) => clip.duration));
  const points = sampleMotion(meshes, seconds, setTime);
  setTime(0);
  const jointPlace = (joint: string): [number, number, number] | null => {
    const node = root.getObjectByName(joint);
    return node ? node.getWorldPosition(new Vector3()).toArray() : null;
  };
  const model = makeModel(name, root, meshes, points);
  const showContacts = (shown: boolean): void => arrows.forEach((arrow) => (arrow.visible = shown));
  const props = [...planes, ...arrows];
  return { ...model, flat: false, plants, props, ground, arrows, seconds, setTime, showContacts, jointPlace };
}

/** `meshes`: plants and colliders. */
function sortMeshes(root: Group): Record<'meshes' | 'colliders' | 'planes' | 'arrows', Mesh[]> {
  const all = meshesOf(root);
  const colliders = all.filter((mesh) => propOf(mesh) === 'collider');
  const planes = all.filter((mesh) => propOf(mesh) === 'plane');
  const arrows = all.filter((mesh) => propOf(mesh) === 'contact');
  return { meshes: all.filter((mesh) => !planes.includes(mesh) && !arrows.includes(mesh)), colliders, planes, arrows };
}

/** Returns the height of the ground, if a plane is the ground. */
function dressProps(colliders: Mesh[], planes: Mesh[], arrows: Mesh[]): number | undefined {
  const material = arrowMaterial();
  colliders.forEach(openSky);
  planes.forEach(dressPlane);
  for (const arrow of arrows) {
    arrow.material = material;
    arrow.frustumCulled = arrow.visible = false;
  }
  return groundOf(planes);
}

// Rotations in 16 bits a number are not quite of length 1, which a chain of joints would multiply.
function makeUnit(clip: AnimationClip): void {
  for (const { name, values } of clip.tracks) {
    if (!name.endsWith('.quaternion')) {
      continue;
    }
    for (let i = 0; i < values.length; i += 4) {
      const length = Math.hypot(values[i], values[i + 1], values[i + 2], values[i + 3]) || 1;
      for (let k = 0; k < 4; k++) {
        values[i + k] /= length;
      }
    }
  }
}

// Plants of one kind share their triangles, which are stored as they stand on their own ground.
function distinctPlants(meshes: Mesh[]): { meshes: Mesh[]; box: Box3 }[] {
  const seen = new Set<unknown>();
  const groups = new Map<Group | Mesh, Mesh[]>();
  for (const mesh of meshes) {
    if (!seen.has(mesh.geometry)) {
      seen.add(mesh.geometry);
      const owner = (mesh.parent as Group | null) ?? mesh;
      // a mesh of one part has no group of its own: its parent is the scene
      const key = owner.parent ? owner : mesh;
      groups.set(key, [...(groups.get(key) ?? []), mesh]);
    }
  }
  return [...groups.values()].map((parts) => {
    const box = new Box3();
    for (const { geometry } of parts) {
      geometry.computeBoundingBox();
      box.union(geometry.boundingBox!);
    }
    return { meshes: parts, box };
  });
}

function sampleMotion(meshes: Mesh[], seconds: number, setTime: (time: number) => void): Float32Array {
  const total = meshes.reduce((sum, { geometry }) => sum + geometry.getAttribute('position').count, 0);
  const step = Math.max(1, Math.floor(total / SAMPLED_VERTICES));
  const moments = seconds > 0 ? SAMPLED_MOMENTS : 1;
  const points: number[] = [];
  const p = new Vector3();
  for (let moment = 0; moment < moments; moment++) {
    setTime((seconds * moment) / Math.max(moments - 1, 1));
    meshes.filter((mesh) => mesh instanceof SkinnedMesh).forEach((mesh) => mesh.skeleton.update());
    for (const mesh of meshes) {
      const { count } = mesh.geometry.getAttribute('position') as BufferAttribute;
      for (let i = 0; i < count; i += step) {
        mesh.getVertexPosition(i, p).applyMatrix4(mesh.matrixWorld).toArray(points, points.length);
      }
    }
  }
  return new Float32Array(points);
}
