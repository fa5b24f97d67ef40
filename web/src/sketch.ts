// SPDX-License-Identifier: MIT
// The first picture of a page, which is to come soon: the colours and the light of surface.ts without
// shadows, the fading of the sky inside a canopy, gloss, and light through blades. What it leaves out
// takes longer than all the rest where a processor draws, and comes with the next picture.

import { ShaderMaterial } from 'three';
import type { DirectionalLight, HemisphereLight, Material, Mesh } from 'three';
import { SUN } from './daylight';
import { isBlade } from './model';

// light = E/pi with E = E_sun max(n.s, 0) + E_sky, as three.js's lights have it: E_sky goes from that of
// the ground to that of the zenith with the height of the normal n
const vertexShader = /* glsl */ `
  #include <common>
  #include <color_pars_vertex>
  #include <skinning_pars_vertex>
  uniform vec3 towardsSun, sun, zenith, bounce;
  uniform float blade;
  varying vec3 light;
  void main() {
    #include <color_vertex>
    #include <beginnormal_vertex>
    #include <skinbase_vertex>
    #include <skinnormal_vertex>
    #include <begin_vertex>
    #include <skinning_vertex>
    #include <project_vertex>
    vec3 normal = objectNormal;
    #ifdef USE_INSTANCING
      normal = mat3(instanceMatrix) * normal;
    #endif
    normal = normalize(mat3(modelMatrix) * normal);
    if (blade > 0.0 && dot(mat3(viewMatrix) * normal, mvPosition.xyz) > 0.0) {
      normal = -normal;
    }
    light = RECIPROCAL_PI
      * (sun * max(dot(normal, towardsSun), 0.0) + mix(bounce, zenith, 0.5 + 0.5 * normal.y));
  }`;

const fragmentShader = /* glsl */ `
  #include <common>
  #include <color_pars_fragment>
  varying vec3 light;
  void main() {
    gl_FragColor = vec4(vColor.rgb * light, 1.0);
    #include <tonemapping_fragment>
    #include <colorspace_fragment>
  }`;

/** Draws with meshes as they are sketched; then they are as before. */
export function sketched(meshes: Mesh[], sun: DirectionalLight, sky: HemisphereLight, draw: () => void): void {
  const before = meshes.map(({ material }) => material);
  meshes.forEach((mesh) => (mesh.material = makeMaterial(mesh, sun, sky)));
  draw();
  meshes.forEach((mesh, k) => {
    (mesh.material as Material).dispose();
    mesh.material = before[k];
  });
}

function makeMaterial(mesh: Mesh, sun: DirectionalLight, sky: HemisphereLight): ShaderMaterial {
  const { side } = mesh.material as Material;
  return new ShaderMaterial({
    vertexShader,
    fragmentShader,
    vertexColors: true,
    side,
    uniforms: {
      towardsSun: { value: SUN },
      sun: { value: sun.color.clone().multiplyScalar(sun.intensity) },
      zenith: { value: sky.color.clone().multiplyScalar(sky.intensity) },
      bounce: { value: sky.groundColor.clone().multiplyScalar(sky.intensity) },
      blade: { value: isBlade(mesh) ? 1 : 0 },
    },
  });
}
