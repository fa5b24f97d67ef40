// SPDX-License-Identifier: MIT
// Materials of a plant: three.js's standard material with vertex colours, and three additions that
// its shader has no words for: blades let sunlight through, the light of the sky fades inside a
// canopy (attributes of canopy.ts), and shadows are filtered without noise.

import { InstancedMesh, ShaderChunk } from 'three';
import type { Material, Mesh, WebGLProgramParametersWithUniforms } from 'three';
import { SUN } from './daylight';
import { isBlade, standardMaterial } from './model';
import type { Model } from './model';
import { propOf } from './props';

const BLADE_ROUGHNESS = 0.58;
const STEM_ROUGHNESS = 0.85;
const COLLIDER_ROUGHNESS = 0.65;

/** Replaces the materials of meshes. Call addSkyAttribute() first. */
export function applySurfaces(meshes: Mesh[]): void {
  for (const mesh of meshes) {
    const blade = isBlade(mesh);
    const prop = propOf(mesh);
    const material = standardMaterial(mesh).clone();
    material.vertexColors = mesh.geometry.hasAttribute('color');
    material.roughness = blade ? BLADE_ROUGHNESS : prop ? COLLIDER_ROUGHNESS : STEM_ROUGHNESS;
    material.metalness = 0;
    material.defines = { ...material.defines, ...(blade ? { BLADE: '' } : {}) };
    material.onBeforeCompile = extendShader;
    mesh.material = material;
    mesh.castShadow = true;
    mesh.receiveShadow = true;
  }
}

export function disposeSurfaces(model: Model): void {
  for (const mesh of [...model.meshes, ...(model.props ?? [])]) {
    mesh.geometry.dispose();
    (mesh.material as Material).dispose();
    if (mesh instanceof InstancedMesh) {
      mesh.dispose();
    }
  }
}

function extendShader(shader: WebGLProgramParametersWithUniforms): void {
  shader.uniforms.towardsSun = { value: SUN };
  shader.vertexShader = swap(shader.vertexShader, [
    ['#include <common>', '#include <common>\n' + skyVertexHead],
    ['#include <begin_vertex>', '#include <begin_vertex>\n' + skyVertex],
    ['#include <shadowmap_vertex>', swap(ShaderChunk.shadowmap_vertex, [[normalAt, normalToSun]])],
  ]);
  shader.fragmentShader = swap(shader.fragmentShader, [
    ['#include <common>', '#include <common>\nvarying float vSky;'],
    ['#include <shadowmap_pars_fragment>', smoothShadows()],
    [
      '#include <lights_physical_pars_fragment>',
      swap(ShaderChunk.lights_physical_pars_fragment, [[directAt, directAt + throughBlade]]),
    ],
    ['#include <aomap_fragment>', 'reflectedLight.indirectDiffuse *= vSky;'],
  ]);
}

// A piece of three.js that is no longer there must not be missed silently.
function swap(text: string, pairs: [string, string][]): string {
  for (const [from, to] of pairs) {
    if (!text.includes(from)) {
      throw new Error(`three.js's shader has changed: no "${from}"`);
    }
    text = text.replace(from, () => to);
  }
  return text;
}

// of an organ that is drawn many times, what its two ends see
const skyVertexHead = /* glsl */ `
  #ifdef USE_INSTANCING
    attribute vec2 skyEnds;
    attribute float along;
  #else
    attribute float sky;
  #endif
  varying float vSky;
  uniform vec3 towardsSun;`;
const skyVertex = /* glsl */ `
  #ifdef USE_INSTANCING
    vSky = mix(skyEnds.x, skyEnds.y, along);
  #else
    vSky = sky;
  #endif`;

// The shadow lookup is moved off the surface along its normal; on the far side of a blade that
// would be away from the sun, and the blade would shade itself.
const normalAt =
  'vec3 shadowWorldNormal = transformNormalByInverseViewMatrix( transformedNormal, viewMatrix );';
const normalToSun = /* glsl */ `${normalAt}
  #ifdef BLADE
    shadowWorldNormal *= sign(dot(shadowWorldNormal, towardsSun));
  #endif`;

// Chlorophyll takes more red and blue on the way through than on reflection, so that the light
// behind a blade is purer in colour, and a little warmer.
const directAt = 'vec3 irradiance = dotNL * directLight.color;';
const throughBlade = /* glsl */ `
  #ifdef BLADE
  {
    float behind = saturate(dot(-geometryNormal, directLight.direction));
    vec3 c = material.diffuseColor;
    vec3 pure = c * c / max(max(c.r, max(c.g, c.b)), 1e-4);
    vec3 through = mix(c, pure, 0.6) * vec3(1.25, 1.1, 0.7);
    reflectedLight.directDiffuse += 0.75 * behind * directLight.color * BRDF_Lambert(through);
  }
  #endif`;

// three.js turns five samples by a noise; thirteen that stay put give an even rim
function smoothShadows(): string {
  const chunk = ShaderChunk.shadowmap_pars_fragment;
  const begin = chunk.indexOf('float phi = interleavedGradientNoise(');
  const endMark = ') * 0.2;';
  const end = chunk.indexOf(endMark);
  if (begin < 0 || end < begin) {
    throw new Error("three.js's shadow filter has changed");
  }
  const filter = /* glsl */ `
    shadow = 0.0;
    for (int i = 0; i < 13; i++) {
      vec2 offset = vogelDiskSample(i, 13, 0.0) * radius;
      shadow += texture(shadowMap, vec3(shadowCoord.xy + offset, shadowCoord.z)) / 13.0;
    }`;
  return chunk.slice(0, begin) + filter + chunk.slice(end + endMark.length);
}
