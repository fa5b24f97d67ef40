// SPDX-License-Identifier: MIT
// What stands beside the plants: colliders, planes and the arrows of contact forces. In files they
// are told by the names of their materials; see docs/guide/formats.md.

import {
  BufferAttribute,
  CustomBlending,
  DoubleSide,
  Mesh,
  MeshStandardMaterial,
  OneMinusSrcAlphaFactor,
  ShaderMaterial,
  SrcAlphaFactor,
  Vector3,
} from 'three';
import type { Material } from 'three';
import { SUN } from './daylight';

const NAMES = ['collider', 'plane', 'contact'] as const;
export type Prop = (typeof NAMES)[number];

const UPRIGHT = 0.999; // cosine of the tilt up to which a plane is the ground
/** Squares of a plane's grid over its radius, about. */
const SQUARES = 10;

/** What kind of prop a mesh is; null: part of a plant. */
export function propOf(mesh: Mesh): Prop | null {
  return NAMES.find((name) => name === (mesh.material as Material).name) ?? null;
}

/** Nothing shades it but the sun's shadow; canopy.ts is for plants. */
export function openSky({ geometry }: Mesh): void {
  const { count } = geometry.getAttribute('position');
  geometry.setAttribute('sky', new BufferAttribute(new Uint8Array(count).fill(255), 1, true));
}

// ---- planes ---------------------------------------------------------------------------------------

const planeVertex = /* glsl */ `
  attribute vec4 color;
  varying vec2 spot;
  varying float shown;
  uniform vec3 towardsSun;
  varying float light;
  void main() {
    spot = position.xz;
    shown = color.a;
    light = abs(dot(normalize(mat3(modelMatrix) * normal), towardsSun));
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`;

// a thin grid; what is between its lines is faint on the ground and more so where a plane is tilted
const planeFragment = /* glsl */ `
  uniform float square, fill;
  varying vec2 spot;
  varying float shown, light;
  void main() {
    vec2 at = spot / square;
    vec2 wide = fwidth(at);
    vec2 off = abs(fract(at - 0.5) - 0.5) / wide;
    // where squares are smaller than a few pixels the lines would run together
    float dense = 1.0 - smoothstep(0.1, 0.4, max(wide.x, wide.y));
    float line = (1.0 - smoothstep(0.4, 1.3, min(off.x, off.y))) * dense;
    vec3 face = vec3(0.83, 0.82, 0.79) * (0.5 + 0.5 * light);
    vec3 color = mix(face, vec3(0.32, 0.33, 0.34), line);
    gl_FragColor = vec4(color, shown * mix(fill, 0.42, line));
  }`;

/** A length like 1, 2 or 5 times a power of ten, near to x. */
function roundLength(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * (x / power < 1.5 ? 1 : x / power < 3.5 ? 2 : x / power < 7.5 ? 5 : 10);
}

function isLevel(plane: Mesh): boolean {
  return new Vector3(0, 1, 0).transformDirection(plane.matrixWorld).y > UPRIGHT;
}

/** Draws a plane as a grid that hides nothing: it lies behind all else. */
export function dressPlane(plane: Mesh): void {
  plane.geometry.computeBoundingSphere();
  const { radius } = plane.geometry.boundingSphere!;
  plane.material = new ShaderMaterial({
    name: 'plane',
    vertexShader: planeVertex,
    fragmentShader: planeFragment,
    uniforms: {
      square: { value: roundLength(Math.max(radius, 1e-6) / SQUARES) },
      fill: { value: isLevel(plane) ? 0.1 : 0.6 },
      towardsSun: { value: SUN },
    },
    // not as three.js blends what is transparent: the ground's shadow comes after it
    blending: CustomBlending,
    blendSrc: SrcAlphaFactor,
    blendDst: OneMinusSrcAlphaFactor,
    side: DoubleSide,
    depthWrite: false,
    toneMapped: false,
  });
  plane.renderOrder = -0.5;
  plane.frustumCulled = false;
}

/** Height of the ground that level planes make; undefined without one. */
export function groundOf(planes: Mesh[]): number | undefined {
  const heights = planes.filter(isLevel).map((plane) => plane.getWorldPosition(new Vector3()).y);
  return heights.length > 0 ? Math.max(...heights) : undefined;
}

// ---- arrows ---------------------------------------------------------------------------------------

/** Arrows are drawn over all else, and among themselves as they stand. */
export function arrowMaterial(): MeshStandardMaterial {
  const material = new MeshStandardMaterial({ name: 'contact', vertexColors: true, roughness: 0.6 });
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader.replace('#include <project_vertex>', /* glsl */ `
      #include <project_vertex>
      gl_Position.z = 0.02 * gl_Position.z - 0.98 * gl_Position.w;`);
  };
  return material;
}
